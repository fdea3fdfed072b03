/*
 * codec.h - codecs: gradients are packed into fewer bytes to be sent.
 *
 * A codec turns a vector v into codes, and codes into a vector C(v) near v. Vectors of equal length
 * and layers have codes of equal length. A codec with error feedback (Seide et al. 2014) adds to a
 * gradient g what its codes left out of the node's earlier ones, r:
 *
 *     e <- g + r;   send C(e);   r <- e - C(e)
 */
#ifndef CORE_CODEC_H
#define CORE_CODEC_H

#include "core/run.h"

/*
 * A codec may instead replace the all-reduce of gradients by all-reduces of fewer floats, in
 * stages: each stage is computed from the sum that the one before gave, until every member has the
 * result.
 */
struct codec_allreduce {        /* a staged all-reduce of a node, and its state between two */
	bool under_way;
	int stage;              /* 0: nothing was added yet */
	int members;            /* workers whose gradients are added */
	int64_t count;          /* all-reduces before this one */
	/* NULL in a timing-only run: */
	float *v;               /* [dim] this node's gradient; at the end the sum of all */
	float *memory;          /* [stage_memory], zeros at first */
	float *sent;            /* floats to add in this stage, then their sum; in memory or v */
};

struct codec_input {            /* facts about a vector for its codec */
	size_t n;               /* floats */
	size_t nlayers;         /* at least 1 */
	const struct blob *layers;      /* [nlayers] in their order; NULL: there is one */
	uint64_t seed, count;   /* the address of its random numbers: (seed, RNG_CODEC, ... */
	uint32_t rank;          /* ... rank, count) */
};

struct codec {                  /* plug-in */
	struct plugin plugin;
	bool feedback;          /* needs error feedback */
	/* Factor on r before a gradient is added: e <- g + decay r. NULL: 1. */
	double (*decay)(const void *conf);
	bool keeps_norms;       /* ||C(v)|| is ||v|| to rounding, layer by layer */
	/*
	 * Bytes of a code that is one float, so that all-reduces add codes: the sum of the decoded
	 * floats, itself encoded. 0: codes cannot be added, every member gets those of all.
	 */
	int float_bytes;
	/* Length of the codes in words of 32 bits. NULL: gradients are sent as floats. */
	size_t (*words)(const void *conf, size_t n, size_t nlayers);
	/* codes[words] <- the codes of v[n]. */
	void (*encode)(const void *conf, const struct codec_input *p, const float *v, void *codes);
	/*
	 * v[n] <- v + a C, where C is decoded from codes[words], which may be any bits; a is 1 or
	 * -1.
	 */
	void (*add)(const void *conf, const struct codec_input *p, const void *codes, float a,
		    float *v);
	/*
	 * Sets s->sent for the stage and returns how many floats it has; 0: the result is in s->v.
	 * NULL: gradients are not added in stages.
	 */
	size_t (*stage)(const void *conf, const struct codec_input *p, struct codec_allreduce *s);
	/* Floats that a node keeps between stages and between all-reduces. */
	size_t (*stage_memory)(const void *conf, const struct codec_input *p);
	/* All-reduces of whole gradients, with these settings, before stages begin. NULL: 0. */
	int64_t (*first)(const void *conf);
};

/* Offset, in floats, at which the k-th layer ends. */
size_t codec_layer_end(const struct codec_input *p, size_t k);

/* The codec of what a run sends as gradients: its algorithm's own, or that of its settings. */
static inline const struct codec *codec_of(const struct run *run)
{
	return run->algo && run->algo->codec ? run->algo->codec : run->codec;
}

/* True when the run's gradients are packed. */
static inline bool codec_packs(const struct run *run)
{
	const struct codec *codec = codec_of(run);

	return codec && codec->words;
}

/* True when gradients are packed or added in stages, that is, not sent as plain floats. */
bool codec_acts(const struct run *run);

/* True when all-reduces add the codes; else codes, if gradients are packed, are gathered. */
static inline bool codec_adds(const struct run *run)
{
	return codec_packs(run) && codec_of(run)->float_bytes;
}

/* True when all-reduces are of the gradient's floats, in 32 bits or fewer, so in parts as well. */
static inline bool codec_keeps_floats(const struct codec *codec)
{
	return !codec || (!codec->stage && (!codec->words || codec->float_bytes));
}

/* Bytes of a float of a gradient where all-reduces add them. */
static inline size_t codec_float_bytes(const struct run *run)
{
	return codec_adds(run) ? (size_t)codec_of(run)->float_bytes : sizeof(float);
}

/* 0, or error() when the run's algorithm or optimiser does not go with its codec. */
int codec_check(const struct run *run);

/* Bytes of a gradient as it is sent: of its codes, a multiple of 4, or else of its floats. */
size_t codec_bytes(const struct run *run);

/* codec_bytes() for n floats: a gradient [dim], or a part of it, which counts as one layer. */
size_t codec_part_bytes(const struct run *run, size_t n);

/* Floats of node.residual, which error feedback keeps from one gradient to the next; 0: none. */
size_t codec_memory(const struct run *run);

/* Memory for a staged all-reduce, allocated by the engine; NULL: the codec has no stages. */
struct codec_allreduce *codec_open(struct node *nd);

/*
 * Begins the next stage: returns the floats of nd->allreduce->sent to add; 0: the all-reduce is
 * done.
 */
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

/*
 * codes[codec_part_bytes] <- v[n], a sum of what codes stand for, as all-reduces that add codes
 * send it.
 */
void codec_pack_sum(const struct run *run, size_t n, const float *v, void *codes);

/* v[n] <- what its codes stand for, where all-reduces add codes. codes: [codec_part_bytes]. */
void codec_round_sum(const struct run *run, size_t n, void *codes, float *v);

#endif
