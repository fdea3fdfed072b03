/*
 * trace_file.h - the names in a trace file. docs/results.md is the contract.
 */
#ifndef REPORT_TRACE_FILE_H
#define REPORT_TRACE_FILE_H

#include "report/layout.h"

#define TRACE_FORMAT "convoy trace"
enum { TRACE_VERSION = 1 };

enum {
	ROW_KIND, ROW_RANK, ROW_PEER, ROW_TIME, ROW_BEGUN, ROW_SECONDS, ROW_BYTES,
	ROW_GRADIENTS, ROW_STALENESS, ROW_LOSS, ROW_COLUMNS
};

extern const struct layout_column layout_trace[ROW_COLUMNS];    /* of /events */

#endif
