/*
 * wino.h - convolutions of 3x3 windows by Winograd's F(2x2, 3x3): 16 products instead of 36 (Lavin,
 * Gray 2016).
 *
 * A tile of 4x4 inputs gives 2x2 outputs, Y = A' [(G g G') * (B' d B)] A, where * is a product
 * of matrices over channels at each of the 16 positions. Stride 1, padding 1. Tensors are
 * NHWC in the table's storage type, whose transforms are computed and whose products are
 * summed in f32; channels are multiples of 16.
 */
#ifndef NETS_ONEDNN_WINO_WINO_H
#define NETS_ONEDNN_WINO_WINO_H

#include <stdbool.h>
#include <stddef.h>

enum { WINO_AT = 16 };          /* positions of a tile */

/* A convolution of n images, or of one group of its channels. */
struct wino {
	size_t n, h, w;
	size_t in, out;                 /* channels */
	size_t in_apart, out_apart;     /* elements from pixel to pixel */
};

struct wino_table {
	int least;                      /* channels: fewer do not pay for the transforms */
	/* u[16 in out] of storage <- weights w[out][3][3][in] */
	void (*weights)(size_t in, size_t out, const float *w, void *u);
	/* u <- the same for the gradient of the input, which is a convolution from out to in. */
	void (*weights_back)(size_t in, size_t out, const float *w, void *u);
	/* y <- (or +=) x * u + bias (NULL: none), then ReLU if asked; work[wino_work()] */
	void (*convolve)(const struct wino *z, const void *x, const void *u, const float *bias,
			 bool add, bool relu, void *work, void *y);
	/* dw[out][3][3][in] <- the gradient by x and dy; work[wino_gradient_work()] */
	void (*gradient)(const struct wino *z, const void *x, const void *dy, void *work,
			 float *dw);
};

/* Bytes of working memory. */
size_t wino_work(const struct wino *z, size_t size);
size_t wino_gradient_work(const struct wino *z, size_t size);

/* Functions for this processor; NULL if it has no instructions for them, or oneDNN is faster. */
const struct wino_table *wino_f32(void);
const struct wino_table *wino_avx2(void);       /* on f32 */
const struct wino_table *wino_bf16(void);

/* Number of tiles of n images; number of tiles that are processed together. */
static inline size_t wino_tiles(const struct wino *z)
{
	return z->n * ((z->h + 1) / 2) * ((z->w + 1) / 2);
}
size_t wino_group(const struct wino *z);
size_t wino_gradient_group(const struct wino *z, size_t size);

/*
 * Elements from one position's matrix to the next, for a matrix [rows][cols]: a cache line more
 * than a power of two, so that matrices do not compete for cache lines.
 */
static inline size_t wino_apart(size_t rows, size_t cols)
{
	return rows * cols + 64;
}

#endif
