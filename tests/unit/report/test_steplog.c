/* Logs of step times: what is read, what is refused with its line, and the delay model replay. */
#include "core/base/mem.h"
#include "delays/delay.h"
#include "record/trace/steplog.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/files.h"

#include <stdlib.h>
#include <string.h>

#define HEADER "worker,step,seconds\n"

static char *folder, *path;

static int setup(void **state)
{
	folder = folder_new();
	path = xasprintf("%s/log.csv", folder);
	return 0;
}

static int teardown(void **state)
{
	free(path);
	folder_remove(folder);
	return 0;
}

static void write_log(const char *text)
{
	folder_write(folder, "log.csv", PACK_PLAIN, text, strlen(text));
}

/* In any order, with spaces and carriage returns, steps from any number on. */
static void logs_are_sorted(void **state)
{
	struct steplog l;
	const double want[] = { 1, 2, 3, 4, 5, 6 };

	write_log("worker, step ,seconds\r\n1,12,6\n0,11,2\r\n1,10, 4\n\n0,10,1\n0,12,3\n1,11,5");
	assert_int_equal(steplog_read(&l, &(const char *){ path }, 1), 0);
	assert_int_equal(l.workers, 2);
	assert_int_equal(l.steps, 3);
	for (size_t i = 0; i < 6; i++)
		assert_near(l.seconds[i], want[i], 0.0);
	steplog_release(&l);
}

static void is_refused(const char *text, const char *says)
{
	char *whole = xasprintf("%s%s", *says == ':' ? path : "", says);
	struct steplog l;

	write_log(text);
	capture_start();
	assert_int_equal(steplog_read(&l, &(const char *){ path }, 1), -1);
	if (!strstr(capture_text(), whole))
		fail_msg("'%s': '%s' does not say '%s'", text, capture_text(), whole);
	capture_stop();
	assert_null(l.seconds);
	free(whole);
}

static void faults_are_named_with_their_line(void **state)
{
	is_refused("", ":1: columns: none; expected worker, step, seconds. Put a line with these");
	is_refused("0,0,1\n", ":1: columns: 0, 0, 1; expected worker, step, seconds. Put a line");
	is_refused("worker,step,time\n0,0,1\n", ":1: columns: worker, step, time; expected worker, "
		   "step, seconds. Call the column 'seconds' that has the time of computing "
		   "alone, not of a clock; of a clock, take the differences");
	is_refused("worker,step,time,loss\n0,0,1,2\n", ":1: columns: worker, step, time, loss; "
		   "expected worker, step, seconds. Call the column 'seconds' that has");
	is_refused("worker,step,one_ms,two_ms\n0,0,1,2\n", ":1: columns: worker, step, one_ms, "
		   "two_ms; expected worker, step, seconds. Call the column 'seconds' that has");
	is_refused("gpu,k,time\n0,0,1\n", ":1: columns: gpu, k, time; expected worker, step, "
		   "seconds. Rename the columns");
	is_refused("worker,worker,step,seconds\n0,0,1,1\n", ":1: two columns are called 'worker'");
	is_refused(HEADER, ": the log has no steps");
	is_refused(HEADER "0,0\n", ":2: 2 fields, but the header names 3 columns");
	is_refused(HEADER "0,0,1,1\n", ":2: 4 fields, but the header names 3 columns");
	is_refused(HEADER "0,0,one\n", ":2: column 'seconds': 'one' is no number");
	is_refused(HEADER "0,0,nan\n", ":2: column 'seconds': 'nan' is no number");
	is_refused(HEADER "x,0,1\n", ":2: column 'worker': 'x' is no whole number");
	is_refused("rank;iter;duration\n0;0,5;1\n", ":2: column 'iter': '0.5' is no whole number");
	is_refused(HEADER "0,0,1\n0,1,-0.1\n", ":3: a step cannot take -0.1 s");
	is_refused(HEADER "0,0,0\n", ":2: a step cannot take 0 s");
	is_refused(HEADER "0,0,inf\n", ":2: a step cannot take inf s");
	is_refused(HEADER "0,0,1.7e9\n", ":2: a step cannot take 1.7e+09 s");
	is_refused(HEADER "-1,0,1\n", ":2: there is no worker -1");
	is_refused(HEADER "0,-1,1\n", ":2: there is no step -1 (");
	is_refused(HEADER "0,9223372036854775807,1\n", ":2: there is no step");
	is_refused(HEADER "0,0,1\n0,1,1\n0,0,1\n", ":4: worker 0, step 0 is on line 2 already");
}

/* Two ranks and 12 steps; the readings of a clock, and one step of rank 1 that takes less. */
static char *log_of_clock(bool falls)
{
	char *text = xstrdup("rank,step,elapsed_ms\n");

	for (int w = 0; w < 2; w++)
		for (int k = 0; k < 12; k++)
			xappend_own(&text, "", xasprintf("%d,%d,%d\n", w, k, falls && w && k == 7
							 ? 1 : 40 + w + k / 2 * 50));
	return text;
}

static void a_clock_is_refused(void **state)
{
	char *clock = log_of_clock(false), *times = log_of_clock(true);
	struct steplog l;

	is_refused(clock, ": column 'elapsed_ms' is a clock: ");
	is_refused(clock, "log['elapsed_ms'] = log.groupby('rank')['elapsed_ms'].diff()");
	write_log(times);
	assert_int_equal(steplog_read(&l, &(const char *){ path }, 1), 0);
	steplog_release(&l);
	free(clock);
	free(times);
}

/* Names, order, units and separators that other programs write; the same 6 times. */
static void columns_are_found_by_name(void **state)
{
	static const char *const texts[] = {
		"seconds,loss,rank,iter\n6,x,1,1\n2,,0,1\n4,,1,0\n1,,0,0\n",
		"Node;Global Step;step_time_ms\n1;1;6000\n0;1;2e3\n1;0;4000\n0;0;1000\n",
		"\"duration (us)\"\t\"Iteration\"\trank\n6e6\t8\t1\n2e6\t8\t0\n4e6\t7\t1\n"
		"1e6\t7\t0\n",
		"\xef\xbb\xbfworker,step,time_s\r1,1,6\r0,1,2\r1,0,4\r0,0,1\r",
		"# of two\nworker,step,global_step,compute_ns,step_time\n1,0,1,6e9,9\n0,0,1,2e9,9\n"
		"1,0,0,4e9,9\n0,0,0,1e9,9\n",
	};
	const double want[] = { 1, 2, 4, 6 };

	for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++) {
		struct steplog l;

		write_log(texts[k]);
		assert_int_equal(steplog_read(&l, &(const char *){ path }, 1), 0);
		assert_int_equal(l.workers, 2);
		assert_int_equal(l.steps, 2);
		for (size_t i = 0; i < 4; i++)
			assert_near(l.seconds[i], want[i], 0.0);
		steplog_release(&l);
	}
}

static void missing_steps_are_named_with_their_line(void **state)
{
	is_refused(HEADER "0,0,1\n0,2,1\n", ":3: worker 0 has no step 1 (");
	is_refused(HEADER "0,0,1\n0,4,1\n", ":3: worker 0 has no steps 1 to 3 (");
	is_refused(HEADER "0,0,1\n0,1,1\n1,1,1\n", ":4: worker 1 has no step 0 (");
	is_refused(HEADER "0,0,1\n0,1,1\n1,0,1\n", ":4: worker 1 has no step 1 (");
	is_refused(HEADER "0,0,1\n1,0,1\n1,1,1\n", ":2: worker 0 has no step 1 (");
	is_refused(HEADER "0,1,1\n1,0,1\n1,1,1\n", ":2: worker 0 has no step 0 (");
	is_refused(HEADER "0,0,1\n2,0,1\n", ":3: worker 2, but there is no worker 1");
	is_refused(HEADER "1,0,1\n2,0,1\n", ":2: worker 1, but there is no worker 0");
}

static struct delays *parse(const char *options, int workers)
{
	char *text = xasprintf("replay:file=%s%s", path, options);
	struct delays *d = delays_new(delay_table, text, workers, samples_read);

	assert_non_null(d);
	free(text);
	return d;
}

/* Mean 3 of all: worker 0 has 1/3 and 1, worker 1 has 5/3 and 1; the log begins again after. */
static void replays_follow_the_log(void **state)
{
	struct delays *d;

	write_log(HEADER "0,0,1\n0,1,3\n1,0,5\n1,1,3\n");
	d = parse("", 2);
	assert_near(delays_factor(d, 1, 0, 0, 9.0), 1.0 / 3.0, 1e-12);
	assert_near(delays_factor(d, 1, 0, 1, 0.0), 1.0, 1e-12);
	assert_near(delays_factor(d, 1, 0, 2, 0.0), 1.0 / 3.0, 1e-12);
	assert_near(delays_factor(d, 2, 1, 10, 0.0), 5.0 / 3.0, 1e-12);
	assert_near(delays_factor(d, 1, 0, 0, 9.0), 1.0 / 3.0, 1e-12);
	assert_near(delays_mean(d, 1, 0), 2.0 / 3.0, 1e-12);
	assert_near(delays_mean(d, 1, 1), 4.0 / 3.0, 1e-12);
	delays_free(d);
	d = parse(",worker=1", 3);
	for (int rank = 0; rank < 3; rank++)
		assert_near(delays_factor(d, 1, rank, 2, 0.0), 5.0 / 3.0, 1e-12);
	delays_free(d);
}

/* Lag-1 autocorrelation around the mean 3 of 1 1 1 5 5 5: 4 (1 + 1 - 1 + 1 + 1) / 24. */
static void replays_keep_the_memory(void **state)
{
	struct delays *d;
	double product = 0, square = 0;

	write_log(HEADER "0,0,1\n0,1,1\n0,2,1\n0,3,5\n0,4,5\n0,5,5\n");
	d = parse("", 1);
	for (int k = 0; k < 6; k++) {
		const double x = 3.0 * delays_factor(d, 1, 0, k, 0.0) - 3.0;

		square += x * x;
		product += k < 5 ? x * (3.0 * delays_factor(d, 1, 0, k + 1, 0.0) - 3.0) : 0.0;
	}
	assert_near(product / square, 0.5, 1e-12);
	delays_free(d);
}

/* Ranks 2 and 3 are workers 0 and 1 once more, from one drawn step on. */
static void repetitions_stay_together(void **state)
{
	struct delays *d;
	bool moved = false;

	write_log(HEADER "0,0,1\n0,1,2\n0,2,3\n0,3,4\n1,0,11\n1,1,12\n1,2,13\n1,3,14\n");
	d = parse("", 40);
	for (int rank = 2; rank < 40; rank += 2) {
		const double mean = 60.0 / 8.0, a = mean * delays_factor(d, 1, rank, 0, 0.0);

		assert_near(mean * delays_factor(d, 1, rank + 1, 0, 0.0), a + 10.0, 1e-9);
		moved = moved || !check_is_near(a, 1.0, 1e-9);
	}
	assert_true(moved);
	delays_free(d);
}

static void replays_refuse(void **state)
{
	char *text = xasprintf("replay:file=%s,worker=2", path);

	write_log(HEADER "0,0,1\n1,0,1\n");
	capture_start();
	assert_null(delays_new(delay_table, text, 2, samples_read));
	assert_said("has no worker 2 (it has workers 0 to 1)");
	assert_null(delays_new(delay_table, text, 2, NULL));
	assert_said("no files are read here");
	assert_null(delays_new(delay_table, "replay", 2, samples_read));
	assert_said("no log is named");
	write_log("1 2 3\n");
	assert_null(delays_new(delay_table, text, 2, samples_read));
	assert_said(":1: columns: 1 2 3; expected worker, step, seconds. ");
	capture_stop();
	free(text);
}

/* The model empirical takes the same log, without its order. */
static void logs_are_samples_too(void **state)
{
	struct opt_doubles v;

	write_log(HEADER "0,0,1\n1,0,2\n0,1,3\n1,1,4\n");
	assert_int_equal(samples_read(path, -1, &v), 0);
	assert_int_equal(v.n, 4);
	assert_near(v.v[1], 3.0, 0.0);
	free(v.v);
	assert_int_equal(samples_read(path, 1, &v), 0);
	assert_int_equal(v.n, 2);
	assert_near(v.v[0], 2.0, 0.0);
	free(v.v);
	capture_start();
	assert_int_equal(samples_read(path, 2, &v), -1);
	assert_said("no numbers of rank 2");
	capture_stop();
}

RUN_WITH(setup, teardown, logs_are_sorted, columns_are_found_by_name,
	 faults_are_named_with_their_line, a_clock_is_refused,
	 missing_steps_are_named_with_their_line, replays_follow_the_log, replays_keep_the_memory,
	 repetitions_stay_together, replays_refuse, logs_are_samples_too)
