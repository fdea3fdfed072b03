/*
 * relative.h - between the two passes of attention by distance (Transformer-XL).
 *
 * Query i of a window of T has the keys of the m rows that are kept and those of its window
 * up to its own, j = 0 .. m + i of K = m + T. With u and w of the head, and R_j = weight p(K-1-j),
 * p the code of a distance (sines, then cosines):
 *
 *     S_ij = ((q_i + u) k_j + (q_i + w) R_(j + T-1-i)) / sqrt(size of a head)
 *
 * A tile of queries multiplies with the rows of R that it needs. Row i of the product moved by
 * T-1-i columns is the row of S: no matrix is copied to move it. Keys and values of what is
 * kept are made by the weights of the linear layer that made those of the window.
 */
#ifndef NETS_OPENBLAS_TOKENS_RELATIVE_H
#define NETS_OPENBLAS_TOKENS_RELATIVE_H

#include "nets/openblas/openblas.h"
#include "nets/openblas/tokens/tile.h"

/* Sizes of a call. */
struct relative_size {
	size_t window, memory, keys;    /* T, m, K */
	size_t size, heads, channels;   /* of a head; of all */
	size_t width;                   /* of a row that is kept, and of a code */
};
struct relative_size relative_size_of(const struct ob *c, int i);

/* What is kept for the whole batch; c->save[i]. */
struct relative_kept {
	float *lse;             /* [n][heads][T] */
	float *codes;           /* [K][width] p(K-1-j), by position_rate's mask */
	float *r, *dr;          /* [K][channels] */
	float *kv, *dkv;        /* [n][m][2][channels] of what is kept */
};
struct relative_kept relative_kept_of(const struct ob *c, int i);

/* A head's rows and a tile's, in the lane's cols. */
struct relative {
	struct relative_size s;
	float *qu, *qw;         /* [T][size] q + u, q + w */
	float *k, *v, *r;       /* [K][size] */
	float *kt, *vt, *rt;    /* [size][K] */
	float *dout;            /* [T][size] */
	float *dk, *dv, *dr;    /* [K][size] */
	float *dqu, *dqw;       /* [TILE][size] */
	float *du, *dw;         /* [size] */
	float *p, *b, *dp, *mask;       /* [TILE][K] */
};
struct relative relative_of(struct ob *c, int i, const struct ob_part *part);

/* The rows of r, and their transpose; then those of a sample. */
void relative_load_codes(const struct ob *c, int i, const struct relative *a, size_t head);
void relative_load(const struct ob *c, int i, const struct relative *a, size_t head,
		   size_t sample);

/* Queries of the tile that begins with `first`. */
static inline size_t relative_rows(const struct relative *a, size_t first)
{
	return a->s.window - first < TILE ? a->s.window - first : TILE;
}

/* The first row of r that a tile needs. */
static inline size_t relative_from(const struct relative *a, size_t first, size_t rows)
{
	return a->s.window - first - rows;
}

/* a->p[rows][keys] <- sqrt(size) S of a tile. */
void relative_scores(const struct ob *c, int i, const struct relative *a, size_t first,
		     size_t rows);

/* a->mask <- the dropout of a tile's probabilities, where there is one. */
bool relative_drops(const struct ob *c, int i);
void relative_mask(const struct ob *c, int i, const struct relative *a, size_t head,
		   size_t sample, size_t first, size_t rows);

/* Rows of a sample that are kept, [m][width]. */
static inline const float *relative_memory(const struct ob *c, int i, size_t sample)
{
	return c->carried.in + sample * c->g->carry.floats + c->g->layers[i].carried;
}

/* The steps of the backward pass: of the heads, then of the weights. */
void relative_heads_back(struct ob *c, int i, const struct ob_part *p);
void relative_weights_back(struct ob *c, int i, const struct ob_part *p);

#endif
