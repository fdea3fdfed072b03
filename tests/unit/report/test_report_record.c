/*
 * The recorder: events in by hand, the file read back; the same bytes for any
 * number of threads; what counts as finished.
 */
/* A program of its own: all that is linked with it writes by its fsync(). */
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "core/watch.h"
#include "record/h5.h"
#include "record/result.h"
#include "tests/support/check.h"
#include "tests/support/files.h"
#include "tests/support/played.h"
#include "tests/support/toy.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static void check_curves(const cJSON *run)
{
	assert_int_equal(tree_rows(run, "train", "loss"), 3);
	assert_near(tree_at(run, "train", "loss", 0), 1.5, 0);
	assert_near(tree_at(run, "train", "loss", 2), 5.5, 0);
	assert_near(tree_at(run, "train", "epoch", 1), 1.0, 0);
	assert_near(tree_at(run, "train", "time_s", 1), 8.0, 0);
	assert_near(tree_at(run, "train", "gradients", 1), 4, 0);
	assert_near(tree_at(run, "train", "lr", 1), 0.1 * 4, 0);      /* of its own step */
	assert_int_equal(tree_rows(run, "eval", "epoch"), 2);
	assert_near(tree_at(run, "eval", "train_loss", 0), 2.5, 0);
	assert_near(tree_at(run, "eval", "train_loss", 1), 5.5, 0);
	assert_near(tree_at(run, "eval", "bytes_sent", 0), 40, 0);
	assert_near(tree_at(run, "eval", "bytes_sent", 1), 60, 0);
	assert_true(isnan(tree_at(run, "eval", "test_loss", 1)));
}

static void check_nodes(const cJSON *run)
{
	assert_int_equal(tree_rows(run, "nodes", "rank"), 3);
	assert_near(tree_at(run, "nodes", "rank", 2), SERVER, 0);
	assert_near(tree_at(run, "nodes", "compute_s", 0), 6, 0);
	assert_near(tree_at(run, "nodes", "communicate_s", 0), 3, 0);
	assert_near(tree_at(run, "nodes", "wait_s", 1), 5, 0);
	assert_near(tree_at(run, "nodes", "bytes_received", 1), 60, 0);
	assert_near(tree_at(run, "nodes", "dropped", 0), 1, 0);
	assert_int_equal(tree_rows(run, "staleness", "value"), 3);
	for (int i = 0; i < 3; i++) {
		assert_near(tree_at(run, "staleness", "value", i), i, 0);
		assert_near(tree_at(run, "staleness", "count", i), 2, 0);
	}
}

static void test_round_trip(void **state)
{
	char *folder;
	cJSON *run = play_and_read(&played_run, &played_result, &folder);

	check_curves(run);
	check_nodes(run);
	assert_string_equal(tree_text(run, "status"), "done");
	assert_string_equal(tree_text(run, "end"), "epochs");
	assert_string_equal(tree_text(run, "experiment"), "toys");
	assert_string_equal(tree_text(run, "algo"), "toy");
	assert_near(tree_number(run, "workers"), 2, 0);
	assert_near(tree_number(run, "seed"), 5, 0);
	assert_near(tree_number(run, "time_per_epoch_s"), 8, 0);
	assert_near(tree_number(run, "wait_share"), 6.0 / 20, 1e-15);
	assert_near(tree_number(run, "bytes_sent"), 157, 0);
	assert_near(tree_number(run, "staleness_mean"), 1, 0);
	assert_near(tree_number(run, "train_loss"), 5.5, 0);
	assert_near(tree_number(run, "iterations"), 3, 0);
	assert_near(tree_number(run, "communication_share"), 6.0 / 20, 1e-15);
	assert_near(tree_number(run, "messages"), 10, 0);
	assert_near(tree_number(run, "message_bytes"), 15.7, 1e-12);
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(run, "forward_flop")));
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(run, "test_accuracy")));
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(run, "speedup")));
	assert_string_equal(tree_text(cJSON_GetObjectItem(run, "settings"), "batch"), "4");
	assert_string_equal(tree_text(cJSON_GetObjectItem(run, "settings"), "empty"), "");
	cJSON_Delete(run);
	folder_remove(folder);
}

/* Bytes sent and steps of the workers are as in a whole run; six gradients of seven are none. */
static void test_too_short(void **state)
{
	char *folder;
	struct run run = played_run;
	cJSON *tree = play_and_read(&run, &played_result, &folder);

	assert_null(cJSON_GetObjectItem(tree, "remark"));
	cJSON_Delete(tree);
	folder_remove(folder);
	run.workers = 7;
	tree = play_and_read(&run, &played_result, &folder);
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(tree, "time_per_epoch_s")));
	assert_string_equal(tree_text(tree, "remark"),
			    "too short to time: 0 whole rounds in all for 7 workers");
	cJSON_Delete(tree);
	folder_remove(folder);
}

/*
 * 4000 multiply-accumulates and 100 parameters: 8000 FLOP a sample, 80 a parameter. A gradient of
 * 50 samples in 2 s is 25 samples and 3 x 8000 x 25 FLOP a second.
 */
static void test_derived(void **state)
{
	struct result r = { 0 };

	result_derive_model(&r, 100, 4000, 50);
	result_derive_rates(&r, 2);
	assert_near(r.number[MEASURE_PARAMETERS], 100, 0);
	assert_near(r.number[MEASURE_FORWARD_FLOP], 8000, 0);
	assert_near(r.number[MEASURE_FLOP_PER_PARAMETER], 80, 0);
	assert_near(r.number[MEASURE_GRADIENT_WALL], 2, 0);
	assert_near(r.number[MEASURE_SAMPLES_PER_WALL], 25, 0);
	assert_near(r.number[MEASURE_GFLOP_PER_WALL], 6e-4, 1e-18);
	result_release(&r);
}

/* NaN is the loss of every timing-only run, and the end of a learning one. */
static void test_diverged(void **state)
{
	struct run_result result = played_result;
	char *folder, *path;
	struct problem *toy = toy_new(5, 16);
	static const struct pool_ops none = { 0 };
	struct pool pool = { .ops = &none, .problem = toy, .width = 1 };
	struct run run = played_run;
	struct recorder *r;

	toy->n[SPLIT_TEST] = 0;
	run.pool = &pool;
	result.end = END_DIVERGED;
	cJSON_Delete(play_and_read(&played_run, &result, &folder));
	path = xasprintf("%s/run.h5", folder);
	assert_true(result_finished(path, "abc"));
	r = play(path, &run);
	played_grad(recorder_hook(r), 7, (double)NAN);
	assert_int_equal(recorder_close(r, &played_result), 0);
	cJSON *tree = tree_read(path);
	assert_string_equal(tree_text(tree, "status"), "diverged");
	cJSON_Delete(tree);
	free(path);
	folder_remove(folder);
	toy->ops->close(toy);
}

/* The syncs of this program, and whether a file was at `watched` already at one of them. */
static int syncs;
static const char *watched = "";
static bool too_late;

int fsync(int fd)
{
	(void)fd;
	syncs++;
	too_late |= access(watched, F_OK) == 0;
	return 0;
}

/* The result is on the disk before it has its name; what is saved before the end need not be. */
static void test_result_reaches_the_disk(void **state)
{
	char *folder = folder_new(), *path = xasprintf("%s/run.h5", folder);
	struct recorder *r;

	syncs = 0;
	too_late = false;
	watched = path;
	r = play(path, &played_run);
	assert_int_equal(syncs, 0);
	assert_int_equal(recorder_close(r, &played_result), 0);
	assert_int_equal(syncs, 1);
	assert_false(too_late);
	free(path);
	folder_remove(folder);
}

/* A speedup whose baseline is known is written with the run: the file need not be changed. */
static void test_marks_are_written_with_the_run(void **state)
{
	char *folder = folder_new(), *path = xasprintf("%s/run.h5", folder), baseline[] = "abd";
	struct result_mark mark = { .is_baseline = true, .baseline = baseline };
	struct record_info info = played_info;
	struct result r;

	info.mark = &mark;
	info.baseline_s = 30.0;
	assert_int_equal(recorder_close(play_as(path, &info, &played_run), &played_result), 0);
	assert_int_equal(result_load(&r, path, RESULT_WHOLE), 0);
	assert_true(r.said.is_baseline);
	assert_string_equal(r.said.baseline, baseline);
	assert_near(r.said.speedup, 30.0 / r.number[MEASURE_TIME_PER_EPOCH], 1e-12);
	mark.speedup = r.said.speedup;
	assert_true(mark_is_said(&mark, &r.said));
	assert_int_equal(result_mark(path, &mark, true), 0);
	mark.speedup *= 2.0;
	assert_false(mark_is_said(&mark, &r.said));
	assert_int_equal(result_mark(path, &mark, true), 1);
	result_release(&r);
	free(path);
	folder_remove(folder);
}

/* Short runs are many: none has a file before its end, and their marks are synced later. */
static void test_short_runs_wait_for_no_disk(void **state)
{
	char *folder = folder_new(), *path = xasprintf("%s/run.h5", folder);
	char *part = xasprintf("%s.part", path);
	struct record_info info = played_info;
	struct result_mark mark = { .is_baseline = true };
	char baseline[] = "abd";
	struct recorder *r;

	info.saved_late = info.synced_later = true;
	r = recorder_open(path, &info, &played_run);
	assert_int_equal(access(part, F_OK), -1);
	assert_int_equal(recorder_close(r, &played_result), 0);
	syncs = 0;
	watched = "";
	assert_int_equal(result_mark(path, &mark, true), 1);
	assert_int_equal(result_mark(path, &mark, true), 0);
	assert_int_equal(syncs, 0);
	mark = (struct result_mark){ .baseline = baseline, .speedup = 2.0 };
	assert_int_equal(result_mark(path, &mark, false), 1);
	assert_int_equal(syncs, 1);
	free(part);
	free(path);
	folder_remove(folder);
}

/* A run that stopped too soon leaves its .part, whose status says why. */
static void check_kept_aside(enum end_reason end, const char *status)
{
	char *folder = folder_new(), *path = xasprintf("%s/run.h5", folder);
	char *part = xasprintf("%s.part", path);
	struct run_result stopped = played_result;

	stopped.end = end;
	watched = path;
	assert_int_equal(recorder_close(play(path, &played_run), &stopped), 0);
	assert_int_equal(access(path, F_OK), -1);
	assert_false(result_finished(part, "abc"));
	cJSON *run = tree_read(part);
	assert_string_equal(tree_text(run, "status"), status);
	assert_int_equal(tree_rows(run, "train", "loss"), 3);
	cJSON_Delete(run);
	free(part);
	free(path);
	folder_remove(folder);
}

static void test_stopped_too_soon(void **state)
{
	check_kept_aside(END_INTERRUPTED, "interrupted");
	check_kept_aside(END_STALLED, "stalled");
}

static void test_what_counts_as_finished(void **state)
{
	char *folder = folder_new(), *path = xasprintf("%s/run.h5", folder);
	char *part = xasprintf("%s.part", path);

	watched = path;
	assert_false(result_finished(path, "abc"));
	assert_int_equal(recorder_close(play(path, &played_run), NULL), 0);
	assert_int_equal(access(part, F_OK), -1);
	assert_int_equal(recorder_close(play(path, &played_run), &played_result), 0);
	assert_int_equal(access(part, F_OK), -1);
	assert_true(result_finished(path, "abc"));
	assert_false(result_finished(path, "abd"));
	free(part);
	free(path);
	folder_remove(folder);
}

/* Everything but what is real: all numbers of a simulated run, printed. */
static char *simulate(int threads)
{
	char *folder = folder_new(), *path = xasprintf("%s/run.h5", folder), *printed;
	static const struct setting settings[] = { { "algo", "asgd" } };
	struct record_info info = played_info;
	struct recorder *r;
	struct toy t;
	cJSON *run;

	info.settings = settings;
	info.nsettings = 1;
	toy_open(&t, "asgd", 3, "sgd:momentum=0.9");
	toy_delay(&t, "gamma");
	t.threads = threads;
	t.run.epochs = 2;
	t.run.mark_every = 0.5;
	r = recorder_open(path, &info, &t.run);
	assert_non_null(r);
	t.run.hooks = recorder_hook(r);
	toy_run(&t);
	t.run.pool = NULL;
	assert_int_equal(recorder_close(r, &t.result), 0);
	toy_close(&t);
	run = tree_read(path);
	assert_non_null(run);
	assert_true(tree_rows(run, "train", "loss") >= 4);
	assert_true(tree_rows(run, "eval", "test_loss") >= 4);
	assert_true(isfinite(tree_at(run, "eval", "test_loss", 3)));
	cJSON_DeleteItemFromObject(run, "file");
	printed = cJSON_Print(run);
	cJSON_Delete(run);
	free(path);
	folder_remove(folder);
	return printed;
}

static void test_same_numbers_for_any_threads(void **state)
{
	char *one = simulate(1), *two = simulate(2);

	assert_string_equal(one, two);
	free(one);
	free(two);
}

/* Ends a run of so many workers and a server; every second worker communicates for 1/8 s. */
static void end_with(const char *path, int workers)
{
	struct run run = played_run;
	struct node *nodes = xcalloc((size_t)workers + 1, sizeof(*nodes));
	struct recorder *r;
	struct hook *h;

	run.workers = workers;
	r = recorder_open(path, &played_info, &run);
	h = recorder_hook(r);
	for (int k = 0; k <= workers; k++) {
		nodes[k].rank = k < workers ? k : SERVER;
		nodes[k].ledger = (struct ledger){ .compute = 1.0, .comm = k % 2 ? 0.125 : 0.0,
						   .messages = k == 3 ? 7 : 1,
						   .bytes_sent = k, .bytes_received = k % 5 };
	}
	h->event(h, &(struct event){ .kind = EV_END, .nodes = nodes, .nnodes = workers + 1 });
	assert_int_equal(recorder_close(r, &played_result), 0);
	free(nodes);
}

/* Measures are the same without the columns of nodes, also of a file that is not held in memory. */
static void test_totals_need_no_columns(void **state)
{
	static const int sizes[] = { 4, 5000, 250000 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const int n = sizes[i];
		char *folder = folder_new(), *path = xasprintf("%s/run.h5", folder);
		struct result whole, totals, summary;
		size_t rows = 0;

		end_with(path, n);
		assert_int_equal(result_load(&whole, path, RESULT_WHOLE), 0);
		assert_int_equal(result_load(&totals, path, RESULT_TOTALS), 0);
		assert_memory_equal(whole.number, totals.number, sizeof(whole.number));
		assert_near(totals.number[MEASURE_COMMUNICATION_SHARE], 0.0625 / 1.0625, 1e-12);
		assert_near(totals.number[MEASURE_MESSAGES], n + 1 + 6, 0);
		assert_near(totals.number[MEASURE_BUSIEST_BYTES],
			    fmax(n - 1 + (n - 1) % 5, n + n % 5), 0);
		assert_non_null(result_column(&whole, RESULT_NODES, "compute_s", &rows));
		assert_int_equal(rows, n + 1);
		assert_null(result_column(&totals, RESULT_NODES, "compute_s", &rows));
		assert_int_equal(result_load(&summary, path, RESULT_SUMMARY), 0);
		assert_near(summary.number[MEASURE_TIME], whole.number[MEASURE_TIME], 0);
		assert_string_equal(summary.text[RESULT_HASH], whole.text[RESULT_HASH]);
		assert_false(summary.values[RESULT_SETTINGS].there);
		result_release(&whole);
		result_release(&totals);
		result_release(&summary);
		free(path);
		folder_remove(folder);
	}
}

/* Two rows become one at 2^17: it is of the steps of both, the larger of 90 and 3 among them. */
static void test_a_row_of_two_is_of_both(void **state)
{
	enum { ROWS = 1 << 17 };
	static const struct {
		const char *column;
		double value;
	} all[] = {
		{ "gradients", 6 }, { "epoch", 6 }, { "loss", 2 }, { "staleness", 46.5 },
		{ "staleness_max", 90 }, { "gap", 5 }, { "gap_max", 8 }, { "norm", 2.5 },
		{ "norm_max", 4 }, { "momentum", 0.5 },
	};
	const struct measured of[] = { { 2.0, 1.0, (double)NAN, .published = 0.0 },
				       { 8.0, 4.0, 0.5, .published = 0.0 } };
	struct record_info info = played_info;
	char *folder = folder_new(), *path = xasprintf("%s/run.h5", folder);
	const struct node node = { .rank = 0 };
	struct recorder *r;
	struct result got;
	struct hook *h;
	size_t rows = 0;

	info.train_every = 1;
	r = recorder_open(path, &info, &played_run);
	h = recorder_hook(r);
	for (int64_t k = 1; k <= ROWS; k++) {
		h->event(h, &(struct event){ .kind = EV_STEP, .staleness = k % 2 ? 90 : 3,
					     .measured = &of[k % 2] });
		h->event(h, &(struct event){ .kind = EV_GRAD, .epoch = (double)k, .gradients = k,
					     .loss = k % 2 ? 1.0 : 3.0, .node = &node,
					     .asked = (double)NAN });
	}
	assert_int_equal(recorder_close(r, &played_result), 0);
	assert_int_equal(result_load(&got, path, RESULT_WHOLE), 0);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		assert_near(result_column(&got, RESULT_TRAIN, all[i].column, &rows)[2],
			    all[i].value, 0);
	assert_int_equal(rows, ROWS / 2);
	result_release(&got);
	free(path);
	folder_remove(folder);
}

RUN_ALL(test_round_trip, test_totals_need_no_columns, test_too_short, test_derived, test_diverged,
	test_result_reaches_the_disk, test_short_runs_wait_for_no_disk,
	test_marks_are_written_with_the_run, test_stopped_too_soon,
	test_what_counts_as_finished, test_same_numbers_for_any_threads,
	test_a_row_of_two_is_of_both)
