/* Starting the program again on several ranks. */
#ifndef RUNNER_LAUNCH_LAUNCH_H
#define RUNNER_LAUNCH_LAUNCH_H

#include "plan/machine/batch_system.h"
#include "plan/resolve/setup.h"

#include <stdbool.h>
#include <sys/types.h>

struct launch {
	int ranks;
	const char *hostfile, *hosts;   /* NULL: this machine, or the batch system's */
	const char *options;            /* more words for the launcher, separated by spaces; NULL:
					   none */
	const char *result;             /* path of what the run will write; NULL: none */
	bool quiet;
};

/*
 * Counts the ranks of --hosts and --hostfile (NULL: not given), which from now on are
 * launch_ranks(). Returns them; 0: neither is given, or this process is a rank, which need not see
 * the file; -1 after error().
 */
int launch_hosts(const char *hosts, const char *hostfile);

/*
 * Runs this program with these arguments on so many ranks, through the launcher of the MPI
 * library, and waits. Ctrl-C, SIGTERM and SIGHUP ask the ranks to end, the second one ends
 * them. A rank that is killed is named, and what the run had saved until then is marked as
 * interrupted. Returns the exit code of the worst rank.
 */
int launch(const struct launch *l, int argc, char **argv);

/* A rank died, or the machine failed it; not a wrong input, nor a wish of the user. */
bool launch_crashed(int code);

struct launch_run {
	const char *path;       /* of the result */
	const char *experiment, *scale;
	int threads;            /* of a rank */
	double checkpoint_every;        /* engine sim: as of `convoy sim` */
	bool resume;
	struct launch hosts;    /* where ranks run; engine sim: how many compute gradients */
};

/* launch() of a resolved run, as `convoy train` or `convoy sim` would have it. */
int launch_run(const struct setup *su, const struct launch_run *r);

/*
 * A command that starts itself: calls run() as it is, or in a rank among the others, whose
 * worst exit code it gives. error() where convoy is built without MPI.
 */
int launch_main(int argc, char **argv, int (*run)(int argc, char **argv));

/*
 * What was last saved of a result, if its run was cut short, is marked so, and named. If a
 * rank has marked it, it is named only where none has said so. writer: the process that must have
 * saved it; 0: any.
 */
void launch_keep_partial(const char *result, pid_t writer, bool said);

#endif
