/* Whole numbers from environment variables. */
#ifndef CORE_BASE_ENV_H
#define CORE_BASE_ENV_H

#include <stdbool.h>
#include <stdio.h>

/*
 * The variable's whole number, 1 to `most`, in decimal digits alone; 0: it is not set, or
 * empty; -1: it holds something else.
 */
int env_count(const char *name, int most);

/* env_count() for a text, which must not be NULL. */
int text_count(const char *text, int most);

/* ---- whether output goes to a terminal that moves its cursor, and shows colours ---- */

/* True when `out` is a terminal (or $CONVOY_TERMINAL says so), unless $TERM is unset or dumb. */
bool terminal_moves(FILE *out);

/* terminal_moves(), but false if $NO_COLOR is set and not empty. */
bool terminal_colour(FILE *out);

#endif
