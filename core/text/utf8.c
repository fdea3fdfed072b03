/* Text in UTF-8: made safe to print, its characters and columns. */
#include "core/text/utf8.h"

#include "core/base/mem.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool utf8_goes_on(unsigned char byte)
{
	return (byte & 0xC0) == 0x80;
}

/* Overlong forms of shorter characters, surrogates, and what is above U+10FFFF. */
static bool is_forbidden(const unsigned char *c)
{
	return (c[0] == 0xE0 && c[1] < 0xA0) || (c[0] == 0xED && c[1] > 0x9F) ||
	       (c[0] == 0xF0 && c[1] < 0x90) || (c[0] == 0xF4 && c[1] > 0x8F);
}

/* Bytes of the character that begins there; 0: it is not UTF-8. */
static size_t utf8_length(const unsigned char *c)
{
	size_t n = 0;

	if (c[0] < 0x80)
		n = 1;
	else if (c[0] >= 0xC2 && c[0] < 0xF5)
		n = c[0] < 0xE0 ? 2 : c[0] < 0xF0 ? 3 : 4;
	for (size_t i = 1; i < n; i++)
		if (!utf8_goes_on(c[i]))
			return 0;
	return n > 2 && is_forbidden(c) ? 0 : n;
}

size_t utf8_character(const char *text, size_t n)
{
	unsigned char c[4] = { 0 };
	size_t length;

	memcpy(c, text, n < sizeof(c) ? n : sizeof(c));
	length = utf8_length(c);
	return length > n ? 0 : length;
}

/* C0, DEL and C1 (U+0080 to U+009F). */
static bool is_control(const unsigned char *c, size_t n)
{
	return n == 1 ? (c[0] < ' ' && c[0] != '\n' && c[0] != '\t') || c[0] == 127 :
			n == 2 && c[0] == 0xC2 && c[1] < 0xA0;
}

void utf8_make_printable(char *text)
{
	for (unsigned char *c = (unsigned char *)text; *c;) {
		const size_t n = utf8_length(c);

		if (n == 0)
			*c = '?';
		else if (is_control(c, n))
			memset(c, ' ', n);
		c += n ? n : 1;
	}
}

void utf8_puts(const char *name)
{
	char *copy = xstrdup(name);

	if (isatty(STDOUT_FILENO))
		utf8_make_printable(copy);
	puts(copy);
	free(copy);
}

int utf8_columns(const char *text, size_t n)
{
	int columns = 0;

	for (size_t i = 0; i < n; i++)
		columns += !utf8_goes_on((unsigned char)text[i]);
	return columns;
}

size_t utf8_whole(const char *text, size_t n)
{
	while (n && utf8_goes_on((unsigned char)text[n]))
		n--;
	return n;
}
