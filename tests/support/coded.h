/* Use of a codec outside of a run, on one vector. */
#ifndef TESTS_SUPPORT_CODED_H
#define TESTS_SUPPORT_CODED_H

#include "core/codec.h"

struct coded {
	struct choice choice;
	const struct codec *codec;
	struct codec_input p;   /* seed 9, rank 1; count: of coded_encode() so far */
	size_t words;
	uint32_t *codes;        /* [words] */
};

/* A codec ("qsgd:levels=3") for vectors [n] of one layer. */
void coded_open(struct coded *k, const char *codec, size_t n);

/* coded_open() for n floats in layers that begin at these offsets. */
void coded_layers(struct coded *k, const char *codec, size_t n, size_t nlayers,
		   const struct blob *layers);
void coded_close(struct coded *k);

/* codes <- the codes of v[n], each time with other random numbers. */
void coded_encode(struct coded *k, const float *v);

/* out[n] <- the decoded vector. */
void coded_decode(const struct coded *k, float *out);

#endif
