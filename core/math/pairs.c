/* The sampling variance that test images give to a difference of accuracies. */
#include "core/math/pairs.h"

#include "core/base/mem.h"

#include <math.h>
#include <stdlib.h>

/* Answer s of the group to an image, less that of the group `less`, which may be NULL. */
static int answer_at(const struct answers *of, const struct answers *less, int s, int64_t i)
{
	return correct_at(of->model[s], i) - (less ? correct_at(less->model[s], i) : 0);
}

/*
 * Mean square of the residuals y_si - mean over s - mean over i + mean over both of a table of k
 * models and n images; 0 if k or n is 1.
 */
static double residual_square(const struct answers *of, const struct answers *less)
{
	const int64_t n = of->model[0]->n;
	const double k = of->k;
	double squares = 0, images = 0, models = 0, all = 0;
	double *sum = xcalloc((size_t)of->k, sizeof(*sum));

	for (int64_t i = 0; i < n; i++) {
		int right = 0;

		for (int s = 0; s < of->k; s++) {
			const int y = answer_at(of, less, s, i);

			squares += y * y;
			right += y;
			sum[s] += y;
		}
		images += (double)right * right;
		all += right;
	}
	for (int s = 0; s < of->k; s++)
		models += sum[s] * sum[s];
	free(sum);
	if (of->k < 2 || n < 2)
		return 0;
	return fmax(squares - images / k - models / (double)n + all * all / (k * (double)n), 0) /
	       ((k - 1) * (double)(n - 1));
}

/* Mean answer to an image. */
static double answer_mean(const struct answers *of, int64_t i)
{
	int right = 0;

	for (int s = 0; s < of->k; s++)
		right += correct_at(of->model[s], i);
	return (double)right / of->k;
}

double pairs_variance(const struct answers *a, const struct answers *b, bool paired)
{
	const int64_t n = a->model[0]->n;
	double mean = 0, square = 0, residual;

	for (int64_t i = 0; i < n; i++)
		mean += (answer_mean(a, i) - answer_mean(b, i)) / (double)n;
	for (int64_t i = 0; i < n; i++) {
		const double d = answer_mean(a, i) - answer_mean(b, i) - mean;

		square += d * d;
	}
	residual = paired ? residual_square(a, b) / a->k :
			    residual_square(a, NULL) / a->k + residual_square(b, NULL) / b->k;
	return n < 2 ? 0 : fmax(square / (double)(n - 1) - residual, 0) / (double)n;
}
