/* Levels of planned looks: the p below which 5 % of comparisons without a difference fall; and the
 * error and power of plans with the levels of core/math/look_plan.c. */
#include "core/base/mem.h"
#include "core/math/look_plan.h"
#include "core/math/rng.h"
#include "core/math/statistics.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static int compare_doubles(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double welch_p(const double *x, const double *y, size_t n)
{
	const struct spread a = spread_of(x, n), b = spread_of(y, n);
	const struct welch w = welch_of(&a, &b);

	return 2 * student_cdf(-fabs(b.mean - a.mean) / w.error, w.df);
}

struct levels {		      /* of one ratio of deviations */
	double each, first;   /* of all looks; the error of the first one alone at 0.05 */
};

static struct levels levels_of(const struct look_plan *plan, double ratio, int comparisons)
{
	const size_t n = (size_t)comparisons;
	double *least = xcalloc(n, sizeof(*least));
	struct levels found = { 0 };
	struct rng r;

	for (size_t i = 0; i < n; i++) {
		double x[LOOK_LAST], y[LOOK_LAST];

		rng_at(&r, 1, RNG_NOISE, (uint32_t)plan->n, i << 8 | (uint64_t)(2 * ratio));
		for (int k = 0; k < plan->seeds[plan->n - 1]; k++) {
			x[k] = rng_normal(&r);
			y[k] = ratio * rng_normal(&r);
		}
		least[i] = welch_p(x, y, (size_t)plan->seeds[0]);
		found.first += least[i] < 0.05;
		for (int k = 1; k < plan->n; k++)
			least[i] = fmin(least[i], welch_p(x, y, (size_t)plan->seeds[k]));
	}
	qsort(least, n, sizeof(*least), compare_doubles);
	found.each = least[n / 20];
	found.first /= (double)n;
	free(least);
	return found;
}

struct course {                    /* of comparisons by a plan */
	double decided, seeds;     /* the share that is decided; mean seeds of a sample */
};

/* The difference is in deviations: the root of the mean of both variances. */
static struct course course_of(const struct look_plan *plan, double ratio, double difference,
			       int comparisons)
{
	const double shift = difference * sqrt((1 + ratio * ratio) / 2);
	struct course c = { 0 };
	struct rng r;

	for (int i = 0; i < comparisons; i++) {
		double x[LOOK_LAST], y[LOOK_LAST];
		int k = 0;

		rng_at(&r, 2, RNG_NOISE, (uint32_t)plan->seeds[0],
		       (uint64_t)i << 8 | (uint64_t)(2 * ratio));
		for (int j = 0; j < plan->seeds[plan->n - 1]; j++) {
			x[j] = rng_normal(&r);
			y[j] = shift + ratio * rng_normal(&r);
		}
		while (k < plan->n && welch_p(x, y, (size_t)plan->seeds[k]) >= plan->level[k])
			k++;
		c.decided += k < plan->n;
		c.seeds += plan->seeds[k < plan->n ? k : plan->n - 1];
	}
	return (struct course){ c.decided / comparisons, c.seeds / comparisons };
}

static void courses_print(const double *ratios, size_t n, int comparisons)
{
	static const struct {
		int first, most;
		bool kept;	/* a verdict of the first look at 0.05 */
	} plans[] = { { 3, 12, false }, { 3, 24, false }, { 3, 64, false },
		      { 10, 24, false }, { 10, 64, false },
		      { 3, 12, true }, { 10, 24, true } };

	printf("\nfirst  last  0.05 kept  deviations  decided without a difference  "
	       "decided at 2 deviations  seeds\n");
	for (size_t p = 0; p < sizeof(plans) / sizeof(plans[0]); p++)
		for (size_t i = 0; i < n; i++) {
			struct look_plan plan = look_plan_from(plans[p].first, plans[p].most);
			struct course none, two;

			if (plans[p].kept)
				plan.level[0] = 0.05;
			none = course_of(&plan, ratios[i], 0, comparisons);
			two = course_of(&plan, ratios[i], 2, comparisons);
			printf("%5d  %4d  %9s  %10g  %28.5f  %23.4f  %5.2f\n", plans[p].first,
			       plans[p].most, plans[p].kept ? "yes" : "no", ratios[i],
			       none.decided, two.decided, two.seeds);
			fflush(stdout);
		}
}

int main(int argc, char **argv)
{
	static const double ratios[] = { 1, 1.5, 2, 3, 5, 7, 10, 30 };
	const int comparisons = argc > 1 ? atoi(argv[1]) : 1000000;

	if (comparisons < 1000) {
		fprintf(stderr,
			"usage: looks [COMPARISONS]: at least 1000 for each ratio of deviations\n");
		return 1;
	}
	printf("looks  seeds  deviations  level of each  error of the first alone at 0.05\n");
	for (int most = LOOK_FIRST; most <= LOOK_LAST; most++) {
		const struct look_plan plan = look_plan(most);

		if (plan.seeds[plan.n - 1] != most)
			continue;
		for (size_t i = 0; i < sizeof(ratios) / sizeof(ratios[0]); i++) {
			const struct levels v = levels_of(&plan, ratios[i], comparisons);

			printf("%5d  %5d  %10g  %13.5f  %8.5f\n", plan.n, most, ratios[i], v.each,
			       v.first);
			fflush(stdout);
		}
	}
	courses_print(ratios, sizeof(ratios) / sizeof(ratios[0]), comparisons);
	return 0;
}
