/*
 * Every algorithm on MPI ranks, in one job: it ends from its budget, and a replay of what its nodes
 * did ends with the same model. Called by test_every_algo_ranks.sh:
 *
 *     engines_every_algo GRADIENTS OPTIMISER ALGORITHM...
 */
#include "algos/algos.h"
#include "core/base/error.h"
#include "core/math/vec.h"
#include "mpi/real.h"
#include "sim/replay/replay.h"
#include "tests/support/check.h"
#include "tests/support/toy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 16, MOST_WORKERS = 64 };

struct events {                         /* hook: those of a run, as a replay takes them */
	struct hook hook;
	struct replay_event ev[MOST];
	size_t n;
	double loss[MOST_WORKERS];      /* of the latest gradient of each worker */
	bool allreduces;                /* some node asked for one */
	float model[MOST_WORKERS];      /* [dim] at the end */
	size_t dim;
};

static struct events events;
static int faults;

static void events_note(struct hook *h, const struct event *ev)
{
	struct events *e = (struct events *)h;

	if (ev->kind == EV_GRAD) {
		e->loss[ev->node->rank] = ev->loss;
	} else if (ev->kind == EV_END) {
		vec_copy(e->dim, ev->model, e->model);
	} else {
		if (e->n == MOST)
			die("more than %d events", MOST);
		e->allreduces |= ev->handler == HANDLER_ALLREDUCE;
		e->ev[e->n++] = (struct replay_event){
			.handler = ev->handler, .rank = ev->node->rank,
			.peer = ev->handler == HANDLER_TIMER ? ev->token : ev->peer,
			.time = ev->time, .gradients = ev->gradients,
			.loss = ev->node->rank == SERVER ? 0.0 : e->loss[ev->node->rank],
		};
	}
}

static void fault(const char *algo, const char *what)
{
	fprintf(stderr, "%s on %d ranks: %s\n", algo, real_size(), what);
	faults++;
}

/* ||model - x|| <= 1e-3 ||x||, as of sums in another order. */
static bool is_near(size_t dim, const float *model, const float *x)
{
	double apart = 0.0, size = 0.0;

	for (size_t i = 0; i < dim; i++) {
		const double d = (double)model[i] - (double)x[i];

		apart += d * d;
		size += (double)x[i] * (double)x[i];
	}
	return apart <= 1e-6 * size;
}

/* Repeats what the ranks did; MPI may add the vectors of all-reduces in another order. */
static void replay(const char *algo, struct toy *t)
{
	struct replay_result result = { 0 };

	t->run.hooks = NULL;
	if (replay_run(&t->run, events.ev, events.n, false, &result) != 0)
		fault(algo, "its events cannot be replayed");
	else if (result.model != t->result.model && !events.allreduces)
		fault(algo, "replayed to rounding only");
	else if (!is_near(t->run.dim, events.model, result.x))
		fault(algo, "replayed to another model");
	free(result.x);
}

/* Trains with as many workers as there are ranks, or one less where a server takes one. */
static void train(const char *algo, const char *optim, int64_t gradients)
{
	struct real_conf conf = { .overlap = true, .allreduce = ALLREDUCE_BUCKETS,
				  .bucket = 1 << 20, .compute_s = 0.001 };
	struct sampler s;
	struct toy t;
	int workers = real_size();

	toy_open(&t, algo, workers, optim);
	if (real_processes(&conf, t.run.algo, workers) > workers) {
		toy_close(&t);
		toy_open(&t, algo, --workers, optim);
	}
	toy_delay(&t, "gamma:cv=0.5");
	conf.pace = t.sim.pace;
	t.run.lr.base = 0.01;
	t.run.epochs = 0.0;
	t.run.gradients = gradients;
	if (t.run.graph)
		t.run.graph = &t.topology;
	s = (struct sampler){ .seed = t.run.seed, .samples = t.run.samples, .workers = workers,
			      .size = t.run.batch };
	memset(&events, 0, sizeof(events));
	events.hook = (struct hook){ .mask = 1u << EV_GRAD | 1u << EV_HANDLED | 1u << EV_END,
				     .event = events_note };
	events.dim = t.run.dim;
	t.run.hooks = &events.hook;
	t.run.pool = pool_threads(t.problem, &s, 1);
	if (real_run(&conf, &t.run, &t.result) < 0)
		fault(algo, "failed");
	else if (t.result.end != END_GRADIENTS || t.result.gradients < gradients)
		fault(algo, "did not end from its budget");
	else if (real_rank() == 0 && !t.run.algo->shared)
		replay(algo, &t);
	pool_free(t.run.pool);
	toy_close(&t);
}

int main(int argc, char **argv)
{
	static char *alone[] = { "", "8", "sgd", "allreduce", "local-sgd:period=2" };
	int code;

	if (!real_version())
		return 77;
	if (argc < 4) { /* one rank, which has no server */
		argv = alone;
		argc = sizeof(alone) / sizeof(alone[0]);
	}
	if (real_begin() < 0)
		return EXIT_FAILURE;
	for (int i = 3; i < argc; i++)
		train(argv[i], argv[2], strtoll(argv[1], NULL, 10));
	code = real_agree(faults ? EXIT_FAILURE : EXIT_SUCCESS);
	real_end(code);
	return code;
}
