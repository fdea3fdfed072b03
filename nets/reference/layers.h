/* The layers of the reference, for reference.c. */
#ifndef NETS_REFERENCE_LAYERS_H
#define NETS_REFERENCE_LAYERS_H

#include "nets/graph.h"
#include "nets/reference/reference.h"

/* A tensor [n][h][w][c]. */
struct tensor {
	int n, h, w, c;
	double *v;
};

struct state {
	const struct graph *g;
	const double *x;
	double *grad;                   /* NULL: forward only */
	struct tensor *y, *dy;          /* per layer */
	double **mask;                  /* per layer: dropout */
	const double *stats_in;         /* not NULL: evaluation */
	double *stats_out;
	uint64_t seed;
	const uint64_t *use;
	bool test;                      /* evaluation */
	const struct reference_memory *memory;  /* NULL: empty, and none is asked for */
};

size_t tensor_count(const struct tensor *t);

/* Layer i with its tensors; d is not looked at in a forward pass. */
struct view {
	const struct layer *l;
	struct tensor *x, *y, *dx, *dy;
};
struct view view_of(struct state *s, int i);

/* The channels of pixel r, counted through the whole batch. */
static inline double *pixel(const struct tensor *t, size_t r)
{
	return &t->v[r * (size_t)t->c];
}

/* Adds layer i's output to y, or, with back, adds to its gradients and to its inputs' dy. */
typedef void (*reference_fn)(struct state *s, int i, bool back);
extern const reference_fn reference_layers[];   /* by enum layer_kind */

/* channels.c */
void reference_lrn(struct state *s, int i, bool back);
void reference_concat(struct state *s, int i, bool back);

/* tokens.c */
void reference_embed(struct state *s, int i, bool back);
void reference_linear(struct state *s, int i, bool back);
void reference_layernorm(struct state *s, int i, bool back);
void reference_gelu(struct state *s, int i, bool back);
void reference_unembed(struct state *s, int i, bool back);

/* attention.c */
void reference_attention(struct state *s, int i, bool back);

/* adaptive.c */
void reference_adaptive(struct state *s, int i, bool back);

/* relative.c */
void reference_relative(struct state *s, int i, bool back);

#endif
