/* Settings that are small grammars, taken from a text piece by piece, and put back. */
#ifndef CORE_TEXT_PARSE_H
#define CORE_TEXT_PARSE_H

#include <stdbool.h>
#include <stdio.h>

/* A decimal number at *p, not negative nor infinite; moves *p after it. False: none is there. */
bool parse_number(const char **p, double *value);

/* That character, or that word, at *p; moves *p after it. */
bool parse_char(const char **p, char c);
bool parse_word(const char **p, const char *word);

/* FROM-TO, seconds; TO is later. */
bool parse_span(const char **p, double *from, double *to);

struct parse_key {              /* KEY=SECONDS, at least 0 */
	const char *name;
	bool above_0;           /* not 0 either */
};

/*
 * Why such a text of a setting cannot be: error() that names the first of the keys, ended by one
 * without a name, whose value is out of range, or a span that ends before it begins. Else 0.
 */
int parse_refuse(const char *setting, const char *text, const struct parse_key *keys);

/* The shortest digits that parse_number() reads back to the same value. */
void put_number(double value, FILE *out);

/* FROM-TO, or FROM alone where TO is infinite. */
void put_span(double from, double to, FILE *out);

/* What put() writes of each of n things of a list, joined by '+'; "none" of 0. The caller frees. */
char *list_text(size_t n, void (*put)(const void *of, size_t i, FILE *out), const void *of);

#endif
