/* Rows of texts in any format: what is printed that is no table of an experiment. */
#ifndef REPORT_TEXT_GRID_H
#define REPORT_TEXT_GRID_H

#include "report/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct text_grid {
	char **cell;            /* [rows * columns], owned; those of the first row are the heads */
	size_t rows, columns;
	bool numbers;           /* in Markdown all columns but the first are right-aligned */
};

/* A grid without rows; grid_free() frees it, and does nothing with NULL. */
struct text_grid *grid_new(void);
void grid_free(struct text_grid *g);

/* grid_free() at the end of the block: scoped_grid struct text_grid *rows = grid_new(). */
#define scoped_grid scoped_by(grid_scoped)
void grid_scoped(struct text_grid **g);

/* Appends a row of the texts that follow, up to NULL: as many as the first row has. */
void grid_row(struct text_grid *g, ...);

/* Appends a row of n texts, which are taken over. */
void grid_row_own(struct text_grid *g, char *const *cell, size_t n);

/*
 * Prints all rows aligned, as Markdown, CSV or LaTeX. TABLE_JSON: an object per row, by its heads.
 */
void grid_print(const struct text_grid *g, enum table_format format, FILE *out);

/* ---- tables in LaTeX, with the rules of booktabs ---- */

/* The line before a table. */
#define LATEX_NEEDS "% Needs \\usepackage{booktabs}.\n"

/* Characters of a line of text in type of the usual size, and of the gap between columns, about. */
enum { LATEX_LINE = 90, LATEX_GAP = 2 };

/*
 * Begins a table of those columns ("lrr", "lp{.3\linewidth}"), with a line above its heads, and
 * ends it with a line. A wide one is set in the largest type in which it is no wider than the text.
 */
void tabular_open(const char *columns, bool wide, FILE *out);
void tabular_close(bool wide, FILE *out);

#endif
