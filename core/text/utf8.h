/* UTF-8: makes texts safe to print, and counts characters and columns. */
#ifndef CORE_TEXT_UTF8_H
#define CORE_TEXT_UTF8_H

#include <stddef.h>

/*
 * Replaces, in place, characters that could control a terminal or disguise a text: control
 * characters (C0 except line breaks and tabs, DEL, C1, those of bidirectional text and other
 * invisible ones) by spaces, and bytes that are not UTF-8 by question marks. The length stays.
 */
void utf8_make_printable(char *text);

/* Replaces only bytes that are not UTF-8. */
void utf8_make_valid(char *text);

/* Prints a name and a newline; on a terminal made printable, else unchanged, for scripts. */
void utf8_puts(const char *name);

/* Length, in bytes, of the first character of n > 0 bytes; 0: it is not UTF-8. */
size_t utf8_character(const char *text, size_t n);

/* Columns of n bytes of UTF-8 on a terminal: one for each character. */
int utf8_columns(const char *text, size_t n);

/* Largest number of bytes, at most n, that ends a character; the text has n bytes at least. */
size_t utf8_whole(const char *text, size_t n);

#endif
