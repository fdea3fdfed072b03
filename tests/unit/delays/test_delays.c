/* Delay models: moments and quantiles against closed forms. */
#include "core/base/mem.h"
#include "delays/delay.h"
#include "record/trace/steplog.h"
#include "tests/support/check.h"
#include "tests/support/files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS = 200000, SEED = 11 };

static struct delays *parse(const char *text, int workers)
{
	struct delays *d = delays_new(delay_table, text, workers, samples_read);

	assert_non_null(d);
	return d;
}

static const struct delay *only_model(const struct delays *d, const void **conf)
{
	assert_int_equal(d->n, 1);
	assert_int_equal(d->clause[0].nmodels, 1);
	*conf = d->clause[0].model[0].conf;
	return (const struct delay *)d->clause[0].model[0].plugin;
}

struct law {
	const char *text;
	double deviation;
	double tolerance;       /* of the deviation of so many draws */
	double p5, p50, p95;
};

#define Z95 1.6448536269514722

/* Each quantile by the textbook's formula, or from the distribution function by bisection. */
static const struct law laws[] = {
	{ "uniform:spread=0.6", 0.6 / 1.7320508075688772, 0.002, 0.46, 1.0, 1.54 },
	{ "normal:cv=0.5", 0.458103272494009, 0.005, 0.260851532323989, 0.986993813945298,
	  1.778853258090178 },
	{ "normal:cv=0.3,from=0.7,to=1.6", 0.202343966739006, 0.002, 0.698919276962270,
	  0.983588620541953, 1.363449402447889 },
	{ "exponential", 1.0, 0.01, 0.051293294387550, 0.693147180559945, 2.995732273553989 },
	{ "exponential:least=0.25", 0.75, 0.008, 0.25 + 0.75 * 0.051293294387550,
	  0.25 + 0.75 * 0.693147180559945, 0.25 + 0.75 * 2.995732273553989 },
	{ "gamma:cv=0.1", 0.1, 0.001, 0.841392772183141, 0.996666864919315, 1.169971344461626 },
	{ "gamma:cv=2", 2.0, 0.04, 1.68743016810521e-05, 0.174695209411493, 4.840464549779017 },
	{ "weibull:shape=1", 1.0, 0.01, 0.051293294387550, 0.693147180559945, 2.995732273553989 },
	/* Rayleigh: x = 2/sqrt(pi) sqrt(-ln(1 - p)), deviation sqrt(4/pi - 1) */
	{ "weibull:shape=2", 0.522723200877063, 0.004, 0.255555572809,
	  0.939437278700, 1.953019404954 },
	{ "pareto:alpha=5", 0.258198889747161, 0.006, 0.808249167454, 0.918958683998,
	  1.456451362421 },
	{ "measured:factors=3/1", 0.5, 0.002, 0.5, 1.5, 1.5 },
};

static void draws_follow(const struct law *law)
{
	struct delays *d = parse(law->text, 1);
	const double q[] = { law->p5, law->p50, law->p95 }, p[] = { 0.05, 0.5, 0.95 };
	double s1 = 0, s2 = 0, below[3] = { 0 };

	for (int64_t i = 0; i < DRAWS; i++) {
		const double x = delays_factor(d, SEED, 0, i, 0.0);

		assert_true(x > 0.0);
		s1 += x;
		s2 += x * x;
		for (int k = 0; k < 3; k++)
			below[k] += x < q[k];
	}
	s1 /= DRAWS;
	assert_near(s1, 1.0, 4.0 * law->deviation / sqrt(DRAWS));
	assert_near(sqrt(s2 / DRAWS - s1 * s1), law->deviation, law->tolerance);
	for (int k = 0; k < 3 && strncmp(law->text, "measured", 8) != 0; k++)
		assert_near(below[k] / DRAWS, p[k], 4.0 * sqrt(p[k] * (1.0 - p[k]) / DRAWS));
	delays_free(d);
}

static void formulas_follow(const struct law *law)
{
	struct delays *d = parse(law->text, 1);
	const void *conf;
	const struct delay *model = only_model(d, &conf);
	const struct delay_moments m = model->moments(conf);

	assert_near(m.mean, 1.0, 1e-12);
	assert_near(m.deviation, law->deviation, 1e-8);
	if (model->quantile) {
		assert_near(model->quantile(conf, 0.05), law->p5, 1e-8);
		assert_near(model->quantile(conf, 0.50), law->p50, 1e-8);
		assert_near(model->quantile(conf, 0.95), law->p95, 1e-8);
	}
	delays_free(d);
}

static void models_have_their_laws(void **state)
{
	for (size_t i = 0; i < sizeof(laws) / sizeof(laws[0]); i++) {
		formulas_follow(&laws[i]);
		draws_follow(&laws[i]);
	}
}

/* ln X = -s^2/2 + s Z, s^2 = ln(1 + cv^2). */
static void lognormal_has_its_law(void **state)
{
	const double s2 = log(1.25), s = sqrt(s2);

	for (int way = 0; way < 2; way++)
		(way ? draws_follow : formulas_follow)(&(struct law){
			"lognormal:cv=0.5", 0.5, 0.006, exp(-s2 / 2 - s * Z95), exp(-s2 / 2),
			exp(-s2 / 2 + s * Z95) });
}

/* The check values of Barkai et al.'s clusters: 0.94 % and 27.8 % above 1.25 times the mean. */
static void cvb_has_its_stragglers(void **state)
{
	struct delays *equal = parse("gamma:cv=0.1", 1), *mixed = parse("cvb", DRAWS);
	double above[2] = { 0 }, s1 = 0, s2 = 0;

	for (int i = 0; i < DRAWS; i++) {
		const double x = delays_factor(mixed, SEED, i, 3, 0.0);

		above[0] += delays_factor(equal, SEED, 0, i, 0.0) > 1.25;
		above[1] += x > 1.25;
		s1 += x / DRAWS;
		s2 += x * x / DRAWS;
	}
	assert_near(above[0] / DRAWS, 0.009379, 4.0 * sqrt(0.0094 / DRAWS));
	assert_near(above[1] / DRAWS, 0.278760, 4.0 * sqrt(0.2788 * 0.7212 / DRAWS));
	assert_near(s1, 1.0, 4.0 * 0.6113 / sqrt(DRAWS));
	assert_near(sqrt(s2 - s1 * s1), sqrt(1.36 * 1.01 - 1.0), 0.006);
	delays_free(equal);
	delays_free(mixed);
}

/* One worker's times: around a mean of its own, with deviation v_task of that. */
static void cvb_draws_a_machine_once(void **state)
{
	struct delays *d = parse("cvb:v_mach=0.6,v_task=0.1", 4);
	double least = HUGE_VAL, most = 0.0;

	for (int rank = 0; rank < 4; rank++) {
		double s1 = 0, s2 = 0;

		for (int i = 0; i < 20000; i++) {
			const double x = delays_factor(d, SEED, rank, i, 0.0);

			s1 += x / 20000;
			s2 += x * x / 20000;
		}
		least = fmin(least, s1);
		most = fmax(most, s1);
		assert_near(sqrt(s2 - s1 * s1) / s1, 0.1, 0.002);
	}
	assert_true(most - least > 0.05);
	delays_free(d);
}

/* Factors of a product are independent: E x^2 would be E of the fourth power else. */
static void products_do_not_share_draws(void **state)
{
	struct delays *d = parse("gamma:cv=0.5 * gamma:cv=0.5", 1);
	double s1 = 0, s2 = 0;

	for (int i = 0; i < DRAWS; i++) {
		const double x = delays_factor(d, SEED, 0, i, 0.0);

		s1 += x / DRAWS;
		s2 += x * x / DRAWS;
	}
	assert_near(s1, 1.0, 4.0 * 0.75 / sqrt(DRAWS));
	assert_near(s2, 1.25 * 1.25, 0.02);
	delays_free(d);
}

/* Numbers 2 4 6 as text: factors 1/2, 1, 3/2, each as often; pairs for a profile. */
static void files_are_read(void **state)
{
	static const char numbers[] = "# seconds\n6, 2\n4 # the last\n", pairs[] = "1 5\n3 1\n";
	char *folder = folder_new(), *text;
	struct delays *d;
	double count[4] = { 0 };

	folder_write(folder, "n.txt", PACK_PLAIN, numbers, sizeof(numbers) - 1);
	folder_write(folder, "p.txt", PACK_PLAIN, pairs, sizeof(pairs) - 1);
	text = xasprintf("empirical:file=%s/n.txt", folder);
	d = parse(text, 1);
	for (int i = 0; i < 30000; i++)
		count[(int)lround(delays_factor(d, SEED, 0, i, 0.0) * 2.0)]++;
	for (int k = 1; k < 4; k++)
		assert_near(count[k] / 30000, 1.0 / 3.0, 0.012);
	delays_free(d);
	free(text);
	text = xasprintf("profile:file=%s/p.txt", folder);
	d = parse(text, 1);
	assert_near(delays_factor(d, SEED, 0, 0, 0.5), 1.0, 0.0);
	assert_near(delays_factor(d, SEED, 0, 0, 2.0), 5.0, 0.0);
	assert_near(delays_factor(d, SEED, 0, 0, 3.5), 1.0, 0.0);
	delays_free(d);
	free(text);
	folder_remove(folder);
}

RUN_ALL(models_have_their_laws, lognormal_has_its_law, cvb_has_its_stragglers,
	cvb_draws_a_machine_once, products_do_not_share_draws, files_are_read)
