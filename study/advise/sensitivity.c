/*
 * sensitivity.c - how much each uncertain value adds to the spread of the answer.
 *
 * At the grid's point next to the break-even the draws' log ratios f are fitted by least squares:
 *
 *     f = c + sum of b_j z_j + rest
 *
 * where z_j is the deviation of value j in a draw. The z_j are independent with variance 1, so
 * b_j^2 is value j's part of the variance of f.
 */
#include "study/advise/advise.h"

#include "core/base/mem.h"

#include <math.h>
#include <stdlib.h>

struct fit {
	size_t m;               /* unknowns: the constant, and a coefficient for each value */
	double *normal;         /* [m][m + 1] equations with their right side; owned */
	double *b;              /* [m]; owned */
};

static double fit_regressor(const struct advise *a, size_t draw, size_t j)
{
	return j ? a->draw[draw].z[j - 1] : 1.0;
}

static void fit_fill(struct fit *f, const struct advise *a, size_t at)
{
	for (size_t d = 0; d < a->ndraws; d++) {
		const double y = advise_log_ratio(a, d, &a->grid[d * a->nx + at]);

		for (size_t i = 0; i < f->m; i++) {
			double *row = f->normal + i * (f->m + 1);

			for (size_t j = 0; j < f->m; j++)
				row[j] += fit_regressor(a, d, i) * fit_regressor(a, d, j);
			row[f->m] += fit_regressor(a, d, i) * y;
		}
	}
}

/* Gauss and Jordan, for equations that are symmetric and positive definite. */
static void fit_solve(struct fit *f)
{
	const size_t width = f->m + 1;

	for (size_t k = 0; k < f->m; k++)
		for (size_t i = 0; i < f->m; i++) {
			const double factor = f->normal[i * width + k] / f->normal[k * width + k];

			for (size_t j = k; j < width && i != k; j++)
				f->normal[i * width + j] -= factor * f->normal[k * width + j];
		}
	for (size_t k = 0; k < f->m; k++)
		f->b[k] = f->normal[k * width + f->m] / f->normal[k * width + k];
}

/* Sample variance of the log ratios, and of what the fit leaves. */
static double fit_variance(const struct fit *f, const struct advise *a, size_t at, bool rest)
{
	const double n = (double)a->ndraws;
	double sum = 0.0, squares = 0.0;

	for (size_t d = 0; d < a->ndraws; d++) {
		double y = advise_log_ratio(a, d, &a->grid[d * a->nx + at]);

		for (size_t j = 0; j < f->m && rest; j++)
			y -= f->b[j] * fit_regressor(a, d, j);
		sum += y;
		squares += y * y;
	}
	return fmax(0.0, squares - sum * sum / n) / (n - (rest ? (double)f->m : 1.0));
}

/* ---- along the scale ---- */

static size_t sensitivity_nearest(const struct advice *r, const struct advise *a)
{
	const double u = vary_u(&a->vary, fmin(fmax(r->even.median, r->lo), r->hi));
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < a->nx; i++)
		if (!a->no_data[i] && (best == SIZE_MAX || fabs(vary_u(&a->vary, a->x[i]) - u) <
						   fabs(vary_u(&a->vary, a->x[best]) - u)))
			best = i;
	return best;
}

static int sensitivity_by_share(const void *a, const void *b)
{
	const struct effect *x = a, *y = b;

	return (x->share < y->share) - (x->share > y->share);
}

static void sensitivity_effects(struct advice *r, const struct advise *a, const struct fit *f,
				size_t at)
{
	const double rest = fit_variance(f, a, at, true);
	double all = rest;

	r->neffects = a->uncertain.n;
	r->effect = xcalloc(r->neffects, sizeof(*r->effect));
	for (size_t j = 0; j < r->neffects; j++) {
		const double part = f->b[j + 1] * f->b[j + 1];

		r->effect[j] = (struct effect){ .uncertain = j, .share = part };
		all += part;
	}
	for (size_t j = 0; j < r->neffects; j++)
		r->effect[j].share = all > 0.0 ? r->effect[j].share / all : 0.0;
	r->rest = all > 0.0 ? rest / all : 0.0;
	qsort(r->effect, r->neffects, sizeof(*r->effect), sensitivity_by_share);
}

void advice_sensitivity(struct advice *r, const struct advise *a)
{
	struct fit f = { .m = a->uncertain.n + 1 };
	const size_t at = sensitivity_nearest(r, a);

	if (!a->uncertain.n || a->ndraws < 2 * f.m + 2 || isinf(r->even.median))
		return;
	f.normal = xcalloc(f.m * (f.m + 1), sizeof(*f.normal));
	f.b = xcalloc(f.m, sizeof(*f.b));
	fit_fill(&f, a, at);
	fit_solve(&f);
	r->at = a->x[at];
	sensitivity_effects(r, a, &f, at);
	free(f.normal);
	free(f.b);
}
