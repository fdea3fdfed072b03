/* Prints a text in lines of limited width, broken at spaces. */
#include "core/text/wrap.h"

#include "core/text/utf8.h"

#include <stdbool.h>
#include <string.h>

void wrap_print(const char *text, int column, int indent, int width, FILE *out)
{
	for (bool first = true; *(text += strspn(text, " \n")); first = false) {
		const size_t n = strcspn(text, " \n");
		const int columns = utf8_columns(text, n);

		if (!first && column + 1 + columns > width) {
			fprintf(out, "\n%*s", indent, "");
			column = indent;
		} else if (!first) {
			putc(' ', out);
			column++;
		}
		fprintf(out, "%.*s", (int)n, text);
		column += columns;
		text += n;
	}
	putc('\n', out);
}
