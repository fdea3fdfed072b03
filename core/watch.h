/*
 * watch.h - measures of vectors at each step, which a run's events alone do not show.
 *
 * A run with a watch has, with every step, the gradient's norm, the distance that the model has
 * moved since the gradient's snapshot, and the momentum of the run. Nothing else changes: models,
 * messages, clocks and costs are those of a run without.
 *
 * Every process has its own watch, which knows the nodes of that process. The snapshot of a
 * gradient is found so: if a server applies it, the model that it last sent to the worker with the
 * gradient's clock (msg.stamp); if a worker applies its own gradient, the worker's snapshot.
 */
#ifndef CORE_WATCH_H
#define CORE_WATCH_H

#include "core/node.h"

enum watch_level {
	WATCH_NONE,
	WATCH_CHEAP,            /* keeps no vector: norms, momentum, spread */
	WATCH_ALL               /* also gaps: copies of the models sent, or computed at */
};

struct measured {               /* NaN: not measured */
	double gap;             /* STEP: ||x - x'|| / sqrt(dim), g at x', just before the step */
	double norm;            /* STEP: ||w g|| */
	double momentum;        /* STEP, sometimes: core/math/momentum_fit.h, of all steps so far */
	double published;       /* STEP, sometimes: core/math/momentum.h, alpha = lr */
	double spread;          /* MARK, SCORE: models_spread() of the workers */
};

struct watch;

/*
 * A new watch; NULL: nothing is to be measured, or can be, as in a timing-only run, or if parts of
 * a model step by themselves. `run` is not kept.
 */
struct watch *watch_new(enum watch_level level, const struct run *run);
void watch_free(struct watch *w);

/*
 * Save to a checkpoint, and load from it into a new watch of the same run; sets v->failed if that
 * fails.
 */
struct checked;
void watch_save(const struct watch *w, struct checked *v);
void watch_load(struct watch *w, struct checked *v);

/* Resets the watch to that of a run that has not begun, after a failed load. */
void watch_reset(struct watch *w);

/* Call when the node sends *m to a rank; when it asks for a gradient. */
void watch_send(struct watch *w, const struct node *nd, int to, const struct msg *m);
void watch_grad(struct watch *w, const struct node *nd);

/* Call when the node gathers the gradient of a part of the model, which has no norm and no gap. */
void watch_part(struct watch *w);

/* Call before the node steps by g[dim] times weight; after it, with the step's learning rate. */
void watch_before(struct watch *w, const struct node *nd, const float *g, float weight);
void watch_after(struct watch *w, const struct node *nd, const float *g, float weight, double lr);

/*
 * Call when a handler of the node begins; when the node has moved x itself in it. The gap is then
 * that at the handler's beginning. It is measured from the second such step on.
 */
void watch_received(struct watch *w, const struct node *nd);
void watch_moved(struct watch *w, const struct node *nd);

/* Measures of the latest step; valid until the next one. */
const struct measured *watch_measured(const struct watch *w);

/* sqrt(mean over k models of ||x_i - their mean||^2 / n); 0 for one, NaN for none. */
double models_spread(size_t n, int k, const float *const *xs);

#endif
