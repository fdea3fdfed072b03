/* Compute times by measured table and by device, by hand, and the grammar of --compute-s. */
#include "plan/compute/times.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"

#include <stdlib.h>

static void parsed(struct compute_times *t, const char *text, int workers, int64_t batch,
		   const char *net)
{
	assert_true(compute_times_has_clauses(text));
	if (compute_times_parse(t, text, workers, batch, net) < 0)
		fail_msg("'%s' is refused", text);
}

static void seconds_are(const char *text, double samples, double want)
{
	struct compute_times t;

	parsed(&t, text, 1, 32, NULL);
	assert_near(compute_times_seconds(&t, 0, samples), want, 1e-12);
	compute_times_release(&t);
}

/* Of (10, 0.3), (30, 0.5), (50, 0.9) the least-squares slope is 12 / 800. */
#define BENT "table:batch=10/30/50,seconds=0.3/0.5/0.9"

static void tables_by_hand(void **state)
{
	seconds_are(BENT, 10, 0.3);
	seconds_are(BENT, 20, 0.4);
	seconds_are(BENT, 30, 0.5);
	seconds_are(BENT, 40, 0.7);
	seconds_are(BENT, 50, 0.9);
	seconds_are(BENT, 60, 0.9 + 10 * 0.015);
	seconds_are(BENT, 2, 0.3 - 8 * 0.015);
	/* One point alone: in proportion. */
	seconds_are("table:batch=10,seconds=0.3", 30, 0.9);
	/* 0.1 - 5 * 0.03 is no time; half of the batch takes half of it. */
	seconds_are("table:batch=10/20,seconds=0.1/0.4", 5, 0.05);
}

static void fits_by_hand(void **state)
{
	struct timetable p = { 0 };
	struct affine fit;

	timetable_add(&p, 10, 0.3);
	timetable_add(&p, 30, 0.5);
	timetable_add(&p, 50, 0.9);
	fit = timetable_fit(&p);
	assert_near(fit.per_sample, 0.015, 1e-12);
	assert_near(fit.fixed, 17.0 / 30 - 0.45, 1e-12);
	timetable_release(&p);
}

static void devices_by_hand(void **state)
{
	struct compute_times t;

	parsed(&t, "0-1: v100; 2,3: k80", 4, 64, "resnet50");
	assert_near(compute_times_seconds(&t, 0, 64), 64 / 412.0, 1e-12);
	assert_near(compute_times_seconds(&t, 1, 128), 128 / 412.0, 1e-12);
	assert_near(compute_times_seconds(&t, 2, 64), 64 / 51.9, 1e-12);
	assert_near(compute_times_seconds(&t, 3, 64), 64 / 51.9, 1e-12);
	compute_times_release(&t);
	parsed(&t, "0.5; 1-2: t4; 3: 0.25", 4, 50, "resnet50");
	assert_near(compute_times_seconds(&t, 0, 50), 0.5, 1e-12);
	assert_near(compute_times_seconds(&t, 3, 100), 0.5, 1e-12);
	/* Between batches of 20 at 136 a second and of 81 at 193. */
	assert_near(compute_times_seconds(&t, 2, 50),
		    20 / 136.0 + (81 / 193.0 - 20 / 136.0) * 30 / 61, 1e-12);
	compute_times_release(&t);
	/* 231,000 tokens a second, 1024 of a sample. */
	parsed(&t, "a100-mixed", 1, 8, "gpt2");
	assert_near(compute_times_seconds(&t, 0, 8), 8 * 1024 / 231000.0, 1e-12);
	compute_times_release(&t);
}

static void formatted_is(const char *text, int workers, const char *want)
{
	struct compute_times t, again;
	char *text_of, *text_again;

	parsed(&t, text, workers, 64, "resnet50");
	text_of = compute_times_format(&t);
	assert_string_equal(text_of, want);
	parsed(&again, text_of, workers, 64, "resnet50");
	text_again = compute_times_format(&again);
	assert_string_equal(text_again, want);
	free(text_again);
	free(text_of);
	compute_times_release(&again);
	compute_times_release(&t);
}

static void texts_read_back(void **state)
{
	formatted_is(" 0 - 1 ,3: v100;2:0.5 ", 4, "0-1,3: v100; 2: 0.5");
	formatted_is("k80; 1: table:seconds=1/2,batch=8/16", 2,
		     "k80; 1: table:batch=8/16,seconds=1/2");
	/* A worker alone has no others. */
	formatted_is("0-1: v100; 2-3: k80", 1, "0: v100");
	assert_false(compute_times_has_clauses("0.05"));
	assert_false(compute_times_has_clauses("1e-3"));
	assert_false(compute_times_has_clauses("auto"));
	assert_false(compute_times_has_clauses("inf"));
	assert_false(compute_times_has_clauses(NULL));
}

static void beyond_cut_is(const char *text, int64_t batch, const int64_t *slice, const char *want)
{
	struct compute_times t;
	char *said;

	parsed(&t, text, 4, batch, "resnet50");
	said = compute_times_beyond(&t, 4, slice);
	if (want)
		assert_string_equal(said, want);
	else
		assert_null(said);
	free(said);
	compute_times_release(&t);
}

static void beyond_is(const char *text, int64_t batch, const char *want)
{
	beyond_cut_is(text, batch, NULL, want);
}

/* Of a round that is cut, the smallest and the largest slice of a clause's workers. */
static void slices_are_looked_at(void **state)
{
	const int64_t wide[] = { 0, 5, 45, 85, 120 }, near[] = { 0, 10, 60, 90, 120 };

	beyond_cut_is(BENT, 30, near, NULL);
	beyond_cut_is(BENT, 30, wide, "batch 5 is outside the measured 10 to 50");
	beyond_cut_is("0.1; 1-3: " BENT, 30, wide, NULL);
	beyond_cut_is("table:batch=1/40,seconds=1/2", 30, near,
		      "batch 50 is outside the measured 1 to 40");
}

static void what_is_extrapolated_is_said(void **state)
{
	beyond_is(BENT, 10, NULL);
	beyond_is(BENT, 50, NULL);
	beyond_is(BENT, 51, "batch 51 is outside the measured 10 to 50");
	beyond_is("0.1; 1-2: " BENT, 9, "1-2: batch 9 is outside the measured 10 to 50");
	beyond_is("0-2: v100; 3: t4", 128, NULL);
	beyond_is("0-2: v100; 3: t4", 256,
		  "0-2: proportional to the batch, as only batch 128 is measured; "
		  "3: batch 256 is outside the measured 20 to 200");
}

static void refused(const char *text, const char *want)
{
	struct compute_times t;

	capture_start();
	assert_int_equal(compute_times_parse(&t, text, 4, 32, "resnet50"), -1);
	capture_stop();
	assert_said(want);
	compute_times_release(&t);
}

static void nonsense_is_refused(void **state)
{
	refused("0-2: 1; 2-3: 2", "rank 2 is named twice");
	refused("0-2: 1", "rank 3 has no time");
	refused("0-4: 1", "there is no rank 4 among 4 workers");
	refused("2-0: 1", "did you mean 0-2?");
	refused("1; 2", "a time for all workers stands first");
	refused("0,1-3:", "a clause without a time");
	refused("0: -1; 1-3: 2", "-1 s; must be more than 0");
	refused("0: 1x; 1-3: 2", "'1x' is no number of seconds");
	refused("v10", "did you mean 'v100'");
	refused("h100-mixed", "no published rate of net resnet50 on it (expected gpt2, gpt2-124m)");
	refused("table", "no measured times");
	refused("table:batch=1/2,seconds=1", "2 batches, but 1 times");
	refused("table:batch=2/1,seconds=1/2", "batch 1 follows batch 2");
	refused("table:batch=1/1,seconds=1/2", "batch 1 follows batch 1");
	refused("table:batch=1/2,seconds=1/-2", "batch 2 takes -2 s");
	refused("table:batch=0/2,seconds=1/2", "a batch of 0 samples");
	refused("table:batch=1/2,seconds=2/1", "do not grow with the batch");
	refused("table:batch=1/2,seconds=1/1", "do not grow with the batch");
	refused("table:file=none.txt", "none.txt");
	refused("table:file=none.txt,batch=1,seconds=1", "two tables");
}

RUN_ALL(tables_by_hand, fits_by_hand, devices_by_hand, texts_read_back,
	what_is_extrapolated_is_said, slices_are_looked_at, nonsense_is_refused)
