/*
 * nets - how many samples a second a backend differentiates.
 *
 *	nets BACKEND NET BATCH THREADS [SECONDS]
 *
 * Each thread has a context and a batch of its own and takes gradients for
 * SECONDS (3); printed is the sum over threads of batch / median time of a
 * gradient, as one number.
 */
#include "core/error.h"
#include "core/mem.h"
#include "core/rng.h"
#include "nets/backend.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS = 1 << 16, WARM = 3 };

struct task {
	const struct backend *backend;
	const struct graph *graph;
	size_t batch;
	double seconds;         /* how long to measure */
	pthread_barrier_t *ready;
	double rate;            /* the answer: samples per second */
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

struct batch_data {
	float *x, *g, *images;
	int32_t *labels;
	uint64_t *use;
};

static void data_init(struct batch_data *d, const struct graph *g, size_t batch)
{
	size_t pixels = (size_t)(g->input.h * g->input.w * g->input.c);
	struct rng r;

	*d = (struct batch_data){ vec_new(g->dim), vec_new(g->dim), vec_new(batch * pixels),
				  xcalloc(batch, sizeof(int32_t)),
				  xcalloc(batch, sizeof(uint64_t)) };
	graph_init(g, 1, d->x);
	rng_at(&r, 1, RNG_DATA, 0, 0);
	for (size_t i = 0; i < batch * pixels; i++)
		d->images[i] = (float)rng_normal(&r);
	for (size_t i = 0; i < batch; i++) {
		d->labels[i] = (int32_t)rng_below(&r, (uint64_t)g->classes);
		d->use[i] = i;
	}
}

static void data_release(struct batch_data *d)
{
	free(d->x);
	free(d->g);
	free(d->images);
	free(d->labels);
	free(d->use);
}

static void measure(struct task *t, void *ctx, const struct batch_data *d)
{
	double *times = xcalloc(REPEATS, sizeof(*times));
	double end = 0;
	int n = 0;

	for (int i = -WARM; n < REPEATS && (i < 1 || now() < end); i++) {
		double from;

		if (!i) {
			pthread_barrier_wait(t->ready);
			end = now() + t->seconds;
		}
		from = now();
		t->backend->grad(ctx, d->x, t->batch, d->images, d->labels, 1, d->use, d->g);
		if (i >= 0)
			times[n++] = now() - from;
	}
	qsort(times, (size_t)n, sizeof(*times), compare);
	t->rate = (double)t->batch / times[n / 2];
	free(times);
}

static void *work(void *arg)
{
	struct task *t = arg;
	struct batch_data d;
	void *ctx = t->backend->open(t->graph, NULL, t->batch, NULL);

	if (!ctx)
		exit(EXIT_BAD);
	data_init(&d, t->graph, t->batch);
	measure(t, ctx, &d);
	data_release(&d);
	t->backend->close(ctx);
	return NULL;
}

static double rate(struct task task, int threads)
{
	pthread_t *ids = xcalloc((size_t)threads, sizeof(*ids));
	struct task *tasks = xcalloc((size_t)threads, sizeof(*tasks));
	pthread_barrier_t ready;
	double sum = 0;

	pthread_barrier_init(&ready, NULL, (unsigned)threads);
	task.ready = &ready;
	for (int i = 0; i < threads; i++) {
		tasks[i] = task;
		if (pthread_create(&ids[i], NULL, work, &tasks[i]))
			die("cannot start a thread");
	}
	for (int i = 0; i < threads; i++) {
		pthread_join(ids[i], NULL);
		sum += tasks[i].rate;
	}
	pthread_barrier_destroy(&ready);
	free(tasks);
	free(ids);
	return sum;
}

static const struct backend *find(const char *name)
{
	for (int i = 0; backend_table[i]; i++)
		if (!strcmp(backend_table[i]->name, name))
			return backend_table[i];
	return NULL;
}

int main(int argc, char **argv)
{
	struct task t = { .seconds = argc > 5 ? atof(argv[5]) : 3 };
	struct graph *g;
	int threads = argc > 4 ? atoi(argv[4]) : 0, batch = argc > 4 ? atoi(argv[3]) : 0;

	if (threads < 1 || batch < 1 || !(t.backend = find(argv[1]))) {
		fprintf(stderr, "usage: nets BACKEND NET BATCH THREADS [SECONDS]\n");
		return EXIT_USAGE;
	}
	t.graph = g = graph_load(argv[2], (struct shape){ 0, 0, 0 }, 0);
	if (!g)
		return EXIT_BAD;
	t.batch = (size_t)batch;
	printf("%.1f\n", rate(t, threads));
	graph_free(g);
	return EXIT_OK;
}
