/* Probe algorithms that time gradients, messages and all-reduces between real ranks. */
#include "study/calibrate/calibrate.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/math/median.h"
#include "core/math/vec.h"
#include "core/node.h"
#include "core/watch.h"
#include "runner/signals.h"

#include <math.h>
#include <stdlib.h>

/* Gradients of a worker, or rounds of a size, that do not count. */
enum { PROBE_WARM = 3 };

/* ---- times ---- */

static void times_add(struct times *t, double seconds)
{
	t->v = xgrown(t->v, t->n, sizeof(*t->v));
	t->v[t->n++] = seconds;
}

void times_release(struct times *t)
{
	free(t->v);
	*t = (struct times){ 0 };
}

double times_middle(struct times *t)
{
	const size_t first = t->n / 4, end = t->n - t->n / 4;
	double sum = 0.0;

	sort_doubles(t->v, t->n);
	for (size_t i = first; i < end; i++)
		sum += t->v[i];
	return sum / (double)(end - first);
}

static int probe_run(const struct probe *p, const struct algo *algo, const void *conf,
		     double seconds, int64_t gradients, struct hook *hooks)
{
	struct run run = p->run;
	struct run_result result;
	int ret;

	run.algo = algo;
	run.algo_conf = conf;
	run.seconds = seconds;
	run.gradients = gradients;
	run.hooks = hooks;
	run.watch = watch_new(p->measures, &run);
	ret = real_run(p->conf, &run, &result);
	watch_free(run.watch);
	if (ret == 0 && result.end == END_DIVERGED)
		return error("the net diverged: a loss was not finite");
	return ret;
}

/* ---- computing ---- */

enum { PASS_EVERY = 8 };        /* gradients, after one of which a handler's passes are timed */

struct probe_conf {             /* the algorithm's */
	int active;
	struct computed *to;
};

struct stopwatch {              /* a hook of process 0 */
	struct hook hook;
	const struct probe *probe;
	struct times *periods;
	bool passes;            /* one period of PASS_EVERY has passes in it, and does not count */
	double *last;           /* [workers] when the worker's last gradient was there */
	int *seen;              /* [workers] gradients */
};

static void stopwatch_event(struct hook *h, const struct event *ev)
{
	struct stopwatch *w = (struct stopwatch *)h;
	const int rank = ev->node->rank;

	if (ev->kind != EV_GRAD)
		return;
	if (w->seen[rank] >= PROBE_WARM && !(w->passes && w->seen[rank] % PASS_EVERY == 0))
		times_add(w->periods, ev->time - w->last[rank]);
	w->seen[rank]++;
	w->last[rank] = ev->time;
	if (w->probe->tick)
		w->probe->tick(w->probe->ctx);
}

/* Events that a run's recorder asks for, whose way to process 0 is part of the cost. */
static const unsigned recorded_events = 1u << EV_GRAD | 1u << EV_STEP;

static int probe_gradients(const struct probe *p, const struct algo *algo, const void *conf,
			  const struct computing *c, struct stopwatch *w)
{
	const size_t workers = (size_t)p->run.workers;
	int ret;

	w->hook = (struct hook){ .mask = recorded_events, .event = stopwatch_event };
	w->probe = p;
	w->last = xcalloc(workers, sizeof(*w->last));
	w->seen = xcalloc(workers, sizeof(*w->seen));
	ret = probe_run(p, algo, conf, c->seconds, c->gradients, &w->hook);
	free_all(w->last, w->seen);
	return ret;
}

struct probe_worker {
	size_t size;            /* of messages and all-reduces: which of them */
	int round;
	double began;           /* messages: when it was sent; all-reduces: seconds of comm then */
	double took;            /* all-reduces: seconds of the last round, here */
	bool computing;
	float *v;               /* [dim] */
	double fetched;         /* seconds of getting batches, until the last gradient */
};

static void compute_start(struct node *nd)
{
	const struct probe_conf *c = nd->conf;
	struct probe_worker *w = nd->state;

	w->v = node_vec(nd);
	if (nd->rank < c->active)
		node_grad(nd);
}

/* Copies and averages, as handlers do. */
static void time_passes(struct node *nd, const float *g, struct times *passes)
{
	struct probe_worker *w = nd->state;
	const size_t before = vec_passed();
	const double began = clock_s();

	vec_copy(nd->dim, g, w->v);
	vec_axpby(nd->dim, 0.5f, g, 0.5f, w->v);
	times_add(passes, (clock_s() - began) / (double)(vec_passed() - before));
}

/* No gradient is in flight: the pool's seconds are those of gradients so far. */
static void time_fetching(const struct node *nd, struct fetching *f)
{
	struct probe_worker *w = nd->state;
	const double now = pool_data_s(nd->run->pool);

	if (nd->step >= f->from && nd->step < f->end) {
		f->seconds += now - w->fetched;
		f->n++;
	}
	w->fetched = now;
}

static void compute_grad(struct node *nd, const struct grad *g)
{
	struct computed *to = ((const struct probe_conf *)nd->conf)->to;
	double began;

	time_fetching(nd, to->fetching);
	if ((nd->step + 1) % PASS_EVERY == 0)
		time_passes(nd, g->vec, to->passes);
	began = clock_s();
	node_step(nd, g->vec, 1.0f);
	if (nd->step > PROBE_WARM)
		times_add(to->steps, clock_s() - began);
	to->gradients = nd->step;
	node_grad(nd);
}

int probe_compute(const struct probe *p, const struct computing *c, struct computed *to)
{
	static const struct role worker = { .state_size = sizeof(struct probe_worker),
					    .start = compute_start, .grad = compute_grad };
	static const struct algo algo = { .plugin = { .name = "probe" }, .worker = &worker };
	const struct probe_conf conf = { .active = c->active, .to = to };
	struct stopwatch watch = { .periods = to->periods, .passes = true };

	return probe_gradients(p, &algo, &conf, c, &watch);
}

static void receiving_start(struct node *nd)
{
	const int *active = nd->conf;

	if (nd->rank < *active)
		node_grad(nd);
}

static void receiving_grad(struct node *nd, const struct grad *g)
{
	const int *active = nd->conf;

	node_step(nd, g->vec, 1.0f);
	node_send(nd, (nd->rank + 1) % *active, &(struct msg){ .vec = nd->x, .n = nd->dim });
	node_grad(nd);
}

static void receiving_msg(struct node *nd, const struct msg *m)
{
	vec_axpby(nd->dim, 0.5f, m->vec, 0.5f, nd->x);
}

int probe_receiving(const struct probe *p, const struct computing *c, struct times *periods)
{
	static const struct role worker = { .start = receiving_start, .grad = receiving_grad,
					    .msg = receiving_msg };
	static const struct algo algo = { .plugin = { .name = "probe" }, .worker = &worker };
	struct stopwatch watch = { .periods = periods };

	return probe_gradients(p, &algo, &c->active, c, &watch);
}

/* ---- messages and all-reduces ---- */

struct probe_series {                 /* the algorithm's conf */
	const struct probe *probe;
	const size_t *floats;   /* [n] */
	size_t n;
	int rounds;             /* of each size, and PROBE_WARM more */
	struct times *times;    /* [n] */
};

/* Workers find each other as a run does: with a gradient after them. */
static void probe_gradient(struct node *nd)
{
	struct probe_worker *w = nd->state;

	if (!w->computing)
		node_grad(nd);
	w->computing = true;
}

/* Books a round; true when there is another one. */
static bool round_book(struct node *nd, double seconds)
{
	const struct probe_series *s = nd->conf;
	struct probe_worker *w = nd->state;

	if (nd->rank == 0 && w->round >= PROBE_WARM)
		times_add(&s->times[w->size], seconds);
	if (nd->rank == 0 && s->probe->tick)
		s->probe->tick(s->probe->ctx);
	if (++w->round == s->rounds + PROBE_WARM) {
		w->round = 0;
		w->size++;
	}
	return w->size < s->n;
}

enum { PING, PONG, BYE };

static void probe_post(struct node *nd, int to, int tag, size_t n)
{
	node_send(nd, to, &(struct msg){ .tag = tag, .vec = nd->x, .n = n });
}

/* The others' gradients end at about the same time: some later they are at rest. */
static void ping_grad(struct node *nd, const struct grad *g)
{
	struct probe_worker *w = nd->state;

	(void)g;
	w->computing = false;
	if (nd->rank == 0)
		node_after(nd, 1e-3 + 3e-3 * (double)(node_rand(nd) >> 11) * 0x1p-53, 0);
}

static void probe_ping(struct node *nd, int token)
{
	const struct probe_series *s = nd->conf;
	struct probe_worker *w = nd->state;

	(void)token;
	w->began = node_now(nd);
	probe_post(nd, 1 + w->round % (nd->workers - 1), PING, s->floats[w->size]);
}

static void probe_receive(struct node *nd, const struct msg *m)
{
	const struct probe_worker *w = nd->state;

	if (m->tag == PING) {
		probe_post(nd, m->from, PONG, m->n);
		probe_gradient(nd);
	} else if (m->tag == BYE) {
		node_stop(nd);
	} else if (round_book(nd, 0.5 * (node_now(nd) - w->began))) {
		probe_gradient(nd);
	} else {
		for (int rank = 1; rank < nd->workers; rank++)
			probe_post(nd, rank, BYE, 0);
		node_stop(nd);
	}
}

/*
 * The worker whose all-reduce is done last decides when the next round ends: so each tells in the
 * vector how long its last one took, and the longest counts. There are fewer slots than workers:
 * the first ones'.
 */
static void probe_ask(struct node *nd, const struct grad *g)
{
	const struct probe_series *s = nd->conf;
	struct probe_worker *w = nd->state;
	const size_t n = s->floats[w->size];

	(void)g;
	w->computing = false;
	for (size_t i = 0; i < n && i < (size_t)nd->workers; i++)
		w->v[i] = i == (size_t)nd->rank ? (float)w->took : 0.0f;
	w->began = nd->ledger.comm;
	node_allreduce(nd, w->v, n);
}

static void probe_allreduce(struct node *nd, float *v, size_t n)
{
	struct probe_worker *w = nd->state;
	double longest = 0.0;

	w->took = nd->ledger.comm - w->began;
	for (size_t i = 0; i < n && i < (size_t)nd->workers; i++)
		longest = fmax(longest, (double)v[i]);
	if (round_book(nd, longest))
		probe_gradient(nd);
	else
		node_stop(nd);
}

static void probe_begin(struct node *nd)
{
	struct probe_worker *w = nd->state;

	w->v = node_vec(nd);
	probe_gradient(nd);
}

/* Much more than it takes; if it takes longer, there are fewer rounds. */
static const double probe_patience_s = 600;

static int run_series(const struct probe *p, const struct role *worker, const size_t *floats,
		      size_t n, int rounds, struct times *times)
{
	const struct algo algo = { .plugin = { .name = "probe" }, .worker = worker };
	const struct probe_series conf = { .probe = p, .floats = floats, .n = n, .rounds = rounds,
				     .times = times };

	if (probe_run(p, &algo, &conf, probe_patience_s, 0, NULL) < 0)
		return -1;
	for (size_t i = 0; i < n && real_rank() == 0 && !signal_caught; i++)
		if (times[i].n == 0)
			return error("nothing of %zu floats arrived within %g s", floats[i],
				     probe_patience_s);
	return 0;
}

int probe_messages(const struct probe *p, const size_t *floats, size_t n, int rounds,
		   struct times *times)
{
	static const struct role worker = { .state_size = sizeof(struct probe_worker),
					    .start = probe_gradient, .grad = ping_grad,
					    .timer = probe_ping, .msg = probe_receive };

	return run_series(p, &worker, floats, n, rounds, times);
}

int probe_allreduces(const struct probe *p, const size_t *floats, size_t n, int rounds,
	       struct times *times)
{
	static const struct role worker = { .state_size = sizeof(struct probe_worker),
					    .start = probe_begin, .grad = probe_ask,
					    .allreduce = probe_allreduce };

	return run_series(p, &worker, floats, n, rounds, times);
}
