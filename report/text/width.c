/* Measures, pads and wraps UTF-8 text by its columns on a terminal. */
#include "report/text/width.h"

#include "core/base/mem.h"
#include "core/text/utf8.h"

#include <string.h>

int text_width(const char *s)
{
	return utf8_columns(s, strlen(s));
}

void text_pad(const char *s, int width, bool right, FILE *out)
{
	int space = width - text_width(s);

	if (right && space > 0)
		fprintf(out, "%*s", space, "");
	fputs(s, out);
	if (!right && space > 0)
		fprintf(out, "%*s", space, "");
}

static bool is_tail(char c)
{
	return ((unsigned char)c & 0xC0) == 0x80;
}

char *text_wrap(const char *s, int width)
{
	char *out = xcalloc(2 * strlen(s) + 1, 1);
	size_t n = 0, blank = 0;        /* where the line may end; 0: nowhere */
	int column = 0, after = 0;      /* of these, up to and with that blank */

	for (; *s; s++) {
		if (column >= width && *s == ' ') {
			out[n++] = '\n';
			column = 0;
			blank = 0;
			continue;
		}
		if (column >= width && !is_tail(*s)) {
			if (blank)
				out[blank] = '\n';
			else
				out[n++] = '\n';
			column = blank ? column - after : 0;
			blank = 0;
		}
		out[n++] = *s == '\n' ? ' ' : *s;
		column += !is_tail(*s);
		if (*s == ' ' || *s == '\n') {
			blank = n - 1;
			after = column;
		}
	}
	return out;
}

int text_lines(const char *s)
{
	int lines = 1;

	for (; *s; s++)
		lines += *s == '\n';
	return lines;
}

int text_longest_line(const char *s)
{
	int longest = 0, column = 0;

	for (; *s; s++) {
		column = *s == '\n' ? 0 : column + !is_tail(*s);
		longest = column > longest ? column : longest;
	}
	return longest;
}
