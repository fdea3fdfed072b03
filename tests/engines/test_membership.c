/* All-reduces that lose a worker and take it back, by hand; what is refused. */
#include "core/math/vec.h"
#include "tests/support/check.h"
#include "tests/support/toy.h"

enum { DIM = 5, SAMPLES = 256, WORKERS = 3 };

/* The moment of the last of so many gradients. */
static double time_of(const char *algo, int workers, const char *text, const char *link,
		      int64_t gradients)
{
	struct toy t;

	toy_open_faulty(&t, algo, workers, text, gradients);
	return toy_time(&t, link, gradients);
}

/* g[DIM] <- g + that of a worker's index-th minibatch at x. */
static void add_gradient(int rank, int64_t index, const float *x, float *g)
{
	struct problem *p = toy_new(DIM, SAMPLES);
	struct sampler s = { .seed = 3, .samples = SAMPLES, .workers = WORKERS, .size = 4 };
	float own[DIM];
	struct job j = { .kind = JOB_GRAD, .x = x, .rank = rank, .index = index, .out = own };

	job_run(p, &s, NULL, &j);
	p->ops->close(p);
	for (int i = 0; i < DIM; i++)
		g[i] = rank == 0 ? own[i] : g[i] + own[i];
}

/* A step by the mean of the first n workers' gradients; the third is at another minibatch. */
static void mean_step(int n, int64_t index, int64_t third, float *x)
{
	float g[DIM];

	for (int rank = 0; rank < n; rank++)
		add_gradient(rank, rank == 2 ? third : index, x, g);
	for (int i = 0; i < DIM; i++)
		x[i] -= 0.1f * (1.0f / (float)n * g[i]);
}

/*
 * Rounds of three end at 1 s. Worker 2 fails at 1.5 s, in its minibatch number 1; the others have
 * their gradients at 2 s, detect it at 2.25 s and step by two. It is back at 3 s, waits for the
 * all-reduce of two at 3.25 s, gets its model, and computes its minibatch number 2 until 4.25 s:
 * there is a step by three, and a last one at 5.25 s.
 */
static void three_workers_by_hand(void **state)
{
	struct problem *p = toy_new(DIM, SAMPLES);
	float x[DIM];
	struct toy t;

	toy_open_faulty(&t, "allreduce", WORKERS, "2:leave@1.5-3,detect_s=0.75", 3 + 2 + 2 + 3 + 3);
	toy_run(&t);
	assert_int_equal(t.result.end, END_GRADIENTS);
	assert_true(t.result.time == 5.25);
	assert_int_equal(t.nodes[2].ledger.gradients, 3);
	assert_int_equal(t.nodes[2].ledger.dropped, 1);
	assert_int_equal(t.nodes[0].ledger.gradients, 5);
	assert_true(t.nodes[2].ledger.compute == 3.5);
	assert_true(t.nodes[2].ledger.wait == 1.75);
	assert_true(t.nodes[0].ledger.wait == 0.25);
	p->ops->init(p, 3, x);
	p->ops->close(p);
	mean_step(3, 0, 0, x);
	mean_step(2, 1, 0, x);
	mean_step(2, 2, 0, x);
	mean_step(3, 3, 2, x);
	mean_step(3, 4, 3, x);
	for (int k = 0; k < WORKERS; k++)
		for (int i = 0; i < DIM; i++)
			assert_near((double)t.xs[k][i], (double)x[i], 1e-6);
	assert_memory_equal(t.xs[0], t.xs[2], sizeof(x));
	toy_close(&t);
}

/*
 * 24 bytes a second, 0.5 s of latency: an all-reduce of n workers' 20 bytes takes
 * 2 (n - 1) / n 20 / 24 + 2 (n - 1) / 2 s, and a model with its momentum, of 40 bytes and a header
 * of 24, 64 / 24 + 0.5 s. Worker 2 fails in the second round, which ends 1 s after the first
 * all-reduce.
 */
static void what_returning_costs(void **state)
{
	static const char link[] = "nic:latency_s=0.5,bandwidth_GBps=2.4e-8";
	const double three = 4.0 / 3 * 20 / 24 + 2, two = 20.0 / 24 + 1, model = 64.0 / 24 + 0.5;
	const char *text = "2:leave@4.5-6,detect_s=0.5";

	assert_near(time_of("allreduce", 3, text, link, 3), 1, 1e-9);
	assert_near(time_of("allreduce", 3, text, link, 5), 1 + three + 1, 1e-9);
	assert_near(time_of("allreduce", 3, text, link, 7), 1 + three + 1 + two + 1, 1e-9);
	assert_near(time_of("allreduce", 3, text, link, 8), 1 + three + 1 + two + model + 1, 1e-9);
	assert_near(time_of("allreduce", 3, text, link, 9),
		    1 + three + 1 + two + model + 1 + three + 1, 1e-9);
}

/* Without detect_s the others wait until it is back; then its gradient is in the next step. */
static void undetected_until_it_is_back(void **state)
{
	assert_true(time_of("allreduce", 3, "2:leave@1.5-7", "ideal", 5) == 2.0);
	assert_true(time_of("allreduce", 3, "2:leave@1.5-7", "ideal", 8) == 8.0);
	assert_true(time_of("allreduce", 3, "2:leave@1.5-7,detect_s=99", "ideal", 8) == 8.0);
	assert_true(time_of("allreduce", 3, "2:leave@1.5-7,copy=old", "ideal", 8) == 8.0);
	assert_true(time_of("allreduce", 3, "2:leave@1.5,detect_s=2", "ideal", 7) == 4.5);
	assert_true(time_of("allreduce", 3, "2:leave@1.5,detect_s=2", "ideal", 9) == 5.5);
}

/*
 * Both are away from 0.75 s on. Worker 1 is back at 3 s, alone, with gradients at 4, 5, ..., 10 s;
 * worker 0 is back at 9.5 s, and gives one at 11 s.
 */
static void the_first_that_is_back_goes_on_alone(void **state)
{
	const char *text = "0:leave@0.5-9.5,detect_s=1+1:leave@0.75-3,detect_s=1";

	assert_true(time_of("allreduce", 2, text, "ideal", 1) == 4.0);
	assert_true(time_of("allreduce", 2, text, "ideal", 7) == 10.0);
	assert_true(time_of("allreduce", 2, text, "ideal", 9) == 11.0);
	/* The one that is back first waits for a member that fails then, and goes on alone too. */
	text = "0:leave@0.5-1.25,detect_s=0.1+1:leave@1.3,detect_s=0.2";
	assert_true(time_of("allreduce", 2, text, "ideal", 2) == 2.5);
}

/*
 * All-reduces of three take 1.2 s, of two 0.6 s, and a model 0.3 s. It is admitted at 4.1 s, and
 * fails before its model is there at 4.4 s: the others, with gradients at 5.1 s, wait until 5.3 s.
 * It is back at 9 s, is admitted at 9.1 s, and gives a gradient at 10.4 s.
 */
static void it_fails_again_before_its_model_is_there(void **state)
{
	static const char link[] = "nic:latency_s=0.3,bandwidth_GBps=1e6";
	const char *text = "2:leave@2.5-4,detect_s=1+2:leave@4.3-9,detect_s=1";

	assert_near(time_of("allreduce", 3, text, link, 5), 3.2, 1e-6);
	assert_near(time_of("allreduce", 3, text, link, 7), 5.1, 1e-6);
	assert_near(time_of("allreduce", 3, text, link, 9), 6.9, 1e-6);
	assert_near(time_of("allreduce", 3, text, link, 14), 10.4, 1e-6);
}

/* Local steps: H = 2; worker 2 fails in its second step, and its first one is lost too. */
static void a_mean_is_over_who_is_there(void **state)
{
	const char *text = "2:leave@1.5-4,detect_s=0.75";
	struct toy t;

	toy_open_faulty(&t, "local-sgd:period=2", WORKERS, text, 3 + 2 + 4 + 6);
	toy_run(&t);
	assert_true(t.result.time == 6.25);
	assert_memory_equal(t.xs[0], t.xs[2], DIM * sizeof(float));
	assert_memory_equal(t.xs[0], t.xs[1], DIM * sizeof(float));
	toy_close(&t);
}

/* 30.1 s of three workers. */
static void run_until(struct toy *t, const char *algo, const char *optim, const char *text)
{
	toy_open(t, algo, WORKERS, optim);
	assert_true(toy_faults(t, text));
	t->run.lr.base = 0.01;
	t->run.epochs = 0;
	t->run.seconds = 30.1;
	toy_run(t);
	assert_int_equal(t->result.end, END_SECONDS);
}

/* After an all-reduce of all three, synchronous methods have one model again. */
static void all_have_one_model_again(void **state)
{
	static const char text[] = "2:leave@2.5-5,detect_s=0.25+0:leave@9.5-12,detect_s=3";
	static const char *const algos[] = {
		"allreduce", "local-sgd:period=1", "local-adam:period=1",
		"slowmo:period=2,average=1",
		"diloco:period=1", "post-local-sgd:start=2,period=1",
		"streaming-diloco:period=1,fragments=1,delay=0,alpha=0",
		"sparseloco:period=1,chunk=3,top=2", "gpa:mu_x=0.9",
		"eager-diloco:period=1,form=naive",
	};

	for (size_t i = 0; i < sizeof(algos) / sizeof(algos[0]); i++) {
		struct toy t;

		run_until(&t, algos[i], i == 2 ? "adam" : "sgd", text);
		assert_memory_equal(t.xs[0], t.xs[1], DIM * sizeof(float));
		assert_memory_equal(t.xs[0], t.xs[2], DIM * sizeof(float));
		toy_close(&t);
	}
}

/*
 * Rules that are one (test_identities_local.c) are one with workers that leave and return, if who
 * returns goes on from what the others have: asgd and a round of allreduce are so by hand
 * (test_faults.c, and above). Equal models alone do not show it, for an all-reduce makes any equal.
 */
static void who_returns_goes_on_where_the_others_are(void **state)
{
	static const char text[] = "2:leave@2.5-5,detect_s=0.25+0:leave@9.5-12,detect_s=3";
	static const char plain[] = "sgd:momentum=0,weight_decay=0";
	static const struct {
		const char *one, *other, *optim;
	} same[] = {
		{ "local-sgd:period=1", "allreduce", plain },
		{ "gpa:mu_x=0", "allreduce", "sgd" },
		{ "post-local-sgd:start=1e6", "allreduce", "sgd" },
		{ "post-local-sgd:start=0,period=1", "local-sgd:period=1", "sgd" },
		{ "diloco:period=1,outer_lr=1,outer_momentum=0", "allreduce", plain },
		{ "diloco:period=2,outer_lr=1,outer_momentum=0", "local-sgd:period=2", "sgd" },
		{ "slowmo:period=2,beta=0", "local-sgd:period=2", "sgd" },
		{ "slowmo:period=1e6,average=2", "local-sgd:period=2", "sgd" },
		{ "slowmo:period=2,alpha=0.7,beta=0.9",
		  "diloco:period=2,outer_lr=0.7,outer_momentum=0.9,outer_nesterov=false", "sgd" },
		{ "streaming-diloco:period=2,fragments=1,delay=0,alpha=0,outer_lr=0.7",
		  "diloco:period=2", "sgd" },
		{ "sparseloco:period=2,chunk=2,top=2,bits=32", "local-sgd:period=2", "sgd" },
		{ "palsgd:period=2,pull=0,warmup=false,outer_lr=0.7", "diloco:period=2", "sgd" },
		/* 5 steps have 12 gradients of 1/64 epoch, and 6 at least 14: 0.2 is between */
		{ "palsgd:period=6,pull=0,outer_lr=1,outer_momentum=0",
		  "local-sgd:period=6,post=0.2", plain },
		{ "local-adam:period=2,moments=false", "local-sgd:period=2", "adam" },
		{ "des-loc:period=2,moment=2,square=2", "local-adam:period=2", "adam" },
		{ "des-loc:period=2", "local-sgd:period=2", "sgd" },
		{ "downpour", "asgd", plain },
		{ "fedbuff:period=1,buffer=1,discount=false", "asgd", plain },
		{ "mla:period=1,outer_lr=1,outer_momentum=0", "asgd", plain },
		{ "ssp:bound=inf", "asgd", plain },
		{ "backup:b=0", "k-sync:k=3", plain },
	};

	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		struct toy one, other;

		run_until(&one, same[i].one, same[i].optim, text);
		run_until(&other, same[i].other, same[i].optim, text);
		assert_int_equal(one.result.gradients, other.result.gradients);
		for (int k = 0; k < WORKERS; k++)
			if (!(vec_dist(DIM, one.xs[k], other.xs[k]) < 1e-5))
				fail_msg("worker %d of %s is %g from that of %s", k, same[i].one,
					 vec_dist(DIM, one.xs[k], other.xs[k]), same[i].other);
		toy_close(&one);
		toy_close(&other);
	}
}

static void refused(const char *algo, const char *link, int zero, const char *text,
		    const char *because)
{
	struct toy t;

	toy_open_faulty(&t, algo, WORKERS, "none", 3);
	toy_link(&t, link);
	t.sim.zero = zero;
	toy_faults_refused(&t, text, because);
}

static void the_impossible_is_refused(void **state)
{
	static const char ring[] = "nic:stepwise=pairs";

	refused("allreduce", ring, 0, "2:leave@1,detect_s=1", "a ring of messages cannot continue");
	refused("allreduce", ring, 0, "2:leave@1-2", "a ring of messages cannot continue");
	refused("allreduce", "ideal", 3, "2:leave@1-2", "with zero = 3 a worker that leaves takes");
	refused("allreduce", "ideal", 0, "2:leave@1-2,detect_s=-1", "detect_s must be a number");
	refused("allreduce", "ideal", 0, "2:leave@1-2,detect_s=inf", "detect_s must be a number");
	refused("allreduce", "ideal", 0, "2:leave@1,detect_s=1,copy=old", "is left over");
}

RUN_ALL(three_workers_by_hand, what_returning_costs, undetected_until_it_is_back,
	the_first_that_is_back_goes_on_alone, it_fails_again_before_its_model_is_there,
	a_mean_is_over_who_is_there, all_have_one_model_again,
	who_returns_goes_on_where_the_others_are, the_impossible_is_refused)
