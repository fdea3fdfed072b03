/* Runs a net's layers forward and backward, and computes the loss, in double precision. */
#include "nets/reference/reference.h"

#include "core/base/mem.h"
#include "nets/reference/layers.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Of n samples, all 0. */
static struct tensor tensor_new(size_t n, struct shape s)
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

/* Mean squared error, or binary cross-entropy of logits, over all outputs; dz <- its gradient. */
static double state_number_loss(struct state *s, const int32_t *labels)
{
	const struct tensor *z = &s->y[s->g->n - 1], *dz = &s->dy[s->g->n - 1];
	const double all = (double)tensor_count(z);
	double loss = 0;

	for (size_t k = 0; k < tensor_count(z); k++) {
		const double v = z->v[k], t = (double)target_value(labels[k]);

		if (s->g->loss == LOSS_MSE) {
			loss += (v - t) * (v - t) / all;
			dz->v[k] = 2 * (v - t) / all;
		} else {
			/* log(1 + exp(v)) - v t */
			loss += (fmax(v, 0) + log1p(exp(-fabs(v))) - v * t) / all;
			dz->v[k] = (1 / (1 + exp(-v)) - t) / all;
		}
	}
	return loss;
}

/* -log softmax(z)[label], the mean over all rows; dz <- its gradient. */
static double state_loss(struct state *s, const int32_t *labels)
{
	const struct tensor *z = &s->y[s->g->n - 1], *dz = &s->dy[s->g->n - 1];
	const size_t rows = tensor_count(z) / (size_t)z->c;
	double loss = 0;

	if (s->g->loss != LOSS_CROSS_ENTROPY)
		return state_number_loss(s, labels);
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

/* ---- losses when only one blob of the parameters has changed ---- */

/*
 * Losses when only one blob of the parameters has changed.
 *
 * The layers before the first one that reads the blob keep their outputs. The others run again,
 * with every ReLU and every maximum decided as before. The memory of an output is reused after its
 * last reader, as the kernel needs time to clear new pages.
 */

struct reference_kept {
	struct state s;
	const int32_t *labels;
};

/* The first layer that reads the blob; NULL: any. Layers that share a blob come after its owner. */
static int kept_first(const struct graph *g, const struct blob *blob)
{
	return blob ? g->owner[blob - g->blobs] : 1;
}

double reference_share(const struct graph *g, const struct blob *blob)
{
	const int first = kept_first(g, blob);
	int64_t all = 0, done = 0;

	for (int i = 1; i < g->n; i++) {
		all += g->layers[i].macs;
		done += i < first ? 0 : g->layers[i].macs;
	}
	return all ? (double)done / (double)all : 1;
}

struct reference_kept *reference_keep(const struct graph *g, const double *x, size_t n,
				      const double *images, const int32_t *labels, uint64_t seed,
				      const uint64_t *use, const struct reference_memory *memory)
{
	struct reference_kept *kept = xcalloc(1, sizeof(*kept));

	kept->s = (struct state){ .g = g, .x = x, .seed = seed, .use = use, .memory = memory };
	kept->labels = labels;
	state_open(&kept->s, n, images);
	return kept;
}

void reference_kept_free(struct reference_kept *kept)
{
	state_close(&kept->s);
	free(kept);
}

/* Memory for `count` values. */
struct memory {
	double *v;
	size_t count;
};

/* A pass over the layers from `first` on. */
struct pass {
	struct state s;
	int first, nspare;
	struct memory *of, *spare;      /* [layers]: outputs of layers; unused memory */
};

static struct pass pass_new(const struct reference_kept *kept, int first, const double *x)
{
	const size_t n = (size_t)kept->s.g->n;
	struct pass p = { .s = kept->s, .first = first };

	p.s.x = x;
	p.s.sides = kept->s.y;
	p.s.y = xcalloc(n, sizeof(*p.s.y));
	p.s.dy = xcalloc(n, sizeof(*p.s.dy));
	p.s.mask = xcalloc(n, sizeof(*p.s.mask));
	p.of = xcalloc(n, sizeof(*p.of));
	p.spare = xcalloc(n, sizeof(*p.spare));
	memcpy(p.s.y, kept->s.y, (size_t)first * sizeof(*p.s.y));
	return p;
}

static void pass_free(struct pass *p)
{
	for (int i = 0; i < p->nspare; i++)
		free(p->spare[i].v);
	for (int i = p->first; i < p->s.g->n; i++) {
		free(p->of[i].v);
		free(p->s.mask[i]);
	}
	free(p->s.dy[p->s.g->n - 1].v);
	free(p->s.y);
	free(p->s.dy);
	free(p->s.mask);
	free(p->of);
	free(p->spare);
}

/* The smallest unused memory that holds `count` values, set to 0. */
static struct memory pass_take(struct pass *p, size_t count)
{
	struct memory *best = NULL, taken = { NULL, count };

	for (struct memory *m = p->spare; m < p->spare + p->nspare; m++)
		if (m->count >= count && (!best || m->count < best->count))
			best = m;
	if (!best) {
		taken.v = xcalloc(count, sizeof(*taken.v));
		return taken;
	}
	taken = *best;
	*best = p->spare[--p->nspare];
	memset(taken.v, 0, count * sizeof(*taken.v));
	return taken;
}

static bool pass_reads_later(const struct pass *p, int k, int i)
{
	const struct layer *l = p->s.g->layers;

	while (++i < p->s.g->n)
		if (l[i].in[0] == k || l[i].in[1] == k)
			return true;
	return false;
}

/* Runs layer i; releases the memory of inputs that it is the last to read. */
static void pass_run(struct pass *p, int i)
{
	const struct layer *l = &p->s.g->layers[i];
	const struct tensor *x = &p->s.y[0];

	p->s.y[i] = (struct tensor){ x->n, l->os.h, l->os.w, l->os.c, NULL };
	p->of[i] = pass_take(p, tensor_count(&p->s.y[i]));
	p->s.y[i].v = p->of[i].v;
	state_run(&p->s, i, false);
	for (int k = 0; k < 2; k++) {
		const int in = l->in[k];

		if (in < p->first || !p->of[in].v || pass_reads_later(p, in, i))
			continue;
		p->spare[p->nspare++] = p->of[in];
		p->of[in].v = NULL;
	}
}

double reference_loss_at(const struct reference_kept *kept, const struct blob *blob,
			 const double *y)
{
	const int n = kept->s.g->n;
	struct pass p = pass_new(kept, kept_first(kept->s.g, blob), y);
	double loss;

	for (int i = p.first; i < n; i++)
		pass_run(&p, i);
	p.s.dy[n - 1] = tensor_new((size_t)p.s.y[0].n, kept->s.g->layers[n - 1].os);
	loss = state_loss(&p.s, kept->labels);
	pass_free(&p);
	return loss;
}
