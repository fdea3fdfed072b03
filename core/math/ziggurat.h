/* Standard normal deviates by the ziggurat method: usually one random word and one product each. */
#ifndef CORE_MATH_ZIGGURAT_H
#define CORE_MATH_ZIGGURAT_H

#include "core/math/rng.h"

enum { ZIGGURAT_LAYERS = 256 };

struct ziggurat {               /* layers of equal area under the density, the lowest first */
	double x[ZIGGURAT_LAYERS + 1];          /* widths of the layers */
	double inside[ZIGGURAT_LAYERS];         /* share of a width that is under the next layer */
};

/* The table, which all threads share. */
const struct ziggurat *ziggurat(void);

/* Abscissa at which the lowest layer ends and the tail begins. */
extern const double ziggurat_edge;

/* Deviate from point u in (-1, 1) of a layer, if the point may be above the density. */
double ziggurat_rest(const struct ziggurat *z, struct rng *r, unsigned layer, double u);

/* A standard normal deviate; not the same numbers as rng_normal(). */
static inline double ziggurat_normal(const struct ziggurat *z, struct rng *r)
{
	const uint64_t word = rng_u64(r);
	const unsigned layer = (unsigned)word % ZIGGURAT_LAYERS;
	/* Uniform in (-1, 1), from the upper 53 bits. */
	const double u = (double)(((int64_t)(word >> 11) - ((int64_t)1 << 52)) * 2 + 1) * 0x1p-53;

	if (u < z->inside[layer] && u > -z->inside[layer])
		return u * z->x[layer];
	return ziggurat_rest(z, r, layer, u);
}

#endif
