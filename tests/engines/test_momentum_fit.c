/*
 * The momentum that one noisy run shows, against theory (1 - 1/M with M workers of exponential
 * times) and against an independent fit: of the course that a momentum would take to the models of
 * many runs, averaged.
 */
#include "algos/algos.h"
#include "core/math/rng.h"
#include "core/watch.h"
#include "sim/sim.h"
#include "tests/support/bowl.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>

enum { DIM = 64, STEPS = 30000, RUNS = 500, MOST = 128 };

/* f(x) = 1/2 |x|^2 from (1, ..., 1); gradients have noise of that deviation. */
static double noise;

/* A pool without threads: a gradient is there at once. */
static void submit(struct pool *p, struct job *j)
{
	struct rng r;

	rng_at(&r, p->sampler.seed, RNG_NOISE, (uint32_t)j->rank, (uint64_t)j->index);
	for (size_t i = 0; i < p->problem->dim; i++)
		j->out[i] = j->x[i] + (float)(noise * rng_normal(&r));
	j->loss = 0.5 * (double)(j->x[0] * j->x[0]);
}

static const struct problem bowl = { .ops = &bowl_ops, .dim = DIM, .n = { 1 << 20, 0 } };
static const struct pool_ops at_once = { .submit = submit, .wait = bowl_wait,
					 .withdraw = bowl_withdraw };

struct seen {
	struct hook hook;
	int workers;
	double momentum, published;     /* the latest; their sum, then their mean ... */
	int64_t n;              /* ... over so many */
	double x[MOST + 1];     /* mean over RUNS and coordinates after each step */
};

static void on_step(struct hook *h, const struct event *ev)
{
	struct seen *s = (struct seen *)h;
	const int64_t t = ev->node->step + 1;

	if (ev->measured && isfinite(ev->measured->published)) {
		s->momentum = ev->measured->momentum;
		s->published += ev->measured->published;
		s->n++;
	}
	for (size_t i = 0; t <= MOST && i < DIM; i++)
		s->x[t] += (double)ev->node->x[i] / RUNS / DIM;
}

/* A run of the parameter server, without a watch where many of them are averaged. */
static void run_once(struct seen *s, const char *optim_text, double lr, int64_t gradients,
		     uint64_t seed, bool watched)
{
	struct pool pool = { .ops = &at_once, .problem = &bowl, .width = 1,
			     .sampler = { .seed = seed } };
	struct sim_conf sim = { .batch_s = 1.0, .overlap = true };
	struct choice algo = { 0 }, optim = { 0 };
	struct run run;

	assert_int_equal(choice_parse(&algo, algo_table, "algorithm", "asgd"), 0);
	assert_int_equal(choice_parse(&optim, optim_table, "optimiser", optim_text), 0);
	assert_int_equal(choice_parse(&sim.link, link_table, "link", "ideal"), 0);
	sim.pace.delays = delays_new(delay_table, "exponential", s->workers, NULL);
	assert_non_null(sim.pace.delays);
	s->hook = (struct hook){ .mask = 1u << EV_STEP, .event = on_step };
	run = (struct run){
		.algo = (const struct algo *)algo.plugin, .algo_conf = algo.conf,
		.optim = (const struct optim *)optim.plugin, .optim_conf = optim.conf,
		.workers = s->workers, .seed = seed, .dim = DIM, .batch = 1,
		.samples = 1 << 20, .pool = &pool, .lr = { .base = lr },
		.gradients = gradients, .hooks = &s->hook,
	};
	run.watch = watched ? watch_new(WATCH_CHEAP, &run) : NULL;
	assert_int_equal(sim_run(&sim, &run, NULL), 0);
	watch_free(run.watch);
	choice_release(&algo);
	choice_release(&optim);
	choice_release(&sim.link);
	delays_free(sim.pace.delays);
}

static const char plain[] = "sgd:momentum=0,weight_decay=0";

static struct seen measure(int workers, const char *optim, double lr)
{
	struct seen s = { .workers = workers };

	noise = 1.0;
	run_once(&s, optim, lr, STEPS, 1, true);
	s.published /= (double)s.n;
	return s;
}

/* Squares that x_{t+1} = x_t + V_{t+1}, V_{t+1} = mu V_t - lr (1 - mu) x_t leaves of the mean. */
static double misfit(const struct seen *s, double mu, double lr)
{
	double x = 1.0, v = -lr, sum = 0;

	for (int t = 1; t <= MOST; t++) {
		x += v;
		v = mu * v - lr * (1.0 - mu) * x;
		sum += (x - s->x[t]) * (x - s->x[t]);
	}
	return sum;
}

/* The momentum whose course, begun at full speed, is nearest to the mean of many runs. */
static double fit_of_many(int workers)
{
	struct seen s = { .workers = workers, .x = { 1.0 } };
	double best = 0;

	noise = 0.1;
	for (uint64_t seed = 0; seed < RUNS; seed++)
		run_once(&s, plain, 0.5, MOST + 1, seed, false);
	for (double mu = 0; mu < 1; mu += 0.001)
		if (misfit(&s, mu, 0.5) < misfit(&s, best, 0.5))
			best = mu;
	return best;
}

static void one_run_shows_the_momentum_of_asynchrony(void **state)
{
	for (int workers = 2; workers <= 32; workers *= 2) {
		const double theory = 1.0 - 1.0 / workers, many = fit_of_many(workers);
		const struct seen s = measure(workers, plain, 0.2);

		print_message("%2d workers: %.4f (theory %.4f, many runs %.4f), published %.4f\n",
			      workers, s.momentum, theory, many, s.published);
		assert_near(s.momentum, theory, 0.03);
		assert_near(s.momentum, many, 0.03);
		assert_near(s.published, 0.0, 0.1);
	}
}

static void explicit_momentum_is_seen(void **state)
{
	assert_near(measure(1, plain, 0.2).momentum, 0.0, 1e-3);
	assert_near(measure(1, "sgd:momentum=0.6,nesterov=false,weight_decay=0", 0.2).momentum,
		    0.6, 1e-3);
	assert_near(measure(1, "sgd:momentum=-0.4,nesterov=false,weight_decay=0", 0.2).momentum,
		    -0.4, 1e-3);
}

/* What hardly moves while a gradient is computed fits any momentum. */
static void no_answer_where_none_can_be_had(void **state)
{
	assert_true(isnan(measure(8, plain, 0.001).momentum));
	assert_true(isnan(measure(160, plain, 0.05).momentum));
}

RUN_ALL(one_run_shows_the_momentum_of_asynchrony, explicit_momentum_is_seen,
	no_answer_where_none_can_be_had)
