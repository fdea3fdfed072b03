#include "cmd/launch.h"

#include "cmd/signals.h"
#include "core/error.h"
#include "core/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* mpirun hands this one on to the ranks, and does nothing else about it. */
enum { PLEA = SIGUSR1 };

bool launch_inside(void)
{
	return getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMI_SIZE") || getenv("PMIX_RANK");
}

int launch_check(void)
{
	const char *tasks = getenv("SLURM_STEP_NUM_TASKS");

	if (!tasks || atol(tasks) < 2)
		return 0;
	return error("srun started %s tasks that MPI does not know of: try 'srun --mpi=pmix', or "
		     "mpirun in the allocation", tasks);
}

int launch_ranks(void)
{
	const char *tasks = getenv("SLURM_NTASKS");
	const long cores = sysconf(_SC_NPROCESSORS_ONLN), asked = tasks ? atol(tasks) : 0;

	if (asked > 0)
		return (int)asked;
	return cores > 1 ? (int)cores : 1;
}

/* ---- the words of the command ---- */

struct words {
	char **v;
	size_t n;
};

static void add(struct words *w, const char *word)
{
	w->v = xrealloc(w->v, w->n + 2, sizeof(*w->v));
	w->v[w->n++] = xstrdup(word);
	w->v[w->n] = NULL;
}

static void add_pair(struct words *w, const char *key, const char *value)
{
	add(w, key);
	add(w, value);
}

static void add_number(struct words *w, const char *key, int value)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", value);
	add_pair(w, key, text);
}

static void words_release(struct words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->v[i]);
	free(w->v);
}

/* What remote ranks need of our environment. */
static void add_environment(struct words *w)
{
	static const char *const names[] = { "CONVOY_HOME", "CONVOY_DATA", "CONVOY_RESULTS",
					     "XDG_CACHE_HOME" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (getenv(names[i]))
			add_pair(w, "-x", names[i]);
}

/* Words at blanks; there is no quoting. */
static void add_words(struct words *w, const char *text)
{
	char *copy = xstrdup(text), *rest = copy;

	for (char *word; (word = strtok_r(rest, " \t", &rest));)
		add(w, word);
	free(copy);
}

/* Ranks share cores where they must; a rank's threads go where there is room. */
static void add_options(struct words *w, const struct launch *l)
{
	add_number(w, "-n", l->ranks);
	if (l->hostfile)
		add_pair(w, "--hostfile", l->hostfile);
	if (l->hosts)
		add_pair(w, "--host", l->hosts);
	if (geteuid() == 0)
		add(w, "--allow-run-as-root");
	add(w, "--oversubscribe");
	add_pair(w, "--bind-to", "none");
	add(w, "--quiet");
	add_environment(w);
	if (l->options)
		add_words(w, l->options);
}

/* This very program, wherever it lies. */
static void add_program(struct words *w, const char *name)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n <= 0) {
		add(w, name);
		return;
	}
	path[n] = '\0';
	add(w, path);
}

static char *join(const struct words *w)
{
	char *text = xstrdup("");

	for (size_t i = 0; i < w->n; i++) {
		char *longer = xasprintf("%s%s%s", text, i ? " " : "", w->v[i]);

		free(text);
		text = longer;
	}
	return text;
}

static struct words make_command(const struct launch *l, int argc, char **argv)
{
	struct words w = { 0 };
	char *text;

	add(&w, "mpirun");
	add_options(&w, l);
	text = join(&w);
	if (!l->quiet)
		note("%d ranks: %s", l->ranks, text);
	free(text);
	add_program(&w, argv[0]);
	for (int i = 1; i < argc; i++)
		add(&w, argv[i]);
	return w;
}

/* ---- the child ---- */

/* In a group of its own, so that a terminal's Ctrl-C comes to us alone. */
static _Noreturn void become(const struct words *w)
{
	int nothing = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	if (nothing >= 0)
		dup2(nothing, STDIN_FILENO);
	if (isatty(STDERR_FILENO))
		setenv("CONVOY_TERMINAL", "1", 1);
	execvp(w->v[0], w->v);
	error("cannot start %s: %s; it comes with Debian's package openmpi-bin", w->v[0],
	      strerror(errno));
	_exit(EXIT_DIE);
}

/* Hands signals on until the child ends. */
static int await(pid_t child)
{
	int told = 0, status;

	for (;;) {
		pid_t ended = waitpid(child, &status, 0);

		if (ended == child)
			return status;
		if (ended < 0 && errno != EINTR)
			die("cannot wait for mpirun: %s", strerror(errno));
		if (signal_count > told) {
			kill(child, told ? SIGTERM : PLEA);
			told++;
		}
	}
}

int launch(const struct launch *l, int argc, char **argv)
{
	struct words w = make_command(l, argc, argv);
	pid_t child;
	int status;

	fflush(NULL);
	signals_endure();
	child = fork();
	if (child < 0)
		die("cannot start a process: %s", strerror(errno));
	if (child == 0)
		become(&w);
	words_release(&w);
	status = await(child);
	if (signal_caught)
		return signals_exit_code();
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_DIE;
}

void launch_heed(void)
{
	signals_catch_too(PLEA);
	signals_endure();
}
