/* Rows of texts in any format: what is printed that is no table of an experiment. */
#ifndef REPORT_TEXT_GRID_H
#define REPORT_TEXT_GRID_H

#include "report/report.h"

#include <stdio.h>

/*
 * Prints a list of rows, each a list of as many texts, the first of them the heads: aligned, as
 * Markdown, CSV or LaTeX. TABLE_JSON: an object per row, by its heads.
 */
void grid_print(const cJSON *rows, enum table_format format, FILE *out);

/* Appends a row of the texts that follow, up to NULL, to the list, and returns it. */
cJSON *grid_row(cJSON *rows, ...);

/* ---- tables in plain LaTeX, without packages, no wider than the text around them ---- */

/* Begins a table of those columns ("lrr", "lp{.3\linewidth}"), with a line above its heads. */
void tabular_open(const char *columns, FILE *out);

/* Ends it with a line, and sets it in the largest type in which it is no wider than the text. */
void tabular_close(FILE *out);

#endif
