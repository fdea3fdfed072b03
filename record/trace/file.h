/* The names in a trace file. docs/results.md is the contract. */
#ifndef RECORD_TRACE_FILE_H
#define RECORD_TRACE_FILE_H

#include "record/layout.h"

#define TRACE_FORMAT "convoy trace"

/*
 * A file has the least version that knows all of its rows, so that what an older convoy can read
 * it does read: 1, 2 with rows of faults, 3 with rows of stages, and 4 of a run that an older
 * convoy would compute in another way.
 */
enum {
	TRACE_OLDEST = 1, TRACE_FAULTS, TRACE_STAGES, TRACE_CHANGED,
	TRACE_NEWEST = TRACE_CHANGED
};

enum trace_column {
	ROW_KIND, ROW_RANK, ROW_PEER, ROW_TIME, ROW_BEGUN, ROW_SECONDS, ROW_BYTES,
	ROW_GRADIENTS, ROW_STALENESS, ROW_LOSS,
	ROW_TAG,                /* may be missing: files did not have it from the beginning */
	ROW_COLUMNS
};

extern const struct layout_column layout_trace[ROW_COLUMNS];    /* of /events */

#endif
