/*
 * powersgd.c - gradients as products of two thin matrices, which are all-reduced one by one.
 *
 *     M <- G + e                                   for every layer's matrix [a][b]
 *     P <- M Q;   P <- sum of all;   P <- its columns made orthonormal
 *     Q <- M^T P; Q <- mean of all                 kept for the next gradient: warm start
 *     e <- M - P Q^T;   what is applied is P Q^T
 *
 * P is [a][r], Q [b][r], r the rank: r (a + b) floats are sent instead of a b. Q begins with normal
 * numbers that are equal on all workers. A layer's matrix has a row for each output. Vectors
 * (biases, batch norms), and matrices that would not shrink by min_rate, are added unchanged,
 * together with P. At full rank P Q^T is the mean of M, and e the worker's difference from it.
 *
 * Paper: Vogels, Karimireddy, Jaggi 2019 (e from the mean, as in its code and in PyTorch).
 */
#include "core/codec.h"
#include "core/math/rng.h"
#include "core/math/vec.h"

#include <math.h>

struct powersgd_conf {
	int64_t rank, start;
	double min_rate;
};

struct factors {                /* factors of a layer, and their offsets */
	size_t at, rows, columns, rank; /* at: in the model; rank 0: the layer is added unchanged */
	size_t n;               /* floats of the layer */
	size_t p, q;            /* in `sent`: P^T [rank][rows], or the layer; Q^T [rank][b] */
};

/* Offsets (in floats) of the vectors Q, sent and the end in a node's memory; e is at 0. */
struct offsets {
	size_t q, sent, end;
};

static size_t powersgd_rank(const struct powersgd_conf *c, const struct blob *b)
{
	const size_t rows = b->rank > 1 ? (size_t)b->shape[0] : 1, columns = b->count / rows;
	const size_t least = rows < columns ? rows : columns;
	const size_t r = (size_t)c->rank < least ? (size_t)c->rank : least;

	if (least < 2 || (double)(r * (rows + columns)) * c->min_rate > (double)b->count)
		return 0;
	return r;
}

/* The layer after f, where f is zeros at first; x is one vector if layers are not known. */
static struct factors powersgd_next(const struct powersgd_conf *c, const struct codec_input *p,
				    size_t l, const struct factors *f)
{
	const struct blob one = { .count = p->n, .rank = 1 };
	const struct blob *b = p->layers ? &p->layers[l] : &one;
	struct factors next = { .at = b->offset, .n = b->count, .rank = powersgd_rank(c, b) };

	next.rows = next.rank ? (size_t)b->shape[0] : 1;
	next.columns = b->count / next.rows;
	next.p = f->p + (f->rank ? f->rank * f->rows : f->n);
	next.q = f->q + f->rank * f->columns;
	return next;
}

static size_t powersgd_layers(const struct codec_input *p)
{
	return p->layers ? p->nlayers : 1;
}

/* Floats of all P and of layers added unchanged; floats of all Q. */
static void powersgd_sizes(const struct powersgd_conf *c, const struct codec_input *p, size_t *sent,
			   size_t *q)
{
	struct factors f = { 0 };

	for (size_t l = 0; l < powersgd_layers(p); l++)
		f = powersgd_next(c, p, l, &f);
	*sent = f.p + (f.rank ? f.rank * f.rows : f.n);
	*q = f.q + f.rank * f.columns;
}

static struct offsets powersgd_offsets(const struct powersgd_conf *c, const struct codec_input *p)
{
	size_t sent, q;

	powersgd_sizes(c, p, &sent, &q);
	return (struct offsets){ .q = p->n, .sent = p->n + q, .end = p->n + q + sent };
}

static size_t powersgd_memory(const void *conf, const struct codec_input *p)
{
	return powersgd_offsets(conf, p).end;
}

/* Draws columns of Q that are zero, as all are at first: a warm start would keep them zero. */
static void powersgd_draw(const struct codec_input *p, size_t l, const struct factors *f, float *q)
{
	for (size_t k = 0; k < f->rank; k++) {
		float *column = q + k * f->columns;
		struct rng r;

		if (vec_dot(f->columns, column, column) != 0.0)
			continue;
		rng_at(&r, p->seed, RNG_CODEC, (uint32_t)k, l);
		for (size_t i = 0; i < f->columns; i++)
			column[i] = (float)rng_normal(&r);
	}
}

/* M <- G + e, in place;  P <- M Q */
static void powersgd_project(const struct factors *f, const float *e, const float *q, float *m,
			     float *p)
{
	vec_axpy(f->n, 1.0f, e, m);
	for (size_t k = 0; k < f->rank; k++)
		for (size_t i = 0; i < f->rows; i++)
			p[k * f->rows + i] = (float)vec_dot(f->columns, m + i * f->columns,
							    q + k * f->columns);
}

/*
 * Gram and Schmidt's method, twice for each column, so that rounding leaves no part of earlier
 * columns.
 */
static void powersgd_orthonormal(size_t rows, size_t rank, float *p)
{
	for (size_t k = 0; k < rank; k++) {
		float *v = p + k * rows;
		const double before = sqrt(vec_dot(rows, v, v));
		double norm;

		for (size_t j = 0; j < 2 * k; j++)
			vec_axpy(rows, (float)-vec_dot(rows, p + j % k * rows, v),
				 p + j % k * rows, v);
		norm = sqrt(vec_dot(rows, v, v));
		/* A column that depends on earlier ones is only rounding error: set it to 0. */
		vec_scale(rows, norm > 1e-6 * before ? (float)(1.0 / norm) : 0.0f, v);
	}
}

/* Q <- M^T P */
static void powersgd_back(const struct factors *f, const float *m, const float *p, float *q)
{
	vec_scale(f->rank * f->columns, 0.0f, q);
	for (size_t k = 0; k < f->rank; k++)
		for (size_t i = 0; i < f->rows; i++)
			vec_axpy(f->columns, p[k * f->rows + i], m + i * f->columns,
				 q + k * f->columns);
}

/* e <- M - P Q^T;  M <- members P Q^T */
static void powersgd_apply(const struct factors *f, int members, const float *p, const float *q,
			   float *e, float *m)
{
	vec_copy(f->n, m, e);
	vec_scale(f->n, 0.0f, m);
	for (size_t k = 0; k < f->rank; k++)
		for (size_t i = 0; i < f->rows; i++)
			vec_axpy(f->columns, p[k * f->rows + i], q + k * f->columns,
				 m + i * f->columns);
	vec_axpy(f->n, -1.0f, m, e);
	vec_scale(f->n, (float)members, m);
}

/* Computes stage s->stage of one layer l; f says where its factors are. */
static void powersgd_layer(const struct codec_input *p, struct codec_allreduce *s,
			   const struct offsets *at, size_t l, const struct factors *f)
{
	float *e = s->memory + f->at, *q = s->memory + at->q + f->q, *m = s->v + f->at;
	float *sent = s->memory + at->sent + f->p;

	if (!f->rank) {
		if (s->stage == 0)
			vec_copy(f->n, m, sent);
		else if (s->stage == 1)
			vec_copy(f->n, sent, m);
	} else if (s->stage == 0) {
		powersgd_draw(p, l, f, q);
		powersgd_project(f, e, q, m, sent);
	} else if (s->stage == 1) {
		powersgd_orthonormal(f->rows, f->rank, sent);
		powersgd_back(f, m, sent, q);
	} else {
		vec_scale(f->rank * f->columns, 1.0f / (float)s->members, q);
		powersgd_apply(f, s->members, sent, q, e, m);
	}
}

static size_t powersgd_stage(const void *conf, const struct codec_input *p,
			     struct codec_allreduce *s)
{
	const struct powersgd_conf *c = conf;
	const struct offsets at = powersgd_offsets(c, p);
	const size_t floats[] = { at.end - at.sent, at.sent - at.q, 0 };
	struct factors f = { 0 };

	if (s->count < c->start) {
		s->sent = s->v;
		return s->stage == 0 ? p->n : 0;
	}
	for (size_t l = 0; s->v && l < powersgd_layers(p); l++) {
		f = powersgd_next(c, p, l, &f);
		powersgd_layer(p, s, &at, l, &f);
	}
	if (s->memory)
		s->sent = s->memory + (s->stage == 0 ? at.sent : at.q);
	return floats[s->stage];
}

static int64_t powersgd_first(const void *conf)
{
	const struct powersgd_conf *c = conf;

	return c->start;
}

static const struct opt powersgd_opts[] = {
	OPT_NUMBER(struct powersgd_conf, rank, "2", "r, columns of the two factors of a matrix",
		   "R", 1, 1 << 20),
	OPT_NUMBER(struct powersgd_conf, start, "0",
		   "all-reduces of whole gradients before the first of factors", "N", 0, 1e12),
	OPT_NUMBER(struct powersgd_conf, min_rate, "2",
		   "a matrix that would be sent in more than 1/RATE of its floats is sent as it "
		   "is; 0: none",
		   "RATE", 0, 1e6),
	{ 0 }
};

const struct codec codec_powersgd = {
	.plugin = { .name = "powersgd",
		    .brief = "matrices as products of two of low rank, warm start, error feedback",
		    .cite = "Vogels, Karimireddy, Jaggi 2019, arXiv 1905.13727",
		    .opts = powersgd_opts,
		    .conf_size = sizeof(struct powersgd_conf) },
	.stage = powersgd_stage,
	.stage_memory = powersgd_memory,
	.first = powersgd_first,
};
