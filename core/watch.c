/* Measures a run's vectors at each step (norms, gap, momentum); saves its state in checkpoints. */
#include "core/watch.h"

#include "core/base/mem.h"
#include "core/file/checked.h"
#include "core/math/momentum.h"
#include "core/math/momentum_fit.h"
#include "core/math/vec.h"
#include "core/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	HELD = 3,               /* models kept for each worker, which were sent to it */
	ESTIMATE_EVERY = 16     /* steps between two estimates of momentum */
};

struct held {                   /* models that were sent to a worker, oldest first */
	int n;
	int64_t stamp[HELD];
	float *x[HELD];         /* [dim] each; NULL until used */
};

struct own {                    /* snapshots of a worker: the present one and the one before */
	float *x[2];
	bool has[2];
	int now;                /* index of the present one */
	int64_t due;            /* gradients delivered and dropped, once the latest has been */
	int64_t dropped;        /* dropped, when the latest was asked for */
};

struct watch {
	size_t dim;
	int workers;
	bool server, gaps;
	float *first;           /* [dim] initial model */
	struct held *held;      /* [workers] */
	struct own *own;        /* [workers] */
	/* Estimators for worker 0, and for the server. */
	struct momentum_fit *fit[2];
	struct momentum_estimate *published[2];
	bool *moves;            /* [workers + 1] node_moved() was called; the server last */
	double received;        /* gap when the handler began, for a node that moves x itself */
	struct measured measured;
};

static const struct measured watch_nothing = { (double)NAN, (double)NAN, (double)NAN, (double)NAN,
					       (double)NAN };

struct watch *watch_new(enum watch_level level, const struct run *run)
{
	struct watch *w;

	if (level == WATCH_NONE || !run->pool ||
	    (run->algo->staged && run->algo->staged(run->algo_conf)))
		return NULL;
	w = xcalloc(1, sizeof(*w));
	*w = (struct watch){ .dim = run->dim,
			     .workers = run->workers, .measured = watch_nothing,
			     .server = run->algo->server,
			     .gaps = level == WATCH_ALL };
	if (!w->gaps)
		return w;
	w->moves = xcalloc((size_t)w->workers + 1, sizeof(*w->moves));
	w->held = xcalloc((size_t)w->workers, sizeof(*w->held));
	w->own = xcalloc((size_t)w->workers, sizeof(*w->own));
	w->first = vec_new(w->dim);
	run->pool->problem->ops->init(run->pool->problem, run->seed, w->first);
	return w;
}

void watch_free(struct watch *w)
{
	if (!w)
		return;
	for (int i = 0; w->gaps && i < w->workers; i++) {
		for (int k = 0; k < HELD; k++)
			free(w->held[i].x[k]);
		for (int k = 0; k < 2; k++)
			free(w->own[i].x[k]);
	}
	free_all(w->held, w->own, w->moves, w->first);
	for (int k = 0; k < 2; k++)
		free_all(w->fit[k], w->published[k]);
	free(w);
}

/* memcpy() instead of vec_copy(), which would be counted as work of the handler. */
static void watch_keep(const struct watch *w, float **at, const float *x)
{
	if (!*at)
		*at = vec_new(w->dim);
	memcpy(*at, x, w->dim * sizeof(*x));
}

/* ---- models sent to workers of a server ---- */

static void forget_oldest(struct held *h)
{
	float *x = h->x[0];

	for (int k = 1; k < h->n; k++) {
		h->stamp[k - 1] = h->stamp[k];
		h->x[k - 1] = h->x[k];
	}
	h->x[--h->n] = x;
}

/* Index of the model with that clock, or -1. */
static int watch_find(const struct held *h, int64_t stamp)
{
	for (int k = h->n - 1; k >= 0; k--)
		if (h->stamp[k] == stamp)
			return k;
	return -1;
}

void watch_send(struct watch *w, const struct node *nd, int to, const struct msg *m)
{
	struct held *h;
	int k;

	if (!w->gaps || nd->rank != SERVER || to < 0 || m->codes || !m->vec || m->n != w->dim)
		return;
	h = &w->held[to];
	k = watch_find(h, m->stamp);
	if (k < 0 && h->n == HELD)
		forget_oldest(h);
	if (k < 0)
		k = h->n++;
	h->stamp[k] = m->stamp;
	watch_keep(w, &h->x[k], m->vec);
}

/* The model with that clock; drops older ones, which are not needed any more. NULL: unknown. */
static const float *sent_to(struct watch *w, int worker, int64_t stamp)
{
	struct held *h;

	if (worker < 0 || worker >= w->workers)
		return NULL;
	h = &w->held[worker];
	if (watch_find(h, stamp) < 0)
		return stamp == 0 ? w->first : NULL;
	while (h->stamp[0] != stamp)
		forget_oldest(h);
	return h->x[0];
}

/* ---- snapshots of workers ---- */

static int64_t watch_delivered(const struct node *nd)
{
	return nd->ledger.gradients + nd->ledger.dropped;
}

/*
 * Takes the snapshot of a gradient. Not needed if the workers of a server never step, nor for a
 * shared x, whose snapshot is nd->seen.
 */
void watch_grad(struct watch *w, const struct node *nd)
{
	struct own *o;

	if (!w->gaps || nd->rank == SERVER || !nd->x || nd->moved || (w->server && nd->step == 0))
		return;
	o = &w->own[nd->rank];
	if (o->dropped == nd->ledger.dropped)
		o->now = !o->now;
	o->dropped = nd->ledger.dropped;
	o->due = watch_delivered(nd) + 1;
	o->has[o->now] = true;
	watch_keep(w, &o->x[o->now], nd->x);
}

/* Snapshot of the latest gradient that was delivered; NULL: unknown. */
static const float *own_snapshot(const struct watch *w, const struct node *nd)
{
	const struct own *o = &w->own[nd->rank];
	const bool before = watch_delivered(nd) < o->due || nd->ledger.dropped > o->dropped;
	const int k = before ? !o->now : o->now;

	return o->has[k] ? o->x[k] : NULL;
}

/* ---- measures of a step ---- */

static double watch_distance(const struct watch *w, const float *x, const float *y)
{
	return vec_dist(w->dim, x, y) / sqrt((double)w->dim);
}

/* Copies a shared model, which others may be writing, to nd->moved, unused before the step. */
static const float *shared_now(const struct node *nd)
{
	shared_read(nd->dim, nd->x, nd->moved);
	return nd->moved;
}

static double watch_gap(struct watch *w, const struct node *nd)
{
	const float *x;

	if (!w->gaps || !nd->x)
		return (double)NAN;
	if (nd->moved)
		return watch_distance(w, shared_now(nd), nd->seen);
	x = nd->rank == SERVER ? sent_to(w, nd->from, nd->stamp) : own_snapshot(w, nd);
	return x ? watch_distance(w, nd->x, x) : (double)NAN;
}

/* True for a node whose momentum is measured: rank 0 or the server, unless the model is shared. */
static bool has_momentum(const struct node *nd)
{
	return nd->rank <= 0 && !nd->moved;
}

static void momentum_before(struct watch *w, const struct node *nd)
{
	const int k = nd->rank == SERVER;

	if (!w->fit[k]) {
		w->fit[k] = xcalloc(1, sizeof(*w->fit[k]));
		w->published[k] = xcalloc(1, sizeof(*w->published[k]));
	}
	momentum_fit_begin(w->fit[k], w->dim, nd->x);
	momentum_begin(w->published[k], w->dim, nd->x);
}

/* Weight decay is that of all of x, also of tensors that the net exempts: a median is fitted. */
static void momentum_after(struct watch *w, const struct node *nd, const float *g, float weight,
			   double lr)
{
	const float decay = (float)node_momentum(nd).weight_decay;
	const int64_t staleness = nd->stamp < 0 ? 0 : nd->step - nd->stamp;
	const int k = nd->rank == SERVER;

	momentum_fit_add(w->fit[k], w->dim, g, weight, decay, lr, staleness, nd->x);
	momentum_add(w->published[k], &(struct momentum_step){
		.n = w->dim, .g = g, .w = weight, .decay = decay, .alpha = lr,
		.staleness = staleness, .keep = 0.99 }, nd->x);
	if (nd->step % ESTIMATE_EVERY != ESTIMATE_EVERY - 1)
		return;
	w->measured.momentum = momentum_fit_sure(w->fit[k]);
	w->measured.published = momentum_of(w->published[k], w->dim);
}

void watch_before(struct watch *w, const struct node *nd, const float *g, float weight)
{
	w->measured = watch_nothing;
	w->measured.gap = watch_gap(w, nd);
	w->measured.norm = fabs((double)weight) * sqrt(vec_dot(w->dim, g, g));
	if (has_momentum(nd))
		momentum_before(w, nd);
}

void watch_part(struct watch *w)
{
	w->measured = watch_nothing;
}

void watch_after(struct watch *w, const struct node *nd, const float *g, float weight, double lr)
{
	if (has_momentum(nd))
		momentum_after(w, nd, g, weight, lr);
}

static bool *watch_moves(struct watch *w, const struct node *nd)
{
	return &w->moves[nd->rank == SERVER ? w->workers : nd->rank];
}

void watch_received(struct watch *w, const struct node *nd)
{
	if (w->gaps && *watch_moves(w, nd))
		w->received = watch_gap(w, nd);
}

void watch_moved(struct watch *w, const struct node *nd)
{
	w->measured = watch_nothing;
	if (!w->gaps)
		return;
	if (*watch_moves(w, nd))
		w->measured.gap = w->received;
	*watch_moves(w, nd) = true;
}

const struct measured *watch_measured(const struct watch *w)
{
	return &w->measured;
}

/* ---- checkpoints ---- */

typedef void (*mover)(struct checked *v, void *bytes, size_t n);

static void watch_put(struct checked *v, void *bytes, size_t n)
{
	checked_put(v, bytes, n);
}

/* Puts or gets a bool. */
static void move_bool(struct checked *v, mover move, bool *is)
{
	uint8_t byte = *is;

	move(v, &byte, sizeof(byte));
	v->failed |= byte > 1;
	*is = byte == 1;
}

/* Puts or gets memory that is allocated when it is first used. */
static void move_optional(struct checked *v, mover move, void **at, size_t n)
{
	bool there = *at;

	move_bool(v, move, &there);
	if (there && !*at)
		*at = vec_new((n + sizeof(float) - 1) / sizeof(float));
	if (there && !v->failed)
		move(v, *at, n);
}

static void move_model(const struct watch *w, struct checked *v, mover move, float **x)
{
	void *at = *x;

	move_optional(v, move, &at, w->dim * sizeof(**x));
	*x = at;
}

/*
 * Puts or gets a worker's models. Slots of `held` up to its count must hold a model, and the index
 * of the present snapshot must be 0 or 1: else sets v->failed.
 */
static void move_models(struct watch *w, struct checked *v, mover move, int worker)
{
	struct held *h = &w->held[worker];
	struct own *o = &w->own[worker];

	move(v, &h->n, sizeof(h->n));
	move(v, h->stamp, sizeof(h->stamp));
	for (int k = 0; k < HELD; k++) {
		move_model(w, v, move, &h->x[k]);
		v->failed |= k < h->n && !h->x[k];
	}
	for (int k = 0; k < 2; k++)
		move_model(w, v, move, &o->x[k]);
	for (int k = 0; k < 2; k++) {
		move_bool(v, move, &o->has[k]);
		v->failed |= o->has[k] && !o->x[k];
	}
	move(v, &o->now, sizeof(o->now));
	move(v, &o->due, sizeof(o->due));
	move(v, &o->dropped, sizeof(o->dropped));
	v->failed |= h->n < 0 || h->n > HELD || (o->now != 0 && o->now != 1);
}

static void move_all(struct watch *w, struct checked *v, mover move)
{
	for (int k = 0; k < 2; k++) {
		void *fit = w->fit[k], *published = w->published[k];

		move_optional(v, move, &fit, sizeof(*w->fit[k]));
		move_optional(v, move, &published, sizeof(*w->published[k]));
		w->fit[k] = fit;
		w->published[k] = published;
		v->failed |= !fit != !published || (fit && !momentum_fit_is_sound(fit));
	}
	if (!w->gaps)
		return;
	for (int i = 0; i <= w->workers; i++)
		move_bool(v, move, &w->moves[i]);
	for (int i = 0; i < w->workers; i++)
		move_models(w, v, move, i);
}

void watch_save(const struct watch *w, struct checked *v)
{
	move_all((struct watch *)(uintptr_t)w, v, watch_put);
}

void watch_reset(struct watch *w)
{
	for (int k = 0; k < 2; k++) {
		free_all(w->fit[k], w->published[k]);
		w->fit[k] = NULL;
		w->published[k] = NULL;
	}
	for (int i = 0; w->gaps && i < w->workers; i++) {
		w->held[i].n = 0;
		w->own[i].has[0] = w->own[i].has[1] = false;
		w->own[i].now = 0;
		w->own[i].due = w->own[i].dropped = 0;
		w->moves[i] = false;
	}
	if (w->gaps)
		w->moves[w->workers] = false;
}

void watch_load(struct watch *w, struct checked *v)
{
	move_all(w, v, checked_get);
}

double models_spread(size_t n, int k, const float *const *xs)
{
	double sum = 0.0;

	for (size_t i = 0; i < n; i++) {
		double mean = 0.0;

		for (int j = 0; j < k; j++)
			mean += (double)xs[j][i];
		mean /= k;
		for (int j = 0; j < k; j++) {
			const double d = (double)xs[j][i] - mean;

			sum += d * d;
		}
	}
	return k > 0 ? sqrt(sum / (double)n / k) : (double)NAN;
}
