/* Columns of text on a terminal, and lines of a given width. */
#ifndef REPORT_TEXT_WIDTH_H
#define REPORT_TEXT_WIDTH_H

#include <stdio.h>

/* Columns of a UTF-8 text. */
int text_width(const char *s);

/* Cuts the text, in place, to its first `width` columns. */
void text_cut(char *s, int width);

/* Writes the text at the left edge of a field of that width. */
void text_pad(const char *s, int width, FILE *out);

/*
 * The text with line breaks for spaces, so that no line is longer than width, of at least 4; a
 * word that is, is broken, after one of ",;:=/" if it has any. Line breaks of its own are spaces.
 * The caller frees.
 */
char *text_wrap(const char *s, int width);

/* Lines of a text: line breaks and one. */
int text_lines(const char *s);

/* Columns of its longest line. */
int text_longest_line(const char *s);

/* Columns of the terminal that `out` is; `otherwise`: it is none, or does not say. */
int text_columns(FILE *out, int otherwise);

#endif
