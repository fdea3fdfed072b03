/* A hash table of each receiver's last due time, so that messages keep their order. */
#include "sim/link/order.h"

#include "core/base/mem.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* That location's slot, or the free one that it would have. */
static struct order_slot *link_order_find(const struct order *o, int key)
{
	size_t i = (uint32_t)key * 2654435761u & (o->capacity - 1);

	while (o->slot[i].to && o->slot[i].to != key)
		i = (i + 1) & (o->capacity - 1);
	return &o->slot[i];
}

static void link_order_grow(struct order *o)
{
	struct order bigger = { .n = o->n, .capacity = o->capacity ? 2 * o->capacity : 8 };

	bigger.slot = xcalloc(bigger.capacity, sizeof(*bigger.slot));
	for (size_t i = 0; i < o->capacity; i++)
		if (o->slot[i].to)
			*link_order_find(&bigger, o->slot[i].to) = o->slot[i];
	free(o->slot);
	*o = bigger;
}

double order_keep(struct order *o, int to, double due)
{
	struct order_slot *slot;

	if (2 * o->n >= o->capacity)
		link_order_grow(o);
	slot = link_order_find(o, to + 1);
	if (!slot->to) {
		*slot = (struct order_slot){ .to = to + 1 };
		o->n++;
	}
	slot->due = fmax(slot->due, due);
	return slot->due;
}

void order_release(struct order *o)
{
	free(o->slot);
	*o = (struct order){ 0 };
}
