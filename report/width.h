/*
 * width.h - columns of text on a terminal.
 */
#ifndef REPORT_WIDTH_H
#define REPORT_WIDTH_H

#include <stdbool.h>
#include <stdio.h>

/* Columns of a UTF-8 text. */
int text_width(const char *s);

/* Writes the text in a field of that width, at its left or right edge. */
void text_pad(const char *s, int width, bool right, FILE *out);

#endif
