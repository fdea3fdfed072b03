/* Measures, pads and wraps UTF-8 text by its columns on a terminal. */
#include "report/text/width.h"

#include "core/base/mem.h"
#include "core/text/utf8.h"

#include <string.h>
#include <sys/ioctl.h>

int text_width(const char *s)
{
	return utf8_columns(s, strlen(s));
}

void text_cut(char *s, int width)
{
	while (*s && width-- > 0) {
		const size_t n = utf8_character(s, strlen(s));

		s += n ? n : 1;
	}
	*s = '\0';
}

void text_pad(const char *s, int width, FILE *out)
{
	int space = width - text_width(s);

	fputs(s, out);
	if (space > 0)
		fprintf(out, "%*s", space, "");
}

static bool is_tail(char c)
{
	return ((unsigned char)c & 0xC0) == 0x80;
}

/* A word that is longer than a line is broken after these, if it has any. */
static bool is_joint(char c)
{
	return strchr(",;:=/", c) != NULL;
}

struct cut {                    /* where a line may end */
	size_t at;              /* in the text; 0: nowhere */
	int columns;            /* of the line up to there */
};

/* Ends the line there; the columns of what is left of it. */
static int cut_line(char *out, size_t *n, struct cut *cut, bool space, int column)
{
	if (!space) {
		memmove(out + cut->at + 1, out + cut->at, *n - cut->at);
		++*n;
	}
	out[cut->at] = '\n';
	cut->at = 0;
	return column - cut->columns;
}

char *text_wrap(const char *s, int width)
{
	char *out = xcalloc(2 * strlen(s) + 1, 1);
	struct cut space = { 0 }, joint = { 0 };
	size_t n = 0;
	int column = 0;

	for (; *s; s++) {
		const bool blank = *s == ' ' || *s == '\n';

		if (column >= width && (blank || !is_tail(*s))) {
			if (!blank && space.at) {
				if (joint.at < space.at)
					joint.at = 0;
				joint.columns -= space.columns;
				column = cut_line(out, &n, &space, true, column);
			} else if (!blank && joint.at) {
				column = cut_line(out, &n, &joint, false, column);
			} else {
				out[n++] = '\n';
				column = 0;
			}
			if (blank || !column)
				joint.at = 0;
			space.at = 0;
			if (blank)
				continue;
		}
		out[n++] = blank ? ' ' : *s;
		column += !is_tail(*s);
		if (blank)
			space = (struct cut){ n - 1, column };
		else if (is_joint(*s))
			joint = (struct cut){ n, column };
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

int text_columns(FILE *out, int otherwise)
{
	struct winsize size = { 0 };

	return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : otherwise;
}
