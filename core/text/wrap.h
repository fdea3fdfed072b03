/* Printing of text in lines of limited width. */
#ifndef CORE_TEXT_WRAP_H
#define CORE_TEXT_WRAP_H

#include <stdio.h>

/* Columns of help, and of sentences in `convoy show` and `convoy list`. */
enum { HELP_COLUMNS = 80 };

/*
 * Prints the text and a newline. The cursor is in `column`; a line is broken at a space before
 * `width`, and the next begins at `indent`. Line breaks of the text count as spaces; a word that is
 * longer than a line is not broken.
 */
void wrap_print(const char *text, int column, int indent, int width, FILE *out);

#endif
