/*
 * outer.h - the outer optimiser: a step of a whole round of local steps.
 *
 * A worker makes H steps of the run's optimiser on its own model x (rounds.h). Then the workers
 * exchange how far they came from the common model X, and X moves along the mean:
 *
 *     D_i = X - x_i;   D = 1/n sum_i D_i           a gradient of a whole round
 *     m <- mu m + D
 *     X <- X - eta (nesterov ? D + mu m : m)       the form of Torch's optim.sgd
 *
 * eta and mu are the outer learning rate and momentum. Vectors may be NULL, as in vec.h.
 */
#ifndef ALGOS_COMMON_OUTER_H
#define ALGOS_COMMON_OUTER_H

#include "core/node.h"

struct outer_conf {
	double lr, momentum;
	bool nesterov;
};

/* Rows of an option table; `member` is the struct outer_conf within struct `conf`. */
#define OUTER_OPTS(conf, member, eta, mu)                                                      \
	OUTER_RATES(conf, member, eta, mu),                                              \
	{ "outer_nesterov", OPT_AT(BOOL, conf, member.nesterov), "true",                 \
	  "look ahead along the outer momentum", NULL, 0, 0, NULL, 0 }

/* OUTER_OPTS without `outer_nesterov`, for rules that always use Nesterov's momentum. */
#define OUTER_RATES(conf, member, eta, mu)                                                     \
	{ "outer_lr", OPT_AT(DOUBLE, conf, member.lr), eta,                              \
	  "eta_out, the learning rate of the outer steps", "ETA", 0, 1e6, NULL, 0 },           \
	{ "outer_momentum", OPT_AT(DOUBLE, conf, member.momentum), mu,                   \
	  "mu_out, the momentum of the outer steps", "MU", 0, 0.999999, NULL, 0 }

/*
 * Displacement by an update D over all time, in units of D, of outer steps with a learning rate of
 * 1 and this momentum: 1 / (1 - mu), with nesterov and without. algo.gain of settings that are a
 * struct outer_conf divides it by what D is a share of: outer_gain_of_mean() by the workers, for
 * settings that begin with a struct outer_conf.
 */
double outer_gain(const struct outer_conf *c);
double outer_gain_of_mean(const void *conf, int workers);

struct outer {                  /* in a node's state */
	float *x;               /* [dim] X, the common model */
	float *m;               /* [dim] its momentum */
};

/* X is the node's model as it is now; the momentum is zero. */
void outer_start(struct node *nd, struct outer *o);

/* m[n], x[n] <- an outer step along d[n], which is the mean. */
void outer_step(const struct outer_conf *c, size_t n, const float *d, float *m, float *x);

/*
 * outer_step() with a momentum that is a mean, not a sum: m <- mu m + (1 - mu) d; x <- x - eta (d +
 * mu m). c->nesterov has no effect.
 */
void outer_step_mean(const struct outer_conf *c, size_t n, const float *d, float *m, float *x);

/*
 * Delayed Nesterov (Liu et al. 2024), for every D of a worker, counted by t from 1:
 *
 *     B <- B + D
 *     N divides t:   m <- mu m + B / N;   B <- 0;   X <- X - eta ((1 - cN + c) mu m + D / N)
 *     otherwise:     X <- X - eta (c mu m + D / N)
 *
 * Momentum is updated by the means of N updates only; with c = 0, N updates move X by one Nesterov
 * step along their mean.
 */
struct delayed {                /* in a server's state */
	float *buffer, *m;      /* [dim] B, m */
	int64_t buffered;       /* updates in B */
};

void delayed_start(struct node *nd, struct delayed *o);

/* x[dim] <- a step along d[dim] with N = n, c = share. */
void delayed_step(const struct outer_conf *c, int64_t n, double share, size_t dim, const float *d,
		  struct delayed *o, float *x);

#endif
