/* The timeline of a trace as a page that needs nothing else: it holds its script and events. */
#ifndef REPORT_PAGE_TIMELINE_H
#define REPORT_PAGE_TIMELINE_H

#include "record/trace/trace.h"

/* Events of a trace at most: of more, a browser has not the memory. */
enum { TIMELINE_PAGE_MOST = 5000000 };

/*
 * Writes the page. 0, or error(): a trace without events or with too many, a part of the page that
 * is not installed, or a file that cannot be written.
 */
int timeline_page_write(const struct trace *t, const char *path);

#endif
