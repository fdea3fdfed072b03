/* trainlog.h - lines that trainers print: "step 10 ... time 0.123", of one rank or of several. */
#ifndef RECORD_TRACE_TRAINLOG_H
#define RECORD_TRACE_TRAINLOG_H

#include "record/trace/steplog.h"

/* True when a text has lines with a step's number that a trainer prints, with times or without. */
bool trainlog_is(const char *text);

/*
 * rank[n] <- those that n files are of: the numbers after "rank" in their names if all have
 * different ones, else 0, 1, ...
 */
void trainlog_file_ranks(const char *const *path, size_t n, int64_t *rank);

/*
 * Reads n texts, as of textfile_read(), of the files `path`. A line has its rank ("[rank3]:",
 * "rank=3", "[node1:3]", Open MPI's "[1,3]<stdout>:", srun's "3: "), else each file is of one rank,
 * trainlog_file_ranks(); so it is where a number without a word grows with the steps, as an epoch's
 * does. The n-th lines of ranks that name a step are of one step; those that not all ranks have are
 * left out. Steps are in the order of lines, and numbered in it. Notes say what was understood. 0,
 * or error() that says which file and line, and what is lacking; also for a rank's step that comes
 * twice in a row, as lines of several ranks do, and for means of steps.
 */
int trainlog_parse(struct steplog *l, const char *const *path, const char *const *text, size_t n);

/* error() for what a trainer prints without numbered steps, such as a progress bar; else 0. */
int trainlog_refuse(const char *path, const char *text);

#endif
