/* Gossip that goes on without a worker and has it back: by hand, and under random failures. */
#include "tests/support/check.h"
#include "tests/support/toy.h"

#include <math.h>
#include <string.h>

enum { DIM = 5, SAMPLES = 256, WORKERS = 3 };

/* The moment of the last of so many gradients. */
static double time_of(const char *algo, const char *text, const char *link, int64_t gradients)
{
	struct toy t;

	toy_open_faulty(&t, algo, WORKERS, text, gradients);
	return toy_time(&t, link, gradients);
}

/* x[WORKERS][DIM] <- W x - lr g, of the first n workers; the third is at another minibatch. */
static void mix_and_step(int n, int64_t index, int64_t third, float x[WORKERS][DIM])
{
	struct problem *p = toy_new(DIM, SAMPLES);
	struct sampler s = { .seed = 3, .samples = SAMPLES, .workers = WORKERS, .size = 4 };
	float old[WORKERS][DIM], g[DIM];

	memcpy(old, x, sizeof(old));
	for (int i = 0; i < n; i++) {
		struct job j = { .kind = JOB_GRAD, .x = old[i], .rank = i,
				 .index = i == 2 ? third : index, .out = g };

		job_run(p, &s, NULL, &j);
		for (int d = 0; d < DIM; d++) {
			float sum = 0.0f;

			for (int k = 0; k < n; k++)
				sum += (k == i && n == 2 ? 2.0f : 1.0f) / 3.0f * old[k][d];
			x[i][d] = sum - 0.1f * g[d];
		}
	}
	p->ops->close(p);
}

/*
 * Rounds of three end at 1 s. Worker 2 fails at 1.5 s; the others detect it at 2.25 s, and mix with
 * the weights 2/3 and 1/3 then and at 3.25 s. It is back at 3 s with the model of worker 0, in
 * whose round 2 it asks: its first round is 3, which ends at 4.25 s, when all have gradients.
 */
static void three_workers_by_hand(void **state)
{
	struct problem *p = toy_new(DIM, SAMPLES);
	const char *text = "2:leave@1.5-3,detect_s=0.75";
	float x[WORKERS][DIM];
	struct toy t;

	assert_true(time_of("d-psgd", text, "ideal", 5) == 2.0);
	assert_true(time_of("d-psgd", text, "ideal", 7) == 3.25);
	assert_true(time_of("d-psgd", text, "ideal", 8) == 4.0);
	assert_true(time_of("d-psgd", text, "ideal", 13) == 5.25);
	toy_open_faulty(&t, "d-psgd", WORKERS, text, 3 + 2 + 2 + 3);
	toy_run(&t);
	assert_true(t.result.time == 4.25);
	for (int i = 0; i < WORKERS; i++)
		p->ops->init(p, 3, x[i]);
	p->ops->close(p);
	mix_and_step(3, 0, 0, x);
	mix_and_step(2, 1, 0, x);
	memcpy(x[2], x[0], sizeof(x[2]));
	mix_and_step(2, 2, 0, x);
	mix_and_step(3, 3, 2, x);
	for (int i = 0; i < WORKERS; i++)
		for (int d = 0; d < DIM; d++)
			assert_near((double)t.xs[i][d], (double)x[i][d], 1e-6);
	toy_close(&t);
}

/* The others wait from 2 s on until it is back at 7 s, in their round 1. */
static void undetected_until_it_is_back(void **state)
{
	assert_true(time_of("d-psgd", "2:leave@1.5-7", "ideal", 5) == 2.0);
	assert_true(time_of("d-psgd", "2:leave@1.5-7", "ideal", 8) == 8.0);
	assert_true(time_of("d-psgd", "2:leave@1.5-7,copy=old", "ideal", 11) == 10.0);
	assert_true(time_of("sgp", "2:leave@1.5-7,detect_s=99", "ideal", 8) == 8.0);
	assert_true(time_of("d-psgd", "2:leave@1.5,detect_s=2", "ideal", 7) == 4.5);
}

/*
 * Messages take 0.6 s. What worker 2 sends at 1 s is there at 1.6 s, so that it left at 1.1 s is
 * known no earlier, though it is detected at 1.2 s, or though it is back then: worker 0 has its
 * model of round 0, and ends round 1 without it at 2.6 s and 3.2 s, when that of worker 1 is there.
 */
static void what_it_sent_comes_first(void **state)
{
	static const char link[] = "nic:latency_s=0.6,bandwidth_GBps=1e9";

	assert_near(time_of("d-psgd", "2:leave@1.1,detect_s=0.1", link, 5), 2.6, 1e-6);
	assert_near(time_of("d-psgd", "2:leave@1.1,detect_s=0.1", link, 7), 4.2, 1e-6);
	assert_near(time_of("d-psgd", "2:leave@1.1-1.2,copy=old", link, 5), 2.6, 1e-6);
}

/*
 * True of the vector that all began with, or of w times it: a worker of stochastic gradient push
 * that waits, or is away, has that.
 */
static bool is_multiple(const float *v, const float *x, bool *once)
{
	const double w = (double)v[0] / (double)x[0];
	bool is = w > 0.0;

	for (int d = 0; d < DIM; d++)
		is = is && fabs((double)v[d] - w * (double)x[d]) < 1e-4;
	*once = fabs(w - 1.0) < 1e-4;
	return is;
}

/* With a learning rate of 0 all models stay what they were, if rows of weights sum to one. */
static void failures_at_random(const char *algo, const char *graph, const char *law, uint64_t seed)
{
	struct problem *p = toy_new(DIM, SAMPLES);
	const bool pushes = strstr(algo, "sgp") != NULL && strstr(algo, "psgd") == NULL;
	float x[DIM];
	int same = 0;
	struct toy t;

	toy_open_faulty(&t, algo, 8, law, 800);
	toy_graph(&t, graph ? graph : t.run.algo->graph);
	toy_delay(&t, "gamma:cv=0.5");
	toy_link(&t, "nic:latency_s=0.05,bandwidth_GBps=1e-6");
	t.run.lr.base = 0.0;
	t.run.seed = seed;
	toy_run(&t);
	if (t.result.end != END_GRADIENTS)
		fail_msg("%s, %s, %s: %s; %s", algo, graph ? graph : "its graph", law,
			 t.result.fault, t.result.waits);
	p->ops->init(p, seed, x);
	p->ops->close(p);
	for (int i = 0; i < 8; i++) {
		bool once;

		assert_true(is_multiple(t.xs[i], x, &once));
		same += once;
	}
	assert_true(pushes ? same > 0 : same == 8);
	toy_close(&t);
}

static void gossip_goes_on_under_random_failures(void **state)
{
	static const char *const algos[] = {
		"d-psgd", "d-psgd:overlap=true", "sgp", "sgp:peers=all", "osgp:tau=2", "ad-psgd",
		"ad-psgd:exchange=duplex", "gossip-pull", "gossip-pull:order=first",
	};
	static const char *const laws[] = {
		"all:fail@mtbf_s=15,detect_s=0.7,restart_s=1.3",
		"all:fail@mtbf_s=8,restart_s=2,copy=old",
		"all:fail@mtbf_s=3,detect_s=0.02,restart_s=3",
	};

	for (size_t i = 0; i < sizeof(algos) / sizeof(algos[0]); i++)
		for (size_t k = 0; k < sizeof(laws) / sizeof(laws[0]); k++)
			for (uint64_t seed = 1; seed <= 2; seed++) {
				failures_at_random(algos[i], NULL, laws[k], seed);
				failures_at_random(algos[i], "ring", laws[k], seed);
			}
}

RUN_ALL(three_workers_by_hand, undetected_until_it_is_back, what_it_sent_comes_first,
	gossip_goes_on_under_random_failures)
