/* Parsing and printing of settings with a small grammar, piece by piece. */
#ifndef CORE_TEXT_PARSE_H
#define CORE_TEXT_PARSE_H

#include <stdbool.h>
#include <stdio.h>

/* Parses a decimal number, not negative nor infinite, at *p, and moves *p after it; else false. */
bool parse_number(const char **p, double *value);

/* Parses a time, as parse_number() or with a unit: 90, 1.5min. */
bool parse_time(const char **p, double *seconds);

/* Move *p after that character or word if it is there; else false. */
bool parse_char(const char **p, char c);
bool parse_word(const char **p, const char *word);

/* Parses FROM-TO, of parse_time(), TO after FROM. */
bool parse_span(const char **p, double *from, double *to);

struct parse_key {              /* KEY=SECONDS, at least 0 */
	const char *name;
	bool above_0;           /* not 0 either */
};

/*
 * error() if the value of a key in the text is out of range, a time after '@' has an unknown unit,
 * a span ends before it begins, or a word is near one of `words` (NULL-ended) and none of them;
 * else 0. `keys` ends with an entry without a name.
 */
int parse_refuse(const char *setting, const char *text, const struct parse_key *keys,
		 const char *const *words);

/* Prints the shortest digits that parse_number() reads back to the same value. */
void put_number(double value, FILE *out);

/* Prints FROM-TO, or FROM alone if TO is infinite. */
void put_span(double from, double to, FILE *out);

/*
 * Text of a list of n items: what put() prints of each, joined by '+'; "none" if n is 0. The caller
 * frees.
 */
char *list_text(size_t n, void (*put)(const void *of, size_t i, FILE *out), const void *of);

#endif
