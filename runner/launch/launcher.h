/* The programs that start ranks: one for each MPI library, its language, and what it says. */
#ifndef RUNNER_LAUNCH_LAUNCHER_H
#define RUNNER_LAUNCH_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* ---- the words of a command line that is to be run ---- */

/* Begins as { 0 }. v is NULL-ended once a word was added. */
struct cmdline {
	char **v;
	size_t n;
};

/* Adds a copy of the word. */
void cmdline_add(struct cmdline *w, const char *word);

/* Adds a word as printf() makes it. */
void cmdline_addf(struct cmdline *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Adds the words of a text, separated by spaces; there is no quoting. */
void cmdline_split(struct cmdline *w, const char *text);

/* All words, separated by spaces. The caller frees. */
char *cmdline_join(const struct cmdline *w);

void cmdline_release(struct cmdline *w);

/* ---- what a launcher says itself, taken out of what its ranks say ---- */

/* How ranks name the file of a run that was cut short. */
#define KEPT_TEXT "what was reached is in"

/* How a launch ended. Begins with rank = -1. */
struct ending {
	int status;             /* as of waitpid() */
	int rank;               /* that a signal killed, as the launcher says; -1: none */
	int signal;             /* by which */
	int killed;             /* ranks of which the launcher says so */
	int announced;          /* those too that the launcher has killed; Intel MPI only */
	char host[256];         /* where; empty: not said */
	bool kept_said;         /* a rank has said KEPT_TEXT */
};

/* The announcements of one launcher. */
struct output_rules {
	const char *bar;                /* how the first and last line of an announcement begin */
	const char *const *known;       /* NULL-ended: an announcement with such a text only says
					   what the ending says */
	const char *const *lines;       /* NULL-ended: so does a line that begins like this */
	bool on_stdout;                 /* announcements are on stdout; else only on stderr */
	void (*read)(const char *text, struct ending *e);       /* reads what is left out */
};

/* A stream of the launcher, and where it is handed on to. */
struct output_stream {
	const struct output_rules *rules;
	struct ending *ending;
	int fd;                 /* -1: closed */
	FILE *to;
	char line[512];         /* [n] of a line that may be the launcher's */
	size_t n;
	bool through;           /* the rest of this line is handed on */
	bool blank;             /* an empty line is held back, which may begin an announcement */
	bool announcing;
	char text[4096];        /* [length] the announcement so far */
	size_t length;
	char last;              /* that was handed on */
	size_t matched;         /* bytes of KEPT_TEXT that were the last ones */
};

/* Hands on the rest, and closes the stream. */
void output_stream_finish(struct output_stream *s);

/*
 * Runs the command (NULL-ended words) to its end. Signals that come are handed on: the
 * first as the signal `request`, the second as SIGTERM. What it says becomes ours, but for
 * its announcements of a death by the rules, which become the ending. It ends with this
 * process, also when that is killed.
 */
struct ending launch_supervise(char **words, const struct output_rules *rules, int request);

/* ---- the launchers ---- */

/* Order to a launcher: how many ranks, and where. */
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
	/* True when its exit code is for the signal that it has announced, and not a rank's own. */
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

/* Path of a program of the PATH; NULL: there is none. The caller frees. */
char *launcher_which(const char *name);

/* The number of ranks that the launcher was told to start is passed to the ranks as this. */
#define RANKS_VARIABLE "CONVOY_RANKS"

/* And this is "PID@HOST", of the process that has started the launcher; not on other machines. */
#define STARTER_VARIABLE "CONVOY_STARTER"

/*
 * The PATH of the process that started the launcher, for its ranks on this machine: Open MPI's puts
 * its own folder first, and another python3 may lie there.
 */
#define PATH_VARIABLE "CONVOY_PATH"

#endif
