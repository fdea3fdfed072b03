/*
 * watch.h - what cannot be seen of a run from its events alone: measures of vectors.
 *
 * A run with a watch has, with every step, the gradient's norm, how far the model has moved
 * since the gradient's snapshot, and the momentum that the run shows. Nothing is
 * changed: models, messages, clocks and costs are those of a run without.
 *
 * Every process has its own, which knows the nodes that it hosts. What a server's worker
 * computes at is what it was sent last by the clock of its gradient (msg.stamp); what any
 * worker applies itself was computed at its own snapshot.
 */
#ifndef CORE_WATCH_H
#define CORE_WATCH_H

#include "core/node.h"

enum watch_level {
	WATCH_NONE,
	WATCH_CHEAP,            /* no vector is kept: norms, momentum, spread */
	WATCH_ALL               /* gaps too: a copy of each model sent, or computed at */
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
 * NULL: nothing is to be measured, or can be, in a timing-only run, or where parts of a model step
 * by themselves. run is not kept.
 */
struct watch *watch_new(enum watch_level level, const struct run *run);
void watch_free(struct watch *w);

/* Into a checkpoint, and out of it, into a new one of the same run; v->failed when it is not. */
struct checked;
void watch_save(const struct watch *w, struct checked *v);
void watch_load(struct watch *w, struct checked *v);

/* As of a run that has not begun: what v held was not sound. */
void watch_reset(struct watch *w);

/* The node sends *m to a rank; it asks for a gradient. */
void watch_send(struct watch *w, const struct node *nd, int to, const struct msg *m);
void watch_grad(struct watch *w, const struct node *nd);

/* The node is about to step by g[dim] times weight; it has, at that learning rate. */
void watch_before(struct watch *w, const struct node *nd, const float *g, float weight);
void watch_after(struct watch *w, const struct node *nd, const float *g, float weight, double lr);

/*
 * A handler of the node begins; the node has moved x itself in it. The gap is that at its
 * beginning, for a node of which it is known that it does so: not with the first such step.
 */
void watch_received(struct watch *w, const struct node *nd);
void watch_moved(struct watch *w, const struct node *nd);

/* What was measured of the latest step; until the next one. */
const struct measured *watch_measured(const struct watch *w);

/* sqrt(mean over k models of ||x_i - their mean||^2 / n); 0 for one, NaN for none. */
double models_spread(size_t n, int k, const float *const *xs);

#endif
