/* The timeline of a trace as a page that needs nothing else: it holds its script and events. */
#ifndef REPORT_PAGE_TRACE_PAGE_H
#define REPORT_PAGE_TRACE_PAGE_H

#include "record/trace/trace.h"

/* Events and nodes of a trace at most: of more, a browser has not the memory or the time. */
enum { TIMELINE_PAGE_MOST = 5000000, TIMELINE_PAGE_NODES = 65537 };

/*
 * Writes the page. 0, or error(): a trace without events, or with too many of them or of nodes; a
 * part of the page that is not installed; a file that cannot be written.
 */
int timeline_page_write(const struct trace *t, const char *path);

#endif
