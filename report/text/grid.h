/* Rows of texts in any format: what is printed that is no table of an experiment. */
#ifndef REPORT_TEXT_GRID_H
#define REPORT_TEXT_GRID_H

#include "report/report.h"

#include <stddef.h>
#include <stdio.h>

struct text_grid {
	char **cell;            /* [rows * columns], owned; those of the first row are the heads */
	size_t rows, columns;
};

/* A grid without rows; grid_free() frees it. */
struct text_grid *grid_new(void);
void grid_free(struct text_grid *g);

/* Appends a row of the texts that follow, up to NULL: as many as the first row has. */
void grid_row(struct text_grid *g, ...);

/*
 * Prints all rows aligned, as Markdown, CSV or LaTeX. TABLE_JSON: an object per row, by its heads.
 */
void grid_print(const struct text_grid *g, enum table_format format, FILE *out);

/* ---- tables in plain LaTeX, without packages, no wider than the text around them ---- */

/* Begins a table of those columns ("lrr", "lp{.3\linewidth}"), with a line above its heads. */
void tabular_open(const char *columns, FILE *out);

/* Ends it with a line, and sets it in the largest type in which it is no wider than the text. */
void tabular_close(FILE *out);

#endif
