/* Every algorithm minimises a logistic regression whose optimum full gradients have found. */
#include "algos/algos.h"
#include "core/math/vec.h"
#include "nets/nets.h"
#include "tests/support/brief.h"
#include "tests/support/check.h"
#include "tests/support/toy.h"

#include <string.h>

enum { DIM = 6, SAMPLES = 256, STEPS = 4000 };

static struct problem *open_problem(void)
{
	struct choice c = { 0 };
	struct problem *p;

	assert_int_equal(choice_parse(&c, problem_table, "problem",
				      "logistic:samples=256,dim=6,reg=0.1"), 0);
	p = ((const struct problem_type *)c.plugin)->open(c.conf);
	assert_non_null(p);
	choice_release(&c);
	return p;
}

/* f and its gradient over all samples. */
static double full(const struct problem *p, const float *x, float *g)
{
	int64_t all[SAMPLES];
	const struct batch b = { .n = SAMPLES, .sample = all };
	void *scratch = p->ops->scratch_new(p, SAMPLES, NULL);
	double f;

	for (int64_t i = 0; i < SAMPLES; i++)
		all[i] = i;
	f = p->ops->grad(p, scratch, x, &b, g, NULL);
	p->ops->scratch_free(p, scratch);
	return f;
}

static double least(const struct problem *p)
{
	float x[DIM] = { 0 }, g[DIM];

	for (int i = 0; i < STEPS; i++) {
		full(p, x, g);
		vec_axpy(DIM, -0.2f, g, x);
	}
	return full(p, x, g);
}

/* eamsgd is nothing without Nesterov's momentum. */
static const char *optim_of(const char *algo)
{
	return strcmp(algo, "eamsgd") ? "sgd:momentum=0,weight_decay=0"
				      : "sgd:momentum=0.5,weight_decay=0";
}

/* How far f is above its least value after so many epochs, with a falling learning rate. */
static double above(const char *algo, int workers, double f)
{
	struct choice schedule = { 0 };
	struct toy t;
	float g[DIM];
	double d;

	toy_open(&t, brief_algo(algo), workers, brief_optim(algo, optim_of(algo)));
	t.problem->ops->close(t.problem);
	t.problem = open_problem();
	toy_delay(&t, "gamma:cv=0.3");
	assert_int_equal(choice_parse(&schedule, schedule_table, "schedule", "poly"), 0);
	t.run.lr.schedule = schedule;
	t.run.lr.base = 0.2;
	t.run.dim = DIM;
	t.run.lr.epochs = t.run.epochs = 60;
	toy_run(&t);
	d = full(t.problem, t.model, g) - f;
	choice_release(&schedule);
	toy_close(&t);
	return d;
}

/* Steps of signs do not become shorter near it. */
static double near_enough(const char *algo)
{
	return strcmp(algo, "demo") ? 5e-4 : 2e-3;
}

static void all_reach_the_least_loss(void **state)
{
	struct problem *p = open_problem();
	const double f = least(p);
	float zero[DIM] = { 0 }, g[DIM];

	assert_true(full(p, zero, g) - f > 0.2);
	for (int i = 0; algo_table[i]; i++)
		for (int workers = 1; workers <= 4; workers += 3) {
			const double d = above(algo_table[i]->name, workers, f);

			if (!(d < near_enough(algo_table[i]->name)))
				fail_msg("%s, %d workers: %g above the least loss",
					 algo_table[i]->name, workers, d);
		}
	p->ops->close(p);
}

RUN_ALL(all_reach_the_least_loss)
