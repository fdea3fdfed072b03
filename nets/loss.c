/* loss.c - the losses of a net's outputs, their gradients, and the count of correct answers. */
#include "nets/backend.h"

#include <math.h>

/* ---- softmax with cross-entropy ---- */

/* -log softmax(z)[label]; d[classes] <- (softmax(z) - onehot(label)) * scale */
static double sample_loss(int classes, const float *z, int32_t label, double scale, float *d)
{
	double max = (double)z[0], sum = 0.0;

	for (int k = 1; k < classes; k++)
		max = (double)z[k] > max ? (double)z[k] : max;
	for (int k = 0; k < classes; k++)
		sum += exp((double)z[k] - max);
	for (int k = 0; d && k < classes; k++) {
		double p = exp((double)z[k] - max) / sum;

		d[k] = (float)(scale * (k == label ? p - 1.0 : p));
	}
	return log(sum) + max - (double)z[label];
}

double softmax_loss(size_t n, int classes, const float *logits, const int32_t *labels,
		    float *dlogits)
{
	double loss = 0.0;

	for (size_t i = 0; i < n; i++) {
		size_t at = i * (size_t)classes;

		loss += sample_loss(classes, logits + at, labels[i], 1.0 / (double)n,
				    dlogits ? dlogits + at : NULL);
	}
	return loss / (double)n;
}

/* True when the label's logit is the largest, or the first of several. False for NaN. */
static bool loss_is_hit(int classes, const float *z, int32_t label)
{
	for (int k = 0; k < classes; k++)
		if (k != label && !(k < label ? z[label] > z[k] : z[label] >= z[k]))
			return false;
	return true;
}

/* ---- losses of targets that are numbers ---- */

/* (z - t)^2; *d <- its slope. */
static double square_loss(double z, double t, double *d)
{
	*d = 2 * (z - t);
	return (z - t) * (z - t);
}

/* -t log s(z) - (1 - t) log(1 - s(z)), s(z) = 1 / (1 + exp(-z)), also for large |z|. */
static double binary_loss(double z, double t, double *d)
{
	const double e = exp(-fabs(z));

	*d = (z >= 0 ? 1 / (1 + e) : e / (1 + e)) - t;
	return fmax(z, 0) - z * t + log1p(e);
}

double loss_of(const struct graph *g, size_t n, const float *z, const int32_t *labels, float *d)
{
	const size_t all = n * (size_t)g->classes;
	double loss = 0.0, slope;

	if (g->loss == LOSS_CROSS_ENTROPY)
		return softmax_loss(n, g->classes, z, labels, d);
	for (size_t i = 0; i < all; i++) {
		const double t = (double)target_value(labels[i]);

		loss += g->loss == LOSS_MSE ? square_loss((double)z[i], t, &slope)
					    : binary_loss((double)z[i], t, &slope);
		if (d)
			d[i] = (float)(slope / (double)all);
	}
	return loss / (double)all;
}

/* ---- scores ---- */

/* Notes that sample i is correct. */
static void score_mark(struct score *score, size_t i)
{
	score->correct++;
	if (i < SCORE_MARKED)
		score->right[i / 64] |= UINT64_C(1) << (i % 64);
}

static void score_classes(const struct graph *g, size_t rows, const float *logits,
			  const int32_t *labels, struct score *score)
{
	const int classes = g->classes;

	for (size_t r = 0; r < rows; r++) {
		const float *z = logits + r * (size_t)classes;

		if (labels[r] < 0)
			continue;
		if (loss_is_hit(classes, z, labels[r]))
			score_mark(score, (size_t)score->n);
		score->n++;
		if (g->tokens)
			score->loss += softmax_loss(1, classes, z, labels + r, NULL);
	}
	if (!g->tokens)
		score->loss += (double)rows * softmax_loss(rows, classes, logits, labels, NULL);
}

/* Counts a sample as correct if each output is on the side of 0 that its target is of a half. */
static void score_binary(const struct graph *g, size_t n, const float *z, const int32_t *labels,
			 struct score *score)
{
	const size_t outputs = (size_t)g->classes;

	for (size_t i = 0; i < n; i++) {
		size_t right = 0;

		for (size_t k = i * outputs; k < (i + 1) * outputs; k++)
			right += (z[k] > 0) == (target_value(labels[k]) > 0.5F);
		if (right == outputs)
			score_mark(score, (size_t)score->n - n + i);
	}
}

void loss_score(const struct graph *g, size_t rows, const float *z, const int32_t *labels,
		struct score *score)
{
	if (g->loss == LOSS_CROSS_ENTROPY) {
		score_classes(g, rows, z, labels, score);
		return;
	}
	score->n += (int64_t)rows;
	score->loss += (double)rows * loss_of(g, rows, z, labels, NULL);
	if (g->loss == LOSS_BCE)
		score_binary(g, rows, z, labels, score);
	else
		score->correct = -1;
}
