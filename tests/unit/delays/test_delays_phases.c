/* Slow phases, machines that differ, bursts: their moments, memory and presets. */
#include "delays/delay.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>

enum { SEED = 5, WORKERS = 40000 };

static struct delays *parse(const char *text, int workers)
{
	struct delays *d = delays_new(delay_table, text, workers, NULL);

	assert_non_null(d);
	return d;
}

static const struct delay *only_model(const struct delays *d, const void **conf)
{
	*conf = d->clause[0].model[0].conf;
	return (const struct delay *)d->clause[0].model[0].plugin;
}

/* Of the factors of many workers, gradient 0 at a time. */
static struct delay_moments over_workers(struct delays *d, double time)
{
	double sum = 0, square = 0;

	for (int i = 0; i < WORKERS; i++) {
		const double f = delays_factor(d, SEED, i, 0, time);

		sum += f;
		square += f * f;
	}
	sum /= WORKERS;
	return (struct delay_moments){ sum, sqrt(square / WORKERS - sum * sum) };
}

/* What a text's formulas say, and many workers at the beginning and later. */
static void has_moments(const char *text, double mean, double deviation, double tolerance)
{
	struct delays *d = parse(text, WORKERS);
	const void *conf;
	const struct delay *model = only_model(d, &conf);
	const struct delay_moments formula = model->moments(conf);
	const double times[] = { 0.0, 3.0, 200.0 };

	assert_near(formula.mean, mean, 1e-12);
	assert_near(formula.deviation, deviation, 1e-12);
	for (int k = 0; k < 3; k++) {
		const struct delay_moments got = over_workers(d, times[k]);

		assert_near(got.mean, mean, 4.0 * deviation / sqrt(WORKERS));
		assert_near(got.deviation, deviation, tolerance);
	}
	delays_free(d);
}

/*
 * Slow with probability 1/4, then 1 + d with E d = 0.8: mean 1.2, variance 0.25 0.64 (1 + V^2) -
 * 0.04. Bad with probability 0.2: 1 + 0.2, (1 + 0.09)(1 + 0.2 3) - 1.44. Bursts with probability
 * 1/4 of factor 3: 1.5, (1 + 0.01 + 0.04)(1 + 2) - 2.25.
 */
static void moments_by_hand(void **state)
{
	has_moments("phases:fast_s=9,slow_s=3,slow_cv=1,depth=0.8,depth_cv=0", 1.2,
		    sqrt(0.16 - 0.04), 0.01);
	has_moments("phases:fast_s=9,slow_s=3,slow_cv=0,depth=0.8,depth_cv=0.5", 1.2,
		    sqrt(0.16 * 1.25 - 0.04), 0.01);
	has_moments("phases:fast_s=9,slow_s=3,depth=0.8,normalise=true", 1.0,
		    sqrt(0.16 - 0.04) / 1.2, 0.01);
	has_moments("markov:factor=4,fast_s=9,slow_s=1,normalise=true", 1.0,
		    sqrt(0.9 + 0.1 * 16 - 1.3 * 1.3) / 1.3, 0.02);
	has_moments("static:cv=0.3,bad=0.2,bad_factor=2", 1.2, sqrt(1.09 * 1.6 - 1.44), 0.02);
	has_moments("bursts:mean_cv=0.1,cv=0.2,var_cv=0,factor=3,calm_s=9,burst_s=3", 1.5,
		    sqrt(1.05 * 3.0 - 2.25), 0.02);
}

/* Fast with probability 3/4; the median depth of a cv of 1 is 0.8 / sqrt(2). */
static void quantiles_by_hand(void **state)
{
	struct delays *d = parse("phases:fast_s=9,slow_s=3,depth=0.8,depth_cv=1", 1);
	const void *conf;
	const struct delay *model = only_model(d, &conf);

	assert_near(model->quantile(conf, 0.5), 1.0, 0.0);
	assert_near(model->quantile(conf, 0.75), 1.0, 0.0);
	assert_near(model->quantile(conf, 0.875), 1.0 + 0.8 / sqrt(2.0), 1e-9);
	delays_free(d);
}

struct seen {                   /* whole slow phases of a worker */
	double n, length, length2, depth, depth2, same;
	double fast, nfast;
};

static void note_phase(struct seen *s, double length, double factor)
{
	s->n++;
	s->length += length;
	s->length2 += length * length;
	s->depth += factor - 1.0;
	s->depth2 += (factor - 1.0) * (factor - 1.0);
}

/* Steps through time; a depth that changes within a phase would end it. */
static struct seen watch_phases(struct delays *d, double end, double dt)
{
	struct seen s = { 0 };
	double last = 0.0, since = -1.0;

	for (int64_t i = 0; (double)i * dt < end; i++) {
		const double now = delays_factor(d, SEED, 0, i, (double)i * dt);
		const double length = (double)i * dt - since;

		if (i && now != last) {
			s.same += now > 1.0 && last > 1.0;
			if (since >= 0.0 && last > 1.0)
				note_phase(&s, length, last);
			else if (since >= 0.0) {
				s.fast += length;
				s.nfast++;
			}
			since = (double)i * dt;
		}
		last = now;
	}
	return s;
}

/* Durations of mean 2 and cv 0.5, depths of mean 0.3 and cv 0.4, fast times of mean 3. */
static void phases_have_durations_and_depths(void **state)
{
	struct delays *d = parse("phases:fast_s=3,slow_s=2,slow_cv=0.5,depth=0.3,depth_cv=0.4", 1);
	const struct seen s = watch_phases(d, 6000.0, 0.004);
	const double mean = s.length / s.n, depth = s.depth / s.n;

	assert_near(s.n, 1200.0, 100.0);
	/* but for fast times that fall between two looks: 1200 0.004 / 3 */
	assert_true(s.same < 12.0);
	assert_near(mean, 2.0, 4.0 * 1.0 / sqrt(s.n) + 0.004);
	assert_near(sqrt(s.length2 / s.n - mean * mean) / mean, 0.5, 0.08);
	assert_near(depth, 0.3, 4.0 * 0.12 / sqrt(s.n));
	assert_near(sqrt(s.depth2 / s.n - depth * depth) / depth, 0.4, 0.06);
	assert_near(s.fast / s.nfast, 3.0, 4.0 * 3.0 / sqrt(s.nfast) + 0.004);
	delays_free(d);
}

/* All slow times are 4 s: what is left of the first one is uniform. */
static void the_first_phase_is_under_way(void **state)
{
	struct delays *d = parse("phases:fast_s=4,slow_s=4,slow_cv=0,depth=1", WORKERS);
	double slow = 0, left = 0;

	for (int i = 0; i < WORKERS; i++) {
		if (delays_factor(d, SEED, i, 0, 0.0) < 1.5)
			continue;
		slow++;
		left += delays_factor(d, SEED, i, 1, 1.0) > 1.5 ? 1.0 : 0.0;
	}
	/* ended within 1 s: 1/4; fast then, and slow again by 1 s: 1/4 - (1 - e^(-1/4)) of all */
	assert_near(slow / WORKERS, 0.5, 4.0 * sqrt(0.25 / WORKERS));
	assert_near(left / slow, exp(-0.25), 4.0 * sqrt(0.1725 / slow));
	delays_free(d);
}

/* A machine keeps its factor; a share of them is bad. */
static void machines_stay_as_they_are(void **state)
{
	struct delays *d = parse("static:cv=0,bad=0.1,bad_factor=1.5", WORKERS);
	double bad = 0;

	for (int i = 0; i < WORKERS; i++) {
		const double f = delays_factor(d, SEED, i, 0, 0.0);

		assert_true(f == 1.0 || f == 1.5);
		assert_near(delays_factor(d, SEED, i, 7, 1e6), f, 0.0);
		assert_near(delays_mean(d, SEED, i), f, 0.0);
		bad += f == 1.5;
	}
	assert_near(bad / WORKERS, 0.1, 4.0 * sqrt(0.09 / WORKERS));
	delays_free(d);
}

/* Models without noise: a worker alone, as the text has it, takes the times that it has of many. */
static void worker_alone_is_the_same(const char *text, int rank)
{
	struct delays *many = parse(text, 8), *one;
	char *alone = delays_format_worker(many, SEED, rank);

	one = parse(alone, 1);
	assert_near(delays_factor(one, SEED, 0, 0, 0.0), delays_factor(many, SEED, rank, 0, 0.0),
		    1e-12);
	assert_near(delays_mean(one, SEED, 0), delays_mean(many, SEED, rank), 1e-12);
	assert_true(delays_differ(many));
	free(alone);
	delays_free(one);
	delays_free(many);
}

static void workers_alone_are_the_same(void **state)
{
	for (int rank = 0; rank < 8; rank++) {
		worker_alone_is_the_same("static:cv=0.3,bad=0.5,bad_factor=3", rank);
		worker_alone_is_the_same("cvb:v_mach=0.6,v_task=0", rank);
		worker_alone_is_the_same("bursts:mean_cv=0.4,cv=0,factor=1", rank);
		worker_alone_is_the_same("constant * static:cv=0.3; 0-4: * static:cv=0.2", rank);
	}
}

/* Each worker has a mean and a deviation of its own: their logarithms are normal. */
static void bursts_differ_by_worker(void **state)
{
	enum { SOME = 400, TIMES = 500 };
	struct delays *d = parse("bursts:mean_cv=0.2,cv=0.1,var_cv=1,correlation=1,factor=1", SOME);
	double a = 0, aa = 0, b = 0, bb = 0, ab = 0;

	for (int w = 0; w < SOME; w++) {
		double sum = 0, square = 0, m, v;

		for (int i = 0; i < TIMES; i++) {
			const double f = delays_factor(d, SEED, w, i, i);

			sum += f / TIMES;
			square += f * f / TIMES;
		}
		m = log(sum);
		v = log(square - sum * sum);
		a += m / SOME;
		b += v / SOME;
		aa += m * m / SOME;
		bb += v * v / SOME;
		ab += m * v / SOME;
	}
	/* sigma^2 = ln(1 + cv^2); of TIMES draws a variance is known to a relative 2/TIMES */
	assert_near(sqrt(aa - a * a), sqrt(log(1.04)), 0.03);
	assert_near(sqrt(bb - b * b), sqrt(log(2.0) + 2.0 / TIMES), 0.12);
	assert_near((ab - a * b) / sqrt((aa - a * a) * (bb - b * b)), 1.0, 0.05);
	assert_near(b, log(0.01) - 0.5 * log(2.0), 0.2);
	delays_free(d);
}

/* A preset is its models, in a product and in a clause; it has no settings. */
static void presets_stand_for_models(void **state)
{
	struct delays *d = parse("quiet; 2: bad-node * rack", 4);
	char *text = delays_format(d);

	assert_string_equal(text, "gamma:cv=0.01; 2: gamma:cv=0.01 * static:cv=0,bad=0.005,"
				  "bad_factor=1.1,size=1 * rack:size=4,every_s=10,cv=0.3");
	free(text);
	delays_free(d);
	capture_start();
	assert_null(delays_new(delay_table, "quiet:cv=1", 4, NULL));
	assert_said("quiet");
	capture_stop();
}

/* Workers of a node share what a preset draws for a machine, and have noise of their own. */
static void presets_share_nodes(void **state)
{
	struct delays *d = delays_new_on_nodes(delay_table, "bad-node * static:cv=0.3", 8, 4, NULL);
	char *text = delays_format(d);
	struct delays *nodes = parse("static:cv=0.5,size=4 * phases:fast_s=10,slow_s=10,size=4", 8);

	assert_string_equal(text, "gamma:cv=0.01 * static:cv=0,bad=0.005,bad_factor=1.1,size=4 * "
				  "static:cv=0.3,bad=0,bad_factor=1.1,size=1");
	for (int k = 0; k < 100; k++) {
		const double first = delays_factor(nodes, 1, 0, k, k);

		assert_near(delays_factor(nodes, 1, 3, k, k), first, 0.0);
		assert_true(fabs(delays_factor(nodes, 1, 4, k, k) - first) > 0.0);
	}
	free(text);
	delays_free(nodes);
	delays_free(d);
}

/* shared: 42 of 107 groups of four have a slow worker at any moment. */
static void shared_is_what_was_measured(void **state)
{
	struct delays *d = parse("shared", 1);
	const struct choice *phases = &d->clause[0].model[2];
	const struct delay_moments m =
		((const struct delay *)phases->plugin)->moments(phases->conf);
	const double share = (m.mean - 1.0) / 0.155;

	assert_string_equal(phases->plugin->name, "phases");
	assert_near(1.0 - pow(1.0 - share, 4.0), 42.0 / 107.0, 1e-4);
	delays_free(d);
}

RUN_ALL(moments_by_hand, quantiles_by_hand, phases_have_durations_and_depths,
	the_first_phase_is_under_way, machines_stay_as_they_are, workers_alone_are_the_same,
	bursts_differ_by_worker, presets_stand_for_models, presets_share_nodes,
	shared_is_what_was_measured)
