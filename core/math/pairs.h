/*
 * pairs.h - how far chance in the choice of test images moves a difference of two accuracies.
 *
 * Two groups of trained models answer the same images. y_gsi is 1 if model s of group g is right
 * on image i, else 0, and with independent terms of mean 0
 *
 *	y_gsi = mu_g + S_gs + I_gi + R_gsi
 *
 * where S is of the model (its seed), I of the image, the same for all models of a group, and R of
 * both. The difference D of the groups' mean accuracies, of k_a and k_b models and n images, has
 *
 *	var D = sum over groups of (var S_g / k_g + var R_g / (k_g n))  +  var (I_a - I_b) / n
 *
 * The sum is what Welch's test estimates from the accuracies of the models. This file has the last
 * term: the variance over images of d_i, the mean of group a on image i less that of group b,
 * estimates var (I_a - I_b) + sum over groups of var R_g / k_g, and the mean square of the
 * residuals in a table of models and images estimates var R_g.
 */
#ifndef CORE_MATH_PAIRS_H
#define CORE_MATH_PAIRS_H

#include "core/samples/correct.h"

#include <stdbool.h>

struct answers {                /* of the models of a group, on the same images */
	const struct correct *const *model;     /* [k] borrowed */
	int k;
};

/*
 * An estimate of var (I_a - I_b) / n, at least 0. `paired`: model s of both groups has the same
 * seed, and the accuracies of these pairs are compared; k must be the same. With one model in a
 * group var R is not known and taken as 0: the estimate is then too large.
 */
double pairs_variance(const struct answers *a, const struct answers *b, bool paired);

#endif
