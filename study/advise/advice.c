/* From the draws to an answer: bands of times, the share of draws, the break-even's interval. */
#include "study/advise/advise.h"

#include "core/base/mem.h"
#include "core/math/median.h"

#include <math.h>
#include <stdlib.h>

static const double low = 0.05, high = 0.95;    /* quantiles of an interval of 90 % */

/*
 * Of x[n], ascending, linear between neighbours. Of counts, and next to an infinite one, it is one
 * of both, so that at least so many are inside: above the middle the higher, else the lower.
 */
static double advice_quantile(const double *x, size_t n, double q, bool whole)
{
	const double rank = q * (double)(n - 1), below = floor(rank), share = rank - below;
	const size_t i = (size_t)below;

	if (share <= 0.0 || i + 1 >= n)
		return x[i];
	if (whole || isinf(x[i]) || isinf(x[i + 1]))
		return q > 0.5 ? x[i + 1] : x[i];
	return x[i] + share * (x[i + 1] - x[i]);
}

static struct band advice_band(double *x, size_t n, bool whole)
{
	sort_doubles(x, n);
	return (struct band){ advice_quantile(x, n, 0.5, whole), advice_quantile(x, n, low, whole),
			      advice_quantile(x, n, high, whole) };
}

double advice_median(double *x, size_t n, bool whole)
{
	return advice_band(x, n, whole).median;
}

/* ---- the grid's points ---- */

static struct band advice_times(const struct advise *a, size_t i, int which)
{
	double *x = xcalloc(a->ndraws, sizeof(*x));
	struct band b;

	for (size_t d = 0; d < a->ndraws; d++)
		x[d] = advise_useful_s(a, d, &a->grid[d * a->nx + i], which);
	b = advice_band(x, a->ndraws, false);
	free(x);
	return b;
}

/* Draws in which both take equally long count half. */
static double advice_probability(const struct advise *a, size_t i)
{
	double faster = 0.0;

	for (size_t d = 0; d < a->ndraws; d++) {
		const double f = advise_log_ratio(a, d, &a->grid[d * a->nx + i]);

		faster += f < 0.0 ? 1.0 : f > 0.0 ? 0.0 : 0.5;
	}
	return faster / (double)a->ndraws;
}

/* Seconds that a run measures on average, of the algorithm whose runs are shorter. */
static double advice_measured_s(const struct advise *a, size_t i)
{
	double seconds = 0.0;

	for (size_t d = 0; d < a->ndraws; d++) {
		const struct times *t = &a->grid[d * a->nx + i];

		seconds += fmin(t->step_s[ADVISE_FIRST], t->step_s[ADVISE_SECOND]) * t->gradients;
	}
	return seconds / (double)a->ndraws;
}

static void advice_rows(struct advice *r, const struct advise *a)
{
	const struct band none = { (double)NAN, (double)NAN, (double)NAN };

	r->row = xcalloc(a->nx, sizeof(*r->row));
	r->lo = r->hi = (double)NAN;
	for (size_t i = 0; i < a->nx; i++) {
		const bool data = !a->no_data[i];

		r->row[i].x = a->x[i];
		for (int k = 0; k < ADVISE_ALGOS; k++)
			r->row[i].time[k] = data ? advice_times(a, i, k) : none;
		r->row[i].p = data ? advice_probability(a, i) : (double)NAN;
		r->row[i].measured_s = data ? advice_measured_s(a, i) : (double)NAN;
		for (int k = 0; k < RARES; k++)
			r->row[i].rare[k] = a->rare[i][k] > 0.0
						    ? a->rare[i][k] * r->row[i].measured_s
						    : (double)NAN;
		if (data) {
			r->lo = isnan(r->lo) ? a->x[i] : r->lo;
			r->hi = a->x[i];
		}
	}
}

/* ---- the break-even ---- */

static double advice_ratio_at(const struct advise *a, size_t draw, double x)
{
	size_t i = 0;

	while (a->x[i] < x)
		i++;
	return advise_log_ratio(a, draw, &a->grid[draw * a->nx + i]);
}

/* Above the crossing of most draws that have one, or below it, the second is faster. */
static int advice_direction(const struct advice *r, const struct advise *a)
{
	long above = 0;

	for (size_t d = 0; d < a->ndraws; d++) {
		const struct crossing *c = &r->crossing[d];

		if (c->cell != SIZE_MAX)
			above += advice_ratio_at(a, d, a->x[c->cell]) < 0.0 ? -1 : 1;
	}
	return above >= 0 ? 1 : -1;
}

void advice_set_outside(const struct advice *r, const struct advise *a, struct crossing *crossing)
{
	for (size_t d = 0; d < a->ndraws; d++) {
		struct crossing *c = &crossing[d];
		const bool second = advice_ratio_at(a, d, r->lo) < 0.0;

		if (c->cell == SIZE_MAX)
			c->x = c->lo = c->hi = second == (r->direction > 0) ? -HUGE_VAL : HUGE_VAL;
	}
}

static void advice_break_even(struct advice *r, const struct advise *a)
{
	double *x = xcalloc(3 * a->ndraws, sizeof(*x)), *lo = x + a->ndraws, *hi = lo + a->ndraws;
	const bool whole = a->vary.kind->whole;

	for (size_t d = 0; d < a->ndraws; d++) {
		x[d] = r->crossing[d].x;
		lo[d] = r->crossing[d].lo;
		hi[d] = r->crossing[d].hi;
	}
	r->even.median = advice_median(x, a->ndraws, whole);
	r->even.lo = advice_band(lo, a->ndraws, whole).lo;
	r->even.hi = advice_band(hi, a->ndraws, whole).hi;
	free(x);
}

void advice_build(struct advice *r, const struct advise *a, struct crossing *crossing)
{
	*r = (struct advice){ .crossing = crossing };
	advice_rows(r, a);
	for (size_t d = 0; d < a->ndraws; d++) {
		r->inside += crossing[d].cell != SIZE_MAX;
		r->several += crossing[d].several;
	}
	if (!r->inside)
		return;
	r->direction = advice_direction(r, a);
	advice_set_outside(r, a, r->crossing);
	advice_break_even(r, a);
	advice_sensitivity(r, a);
}

void advice_release(struct advice *r)
{
	free(r->row);
	free(r->crossing);
	free(r->effect);
	*r = (struct advice){ 0 };
}
