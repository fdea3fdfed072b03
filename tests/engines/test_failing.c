/* Nodes that fail at random times: drawn from the seed alone, as often as the law says, refused. */
#include "core/math/rng.h"
#include "tests/support/check.h"
#include "tests/support/toy.h"

#include <math.h>
#include <string.h>

enum { MOST = 64 };

struct seen {                   /* a hook that keeps failures */
	struct hook hook;
	int n;
	int rank[MOST];
	double time[MOST], to[MOST];
};

static void keep_failure(struct hook *h, const struct event *ev)
{
	struct seen *s = (struct seen *)h;

	if (ev->over || s->n == MOST)
		return;
	s->rank[s->n] = ev->fault->rank;
	s->to[s->n] = ev->fault->to;
	s->time[s->n++] = ev->time;
}

static struct seen failures_of(const char *algo, const char *text, const char *link, uint64_t seed)
{
	struct seen s = { .hook = { .mask = 1u << EV_FAULT, .event = keep_failure } };
	struct toy t;

	toy_open(&t, algo, 4, "sgd");
	assert_true(toy_faults(&t, text));
	toy_link(&t, link);
	t.threads = 0;
	t.run.epochs = 0;
	t.run.seconds = 400;
	t.run.seed = seed;
	t.run.hooks = &s.hook;
	toy_run(&t);
	assert_int_equal(t.result.end, END_SECONDS);
	toy_close(&t);
	return s;
}

static void same_failures(const struct seen *a, const struct seen *b)
{
	assert_int_equal(a->n, b->n);
	for (int i = 0; i < a->n; i++) {
		assert_int_equal(a->rank[i], b->rank[i]);
		assert_true(a->time[i] == b->time[i]);
	}
}

static const char law[] = "all:fail@mtbf_s=100,detect_s=1,restart_s=2";

static void failures_follow_from_the_seed(void **state)
{
	static const char *const algos[] = { "asgd", "allreduce", "k-sync:k=2", "local-sgd",
					     "hogwild" };
	struct seen s[5], other;
	struct rng r;

	for (int i = 0; i < 5; i++)
		s[i] = failures_of(algos[i], law, "ideal", 3);
	assert_true(s[0].n > 4);
	for (int i = 1; i < 5; i++)
		same_failures(&s[0], &s[i]);
	rng_at(&r, 3, RNG_FAULT, (uint32_t)s[0].rank[0], 0);
	assert_true(s[0].time[0] == -log(rng_uniform(&r)) * 100);
	assert_true(s[0].to[0] == s[0].time[0] + 3);
	other = failures_of("asgd", law, "ideal", 4);
	assert_true(other.time[0] < s[0].time[0] || other.time[0] > s[0].time[0]);
}

/* Two workers a node: each node's fail together. */
static void a_node_fails_with_all_its_workers(void **state)
{
	const struct seen s = failures_of("asgd", law, "nic:latency_s=0,bandwidth_GBps=1e6,node=2",
					  3);

	assert_true(s.n > 2 && s.n % 2 == 0);
	for (int i = 0; i < s.n; i += 2) {
		assert_true(s.time[i] == s.time[i + 1]);
		assert_int_equal(s.rank[i] / 2, s.rank[i + 1] / 2);
		assert_int_not_equal(s.rank[i], s.rank[i + 1]);
	}
}

static void only_the_ranks_that_are_named(void **state)
{
	const struct seen s = failures_of("asgd", "1-2:fail@mtbf_s=50,restart_s=1", "ideal", 3);

	assert_true(s.n > 4);
	for (int i = 0; i < s.n; i++)
		assert_true(s.rank[i] == 1 || s.rank[i] == 2);
}

/* Seconds until one of four asynchronous workers gives its next gradient, of many. */
static double seconds_a_gradient(const char *text)
{
	struct toy t;
	double s;

	toy_open(&t, "asgd", 4, "sgd");
	assert_true(toy_faults(&t, text));
	t.threads = 0;
	t.run.epochs = 0;
	t.run.gradients = 200000;
	toy_run(&t);
	assert_int_equal(t.result.end, END_GRADIENTS);
	s = t.result.time / 200000;
	toy_close(&t);
	return s;
}

/*
 * A gradient of C seconds takes M e^(R / M) (e^(C / M) - 1): there are 200000 of them. With R = 0,
 * their deviation is below M; with failures while it is away, too, it is below 3 R.
 */
static void as_often_as_the_law_says(void **state)
{
	const double rare = 50 * exp(5.0 / 50) * expm1(1.0 / 50) / 4;
	const double often = 5 * exp(8.0 / 5) * expm1(1.0 / 5) / 4;

	assert_near(seconds_a_gradient("all:fail@mtbf_s=50,detect_s=2,restart_s=3") / rare, 1,
		    0.01);
	assert_near(seconds_a_gradient("all:fail@mtbf_s=5,detect_s=3,restart_s=5") / often, 1,
		    0.03);
}

/* Synchronous steps go on without those that are away: nearly as many gradients. */
static void all_reduces_go_on(void **state)
{
	struct toy t;

	toy_open(&t, "allreduce", 4, "sgd");
	assert_true(toy_faults(&t, "all:fail@mtbf_s=100,restart_s=20"));
	t.threads = 0;
	t.run.epochs = 0;
	t.run.seconds = 10000;
	toy_run(&t);
	assert_int_equal(t.result.end, END_SECONDS);
	assert_true(t.result.gradients > 30000 && t.result.gradients < 36000);
	toy_close(&t);
}

static void no_gradient_between_failures_ends_the_run(void **state)
{
	struct toy t;

	toy_open(&t, "asgd", 4, "sgd");
	assert_true(toy_faults(&t, "all:fail@mtbf_s=0.001"));
	t.threads = 0;
	toy_run(&t);
	assert_int_equal(t.result.end, END_STALLED);
	assert_non_null(strstr(t.result.fault, "none completed a gradient"));
	toy_close(&t);
}

/* Worker 0 fails while it is away, and others compute: what is to come does not grow for ever. */
static void too_many_failures_end_the_run(void **state)
{
	struct toy t;

	toy_open(&t, "asgd", 4, "sgd");
	assert_true(toy_faults(&t, "0:fail@mtbf_s=0.001,restart_s=1e9"));
	t.threads = 0;
	t.run.epochs = 0;
	t.run.gradients = 100000;
	toy_run(&t);
	assert_int_equal(t.result.end, END_STALLED);
	assert_non_null(strstr(t.result.fault, "no more failures are kept"));
	toy_close(&t);
}

static void refused(const char *algo, const char *text, const char *because)
{
	struct toy t;

	toy_open(&t, algo, 4, "sgd");
	toy_faults_refused(&t, text, because);
}

static void the_impossible_is_refused(void **state)
{
	refused("asgd", "all:fail@mtbf_s=0", "must be more than 0");
	refused("asgd", "all:fail@mtbf_s=-1",
		"mtbf_s must be a number of seconds, more than 0, not '-1'");
	refused("asgd", "all:fail@mtbf_s=inf", "more than 0, not 'inf'");
	refused("asgd", "all:fail@mtbf_s=1,detect_s=x+3:leave@5",
		"detect_s must be a number of seconds, at least 0, not 'x'");
	refused("asgd", "1:leave@5-3", "FROM = 5 must be before TO = 3");
	refused("asgd", "all:fail@restart_s=1", "RANKS:fail@mtbf_s=S");
	refused("asgd", "2-1:fail@mtbf_s=1", "RANKS:fail@mtbf_s=S");
	refused("asgd", "server:fail@mtbf_s=1", "RANKS:fail@mtbf_s=S");
	refused("asgd", "all:leave@1", "RANK:leave@TIME");
	refused("asgd", "2-4:fail@mtbf_s=1", "no rank 4 among 4 workers");
	refused("asgd", "0-2:fail@mtbf_s=1+2-3:fail@mtbf_s=2", "worker 2 is in two faults");
	refused("asgd", "all:fail@mtbf_s=1+3:leave@5", "worker 3 is in two faults");
	refused("noloco", "all:fail@mtbf_s=1", "noloco tolerates no worker failure");
	refused("allreduce", "all:fail@mtbf_s=0", "must be more than 0");
}

RUN_ALL(failures_follow_from_the_seed, a_node_fails_with_all_its_workers,
	only_the_ranks_that_are_named, as_often_as_the_law_says, all_reduces_go_on,
	no_gradient_between_failures_ends_the_run, too_many_failures_end_the_run,
	the_impossible_is_refused)
