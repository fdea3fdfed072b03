/*
 * codec.h - gradients packed into fewer bytes on their way.
 *
 * A codec turns a vector into codes, and codes into a vector C(v) that is near v. Codes are
 * as long for every vector of the same length and layers. A codec that remembers is given
 * what it left out of the node's earlier gradients (error feedback, Seide et al. 2014):
 *
 *     e <- g + r;   send C(e);   r <- e - C(e)
 */
#ifndef CORE_CODEC_H
#define CORE_CODEC_H

#include "core/run.h"

struct codec_input {            /* what a codec is told of a vector */
	size_t n;               /* floats */
	size_t nlayers;         /* at least 1 */
	const struct blob *layers;      /* [nlayers] in their order; NULL: there is one */
	uint64_t seed, count;   /* the address of its random numbers: (seed, RNG_CODEC, ... */
	uint32_t rank;          /* ... rank, count) */
};

struct codec {                  /* plug-in */
	struct plugin plugin;
	bool remembers;         /* needs error feedback */
	bool keeps_norms;       /* ||C(v)|| is ||v|| to rounding, layer by layer */
	/* Words of 32 bits that codes are long. NULL: gradients go as they are. */
	size_t (*words)(const void *conf, size_t n, size_t nlayers);
	/* codes[words] <- those of v[n]. */
	void (*encode)(const void *conf, const struct codec_input *p, const float *v, void *codes);
	/* v[n] <- v + a C, of codes[words] with whatever bits; a is 1 or -1. */
	void (*add)(const void *conf, const struct codec_input *p, const void *codes, float a,
		    float *v);
};

/* Where the k-th layer ends and the next begins. */
size_t codec_layer_end(const struct codec_input *p, size_t k);

/* True when the run's gradients are packed. */
bool codec_packs(const struct run *run);

/* 0, or error() when the run's algorithm or optimiser does not go with its codec. */
int codec_check(const struct run *run);

/* Bytes of a packed gradient, a multiple of 4; those of its floats when it is not packed. */
size_t codec_bytes(const struct run *run);

/* Floats that a node keeps between its gradients, node.residual; 0: none. */
size_t codec_memory(const struct run *run);

/* codes[codec_bytes] <- the node's gradient g[dim]; nothing for NULL, in a timing-only run. */
void codec_pack(struct node *nd, const float *g, void *codes);

/* v[dim] <- what the codes stand for. */
void codec_unpack(const struct run *run, const void *codes, float *v);

/* v[dim] <- v + what the codes stand for. */
void codec_add(const struct run *run, const void *codes, float *v);

#endif
