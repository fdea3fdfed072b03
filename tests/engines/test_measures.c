/* Measures of vectors against models kept by the test; nothing else changes by them. */
#include "core/base/mem.h"
#include "core/math/vec.h"
#include "core/watch.h"
#include "tests/support/check.h"
#include "tests/support/toy.h"

#include <math.h>
#include <stdlib.h>

enum { DIM = 5, MOST = 1024 };

struct record {                 /* what the steps of one node looked like */
	struct hook hook;
	int64_t steps, gaps, norms, momenta;
	double gap, expected;   /* of the latest step; the largest difference between both */
	double difference, spread;
	float x[MOST][DIM];     /* the server's model before each step */
	int64_t peers[16];
	bool any;               /* something was measured */
};

static void first_model(struct record *r, const struct toy *t)
{
	t->problem->ops->init(t->problem, t->run.seed, r->x[0]);
}

static void on_step(struct record *r, const struct event *ev)
{
	const int64_t now = ev->node->step;
	const struct measured *m = ev->measured;

	assert_true(now + 1 < MOST);
	r->steps++;
	r->peers[ev->peer]++;
	if (m) {
		r->any = true;
		r->gaps += isfinite(m->gap);
		r->norms += isfinite(m->norm);
		r->momenta += isfinite(m->published);
		r->gap = m->gap;
		r->expected = vec_dist(DIM, r->x[now], r->x[now - ev->staleness]) / sqrt(DIM);
		r->difference = fmax(r->difference, fabs(r->gap - r->expected));
	}
	vec_copy(DIM, ev->node->x, r->x[now + 1]);
}

static void on_event(struct hook *h, const struct event *ev)
{
	struct record *r = (struct record *)h;

	if (ev->kind == EV_STEP)
		on_step(r, ev);
	else if (ev->measured)
		r->spread = ev->measured->spread;
}

static struct record *record_new(void)
{
	struct record *r = xcalloc(1, sizeof(*r));

	r->hook = (struct hook){ .mask = 1u << EV_STEP | 1u << EV_MARK, .event = on_event };
	r->spread = (double)NAN;
	return r;
}

/* toy_run() with a watch, which needs the pool's problem only. */
static void run_watched(struct toy *t, struct record *r, enum watch_level level)
{
	struct pool like = { .problem = t->problem };
	struct run run = t->run;

	run.pool = t->threads ? &like : NULL;
	t->run.watch = watch_new(level, &run);
	t->run.hooks = &r->hook;
	if (t->threads)
		first_model(r, t);
	toy_run(t);
	watch_free(t->run.watch);
}

static void rough(struct toy *t)
{
	toy_rough(t);
	t->run.mark_every = 1;
}

/* A gap is how far the server has come since it sent the model; each step's, to the bit. */
static void gap_is_the_way_of_the_server(void **state)
{
	struct record *r = record_new();
	struct toy t;
	int64_t updates = 0;

	toy_open(&t, "asgd", 6, "sgd");
	rough(&t);
	run_watched(&t, r, WATCH_ALL);
	assert_true(r->steps > 150);
	assert_int_equal(r->gaps, r->steps);
	assert_int_equal(r->norms, r->steps);
	assert_true(r->momenta > 5 && r->momenta <= r->steps / 16);
	assert_true(r->gap > 0.0 && r->difference == 0.0);
	for (int i = 0; i < 6; i++) {
		assert_true(r->peers[i] > 10);
		updates += r->peers[i];
	}
	assert_int_equal(updates, r->steps);
	assert_true(r->spread > 0.0);
	free(r);
	toy_close(&t);
}

/* Of a server and two workers with a model of one number. */
static struct watch *watch_of_two(const struct problem *toy)
{
	static const struct role role = { 0 };
	static const struct algo algo = { .server = &role };
	struct pool pool = { .problem = toy };

	return watch_new(WATCH_ALL, &(struct run){ .algo = &algo, .workers = 2, .dim = 1,
						   .pool = &pool, .seed = 5 });
}

/* A server of one number, at 10; the gap of a gradient of worker 1, of that clock. */
static double gap_of(struct watch *w, struct node *server, int64_t stamp)
{
	const float g = 1.0f;

	server->from = 1;
	server->stamp = stamp;
	watch_before(w, server, &g, -2.0f);
	assert_near(watch_measured(w)->norm, 2.0, 0);
	return watch_measured(w)->gap;
}

static void send(struct watch *w, const struct node *server, int64_t stamp, float x, bool codes)
{
	watch_send(w, server, 1,
		   &(struct msg){ .stamp = stamp, .vec = &x, .n = 1, .codes = codes });
}

/* Of several models on their way the gradient's clock says which; older ones are forgotten. */
static void a_gradient_finds_its_model(void **state)
{
	struct problem *toy = toy_new(1, 16);
	struct watch *w = watch_of_two(toy);
	float x = 10.0f, first;
	struct node server = { .rank = SERVER, .dim = 1, .x = &x };

	toy->ops->init(toy, 5, &first);
	assert_near(gap_of(w, &server, 0), fabs(10.0 - (double)first), 1e-6);
	assert_true(isnan(gap_of(w, &server, 7)));
	send(w, &server, 3, 4.0f, false);
	send(w, &server, 4, 7.0f, false);
	send(w, &server, 5, 9.0f, false);
	send(w, &server, 6, 0.0f, true);
	assert_near(gap_of(w, &server, 4), 3.0, 0);
	assert_true(isnan(gap_of(w, &server, 3)));
	send(w, &server, 4, 8.0f, false);
	assert_near(gap_of(w, &server, 4), 2.0, 0);
	send(w, &server, 6, 11.0f, false);
	send(w, &server, 8, 14.0f, false);
	assert_true(isnan(gap_of(w, &server, 4)));
	assert_near(gap_of(w, &server, 8), 4.0, 0);
	watch_free(w);
	toy->ops->close(toy);
}

/* A rule that moves x itself has the gap before it did, once it is known that it does. */
static void rules_that_move_x_have_gaps(void **state)
{
	struct problem *toy = toy_new(1, 16);
	struct watch *w = watch_of_two(toy);
	float x = 10.0f;
	struct node server = { .rank = SERVER, .dim = 1, .x = &x, .from = 1, .stamp = 1 };

	send(w, &server, 1, 4.0f, false);
	watch_received(w, &server);
	watch_moved(w, &server);
	assert_true(isnan(watch_measured(w)->gap));
	watch_received(w, &server);
	x = 3.0f;
	watch_moved(w, &server);
	assert_near(watch_measured(w)->gap, 6.0, 0);
	assert_true(isnan(watch_measured(w)->norm));
	watch_free(w);
	toy->ops->close(toy);
}

/* In lockstep, a worker's model is where its gradient was computed. */
static void synchronous_gaps_are_zero(void **state)
{
	struct record *r = record_new();
	struct toy t;

	toy_open(&t, "allreduce", 4, "sgd");
	t.run.mark_every = 1;
	run_watched(&t, r, WATCH_ALL);
	assert_int_equal(r->gaps, r->steps);
	assert_true(r->gap == 0.0);
	assert_true(r->spread == 0.0);
	free(r);
	toy_close(&t);
}

/* AD-PSGD: no step lies between, and yet the model has moved, by averaging. */
static void averaging_makes_gaps(void **state)
{
	struct record *r = record_new();
	struct toy t;

	toy_open(&t, "ad-psgd", 6, "sgd");
	rough(&t);
	run_watched(&t, r, WATCH_ALL);
	assert_int_equal(r->gaps, r->steps);
	assert_true(r->difference > 0.0 && r->expected == 0.0);
	assert_true(r->spread > 0.0);
	free(r);
	toy_close(&t);
}

static void models_spread_by_hand(void **state)
{
	const float a[2] = { 1, 0 }, b[2] = { 3, 0 }, c[2] = { 2, 6 };

	assert_near(models_spread(2, 2, (const float *const[]){ a, b }), sqrt(0.5), 1e-15);
	/* Means (2, 2); squares 1 + 4, 1 + 4, 16. */
	assert_near(models_spread(2, 3, (const float *const[]){ a, b, c }), sqrt(26.0 / 6), 1e-15);
	assert_true(models_spread(2, 1, (const float *const[]){ a }) == 0.0);
}

static void same_ledgers(const struct toy *a, const struct toy *b)
{
	for (int k = 0; k < a->nnodes; k++)
		assert_memory_equal(&a->nodes[k].ledger, &b->nodes[k].ledger,
				    sizeof(struct ledger));
}

/* The same run without: bits, clock, messages. */
static void nothing_changes_by_them(void **state)
{
	static const char *const algos[] = { "asgd", "allreduce", "d-psgd", "ad-psgd" };

	for (size_t i = 0; i < sizeof(algos) / sizeof(algos[0]); i++) {
		struct toy t[3];

		for (int level = WATCH_NONE; level <= WATCH_ALL; level++) {
			struct record *r = record_new();

			toy_open(&t[level], algos[i], 6, "sgd");
			rough(&t[level]);
			toy_link(&t[level], "measured:message_bytes=0/100,message_s=0.01/0.02,"
				 "allreduce_bytes=0/100,allreduce_s=0.01/0.02,ranks=6,"
				 "handler_GBps=1e-6");
			run_watched(&t[level], r, (enum watch_level)level);
			assert_int_equal(r->any, level != WATCH_NONE);
			assert_true(level == WATCH_ALL || r->gaps == 0);
			free(r);
		}
		for (int level = WATCH_CHEAP; level <= WATCH_ALL; level++) {
			assert_memory_equal(t[0].model, t[level].model, DIM * sizeof(float));
			assert_true(t[0].result.time == t[level].result.time);
			same_ledgers(&t[0], &t[level]);
		}
		for (int level = WATCH_NONE; level <= WATCH_ALL; level++)
			toy_close(&t[level]);
	}
}

/* Without vectors there is nothing to measure, and whose gradient it was is known still. */
static void timing_only_runs_know_workers(void **state)
{
	struct record *r = record_new();
	struct toy t;

	toy_open(&t, "asgd", 4, "sgd");
	t.threads = 0;
	run_watched(&t, r, WATCH_ALL);
	assert_null(t.run.watch);
	assert_false(r->any);
	assert_true(r->peers[0] > 0 && r->peers[3] > 0);
	free(r);
	toy_close(&t);
}

RUN_ALL(gap_is_the_way_of_the_server, a_gradient_finds_its_model, rules_that_move_x_have_gaps,
	synchronous_gaps_are_zero, averaging_makes_gaps, models_spread_by_hand,
	nothing_changes_by_them, timing_only_runs_know_workers)
