/* From runs to tables, plots and verdicts. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "record/record.h"

#include <cjson/cJSON.h>
#include <stdio.h>

/* ---- check.c: docs/specs.md says what tables, plots, published and claims mean ---- */

/*
 * Checks the sections "published", "tables", "plots" and "claims" of a spec: 0,
 * or error() naming the position, the key and the nearest choice.
 */
int report_check(const cJSON *spec, const char *path);

/* ---- slips.c: values that select runs, and that no run can have ---- */

/*
 * Warns of each value in a "where" of the spec's tables and plots, and of each setting of its
 * published cells, that stands for its setting in no grid, base or baseline of the spec or of its
 * scales, with the nearest that does. A number of a cell may also stand on the axis of a plot that
 * shows published points. `defaults` are {setting: text}, for what the spec leaves open; `path` is
 * the spec's. Also warns of the first table or plot with speedups, if there is no baseline.
 */
void slips_warn(const cJSON *spec, const cJSON *defaults, const char *path);

/* Whether the spec or one of its scales has a baseline, which speedups are over. */
bool spec_has_baseline(const cJSON *spec);

/* How tables and the like are printed: see table/table.h. */
enum table_format { TABLE_TEXT, TABLE_MARKDOWN, TABLE_CSV, TABLE_JSON, TABLE_LATEX,
		    TABLE_TEX };        /* the same again */
extern const char *const table_format_name[];   /* "text" "md" .., NULL-ended */

/*
 * plot/gantt.c: draws a trace's timeline as DIR/NAME.svg and .png, with script and data, as
 * plot_write() does. Where there are more spans than can be seen, a bar shows what filled most of
 * it. 0 or error().
 */
struct trace;
struct texts;
int trace_plot(const struct trace *t, const char *dir, const char *name, const char *format,
	       struct texts *paths);

#endif
