/* Layers of the reference implementation, shared by its files. */
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
	const struct tensor *sides;     /* per layer: inputs for decides(); NULL: those of y */
};

size_t tensor_count(const struct tensor *t);

/*
 * state_open() allocates n samples and runs all layers forward, when the other members are set;
 * state_close() frees them. state_run() runs one layer.
 */
void state_open(struct state *s, size_t n, const double *images);
void state_close(struct state *s);
void state_run(struct state *s, int i, bool back);

/* Layer i with its tensors; those of gradients are unused in a forward pass. */
struct view {
	const struct layer *l;
	struct tensor *x, *y, *dx, *dy;
};
struct view view_of(struct state *s, int i);

/* Input that decides which units of a ReLU are on, and which value of a window is the largest. */
static inline const struct tensor *decides(const struct state *s, const struct view *v)
{
	return s->sides ? &s->sides[v->l->in[0]] : v->x;
}

/* Pixels, or tokens, of the whole batch. */
static inline size_t pixel_count(const struct tensor *t)
{
	return (size_t)t->n * (size_t)t->h * (size_t)t->w;
}

/* The channels of pixel r, counted over the whole batch. */
static inline double *pixel(const struct tensor *t, size_t r)
{
	return &t->v[r * (size_t)t->c];
}

/* Adds layer i's output to y or, with back, adds to the gradients of its parameters and inputs. */
typedef void (*reference_fn)(struct state *s, int i, bool back);
extern const reference_fn reference_layers[LAYER_KINDS];
#define LAYER(KIND, name) void reference_##name(struct state *s, int i, bool back);
#include "nets/layers/list.h"
#undef LAYER

/* ---- product.c: takes most of the reference's time ---- */

/* A matrix with element (i, j) at v[i * row + j * column]; its transpose has the two exchanged. */
struct matrix {
	const double *v;
	size_t row, column;
};

/*
 * c[i * width + j] += sum over k of a(i, k) b(k, j), for all i < rows and j < columns. The order of
 * rounding depends on `depth` alone: the result is bit-identical on every processor, and row i does
 * not depend on the other rows.
 */
void reference_product(size_t rows, size_t columns, size_t depth, struct matrix a, struct matrix b,
		       double *c, size_t width);

/*
 * A layer y[rows][out] += x[rows][in] w[out][in]^T; its backward adds to dw and, if that is not
 * NULL, to dx.
 */
struct linear {
	size_t rows, in, out;
	const double *w, *x, *dy;
	double *y, *dw, *dx;
	size_t y_row;                   /* floats from a row of y, and of dy, to the next */
};
void reference_linear_forward(const struct linear *l);
void reference_linear_backward(const struct linear *l);

#endif
