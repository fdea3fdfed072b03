/* Prints a text in lines of limited width, broken at spaces. */
#include "core/text/wrap.h"

#include <stdbool.h>
#include <string.h>

/* Columns of n bytes of UTF-8. */
static int wrap_columns(const char *word, size_t n)
{
	int columns = 0;

	for (size_t i = 0; i < n; i++)
		columns += ((unsigned char)word[i] & 0xC0) != 0x80;
	return columns;
}

void wrap_print(const char *text, int column, int indent, int width, FILE *out)
{
	for (bool first = true; *(text += strspn(text, " \n")); first = false) {
		const size_t n = strcspn(text, " \n");
		const int columns = wrap_columns(text, n);

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
