/*
 * Runs in which all workers wait for ever, simulated and on real ranks: they end, and name the
 * ranks and what each waits for. Called with arguments, this program is convoy with two algorithms
 * of its own.
 */
/* The program's tables, but for that of the algorithms, which is ours. */
#define algo_table usual_algo_table
#include "algos/common/tables.c"
#undef algo_table
#include "cmd/cmd.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "mpi/real.h"
#include "runner/signals.h"
#include "tests/support/check.h"
#include "tests/support/folder.h"
#include "tests/support/played.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- after its fifth gradient a worker waits for what never comes, or stops ---- */

static float *vector_of(struct node *nd)
{
	return *(float **)nd->state;
}

static void start_stuck(struct node *nd)
{
	*(float **)nd->state = node_vec(nd);
	node_grad(nd);
}

static void get_stuck(struct node *nd, const struct grad *g)
{
	(void)g;
	if (nd->ledger.gradients < 5)
		node_grad(nd);
	else if (nd->rank == 0)
		node_allreduce(nd, vector_of(nd), nd->dim);
	else if (nd->rank == 3)
		node_stop(nd);
}

static void receive_nothing(struct node *nd, const struct msg *m)
{
	(void)nd, (void)m;
}

static void take_allreduce(struct node *nd, float *v, size_t n)
{
	(void)nd, (void)v, (void)n;
}

static const struct role stuck = { .state_size = sizeof(float *), .start = start_stuck,
				   .grad = get_stuck, .msg = receive_nothing,
				   .allreduce = take_allreduce };
static const struct role idle_server = { .msg = receive_nothing };
static const struct algo algo_stuck = {
	.plugin = { .name = "stuck", .brief = "waits for ever" },
	.server = &idle_server, .worker = &stuck,
};

/* ---- workers that wait long, but not in vain: for one that has set a timer ---- */

static void start_computing(struct node *nd)
{
	node_grad(nd);
}

static void fall_asleep(struct node *nd, const struct grad *g)
{
	(void)g;
	if (nd->ledger.gradients != 5)
		node_grad(nd);
	else if (nd->rank == 0)
		node_after(nd, 3.0, 1);
}

static void go_on(struct node *nd, const struct msg *m)
{
	(void)m;
	node_grad(nd);
}

static void wake_all(struct node *nd, int token)
{
	(void)token;
	for (int k = 1; k < nd->workers; k++)
		node_send(nd, k, &(struct msg){ .tag = 0 });
	node_grad(nd);
}

static const struct role sleeper = { .start = start_computing, .grad = fall_asleep,
				     .msg = go_on, .timer = wake_all };
static const struct algo algo_sleeper = {
	.plugin = { .name = "sleeper", .brief = "waits long" },
	.worker = &sleeper,
};

const struct plugin *const algo_table[] = { &algo_stuck.plugin, &algo_sleeper.plugin, NULL };

/* ---- the program, called as a user would ---- */

/* Its exit code; what it said is in FOLDER/said. */
static int call(const char *arguments)
{
	char *command = xasprintf("exec timeout 60 /proc/%d/exe %s --net quadratic --quiet --out "
				  "%s >%s/said 2>&1", (int)getpid(), arguments, folder, folder);
	const int status = system(command);

	free(command);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void said(const char *text)
{
	char *path = xasprintf("%s/said", folder);
	size_t n;
	char *all = file_read(path, &n);

	if (!strstr(all, text))
		fail_msg("'%s' is not in: %s", text, all);
	free(all);
	free(path);
}

/* FOLDER/SUB/HASH.h5.part, which is whole, says that the run stalled after 20 gradients. */
static void leave_stalled(const char *sub)
{
	char *command = xasprintf("cd %s/%s && test \"$(ls)\" = \"$(ls *.part)\" && "
				  "mv *.part ../left.h5", folder, sub);
	char *path = xasprintf("%s/left.h5", folder);
	cJSON *run;

	assert_int_equal(system(command), 0);
	run = tree_read(path);
	assert_non_null(run);
	assert_string_equal(cJSON_GetObjectItem(run, "status")->valuestring, "stalled");
	assert_string_equal(cJSON_GetObjectItem(run, "end")->valuestring, "stalled");
	assert_int_equal(cJSON_GetObjectItem(run, "gradients")->valueint, 20);
	cJSON_Delete(run);
	free(path);
	free(command);
}

static const char waiting[] = "nothing was left to happen; rank 0 waits for an all-reduce; ranks "
			      "1, 2 wait for a message; rank 3 has stopped; the server waits for a "
			      "message";

static void simulated(void **state)
{
	assert_int_equal(call("sim --algo stuck --workers 4 --gradients 1000"), 1);
	said(waiting);
	leave_stalled("sim");
}

static void on_real_ranks(void **state)
{
	assert_int_equal(call("train --algo stuck --workers 4 --gradients 1000"), 1);
	said(waiting);
	leave_stalled("train");
}

static void with_a_server_that_shares(void **state)
{
	assert_int_equal(call("train --algo stuck --workers 4 --gradients 1000 --server shared "
			      "--checkpoint-every 0.01"), 1);
	said(waiting);
}

static void waiting_long_is_not_stalling(void **state)
{
	assert_int_equal(call("train --algo sleeper --workers 3 --gradients 60"), 0);
	said("gradients");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_open, folder_close)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(simulated), TEST(on_real_ranks), TEST(with_a_server_that_shares),
		TEST(waiting_long_is_not_stalling),
	};

	if (argc > 1) {
		signals_catch();
		return command_run(command_find(argv[1], NULL), argc, argv);
	}
	if (!real_version())
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
