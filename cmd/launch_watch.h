/*
 * launch_watch.h - mpirun as a child: what it says, and how it ends.
 */
#ifndef CMD_LAUNCH_WATCH_H
#define CMD_LAUNCH_WATCH_H

struct ending {
	int status;             /* as of waitpid() */
	int rank;               /* that was killed, as mpirun says; -1: none */
	int signal;             /* by which */
	char host[256];         /* and where */
};

/*
 * Runs the command (NULL-ended words) to its end. Signals that come are handed on: the
 * first as the plea `plea`, the second as SIGTERM. What it says on stderr is ours, but for
 * mpirun's own account of a death, which becomes the ending.
 */
struct ending launch_watch(char **words, int plea);

#endif
