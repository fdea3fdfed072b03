/* Starting the program again on several ranks: the launcher, its hosts, and what it started. */
#ifndef RUNNER_LAUNCH_LAUNCH_H
#define RUNNER_LAUNCH_LAUNCH_H

#include "plan/machine/batch_system.h"
#include "plan/resolve/setup.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct run_context;

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
 * batch_ranks(). Returns them; 0: neither is given, or this process is a rank, which need not see
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

/*
 * launch() of a resolved run, as `convoy train` or `convoy sim` would have it; of a simulated one,
 * hosts says how many ranks compute gradients.
 */
int launch_run(const struct setup *su, const struct run_context *t, const struct launch *hosts);

/*
 * A command that starts itself: calls run() as it is, or in a rank among the others, whose
 * worst exit code it gives. error() where convoy is built without MPI.
 */
int launch_main(const char *command, int (*run)(void *arg), void *arg);

/*
 * Marks, and names, what was last saved of a result whose run was cut short. If a
 * rank has marked it, it is named only where none has said so. writer: the process that must have
 * saved it; 0: any.
 */
void launch_keep_partial(const char *result, pid_t writer, bool said);

/* ---- hosts.c: ranks of lists and files of hosts, and these in the form of a launcher ---- */

/*
 * Ranks of a list such as "a:2,b" (NULL: none), or else of a file of hosts (NULL: none), and 0
 * without both; -1 after error(). A host without a number has one rank, and one that comes again
 * has more. "#" begins a comment in a file.
 */
int hosts_ranks(const char *hosts, const char *file);

/* The list without spaces, tabs and empty entries. The caller frees. */
char *hosts_tidy(const char *hosts);

/*
 * Writes a temporary file of hosts with `separator` as of struct launcher: from a list
 * such as "a:2,b:2". Returns its path, or NULL after error(). The caller removes it, and
 * frees the path.
 */
char *hosts_write_list(const char *hosts, char separator);

/*
 * Writes it from a file where the launcher would read that otherwise than hosts_ranks(): ranks are
 * counted in the other form, or for Open MPI, which gives a host without a number one rank for each
 * core, and refuses a second number of a host. Else *path is NULL. 0 or error().
 */
int hosts_write_file(const char *file, char separator, char **path);

/*
 * ---- world.c: what a launcher says that it started, and what MPI knows of that. Launchers and
 * libraries of different kinds do not know each other: each process is then a world of one rank,
 * and would make the whole run. ----
 */

/* True in a process that a launcher of MPI ranks has started, or srun as one of several. */
bool world_inside(void);

/* True where there are more of them than one, or a launcher that does not say. */
bool world_several(void);

/* The number of this process among those of its launcher; 0 outside of any. */
int world_rank(void);

/* True where `convoy` itself has started the launcher. */
bool world_is_ours(void);

/* True where the `convoy` that started the launcher has ended; false on another machine. */
bool world_starter_gone(void);

/* Before MPI begins: 0, or error() where srun started several tasks without MPI. */
int world_check_srun(void);

/* Before ranks are started: 0, or error() inside a task of srun, where they would wait. */
int world_check_step(int ranks);

/* Once MPI has begun: 0, or error() where it knows another number of ranks than were started. */
int world_check(void);

/* Once MPI has begun: 0, or error() where other than `asked` ranks were started; 0: any. */
int world_check_asked(int64_t asked);

/*
 * 0, or error() where another than convoy has started the ranks, for which the option (NULL: none
 * is given) does nothing.
 */
int world_check_own(const char *option);

/*
 * Called by all ranks alike: 0 where all have the lines of rank 0, else -1, after error() of one of
 * those that do not. A line is "IDENTITY\tTEXT\n": identities are compared, and the message has the
 * text of the first that differs, with that of rank 0 if it is another, then `advice`.
 */
int world_check_same(const char *lines, const char *advice);

/* The advice where the command lines or the files of ranks differ. */
#define ALL_ALIKE ". All ranks need one version of convoy, one command line, and the same files"

/* 0, or error() where a launcher has started several times a command that is no rank's. */
int world_check_alone(const char *command);

/*
 * ---- guard.c: a process that outlives rank 0, and marks a result that was cut short. Some
 * launchers kill all ranks at once when one of them dies: no rank is left to do so. ----
 */

/*
 * Starts it, before MPI begins, in rank 0. If convoy has started the launcher, the guard acts only
 * when the starter has ended, which does the same itself.
 */
void guard_start(void);

/* In rank 0: the result that is being written. Nothing happens where there is no guard. */
void guard_result(const char *path);

#endif
