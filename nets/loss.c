/* What all backends share after the last layer, and what they drop. */
#include "core/math/rng.h"
#include "core/math/wide.h"
#include "nets/backend.h"

#include <math.h>

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

/* True when the label's logit is the largest, the first of equals. NaN is no hit. */
static bool loss_is_hit(int classes, const float *z, int32_t label)
{
	for (int k = 0; k < classes; k++)
		if (k != label && !(k < label ? z[label] > z[k] : z[label] >= z[k]))
			return false;
	return true;
}

void softmax_score(const struct graph *g, size_t rows, const float *logits, const int32_t *labels,
		   struct score *score)
{
	const int classes = g->classes;

	for (size_t r = 0; r < rows; r++) {
		const float *z = logits + r * (size_t)classes;

		if (labels[r] < 0)
			continue;
		score->n++;
		score->correct += loss_is_hit(classes, z, labels[r]);
		if (g->tokens)
			score->loss += softmax_loss(1, classes, z, labels + r, NULL);
	}
	if (!g->tokens)
		score->loss += (double)rows * softmax_loss(rows, classes, logits, labels, NULL);
}

void dropout_mask(size_t n, size_t count, double rate, uint64_t seed, int layer,
		  const uint64_t *use, float *mask)
{
	for (size_t i = 0; i < n; i++)
		dropout_units(0, count, rate, seed, (uint32_t)layer, use[i], mask + i * count);
}

enum { DRAWS = 256 };                   /* words that are drawn at once */

WIDE static void dropout_choose(size_t n, const uint32_t *words, uint32_t threshold, float kept,
				float *mask)
{
	for (size_t k = 0; k < n; k++)
		mask[k] = words[k] < threshold ? 0.0f : kept;
}

void dropout_units(size_t first, size_t count, double rate, uint64_t seed, uint32_t address,
		   uint64_t use, float *mask)
{
	const float kept = (float)(1.0 / (1.0 - rate));
	const uint32_t threshold = (uint32_t)(rate * 0x1p32);
	uint32_t words[DRAWS];
	struct rng r;

	rng_at(&r, seed, RNG_DROPOUT, address, use);
	rng_skip(&r, first);
	for (size_t k = 0, n; k < count; k += n) {
		n = count - k < DRAWS ? count - k : DRAWS;
		rng_words(&r, n, words);
		dropout_choose(n, words, threshold, kept, mask + k);
	}
}
