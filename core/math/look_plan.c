/* Levels of planned looks, found by bench/looks.sh, and the probability that more seeds decide. */
#include "core/math/look_plan.h"

#include "core/math/statistics.h"

#include <math.h>

const int look_seeds[LOOKS] = { 3, 4, 6, 8, 12, 16, 24, 32, 48, 64 };

struct look_plan look_plan_from(int first, int most)
{
	static const double level[LOOKS] = {    /* of each look, by their number */
		0.0405, 0.0235, 0.0165, 0.0134, 0.0109, 0.0094, 0.0082, 0.0073, 0.0066, 0.0062
	};
	struct look_plan p = { .n = 1, .seeds = { first } };

	for (int i = 0; i < LOOKS; i++)
		if (look_seeds[i] > first && look_seeds[i] <= most)
			p.seeds[p.n++] = look_seeds[i];
	for (int i = 0; i < p.n; i++)
		p.level[i] = level[p.n - 1];
	return p;
}

struct look_plan look_plan(int most)
{
	return look_plan_from(LOOK_FIRST, most);
}

double contrast_half_width(const struct contrast *c, int n, double level)
{
	const double sum = c->a + c->b;
	const double df = (n - 1) * sum * sum / (c->a * c->a + c->b * c->b);
	const double seeds = sum > 0 ? student_quantile(1 - level / 2, df) * sqrt(sum / n) : 0;
	const double fixed = c->fixed > 0 ? normal_quantile(1 - level / 2) * c->fixed : 0;

	return sqrt(seeds * seeds + fixed * fixed);
}

/*
 * Probability that the difference after `seeds` seeds is more than half an interval beyond a point
 * that is `distance` ahead of the present one. The present seeds are fixed, the others are random,
 * and so is the true difference, which is known to the error of the present seeds.
 */
static double chance_beyond(const struct contrast *c, int seeds, double level, double distance)
{
	const double half = contrast_half_width(c, seeds, level);
	const double open = sqrt((c->a + c->b) * (1.0 / c->seeds - 1.0 / seeds));

	if (!(open > 0))
		return distance + half < 0;
	return 0.5 * erfc((distance + half) / open / sqrt(2.0));
}

double contrast_power(const struct contrast *c, int seeds, double level)
{
	return chance_beyond(c, seeds, level, -c->distance);
}

double contrast_reversal(const struct contrast *c, int seeds, double level)
{
	return chance_beyond(c, seeds, level, c->distance);
}

int contrast_seeds(const struct contrast *c, double level, int most)
{
	int low = 2, high = most;

	if (!(c->distance > contrast_half_width(c, most, level)))
		return most;
	while (low < high) {
		const int middle = low + (high - low) / 2;

		if (c->distance > contrast_half_width(c, middle, level))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}
