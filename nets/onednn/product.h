/* product.h - products of matrices that oneDNN computes slowly, by kernels of our own. */
#ifndef NETS_ONEDNN_PRODUCT_H
#define NETS_ONEDNN_PRODUCT_H

#include "nets/openblas/products.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * True when product_compute() takes the product: its shape decides, on a processor with AVX-512 or
 * AVX2. oneDNN reads b's rows where they are, and with AVX2 those of a transposed a too. If they
 * are a multiple of a large power of two apart, many of them share the few sets of the cache. (With
 * AVX-512 it copies rows that are a power of two apart itself.)
 */
bool product_is_ours(const struct ob_product *p);

/* Bytes of `work` in product_compute(), which begins at a cache line. */
enum { PRODUCT_BYTES = 4 * (272 * 280 + 256 * 512) };

/*
 * Computes the product. Each number of c is a sum over k in order, which begins with c if beta is
 * 1: the result does not depend on how rows and columns are divided into calls.
 */
void product_compute(const struct ob_product *p, float *work);

/* product_compute() on a processor with AVX2 and FMA. */
void product_avx2(const struct ob_product *p, float *work);

/* Bytes of `work` in product_bf16_compute(), which begins at a cache line. */
enum { PRODUCT_BF16_BYTES = 4 * (400 * 280 + 128 * 1024) };

/*
 * Computes a product of any shape with factors rounded to bf16, on a processor where product_bf16()
 * is not NULL. Each number of c is a sum in f32 over pairs of k in order, which begins with c if
 * beta is 1.
 */
void product_bf16_compute(const struct ob_product *p, float *work);

/* The same with a factor that is packed once; NULL on a processor without vdpbf16ps. */
const struct ob_packed *product_bf16(void);

#endif
