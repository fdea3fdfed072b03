/*
 * take.h - settings that are small grammars, taken from a text piece by piece.
 */
#ifndef CMD_TAKE_H
#define CMD_TAKE_H

#include <stdbool.h>

/* A number at *p that is not negative, nor infinite; moves *p behind it. False: none is there. */
bool take_number(const char **p, double *value);

/* That character, or that word, at *p; moves *p behind it. */
bool take_char(const char **p, char c);
bool take_word(const char **p, const char *word);

/* FROM-TO, seconds; TO is later. */
bool take_span(const char **p, double *from, double *to);

#endif
