/* rig.h - a product of matrices for tests of kernels: factors, result and buffer of its own. */
#ifndef TESTS_SUPPORT_RIG_H
#define TESTS_SUPPORT_RIG_H

#include "nets/onednn/product.h"

/* Factors have gaps between their rows; before: what c was. All are owned. */
struct rig {
	struct ob_product p;
	float *a, *b, *c, *before, *work;
};

/* Shape of a product. */
struct rig_shape {
	bool ta, tb;
	size_t m, n, k;
	float beta;
};

/*
 * Numbers are those of 24 bits from -1 to 1 (fine), or whole from -8 to 7, whose sums are exact in
 * any order; `work` has that many bytes, and begins at a cache line.
 */
void rig_open(struct rig *r, struct rig_shape shape, bool fine, size_t work);
void rig_close(struct rig *r);

/* Computes it, if a alone is transposed, in parts of 13 rows, 29 columns and 170 terms of sums. */
void rig_divide(struct rig *r, void (*compute)(const struct ob_product *p, float *work));

#endif
