/* Facts of a result file on other runs: /summary/is_baseline, /baseline, /speedup, /tuned. */
#ifndef RECORD_MARK_H
#define RECORD_MARK_H

#include <stdbool.h>

struct tree;

struct result_mark {
	bool is_baseline;       /* speedups of other runs are relative to this one */
	char *baseline;         /* hash of the run that its own is relative to; NULL: none */
	double speedup;
	char *tuned;            /* settings that tuning chose, and how; NULL: none */
};

/* *m <- what a file's summary says; the caller owns the texts. */
void mark_read(struct result_mark *m, const struct tree *summary);

/* True when a file that says `said` need not say more for m. */
bool mark_is_said(const struct result_mark *m, const struct result_mark *said);

/* The summary says what m does, instead of what it has said of it. */
void mark_put(struct tree *summary, const struct result_mark *m);

/*
 * Has the finished file at path say so. It is written again where it does not yet: 1, else 0, or
 * error(). synced_later: the caller has the file reach the disk, with others.
 */
int result_mark(const char *path, const struct result_mark *m, bool synced_later);

#endif
