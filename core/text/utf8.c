/* Text in UTF-8: made safe to print, its characters and columns. */
#include "core/text/utf8.h"

#include "core/base/mem.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool utf8_goes_on(unsigned char byte)
{
	return (byte & 0xC0) == 0x80;
}

/* True for overlong forms of shorter characters, surrogates, and numbers above U+10FFFF. */
static bool is_forbidden(const unsigned char *c)
{
	return (c[0] == 0xE0 && c[1] < 0xA0) || (c[0] == 0xED && c[1] > 0x9F) ||
	       (c[0] == 0xF0 && c[1] < 0x90) || (c[0] == 0xF4 && c[1] > 0x8F);
}

/* Bytes of the character at c; 0: it is not UTF-8. */
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

/* Code point of a character of n bytes. */
static uint32_t utf8_decode(const unsigned char *c, size_t n)
{
	uint32_t code = n == 1 ? c[0] : c[0] & (0x7Fu >> n);

	for (size_t i = 1; i < n; i++)
		code = code << 6 | (c[i] & 0x3Fu);
	return code;
}

/*
 * True for C0, DEL, C1, and invisible format characters: those that change the direction of text,
 * line separators, and characters of width 0, except the two that join letters.
 */
static bool is_control(uint32_t code)
{
	static const struct { uint32_t from, to; } hidden[] = {
		{ 0x7F, 0x9F }, { 0x61C, 0x61C }, { 0x180E, 0x180E }, { 0x200B, 0x200B },
		{ 0x200E, 0x200F }, { 0x2028, 0x202E }, { 0x2060, 0x206F }, { 0xFEFF, 0xFEFF },
		{ 0xFFF9, 0xFFFB }, { 0xE0000, 0xE007F },
	};

	if (code < 0x7F)
		return code < ' ' && code != '\n' && code != '\t';
	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (code >= hidden[i].from && code <= hidden[i].to)
			return true;
	return false;
}

static void utf8_clean(char *text, bool controls)
{
	for (unsigned char *c = (unsigned char *)text; *c;) {
		const size_t n = utf8_length(c);

		if (n == 0)
			*c = '?';
		else if (controls && is_control(utf8_decode(c, n)))
			memset(c, ' ', n);
		c += n ? n : 1;
	}
}

void utf8_make_printable(char *text)
{
	utf8_clean(text, true);
}

void utf8_make_valid(char *text)
{
	utf8_clean(text, false);
}

void utf8_puts(const char *name)
{
	scoped char *copy = xstrdup(name);

	if (isatty(STDOUT_FILENO))
		utf8_make_printable(copy);
	puts(copy);
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
