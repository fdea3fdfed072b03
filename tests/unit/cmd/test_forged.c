/* Files with a right checksum and odd numbers: commands refuse them, or do no harm. */
#include "cmd/args.h"
#include "cmd/cmd.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "record/h5.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/folder.h"
#include "tests/support/forged.h"
#include "tests/support/played.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TITLE = 504 };           /* bytes of a simulation's checkpoint that say which run it is of */

static int own_folder, own_stdout;

/* In the test's folder, and what commands print goes nowhere. */
static int forged_open(void **state)
{
	const int nowhere = open("/dev/null", O_WRONLY);

	own_folder = open(".", O_RDONLY);
	own_stdout = dup(STDOUT_FILENO);
	folder_open(state);
	assert_int_equal(chdir(folder), 0);
	dup2(nowhere, STDOUT_FILENO);
	close(nowhere);
	capture_start();
	return 0;
}

static int forged_close(void **state)
{
	capture_stop();
	fflush(stdout);
	dup2(own_stdout, STDOUT_FILENO);
	assert_int_equal(fchdir(own_folder), 0);
	close(own_stdout);
	close(own_folder);
	return folder_close(state);
}

/* The exit code of a command line without quotes. */
static int run(const struct syntax *command, const char *line)
{
	char *text = xasprintf("convoy %s", line), *argv[64], *rest;
	int argc = 0, code;

	for (char *w = strtok_r(text, " ", &rest); w; w = strtok_r(NULL, " ", &rest))
		argv[argc++] = w;
	argv[argc] = NULL;
	capture_start();
	code = args_main(command, argc, argv);
	free(text);
	return code;
}

/* The only file of that ending there; the caller frees. */
static char *file_of(const char *dir, const char *ending)
{
	char **found = dir_list(dir, ending), *path;

	assert_non_null(found);
	assert_non_null(found[0]);
	path = xstrdup(found[0]);
	path_list_free(found);
	return path;
}

static void empty(const char *dir)
{
	char **files = dir_list(dir, "");

	for (char **f = files; f && *f; f++)
		unlink(*f);
	path_list_free(files);
}

/* A longer run goes on from each forgery of a shorter one's checkpoint, or begins again. */
static void forge_checkpoints(const char *settings, uint64_t seed)
{
	char *line = xasprintf("sim --out o --net quadratic:dim=20 --lr 0.01 %s --resume --quiet "
			       "--checkpoint-every 100 --gradients", settings);
	char *first = xasprintf("%s 39", line), *longer = xasprintf("%s 60", line);
	char *path, *bytes, *other;
	struct rng r;
	size_t n;

	assert_int_equal(run(&cmd_sim, first), 0);
	path = file_of("o/sim", ".checkpoint");
	bytes = file_read(path, &n);
	other = xcalloc(n, 1);
	rng_at(&r, 43, RNG_DATA, 0, seed);
	for (int k = forged_times(12); k; k--) {
		memcpy(other, bytes, n);
		forged_change(other + TITLE, n - sizeof(uint64_t) - TITLE, &r);
		empty("o/sim");
		forged_write(path, other, n - sizeof(uint64_t), NULL);
		if (run(&cmd_sim, longer) != 0)
			assert_said("is damaged: no run has a");
	}
	empty("o/sim");
	free_all(line, first, longer, path, bytes, other);
}

static void checkpoints_of_simulations(void **state)
{
	static const char *const settings[] = {
		"--algo allreduce --workers 2 --measures none",
		"--algo local-sgd:period=4 --workers 3 --measures none --eval-every 0.2",
		"--algo asgd --workers 2 --measures cheap --eval-every 0.2",
	};

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		forge_checkpoints(settings[i], i);
}

static void write_trace(void)
{
	assert_int_equal(run(&cmd_sim, "sim --out o --algo decoupled-diloco:period=4,fragments=2,"
			     "quorum=2 --workers 3 --net quadratic:dim=20 --lr 0.01 --gradients 20 "
			     "--delay gamma:cv=0.5 --trace t.h5"), 0);
}

/* A trace is refused, replayed, or gives another model. */
static void read_trace(void)
{
	static const char *const lines[] = { "trace t.h5", "trace t.h5 --format chrome" };

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (run(&cmd_trace, lines[i]) != 0)
			assert_said("'t.h5' is damaged: ");
	if (run(&cmd_replay, "replay t.h5 --quiet") != 0)
		assert_said("error: ");
}

static void traces(void **state)
{
	struct rng r;
	char *bytes;
	size_t n;

	write_trace();
	bytes = file_read("t.h5", &n);
	rng_at(&r, 43, RNG_DATA, 1, 0);
	for (int k = forged_times(12); k; k--) {
		forged_sealed(folder, "t.h5", bytes, n, &r);
		read_trace();
	}
	free(bytes);
}

/* The text of a setting is empty, or it is not there. */
static void traces_without_a_setting(void **state)
{
	static const char *const settings[] = { "algo", "workers", "net", "data", "gradients",
						"optim", "codec" };

	for (size_t i = 0; i < 2 * sizeof(settings) / sizeof(settings[0]); i++) {
		hid_t file, group;

		write_trace();
		file = played_open("t.h5");
		group = H5Gopen2(file, "settings", H5P_DEFAULT);
		assert_true(H5Adelete(group, settings[i / 2]) >= 0);
		if (i % 2)
			assert_int_equal(h5_put_text(group, settings[i / 2], ""), 0);
		H5Gclose(group);
		assert_int_equal(h5_save(file, "t.h5", false), 0);
		read_trace();
	}
}

RUN_WITH(forged_open, forged_close, checkpoints_of_simulations, traces, traces_without_a_setting)
