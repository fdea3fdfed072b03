/*
 * steplog.h - a log of step times: CSV (core/file/csv.h) with columns worker, step and seconds.
 *
 * Columns are in any order, by these or other usual names, and the time in the unit of its name:
 * rank, iter, step_time_ms. Other columns are passed over. Lines may be in any order. Workers are
 * numbered from 0; each has every step from the log's first to its last once.
 */
#ifndef RECORD_TRACE_STEPLOG_H
#define RECORD_TRACE_STEPLOG_H

#include "core/text/opt.h"

#include <stdbool.h>
#include <stddef.h>

/* A larger number of seconds is the time of day; of a smaller one, squares have too few digits. */
#define STEPLOG_LEAST 1e-12
#define STEPLOG_MOST 1e6        /* eleven days */

struct steplog {
	size_t workers, steps;
	double *seconds;        /* [workers][steps], within these limits; owned */
	/*
	 * [steps], where workers wait for each other in each step: seconds that it takes at least,
	 * 0 or those of the slowest worker that was left out. NULL: each goes on at once. Owned.
	 */
	double *least;
};

/*
 * Reads a text, as of textfile_read(), which it changes; `path` is for messages. 0, or error() that
 * names file and line: a line that is no step, a time that cannot be, a step that is missing or
 * there twice.
 */
int steplog_parse(struct steplog *l, const char *path, char *text);

/*
 * The same of n files: tables, which may lack the column of the worker if there are several, one of
 * each rank; or what trainers print (trainlog.h); or one with a JSON object on each line.
 */
int steplog_read(struct steplog *l, const char *const *paths, size_t n);

/* True for a file of JSON objects, one on each line; false if it cannot be read. */
bool steplog_is_json_lines(const char *path);

/* True for a log that is one table, as steplog_parse() reads it; false if it cannot be read. */
bool steplog_is_table(const char *path);

/*
 * True where no worker's time is ever less than that of the step before, and grows often: these are
 * readings of a clock.
 */
bool steplog_is_clock(const struct steplog *l);

void steplog_release(struct steplog *l);

/* ---- numbers that were measured, from what files there are ---- */

/* For `rank`: how many workers a log of step times has, then the seconds of each one's steps. */
enum { SAMPLES_STEPS = -2 };

/*
 * Numbers of a text (separated by spaces, commas or lines; "#" begins a comment), the seconds of
 * a log of step times or of every gradient of a trace, or each worker's mean seconds per gradient
 * of a result; of a log, trace or result those of one rank, -1: of all. *to is fresh, with at
 * least one number; the caller frees to->v. 0, or error() for a file that has none.
 */
int samples_read(const char *path, int rank, struct opt_doubles *to);

#endif
