/* Any text inside CSV, Markdown, LaTeX or HTML, and fields of a line of CSV. */
#ifndef REPORT_TEXT_ESCAPE_H
#define REPORT_TEXT_ESCAPE_H

#include <stdio.h>

/* A field, in quotes where it needs them. */
void escape_csv(const char *s, FILE *out);

/* A comma and a text, or a number with all its digits: nothing where it is NULL, or NaN. */
void csv_text(const char *text, FILE *out);
void csv_number(double x, FILE *out);

/*
 * A text that joins n values by ", " as n fields, with a comma between them. A comma and a blank
 * within a value can only be told in the last one.
 */
void csv_joined(const char *text, int n, FILE *out);

/* How many a text joins: 1 + its ", ". */
int csv_count(const char *text);

/* Markdown's running text or a cell: on one line, nothing in it is markup. */
void escape_markdown(const char *s, FILE *out);

/* Running text of LaTeX; signs such as ± and ∞ as mathematics. */
void escape_latex(const char *s, FILE *out);

/* A name of \label and \ref: what is neither letter nor digit becomes '-'. */
void escape_latex_label(const char *prefix, const char *name, FILE *out);

/* Text or an attribute's value between double quotes. */
void escape_html(const char *s, FILE *out);

/* The text before `to` as it was before escape_html(); the caller frees. */
char *unescape_html(const char *from, const char *to);

#endif
