/* Tables in plain LaTeX, without packages, that are no wider than the text around them. */
#ifndef REPORT_TEXT_TABULAR_H
#define REPORT_TEXT_TABULAR_H

#include <stdio.h>

/* Begins a table of those columns ("lrr", "lp{.3\linewidth}"), with a line above its heads. */
void tabular_open(const char *columns, FILE *out);

/* Ends it with a line, and sets it in the largest type in which it is no wider than the text. */
void tabular_close(FILE *out);

#endif
