/* Finds, makes and reuses boxes, each of which holds the models received for one round. */
#include "algos/common/peers/boxes.h"

#include <string.h>

void boxes_open(struct boxes *b, int senders, int vectors, size_t floats)
{
	*b = (struct boxes){ .senders = senders, .vectors = vectors, .floats = floats };
}

struct box *boxes_find(const struct boxes *b, int64_t round)
{
	struct box *box = b->used;

	while (box && box->round != round)
		box = box->next;
	return box;
}

static struct box *boxes_make(struct node *nd, const struct boxes *b)
{
	struct box *box = node_alloc(nd, 1, sizeof(*box));

	box->came = node_alloc(nd, (size_t)b->senders, sizeof(*box->came));
	box->x = node_alloc(nd, (size_t)b->vectors, sizeof(*box->x));
	for (int i = 0; i < b->vectors; i++)
		box->x[i] = node_floats(nd, b->floats);
	return box;
}

struct box *boxes_at(struct node *nd, struct boxes *b, int64_t round)
{
	struct box *box = boxes_find(b, round);

	if (box)
		return box;
	box = b->spare;
	if (box)
		b->spare = box->next;
	else
		box = boxes_make(nd, b);
	box->round = round;
	box->filled = 0;
	memset(box->came, 0, (size_t)b->senders * sizeof(*box->came));
	box->next = b->used;
	b->used = box;
	return box;
}

void boxes_empty(struct boxes *b, struct box *box)
{
	struct box **at = &b->used;

	while (*at != box)
		at = &(*at)->next;
	*at = box->next;
	box->next = b->spare;
	b->spare = box;
}

void boxes_empty_all(struct boxes *b)
{
	while (b->used)
		boxes_empty(b, b->used);
}
