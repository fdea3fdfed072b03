/*
 * codec.h - gradients packed into fewer bytes on their way.
 *
 * A codec turns a vector into codes, and codes into a vector C(v) that is near v. Codes are
 * as long for every vector of the same length and layers. A codec with feedback is given
 * what it left out of the node's earlier gradients (error feedback, Seide et al. 2014):
 *
 *     e <- g + r;   send C(e);   r <- e - C(e)
 */
#ifndef CORE_CODEC_H
#define CORE_CODEC_H

#include "core/run.h"

/*
 * A codec may instead replace the all-reduce of gradients by others, of fewer floats: stage after
 * stage, each computed from the sum of the one before, until every member has the result.
 */
struct codec_allreduce {        /* such an all-reduce of a node, and what it keeps between two */
	bool under_way;
	int stage;              /* 0: nothing was added yet */
	int members;            /* whose gradients are added */
	int64_t count;          /* all-reduces before this one */
	/* NULL in a timing-only run: */
	float *v;               /* [dim] our gradient; at the end the sum of all */
	float *memory;          /* [stage_memory], zeros at first */
	float *sent;            /* what is to be added now, and then its sum; in memory or v */
};

struct codec_input {            /* what a codec is told of a vector */
	size_t n;               /* floats */
	size_t nlayers;         /* at least 1 */
	const struct blob *layers;      /* [nlayers] in their order; NULL: there is one */
	uint64_t seed, count;   /* the address of its random numbers: (seed, RNG_CODEC, ... */
	uint32_t rank;          /* ... rank, count) */
};

struct codec {                  /* plug-in */
	struct plugin plugin;
	bool feedback;          /* needs error feedback */
	bool keeps_norms;       /* ||C(v)|| is ||v|| to rounding, layer by layer */
	/* Words of 32 bits that codes are long. NULL: gradients go as they are. */
	size_t (*words)(const void *conf, size_t n, size_t nlayers);
	/* codes[words] <- those of v[n]. */
	void (*encode)(const void *conf, const struct codec_input *p, const float *v, void *codes);
	/* v[n] <- v + a C, of codes[words] with whatever bits; a is 1 or -1. */
	void (*add)(const void *conf, const struct codec_input *p, const void *codes, float a,
		    float *v);
	/*
	 * Sets s->sent for the stage and returns how many floats it has; 0: the result is in s->v.
	 * NULL: gradients are added as they are, or as codes.
	 */
	size_t (*stage)(const void *conf, const struct codec_input *p, struct codec_allreduce *s);
	/* Floats that a node keeps between stages and between all-reduces. */
	size_t (*stage_memory)(const void *conf, const struct codec_input *p);
};

/* Where the k-th layer ends and the next begins. */
size_t codec_layer_end(const struct codec_input *p, size_t k);

/* True when the run's gradients are packed. */
static inline bool codec_packs(const struct run *run)
{
	return run->codec && run->codec->words;
}

/* True when they are packed, or added in stages: they do not go as they are. */
bool codec_acts(const struct run *run);

/* 0, or error() when the run's algorithm or optimiser does not go with its codec. */
int codec_check(const struct run *run);

/* Bytes of a packed gradient, a multiple of 4; those of its floats when it is not packed. */
size_t codec_bytes(const struct run *run);

/* The same of n floats: of a gradient [dim], or of a part of it, which is one layer. */
size_t codec_part_bytes(const struct run *run, size_t n);

/* Floats that a node keeps between its gradients, node.residual; 0: none. */
size_t codec_memory(const struct run *run);

/* Where its all-reduces go in stages: memory for them, that of the engine; NULL: they do not. */
struct codec_allreduce *codec_open(struct node *nd);

/* The next stage of its all-reduce: floats of nd->allreduce->sent to be added; 0: it is done. */
size_t codec_stage(struct node *nd);

/*
 * codes[codec_part_bytes] <- the node's gradient g[dim], or its part g[n] that begins at nd->part;
 * nothing for NULL, in a timing-only run.
 */
void codec_pack(struct node *nd, size_t n, const float *g, void *codes);

/* v[n] <- what the codes of n floats stand for. */
void codec_unpack(const struct run *run, size_t n, const void *codes, float *v);

/* v[n] <- v + what the codes of n floats stand for. */
void codec_add(const struct run *run, size_t n, const void *codes, float *v);

#endif
