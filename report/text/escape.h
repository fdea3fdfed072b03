/* Any text inside CSV, Markdown, LaTeX or HTML. */
#ifndef REPORT_TEXT_ESCAPE_H
#define REPORT_TEXT_ESCAPE_H

#include <stdio.h>

/* A field, in quotes where it needs them. */
void escape_csv(const char *s, FILE *out);

/* Markdown's running text or a cell: on one line, nothing in it is markup. */
void escape_markdown(const char *s, FILE *out);

/* Running text of LaTeX; signs such as ± and ∞ as mathematics. */
void escape_latex(const char *s, FILE *out);

/* A name of \label and \ref: what is neither letter nor digit becomes '-'. */
void escape_latex_label(const char *prefix, const char *name, FILE *out);

/* Text or an attribute's value between double quotes. */
void escape_html(const char *s, FILE *out);

#endif
