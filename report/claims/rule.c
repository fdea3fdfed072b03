/* Verdicts with intervals over runs, which are jq's values: filters may have changed them. */
#include "report/claims/rule.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/math/pairs.h"
#include "core/math/statistics.h"
#include "core/samples/correct.h"
#include "core/text/word.h"
#include "record/measure.h"
#include "report/claims/contrast.h"
#include "report/claims/jq_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DECISIVE_SEEDS = 3 };    /* at least, of what differs from seed to seed */

#define NORMAL_975 1.959963984540054    /* the quantile at 97.5 % */

const struct look_levels rule_levels = { RULE_LEVEL, RULE_LEVEL };

static struct {
	struct look_levels level;
	bool paired;
} way = { { RULE_LEVEL, RULE_LEVEL }, false };

void rule_set_way(struct look_levels level, bool paired)
{
	way.level = level;
	way.paired = paired;
}

struct sample {                 /* runs of one setting, or a published number */
	char *name;             /* owned */
	struct texts runs;      /* the hashes of those that have one; owned */
	double *x, *seed;       /* [n] value and seed of each run; owned */
	bool number;
	int n, reached, diverged;       /* runs; those with a finite value; those that diverged */
	double mean, variance;
	double test_n;          /* samples that accuracies are of; NaN: not known */
	double step;            /* the longest time between the evaluation that met a target and
				 * the one before */
	bool sampled;           /* the measure differs from seed to seed */
	struct correct *correct;        /* [n] test samples that each run gets right; owned */
	int ncorrect;           /* runs of which that is known */
	double shift;           /* accuracy less the share of correct samples, of all these runs */
	bool same_images;       /* a published number, of the images that the runs are tested on */
	double error;           /* standard error of a published number; 0: not known */
};

/* ---- a side ---- */

static bool seeds_differ(jv runs)
{
	const int n = jv_array_length(jv_copy(runs));
	jv seeds = jv_array();
	bool differ = true;

	for (int i = 0; i < n; i++) {
		jv run = jv_array_get(jv_copy(runs), i);

		seeds = jv_array_append(seeds, run_seed(run));
		jv_free(run);
	}
	seeds = jv_sort(seeds, jv_copy(seeds));
	for (int i = 1; i < n && differ; i++)
		differ = !jv_equal(jv_array_get(jv_copy(seeds), i - 1),
				   jv_array_get(jv_copy(seeds), i));
	jv_free(seeds);
	return differ;
}

static bool run_is_sampled(jv run, const char *measure)
{
	scoped char *engine = run_setting(run, "engine", "sim");

	return strcmp(engine, "sim") != 0 || measure_varies(measure);
}

/* Whether it has the training of another run in the same order, and takes nearly no real time. */
static bool run_was_not_trained(jv run)
{
	scoped char *by = text_taken(run_member(run, "trained_by"), "");

	return *by;
}

/* Mean and variance of the n values; infinite where one is. */
static void sample_average(struct sample *s, const double *x)
{
	double sum = 0;
	bool high = false, low = false;

	for (int i = 0; i < s->n; i++) {
		high = high || x[i] > MEAN_MOST;
		low = low || x[i] < -MEAN_MOST;
		s->reached += fabs(x[i]) < MEAN_MOST;
		sum += x[i];
	}
	s->mean = high ? HUGE_VAL : low ? -HUGE_VAL : sum / s->n;
	sum = 0;
	for (int i = 0; i < s->n; i++)
		sum += (x[i] - s->mean) * (x[i] - s->mean);
	s->variance = sum / (s->n - 1);
}

/* A run that a filter has made itself has no hash. */
static void side_add_hash(struct sample *s, jv run)
{
	jv hash = run_member(run, "hash");

	if (jv_get_kind(hash) == JV_KIND_STRING)
		texts_put(&s->runs, jv_string_value(hash));
	jv_free(hash);
}

/*
 * A run of which it is known adds which test samples it gets right, unless a filter has changed its
 * accuracy by another amount than those of the runs before: a margin leaves variances as they are.
 * Null, or an invalid value with a message.
 */
static jv side_add_correct(struct sample *s, const char *rule, jv run, double accuracy)
{
	jv member = run_member(run, "test_correct");
	const bool there = jv_get_kind(member) == JV_KIND_STRING;
	scoped char *text = text_taken(member, "");
	struct correct c = { 0 };
	jv wrong = jv_null();
	double shift;

	if (there && correct_of_text(&c, text) < 0)
		wrong = rule_error("%s: test_correct of a run is damaged: it must be the number of "
				   "test samples, the data set's digest, and a bit for each "
				   "sample%s", rule, "");
	shift = c.n ? accuracy - (double)correct_count(&c) / (double)c.n : 0;
	s->shift = s->ncorrect ? s->shift : shift;
	if (c.n && fabs(shift - s->shift) < 1e-9)
		s->correct[s->ncorrect++] = c;
	else
		correct_release(&c);
	return wrong;
}

/* *s <- a number, or an object with one that was published; false: it is neither. */
static bool side_read_number(struct sample *s, jv value)
{
	const bool plain = jv_get_kind(value) == JV_KIND_NUMBER;
	jv number = plain ? jv_copy(value) : run_member(value, "published");
	jv same = run_member(value, "same_images");
	const double error = number_taken(run_member(value, "error"));

	s->number = jv_get_kind(number) == JV_KIND_NUMBER;
	if (s->number) {
		s->mean = jv_number_value(number);
		s->name = value_word(number);
		s->same_images = jv_get_kind(same) == JV_KIND_TRUE;
		s->error = error > 0 ? error : 0;
	}
	jv_free(number);
	jv_free(same);
	return s->number;
}

/*
 * *s <- the runs of a side of the rule, at least one, or a number. Null, or an invalid value with a
 * message. Takes the list over.
 */
static jv side_read(struct sample *s, const char *rule, const char *measure, jv runs)
{
	jv first = jv_array_get(jv_copy(runs), 0), wrong = jv_null();
	double *x, step;

	s->n = jv_array_length(jv_copy(runs));
	if (s->n == 1 && side_read_number(s, first)) {
		s->n = 0;
		jv_free(first);
		jv_free(runs);
		return wrong;
	}
	s->x = x = xcalloc((size_t)s->n + 1, sizeof(*x));
	s->seed = xcalloc((size_t)s->n + 1, sizeof(*x));
	s->correct = xcalloc((size_t)s->n + 1, sizeof(*s->correct));
	s->name = run_point_text(first);
	s->test_n = (double)NAN;
	jv_free(first);
	if (!seeds_differ(runs))
		wrong = rule_error("%s: the runs of a side differ in more than their seeds; select "
				   "one value of each setting%s", rule, "");
	for (int i = 0; i < s->n && jv_is_valid(wrong); i++) {
		jv run = jv_array_get(jv_copy(runs), i), value = run_value(run, measure, &step);
		const bool ended = run_has_diverged(run);       /* and need not have the value */

		if (measure_is_real(measure) && run_was_not_trained(run))
			wrong = rule_error("%s: a run took its training from another, so it has no "
					   "%s of its own; 'convoy run --again' trains it", rule,
					   measure);
		s->seed[i] = number_taken(run_seed(run));
		s->test_n = isnan(s->test_n) ? run_test_samples(run) : s->test_n;
		side_add_hash(s, run);
		s->diverged += ended;
		s->sampled = s->sampled || run_is_sampled(run, measure);
		s->step = step > s->step ? step : s->step;
		if (jv_get_kind(value) == JV_KIND_INVALID)
			wrong = jv_copy(value);
		else if (jv_get_kind(value) == JV_KIND_NULL && !ended)
			wrong = rule_error("%s: a run has no %s", rule, measure);
		x[i] = number_taken(value);
		if (jv_get_kind(wrong) == JV_KIND_NULL && isnan(x[i]) && !ended)
			wrong = rule_error("%s: %s of a run is no number", rule, measure);
		if (jv_get_kind(wrong) == JV_KIND_NULL && !strcmp(measure, "test_accuracy"))
			wrong = side_add_correct(s, rule, run, x[i]);
		jv_free(run);
	}
	if (jv_get_kind(wrong) == JV_KIND_NULL)
		sample_average(s, x);
	jv_free(runs);
	return wrong;
}

static void sample_release(struct sample *s)
{
	for (int i = 0; i < s->ncorrect; i++)
		correct_release(&s->correct[i]);
	free(s->correct);
	texts_release(&s->runs);
	free_all(s->name, s->x, s->seed);
}

/* The lists of a list as one. Takes the list over. */
static jv list_flat(jv list)
{
	jv flat = jv_array();

	for (int i = 0; i < jv_array_length(jv_copy(list)); i++) {
		jv item = jv_array_get(jv_copy(list), i);

		flat = jv_get_kind(item) == JV_KIND_ARRAY ? jv_array_concat(flat, item) :
							    jv_array_append(flat, item);
	}
	jv_free(list);
	return flat;
}

/* ---- two sides ---- */

static bool sample_is_infinite(const struct sample *s)
{
	return fabs(s->mean) > MEAN_MOST;
}

/* Student's quantile for both sides of the interval. */
static double student_of_level(double level, double df)
{
	return level < RULE_LEVEL ? student_quantile(1 - level / 2, df) : student_975(df);
}

/* The run of the second side that has the seed of run i of the first one; -1: there is none. */
static int sides_partner(const struct sample *side, int i)
{
	for (int k = 0; k < side[1].n; k++)
		if (side[1].seed[k] == side[0].seed[i])
			return k;
	return -1;
}

/* Whether some run is on both sides; a filter may compare two values of one run. */
static bool sides_share(const struct sample *side)
{
	bool share = false;

	for (int i = 0; i < side[0].n && !strcmp(side[0].name, side[1].name); i++) {
		const int k = sides_partner(side, i);

		if (k >= 0 && fabs(side[0].x[i] - side[1].x[k]) > 0)
			return false;
		share = share || k >= 0;
	}
	return share;
}

/* Whether the values are the same with every seed, as of runs in the same order of events. */
static bool sides_equal(const struct sample *side)
{
	bool equal = !side[0].number && !side[1].number && side[0].n == side[1].n;

	for (int i = 0; i < side[0].n && equal; i++) {
		const int k = sides_partner(side, i);

		equal = k >= 0 && fabs(side[0].x[i] - side[1].x[k]) <= 0;
	}
	return equal;
}

/*
 * Variance of the differences of the runs of each seed; NaN: the sides do not have the same seeds.
 */
static double paired_variance(const struct sample *side)
{
	const int n = side[0].n;
	const double mean = side[0].mean - side[1].mean;
	double sum = 0;

	if (n != side[1].n)
		return (double)NAN;
	for (int i = 0; i < n; i++) {
		const int k = sides_partner(side, i);

		if (k < 0)
			return (double)NAN;
		sum += pow(side[0].x[i] - side[1].x[k] - mean, 2);
	}
	return sum / (n - 1);
}

/*
 * How chance in the choice of test images counts: from which images are answered correctly, in
 * pairs; by the binomial distribution of each mean; or not, for a published number is of the same
 * images.
 */
static const char *const IN_PAIRS = "pairs", *const BINOMIAL = "binomial", *const SAME = "same";

struct test_error {
	bool unknown;           /* the number of images */
	double variance;        /* of the difference, by the images */
	double freedom;         /* its degrees of freedom; infinite: many */
	const char *how;        /* one of these; NULL: the measure is no accuracy */
};

/* Whether all runs of both sides say which images they get right, and of the same images. */
static bool sides_are_pairs(const struct sample *side)
{
	for (int i = 0; i < 2; i++) {
		if (side[i].number || side[i].ncorrect != side[i].n)
			return false;
		for (int k = 0; k < side[i].n; k++)
			if (!correct_same_samples(&side[i].correct[k], &side[0].correct[0]))
				return false;
	}
	return true;
}

/* With `paired`, runs of the same seed are paired too. */
static double sides_pairs_variance(const struct sample *side, bool paired)
{
	const struct correct **model[2];
	double variance;

	for (int i = 0; i < 2; i++) {
		model[i] = xcalloc((size_t)side[i].n, sizeof(*model[i]));
		for (int k = 0; k < side[i].n; k++)
			model[i][k] = &side[i].correct[i && paired ? sides_partner(side, k) : k];
	}
	variance = pairs_variance(&(struct answers){ model[0], side[0].n },
				  &(struct answers){ model[1], side[1].n }, paired);
	free_all(model[0], model[1]);
	return variance;
}

static struct test_error sides_test_error(const struct sample *side, const char *measure,
					  bool paired)
{
	struct test_error e = { .freedom = HUGE_VAL };

	for (int i = 0; i < 2; i++)
		e.variance += side[i].error * side[i].error;
	if (strcmp(measure, "test_accuracy") != 0)
		return e;
	e.how = sides_are_pairs(side) ? IN_PAIRS :
		side[0].same_images || side[1].same_images ? SAME : BINOMIAL;
	if (e.how == IN_PAIRS) {
		e.variance = sides_pairs_variance(side, paired);
		e.freedom = (double)side[0].correct[0].n - 1;
	}
	for (int i = 0; i < 2 && e.how == BINOMIAL; i++)
		if (!side[i].number) {
			e.unknown = e.unknown || isnan(side[i].test_n);
			e.variance += side[i].mean * (1 - side[i].mean) / side[i].test_n;
		}
	return e;
}

/* Error of the difference by the seeds' spread. */
static struct welch sides_seeds_error(const struct sample *side, int n)
{
	double sum = 0, freedom = 0;

	for (int i = 0; i < 2 && n >= 2; i++)
		if (!side[i].number) {
			const double v = side[i].variance / side[i].n;

			sum += v;
			freedom += v * v / (side[i].n - 1);
		}
	return sum > 0 ? (struct welch){ .error = sqrt(sum), .df = sum * sum / freedom } :
			 (struct welch){ 0 };
}

/* "1 of 3 and 2 of 3 diverged", or the words where none did; the caller frees. */
static char *why_infinite(const struct sample *side, const char *words)
{
	char *text = NULL;

	for (int i = 0; i < 2; i++)
		if (side[i].diverged)
			xappendf(&text, " and ", "%d of %d", side[i].diverged, side[i].n);
	if (!text)
		return xstrdup(words);
	xappend(&text, " ", "diverged");
	return text;
}

/* True of real times of a gradient and the like, which do not depend on how many there were. */
static bool is_of_a_gradient(const char *measure)
{
	return measure_is_real(measure) && strcmp(measure, "wall_s") != 0;
}

/* Seeds of the side with fewer; 0: both are numbers. */
static int sides_seeds(const struct sample *side)
{
	return side[0].number ? side[1].n :
	       side[1].number || side[0].n < side[1].n ? side[0].n : side[1].n;
}

/* Whether more seeds are needed to decide. */
static bool sides_are_few(const struct sample *side)
{
	return (side[0].sampled || side[1].sampled) && sides_seeds(side) < DECISIVE_SEEDS;
}

/* The difference and its interval, and why there is none. */
static struct claim_contrast samples_compare(const char *measure, const struct sample *side,
					 double level)
{
	const int n = sides_seeds(side);
	const bool same = is_equal_rounded(side[0].mean, side[1].mean);
	const double d = same ? 0 : side[0].mean - side[1].mean;
	const bool paired = way.paired && n >= 2 && !side[0].number && !side[1].number;
	const double variance = paired ? paired_variance(side) : 0;
	const struct test_error e = sides_test_error(side, measure, paired && !isnan(variance));
	const bool cut = !measure_tells_divergence(measure) && !is_of_a_gradient(measure) &&
			 (side[0].diverged || side[1].diverged);
	struct claim_contrast c = { .difference = d, .low = (double)NAN, .high = (double)NAN,
				.paired = (double)NAN,
				.test_error = e.unknown      ? (double)NAN :
					      e.variance > 0 ? sqrt(e.variance) : 0 };

	if (cut) {
		scoped char *which = why_infinite(side, "");

		c.difference = (double)NAN;
		c.why = xasprintf("%s and ended early: their %s is not comparable", which, measure);
	} else if (sample_is_infinite(&side[0]) && sample_is_infinite(&side[1])) {
		c.difference = (double)NAN;
		c.why = why_infinite(side, "neither gets there");
	} else if (fabs(d) > MEAN_MOST) {
		if (!(sample_is_infinite(&side[0]) && side[0].reached) &&
		    !(sample_is_infinite(&side[1]) && side[1].reached))
			c.low = c.high = d;
		c.why = why_infinite(side, "some runs of a side do not get there");
	} else if (e.unknown) {
		c.why = xstrdup("the size of the test set is not known");
	} else if (isnan(variance)) {
		c.why = xstrdup("paired, but the sides do not have the same seeds");
	} else if (!(n < 2 && (side[0].sampled || side[1].sampled))) {
		const double normal = level < RULE_LEVEL ? normal_quantile(1 - level / 2) :
							   NORMAL_975;
		const double test = e.how == IN_PAIRS ? 0 : normal * c.test_error;
		struct welch w = !paired      ? sides_seeds_error(side, n) :
				 variance > 0 ? (struct welch){ sqrt(variance / n), n - 1 } :
						(struct welch){ 0 };
		double half;

		if (e.how == IN_PAIRS)
			w = welch_add(w, e.variance, e.freedom);
		half = w.error > 0 ? student_of_level(level, w.df) * w.error : 0;
		half = sqrt(half * half + test * test);
		c.paired = paired ? sqrt(variance) : (double)NAN;
		c.low = d - half - side[0].step;
		c.high = d + half + side[1].step;
	}
	c.images = isnan(c.low) ? NULL : xstrdup(e.how);
	if (sides_are_few(side) && !e.unknown && !cut) {
		free(c.why);
		c.why = xasprintf("%d seed%s; at least %d decide", n, word_plural(n),
				  DECISIVE_SEEDS);
	}
	return c;
}

static bool rule_has_margin(const char *rule)
{
	return !strcmp(rule, "within") || !strcmp(rule, "no_worse");
}

/* Side of the interval: 1 where the rule holds, -1 where it fails, 0 between. */
static int interval_side(const char *rule, const char *measure, double margin, double low,
			 double high)
{
	const bool more = measure_is_better_high(measure);

	if (!strcmp(rule, "within"))
		return low >= -margin && high <= margin ? 1 :
		       low > margin || high < -margin ? -1 : 0;
	if (!strcmp(rule, "no_worse") && more)
		return low >= -margin ? 1 : high < -margin ? -1 : 0;
	if (!strcmp(rule, "no_worse"))
		return high <= margin ? 1 : low > margin ? -1 : 0;
	if (!strcmp(rule, "no_later"))
		return high <= 0 ? 1 : low > 0 ? -1 : 0;
	if (more)
		return low > 0 ? 1 : high < 0 ? -1 : 0;
	return high < 0 ? 1 : low > 0 ? -1 : 0;
}

/* 1 where the comparison, which is not open, holds, -1 where it fails, 0 where it is undecided. */
static int contrast_side(const struct claim_contrast *c, const char *rule, const char *measure,
			   double margin, const struct sample *side)
{
	const int shown = interval_side(rule, measure, margin, c->low, c->high);
	struct claim_contrast wide;
	int fails;

	if (shown >= 0 || !(way.level.fails < way.level.holds))
		return shown;
	wide = samples_compare(measure, side, way.level.fails);
	fails = interval_side(rule, measure, margin, wide.low, wide.high);
	contrast_release(&wide);
	return fails;
}

/* Takes the names and hashes of the sides over. */
static jv comparison_verdict(const char *rule, const char *measure, double margin,
			     struct sample *side)
{
	static const char *const words[] = { "fails", "undecided", "holds" };
	scoped_by(contrast_release) struct claim_contrast c =
		samples_compare(measure, side, way.level.holds);
	const bool open = sides_are_few(side) || isnan(c.low);
	const int at = open ? 0 : contrast_side(&c, rule, measure, margin, side);
	const bool tie = !open && at == 0 &&    /* which no seed ends */
			 (!(c.low < c.high) || (!strcmp(rule, "beats") && sides_equal(side)));
	scoped_json cJSON *json = NULL;

	c.rule = xstrdup(rule);
	c.word = xstrdup(words[1 + at]);
	c.measure = xstrdup(measure);
	c.margin = rule_has_margin(rule) ? margin : (double)NAN;
	c.level = way.level;
	if (!open) {
		free(c.why);
		c.why = xstrdup(tie ? "equal" : "");
	}
	for (int i = 0; i < 2; i++) {
		const double x = side[i].variance;

		c.side[i] = (struct contrast_side){
			.name = side[i].name, .seeds = side[i].n, .runs = side[i].runs,
			.deviation = side[i].n >= 2 && isfinite(x) ? sqrt(x) : (double)NAN };
		side[i].name = NULL;
		side[i].runs = (struct texts){ 0 };
	}
	json = contrast_json(&c);
	return value_of_json(json);
}

/* ---- the rules ---- */

/* "time_to:test_accuracy>=" what all runs reach that did not diverge; NULL: some have none. */
static char *common_target(jv a, jv b)
{
	jv runs = jv_array_concat(jv_copy(a), jv_copy(b));
	double all = HUGE_VAL;
	char *number, *measure;

	for (int i = 0; i < jv_array_length(jv_copy(runs)); i++) {
		jv run = jv_array_get(jv_copy(runs), i), eval = run_member(run, "eval");
		double best = -HUGE_VAL, *x;
		int n;

		x = column_taken(run_member(eval, "test_accuracy"), &n);
		for (int k = 0; k < n; k++)
			best = x[k] > best ? x[k] : best;
		if (!run_has_diverged(run))
			all = best < all ? best : all;
		free(x);
		jv_free(eval);
		jv_free(run);
	}
	jv_free(runs);
	if (isinf(all))
		return NULL;
	number = text_taken(jv_dump_string(jv_number(all), 0), "");
	measure = xasprintf("time_to:test_accuracy>=%s", number);
	free(number);
	return measure;
}

static jv rule_compare(const char *rule, jv arguments)
{
	jv given = jv_array_get(jv_copy(arguments), 0), answer = jv_null();
	jv a = list_flat(jv_array_get(jv_copy(arguments), 1));
	jv b = list_flat(jv_array_get(jv_copy(arguments), 2));
	jv margin = jv_array_get(arguments, 3);
	const bool no_a = !jv_array_length(jv_copy(a)), no_b = !jv_array_length(jv_copy(b));
	char *measure = jv_get_kind(given) == JV_KIND_NULL ? common_target(a, b) :
							     text_taken(jv_copy(given), "");
	struct sample side[2] = { 0 };

	jv_free(given);
	if (rule_has_margin(rule) &&
	    !(jv_get_kind(margin) == JV_KIND_NUMBER && jv_number_value(margin) >= 0)) {
		scoped char *text = value_word(margin);

		answer = rule_error(!strcmp(rule, "within") ?
				"%s: %s is no distance; it takes a number from 0 on" :
				"%s: %s is no margin; it takes a number from 0 on", rule, text);
	} else if (no_a || no_b) {
		answer = rule_error("%s: %s no runs", rule, no_a && no_b ? "both sides have" :
				    no_a ? "the first side has" : "the second side has");
	} else if (!measure) {
		answer = JV_OBJECT(jv_string("rule"), jv_string(rule), jv_string("verdict"),
				   jv_string("not evaluated"), jv_string("why"),
				   jv_string("no run that did not diverge has an accuracy"));
	} else {
		answer = side_read(&side[0], rule, measure, jv_copy(a));
		if (jv_is_valid(answer))
			answer = side_read(&side[1], rule, measure, jv_copy(b));
		if (jv_get_kind(answer) == JV_KIND_NULL && sides_share(side))
			answer = rule_error("%s: both sides have the same runs%s", rule, "");
	}
	if (jv_get_kind(answer) == JV_KIND_NULL) {
		const double x = number_taken(jv_copy(margin));

		answer = comparison_verdict(rule, measure,
					    strcmp(measure, "test_accuracy") ? x : x / 100, side);
	}
	sample_release(&side[0]);
	sample_release(&side[1]);
	free(measure);
	jv_free(a);
	jv_free(b);
	jv_free(margin);
	return answer;
}

/* Several verdicts as one, which one that is not evaluated leaves open; true and false are such. */
static jv rule_several(const char *rule, jv list)
{
	const char *const other = !strcmp(rule, "all_of") ? "fails" : "holds";
	const char *const all = !strcmp(rule, "all_of") ? "holds" : "fails";
	jv verdicts = jv_array(), open = jv_invalid(), answer;
	int n = jv_array_length(jv_copy(list)), nother = 0, nall = 0, nnull = 0;

	for (int i = 0; i < n; i++) {
		jv one = jv_array_get(jv_copy(list), i), word;
		const jv_kind kind = jv_get_kind(one);
		char *text;

		nnull += kind == JV_KIND_NULL;
		if (kind == JV_KIND_TRUE || kind == JV_KIND_FALSE)
			one = JV_OBJECT(jv_string("verdict"), jv_string(kind == JV_KIND_TRUE ?
									"holds" : "fails"));
		word = run_member(one, "verdict");
		text = text_taken(word, "");
		nother += !strcmp(text, other);
		nall += !strcmp(text, all);
		if (!strcmp(text, "not evaluated") && !jv_is_valid(open)) {
			jv_free(open);
			open = jv_copy(one);
		}
		free(text);
		verdicts = jv_array_append(verdicts, one);
	}
	jv_free(list);
	answer = JV_OBJECT(jv_string("rule"), jv_string(rule), jv_string("of"), verdicts);
	if (n == 0 || nnull) {
		jv_free(answer);
		answer = nnull ? jv_null() : rule_error("%s: there is no verdict%s", rule, "");
	} else if (jv_is_valid(open)) {
		answer = jv_object_set(answer, jv_string("verdict"), run_member(open, "verdict"));
		answer = jv_object_set(answer, jv_string("why"), run_member(open, "why"));
	} else {
		answer = jv_object_set(answer, jv_string("verdict"),
				       jv_string(nother ? other : nall == n ? all : "undecided"));
	}
	jv_free(open);
	return answer;
}

jv rule_answer(const char *rule, jv arguments)
{
	double step;
	char *text;
	jv answer, run;

	if (!strcmp(rule, "all_of") || !strcmp(rule, "any_of"))
		return rule_several(rule, arguments);
	if (!strcmp(rule, "target")) {
		text = text_taken(jv_array_get(jv_copy(arguments), 0), "time_to:");
		run = jv_array_get(arguments, 1);
		answer = run_target(run, text, &step);
	} else if (!strcmp(rule, "label")) {
		run = jv_array_get(arguments, 0);
		text = run_point_text(run);
		answer = jv_string(text);
	} else {
		return rule_compare(rule, arguments);
	}
	jv_free(run);
	free(text);
	return answer;
}
