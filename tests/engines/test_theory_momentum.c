/*
 * Asynchrony begets momentum: with M workers of exponential compute times and no explicit
 * momentum, E V_{t+1} = (1 - 1/M) E V_t - lr/M grad f(E w_t) on a quadratic. The expectation
 * is over runs: models are averaged over thousands of seeds before anything is fitted.
 */
#include "algos/algos.h"
#include "sim/sim.h"
#include "tests/support/bowl.h"
#include "tests/support/check.h"

#include <stdlib.h>

enum { DIM = 2, SEEDS = 4000, MOST = 96 };

/* f(x) = 1/2 sum a_i x_i^2 from (1, 1), the same for all batches. */
static const float curvature[DIM] = { 1.0f, 0.3f };
static const double lr = 0.5;

static double slope(const float *x, float *g)
{
	double f = 0.0;

	for (size_t i = 0; i < DIM; i++) {
		g[i] = curvature[i] * x[i];
		f += 0.5 * (double)(g[i] * x[i]);
	}
	return f;
}

/* A pool without threads: a gradient is there at once. */
static void submit(struct pool *p, struct job *j)
{
	(void)p;
	j->loss = slope(j->x, j->out);
}

static const struct problem bowl = { .ops = &bowl_ops, .dim = DIM, .n = { 1 << 20, 0 } };
static const struct pool_ops at_once = { .submit = submit, .wait = bowl_wait,
					 .withdraw = bowl_withdraw };

struct mean {                   /* over runs, of the server's model after each step */
	struct hook hook;
	int steps;
	double x[MOST + 1][DIM];
};

static void add_step(struct hook *h, const struct event *ev)
{
	struct mean *m = (struct mean *)h;
	const int64_t t = ev->node->step + 1;

	for (int i = 0; t <= m->steps && i < DIM; i++)
		m->x[t][i] += (double)ev->node->x[i] / SEEDS;
}

static void average(struct mean *m, const char *algo_text, const char *optim_text, int workers)
{
	struct choice algo = { 0 }, optim = { 0 };
	struct pool pool = { .ops = &at_once, .problem = &bowl, .width = 1 };
	struct sim_conf sim = { .batch_s = 1.0, .overlap = true };

	*m = (struct mean){ .steps = MOST, .hook = { .mask = 1u << EV_STEP, .event = add_step } };
	for (int i = 0; i < DIM; i++)
		m->x[0][i] = 1.0;
	assert_int_equal(choice_parse(&algo, algo_table, "algorithm", algo_text), 0);
	assert_int_equal(choice_parse(&optim, optim_table, "optimiser", optim_text), 0);
	sim.pace.delays = delays_new(delay_table, "gamma:cv=1", workers, NULL);
	assert_non_null(sim.pace.delays);
	assert_int_equal(choice_parse(&sim.link, link_table, "link", "ideal"), 0);
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		const struct run run = {
			.algo = (const struct algo *)algo.plugin, .algo_conf = algo.conf,
			.optim = (const struct optim *)optim.plugin, .optim_conf = optim.conf,
			.workers = workers, .seed = seed, .dim = DIM, .batch = 1,
			.samples = 1 << 20, .pool = &pool, .lr = { .base = lr },
			.gradients = MOST + 1, .hooks = &m->hook,
		};

		assert_int_equal(sim_run(&sim, &run, NULL), 0);
	}
	choice_release(&algo);
	choice_release(&optim);
	delays_free(sim.pace.delays);
	choice_release(&sim.link);
}

/* Least squares of V_{t+1} = mu V_t - alpha grad f(w_t) over all t and coordinates. */
static void fit(const struct mean *m, double *mu, double *alpha)
{
	double vv = 0, vg = 0, gg = 0, yv = 0, yg = 0;

	for (int t = 1; t < m->steps; t++)
		for (int i = 0; i < DIM; i++) {
			const double y = m->x[t + 1][i] - m->x[t][i];
			const double v = m->x[t][i] - m->x[t - 1][i];
			const double g = -(double)curvature[i] * m->x[t][i];

			vv += v * v;
			vg += v * g;
			gg += g * g;
			yv += y * v;
			yg += y * g;
		}
	*mu = (yv * gg - yg * vg) / (vv * gg - vg * vg);
	*alpha = (yg * vv - yv * vg) / (vv * gg - vg * vg);
}

static void asynchrony_is_momentum(void **state)
{
	for (int workers = 1; workers <= 16; workers *= 2) {
		const double theory = 1.0 - 1.0 / workers;
		struct mean m;
		double mu, alpha;

		average(&m, "asgd", "sgd:momentum=0,weight_decay=0", workers);
		fit(&m, &mu, &alpha);
		print_message("%2d workers: momentum %.4f (theory %.4f), step %.5f (%.5f)\n",
			      workers, mu, theory, alpha, lr / workers);
		assert_near(mu, theory, 0.05 * theory + 1e-6);
		assert_near(alpha, lr / workers, 0.05 * lr / workers);
	}
}

/* Least squares of V_{t+1} + lr/M grad f(w_t) = a V_t - b V_{t-1}: a = mu + mu_S, b = mu mu_S. */
static void fit_two(const struct mean *m, int workers, double *a, double *b)
{
	double vv = 0, vu = 0, uu = 0, yv = 0, yu = 0;

	for (int t = 2; t < m->steps; t++)
		for (int i = 0; i < DIM; i++) {
			const double y = m->x[t + 1][i] - m->x[t][i] + lr / workers *
					 (double)curvature[i] * m->x[t][i];
			const double v = m->x[t][i] - m->x[t - 1][i];
			const double u = m->x[t - 2][i] - m->x[t - 1][i];

			vv += v * v;
			vu += v * u;
			uu += u * u;
			yv += y * v;
			yu += y * u;
		}
	*a = (yv * uu - yu * vu) / (vv * uu - vu * vu);
	*b = (yu * vv - yv * vu) / (vv * uu - vu * vu);
}

/* Explicit momentum adds to that of asynchrony; asynchrony=-1 takes the latter off again. */
static void momenta_add_up(void **state)
{
	enum { WORKERS = 4 };
	struct mean m;
	double a, b;

	average(&m, "asgd", "sgd:momentum=0.15,nesterov=false,weight_decay=0", WORKERS);
	fit_two(&m, WORKERS, &a, &b);
	print_message("explicit 0.15, 4 workers: %.4f (theory 0.9), %.4f (0.1125)\n", a, b);
	assert_near(a, 0.9, 0.045);
	assert_near(b, 0.1125, 0.045);
	average(&m, "asgd", "sgd:momentum=0.5,nesterov=false,weight_decay=0,asynchrony=-1",
		WORKERS);
	fit_two(&m, WORKERS, &a, &b);
	print_message("0.5 asked for, 4 workers: %.4f (theory 0.5), %.4f (-0.1875)\n", a, b);
	assert_near(a, 0.5, 0.025);
	assert_near(b, -0.1875, 0.025);
}

RUN_ALL(asynchrony_is_momentum, momenta_add_up)
