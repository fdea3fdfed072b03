/* Standard normal deviates in the time of a word and a product, most of them. */
#ifndef CORE_MATH_ZIGGURAT_H
#define CORE_MATH_ZIGGURAT_H

#include "core/math/rng.h"

enum { ZIGGURAT_LAYERS = 256 };

struct ziggurat {               /* layers of equal area under the density, the lowest first */
	double x[ZIGGURAT_LAYERS + 1];          /* their widths, without the part that sticks out */
	double inside[ZIGGURAT_LAYERS];         /* share of a width that is under the next one */
};

/* The same for all. */
const struct ziggurat *ziggurat(void);

/* Where the lowest layer goes over into the tail. */
extern const double ziggurat_edge;

/* For a point u in (-1, 1) of a layer that is not surely under the curve. */
double ziggurat_rest(const struct ziggurat *z, struct rng *r, unsigned layer, double u);

/* A standard normal deviate. Other bits than those of rng_normal(). */
static inline double ziggurat_normal(const struct ziggurat *z, struct rng *r)
{
	const uint64_t word = rng_u64(r);
	const unsigned layer = (unsigned)word % ZIGGURAT_LAYERS;
	/* In (-1, 1), of the upper 53 bits. */
	const double u = (double)(((int64_t)(word >> 11) - ((int64_t)1 << 52)) * 2 + 1) * 0x1p-53;

	if (u < z->inside[layer] && u > -z->inside[layer])
		return u * z->x[layer];
	return ziggurat_rest(z, r, layer, u);
}

#endif
