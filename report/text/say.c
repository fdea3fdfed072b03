/* Prints sentences: folded at the width of a terminal, as they are elsewhere. */
#include "report/text/say.h"

#include "core/base/mem.h"
#include "core/text/utf8.h"
#include "core/text/wrap.h"
#include "report/text/width.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void say_line(const char *line, int column, int indent, FILE *out)
{
	const int columns = text_columns(out, 0);

	if (columns && column + text_width(line) > columns)
		wrap_print(line, column, indent, columns, out);
	else
		fprintf(out, "%s\n", line);
}

void say(const char *fmt, ...)
{
	static char *begun;             /* of a line, on a terminal; NULL: nothing */
	char *text, *line, *end;
	va_list args;

	va_start(args, fmt);
	text = xvasprintf(fmt, args);
	va_end(args);
	if (isatty(STDOUT_FILENO))
		utf8_make_printable(text);
	if (!text_columns(stdout, 0)) {
		fputs(text, stdout);
		free(text);
		return;
	}
	xappend(&begun, "", text);
	free(text);
	for (line = begun; (end = strchr(line, '\n')); line = end + 1) {
		const int indent = (int)strspn(line, " ");

		*end = '\0';
		printf("%*s", indent, "");
		say_line(line + indent, indent, indent + 2, stdout);
	}
	text = *line ? xstrdup(line) : NULL;
	free(begun);
	begun = text;
}
