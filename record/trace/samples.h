/* Numbers that were measured, from what files there are. */
#ifndef RECORD_TRACE_SAMPLES_H
#define RECORD_TRACE_SAMPLES_H

#include "core/text/opt.h"

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
