/* Writes HTML tags and escaped text, well-formed as XML. */
#include "report/page/html.h"

#include "report/text/escape.h"

#include <stdarg.h>

static void put_tag(FILE *out, const char *tag, va_list ap, const char *end)
{
	const char *name;

	fprintf(out, "<%s", tag);
	while ((name = va_arg(ap, const char *))) {
		fprintf(out, " %s=\"", name);
		escape_html(va_arg(ap, const char *), out);
		putc('"', out);
	}
	fputs(end, out);
}

void html_open(FILE *out, const char *tag, ...)
{
	va_list ap;

	va_start(ap, tag);
	put_tag(out, tag, ap, ">");
	va_end(ap);
}

void html_void(FILE *out, const char *tag, ...)
{
	va_list ap;

	va_start(ap, tag);
	put_tag(out, tag, ap, "/>\n");
	va_end(ap);
}

void html_close(FILE *out, const char *tag)
{
	fprintf(out, "</%s>\n", tag);
}

void html_leaf(FILE *out, const char *tag, const char *class, const char *text)
{
	if (class)
		html_open(out, tag, "class", class, NULL);
	else
		html_open(out, tag, NULL);
	escape_html(text, out);
	html_close(out, tag);
}
