/* Measures how many gradients a second the processes of an external problem compute. */
#include "runner/estimate/external_rate.h"

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "nets/external/external.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { WARM = 3 };              /* gradients before */

struct rig {
	struct external_rate *of;
	const struct problem *problem;
	pthread_barrier_t ready;
	atomic_llong gradients;
	double began, ended;    /* of the first thread */
};

struct runner {
	struct rig *rig;
	bool first;
};

static void *external_rate_run(void *arg)
{
	const struct runner *t = arg;
	struct rig *rig = t->rig;
	const struct problem *p = rig->problem;
	const size_t n = rig->of->batch;
	void *scratch = p->ops->scratch_new(p, n, NULL);
	float *x = vec_new(p->dim), *g = vec_new(p->dim);
	int64_t *sample = xcalloc(n, sizeof(*sample));
	const struct batch batch = { .n = n, .sample = sample, .seed = 1 };
	double began;
	long long done = 0;

	for (size_t i = 0; i < n; i++)
		sample[i] = (int64_t)i % p->n[0];
	p->ops->init(p, 1, x);
	for (int i = 0; i < WARM; i++)
		p->ops->grad(p, scratch, x, &batch, g, NULL);
	pthread_barrier_wait(&rig->ready);
	began = clock_s();
	while (clock_s() - began < rig->of->seconds && !p->ops->failed(p) &&
	       !(rig->of->stop && rig->of->stop())) {
		p->ops->grad(p, scratch, x, &batch, g, NULL);
		done++;
	}
	atomic_fetch_add(&rig->gradients, done);
	if (t->first) {
		rig->began = began;
		rig->ended = clock_s();
	}
	p->ops->scratch_free(p, scratch);
	free_all(x, g, sample);
	return NULL;
}

int external_rate_measure(struct external_rate *r)
{
	struct problem *p = external_open(r->net);
	struct rig rig = { .of = r, .problem = p };
	pthread_t *threads = xcalloc((size_t)r->threads, sizeof(*threads));
	struct runner *runners = xcalloc((size_t)r->threads, sizeof(*runners));
	int ret = -1, begun = 1;

	if (p) {
		pthread_barrier_init(&rig.ready, NULL, (unsigned)r->threads);
		for (int i = 0; i < r->threads; i++)
			runners[i] = (struct runner){ &rig, i == 0 };
		for (; begun < r->threads; begun++)
			if (pthread_create(&threads[begun], NULL, external_rate_run,
					   &runners[begun]) != 0)
				out_of_memory("threads");
		external_rate_run(&runners[0]);
		for (int i = 1; i < r->threads; i++)
			pthread_join(threads[i], NULL);
		pthread_barrier_destroy(&rig.ready);
		r->dim = p->dim;
		r->gradients = (double)atomic_load(&rig.gradients);
		r->rate = r->gradients / (rig.ended - rig.began);
		ret = p->ops->failed(p) ? -1 : 0;
		p->ops->close(p);
	}
	free_all(threads, runners);
	return ret;
}
