/*
 * carried.h - what a gradient of a net with memory takes over from the one before it.
 *
 * A batch reads streams of text, each a part of a text in order. A net with memory keeps rows of
 * its layers' inputs for each stream; the next batch of the same streams reads them. They are a
 * part of a gradient's input, like its batch: a gradient is a function of (x, batch, carried).
 */
#ifndef CORE_CARRIED_H
#define CORE_CARRIED_H

#include <stddef.h>

/* Of a problem. */
struct carry {
	size_t floats;          /* of a stream; 0: nothing is carried */
	size_t rows;            /* tokens that are kept at most */
	size_t step;            /* tokens that a batch adds */
};

/* Of one gradient. */
struct carried {
	const float *in;        /* [streams][floats]; read where rows is not 0 */
	size_t rows;            /* tokens that are kept so far */
	float *out;             /* [streams][floats] <- for the next one; NULL: not asked for */
};

/* Tokens that are kept after a batch. */
static inline size_t carry_rows(const struct carry *c, size_t rows)
{
	return rows + c->step < c->rows ? rows + c->step : c->rows;
}

#endif
