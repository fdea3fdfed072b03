#include "cmd/launch.h"

#include "cmd/launch_watch.h"
#include "cmd/signals.h"
#include "core/error.h"
#include "core/mem.h"
#include "mpi/real.h"

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

bool launch_several(void)
{
	static const char *const sizes[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
					     "SLURM_STEP_NUM_TASKS" };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (getenv(sizes[i]) && atol(getenv(sizes[i])) > 1)
			return launch_inside();
	return false;
}

int launch_check(void)
{
	const char *tasks = getenv("SLURM_STEP_NUM_TASKS");

	if (!tasks || atol(tasks) < 2)
		return 0;
	return error("srun started %s tasks that MPI does not know of: try 'srun --mpi=pmix', or "
		     "mpirun in the allocation", tasks);
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

/* ---- the run ---- */

/* What killed a rank, or mpirun itself, in a line. */
static void name_death(const struct ending *e)
{
	if (e->rank >= 0)
		error("rank %d on %s was killed by signal %d (%s)", e->rank, e->host, e->signal,
		      strsignal(e->signal));
	else if (WIFSIGNALED(e->status))
		error("mpirun was killed by signal %d (%s)", WTERMSIG(e->status),
		      strsignal(WTERMSIG(e->status)));
}

/* What the recorder last saved of a run that is no more is marked so, and named. */
static void keep_part(const char *result)
{
	char *part = xasprintf("%s.part", result);

	if (access(part, F_OK) == 0 && result_interrupt(part) > 0)
		note("what was reached is in %s", part);
	free(part);
}

bool launch_crashed(int code)
{
	return code != EXIT_OK && code != EXIT_BAD && code != EXIT_USAGE && code != EXIT_SIGINT &&
	       code != EXIT_SIGTERM && code != EXIT_SIGUSR1;
}

static int launch_there(const struct launch *l, int argc, char **argv)
{
	struct words w = make_command(l, argc, argv);
	struct ending e;
	int code;

	fflush(NULL);
	signals_endure();
	e = launch_watch(w.v, PLEA);
	words_release(&w);
	code = WIFEXITED(e.status) ? WEXITSTATUS(e.status) : EXIT_DIE;
	if (!signal_caught)
		name_death(&e);
	if (code != EXIT_OK && code != EXIT_USAGE && l->result)
		keep_part(l->result);
	return signal_caught ? signals_exit_code() : code;
}

int launch(const struct launch *l, int argc, char **argv)
{
	struct launch there = *l;
	char *hosts = NULL;
	int code = EXIT_BAD;

	if (l->hosts || l->hostfile || batch_hosts(&hosts) == 0) {
		there.hosts = hosts ? hosts : l->hosts;
		code = launch_there(&there, argc, argv);
	}
	free(hosts);
	return code;
}

void launch_heed(void)
{
	signals_catch_too(PLEA);
	signals_endure();
}

int launch_main(int argc, char **argv, int (*run)(int argc, char **argv))
{
	int code;

	if (!real_version()) {
		error("this convoy was built without MPI");
		return EXIT_BAD;
	}
	if (!launch_inside())
		return run(argc, argv);
	real_begin();
	launch_heed();
	code = real_agree(run(argc, argv));
	real_end();
	return code;
}
