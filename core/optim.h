/*
 * optim.h - the local rule x <- optimiser(x, g), and the learning rate over time.
 *
 * Stochastic gradient descent with momentum, as the papers' Torch code has it:
 *     d <- g + wd x;  v <- mu v + d;  x <- x - lr (nesterov ? d + mu v : v)
 */
#ifndef CORE_OPTIM_H
#define CORE_OPTIM_H

#include "core/text/opt.h"

struct blob;
struct run;

struct stepping {               /* what a rule is told of the step that it makes */
	float lr, w;            /* learning rate; weight of the gradient */
	int64_t step;           /* counts from 0 */
	int64_t staleness;      /* of the gradient, in steps */
	int workers;            /* of the run */
	size_t nblobs;
	const struct blob *blobs;       /* [nblobs] the layers' offsets in x; 0: x is one layer */
};

struct momentum {               /* what algorithms that look ahead along it must know */
	double mu, weight_decay;
	bool nesterov;
};

/* How a rule takes weight decay, which the tensors that the net exempts (blob.decay) never have. */
struct decay {
	double rate;            /* wd */
	bool decoupled;         /* x loses lr wd x by itself; otherwise the gradient is g + wd x */
	bool matrices;          /* only of layers' tensors of two dimensions or more */
};

struct optim {                  /* plug-in: one rule */
	struct plugin plugin;
	size_t vectors;         /* vectors of [dim] state that a node keeps, the first one v ... */
	size_t scalars;         /* ... and floats after them */
	/* x[n] <- rule(x, w g). state: optim_floats(), zeroed at first. */
	void (*step)(const void *conf, const struct stepping *s, size_t n, const float *g,
		     float *x, float *state);
	/* Its momentum in a run of so many workers; NULL: the rule is not of that form. */
	struct momentum (*momentum)(const void *conf, int workers);
	/* Its decay; NULL: a weight of gradient and decay is not one of its step. */
	struct decay (*decay)(const void *conf);
	/* x[n] <- where `steps` more steps by gradients of 0 would take it; NULL: unknown. */
	void (*ahead)(const void *conf, const struct stepping *s, int64_t steps, size_t n,
		      const float *state, float *x);
	/* 0, or error() for settings that make no sense in the run. May be NULL. */
	int (*check)(const void *conf, const struct run *run);
	bool needs_norms;       /* goes by those of the layers' gradients */
};

/* Floats of a state for a model of so many; 0 where the rule keeps none. */
size_t optim_floats(const struct optim *o, size_t dim);

struct schedule {               /* plug-in: lr factor over time */
	struct plugin plugin;
	/* Factor on the base learning rate at `epoch` of a run of `epochs`. */
	double (*factor)(const void *conf, double epoch, double epochs);
	bool to_the_end;        /* it needs to know the length of the run */
};

extern const struct plugin *const schedule_table[];     /* NULL-ended */

/*
 * How a learning rate chosen for batches of `reference` samples grows with the run's: not at all,
 * in proportion (Goyal et al. 2017), or with the square root (Krizhevsky 2014).
 */
enum lr_scaling { LR_AS_IT_IS, LR_LINEAR, LR_SQRT };
double lr_factor(enum lr_scaling how, double batch, double reference);

/* The learning rate at an epoch: base, schedule, then linear warm-up from `from` x base. */
struct stepsize {
	double base;
	struct choice schedule; /* {0}: constant */
	double warmup;          /* epochs of warm-up; 0: none */
	double warmup_from;     /* factor at epoch 0 */
	double epochs;          /* length of the run, for poly and cosine */
};
double stepsize_at(const struct stepsize *s, double epoch);

/* 0, or error() when the schedule needs the length of the run and it has none. */
int stepsize_check(const struct stepsize *s);

#endif
