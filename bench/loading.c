/*
 * loading - how fast a data set gives batches, and how long a training waits for them.
 *
 *	loading fetch DATA THREADS SECONDS
 *	loading train DATA NET PRECISION BATCH THREADS SECONDS
 *
 * fetch prints images a second: threads fetch augmented training batches of 32 and do
 * nothing else. train prints samples a second, and the share of the compute threads'
 * time that went into getting batches, in per cent: THREADS workers take gradients.
 */
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/pool/pool.h"
#include "data/data.h"
#include "nets/nets.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 32 };

static struct dataset *open_data(const char *text)
{
	struct dataset *ds = dataset_open_text(text);

	if (!ds)
		exit(EXIT_BAD);
	return ds;
}

/* ---- fetch ---- */

struct fetcher {
	const struct dataset *ds;
	struct sampler sampler;
	int rank;
	double seconds;
	pthread_barrier_t *ready;
	double rate;            /* the answer: images per second */
};

static void *fetch_main(void *arg)
{
	struct fetcher *f = arg;
	float *images = vec_new(BATCH * dataset_sample_bytes(f->ds));
	int64_t sample[BATCH], index = 0;
	uint64_t use[BATCH];
	int32_t labels[BATCH];
	double began = 0;

	for (; index < 2 || clock_s() - began < f->seconds; index++) {
		if (index == 1) {       /* the first one warms up */
			pthread_barrier_wait(f->ready);
			began = clock_s();
		}
		sampler_batch(&f->sampler, f->rank, index, sample, use);
		dataset_fetch(f->ds, SPLIT_TRAIN,
			      &(struct batch){ BATCH, sample, use, f->sampler.seed }, images,
			      labels);
	}
	f->rate = (double)(index - 1) * BATCH / (clock_s() - began);
	free(images);
	return NULL;
}

static void fetch(const struct dataset *ds, int threads, double seconds)
{
	struct fetcher *f = xcalloc((size_t)threads, sizeof(*f));
	pthread_t *thread = xcalloc((size_t)threads, sizeof(*thread));
	pthread_barrier_t ready;
	double rate = 0;

	pthread_barrier_init(&ready, NULL, (unsigned)threads);
	for (int i = 0; i < threads; i++) {
		f[i] = (struct fetcher){ .ds = ds, .rank = i, .seconds = seconds, .ready = &ready,
					 .sampler = { .seed = 1, .samples = ds->n[SPLIT_TRAIN],
						      .workers = threads, .size = BATCH } };
		if (pthread_create(&thread[i], NULL, fetch_main, &f[i]))
			die("cannot start thread %d", i);
	}
	for (int i = 0; i < threads; i++) {
		pthread_join(thread[i], NULL);
		rate += f[i].rate;
	}
	printf("%.0f\n", rate);
	pthread_barrier_destroy(&ready);
	free(thread);
	free(f);
}

/* ---- train ---- */

/* Each worker's next gradient, until so many seconds are over; gives their number. */
static int64_t take_gradients(struct pool *pool, struct job *jobs, int workers, const float *x,
			      double seconds)
{
	const double began = clock_s();
	int64_t n = 0;

	for (int w = 0; w < workers; w++)
		pool_submit(pool, &jobs[w]);
	while (clock_s() - began < seconds)
		for (int w = 0; w < workers; w++, n++) {
			pool_wait(pool, &jobs[w]);
			jobs[w] = (struct job){ .kind = JOB_GRAD, .x = x, .rank = w,
						.index = jobs[w].index + 1, .out = jobs[w].out };
			pool_submit(pool, &jobs[w]);
		}
	for (int w = 0; w < workers; w++, n++) {
		pool_wait(pool, &jobs[w]);
		jobs[w].index++;
	}
	return n;
}

static void run(struct pool *pool, int threads, double seconds)
{
	const struct problem *p = pool->problem;
	struct job *jobs = xcalloc((size_t)threads, sizeof(*jobs));
	float *x = vec_new(p->dim);
	double began, data;
	int64_t n;

	p->ops->init(p, 1, x);
	for (int w = 0; w < threads; w++)
		jobs[w] = (struct job){ .kind = JOB_GRAD, .x = x, .rank = w,
					.out = vec_new(p->dim) };
	take_gradients(pool, jobs, threads, x, 0);
	data = pool_data_s(pool);
	began = clock_s();
	n = take_gradients(pool, jobs, threads, x, seconds);
	printf("%.2f %.3f\n", (double)n * (double)pool->sampler.size / (clock_s() - began),
	       100 * (pool_data_s(pool) - data) / (clock_s() - began) / threads);
	for (int w = 0; w < threads; w++)
		free(jobs[w].out);
	free(jobs);
	free(x);
}

static void train(const struct dataset *ds, const char *net, const char *precision, int batch,
		  int threads, double seconds)
{
	const struct backend_conf conf = {
		.precision = strcmp(precision, "bf16") == 0 ? PRECISION_BF16 : PRECISION_F32,
	};
	struct problem *p = problem_net(net, backend_table[0], &conf, ds);
	struct sampler s = { .seed = 1, .samples = ds->n[SPLIT_TRAIN], .workers = threads,
			     .size = (size_t)batch };
	struct pool *pool;

	if (!p)
		exit(EXIT_BAD);
	pool = pool_threads(p, &s, threads);
	run(pool, threads, seconds);
	pool_free(pool);
	p->ops->close(p);
}

int main(int argc, char **argv)
{
	const bool fetches = argc == 5 && strcmp(argv[1], "fetch") == 0;
	struct dataset *ds;

	if (!fetches && !(argc == 8 && strcmp(argv[1], "train") == 0)) {
		fprintf(stderr, "usage: loading fetch DATA THREADS SECONDS\n"
				"       loading train DATA NET PRECISION BATCH THREADS SECONDS\n");
		return EXIT_USAGE;
	}
	ds = open_data(argv[2]);
	if (fetches)
		fetch(ds, atoi(argv[3]), atof(argv[4]));
	else
		train(ds, argv[3], argv[4], atoi(argv[5]), atoi(argv[6]), atof(argv[7]));
	dataset_close(ds);
	return EXIT_OK;
}
