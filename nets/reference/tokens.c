/* tokens.c - layers of nets of tokens in the reference. */
#include "nets/reference/layers.h"

#include "core/base/mem.h"
#include "core/math/rng.h"
#include "nets/backend.h"
#include "nets/layers/adaptive.h"

#include <math.h>
#include <stdlib.h>

/* Offset in x of the position of token r in the table of positions. */
static size_t embed_position(const struct view *v, size_t r)
{
	return v->l->beta + r % (size_t)v->y->h * (size_t)v->y->c;
}

/* Offset in x of a token of cluster k in its table. */
static size_t embed_row(const struct layer *l, int k, size_t token)
{
	return embed_table(l, k) + (token - adaptive_first(l, k)) * adaptive_width(l, k);
}

/* y <- scale row */
static void embed_token(struct state *s, const struct view *v, size_t r, bool back)
{
	const size_t row = embed_row(v->l, 0, (size_t)v->x->v[r]);
	const double scale = v->l->scaled ? sqrt(v->l->os.c) : 1;

	for (size_t c = 0; c < (size_t)v->y->c; c++)
		if (back)
			s->grad[row + c] += scale * pixel(v->dy, r)[c];
		else
			pixel(v->y, r)[c] += scale * s->x[row + c];
}

/* y <- scale P row, with the row and the projection of the token's cluster */
static void embed_clustered(struct state *s, const struct view *v, size_t r, bool back)
{
	const int k = adaptive_cluster(v->l, (int32_t)v->x->v[r]);
	const size_t row = embed_row(v->l, k, (size_t)v->x->v[r]);
	const size_t width = adaptive_width(v->l, k);
	const double scale = v->l->scaled ? sqrt(v->l->os.c) : 1;

	for (size_t c = 0; c < (size_t)v->y->c; c++)
		for (size_t w = 0; w < width; w++) {
			const size_t cell = embed_projection(v->l, k) + c * width + w;

			if (!back) {
				pixel(v->y, r)[c] += scale * s->x[cell] * s->x[row + w];
				continue;
			}
			s->grad[row + w] += scale * s->x[cell] * pixel(v->dy, r)[c];
			s->grad[cell] += scale * s->x[row + w] * pixel(v->dy, r)[c];
		}
}

void reference_embed(struct state *s, int i, bool back)
{
	struct view v = view_of(s, i);

	for (size_t r = 0; r < pixel_count(v.y); r++) {
		if (v.l->div > 1)
			embed_clustered(s, &v, r, back);
		else
			embed_token(s, &v, r, back);
		for (size_t c = 0; v.l->positions && c < (size_t)v.y->c; c++) {
			const size_t position = embed_position(&v, r) + c;

			if (back)
				s->grad[position] += pixel(v.dy, r)[c];
			else
				pixel(v.y, r)[c] += s->x[position];
		}
	}
}

/* ---- layer norm: y = (x - mean) / dev gamma + beta ---- */

static void layernorm_moments(const struct view *v, const double *x, double *mean, double *dev)
{
	double var = 0;

	*mean = 0;
	for (int c = 0; c < v->x->c; c++)
		*mean += x[c] / v->x->c;
	for (int c = 0; c < v->x->c; c++)
		var += pow(x[c] - *mean, 2) / v->x->c;
	*dev = sqrt(var + v->l->eps);
}

/* With u = (x - mean) / dev and d = dy gamma: dx = (d - mean of d - u mean of d u) / dev. */
static void layernorm_back(struct state *s, const struct view *v, size_t r)
{
	const double *x = pixel(v->x, r), *dy = pixel(v->dy, r), *gamma = s->x + v->l->weight;
	double mean, dev, d = 0, du = 0;

	layernorm_moments(v, x, &mean, &dev);
	for (int c = 0; c < v->x->c; c++) {
		s->grad[v->l->weight + (size_t)c] += dy[c] * (x[c] - mean) / dev;
		if (v->l->bias)
			s->grad[v->l->beta + (size_t)c] += dy[c];
		d += dy[c] * gamma[c] / v->x->c;
		du += dy[c] * gamma[c] * (x[c] - mean) / dev / v->x->c;
	}
	for (int c = 0; c < v->x->c; c++)
		pixel(v->dx, r)[c] +=
			(dy[c] * gamma[c] - d - (x[c] - mean) / dev * du) / dev;
}

void reference_layernorm(struct state *s, int i, bool back)
{
	struct view v = view_of(s, i);

	for (size_t r = 0; r < pixel_count(v.y); r++) {
		const double *x = pixel(v.x, r);
		double mean, dev;

		if (back) {
			layernorm_back(s, &v, r);
			continue;
		}
		layernorm_moments(&v, x, &mean, &dev);
		for (size_t c = 0; c < (size_t)v.x->c; c++)
			pixel(v.y, r)[c] = (x[c] - mean) / dev * s->x[v.l->weight + c] +
					   (v.l->bias ? s->x[v.l->beta + c] : 0);
	}
}

/* ---- causal attention, with all probabilities of a query at once ---- */

/* A head of one sample: its columns of queries, keys and values begin at `first`. */
struct head {
	struct view v;
	int sample, k, size;            /* index of sample and head; channels of a head */
	size_t channels;                /* of all heads */
};

/* The head's part of a token's queries (which = 0), keys (1) or values (2). */
static double *head_at(const struct head *h, const struct tensor *t, int which, int token)
{
	return pixel(t, (size_t)h->sample * (size_t)t->h + (size_t)token) +
	       (size_t)which * h->channels + h->k * h->size;
}

static double *head_output(const struct head *h, const struct tensor *t, int token)
{
	return pixel(t, (size_t)h->sample * (size_t)t->h + (size_t)token) + h->k * h->size;
}

static double attention_dot(const double *a, const double *b, int n)
{
	double sum = 0;

	for (int k = 0; k < n; k++)
		sum += a[k] * b[k];
	return sum;
}

/* p[0..i] <- softmax over the keys up to token i. */
static void attention_weigh(const struct head *h, int i, double *p)
{
	const double *q = head_at(h, h->v.x, 0, i);
	double most = -(double)INFINITY, sum = 0;

	for (int j = 0; j <= i; j++) {
		p[j] = attention_dot(q, head_at(h, h->v.x, 1, j), h->size) / sqrt(h->size);
		most = fmax(most, p[j]);
	}
	for (int j = 0; j <= i; j++)
		sum += p[j] = exp(p[j] - most);
	for (int j = 0; j <= i; j++)
		p[j] /= sum;
}

/* mask[0..i] <- factor of each probability by dropout. */
static void attend_mask(const struct state *s, const struct head *h, int layer, int i,
			double *mask)
{
	struct rng r;

	if (s->use)
		rng_at(&r, s->seed, RNG_DROPOUT, attention_address(h->v.l, layer, h->k, i),
		       s->use[h->sample]);
	for (int j = 0; j <= i; j++) {
		bool drop = s->use && h->v.l->rate > 0 &&
			    rng_u32(&r) / 4294967296.0 < h->v.l->rate;

		mask[j] = drop ? 0 : s->use ? 1 / (1 - h->v.l->rate) : 1;
	}
}

static void attention_query(const struct head *h, int i, const double *p, const double *mask)
{
	for (int j = 0; j <= i; j++)
		for (int k = 0; k < h->size; k++)
			head_output(h, h->v.y, i)[k] +=
				p[j] * mask[j] * head_at(h, h->v.x, 2, j)[k];
}

/* dS = P (dP - sum P dP); dq = dS k, dk = dS q; dv = P dO. */
static void attention_query_back(const struct head *h, int i, const double *p,
				 const double *mask)
{
	const double *dy = head_output(h, h->v.dy, i), *q = head_at(h, h->v.x, 0, i);
	double mean = 0;

	for (int j = 0; j <= i; j++)
		mean += p[j] * mask[j] * attention_dot(dy, head_at(h, h->v.x, 2, j), h->size);
	for (int j = 0; j <= i; j++) {
		const double *key = head_at(h, h->v.x, 1, j), *value = head_at(h, h->v.x, 2, j);
		double dp = mask[j] * attention_dot(dy, value, h->size);
		double ds = p[j] * (dp - mean) / sqrt(h->size);

		for (int k = 0; k < h->size; k++) {
			head_at(h, h->v.dx, 0, i)[k] += ds * key[k];
			head_at(h, h->v.dx, 1, j)[k] += ds * q[k];
			head_at(h, h->v.dx, 2, j)[k] += p[j] * mask[j] * dy[k];
		}
	}
}

static void attend_head(struct state *s, const struct head *h, int layer, bool back)
{
	scoped double *p = xcalloc((size_t)h->v.y->h, sizeof(*p));
	scoped double *mask = xcalloc((size_t)h->v.y->h, sizeof(*mask));

	for (int i = 0; i < h->v.y->h; i++) {
		attention_weigh(h, i, p);
		attend_mask(s, h, layer, i, mask);
		if (back)
			attention_query_back(h, i, p, mask);
		else
			attention_query(h, i, p, mask);
	}
}

void reference_attention(struct state *s, int i, bool back)
{
	struct view v = view_of(s, i);
	struct head h = { .v = v, .channels = (size_t)v.y->c, .size = v.y->c / v.l->heads };

	for (h.sample = 0; h.sample < v.y->n; h.sample++)
		for (h.k = 0; h.k < v.l->heads; h.k++)
			attend_head(s, &h, i, back);
}
