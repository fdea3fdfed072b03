/*
 * fixed.h - codes of a few bits for each float, and a few numbers for each stretch of them.
 *
 *     | numbers of stretch 0 | of stretch 1 | ... | code 0, code 1, ... , in words of 32 bits |
 *
 * A stretch is a layer, or a fixed number of floats. Code i is in word i / p, with p = 32 / width
 * codes in a word, the first in the lowest bits; the unused bits of a word are 0. Random numbers
 * for the floats from b * fixed_block() on are drawn at (seed, RNG_CODEC, rank, count * 2^24 + b).
 */
#ifndef ALGOS_CODEC_FIXED_H
#define ALGOS_CODEC_FIXED_H

#include "core/codec.h"
#include "core/math/bits.h"

enum { FIXED_WIDTH = 8 };        /* bits of a code at most */

struct fixed {
	int numbers;            /* numbers (floats) that describe a stretch */
	bool draws;             /* true: the codec rounds at random */
	/* numbers[] <- the numbers that describe the stretch v[n]. */
	void (*measure)(const void *conf, size_t n, const float *v, float *numbers);
	/* code[n] <- the codes of v[n]; u[n] is uniform in [0, 1) if the codec draws. */
	void (*quantise)(const void *conf, const float *numbers, size_t n, const float *v,
			 const float *u, uint8_t *code);
	/* value[2^width] <- the value that each code stands for. */
	void (*values)(const void *conf, const float *numbers, float *value);
};

struct fixed_form {
	int width;              /* bits of a code */
	size_t stretch;         /* floats of a stretch; 0: each layer is one */
};

/* |x|, without a branch. */
static inline float fixed_size_of(float x)
{
	return float_of_bits(float_bits(x) & 0x7fffffff);
}

size_t fixed_words(const struct fixed *f, struct fixed_form form, size_t n, size_t nlayers);
void fixed_encode(const struct fixed *f, struct fixed_form form, const void *conf,
		  const struct codec_input *p, const float *v, void *codes);
void fixed_add(const struct fixed *f, struct fixed_form form, const void *conf,
	       const struct codec_input *p, const void *codes, float a, float *v);

/* The sum of squares in double, in an order that every processor keeps. */
double fixed_squares(size_t n, const float *v);

#endif
