/* Texts in lines of limited width. */
#ifndef CORE_TEXT_WRAP_H
#define CORE_TEXT_WRAP_H

#include <stdio.h>

/* Columns of help, and of what `convoy show` and `convoy list` print in sentences. */
enum { HELP_COLUMNS = 80 };

/*
 * Prints the text and a newline. The cursor is at `column`; a line that reaches `width` ends at a
 * space, and the next begins at `indent`. Line breaks of the text are spaces; a word of more
 * columns is not broken.
 */
void wrap_print(const char *text, int column, int indent, int width, FILE *out);

#endif
