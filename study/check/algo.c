/* Checks an algorithm by runs of this program: simulated, on real ranks, replayed, resumed. */
#define _GNU_SOURCE             /* mkdtemp(), nftw() */
#include "study/check/algo.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/text/opt_text.h"
#include "mpi/real.h"
#include "runner/launch/launcher.h"
#include "runner/signals.h"

#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 40, LIMIT_S = 300, TEXT_MOST = 1 << 20 };

/* ---- one command ---- */

struct command {
	const char *words[MOST_WORDS + 1];
	int n;
	struct process_answer a;        /* stdout and stderr together */
};

static void command_add(struct command *k, const char *first, const char *second)
{
	k->words[k->n++] = first;
	if (second)
		k->words[k->n++] = second;
}

static bool is_stopped(void *arg)
{
	(void)arg;
	return signals_caught();
}

/* Runs it; true if it succeeded. */
static bool command_run_all(struct command *k)
{
	const struct process_limits limits = { .seconds = LIMIT_S, .bytes = TEXT_MOST,
					       .tick = is_stopped };
	const struct process_way way = { .words = (char *const *)(uintptr_t)k->words,
					 .in = PROCESS_NULL, .out = PROCESS_PIPE,
					 .err = PROCESS_PIPE, .group = true,
					 .end_signal = SIGTERM };
	struct process child;
	pid_t group;

	k->words[k->n] = NULL;
	if (process_start(&child, &way) < 0) {
		k->a = (struct process_answer){ .status = -1, .text = xstrdup(strerror(errno)) };
		return false;
	}
	group = child.pid;
	process_guard(group);
	k->a = process_collect(&child, &limits);
	process_unguard(group);
	return k->a.end == PROCESS_ENDED && process_succeeded(k->a.status);
}

/* The rest of the line that begins with this word; the caller frees. NULL: there is none. */
static char *line_of(const char *text, const char *word)
{
	const size_t n = strlen(word);

	for (const char *line = text, *next; line && *line; line = next) {
		next = strchr(line, '\n');
		next = next ? next + 1 : line + strlen(line);
		if (strncmp(line, word, n) != 0 || (line[n] != ' ' && line[n - 1] != ' '))
			continue;
		line += n;
		line += strspn(line, " ");
		return xasprintf("%.*s", (int)strcspn(line, "\n"), line);
	}
	return NULL;
}

/* Why it failed, in one line; the caller frees. */
static char *command_failure(const struct command *k)
{
	static const char *const begins[] = { "convoy: error: ", "convoy: fatal: ",
					      "convoy: BUG: " };
	char *error = NULL, how[96];

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]) && !error; i++)
		error = line_of(k->a.text, begins[i]);
	if (k->a.end == PROCESS_LATE)
		return free(error), xasprintf("not done after %d s", LIMIT_S);
	if (error)
		return error;
	process_ending(k->a.status, how);
	return xstrdup(how);
}

/* ---- the rows ---- */

struct checking {
	struct algo_check *c;
	char *self, folder[256];
	char lr[32], seed[200];
	/* Of a simulated run of these workers after one gradient; NaN and NULL: it failed. */
	double first_loss;      /* of the test set */
	char *first_model;
	char *model;            /* of the simulated run; NULL: it failed */
};

static void row_add(struct algo_check *c, const char *name, enum algo_verdict verdict, char *why)
{
	c->rows[c->n++] = (struct algo_row){ name, verdict, why };
	c->holds &= verdict != ALGO_FAILS;
}

static const char workers_text[] = "4", gradients_text[] = "200", half_text[] = "100";

/* A command that trains: "sim" or "train". */
static struct command training(const struct checking *x, const char *name, const char *workers,
			       const char *gradients, const char *out)
{
	struct command k = { .n = 0 };

	command_add(&k, x->self, name);
	command_add(&k, "--algo", x->c->algo);
	command_add(&k, "--net", "quadratic");
	command_add(&k, "--workers", workers);
	command_add(&k, "--lr", x->lr);
	command_add(&k, "--seed", x->seed);
	command_add(&k, "--gradients", gradients);
	command_add(&k, "--quiet", NULL);
	command_add(&k, "--out", out);
	if (x->c->optim)
		command_add(&k, "--optim", x->c->optim);
	if (strcmp(name, "sim") == 0)
		command_add(&k, "--compute-s", "0.01");
	return k;
}

/* The loss of the test set that a run printed; NaN where there is none, as where it diverged. */
static double loss_of(const struct command *k)
{
	scoped char *found = line_of(k->a.text, "test_loss");
	double loss;

	if (!found || !text_double(found, &loss))
		loss = (double)NAN;
	return loss;
}

/* Of a command that succeeded without a loss. */
static void row_add_lossless(struct algo_check *c, const char *name, const struct command *k)
{
	scoped char *model = line_of(k->a.text, "model");

	row_add(c, name, ALGO_FAILS, !model
		? xstrdup("no result: the program ended before the run was done. Does the "
			  "algorithm's code end it?")
		: xstrdup("the loss is not finite: the run diverged. Look at what the algorithm "
			  "computes, or try a smaller --lr"));
}

/* Notes what a simulated run of these workers is after one gradient, for the rows that follow. */
static void first_gradient(struct checking *x, const char *workers)
{
	char *folder = xasprintf("%s/first", x->folder);
	struct command k = training(x, "sim", workers, "1", folder);
	const bool done = command_run_all(&k);

	free(x->first_model);
	x->first_model = done ? line_of(k.a.text, "model") : NULL;
	x->first_loss = done ? loss_of(&k) : (double)NAN;
	free_all(k.a.text, folder);
}

/* Runs the command; adds a row: it ended, and its loss is below that of the first gradient. */
static bool row_train(const struct checking *x, const char *name, struct command *k)
{
	const bool done = command_run_all(k);
	double loss;
	scoped char *model = NULL;

	if (!done) {
		row_add(x->c, name, ALGO_FAILS, command_failure(k));
		return false;
	}
	loss = loss_of(k);
	model = line_of(k->a.text, "model");
	if (!isfinite(loss))
		row_add_lossless(x->c, name, k);
	else if (model && x->first_model && strcmp(model, x->first_model) == 0)
		row_add(x->c, name, ALGO_FAILS,
			xasprintf("the model after %s gradients is that after 1: no step was made",
				  gradients_text));
	else if (loss < x->first_loss)
		row_add(x->c, name, ALGO_HOLDS,
			xasprintf("loss %.4g -> %.4g", x->first_loss, loss));
	else
		row_add(x->c, name, ALGO_FAILS,
			xasprintf("the loss does not fall: %.4g -> %.4g. Try a smaller --lr",
				  x->first_loss, loss));
	return true;
}

/* Adds a row: the model of a run is that of the simulated run. */
static void row_model(const struct checking *x, const char *name, struct command *k, bool done)
{
	scoped char *model = done ? line_of(k->a.text, "model") : NULL;

	if (!done)
		row_add(x->c, name, ALGO_FAILS, command_failure(k));
	else if (model && x->model && strcmp(model, x->model) == 0)
		row_add(x->c, name, ALGO_HOLDS, xasprintf("model %s", model));
	else
		row_add(x->c, name, ALGO_FAILS,
			xasprintf("model %s (expected %s)", model ? model : "none",
				  x->model ? x->model : "one"));
}

/*
 * Adds a row: a run that was stopped and resumed ends with the model of the simulated run, and has
 * not begun again. repeats: the same run twice gives the same model.
 */
static void row_resumed(const struct checking *x, struct command *k, bool repeats)
{
	static const char name[] = "stopped and resumed";
	const bool done = process_succeeded(k->a.status);
	struct algo_row *row = &x->c->rows[x->c->n];

	if (done && strstr(k->a.text, "the run begins again")) {
		row_add(x->c, name, ALGO_FAILS,
			xstrdup("the run begins again: the order of its events depends on the "
				"values of gradients"));
		return;
	}
	row_model(x, name, k, done);
	if (done && repeats && row->verdict == ALGO_FAILS)
		xappend(&row->why, ". ", "State that the values of gradients change must be floats "
			"of node_floats()");
}

/*
 * Adds a row: after a run of another seed in the same process the model is that of the simulated
 * run. repeats: the same run twice gives the same model.
 */
static void row_after_another(const struct checking *x, bool repeats)
{
	enum { SEEDS = 8 };     /* of so many short runs one process makes two (plan_run.c) */
	static const char model[] = "\"model\":\t\"";
	struct checking seeds = *x;
	char *out = xasprintf("%s/seeds", x->folder), *text = NULL, *at;
	struct algo_row *row = &x->c->rows[x->c->n];
	struct command k;
	bool done;

	for (uint64_t i = 0; i < SEEDS; i++)            /* the second is the run's own */
		xappendf(&text, ",", "%llu", (unsigned long long)(x->c->seed ^ (i < 2 ? !i : i)));
	snprintf(seeds.seed, sizeof(seeds.seed), "%s", text);
	k = training(&seeds, "sim", workers_text, gradients_text, out);
	command_add(&k, "--jobs", "1");
	command_add(&k, "--json", NULL);
	done = command_run_all(&k);
	at = done ? strstr(k.a.text, model) : NULL;
	at = at ? strstr(at + 1, model) : NULL;
	if (at) {
		at = xasprintf("model %.16s", at + strlen(model));
		free(k.a.text);
		k.a.text = at;
	}
	row_model(x, "after another run", &k, done);
	if (done && repeats && row->verdict == ALGO_FAILS)
		xappend(&row->why, ". ", "Something outlives a run: a static variable, or random "
			"numbers that are not of rng.h, as of rand()");
	free_all(k.a.text, text, out);
}

static void row_replay(const struct checking *x, const char *name, const char *trace)
{
	struct command k = { .n = 0 };
	bool done;
	char *verdict;

	command_add(&k, x->self, "replay");
	command_add(&k, trace, "--allow-code");
	command_add(&k, "--quiet", NULL);
	done = command_run_all(&k);
	verdict = line_of(k.a.text, "verdict");
	if (done && verdict && strcmp(verdict, "identical") == 0)
		row_add(x->c, name, ALGO_HOLDS, xstrdup("identical"));
	else
		row_add(x->c, name, ALGO_FAILS,
			verdict ? xasprintf("%s: it depends on more than messages and gradients",
					    verdict) : command_failure(&k));
	free_all(verdict, k.a.text);
}

static void check_one_worker(struct checking *x)
{
	struct command k = training(x, "sim", "1", gradients_text, x->folder);

	first_gradient(x, "1");
	/* Algorithms of neighbours refuse one worker. */
	if (!row_train(x, "1 worker", &k) && k.a.end == PROCESS_ENDED &&
	    process_exit_code(k.a.status) == EXIT_BAD) {
		x->c->rows[x->c->n - 1].verdict = ALGO_SKIPPED;
		x->c->holds = true;
	}
	free(k.a.text);
}

/* Simulated, the same again by other threads, replayed, and with a stop half-way. */
static void check_simulated(struct checking *x)
{
	scoped char *trace = xasprintf("%s/sim.trace.h5", x->folder);
	scoped char *again = xasprintf("%s/again", x->folder),
		    *parts = xasprintf("%s/parts", x->folder);
	struct command k = training(x, "sim", workers_text, gradients_text, x->folder);
	bool done, repeats;

	first_gradient(x, workers_text);
	if (!x->c->shared)
		command_add(&k, "--trace", trace);
	done = row_train(x, "4 workers", &k);
	x->model = done ? line_of(k.a.text, "model") : NULL;
	free(k.a.text);
	if (done) {
		k = training(x, "sim", workers_text, gradients_text, again);
		command_add(&k, "--threads", "2");
		row_model(x, "the same twice", &k, command_run_all(&k));
		repeats = x->c->rows[x->c->n - 1].verdict == ALGO_HOLDS;
		free(k.a.text);
		row_after_another(x, repeats);
		if (x->c->shared)
			row_add(x->c, "replay", ALGO_SKIPPED,
				xstrdup("the order in which workers read and write their shared "
					"model is not recorded"));
		else
			row_replay(x, "replay", trace);
		k = training(x, "sim", workers_text, half_text, parts);
		command_add(&k, "--checkpoint-every", half_text);
		done = command_run_all(&k);
		for (int i = 0; done && i < 3; i++) {
			free(k.a.text);
			k = training(x, "sim", workers_text, gradients_text, parts);
			command_add(&k, "--resume", NULL);
			/* A library may have put something where the checkpoint's memory was. */
			if (command_run_all(&k) || !strstr(k.a.text, "Start again"))
				break;
		}
		row_resumed(x, &k, repeats);
		free(k.a.text);
		k = training(x, "sim", workers_text, gradients_text, x->folder);
		command_add(&k, "--slow", "0:10");
		row_train(x, "one slow worker", &k);
		free(k.a.text);
	}
}

static void check_real(struct checking *x)
{
	const struct launcher *launcher = launcher_of_library();
	scoped char *trace = xasprintf("%s/real.trace.h5", x->folder);
	scoped char *path = launcher ? launcher_path(launcher) : NULL;
	struct command k;

	if (!real_version()) {
		row_add(x->c, "real ranks", ALGO_SKIPPED, xstrdup(real_missing()));
	} else if (launcher && !path) {
		row_add(x->c, "real ranks", ALGO_SKIPPED,
			xasprintf("no launcher of %s is installed (Debian: %s)", launcher->library,
				  launcher->package));
	} else {
		k = training(x, "train", workers_text, gradients_text, x->folder);
		if (!x->c->shared)
			command_add(&k, "--trace", trace);
		if (row_train(x, "real ranks", &k) && !x->c->shared)
			row_replay(x, "replay of real ranks", trace);
		free(k.a.text);
	}
}

/* ---- all of it ---- */

static int path_remove(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	remove(path);
	return 0;
}

int algo_check(struct algo_check *c)
{
	const char *tmp = getenv("TMPDIR");
	struct checking x = { .c = c, .self = process_program(), .first_loss = (double)NAN };

	c->holds = true;
	c->n = 0;
	snprintf(x.lr, sizeof(x.lr), "%.9g", c->lr);
	snprintf(x.seed, sizeof(x.seed), "%llu", (unsigned long long)c->seed);
	tmp = tmp && *tmp ? tmp : "/tmp";
	snprintf(x.folder, sizeof(x.folder), "%.200s/convoy-check.XXXXXX", tmp);
	if (!x.self)
		return error("the path of this program is not known (expected /proc/self/exe)");
	if (!mkdtemp(x.folder)) {
		error("cannot make the folder '%s': %s", x.folder, strerror(errno));
		free(x.self);
		return -1;
	}
	check_one_worker(&x);
	if (!signals_caught())
		check_simulated(&x);
	if (!signals_caught())
		check_real(&x);
	nftw(x.folder, path_remove, 16, FTW_DEPTH | FTW_PHYS);
	free_all(x.self, x.first_model, x.model);
	return signals_caught() ? error("interrupted") : 0;
}

void algo_check_release(struct algo_check *c)
{
	for (int i = 0; i < c->n; i++)
		free(c->rows[i].why);
	c->n = 0;
}
