/* Sentences of commands, folded on a terminal. */
#ifndef REPORT_TEXT_SAY_H
#define REPORT_TEXT_SAY_H

#include <stdio.h>

/*
 * Prints the line, and a newline; the cursor is in `column`. If `out` is a terminal that is
 * narrower, breaks the line at spaces, and begins the next lines at `indent`.
 */
void say_line(const char *line, int column, int indent, FILE *out);

/*
 * printf() of sentences, whole or in parts, to stdout: each line by say_line(), with further lines
 * indented by two columns more. Tables, and settings to be copied, are printed by printf().
 */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
