/* groupnorm.c - group normalisation (Wu, He 2018), sample by sample; formulas: nets/openblas/. */
#include "nets/onednn/onednn.h"

#include <math.h>

struct group {                  /* priv */
	size_t c, groups, width, rows;  /* channels, groups, channels of a group, pixels */
	double *sums;           /* [2][c] gradients of gamma and beta, owned */
};

enum { COEFFICIENTS = 4 };

/* A lane's temp: sums of channels, and coefficients of simd.normalise() and spread(). */
struct group_temp {
	double *sum, *dot;      /* [c] of a sample */
	double *gamma, *beta;   /* [c] of a chunk */
	float *coef;            /* [COEFFICIENTS][c] */
};

static int groupnorm_open(struct onednn *c, struct op *op)
{
	struct group *k = op->priv = xcalloc(1, sizeof(*k));
	const struct layer *l = op->layer;

	k->c = (size_t)l->os.c;
	k->groups = (size_t)l->groups;
	k->width = k->c / k->groups;
	k->rows = (size_t)l->os.h * (size_t)l->os.w;
	k->sums = xcalloc(2 * k->c, sizeof(*k->sums));
	onednn_space(op, SPACE_KEPT, 2 * k->groups * sizeof(float), 0);         /* mean, r */
	onednn_temp(c, k->c * (4 * sizeof(double) + COEFFICIENTS * sizeof(float)));
	return 0;
}

static void groupnorm_close(struct op *op)
{
	if (op->priv)
		free(((struct group *)op->priv)->sums);
}

static struct group_temp group_temp(const struct group *k, struct span s)
{
	double *sum = (double *)(void *)s.lane->temp;

	memset(sum, 0, 2 * k->c * sizeof(*sum));
	return (struct group_temp){ sum, sum + k->c, sum + 2 * k->c, sum + 3 * k->c,
				    (float *)(sum + 4 * k->c) };
}

/* Sum over the channels of group g. */
static double group_sum(const struct group *k, size_t g, const double *each)
{
	double sum = 0;

	for (size_t i = g * k->width; i < (g + 1) * k->width; i++)
		sum += each[i];
	return sum;
}

static void groupnorm_forward(struct onednn *c, struct op *op, struct span s)
{
	const struct layer *l = op->layer;
	const struct group *k = op->priv;
	const double m = (double)(k->rows * k->width);
	const char *x = value_act(c, op->in[0], s);
	char *y = value_act(c, op->out, s);
	float *kept = space_get(op, 0, s);

	for (size_t n = 0; n < s.n; n++, kept += 2 * k->groups) {
		const size_t at = n * k->rows * k->c * c->size;
		struct group_temp t = group_temp(k, s);

		/* means about 0, then squares about the means */
		memset(t.coef, 0, k->c * sizeof(*t.coef));
		c->simd->measure(k->rows, k->c, x + at, t.coef, t.sum, t.dot);
		for (size_t i = 0; i < k->c; i++)
			t.coef[i] = (float)(group_sum(k, i / k->width, t.sum) / m);
		t = group_temp(k, s);
		c->simd->measure(k->rows, k->c, x + at, t.coef, t.sum, t.dot);
		for (size_t g = 0; g < k->groups; g++) {
			kept[g] = t.coef[g * k->width];
			kept[k->groups + g] = (float)(1 / sqrt(group_sum(k, g, t.dot) / m
							       + l->eps));
		}
		for (size_t i = 0; i < k->c; i++) {
			t.coef[k->c + i] = kept[k->groups + i / k->width]
				* c->x[l->weight + i];
			t.coef[2 * k->c + i] = l->bias ? c->x[l->beta + i] : 0;
		}
		c->simd->normalise(k->rows, k->c, x + at, t.coef, NULL, false, y + at);
	}
}

/* t->coef <- coefficients of the gradient of a sample's input, from the sums, which it weights. */
static void group_coefficients(const struct onednn *c, const struct op *op, const float *kept,
			       struct group_temp *t)
{
	const struct group *k = op->priv;
	const float *gamma = c->x + op->layer->weight;
	const double m = (double)(k->rows * k->width);

	for (size_t i = 0; i < k->c; i++) {
		t->sum[i] *= (double)gamma[i];
		t->dot[i] *= (double)gamma[i];
	}
	for (size_t g = 0; g < k->groups; g++) {
		const double r = (double)kept[k->groups + g];
		const double all = group_sum(k, g, t->sum) / m, dot = group_sum(k, g, t->dot) / m;

		for (size_t i = g * k->width; i < (g + 1) * k->width; i++) {
			t->coef[k->c + i] = (float)(r * (double)gamma[i]);
			t->coef[2 * k->c + i] = (float)(-r * r * r * dot);
			t->coef[3 * k->c + i] = (float)(-r * all);
		}
	}
}

static void groupnorm_backward(struct onednn *c, struct op *op, struct span s)
{
	const bool wanted = c->values[op->in[0]].wanted;
	const char *x = value_act(c, op->in[0], s);
	char *dy = value_grad(c, op->out, s), *dx = wanted ? value_grad(c, op->in[0], s) : NULL;
	const float *kept = space_get(op, 0, s);
	struct group *k = op->priv;
	struct group_temp t = group_temp(k, s);

	memset(t.gamma, 0, 2 * k->c * sizeof(*t.gamma));
	for (size_t n = 0; n < s.n; n++, kept += 2 * k->groups) {
		const size_t at = n * k->rows * k->c * c->size;

		t = group_temp(k, s);
		for (size_t i = 0; i < k->c; i++)
			t.coef[i] = kept[i / k->width];
		c->simd->gather(k->rows, k->c, x + at, t.coef, NULL, NULL, 1, dy + at, t.sum,
				t.dot);
		for (size_t i = 0; i < k->c; i++) {
			t.gamma[i] += t.dot[i] * (double)kept[k->groups + i / k->width];
			t.beta[i] += t.sum[i];
		}
		if (!wanted)
			continue;
		group_coefficients(c, op, kept, &t);
		c->simd->spread(k->rows, k->c, x + at, t.coef, dy + at, op->add[0], dx + at);
	}
	turn_wait(&op->turn[1], s.k);
	for (size_t i = 0; i < 2 * k->c; i++)
		k->sums[i] = (s.k ? k->sums[i] : 0) + t.gamma[i];
	turn_pass(&op->turn[1]);
}

static void groupnorm_store(struct onednn *c, struct op *op, struct lane *w)
{
	const struct layer *l = op->layer;
	const struct group *k = op->priv;

	(void)w;
	for (size_t i = 0; i < k->c; i++) {
		c->g[l->weight + i] = (float)k->sums[i];
		if (l->bias)
			c->g[l->beta + i] = (float)k->sums[k->c + i];
	}
}

const struct op_type op_groupnorm = {
	.reads_in = true, .open = groupnorm_open, .forward = groupnorm_forward,
	.backward = groupnorm_backward, .store = groupnorm_store, .close = groupnorm_close,
};
