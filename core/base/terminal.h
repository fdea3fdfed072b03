/* Whether output goes to a terminal that moves its cursor, and shows colours. */
#ifndef CORE_BASE_TERMINAL_H
#define CORE_BASE_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* True of a terminal, or where $CONVOY_TERMINAL says so, unless $TERM is unset or dumb. */
bool terminal_moves(FILE *out);

/* The same, unless $NO_COLOR is set and not empty. */
bool terminal_colour(FILE *out);

#endif
