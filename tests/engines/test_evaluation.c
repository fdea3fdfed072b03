/*
 * Evaluations on real ranks: all of them compute a share, and the numbers are those of one rank.
 * Called with arguments, this program is convoy with a problem that writes down who computed.
 */
/* The program's tables, but for that of the analytic problems, which is ours. */
#define problem_table usual_problem_table
#include "nets/sizes/sizes.c"
#undef problem_table
#include "cmd/cmd.h"
#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "mpi/real.h"
#include "runner/signals.h"
#include "tests/support/check.h"
#include "tests/support/folder.h"
#include "tests/support/played.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DIM = 1000, TEST = 40 * EVAL_BATCH + 5, BLOCKS = 41, STAT_BATCHES = 16 };

/* ---- f(x) = x_0 + x_1 + ..., whose statistics are x_0 of the model that they are taken at ---- */

/* A line in the file FOLDER: what was computed by which rank. */
static void write_down(const char *what)
{
	const char *path = getenv("COMPUTED");
	FILE *f = path ? fopen(path, "a") : NULL;

	if (f) {
		fprintf(f, "%s %d\n", what, real_rank());
		fclose(f);
	}
}

/* Rank 0 is slow, so that the others have something left, however busy the machine is. */
static void take_time(void)
{
	if (real_size() > 1 && real_rank() == 0)
		clock_sleep(0.02);
	if (real_rank() == 1 && getenv("DIES"))
		raise(SIGKILL);
}

static void init(const struct problem *p, uint64_t seed, float *x)
{
	(void)seed;
	for (size_t i = 0; i < p->dim; i++)
		x[i] = (float)i;
}

static void *scratch_new(const struct problem *p, size_t max_batch, struct team *team)
{
	(void)p, (void)max_batch, (void)team;
	return NULL;
}

static void scratch_free(const struct problem *p, void *scratch)
{
	(void)p, (void)scratch;
}

static double grad(const struct problem *p, void *scratch, const float *x, const struct batch *b,
		   float *g, struct grad_hook *hook)
{
	(void)scratch, (void)b;
	for (size_t i = 0; i < p->dim; i++)
		g[i] = 1.0f;
	grad_done(hook, 0, p->dim);
	return (double)x[0];
}

static void stats(const struct problem *p, void *scratch, const float *x, const struct batch *b,
		  float *out)
{
	(void)p, (void)scratch, (void)b;
	take_time();
	write_down("stats");
	out[0] = x[0];
}

static void merge(const struct problem *p, int n, const float *const *each, float *out)
{
	(void)p;
	out[0] = each[0][0];
	for (int k = 1; k < n; k++)
		if (each[k][0] < out[0] || each[k][0] > out[0])
			out[0] = -1e9f;
}

/* Terms of many sizes, so that another order would give another sum. */
static struct score score(const struct problem *p, void *scratch, const float *x,
			  const float *st, enum split split, int64_t first, size_t n)
{
	struct score s = { .correct = first % 7, .n = (int64_t)n };

	(void)scratch, (void)split;
	take_time();
	write_down("score");
	for (size_t i = 0; i < p->dim; i++)
		s.loss += (double)x[i] / (double)(1 + first);
	if (st[0] < x[0] || st[0] > x[0])
		s.loss = -1.0;
	return s;
}

static void close_problem(struct problem *p)
{
	free(p);
}

static const struct problem_ops ops = {
	.init = init, .scratch_new = scratch_new, .scratch_free = scratch_free, .grad = grad,
	.stats = stats, .merge = merge, .score = score, .close = close_problem,
};

static struct problem *open_problem(const void *conf)
{
	static const struct blob blob = { .name = "x", .count = DIM, .rank = 1,
					  .shape = { DIM } };
	struct problem *p = xcalloc(1, sizeof(*p));

	(void)conf;
	*p = (struct problem){ .ops = &ops, .name = "counted", .dim = DIM, .stats_dim = 1,
			       .n = { 1024, TEST }, .nblobs = 1, .blobs = &blob };
	return p;
}

static const struct problem_type counted = {
	.plugin = { .name = "counted", .brief = "says who computed" }, .open = open_problem,
};

const struct plugin *const problem_table[] = { &counted.plugin, NULL };

/* ---- the program, called as a user would ---- */

/* Its exit code; its result is FOLDER/OUT/HASH.h5, what it said FOLDER/said. */
static int call(const char *environment, const char *arguments, const char *out)
{
	char *command = xasprintf("rm -f %s/computed; %s COMPUTED=%s/computed exec timeout 100 "
				  "/proc/%d/exe %s --net counted --quiet --lr 0.125 --batch 4 "
				  "--gradients 120 --out %s/%s >%s/said 2>&1",
				  folder, environment, folder, (int)getpid(), arguments, folder,
				  out, folder);
	const int status = system(command);

	free(command);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static char *text_of(const char *name)
{
	char *path = xasprintf("%s/%s", folder, name), *text;
	size_t n;

	text = file_read(path, &n);
	free(path);
	return text;
}

/* Calls, which must succeed, and reads the result. */
static cJSON *run(const char *arguments, const char *out)
{
	char *path = xasprintf("%s/%s.h5", folder, out);
	char *move = xasprintf("mv %s/%s/*/*.h5 %s", folder, out, path);
	cJSON *result;

	if (call("", arguments, out) != 0)
		fail_msg("%s: %s", arguments, text_of("said"));
	assert_int_equal(system(move), 0);
	result = tree_read(path);
	assert_non_null(result);
	free(move);
	free(path);
	return result;
}

/* How many such lines there are in what was written down. */
static int count(const char *what, int rank)
{
	char *text = text_of("computed"), *line = xasprintf("%s %d\n", what, rank);
	int n = 0;

	for (const char *at = text; (at = strstr(at, line)); at += strlen(line))
		n++;
	free(line);
	free(text);
	return n;
}

/* Every block of every one of so many models once, and some by every rank. */
static void all_computed(int ranks, int models)
{
	int scored = 0, taken = 0;

	for (int rank = 0; rank < ranks; rank++) {
		assert_true(count("score", rank) > 0);
		scored += count("score", rank);
		taken += count("stats", rank);
	}
	assert_int_equal(scored, models * BLOCKS);
	assert_int_equal(taken, models * STAT_BATCHES);
}

static double value(const cJSON *run, const char *column, int row)
{
	const cJSON *v = cJSON_GetObjectItem(cJSON_GetObjectItem(run, "eval"), column);

	return cJSON_GetArrayItem(v, row < 0 ? cJSON_GetArraySize(v) + row : row)->valuedouble;
}

/* Bit by bit. */
static void same_value(const cJSON *a, const cJSON *b, const char *column, int row)
{
	const double v[2] = { value(a, column, row), value(b, column, row) };

	if (memcmp(&v[0], &v[1], sizeof(v[0])) != 0)
		fail_msg("%s: %.17g and %.17g in row %d", column, v[0], v[1], row);
}

/* One worker and a server: the models at all marks are forced, so that curves can be compared. */
static void one_rank_or_two(void **state)
{
	const char *const columns[] = { "test_loss", "test_accuracy", "train_loss" };
	cJSON *alone = run("train --algo asgd --workers 1 --server shared --eval-every 0.1", "one");
	cJSON *both;

	all_computed(1, 5);
	both = run("train --algo asgd --workers 1 --eval-every 0.1", "two");
	all_computed(2, 5);
	for (int i = 0; i < 3; i++)
		for (int row = 0; row < 5; row++)
			same_value(alone, both, columns[i], row);
	assert_true(value(both, "test_loss", 0) > value(both, "test_loss", 4));
	assert_true(value(both, "test_loss", 4) > 0.0);
	cJSON_Delete(alone);
	cJSON_Delete(both);
}

static void compare_last(const char *settings, int ranks, int marks)
{
	char *arguments = xasprintf("sim %s", settings);
	cJSON *simulated = run(arguments, "simulated"), *real;

	free(arguments);
	arguments = xasprintf("train %s", settings);
	real = run(arguments, "real");
	all_computed(ranks, marks);
	same_value(simulated, real, "test_loss", -1);
	same_value(simulated, real, "test_accuracy", -1);
	assert_true(value(real, "test_loss", -1) > 0.0);
	cJSON_Delete(simulated);
	cJSON_Delete(real);
	free(arguments);
}

static void three_ranks(void **state)
{
	compare_last("--algo allreduce --workers 3 --eval-every 0", 3, 1);
}

static void several_threads(void **state)
{
	compare_last("--algo allreduce --workers 2 --threads 2 --eval-every 0.2", 2, 3);
}

static void a_rank_that_dies(void **state)
{
	char *text;

	assert_int_equal(call("DIES=1", "train --algo allreduce --workers 3", "dead"), 137);
	text = text_of("said");
	if (!strstr(text, "rank 1 on ") || !strstr(text, "was killed by signal 9"))
		fail_msg("%s", text);
	free(text);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, folder_open, folder_close)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		CASE(one_rank_or_two), CASE(three_ranks), CASE(several_threads),
		CASE(a_rank_that_dies),
	};

	if (argc > 1) {
		signals_catch();
		return command_run(command_find(argv[1], NULL), argc, argv);
	}
	if (!real_version())
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
