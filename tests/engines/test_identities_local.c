/* Algorithms with local steps: limit cases, the authors' code, convergence, every end. */
#include "algos/algos.h"
#include "core/math/vec.h"
#include "tests/support/check.h"
#include "tests/support/toy.h"

#include <string.h>

enum { DIM = 5, SAMPLES = 256, BATCH = 4 };

static const char plain[] = "sgd:momentum=0,weight_decay=0";
static const char nesterov[] = "sgd:momentum=0.9,weight_decay=0";

static void run(struct toy *t, const char *algo, int workers, const char *optim)
{
	toy_open(t, algo, workers, optim);
	toy_delay(t, "gamma:cv=0.5");
	toy_link(t, "nic:latency_s=0.05,bandwidth_GBps=1e-6");
	t->sim.update_s = 0.01;
	t->run.epochs = 2;
	toy_run(t);
}

/* Two algorithms end at one model, within the tolerance; 0: bit for bit, in the same time. */
static void assert_same(const char *one, const char *other, int workers, const char *optim,
			double tolerance)
{
	struct toy a, b;

	run(&a, one, workers, optim);
	run(&b, other, workers, optim);
	for (int i = 0; i < DIM; i++)
		assert_near((double)a.model[i], (double)b.model[i], tolerance);
	if (tolerance == 0.0)
		assert_true(a.result.time == b.result.time);
	assert_int_equal(a.result.gradients, b.result.gradients);
	toy_close(&a);
	toy_close(&b);
}

/* A mean of models is a step with the mean gradient: the rule is linear, v too. */
static void averaging_every_step_is_allreduce(void **state)
{
	assert_same("local-sgd:period=1", "allreduce", 8, plain, 1e-6);
	assert_same("local-sgd:period=1", "allreduce", 8, "sgd", 1e-5);
	assert_same("local-sgd:period=4,post=1e6", "local-sgd:period=1", 8, "sgd", 0.0);
}

/* With H = 1, an outer step of rate 1 along the mean of steps is a step with the mean gradient. */
static void outer_steps_of_rate_1_are_allreduce(void **state)
{
	static const char diloco[] = "diloco:period=1,outer_lr=1,outer_momentum=0";

	assert_same(diloco, "allreduce", 8, plain, 1e-6);
	assert_same(diloco, "allreduce", 8, "sgd", 1e-5);
	assert_same("diloco:period=3,outer_lr=1,outer_momentum=0", "local-sgd:period=3", 6, plain,
		    1e-6);
	/* Without an outer gradient that arrives, workers only wait for each other. */
	assert_same("diloco:period=3,drop=1",
		    "streaming-diloco:period=3,fragments=1,delay=0,alpha=1", 6, plain, 0.0);
	assert_same("streaming-diloco:period=3,fragments=1,delay=0,alpha=0,outer_lr=0.7",
		    "diloco:period=3", 6, plain, 0.0);
	assert_same("streaming-diloco:period=3,fragments=1,delay=0,alpha=1", "local-sgd:period=1e6",
		    1, plain, 0.0);
	assert_same("eager-diloco:period=3,outer_lr=0.7", "diloco:period=3", 1, plain, 1e-6);
}

static void variants_of_local_sgd(void **state)
{
	assert_same("post-local-sgd:start=1e6", "allreduce", 6, "sgd", 0.0);
	assert_same("post-local-sgd:start=0,period=1", "local-sgd:period=1", 6, "sgd", 0.0);
	assert_same("slowmo:period=4,beta=0", "local-sgd:period=4", 6, plain, 1e-5);
	assert_same("slowmo:period=1e6,average=4", "local-sgd:period=4", 6, "sgd", 0.0);
	assert_same("local-adam:period=4,moments=false", "local-sgd:period=4", 6, "adam", 0.0);
}

/* A server of updates from single steps; and, of one worker, a server instead of an all-reduce. */
static void updates_of_single_steps_are_gradients(void **state)
{
	assert_same("fedbuff:period=1,buffer=1,discount=false", "asgd", 6, plain, 1e-6);
	assert_same("ca2fl:period=3,buffer=2,cache=false,outer_momentum=0.5",
		    "fedbuff:period=3,buffer=2,discount=false,outer_momentum=0.5", 6, "sgd", 0.0);
	assert_same("async-local-sgd:period=1,buffer=1,dynamic=false,outer_lr=1,outer_momentum=0",
		    "asgd", 6, plain, 1e-6);
	assert_same("async-local-sgd:period=3,outer_momentum=0.5", "fedbuff:period=3,buffer=1,"
		    "outer_lr=0.7,outer_momentum=0.5", 1, plain, 1e-6);
}

/* Rules of momentum look-ahead where they are others'; of both forms, workers have one model. */
static void look_ahead_in_the_limit(void **state)
{
	struct toy a, b;

	assert_same("mla:period=3,outer_momentum=0", "async-local-sgd:period=3,buffer=1,"
		    "dynamic=false,outer_momentum=0", 6, plain, 1e-6);
	assert_same("mla:period=1,outer_lr=1,outer_momentum=0", "asgd", 6, plain, 1e-6);
	assert_same("heloco:period=3,rho=1,shrink=0,turn=0,shift=false", "mla:period=3", 6, plain,
		    0.0);
	assert_same("heloco:period=3,rho=1,correct=none,outer_momentum=0",
		    "mla:period=3,outer_momentum=0", 6, plain, 0.0);
	run(&a, "mla:period=3,form=printed", 6, plain);
	run(&b, "mla:period=3", 6, plain);
	for (int k = 0; k < 6; k++)
		assert_true(vec_dist(DIM, a.xs[k], b.xs[k]) < 1e-5);
	toy_close(&a);
	toy_close(&b);
}

/* A local step of rate 1 is the gradient: the server's rate is that of asynchronous SGD. */
static void outer_rate_is_that_of_asgd(void **state)
{
	struct toy a, b;

	toy_open(&a, "mla:period=1,outer_lr=0.05,outer_momentum=0", 6, plain);
	toy_open(&b, "asgd", 6, plain);
	a.run.lr.base = 1.0;
	b.run.lr.base = 0.05;
	toy_run(&a);
	toy_run(&b);
	assert_true(vec_dist(DIM, a.model, b.model) < 1e-5);
	toy_close(&a);
	toy_close(&b);
}

/* A run of `gradients` on a rough network, by a step of rate 0.1. */
static void run_rounds(struct toy *t, const char *algo, int workers, int64_t gradients)
{
	toy_open(t, algo, workers, plain);
	toy_rough(t);
	t->run.epochs = 0;
	t->run.gradients = gradients;
	toy_run(t);
}

/* After the same whole rounds, the workers' models are those of the all-reduce. */
static void merging_of_all_is_streaming_diloco(void **state)
{
	static const char *const same[][2] = {
		{ "decoupled-diloco:period=4,fragments=2,delay=0,quorum=0,average=mean,"
		  "weights=equal",
		  "streaming-diloco:period=4,fragments=2,delay=0,alpha=0,outer_lr=0.7" },
		{ "decoupled-diloco:period=4,fragments=2,stripes=2,delay=0,quorum=0,average=mean",
		  "streaming-diloco:period=4,fragments=2,stripes=2,delay=0,alpha=0,outer_lr=0.7" },
		{ "decoupled-diloco:period=3,fragments=1,delay=0,quorum=0,average=mean",
		  "diloco:period=3" },
		{ "decoupled-diloco:period=3,fragments=1,delay=1,quorum=1,grace=inf,average=mean",
		  "decoupled-diloco:period=3,fragments=1,delay=1,quorum=0,average=mean" },
	};

	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++) {
		struct toy a, b;

		run_rounds(&a, same[i][0], 4, 4 * 24);
		run_rounds(&b, same[i][1], 4, 4 * 24);
		for (int k = 0; k < 4; k++)
			if (!(vec_dist(DIM, a.xs[k], b.xs[k]) < 1e-5))
				fail_msg("%s differs by %g", same[i][0],
					 vec_dist(DIM, a.xs[k], b.xs[k]));
		toy_close(&a);
		toy_close(&b);
	}
}

/* All floats, or the k largest with error feedback: of the topk codec, where one chunk has all. */
static void sparse_rounds_in_the_limit(void **state)
{
	struct choice topk = { 0 };
	struct toy a, b;

	assert_same("sparseloco:period=3,chunk=2,top=2,bits=32", "local-sgd:period=3", 6, plain,
		    1e-6);
	assert_same("sparseloco:period=3,chunk=8,top=8,bits=32,outer_lr=0.7,decay=0.5",
		    "diloco:period=3,outer_momentum=0", 6, plain, 1e-30);
	toy_open(&a, "sparseloco:period=1,chunk=8,top=2,bits=32,decay=1", 6, plain);
	toy_open(&b, "diloco:period=1,outer_lr=1,outer_momentum=0", 6, plain);
	assert_int_equal(choice_parse(&topk, codec_table, "codec", "topk:ratio=0.4"), 0);
	b.run.codec = (const struct codec *)topk.plugin;
	b.run.codec_conf = topk.conf;
	toy_run(&a);
	toy_run(&b);
	assert_memory_equal(a.model, b.model, DIM * sizeof(float));
	toy_close(&a);
	toy_close(&b);
	choice_release(&topk);
}

/* Equal periods of models and moments; moments that stay local, or that sgd does not have. */
static void desynced_moments_in_the_limit(void **state)
{
	assert_same("des-loc:period=4,moment=4,square=4", "local-adam:period=4", 6, "adam", 0.0);
	assert_same("des-loc:period=4,moment=1e9,square=1e9", "local-adam:period=4,moments=false",
		    6, "adam", 0.0);
	assert_same("des-loc:period=4", "local-sgd:period=4", 6, "sgd", 0.0);
}

/* In 12 steps of period 2: 6 means of models, 2 of m and 1 of v, where local-adam has 6 of each. */
static void desynced_moments_halve_the_bytes(void **state)
{
	struct toy a, b;

	for (int i = 0; i < 2; i++) {
		struct toy *t = i ? &b : &a;

		toy_open(t, i ? "local-adam:period=2" : "des-loc:period=2", 4, "adam");
		t->run.epochs = 0;
		t->run.gradients = 4 * 12;
		toy_run(t);
	}
	assert_int_equal(2 * a.nodes[0].ledger.bytes_sent, b.nodes[0].ledger.bytes_sent);
	toy_close(&a);
	toy_close(&b);
}

static void pulling_in_the_limit(void **state)
{
	assert_same("palsgd:period=4,pull=0,warmup=false,outer_lr=0.7", "diloco:period=4", 4,
		    plain, 1e-6);
	assert_same("palsgd:period=1e6", "allreduce", 4, "sgd", 1e-5);
}

struct steps {
	struct hook hook;
	int64_t steps[4];               /* of a worker since it last sent ... */
	int64_t asked[4];               /* ... and in its last whole round */
	int64_t fewest;                 /* of all whole rounds */
};

static void count_steps(struct hook *h, const struct event *ev)
{
	struct steps *s = (struct steps *)h;
	const int rank = ev->node->rank;

	if (rank == SERVER)
		return;
	if (ev->kind == EV_STEP) {
		s->steps[rank]++;
		return;
	}
	s->asked[rank] = s->steps[rank];
	if (s->asked[rank] < s->fewest)
		s->fewest = s->asked[rank];
	s->steps[rank] = 0;
}

/* Asynchronous rounds of 10 steps of four workers, each of 0.58 s times the delay. */
static struct steps dynamic_steps(const char *delay, const char *link)
{
	struct steps s = { .hook = { .mask = 1u << EV_STEP | 1u << EV_SEND,
				     .event = count_steps }, .fewest = 10 };
	struct toy t;

	toy_timing(&t, "async-local-sgd:period=10", 4, 2400, link);
	toy_delay(&t, delay);
	t.sim.batch_s = 0.58;
	t.run.hooks = &s.hook;
	toy_run(&t);
	toy_close(&t);
	return s;
}

static void equal_workers_make_whole_rounds(void **state)
{
	assert_int_equal(dynamic_steps("constant", "ideal").fewest, 10);
	assert_int_equal(dynamic_steps("constant", "nic:latency_s=1e-5,bandwidth_GBps=1").fewest,
			 10);
	assert_int_equal(dynamic_steps("constant", "nic:latency_s=0.3,bandwidth_GBps=1e-7").fewest,
			 10);
	for (int i = 0; i < 2; i++) {
		const char *link = i ? "nic:latency_s=1e-5,bandwidth_GBps=1" : "ideal";
		struct steps s = dynamic_steps("3:static:cv=0,bad=1,bad_factor=2", link);

		for (int k = 0; k < 4; k++)
			assert_int_equal(s.asked[k], k == 3 ? 5 : 10);
	}
}

static void dynamic_steps_of_equal_workers_are_fixed(void **state)
{
	struct toy t[2];

	for (int i = 0; i < 2; i++) {
		toy_open(&t[i], i ? "async-local-sgd:period=10" :
				    "async-local-sgd:period=10,dynamic=false", 4, plain);
		toy_link(&t[i], "nic:latency_s=0.05,bandwidth_GBps=1e-6");
		t[i].sim.batch_s = 0.58;
		t[i].sim.update_s = 0.01;
		t[i].run.epochs = 5;
		toy_run(&t[i]);
	}
	for (int i = 0; i < DIM; i++)
		assert_true(t[0].model[i] == t[1].model[i]);
	assert_true(t[0].result.time == t[1].result.time);
	toy_close(&t[0]);
	toy_close(&t[1]);
}

/* 8 rounds of the first epoch end with an all-reduce, then every fourth: 2. */
static void post_local_averages_less_from_its_epoch_on(void **state)
{
	struct toy t;

	run(&t, "local-sgd:period=4,post=1", 8, plain);
	for (int k = 0; k < 8; k++)
		assert_int_equal(t.nodes[k].ledger.messages, (8 + 2) * 2 * (8 - 1));
	toy_close(&t);
}

/* To rounding in the model; in messages, staleness and time exactly. */
static void downpour_of_single_steps_is_asgd(void **state)
{
	struct toy a, b;

	run(&a, "downpour", 6, plain);
	run(&b, "asgd", 6, plain);
	for (int i = 0; i < DIM; i++)
		assert_near((double)a.model[i], (double)b.model[i], 1e-6);
	assert_true(a.result.time == b.result.time);
	for (int k = 0; k < a.nnodes; k++) {
		assert_int_equal(a.nodes[k].ledger.messages, b.nodes[k].ledger.messages);
		assert_int_equal(a.nodes[k].ledger.bytes_sent, b.nodes[k].ledger.bytes_sent);
	}
	toy_close(&a);
	toy_close(&b);
}

static void names_and_forms_of_easgd(void **state)
{
	assert_same("eamsgd:tau=3", "easgd:tau=3", 6, "sgd", 0.0);
	assert_same("easgd:tau=3", "easgd:tau=3,form=sync", 1, "sgd", 0.0);
}

static float *gradient(const struct problem *p, int workers, int rank, int64_t k, float *x)
{
	static float g[DIM];
	struct sampler s = { .seed = 3, .samples = SAMPLES, .workers = workers, .size = BATCH };
	struct job j = { .kind = JOB_GRAD, .x = x, .rank = rank, .index = k, .out = g };

	job_run(p, &s, NULL, &j);
	return g;
}

/* One worker, as in the authors' optim-eamsgd: vt is their velocity, mva the moving rate. */
static void eamsgd_alone_is_the_authors_code(void **state)
{
	struct problem *p = toy_new(DIM, SAMPLES);
	const double mom = 0.9, lr = 0.1, mva = 0.9;
	double w[DIM], vt[DIM] = { 0 }, centre[DIM];
	struct toy t;
	float x[DIM];

	run(&t, "eamsgd:tau=3", 1, nesterov);
	p->ops->init(p, 3, x);
	for (int i = 0; i < DIM; i++)
		w[i] = centre[i] = (double)x[i];
	for (int64_t k = 0; k < t.result.gradients; k++) {
		double sug[DIM] = { 0 };
		const float *g;

		for (int i = 0; i < DIM; i++) {
			if (k % 3 == 0)
				sug[i] = mva * (w[i] - centre[i]);
			centre[i] += sug[i];
			vt[i] *= mom;
			w[i] += vt[i];
			x[i] = (float)w[i];
		}
		g = gradient(p, 1, 0, k, x);
		for (int i = 0; i < DIM; i++) {
			w[i] -= lr * (double)g[i];
			vt[i] -= lr * (double)g[i];
			w[i] -= sug[i];
		}
	}
	for (int i = 0; i < DIM; i++)
		assert_near((double)t.model[i], centre[i], 1e-5);
	toy_close(&t);
	p->ops->close(p);
}

/* x_i <- x_i - lr g_i - alpha (x_i - c);  c <- c + alpha sum_i (x_i - c), all of the old values. */
static void easgd_sync_is_its_equations(void **state)
{
	enum { N = 4, TAU = 2 };
	struct problem *p = toy_new(DIM, SAMPLES);
	const double lr = 0.1, alpha = 0.2;
	double x[N][DIM], centre[DIM];
	struct toy t;
	float x0[DIM];

	run(&t, "easgd:form=sync,tau=2,alpha=0.2", N, plain);
	p->ops->init(p, 3, x0);
	for (int i = 0; i < DIM; i++) {
		centre[i] = (double)x0[i];
		for (int k = 0; k < N; k++)
			x[k][i] = centre[i];
	}
	for (int64_t step = 0; step < t.nodes[N].step * TAU; step++) {
		double moved[DIM] = { 0 };

		for (int k = 0; k < N; k++) {
			const float *g;

			for (int i = 0; i < DIM; i++)
				x0[i] = (float)x[k][i];
			g = gradient(p, N, k, step, x0);
			for (int i = 0; i < DIM; i++) {
				double u = step % TAU ? 0.0 : alpha * (x[k][i] - centre[i]);

				x[k][i] -= lr * (double)g[i] + u;
				moved[i] += u;
			}
		}
		for (int i = 0; i < DIM; i++)
			centre[i] += moved[i];
	}
	for (int i = 0; i < DIM; i++)
		assert_near((double)t.model[i], centre[i], 1e-5);
	assert_true(t.nodes[N].step >= t.result.gradients / N / TAU);
	toy_close(&t);
	p->ops->close(p);
}

static const char *const family[] = {
	"local-sgd", "local-sgd:period=1", "local-sgd:period=3,post=1", "downpour",
	"downpour:fetch=5,push=5", "downpour:fetch=3,push=2", "downpour:fetch=1,push=4",
	"easgd", "easgd:tau=1", "easgd:form=sync,tau=3", "eamsgd:tau=2", "eamsgd:form=sync,tau=4",
	"post-local-sgd:start=5,period=3", "slowmo:period=4,average=2",
	"diloco:period=3,outer_momentum=0.5", "diloco:period=3,outer_momentum=0.5,drop=0.3",
	"streaming-diloco:period=6,outer_momentum=0.5",
	"streaming-diloco:period=4,fragments=2,stripes=2,delay=0,outer_momentum=0.5",
	"eager-diloco:period=3,outer_momentum=0.5", "noloco:period=3",
	"fedbuff:period=3,buffer=3", "ca2fl:period=3,buffer=1",
	"async-local-sgd:period=3,outer_momentum=0.5",
	"mla:period=3,outer_momentum=0.5", "mla:period=3,form=printed,outer_momentum=0.5",
	"decoupled-diloco:period=6,fragments=2,outer_momentum=0",
	"decoupled-diloco:period=4,fragments=2,delay=0,quorum=0,outer_lr=0.4,outer_momentum=0",
	("decoupled-diloco:period=3,fragments=3,delay=1,quorum=0,average=mean,outer_lr=1,"
	 "outer_momentum=0"),
	"heloco:period=3,outer_momentum=0.5", "heloco:period=3,correct=flat,schedule=printed",
	"halos:period=3,local_lr=0.4,local_momentum=0.5,every=3,global_lr=1,global_momentum=0.2",
	"demo:side=3,top=4,decay=0.9", "sparseloco:period=3,chunk=5,top=3,bits=8",
	"sparseloco:period=2,chunk=5,top=2,decay=0.5,bits=32", "des-loc:period=3",
	"palsgd:period=4,outer_lr=0.7,outer_momentum=0",
	"palsgd:period=3,pull=0.4,strength=1,outer_lr=0.7,outer_momentum=0.2",
};

enum { FAMILY = sizeof(family) / sizeof(family[0]) };

static void converges(const char *algo, int workers, const char *optim, double lr)
{
	/*
	 * Steps of signs do not become shorter near it; where a merged fragment replaces steps, the
	 * samples do not weigh equally.
	 */
	const bool rough = strncmp(algo, "demo", strlen("demo")) == 0 ||
			   strncmp(algo, "decoupled", strlen("decoupled")) == 0;
	const double near = rough ? 0.06 : 0.02;
	struct choice schedule = { 0 };
	float best[DIM];
	struct toy t;

	toy_optimum(DIM, SAMPLES, best);
	toy_open(&t, algo, workers, optim);
	toy_delay(&t, "gamma:cv=0.5");
	assert_int_equal(choice_parse(&schedule, schedule_table, "schedule", "poly"), 0);
	t.run.lr = (struct stepsize){ .base = lr, .schedule = schedule, .epochs = 40 };
	t.run.epochs = 40;
	toy_run(&t);
	if (!(vec_dist(DIM, t.model, best) < near))
		fail_msg("%s of %d with %s ends %g from the optimum", algo, workers, optim,
			 vec_dist(DIM, t.model, best));
	choice_release(&schedule);
	toy_close(&t);
}

static void all_converge(void **state)
{
	for (int i = 0; i < FAMILY; i++)
		for (int workers = 1; workers <= 6; workers += 5) {
			if (strncmp(family[i], "eamsgd", strlen("eamsgd")) != 0)
				converges(family[i], workers, plain, 0.05);
			/* Steps of signs are as long as the rate, whatever the momentum. */
			if (strncmp(family[i], "demo", strlen("demo")) != 0)
				converges(family[i], workers, nesterov, 0.005);
		}
}

/* Any budget ends as asked for, and what is under way drains, with and without vectors. */
static void all_end_from_any_budget(void **state)
{
	for (int i = 0; i < FAMILY; i++)
		for (int workers = 1; workers <= 5; workers += 2)
			for (int64_t budget = 1; budget <= 23; budget += budget < 8 ? 1 : 5)
				for (int threads = 0; threads <= 1; threads++) {
					struct toy t;

					toy_open(&t, family[i], workers, nesterov);
					toy_delay(&t, "gamma:cv=0.5");
					toy_link(&t, "nic:latency_s=0.05,bandwidth_GBps=1e-6");
					t.threads = threads;
					t.run.epochs = 0;
					t.run.gradients = budget;
					toy_run(&t);
					assert_int_equal(t.result.end, END_GRADIENTS);
					assert_int_equal(t.result.gradients, budget);
					toy_close(&t);
				}
}

RUN_ALL(averaging_every_step_is_allreduce, outer_steps_of_rate_1_are_allreduce,
	variants_of_local_sgd, updates_of_single_steps_are_gradients,
	look_ahead_in_the_limit, outer_rate_is_that_of_asgd, merging_of_all_is_streaming_diloco,
	sparse_rounds_in_the_limit,
	desynced_moments_in_the_limit, desynced_moments_halve_the_bytes, pulling_in_the_limit,
	post_local_averages_less_from_its_epoch_on, downpour_of_single_steps_is_asgd,
	names_and_forms_of_easgd, eamsgd_alone_is_the_authors_code, easgd_sync_is_its_equations,
	equal_workers_make_whole_rounds, dynamic_steps_of_equal_workers_are_fixed, all_converge,
	all_end_from_any_budget)
