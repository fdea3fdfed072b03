/* The layers of the reference, for reference.c. */
#ifndef NETS_REFERENCE_LAYERS_H
#define NETS_REFERENCE_LAYERS_H

#include "nets/graph/graph.h"
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
	const struct tensor *sides;     /* per layer: values that decide; NULL: those of y */
};

size_t tensor_count(const struct tensor *t);
struct tensor tensor_new(size_t n, struct shape s);     /* of n samples, all 0 */

/*
 * A state whose other members are set: the memory of n samples, and all layers forward; its
 * release. One layer; the loss of the last one's output, and the gradient of that.
 */
void state_open(struct state *s, size_t n, const double *images);
void state_close(struct state *s);
void state_run(struct state *s, int i, bool back);
double state_loss(struct state *s, const int32_t *labels);

/* Layer i with its tensors; d is not looked at in a forward pass. */
struct view {
	const struct layer *l;
	struct tensor *x, *y, *dx, *dy;
};
struct view view_of(struct state *s, int i);

/* The input that says which units of a ReLU are on, and which value of a window is the largest. */
static inline const struct tensor *decides(const struct state *s, const struct view *v)
{
	return s->sides ? &s->sides[v->l->in[0]] : v->x;
}

/* The channels of pixel r, counted through the whole batch. */
static inline double *pixel(const struct tensor *t, size_t r)
{
	return &t->v[r * (size_t)t->c];
}

/* Adds layer i's output to y, or, with back, adds to its gradients and to its inputs' dy. */
typedef void (*reference_fn)(struct state *s, int i, bool back);
extern const reference_fn reference_layers[LAYER_KINDS];
#define LAYER(KIND, name) void reference_##name(struct state *s, int i, bool back);
#include "nets/layers/list.h"
#undef LAYER

/* dense.c: what the biases of a layer add. */
void reference_bias(struct state *s, int i, bool back);

#endif
