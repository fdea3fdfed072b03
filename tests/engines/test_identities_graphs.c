/* What graphs promise of gossip: conserved sums, contraction at the spectral gap, limit cases. */
#include "core/graph.h"
#include "core/math/vec.h"
#include "tests/support/check.h"
#include "tests/support/toy.h"

#include <math.h>
#include <stdlib.h>

enum { DIM = 5, SAMPLES = 256 };

static const char plain[] = "sgd:momentum=0,weight_decay=0";

static void open_on(struct toy *t, const char *graph, const char *algo, int workers)
{
	toy_open(t, algo, workers, plain);
	if (graph)
		toy_graph(t, graph);
}

/* ---- without gradients, from models far apart ---- */

static float first(int rank, int i)
{
	return toy_target(100 + rank, (size_t)i);
}

static void spread(struct hook *h, const struct event *ev)
{
	(void)h;
	for (int k = 0; k < ev->nnodes; k++)
		for (int i = 0; i < DIM; i++)
			ev->nodes[k].x[i] = first(k, i);
}

/* So many steps of all workers, with a learning rate of 0. */
static void mix(struct toy *t, int steps)
{
	struct hook start = { .mask = 1u << EV_START, .event = spread };

	t->run.hooks = &start;
	t->run.lr.base = 0.0;
	t->run.epochs = 0.0;
	t->run.gradients = (int64_t)steps * t->run.workers;
	toy_run(t);
	t->run.hooks = NULL;
}

static double mean_at_first(int workers, int i)
{
	double sum = 0.0;

	for (int k = 0; k < workers; k++)
		sum += (double)first(k, i);
	return sum / workers;
}

static double distance_from_mean(const struct toy *t)
{
	double sum = 0.0;

	for (int k = 0; k < t->run.workers; k++)
		for (int i = 0; i < DIM; i++) {
			const double d = (double)t->xs[k][i] - mean_at_first(t->run.workers, i);

			sum += d * d;
		}
	return sqrt(sum);
}

static double distance_after(const char *graph, const char *algo, int workers, int steps)
{
	struct toy t;
	double d;

	open_on(&t, graph, algo, workers);
	mix(&t, steps);
	d = distance_from_mean(&t);
	toy_close(&t);
	return d;
}

static void expect_mean(const struct toy *t, double tolerance)
{
	for (int i = 0; i < DIM; i++)
		assert_near((double)t->model[i], mean_at_first(t->run.workers, i), tolerance);
}

static void the_mean_stays(void **state)
{
	static const struct {
		const char *graph, *algo;
	} all[] = { { "ring", "d-psgd" }, { "star", "d-psgd" }, { "exponential", "d-psgd" },
		    { "complete", "d-psgd:overlap=true" }, { "random-regular:degree=3", "d-psgd" },
		    { NULL, "ad-psgd" }, { "hypercube", "ad-psgd" }, { "star", "ad-psgd" },
		    { "torus", "ad-psgd" }, { "bipartite-complete", "ad-psgd" }, { NULL, "sgp" },
		    { "complete", "sgp" }, { "complete", "sgp:peers=all" },
		    { "exponential", "sgp:peers=all" } };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct toy t;

		open_on(&t, all[i].graph, all[i].algo, 8);
		mix(&t, 12);
		expect_mean(&t, 2e-6);
		assert_true(distance_from_mean(&t) <
			    0.5 * distance_after("ring", "d-psgd", 8, 1));
		toy_close(&t);
	}
}

/* AD-PSGD's passive workers step while models cross, 44 bytes at 20 B/s. */
static void the_mean_stays_while_models_cross(void **state)
{
	static const char *const graphs[] = { NULL, "star", "bipartite-complete" };

	for (size_t i = 0; i < sizeof(graphs) / sizeof(graphs[0]); i++) {
		struct toy t;

		open_on(&t, graphs[i], "ad-psgd:exchange=duplex", 8);
		toy_link(&t, "nic:latency_s=0.3,bandwidth_GBps=2e-8");
		mix(&t, 60);
		expect_mean(&t, 2e-6);
		toy_close(&t);
	}
}

/* Two that exchange at the same time both end at the mean; more stay between where they began. */
static void gossip_stays_among_its_models(void **state)
{
	static const char *const algos[] = { "gossip-pull", "gossip-push" };

	for (int k = 0; k < 2; k++) {
		struct toy t;

		open_on(&t, NULL, algos[k], 2);
		toy_link(&t, "nic:latency_s=0.1,bandwidth_GBps=1");
		mix(&t, 1);
		expect_mean(&t, 1e-6);
		assert_true(distance_from_mean(&t) < 2e-6);
		toy_close(&t);
		open_on(&t, NULL, algos[k], 8);
		mix(&t, 60);
		for (int i = 0; i < DIM; i++) {
			float low = first(0, i), high = low;

			for (int r = 1; r < 8; r++) {
				low = fminf(low, first(r, i));
				high = fmaxf(high, first(r, i));
			}
			for (int r = 0; r < 8; r++)
				assert_true(t.xs[r][i] >= low && t.xs[r][i] <= high);
			assert_near((double)t.xs[0][i], (double)t.xs[5][i], 1e-3);
		}
		toy_close(&t);
	}
}

/* D-PSGD's distance from the mean falls by the second eigenvalue of W at every step. */
static void models_meet_at_the_spectral_gap(void **state)
{
	static const struct {
		const char *graph;
		int workers, from, to;
	} all[] = { { "ring", 16, 60, 80 }, { "ring", 9, 20, 30 }, { "torus", 16, 8, 18 },
		    { "hypercube", 16, 8, 18 }, { "hypercube", 8, 6, 14 },
		    { "exponential", 16, 5, 10 }, { "star", 6, 20, 40 },
		    { "random-regular:degree=3", 16, 60, 80 } };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const int n = all[i].workers, steps = all[i].to - all[i].from;
		const double before = distance_after(all[i].graph, "d-psgd", n, all[i].from);
		const double after = distance_after(all[i].graph, "d-psgd", n, all[i].to);
		const double rate = pow(after / before, 1.0 / steps);
		struct toy t;
		double second;

		open_on(&t, all[i].graph, "d-psgd", n);
		second = topology_second(&t.topology);
		t.run.gradients = 1;
		toy_run(&t);
		toy_close(&t);
		if (fabs(rate / second - 1.0) > 0.05)
			fail_msg("%s of %d: %g a step, eigenvalue %g", all[i].graph, n, rate,
				 second);
	}
}

/* One peer at a time at hops 1, 2, 4: eight workers have the very mean after three steps. */
static void one_peer_push_is_exact_after_log_n_steps(void **state)
{
	assert_true(distance_after(NULL, "sgp", 8, 2) > 0.1);
	assert_true(distance_after(NULL, "sgp", 8, 3) < 1e-5);
	assert_true(distance_after(NULL, "sgp", 6, 30) < 1e-4);
}

/* Where some receive more than they give, only x / w finds the mean of those that began. */
static void push_sum_finds_the_mean_on_any_graph(void **state)
{
	static const char *const algos[] = { "sgp:peers=all", "sgp", "osgp", "osgp:tau=3",
					     "osgp:peers=all" };

	for (size_t k = 0; k < sizeof(algos) / sizeof(algos[0]); k++)
		assert_true(distance_after("star", algos[k], 5, 400) < 1e-4);
	assert_true(distance_after(NULL, "osgp", 6, 100) < 1e-4);
}

/* ---- limit cases ---- */

static void same_models(struct toy *a, struct toy *b)
{
	toy_run(a);
	toy_run(b);
	assert_true(a->result.time == b->result.time);
	for (int k = 0; k < a->nnodes; k++)
		assert_memory_equal(a->xs[k], b->xs[k], DIM * sizeof(float));
	toy_close(a);
	toy_close(b);
}

static void osgp_without_overlap_is_sgp(void **state)
{
	struct toy a, b;

	open_on(&a, "star", "osgp:tau=0", 6);
	open_on(&b, "star", "sgp", 6);
	toy_delay(&a, "gamma:cv=0.5");
	toy_delay(&b, "gamma:cv=0.5");
	same_models(&a, &b);
}

/* d-psgd on a complete graph: x_i <- mean of all models - lr g_i(x_i), computed here by hand. */
static void complete_d_psgd_averages_models(void **state)
{
	enum { N = 4, ROUNDS = 12 };
	struct sampler s = { .seed = 3, .samples = SAMPLES, .workers = N, .size = 4 };
	float x[N][DIM], g[N][DIM];
	struct toy t;

	open_on(&t, "complete", "d-psgd", N);
	t.run.epochs = 0;
	t.run.gradients = N * ROUNDS;
	toy_run(&t);
	for (int k = 0; k < N; k++)
		t.problem->ops->init(t.problem, 3, x[k]);
	for (int round = 0; round < ROUNDS; round++) {
		for (int k = 0; k < N; k++) {
			struct job j = { .kind = JOB_GRAD, .x = x[k], .rank = k, .index = round,
					 .out = g[k] };

			job_run(t.problem, &s, NULL, &j);
		}
		for (int i = 0; i < DIM; i++) {
			const float mean = (x[0][i] + x[1][i] + x[2][i] + x[3][i]) / N;

			for (int k = 0; k < N; k++)
				x[k][i] = mean - 0.1f * g[k][i];
		}
	}
	for (int k = 0; k < N; k++)
		for (int i = 0; i < DIM; i++)
			assert_near((double)t.xs[k][i], (double)x[k][i], 1e-5);
	toy_close(&t);
}

/* Where gradients are linear in x, the mean of d-psgd's models is all-reduce's model. */
static void its_mean_is_allreduce(void **state)
{
	static const char *const graphs[] = { "complete", "ring", "star" };

	for (int k = 0; k < 3; k++) {
		struct toy a, b;

		open_on(&a, graphs[k], "d-psgd", 8);
		open_on(&b, NULL, "allreduce", 8);
		toy_run(&a);
		toy_run(&b);
		for (int i = 0; i < DIM; i++)
			assert_near((double)a.model[i], (double)b.model[i], 1e-5);
		toy_close(&a);
		toy_close(&b);
	}
}

/* ---- learning ---- */

static double error_of(const char *graph, const char *algo, int workers)
{
	struct choice schedule = { 0 };
	float best[DIM];
	struct toy t;
	double d;

	for (size_t i = 0; i < DIM; i++) {
		double sum = 0.0;

		for (int64_t s = 0; s < SAMPLES; s++)
			sum += (double)toy_target(s, i);
		best[i] = (float)(sum / SAMPLES);
	}
	open_on(&t, graph, algo, workers);
	toy_delay(&t, "gamma:cv=0.5");
	toy_link(&t, "nic:latency_s=0.05,bandwidth_GBps=1e-6");
	assert_int_equal(choice_parse(&schedule, schedule_table, "schedule", "poly"), 0);
	t.run.lr.schedule = schedule;
	t.run.lr.epochs = t.run.epochs = 40;
	toy_run(&t);
	d = vec_dist(DIM, t.model, best);
	choice_release(&schedule);
	toy_close(&t);
	return d;
}

/* Gossip weighs gradients at random: that noise stays, as without it that of minibatches. */
static const struct {
	const char *graph, *algo;
	double within;
} trained[] = {
	{ "star", "d-psgd", 0.03 },
	{ "hypercube", "d-psgd", 0.03 },
	{ "torus", "ad-psgd", 0.03 },
	{ "ring", "gossip-pull:tau=3", 0.1 },
	{ "directed-exponential", "gossip-push:tau=2", 0.1 },
	{ NULL, "sgp", 0.03 },
	{ "star", "sgp:peers=all", 0.05 },
	{ "star", "osgp:tau=2,peers=all", 0.05 },
	{ NULL, "osgp", 0.03 },
};

static void all_reach_the_optimum(void **state)
{
	for (size_t i = 0; i < sizeof(trained) / sizeof(trained[0]); i++) {
		const double many = error_of(trained[i].graph, trained[i].algo, 8);
		const double alone = error_of(NULL, trained[i].algo, 1);

		if (many > trained[i].within || alone > 0.02)
			fail_msg("%s: %g from the optimum, alone %g", trained[i].algo, many,
				 alone);
	}
}

static void they_end_at_any_budget(void **state)
{
	for (size_t i = 0; i < sizeof(trained) / sizeof(trained[0]); i++)
		for (int64_t n = 1; n < 20; n += n < 4 ? 1 : 5) {
			struct toy t;

			open_on(&t, trained[i].graph, trained[i].algo, 8);
			toy_delay(&t, "gamma:cv=0.9");
			t.run.epochs = 0;
			t.run.gradients = n;
			toy_run(&t);
			assert_int_equal(t.result.gradients, n);
			toy_close(&t);
		}
}

RUN_ALL(the_mean_stays, the_mean_stays_while_models_cross, gossip_stays_among_its_models,
	models_meet_at_the_spectral_gap, one_peer_push_is_exact_after_log_n_steps,
	push_sum_finds_the_mean_on_any_graph, osgp_without_overlap_is_sgp,
	complete_d_psgd_averages_models, its_mean_is_allreduce, all_reach_the_optimum,
	they_end_at_any_budget)
