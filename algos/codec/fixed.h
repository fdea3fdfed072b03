/*
 * fixed.h - codes of a few bits for each float, and a few numbers for each stretch of them.
 *
 *     | numbers of stretch 0 | of stretch 1 | ... | code 0, code 1, ... , in words of 32 bits |
 *
 * A stretch is a layer, or so many floats. Code i stands in word i / p, p = 32 / width codes
 * in a word, the first in the lowest bits; what is left of a word is 0. Random numbers: those
 * of the floats from b * fixed_block() on lie at (seed, RNG_CODEC, rank, count * 2^24 + b).
 */
#ifndef ALGOS_CODEC_FIXED_H
#define ALGOS_CODEC_FIXED_H

#include "core/codec.h"

#include <string.h>

enum { FIXED_WIDTH = 8 };        /* bits of a code at most */

struct fixed {
	int numbers;            /* floats of a stretch */
	bool draws;             /* it rounds at random */
	/* numbers[] <- those of the stretch v[n]. */
	void (*measure)(const void *conf, size_t n, const float *v, float *numbers);
	/* code[n] <- those of v[n]; u[n] is uniform in [0, 1), where the codec draws. */
	void (*quantise)(const void *conf, const float *numbers, size_t n, const float *v,
			 const float *u, uint8_t *code);
	/* value[2^width] <- what codes stand for. */
	void (*values)(const void *conf, const float *numbers, float *value);
};

struct fixed_form {
	int width;              /* bits of a code */
	size_t stretch;         /* floats; 0: a layer each */
};

static inline uint32_t fixed_bits(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

/* |x|, without a branch. */
static inline float fixed_size_of(float x)
{
	const uint32_t bits = fixed_bits(x) & 0x7fffffff;
	float size;

	memcpy(&size, &bits, sizeof(size));
	return size;
}

size_t fixed_words(const struct fixed *f, struct fixed_form form, size_t n, size_t nlayers);
void fixed_encode(const struct fixed *f, struct fixed_form form, const void *conf,
		  const struct codec_input *p, const float *v, void *codes);
void fixed_add(const struct fixed *f, struct fixed_form form, const void *conf,
	       const struct codec_input *p, const void *codes, float a, float *v);

/* The sum of squares in double, in an order that every processor keeps. */
double fixed_squares(size_t n, const float *v);

#endif
