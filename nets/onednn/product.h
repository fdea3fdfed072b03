/* product.h - products of matrices in f32 that oneDNN computes slowly, by a kernel of our own. */
#ifndef NETS_ONEDNN_PRODUCT_H
#define NETS_ONEDNN_PRODUCT_H

#include "nets/openblas/products.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * True when product_compute() takes the product: its shape decides, on a processor with AVX-512.
 * oneDNN reads b's rows where they are. If they are a multiple of a large power of two apart, many
 * of them share the few sets of the cache. (It copies rows that are a power of two apart itself.)
 */
bool product_is_ours(const struct ob_product *p);

/* Bytes of `work` in product_compute(), which begins at a cache line. */
enum { PRODUCT_BYTES = 4 * (272 * 280 + 256 * 512) };

/*
 * Computes the product. Each number of c is a sum over k in order, which begins with c if beta is
 * 1: the result does not depend on how rows and columns are divided into calls.
 */
void product_compute(const struct ob_product *p, float *work);

#endif
