/* Rows of texts in any format: what is printed that is no table of an experiment. */
#ifndef REPORT_TEXT_GRID_H
#define REPORT_TEXT_GRID_H

#include "report/report.h"

/*
 * Prints a list of rows, each a list of as many texts, the first of them the heads: aligned, as
 * Markdown, CSV or LaTeX. TABLE_JSON: an object per row, by its heads.
 */
void grid_print(const cJSON *rows, enum table_format format, FILE *out);

/* Appends a row of the texts that follow, up to NULL, to the list, and returns it. */
cJSON *grid_row(cJSON *rows, ...);

#endif
