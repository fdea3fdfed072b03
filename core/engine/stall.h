/* Who waits for what, when nothing is left to happen. */
#ifndef CORE_ENGINE_STALL_H
#define CORE_ENGINE_STALL_H

#include "core/node.h"

#include <stdbool.h>

enum waits { WAITS_ALLREDUCE, WAITS_MESSAGE, WAITS_NOTHING, WAITS_STOPPED, WAITS_KINDS,
	     WAITS_AWAY };	/* is not there: nothing is said of it */

/* What a node waits for that computes no gradient: its all-reduce, a message, or nothing at all. */
enum waits stall_waits(const struct node *nd, bool allreducing, bool stopped);

/*
 * text[size] <- who waits for what, kind by kind: "ranks 0, 2-4 wait for a message; the server
 * waits for a message". what[n] is of the workers in the order of their ranks, then of the server,
 * if n > workers. What does not fit is cut off.
 */
void stall_text(const enum waits *what, int n, int workers, char *text, size_t size);

#endif
