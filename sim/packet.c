#include "sim/packet.h"

#include "core/mem.h"
#include "core/vec.h"

#include <stdlib.h>

static struct packet *take(struct packet **spare)
{
	struct packet *p = *spare;

	if (!p)
		return xcalloc(1, sizeof(*p));
	*spare = p->next;
	p->next = NULL;
	return p;
}

struct packet *packet_copy(struct packet **spare, int from, const struct msg *m)
{
	struct packet *p = take(spare);

	if (m->vec && m->n > p->room) {
		free(p->buf);
		p->buf = vec_new(m->n);
		p->room = m->n;
	}
	p->msg = *m;
	p->msg.from = from;
	p->msg.vec = m->vec ? p->buf : NULL;
	vec_copy(m->n, m->vec, p->buf);
	return p;
}

void packet_put(struct packet **spare, struct packet *p)
{
	p->next = *spare;
	*spare = p;
}

void packet_free_all(struct packet *p)
{
	for (struct packet *next; p; p = next) {
		next = p->next;
		free(p->buf);
		free(p);
	}
}
