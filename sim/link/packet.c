/* Copies messages into reusable buffers, encoded if the run has a codec. */
#include "sim/link/packet.h"

#include "core/base/apart.h"
#include "core/codec.h"
#include "core/math/vec.h"

static struct packet *link_packet_take(struct packets *from)
{
	struct packet *p = from->spare;

	if (!p)
		return arena_alloc(from->arena, 1, sizeof(*p));
	from->spare = p->next;
	p->next = NULL;
	return p;
}

/* Copies field by field: reading in wide words what was just written in narrow ones would stall. */
static inline void link_packet_address(struct packet *p, const struct node *nd,
				       const struct msg *m)
{
	p->piece = false;
	p->of = NULL;
	p->msg.tag = m->tag;
	p->msg.from = nd->rank;
	p->msg.stamp = m->stamp;
	p->msg.vec = m->vec ? p->buf : NULL;
	p->msg.n = m->n;
	p->msg.codes = m->codes;
	p->msg.before = nd->sending;
	p->bytes = m->n * sizeof(float);
}

/* The vector as its receiver gets it: decoded, if it is sent as codes. */
static void link_packet_fill(struct node *nd, const struct msg *m, void *codes, float *buf)
{
	if (!codes) {
		vec_copy(m->n, m->vec, buf);
		return;
	}
	codec_pack(nd, m->n, m->vec, codes);
	if (m->vec)
		codec_unpack(nd->run, m->n, codes, buf);
}

/* Makes a packet with a vector or codes, or a new packet. */
APART static struct packet *link_packet_whole(struct packets *from, struct node *nd,
					const struct msg *m, void *codes)
{
	const bool coded = m->codes && codec_packs(nd->run);
	struct packet *p = link_packet_take(from);

	if (m->n > p->capacity) {
		p->buf = node_floats(nd, m->n);
		p->capacity = m->n;
		from->floats += (double)m->n;
	}
	link_packet_address(p, nd, m);
	if (m->vec || coded)
		link_packet_fill(nd, m, coded ? codes : NULL, p->buf);
	if (coded)
		p->bytes = codec_bytes(nd->run);
	return p;
}

struct packet *packet_copy(struct packets *from, struct node *nd, const struct msg *m,
			   void *codes)
{
	struct packet *p = from->spare;

	if (!p || m->vec || m->n > p->capacity || (m->codes && codec_packs(nd->run)))
		return link_packet_whole(from, nd, m, codes);
	from->spare = p->next;
	p->next = NULL;
	link_packet_address(p, nd, m);
	return p;
}

struct packet *packet_blank(struct packets *from, size_t bytes)
{
	struct packet *p = link_packet_take(from);

	p->piece = true;
	p->of = NULL;
	p->errand = ERRAND_NONE;
	p->bytes = bytes;
	return p;
}

struct packet *packet_join(struct packets *to, struct packet *p)
{
	struct packet *of = p->of;

	packet_put(to, p);
	return of && --of->missing == 0 ? of : NULL;
}

bool packet_discard(struct packets *to, struct packet *p)
{
	bool whole = false;

	while (p) {
		whole = !p->piece;
		p = packet_join(to, p);
	}
	return whole;
}
