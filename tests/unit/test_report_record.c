/*
 * The recorder: events in by hand, the file read back; the same bytes for any
 * number of threads; files that are damaged, foreign or unfinished.
 */
#include "core/mem.h"
#include "core/paths.h"
#include "report/report.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/files.h"
#include "tests/support/toy.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct setting settings[] = { { "algo", "toy" }, { "batch", "4" }, { "empty", "" } };
static char *words[] = { "convoy", "sim", "it's" };
static const struct record_info info = {
	.experiment = "toys", .scale = "smoke", .hash = "abc", .spec = "{\"algo\":\"toy\"}",
	.settings = settings, .nsettings = 3, .argc = 3, .argv = words, .train_every = 0.5,
	.stat_batches = 2,
};
static const struct algo no_algo = { .plugin = { .name = "toy" } };

static double at(const cJSON *run, const char *group, const char *column, int i)
{
	const cJSON *list = cJSON_GetObjectItem(cJSON_GetObjectItem(run, group), column);
	const cJSON *item = cJSON_GetArrayItem(list, i);

	return cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
}

static int rows(const cJSON *run, const char *group, const char *column)
{
	return cJSON_GetArraySize(cJSON_GetObjectItem(cJSON_GetObjectItem(run, group), column));
}

static double number(const cJSON *run, const char *name)
{
	const cJSON *item = cJSON_GetObjectItem(run, name);

	return cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
}

static const char *text(const cJSON *run, const char *name)
{
	return cJSON_GetStringValue(cJSON_GetObjectItem(run, name));
}

static void grad(struct hook *h, int64_t k, double loss)
{
	h->event(h, &(struct event){ .kind = EV_GRAD, .time = 2.0 * (double)k,
				     .epoch = 0.25 * (double)k, .gradients = k, .loss = loss });
	h->event(h, &(struct event){ .kind = EV_STEP, .staleness = k % 3, .lr = 0.1 * (double)k });
}

static void mark(struct hook *h, int64_t k)
{
	h->event(h, &(struct event){ .kind = EV_MARK, .time = 2.0 * (double)k,
				     .epoch = 0.25 * (double)k, .gradients = k });
}

/* Six gradients of 1, 2, .. 6; marks after the 4th, the 6th, and once more. */
static struct recorder *play(const char *path, const struct run *run)
{
	struct recorder *r = recorder_open(path, &info, run);
	struct node nodes[3] = { { .rank = 0 }, { .rank = 1 }, { .rank = SERVER } };
	struct hook *h;

	assert_non_null(r);
	h = recorder_hook(r);
	assert_false(h->mask & 1u << EV_SEND);
	for (int k = 1; k <= 6; k++) {
		grad(h, k, k);
		if (k == 4 || k == 6)
			mark(h, k);
	}
	mark(h, 6);
	nodes[0].ledger = (struct ledger){ 6, 3, 1, 4, 1, 4, 5, 100, 200 };
	nodes[1].ledger = (struct ledger){ 2, 3, 5, 2, 0, 2, 5, 50, 60 };
	nodes[2].ledger = (struct ledger){ .wait = 77, .bytes_sent = 7 };
	h->event(h, &(struct event){ .kind = EV_END, .nodes = nodes, .nnodes = 3 });
	return r;
}

static const struct run_result twelve = { .end = END_EPOCHS, .time = 12, .epochs = 1.5,
					  .gradients = 6, .events = 9, .loop_s = 0.25 };
static const struct run timing = { .algo = &no_algo, .workers = 2, .seed = 5, .dim = 10,
				   .batch = 4, .samples = 16, .lr = { .base = 0.5 } };

static cJSON *read_played(const struct run *run, const struct run_result *result, char **folder)
{
	char *path;
	cJSON *tree;

	*folder = folder_new();
	path = xasprintf("%s/run.h5", *folder);
	assert_int_equal(recorder_close(play(path, run), result), 0);
	tree = result_read(path);
	assert_non_null(tree);
	assert_string_equal(text(tree, "file"), path);
	free(path);
	return tree;
}

static void check_curves(const cJSON *run)
{
	assert_int_equal(rows(run, "train", "loss"), 3);
	assert_near(at(run, "train", "loss", 0), 1.5, 0);
	assert_near(at(run, "train", "loss", 2), 5.5, 0);
	assert_near(at(run, "train", "epoch", 1), 1.0, 0);
	assert_near(at(run, "train", "time_s", 1), 8.0, 0);
	assert_near(at(run, "train", "gradients", 1), 4, 0);
	assert_near(at(run, "train", "lr", 1), 0.1 * 3, 0);
	assert_int_equal(rows(run, "eval", "epoch"), 2);
	assert_near(at(run, "eval", "train_loss", 0), 2.5, 0);
	assert_near(at(run, "eval", "train_loss", 1), 5.5, 0);
	assert_true(isnan(at(run, "eval", "test_loss", 1)));
}

static void check_nodes(const cJSON *run)
{
	assert_int_equal(rows(run, "nodes", "rank"), 3);
	assert_near(at(run, "nodes", "rank", 2), SERVER, 0);
	assert_near(at(run, "nodes", "compute_s", 0), 6, 0);
	assert_near(at(run, "nodes", "communicate_s", 0), 3, 0);
	assert_near(at(run, "nodes", "wait_s", 1), 5, 0);
	assert_near(at(run, "nodes", "bytes_received", 1), 60, 0);
	assert_near(at(run, "nodes", "dropped", 0), 1, 0);
	assert_int_equal(rows(run, "staleness", "value"), 3);
	for (int i = 0; i < 3; i++) {
		assert_near(at(run, "staleness", "value", i), i, 0);
		assert_near(at(run, "staleness", "count", i), 2, 0);
	}
}

static void test_round_trip(void **state)
{
	char *folder;
	cJSON *run = read_played(&timing, &twelve, &folder);

	(void)state;
	check_curves(run);
	check_nodes(run);
	assert_string_equal(text(run, "status"), "done");
	assert_string_equal(text(run, "end"), "epochs");
	assert_string_equal(text(run, "experiment"), "toys");
	assert_string_equal(text(run, "algo"), "toy");
	assert_near(number(run, "workers"), 2, 0);
	assert_near(number(run, "seed"), 5, 0);
	assert_near(number(run, "time_per_epoch_s"), 8, 0);
	assert_near(number(run, "wait_share"), 6.0 / 20, 1e-15);
	assert_near(number(run, "bytes_sent"), 157, 0);
	assert_near(number(run, "staleness_mean"), 1, 0);
	assert_near(number(run, "train_loss"), 5.5, 0);
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(run, "test_accuracy")));
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(run, "speedup")));
	assert_string_equal(text(cJSON_GetObjectItem(run, "settings"), "batch"), "4");
	assert_string_equal(text(cJSON_GetObjectItem(run, "settings"), "empty"), "");
	cJSON_Delete(run);
	folder_remove(folder);
}

/* NaN is the loss of every timing-only run, and the end of a learning one. */
static void test_diverged(void **state)
{
	struct run_result result = twelve;
	char *folder, *path;
	struct problem *toy = toy_new(5, 16);
	struct pool pool = { .problem = toy, .width = 1 };
	struct run run = timing;
	struct recorder *r;

	(void)state;
	toy->n[SPLIT_TEST] = 0;
	run.pool = &pool;
	result.end = END_DIVERGED;
	cJSON_Delete(read_played(&timing, &result, &folder));
	path = xasprintf("%s/run.h5", folder);
	assert_true(result_finished(path, "abc"));
	r = play(path, &run);
	grad(recorder_hook(r), 7, (double)NAN);
	assert_int_equal(recorder_close(r, &twelve), 0);
	cJSON *tree = result_read(path);
	assert_string_equal(text(tree, "status"), "diverged");
	cJSON_Delete(tree);
	free(path);
	folder_remove(folder);
	toy->ops->close(toy);
}

static void test_what_counts_as_finished(void **state)
{
	char *folder = folder_new(), *path = xasprintf("%s/run.h5", folder);
	char *part = xasprintf("%s.part", path);
	struct run_result stopped = twelve;

	(void)state;
	assert_false(result_finished(path, "abc"));
	stopped.end = END_INTERRUPTED;
	assert_int_equal(recorder_close(play(path, &timing), &stopped), 0);
	assert_int_equal(access(path, F_OK), -1);
	assert_false(result_finished(part, "abc"));
	cJSON *run = result_read(part);
	assert_string_equal(text(run, "status"), "interrupted");
	assert_int_equal(rows(run, "train", "loss"), 3);
	cJSON_Delete(run);
	assert_int_equal(recorder_close(play(path, &timing), NULL), 0);
	assert_int_equal(access(part, F_OK), -1);
	assert_int_equal(recorder_close(play(path, &timing), &twelve), 0);
	assert_int_equal(access(part, F_OK), -1);
	assert_true(result_finished(path, "abc"));
	assert_false(result_finished(path, "abd"));
	free(part);
	free(path);
	folder_remove(folder);
}

/* A run that was killed leaves a file that opens and is not taken for a whole one. */
static void test_killed(void **state)
{
	char *folder = folder_new(), *path = xasprintf("%s/run.h5", folder);
	char *part = xasprintf("%s.part", path);
	pid_t pid = fork();
	int status;

	(void)state;
	if (pid == 0) {
		play(path, &timing);
		raise(SIGKILL);
	}
	waitpid(pid, &status, 0);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(access(path, F_OK), -1);
	assert_false(result_finished(part, "abc"));
	capture_start();
	assert_null(result_read(part));
	capture_stop();
	assert_non_null(strstr(capture_text(), "is not whole: its run was killed"));
	free(part);
	free(path);
	folder_remove(folder);
}

static const char *refusal(const char *path)
{
	capture_start();
	assert_null(result_read(path));
	capture_stop();
	assert_null(strchr(capture_text(), '\n') ? strchr(strchr(capture_text(), '\n') + 1, '\n') :
						   NULL);
	return capture_text();
}

static void test_truncated(void **state)
{
	char *folder, *path;
	struct stat st;

	(void)state;
	cJSON_Delete(read_played(&timing, &twelve, &folder));
	path = xasprintf("%s/run.h5", folder);
	assert_int_equal(stat(path, &st), 0);
	for (off_t n = st.st_size - 1; n >= 0; n -= n > 512 ? 512 : 100) {
		folder_truncate(folder, "run.h5", (size_t)n);
		assert_non_null(strstr(refusal(path), path));
		assert_false(result_finished(path, "abc"));
	}
	free(path);
	folder_remove(folder);
}

static void test_foreign(void **state)
{
	char *folder = folder_new(), *path = xasprintf("%s/run.h5", folder);

	(void)state;
	assert_non_null(strstr(refusal(path), "cannot read"));
	assert_non_null(strstr(refusal(folder), "is not a whole HDF5 file"));
	folder_write(folder, "run.h5", PACK_PLAIN, "{}\n", 3);
	assert_non_null(strstr(refusal(path), "is not a whole HDF5 file"));
	folder_unlink(folder, "run.h5");
	free(path);
	folder_remove(folder);
}

static void test_unwritable(void **state)
{
	char *folder = folder_new(), *path = xasprintf("%s/none/run.h5", folder);

	(void)state;
	capture_start();
	assert_null(recorder_open(path, &info, &timing));
	capture_stop();
	assert_non_null(strstr(capture_text(), path));
	assert_non_null(strstr(capture_text(), "No such file or directory"));
	free(path);
	folder_remove(folder);
}

/* A disk that fills up while the run goes on. */
static void test_full_disk(void **state)
{
	char *folder = folder_new(), *path = xasprintf("%s/run.h5", folder);
	struct recorder *r = play(path, &timing);
	struct rlimit old, tight;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	tight = (struct rlimit){ 4096, old.rlim_max };
	setrlimit(RLIMIT_FSIZE, &tight);
	capture_start();
	assert_int_equal(recorder_close(r, &twelve), -1);
	capture_stop();
	setrlimit(RLIMIT_FSIZE, &old);
	assert_non_null(strstr(capture_text(), "cannot write"));
	assert_non_null(strstr(capture_text(), "File too large"));
	assert_int_equal(access(path, F_OK), -1);
	free(path);
	folder_remove(folder);
}

/* Everything but what is real: all numbers of a simulated run, printed. */
static char *simulate(int threads)
{
	char *folder = folder_new(), *path = xasprintf("%s/run.h5", folder), *printed;
	struct recorder *r;
	struct toy t;
	cJSON *run;

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
	run = result_read(path);
	assert_non_null(run);
	assert_true(rows(run, "train", "loss") >= 4 && rows(run, "eval", "test_loss") >= 4);
	assert_true(isfinite(at(run, "eval", "test_loss", 3)));
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

	(void)state;
	assert_string_equal(one, two);
	free(one);
	free(two);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_diverged),
		cmocka_unit_test(test_what_counts_as_finished),
		cmocka_unit_test(test_killed),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_foreign),
		cmocka_unit_test(test_unwritable),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_same_numbers_for_any_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
