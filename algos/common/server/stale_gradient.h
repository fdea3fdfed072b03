/*
 * stale_gradient.h - corrections that a server applies to a stale gradient.
 *
 * A gradient g was taken at the model `theirs`, and arrives when the server's is x. Three
 * corrections:
 *
 *     weigh        a smaller step                      g + wd x  <-  w (g + wd x)
 *     gap          smaller by how far x has moved      g + wd x  <-  (g + wd x) / P
 *     compensate   correct it to first order           g <- g + lambda g g (x - theirs)
 *
 * The first two scale the whole step, weight decay included. As the optimiser adds wd x itself
 * afterwards, they put the difference into g, or into x if decay is decoupled. The optimiser's
 * running means, and its clipping, see the weighted gradient, as in the published code for Adam.
 * Vectors may be NULL, as in vec.h.
 */
#ifndef ALGOS_COMMON_SERVER_STALE_GRADIENT_H
#define ALGOS_COMMON_SERVER_STALE_GRADIENT_H

#include "core/run.h"

/*
 * The gap of Barkai, Hakimi, Schuster 2019: the least number of average steps between two models.
 *
 *     R <- G R + (1 - G) v^2;   C = eta_max (sqrt(R / (1 - G^t)) + 1e-8)
 *     P = 1 + |x - theirs| / C
 *
 * for each parameter; for each layer, or for all of x, |.| and v are norms. v is the direction of
 * the server's last step, eta_max the largest learning rate so far.
 */
enum stale_penalty { PENALTY_PARAMETER, PENALTY_LAYER, PENALTY_GLOBAL };

struct stale_gap_conf {
	int penalty;            /* enum stale_penalty */
	double big_gamma;       /* G */
	bool debias;            /* R / (1 - G^t); otherwise R itself */
};

extern const char *const stale_penalties[];      /* names of enum stale_penalty, NULL-ended */

/* Rows of an option table; `member` is the struct stale_gap_conf within struct `conf`. */
#define STALE_GAP_OPTS(conf, member)                                                            \
	{ "penalty", OPT_AT(ENUM, conf, member.penalty), "parameter",                    \
	  "unit with its own gap", "UNIT", 0, 0, stale_penalties, 0 },                      \
	{ "big_gamma", OPT_AT(DOUBLE, conf, member.big_gamma), "0.999",                  \
	  "weight of earlier steps in the mean of squared steps", "G", 0, 0.999999, NULL, 0 }, \
	{ "debias", OPT_AT(BOOL, conf, member.debias), "true",                           \
	  "divide that mean by 1 - G^t, as it begins at 0; false: as published for Adam",  \
	  NULL, 0, 0, NULL, OPT_ADDED }

struct stale_gap {               /* in a server's state */
	bool measured;          /* v is the step itself, so that C has no eta_max */
	float *r;               /* [dim], or [layers]: R */
	double eta_max;
	int64_t steps;          /* t */
};

void stale_gap_start(struct node *nd, struct stale_gap *gap, const struct stale_gap_conf *c);

/*
 * Call both for each gradient, in the order of arrival: the first updates R by v; the second
 * divides g[dim] by P, and also the weight decay d that the optimiser will add, which changes x if
 * the decay is decoupled.
 */
void stale_gap_average(const struct node *nd, struct stale_gap *gap,
		       const struct stale_gap_conf *c, const float *v);
void stale_gap_divide(const struct node *nd, const struct stale_gap *gap,
		      const struct stale_gap_conf *c, const float *theirs, struct decay d,
		      float *g);

/* g[dim] <- g + lambda g g (x - theirs), element by element: Zheng et al. 2017. */
void stale_compensate(const struct node *nd, double lambda, const float *theirs, float *g);

/* Steps by m's gradient; learning rate and so weight decay are multiplied by w; scratch[dim]. */
void stale_step(struct node *nd, const struct msg *m, double w, float *scratch);

/* 0, or error() if the optimiser's step cannot scale gradient and weight decay together. */
int stale_check(const struct run *run);

#endif
