/* Builds a launcher's command line, starts this program on ranks, explains its end. */
#include "runner/launch/launch.h"

#include "algos/own/own.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/file/output.h"
#include "core/text/word.h"
#include "mpi/real.h"
#include "nets/external/external.h"
#include "record/environ.h"
#include "runner/launch/launcher.h"
#include "runner/results/folder.h"
#include "runner/signals.h"
#include "runner/single_run/simrun.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Launchers hand this one on to the ranks, and do nothing else about it. */
enum { REQUEST = SIGUSR1 };     /* that the run ends */

enum { SHARED_LEAST = 1 << 16 };        /* bytes of shared memory that MPI needs on a machine */

/* ---- the words of the command ---- */

/* The launcher with its options and those of the user, then this program. */
static struct cmdline make_command(const struct launcher *launcher, const char *path,
				 const struct launch *l, const struct launch_order *order,
				 int argc, char **argv)
{
	struct cmdline w = { 0 };
	char *text, *self = process_program();

	cmdline_add(&w, path);
	launcher->add_options(&w, order);
	if (l->options)
		cmdline_split(&w, l->options);
	text = cmdline_join(&w);
	if (!l->quiet)
		note("%d rank%s: %s", l->ranks, word_plural(l->ranks), text);
	free(text);
	cmdline_add(&w, self ? self : argv[0]);         /* this very program, wherever it lies */
	free(self);
	for (int i = 1; i < argc; i++)
		cmdline_add(&w, argv[i]);
	return w;
}

/* ---- how it ended ---- */

static const char defect[] = ". Likely a defect of convoy or a library. Please report it";

/* Why a process may have been killed, other than by a user; "" where nothing is likely. Owned. */
static char *likely_cause(int signal)
{
	static const struct {
		int signal;
		const char *cause;
		bool own;               /* likelier the code of a user's file, if there is one */
	} causes[] = {
		{ SIGKILL, ". Likely by the kernel, as memory ran out, or by a batch system's "
			   "limit", false },
		{ SIGPIPE, ". Likely the program that reads the output has ended", false },
		{ SIGBUS, ". Likely shared memory (/dev/shm) or a disk is full", false },
		{ SIGXCPU, ". Likely by a limit of processor time (ulimit -t)", false },
		{ SIGXFSZ, ". Likely by a limit of file sizes (ulimit -f)", false },
		{ SIGILL, ". Likely the program was built for another processor", true },
		{ SIGSEGV, defect, true },
		{ SIGABRT, defect, true },
		{ SIGFPE, defect, true },
	};
	const char *files = own_crash_suspects();

	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
		if (causes[i].signal == signal)
			return causes[i].own && files ? xasprintf(". Likely a defect in %s", files)
						      : xstrdup(causes[i].cause);
	return xstrdup("");
}

/* Names what killed a rank, or the launcher itself, in a line. */
static void name_death(const struct ending *e, const char *path)
{
	char *cause = likely_cause(e->signal), how[96];

	if (e->killed > 1)
		error("%d ranks were killed by signal %d (%s)%s", e->killed, e->signal,
		      strsignal(e->signal), cause);
	else if (e->rank >= 0)
		error("rank %d on %s was killed by signal %d (%s)%s", e->rank, e->host, e->signal,
		      strsignal(e->signal), cause);
	else if (e->signal)
		error("a rank was killed by signal %d (%s)%s", e->signal, strsignal(e->signal),
		      cause);
	else if (process_signal_of(e->status)) {
		process_ending(e->status, how);
		error("%s was %s", path, how);
	}
	free(cause);
}

/* Launchers differ in the code for a rank that a signal killed: here it is 128 more. */
static int exit_code(struct ending *e, const struct launcher *launcher, int ranks)
{
	const int own = process_exit_code(e->status), code = own < 0 ? EXIT_DIE : own;

	if (e->signal && launcher->is_death(e, code, ranks))
		return 128 + e->signal;
	e->signal = e->killed = 0;
	e->rank = -1;
	/* A death that the launcher has not announced: the codes between are our own. */
	if (code > EXIT_USAGE && code <= 128 + SIGRTMAX && !signals_ended(code))
		e->signal = code - 128;
	return code;
}

void launch_keep_partial(const char *result, pid_t writer, bool said)
{
	scoped char *part = xasprintf("%s.part", result);
	struct result_lock lock = { 0 };
	int marked = -1;

	/* Not of another process, which has the lock. */
	if (access(part, F_OK) == 0 && result_lock_try(result, &lock))
		marked = result_interrupt_of(part, writer);
	result_unlock(&lock);
	if (marked > 0 || (marked == 0 && !said))
		note(KEPT_TEXT " %s", part);
}

bool launch_crashed(int code)
{
	return code != EXIT_OK && code != EXIT_BAD && code != EXIT_USAGE && !signals_ended(code);
}

/* ---- the run ---- */

static int run_launcher(const struct launcher *launcher, const char *path, const struct launch *l,
			const struct launch_order *order, int argc, char **argv)
{
	struct cmdline w = make_command(launcher, path, l, order, argc, argv);
	struct ending e;
	int code;

	fflush(NULL);
	signals_endure();
	signals_announce(!l->quiet);
	e = launch_supervise(w.v, &launcher->output, REQUEST);
	signals_announce(false);
	cmdline_release(&w);
	code = exit_code(&e, launcher, order->ranks);
	if (!signal_caught)
		name_death(&e, path);
	if (code > 128 + SIGRTMAX) {
		error("%s failed with exit code %d, for the reason above", path, code);
		code = EXIT_DIE;
	}
	if (code != EXIT_OK && code != EXIT_USAGE && l->result)
		launch_keep_partial(l->result, 0, e.kept_said);
	return signal_caught ? signals_exit_code() : code;
}

static int launch_by(const struct launcher *launcher, const struct launch *l, int argc, char **argv)
{
	char *path = launcher_path(launcher), *file = NULL;
	const char *folder;
	const double left = mem_shared_left(&folder);
	const bool listed = l->hosts && launcher->host_separator == ':';
	int code = EXIT_BAD, ret = 0;

	if (!path) {
		error("no launcher of %s was found, with which convoy was built (looked for %s). "
		      "Install it (Debian: %s), or put its folder into PATH", real_version(),
		      launcher->programs[0], launcher->package);
		return EXIT_BAD;
	}
	/*
	 * Ranks of this machine whose MPI finds no shared memory at all fail, some with a text of
	 * MPI and a code of their own. With less than it asks for they may only be slower.
	 */
	if (!l->hosts && !l->hostfile && !l->options && left < SHARED_LEAST) {
		error("%s has %.2f MB left (expected a few MB for each rank of MPI). "
		      MEM_SHARED_ADVICE, folder, left * 1e-6);
		free(path);
		return EXIT_DIE;
	}
	/* A file of hosts that the launcher can read, instead of the user's. */
	if (listed)
		file = hosts_write_list(l->hosts, launcher->host_separator);
	else if (l->hostfile)
		ret = hosts_write_file(l->hostfile, launcher->host_separator, &file);
	if (ret == 0 && (file || !listed)) {
		const struct launch_order order = { .ranks = l->ranks,
						    .hostfile = file ? file : l->hostfile,
						    .hosts = l->hosts };

		code = run_launcher(launcher, path, l, &order, argc, argv);
	}
	if (file)
		unlink(file);
	free_all(file, path);
	return code;
}

int launch_hosts(const char *hosts, const char *hostfile)
{
	const int ranks = world_inside() ? 0 : hosts_ranks(hosts, hostfile);

	if (ranks >= 0)
		batch_ranks_listed(ranks);
	return ranks;
}

int launch(const struct launch *l, int argc, char **argv)
{
	const struct launcher *launcher = launcher_of_library();
	struct launch there = *l;
	scoped char *hosts = l->hosts ? hosts_tidy(l->hosts) : NULL;
	int code = EXIT_BAD;

	if (world_check_step(l->ranks) == 0 &&
	    (l->hosts || l->hostfile || batch_hosts(&hosts) == 0)) {
		there.hosts = hosts;
		if (launcher)
			code = launch_by(launcher, &there, argc, argv);
		else
			error("convoy knows no launcher for the MPI library '%s'. Start the ranks "
			      "by the library's own launcher", real_version());
	}
	return code;
}

/* 0, or error() on a rank that is not the program, or runs not the command, that rank 0 does. */
static int check_program(const char *command)
{
	scoped char *lines = xasprintf("%s\tversion = %s\n%s\tcommit = %s\n%s\tcommand = %s\n",
				environ_version, environ_version, environ_commit, environ_commit,
				command, command);

	return world_check_same(lines, ALL_ALIKE);
}

int launch_main(const char *command, int (*run)(void *arg), void *arg)
{
	int code;

	if (!real_version()) {
		error("%s", real_missing());
		return EXIT_BAD;
	}
	if (!world_inside())
		return run(arg);
	if (world_is_ours() && getenv(PATH_VARIABLE))
		setenv("PATH", getenv(PATH_VARIABLE), 1);
	if (world_check_srun() < 0)
		return EXIT_BAD;
	signals_end_with_parent(SIGNALS_PATIENCE_S);
	guard_start();
	signal(SIGXFSZ, SIG_DFL);       /* mpiexec waits for ever for a rank with an EFBIG */
	code = real_begin() < 0 ? EXIT_DIE : EXIT_OK;
	signal(SIGXFSZ, SIG_IGN);
	signals_catch_too(REQUEST);     /* to end: counts as a signal caught, from now on */
	signals_endure();
	if (code == EXIT_OK)
		code = world_check() < 0 || check_program(command) < 0
			       ? EXIT_BAD : real_agree(output_code(run(arg)));
	if (real_alone())
		code = external_code_failed() ? EXIT_BAD : EXIT_DIE;
	real_end(code);
	return code;
}

/* ---- a run of an experiment ---- */

int launch_run(const struct setup *su, const struct run_context *t, const struct launch *hosts)
{
	const bool real = su->in.engine == ENGINE_MPI;
	struct launch l = *hosts;
	scoped_by(cmdline_release) struct cmdline w = { 0 };

	if (real)
		l.ranks = setup_ranks(su);
	l.result = t->path;
	l.quiet = true;

	cmdline_add(&w, "convoy");
	cmdline_add(&w, real ? "train" : "sim");
	cmdline_add(&w, "--quiet");
	cmdline_addf(&w, "--file=%s", t->path);
	cmdline_addf(&w, "--experiment=%s", t->experiment);
	cmdline_addf(&w, "--scale=%s", t->scale);
	if (t->lease)
		cmdline_addf(&w, "--lease=%s", t->lease);
	/* Rank 0 is on this machine, whose processor the caller has looked at. */
	if (!l.hosts && !l.hostfile)
		cmdline_add(&w, "--noted");
	cmdline_addf(&w, "--threads=%d", t->threads);
	if (!real)
		cmdline_addf(&w, "--checkpoint-every=%.17g", t->checkpoint_every);
	if (!real && t->resume)
		cmdline_add(&w, "--resume");
	/* As they were given, but for what the ranks would otherwise decide. */
	for (const struct opt *o = settings_opts; o->name; o++) {
		scoped char *text = opt_format(o, &su->in);

		if (text && *text)
			cmdline_addf(&w, "--%s=%s", o->name, text);
	}
	if (real)
		cmdline_addf(&w, "--workers=%d", (int)su->num.workers);
	return launch(&l, (int)w.n, w.v);
}
