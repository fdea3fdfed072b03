/*
 * Servers for workers with unequal data, in the simulator: f_i = 1/2 (x - a_i)^2, a = (4, -8), and
 * compute times of 1 and 3 s. The optimum of the mean is -2. Steps of 1/2 are worked out by hand.
 */
#include "nets/nets.h"
#include "tests/support/check.h"
#include "tests/support/toy.h"

#include <string.h>

struct moment {
	double time, x;
};

struct path {                   /* hook: the server's model after each step */
	struct hook hook;
	float first;            /* x* of the problem, which is 0 of the calculation */
	int n;
	struct moment at[16];
};

static void path_note(struct hook *h, const struct event *ev)
{
	struct path *p = (struct path *)h;

	if (p->n < 16)
		p->at[p->n++] = (struct moment){ ev->time,
						 (double)(ev->node->x[0] - p->first) };
}

struct unequal {
	struct toy t;
	struct choice problem;
	struct sample_part part[2];
	struct path path;
	struct slow slow;
};

static void unequal_open(struct unequal *u, const char *algo, double lr)
{
	static const char net[] = "quadratic:dim=1,cond=1,noise=0,start=0,samples=256,optima=4/-8";
	const struct problem_type *type;

	*u = (struct unequal){ .path.hook = { .mask = 1u << EV_STEP, .event = path_note } };
	assert_int_equal(choice_parse(&u->problem, problem_table, "problem", net), 0);
	type = (const struct problem_type *)u->problem.plugin;
	toy_open(&u->t, algo, 2, "sgd:momentum=0,weight_decay=0");
	u->t.problem->ops->close(u->t.problem);
	u->t.problem = type->open(u->problem.conf);
	assert_int_equal(type->parts(u->problem.conf, 2, u->part), 0);
	u->t.part = u->part;
	u->t.run.dim = 1;
	u->t.problem->ops->init(u->t.problem, u->t.run.seed, &u->path.first);
	u->slow = (struct slow){ .rank = 1, .factor = 3 };
	u->t.sim.pace.slow = &u->slow;
	u->t.sim.pace.nslow = 1;
	u->t.run.lr.base = lr;
	u->t.run.hooks = &u->path.hook;
}

static void unequal_close(struct unequal *u)
{
	toy_close(&u->t);
	choice_release(&u->problem);
}

static void assert_path(const char *algo, const struct moment *want, int n)
{
	struct unequal u;

	unequal_open(&u, algo, 0.5);
	toy_run(&u.t);
	assert_true(u.path.n >= n);
	for (int i = 0; i < n; i++) {
		assert_near(u.path.at[i].time, want[i].time, 1e-9);
		assert_near(u.path.at[i].x, want[i].x, 1e-5);
	}
	unequal_close(&u);
}

static void ringleader_steps_once_for_each_worker(void **state)
{
	static const struct moment want[] = { { 3, -1 }, { 4, -2 }, { 6, -9.0 / 4 },
					      { 7, -5.0 / 2 }, { 9, -37.0 / 16 } };

	assert_path("ringleader", want, 5);
}

static void malenia_steps_at_the_slowest(void **state)
{
	static const struct moment want[] = { { 3, -1 }, { 6, -3.0 / 2 }, { 9, -7.0 / 4 } };

	assert_path("malenia", want, 3);
}

/* Of equally fast workers each contributes one gradient. Here it does not depend on the batch. */
static void malenia_of_equals_is_allreduce(void **state)
{
	struct unequal a, b;

	unequal_open(&a, "malenia", 0.1);
	unequal_open(&b, "allreduce", 0.1);
	a.t.sim.pace.nslow = b.t.sim.pace.nslow = 0;
	a.t.run.epochs = b.t.run.epochs = 0;
	a.t.run.seconds = b.t.run.seconds = 20.5;
	toy_run(&a.t);
	toy_run(&b.t);
	assert_int_equal(a.path.n, 16);
	assert_int_equal(a.t.nodes[2].step, 20);
	assert_int_equal(b.t.nodes[0].step, 20);
	assert_memory_equal(a.t.model, b.t.model, sizeof(float));
	unequal_close(&a);
	unequal_close(&b);
}

static void ia2sgd_steps_at_every_gradient(void **state)
{
	static const struct moment want[] = { { 4, -1 }, { 5, -7.0 / 4 }, { 6, -37.0 / 16 },
					      { 6, -23.0 / 8 } };

	assert_path("ia2sgd", want, 4);
}

/* The mean of the workers' optima, where asgd weighs them by their speeds, 3 to 1: (12 - 8) / 4. */
static void all_but_asgd_find_the_optimum(void **state)
{
	static const char *const algos[] = { "ringleader", "malenia", "malenia:batch=4", "ia2sgd",
					     "asgd" };

	for (size_t i = 0; i < sizeof(algos) / sizeof(*algos); i++) {
		struct unequal u;

		unequal_open(&u, algos[i], 0.02);
		u.t.run.epochs = 100;
		toy_run(&u.t);
		assert_near((double)(u.t.model[0] - u.path.first),
			    strcmp(algos[i], "asgd") ? -2.0 : 1.0,
			    strcmp(algos[i], "asgd") ? 1e-5 : 0.2);
		unequal_close(&u);
	}
}

RUN_ALL(ringleader_steps_once_for_each_worker, malenia_steps_at_the_slowest,
	malenia_of_equals_is_allreduce, ia2sgd_steps_at_every_gradient,
	all_but_asgd_find_the_optimum)
