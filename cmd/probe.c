#include "cmd/probe.h"

#include "core/error.h"
#include "core/mem.h"
#include "core/node.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { WARM = 3 };              /* gradients of a worker, or rounds of a size, that do not count */

/* ---- times ---- */

void times_add(struct times *t, double seconds)
{
	if (t->n == t->room) {
		t->room = t->room ? 2 * t->room : 64;
		t->v = xrealloc(t->v, t->room, sizeof(*t->v));
	}
	t->v[t->n++] = seconds;
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void times_sort(struct times *t)
{
	if (t->n)
		qsort(t->v, t->n, sizeof(*t->v), compare);
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

	times_sort(t);
	for (size_t i = first; i < end; i++)
		sum += t->v[i];
	return sum / (double)(end - first);
}

static double clock_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int run_probe(const struct probe *p, const struct algo *algo, const void *conf,
		     double seconds, struct hook *hooks)
{
	struct run run = p->run;
	struct run_result result;

	run.algo = algo;
	run.algo_conf = conf;
	run.seconds = seconds;
	run.hooks = hooks;
	if (real_run(p->conf, &run, &result) < 0)
		return -1;
	if (result.end == END_DIVERGED)
		return error("the net diverged: a loss was not finite");
	return 0;
}

/* ---- computing ---- */

struct compute {                /* the algorithm's conf */
	int active;
	struct times *steps;
};

struct stopwatch {              /* a hook of process 0 */
	struct hook hook;
	const struct probe *probe;
	struct times *periods;
	double *last;           /* [workers] when the worker's last gradient was there */
	int *seen;              /* [workers] gradients */
};

static void stopwatch_event(struct hook *h, const struct event *ev)
{
	struct stopwatch *w = (struct stopwatch *)h;
	const int rank = ev->node->rank;

	if (++w->seen[rank] > WARM)
		times_add(w->periods, ev->time - w->last[rank]);
	w->last[rank] = ev->time;
	if (w->probe->tick)
		w->probe->tick(w->probe->ctx);
}

static void compute_start(struct node *nd)
{
	const struct compute *c = nd->conf;

	if (nd->rank < c->active)
		node_grad(nd);
}

static void compute_grad(struct node *nd, const struct grad *g)
{
	const struct compute *c = nd->conf;
	const double began = clock_s();

	node_step(nd, g->vec, 1.0f);
	if (nd->step > WARM)
		times_add(c->steps, clock_s() - began);
	node_grad(nd);
}

int probe_compute(const struct probe *p, int active, double seconds, struct times *periods,
		  struct times *steps)
{
	static const struct role worker = { .start = compute_start, .grad = compute_grad };
	static const struct algo algo = { .plugin = { .name = "probe" }, .worker = &worker };
	const struct compute conf = { .active = active, .steps = steps };
	const size_t workers = (size_t)p->run.workers;
	struct stopwatch watch = {
		.hook = { .mask = 1u << EV_GRAD, .event = stopwatch_event },
		.probe = p, .periods = periods, .last = xcalloc(workers, sizeof(double)),
		.seen = xcalloc(workers, sizeof(int)),
	};
	const int ret = run_probe(p, &algo, &conf, seconds, &watch.hook);

	free(watch.last);
	free(watch.seen);
	return ret;
}

/* ---- messages and sums ---- */

struct series {                 /* the algorithm's conf */
	const struct probe *probe;
	const size_t *floats;   /* [n] */
	size_t n;
	int rounds;             /* of each size, and WARM more */
	struct times *times;    /* [n] */
};

struct worker {
	size_t size;            /* which of them */
	int round;
	double began;           /* messages: when it was sent; sums: seconds of comm so far */
	float *v;               /* [dim] */
};

/* Workers find each other at rest, as after a gradient of which nobody knows when it ends. */
static void rest(struct node *nd)
{
	node_after(nd, 1e-3 + 3e-3 * (double)(node_rand(nd) >> 11) * 0x1p-53, 0);
}

/* Books a round; true when there is another one. */
static bool next_round(struct node *nd, double seconds)
{
	const struct series *s = nd->conf;
	struct worker *w = nd->state;

	if (nd->rank == 0 && w->round >= WARM)
		times_add(&s->times[w->size], seconds);
	if (nd->rank == 0 && s->probe->tick)
		s->probe->tick(s->probe->ctx);
	if (++w->round == s->rounds + WARM) {
		w->round = 0;
		w->size++;
	}
	return w->size < s->n;
}

enum { PING, PONG, BYE };

static void post(struct node *nd, int to, int tag, size_t n)
{
	node_send(nd, to, &(struct msg){ .tag = tag, .vec = nd->x, .n = n });
}

static void ping(struct node *nd, int token)
{
	const struct series *s = nd->conf;
	struct worker *w = nd->state;

	(void)token;
	w->began = node_now(nd);
	post(nd, 1 + w->round % (nd->workers - 1), PING, s->floats[w->size]);
}

static void part(struct node *nd)
{
	for (int rank = 1; rank < nd->workers; rank++)
		post(nd, rank, BYE, 0);
	node_stop(nd);
}

static void hear(struct node *nd, const struct msg *m)
{
	const struct worker *w = nd->state;

	if (m->tag == PING)
		post(nd, m->from, PONG, m->n);
	else if (m->tag == BYE)
		node_stop(nd);
	else if (next_round(nd, 0.5 * (node_now(nd) - w->began)))
		rest(nd);
	else
		part(nd);
}

static void ping_start(struct node *nd)
{
	if (nd->rank == 0)
		rest(nd);
}

static void ask(struct node *nd, int token)
{
	const struct series *s = nd->conf;
	struct worker *w = nd->state;

	(void)token;
	w->began = nd->ledger.comm;
	node_sum(nd, w->v, s->floats[w->size]);
}

static void sum(struct node *nd, float *v, size_t n)
{
	const struct worker *w = nd->state;

	(void)v, (void)n;
	if (next_round(nd, nd->ledger.comm - w->began))
		rest(nd);
	else
		node_stop(nd);
}

static void sum_start(struct node *nd)
{
	struct worker *w = nd->state;

	w->v = node_vec(nd);
	rest(nd);
}

/* Much more than it takes; if it takes longer, there are fewer rounds. */
static const double patience_s = 60;

static int run_series(const struct probe *p, const struct role *worker, const size_t *floats,
		      size_t n, int rounds, struct times *times)
{
	const struct algo algo = { .plugin = { .name = "probe" }, .worker = worker };
	const struct series conf = { .probe = p, .floats = floats, .n = n, .rounds = rounds,
				     .times = times };

	if (run_probe(p, &algo, &conf, patience_s, NULL) < 0)
		return -1;
	for (size_t i = 0; i < n && real_rank() == 0; i++)
		if (times[i].n == 0)
			return error("nothing of %zu floats arrived within %g s", floats[i],
				     patience_s);
	return 0;
}

int probe_messages(const struct probe *p, const size_t *floats, size_t n, int rounds,
		   struct times *times)
{
	static const struct role worker = { .state_size = sizeof(struct worker),
					    .start = ping_start, .timer = ping, .msg = hear };

	return run_series(p, &worker, floats, n, rounds, times);
}

int probe_sums(const struct probe *p, const size_t *floats, size_t n, int rounds,
	       struct times *times)
{
	static const struct role worker = { .state_size = sizeof(struct worker),
					    .start = sum_start, .timer = ask, .sum = sum };

	return run_series(p, &worker, floats, n, rounds, times);
}
