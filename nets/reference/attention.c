/* attention.c - the reference's causal attention, with all probabilities of a query at once. */
#include "core/base/mem.h"
#include "core/math/rng.h"
#include "nets/reference/layers.h"

#include "nets/backend.h"

#include <math.h>
#include <stdlib.h>

/* A head of one sample: its columns of queries, keys and values begin at `first`. */
struct head {
	struct view v;
	int sample, k, size;            /* which head; its channels */
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

/* mask[0..i] <- what dropout leaves of each probability. */
static void attention_mask(const struct state *s, const struct head *h, int layer, int i,
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

static void attention_head(struct state *s, const struct head *h, int layer, bool back)
{
	double *p = xcalloc((size_t)h->v.y->h, sizeof(*p));
	double *mask = xcalloc((size_t)h->v.y->h, sizeof(*mask));

	for (int i = 0; i < h->v.y->h; i++) {
		attention_weigh(h, i, p);
		attention_mask(s, h, layer, i, mask);
		if (back)
			attention_query_back(h, i, p, mask);
		else
			attention_query(h, i, p, mask);
	}
	free(p);
	free(mask);
}

void reference_attention(struct state *s, int i, bool back)
{
	struct view v = view_of(s, i);
	struct head h = { .v = v, .channels = (size_t)v.y->c, .size = v.y->c / v.l->heads };

	for (h.sample = 0; h.sample < v.y->n; h.sample++)
		for (h.k = 0; h.k < v.l->heads; h.k++)
			attention_head(s, &h, i, back);
}
