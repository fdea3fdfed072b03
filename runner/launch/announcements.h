/* What a launcher of MPI says itself, taken out of what its ranks say. */
#ifndef RUNNER_LAUNCH_ANNOUNCEMENTS_H
#define RUNNER_LAUNCH_ANNOUNCEMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

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

/*
 * Hands on what there is to read. Returns the bytes read; 0: the stream has ended;
 * -1: there is nothing now.
 */
int output_stream_read(struct output_stream *s);

/* Hands on the rest, and closes the stream. */
void output_stream_finish(struct output_stream *s);

/* ---- watch.c: a launcher of MPI as a child: what it says, and how it ends ---- */

/*
 * Runs the command (NULL-ended words) to its end. Signals that come are handed on: the
 * first as the signal `request`, the second as SIGTERM. What it says becomes ours, but for
 * its announcements of a death by the rules, which become the ending. It ends with this
 * process, also when that is killed.
 */
struct ending launch_watch(char **words, const struct output_rules *rules, int request);

#endif
