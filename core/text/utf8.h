/* Text in UTF-8: made safe to print, its characters and columns. */
#ifndef CORE_TEXT_UTF8_H
#define CORE_TEXT_UTF8_H

#include <stddef.h>

/*
 * Replaces, in place, what could drive a terminal or show a text as another: control characters
 * (C0 but for line breaks and tabs, DEL, C1, those of bidirectional text and other ones that are
 * not seen) by spaces, and bytes that are not UTF-8 by question marks. The length stays.
 */
void utf8_make_printable(char *text);

/* Replaces only bytes that are not UTF-8. */
void utf8_make_valid(char *text);

/* Prints a name and a newline: on a terminal made printable, elsewhere as it is, for scripts. */
void utf8_puts(const char *name);

/* Bytes of the character at the beginning of n > 0 bytes; 0: it is not UTF-8. */
size_t utf8_character(const char *text, size_t n);

/* Columns of n bytes of UTF-8 on a terminal: characters. */
int utf8_columns(const char *text, size_t n);

/* The most bytes, n at most, that do not end inside a character. */
size_t utf8_whole(const char *text, size_t n);

#endif
