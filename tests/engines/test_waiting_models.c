/* Evaluations while workers wait: without a step each reads the model of the beginning. */
#include "algos/algos.h"
#include "core/math/vec.h"
#include "tests/support/check.h"
#include "tests/support/toy.h"

#include <string.h>

enum { DIM = 5, WORKERS = 4 };

static const float start[DIM] = { 1.0f, -2.0f, 3.0f, -4.0f, 5.0f };

struct witness {
	struct hook hook;
	int marks;
	double furthest;        /* of any model from the first */
};

static void see_model(struct hook *h, const struct event *ev)
{
	struct witness *w = (struct witness *)h;
	const double distance = vec_dist(DIM, ev->model, start);

	w->marks++;
	if (!(distance <= w->furthest))
		w->furthest = distance;
}

static const char *optimiser_of(const char *algo)
{
	return strcmp(algo, "local-adam") == 0 ? "adam" : "sgd:weight_decay=0";
}

/* On a rough network, with steps of no length. */
static struct witness watch_run(const char *algo)
{
	struct witness w = { .hook = { .mask = 1u << EV_MARK | 1u << EV_END,
				       .event = see_model } };
	struct toy t;

	toy_open(&t, algo, WORKERS, optimiser_of(algo));
	toy_rough(&t);
	t.run.start = start;
	t.run.lr.base = 1e-30;
	t.run.mark_every = 0.05;
	t.run.hooks = &w.hook;
	toy_run(&t);
	toy_close(&t);
	return w;
}

static void no_step_changes_no_evaluation(void **state)
{
	for (const struct plugin *const *p = algo_table; *p; p++) {
		const struct witness w = watch_run((*p)->name);

		if (w.marks < 10 || !(w.furthest < 1e-4))
			fail_msg("%s: %d evaluations, a model that is %g from the first one",
				 (*p)->name, w.marks, w.furthest);
	}
}

RUN_ALL(no_step_changes_no_evaluation)
