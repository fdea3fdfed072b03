/* groupnorm.c - group normalisation (Wu, He 2018), sample by sample. */
#include "nets/openblas/openblas.h"

#include <math.h>
#include <string.h>

/*
 * With u = (x - mean) r, r = 1 / sqrt(var + eps) of a sample's group of m numbers, y = gamma u +
 * beta. With g = dy gamma: dx = r (g - mean of g - u mean of g u); dgamma += dy u, dbeta += dy.
 *
 * Kept for backward: mean and r of each group.
 */

enum { COEFFICIENTS = 4 };

static size_t groupnorm_save(const struct layer *l, size_t n)
{
	return 2 * n * (size_t)l->groups;
}

static size_t groupnorm_cols(const struct ob *c, const struct layer *l)
{
	(void)c;
	return COEFFICIENTS * (size_t)l->os.c;
}

/* Sum of a value of each channel over the channels of group g. */
static double group_sum(const struct layer *l, size_t g, const double *each)
{
	const size_t width = (size_t)(l->os.c / l->groups);
	double sum = 0;

	for (size_t k = g * width; k < (g + 1) * width; k++)
		sum += each[k];
	return sum;
}

static void groupnorm_forward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	const size_t ch = (size_t)l->os.c, groups = (size_t)l->groups, width = ch / groups;
	const size_t rows = ob_pixels(l), count = rows * ch;
	const double m = (double)(rows * width);
	struct ob_lane *lane = ob_lane(c, p);
	float *mean = lane->cols, *a = mean + ch, *b = a + ch;
	float *kept = (float *)c->save[i] + 2 * p->first * groups;
	const float *x = ob_y(c, l->in[0], p);
	float *y = ob_y(c, i, p);

	for (size_t n = 0; n < p->n; n++, x += count, y += count, kept += 2 * groups) {
		ob_sum(rows, ch, x, lane->sums);
		for (size_t g = 0; g < groups; g++) {
			const float of = (float)(group_sum(l, g, lane->sums) / m);

			for (size_t k = g * width; k < (g + 1) * width; k++)
				mean[k] = of;
		}
		ob_square(rows, ch, x, mean, lane->sums);
		for (size_t g = 0; g < groups; g++) {
			kept[g] = mean[g * width];
			kept[groups + g] =
				(float)(1 / sqrt(group_sum(l, g, lane->sums) / m + l->eps));
		}
		for (size_t k = 0; k < ch; k++) {
			a[k] = kept[groups + k / width] * c->x[l->weight + k];
			b[k] = l->bias ? c->x[l->beta + k] : 0;
		}
		ob_scale(rows, ch, x, mean, a, b, y);
	}
}

/* Gradient of one sample's input, from sums of dy [c] and dy (x - mean) [c], which it weights. */
static void groupnorm_sample_back(struct ob *c, int i, float *mean, const float *kept,
				  double *sums, const float *x, const float *dy, bool add,
				  float *dx)
{
	const struct layer *l = &c->g->layers[i];
	const size_t ch = (size_t)l->os.c, groups = (size_t)l->groups, width = ch / groups;
	const double m = (double)(ob_pixels(l) * width);
	float *a = mean + ch, *b = a + ch, *shift = b + ch;

	for (size_t k = 0; k < ch; k++) {
		sums[k] *= (double)c->x[l->weight + k];
		sums[ch + k] *= (double)c->x[l->weight + k];
	}
	for (size_t g = 0; g < groups; g++) {
		const double r = (double)kept[groups + g];
		const double all = group_sum(l, g, sums) / m, dot = group_sum(l, g, sums + ch) / m;

		for (size_t k = g * width; k < (g + 1) * width; k++) {
			a[k] = (float)(r * (double)c->x[l->weight + k]);
			b[k] = (float)(-r * r * r * dot);
			shift[k] = (float)(-r * all);
		}
	}
	ob_spread(ob_pixels(l), ch, x, mean, dy, a, b, shift, add, dx);
}

/* Partitions add to the gradients of scales and shifts in their order. */
static void groupnorm_backward(struct ob *c, int i, const struct ob_part *p)
{
	const struct layer *l = &c->g->layers[i];
	const size_t ch = (size_t)l->os.c, groups = (size_t)l->groups;
	const size_t rows = ob_pixels(l), count = rows * ch;
	struct ob_lane *lane = ob_lane(c, p);
	double *all = c->sums + (size_t)p->k * 2 * ch;          /* of gamma, of beta */
	const float *x = ob_y(c, l->in[0], p), *dy = ob_dy(c, i, p);
	const float *kept = (float *)c->save[i] + 2 * p->first * groups;
	float *mean = lane->cols;
	bool add;
	float *dx = ob_dx(c, i, 0, p, &add);

	memset(all, 0, 2 * ch * sizeof(*all));
	for (size_t n = 0; n < p->n; n++, kept += 2 * groups) {
		for (size_t k = 0; k < ch; k++)
			mean[k] = kept[k * groups / ch];
		ob_dot(rows, ch, x + n * count, mean, dy + n * count, lane->sums,
		       lane->sums + ch);
		for (size_t k = 0; k < ch; k++) {
			all[k] += lane->sums[ch + k] * (double)kept[groups + k * groups / ch];
			all[ch + k] += lane->sums[k];
		}
		if (dx)
			groupnorm_sample_back(c, i, mean, kept, lane->sums, x + n * count,
					      dy + n * count, add, dx + n * count);
	}
	ob_wait(c, i, p);
	for (size_t k = 0; k < ch; k++) {
		float *gamma = c->grad + l->weight + k, *beta = c->grad + l->beta + k;

		*gamma = (p->k ? *gamma : 0) + (float)all[k];
		if (l->bias)
			*beta = (p->k ? *beta : 0) + (float)all[ch + k];
	}
	ob_pass(c, i);
}

const struct ob_op ob_groupnorm = {
	.save = groupnorm_save, .cols = groupnorm_cols, .forward = groupnorm_forward,
	.backward = groupnorm_backward,
};
