/*
 * optim.h - optimisers: the rule x <- optimiser(x, g), and the learning rate over time.
 *
 * Stochastic gradient descent with momentum is computed as in Torch:
 *     d <- g + wd x;  v <- mu v + d;  x <- x - lr (nesterov ? d + mu v : v)
 */
#ifndef CORE_OPTIM_H
#define CORE_OPTIM_H

#include "core/text/opt.h"

struct blob;
struct run;

struct stepping {               /* facts about the step that an optimiser makes */
	float lr, w;            /* learning rate; weight of the gradient */
	int64_t step;           /* counts from 0 */
	int64_t staleness;      /* of the gradient, in steps */
	int workers;            /* of the run */
	size_t nblobs;
	const struct blob *blobs;       /* [nblobs] the layers' offsets in x; 0: x is one layer */
};

struct momentum {               /* parameters for algorithms that look ahead along the momentum */
	double mu, weight_decay;
	bool nesterov;
};

/* Weight decay of an optimiser. Tensors that the net exempts (blob.decay) never decay. */
struct decay {
	double rate;            /* wd */
	bool decoupled;         /* x loses lr wd x by itself; otherwise the gradient is g + wd x */
	bool matrices;          /* only tensors of two dimensions or more decay */
};

struct optim {                  /* plug-in: one optimiser */
	struct plugin plugin;
	size_t vectors;         /* vectors of [dim] state that a node keeps, the first one v ... */
	size_t scalars;         /* ... and floats after them */
	/* x[n] <- rule(x, w g). state: optim_floats(), zeroed at first. */
	void (*step)(const void *conf, const struct stepping *s, size_t n, const float *g,
		     float *x, float *state);
	/* Momentum in a run of `workers`; NULL: the optimiser has none in this form. */
	struct momentum (*momentum)(const void *conf, int workers);
	/* Weight decay; NULL: a step by w (g + wd x) is not w times the step. */
	struct decay (*decay)(const void *conf);
	/* x[n] <- x after `steps` more steps by gradients of 0; NULL: unknown. */
	void (*ahead)(const void *conf, const struct stepping *s, int64_t steps, size_t n,
		      const float *state, float *x);
	/* 0, or error() for settings that make no sense in the run. May be NULL. */
	int (*check)(const void *conf, const struct run *run);
	bool needs_norms;       /* uses the norms of the layers' gradients */
};

/* Floats of the optimiser's state for a model of `dim` floats; 0: it keeps none. */
size_t optim_floats(const struct optim *o, size_t dim);

struct schedule {               /* plug-in: lr factor over time */
	struct plugin plugin;
	/* Factor on the base learning rate at `epoch` of a run of `epochs`. */
	double (*factor)(const void *conf, double epoch, double epochs);
	bool to_the_end;        /* needs the length of the run */
};

extern const struct plugin *const schedule_table[];     /* NULL-ended */

/*
 * Growth of a learning rate, chosen for batches of `reference` samples, with the run's batch: none,
 * proportional (Goyal et al. 2017), or with the square root (Krizhevsky 2014).
 */
enum lr_scaling { LR_AS_IT_IS, LR_LINEAR, LR_SQRT };
double lr_factor(enum lr_scaling how, double batch, double reference);

/*
 * Learning rate over epochs: base times schedule, after a linear warm-up from warmup_from * base.
 */
struct stepsize {
	double base;
	struct choice schedule; /* {0}: constant */
	double warmup;          /* epochs of warm-up; 0: none */
	double warmup_from;     /* factor at epoch 0 */
	double epochs;          /* length of the run, for poly and cosine */
};
double stepsize_at(const struct stepsize *s, double epoch);

/* 0, or error() if the schedule needs the length of the run, which is unknown. */
int stepsize_check(const struct stepsize *s);

#endif
