/* Elements and text of a page: well-formed as XML too, and nothing in a text is markup. */
#ifndef REPORT_PAGE_HTML_H
#define REPORT_PAGE_HTML_H

#include <stdio.h>

/* <TAG NAME="VALUE"...>: names and values follow in pairs, up to NULL. */
void html_open(FILE *out, const char *tag, ...);
void html_close(FILE *out, const char *tag);

/* The same for an element without content: <TAG NAME="VALUE"/>. */
void html_void(FILE *out, const char *tag, ...);

/* <TAG class="CLASS">TEXT</TAG>; class NULL: none. */
void html_leaf(FILE *out, const char *tag, const char *class, const char *text);

/*
 * Inlines an SVG file: shapes and texts alone, without what could run, load or reach out of it.
 * Its ids begin with `prefix`, `label` says what is seen. 0, or error() when it cannot be read:
 * nothing is written then.
 */
int html_svg(FILE *out, const char *path, const char *prefix, const char *label);

/* The style sheet of all pages. */
extern const char html_style[];

/* Style of the pages of answers: an answer on top, pictures, and one A4 when printed. */
extern const char html_answer_style[];

#endif
