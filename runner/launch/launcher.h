/* The programs that start ranks: one for each MPI library, and its language. */
#ifndef RUNNER_LAUNCH_LAUNCHER_H
#define RUNNER_LAUNCH_LAUNCHER_H

#include "runner/launch/announcements.h"
#include "runner/launch/cmdline.h"
#include "runner/launch/launch.h"

/* What a launcher is told of a run. */
struct launch_order {
	int ranks;
	const char *hostfile;   /* file of hosts in the launcher's form; NULL: none */
	const char *hosts;      /* as --hosts has them; NULL: none */
};

struct launcher {
	const char *library;                    /* how the library's version begins */
	const char *const *programs;            /* NULL-ended, the likeliest first */
	const char *const *answers;             /* NULL-ended: one is in what --version prints */
	const char *package;                    /* Debian's */
	const char *start;                      /* how a user starts N ranks by hand ... */
	const char *srun;                       /* ... and what srun needs for that */
	void (*add_options)(struct cmdline *w, const struct launch_order *order);
	char host_separator;                    /* of a hostfile, between a host and its ranks;
						   ' ': "host slots=2", ':': "host:2" */
	struct output_rules output;
	/* Whether its exit code is for the signal that it has announced, and not a rank's own. */
	bool (*is_death)(const struct ending *e, int code, int ranks);
};

/* The launcher of an MPI library, by the library's version; NULL: convoy knows none for it. */
const struct launcher *launcher_find(const char *version);

/* The launcher of the library that convoy uses. */
const struct launcher *launcher_of_library(void);

/*
 * The path of its program: the one found when convoy was built, else one of PATH. NULL:
 * none belongs to the library. The caller frees.
 */
char *launcher_path(const struct launcher *l);

/* Where a program of the PATH lies; NULL: nowhere. The caller frees. */
char *launcher_which(const char *name);

/* The number of ranks that the launcher was told to start is passed to the ranks as this. */
#define RANKS_VARIABLE "CONVOY_RANKS"

/* And this is "PID@HOST", of the process that has started the launcher; not on other machines. */
#define STARTER_VARIABLE "CONVOY_STARTER"

#endif
