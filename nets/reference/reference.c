/* Runs a net's layers forward and backward, and takes the loss, in double precision. */
#include "nets/reference/reference.h"

#include "core/base/mem.h"
#include "nets/reference/layers.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

struct tensor tensor_new(size_t n, struct shape s)
{
	struct tensor t = { .n = (int)n, .h = s.h, .w = s.w, .c = s.c };

	t.v = xcalloc(tensor_count(&t), sizeof(double));
	return t;
}

static atomic_llong macs_done;

int64_t reference_macs(void)
{
	return atomic_load(&macs_done);
}

void state_run(struct state *s, int i, bool backward)
{
	const struct layer *l = &s->g->layers[i];

	reference_layers[l->kind](s, i, backward);
	atomic_fetch_add(&macs_done, (backward ? 2 : 1) * l->macs * s->y[0].n);
}

void state_open(struct state *s, size_t n, const double *images)
{
	const size_t layers = (size_t)s->g->n;

	s->y = xcalloc(layers, sizeof(*s->y));
	s->dy = xcalloc(layers, sizeof(*s->dy));
	s->mask = xcalloc(layers, sizeof(*s->mask));
	for (size_t i = 0; i < layers; i++) {
		s->y[i] = tensor_new(n, s->g->layers[i].os);
		s->dy[i] = tensor_new(n, s->g->layers[i].os);
	}
	for (size_t k = 0; k < tensor_count(&s->y[0]); k++)
		s->y[0].v[k] = images[k];
	for (int i = 1; i < s->g->n; i++)
		state_run(s, i, false);
}

void state_close(struct state *s)
{
	for (int i = 0; i < s->g->n; i++) {
		free(s->y[i].v);
		free(s->dy[i].v);
		free(s->mask[i]);
	}
	free(s->y);
	free(s->dy);
	free(s->mask);
}

/* -log softmax(z)[label], the mean over all rows; dz <- its gradient. */
double state_loss(struct state *s, const int32_t *labels)
{
	const struct tensor *z = &s->y[s->g->n - 1], *dz = &s->dy[s->g->n - 1];
	const size_t rows = tensor_count(z) / (size_t)z->c;
	double loss = 0;

	for (size_t r = 0; r < rows; r++) {
		const double *at = pixel(z, r);
		double sum = 0, most = at[0];

		for (int c = 1; c < z->c; c++)
			most = fmax(most, at[c]);
		for (int c = 0; c < z->c; c++)
			sum += exp(at[c] - most);
		loss -= (at[labels[r]] - most - log(sum)) / (double)rows;
		for (int c = 0; c < z->c; c++)
			pixel(dz, r)[c] =
				(exp(at[c] - most) / sum - (c == labels[r])) / (double)rows;
	}
	return loss;
}

double reference_grad(const struct graph *g, const double *x, size_t n, const double *images,
		      const int32_t *labels, uint64_t seed, const uint64_t *use,
		      const struct reference_memory *memory, double *grad)
{
	struct state s = { .g = g, .x = x, .grad = grad, .seed = seed, .use = use,
			   .memory = memory };
	double loss;

	for (size_t k = 0; grad && k < g->dim; k++)
		grad[k] = 0;
	state_open(&s, n, images);
	loss = state_loss(&s, labels);
	for (int i = g->n - 1; i > 0 && grad; i--)
		state_run(&s, i, true);
	state_close(&s);
	return loss;
}

void reference_stats(const struct graph *g, const double *x, size_t n, const double *images,
		     double *stats)
{
	struct state s = { .g = g, .x = x, .stats_out = stats };

	state_open(&s, n, images);
	state_close(&s);
}

void reference_logits(const struct graph *g, const double *x, const double *stats, size_t n,
		      const double *images, const struct reference_memory *memory,
		      double *logits)
{
	struct state s = { .g = g, .x = x, .stats_in = stats, .test = true, .memory = memory };

	state_open(&s, n, images);
	for (size_t k = 0; k < tensor_count(&s.y[g->n - 1]); k++)
		logits[k] = s.y[g->n - 1].v[k];
	state_close(&s);
}
