/*
 * page.h - an experiment's outcome as a page of HTML.
 */
#ifndef CMD_REPORT_PAGE_H
#define CMD_REPORT_PAGE_H

#include "runner/results/outcome.h"

/*
 * Writes the page of the plan's outcome to the path. name: the experiment as it was given; set: the
 * settings that were, {key: text}. 0; above 0: so many pictures are missing; -1 after error().
 */
int report_page(const char *name, const struct plan *p, const struct outcome *o,
		const cJSON *set, const char *path);

#endif
