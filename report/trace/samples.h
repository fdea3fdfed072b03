/*
 * samples.h - numbers that were measured, from what files there are.
 */
#ifndef REPORT_TRACE_SAMPLES_H
#define REPORT_TRACE_SAMPLES_H

#include "core/text/opt.h"

/*
 * Numbers of a text (separated by spaces, commas or lines; "#" begins a comment), the seconds of
 * every gradient of a trace, or each worker's mean seconds per gradient of a result; of a trace or
 * result those of one rank, -1: of all. *to is fresh, with at least one number; the caller frees
 * to->v. 0, or error() for a file that has none.
 */
int samples_read(const char *path, int rank, struct opt_doubles *to);

#endif
