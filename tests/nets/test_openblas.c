/*
 * Every lowering, alone and with helpers, against the double-precision reference; and that
 * nothing shows of who computed what.
 *
 * Tolerance: as in test_backends.c.
 */
#include "core/base/mem.h"
#include "core/pool/thread_group.h"
#include "nets/reference/reference.h"
#include "tests/support/check.h"
#include "tests/support/netcase.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 2e-5

/* ---- a team of two, as a pool has it ---- */

struct pair {
	struct thread_group group;
	struct team team;
	pthread_t helper;
	bool closing;
};

static void *help(void *arg)
{
	struct pair *p = arg;

	pthread_mutex_lock(&p->group.lock);
	while (!p->closing)
		if (!thread_group_help(&p->group)) {
			p->group.idle++;
			pthread_cond_wait(&p->group.wake, &p->group.lock);
			p->group.idle--;
		}
	pthread_mutex_unlock(&p->group.lock);
	return NULL;
}

static struct pair pair;

static int pair_open(void **state)
{
	struct pair *p = &pair;

	(void)state;
	thread_group_init(&p->group, 2);
	team_init(&p->team, &p->group);
	p->closing = false;
	return pthread_create(&p->helper, NULL, help, p);
}

static int pair_close(void **state)
{
	struct pair *p = &pair;

	(void)state;
	pthread_mutex_lock(&p->group.lock);
	p->closing = true;
	pthread_cond_broadcast(&p->group.wake);
	pthread_mutex_unlock(&p->group.lock);
	pthread_join(p->helper, NULL);
	team_release(&p->team);
	thread_group_release(&p->group);
	return 0;
}

/* ---- against the reference ---- */

/* A case and the reference's answers to it. */
struct wanted {
	struct trial t;
	double loss[2], *grad[2];       /* without and with dropout */
	double *stats, *logits;         /* of training; of evaluation with evaluated */
	float *evaluated;
};

struct check {
	const struct netcase *c;
	struct wanted *w;
	enum lowering lowering;
	int partitions;
	bool unfused;
};

static void wanted_open(struct wanted *w, const struct netcase *c)
{
	struct trial *t = &w->t;
	double *evaluated;

	trial_open(t, c);
	for (int k = 0; k < 2; k++) {
		w->grad[k] = xcalloc(t->g->dim, sizeof(double));
		w->loss[k] = reference_grad(t->g, t->xd, t->n, t->imagesd, t->labels, 3,
					    k ? t->use : NULL, w->grad[k]);
	}
	w->stats = xcalloc(t->g->stats_dim, sizeof(double));
	reference_stats(t->g, t->xd, t->n, t->imagesd, w->stats);
	evaluated = xcalloc(t->g->stats_dim, sizeof(double));
	w->evaluated = vec_new(t->g->stats_dim);
	for (size_t k = 0; k < t->g->stats_dim; k++)
		evaluated[k] = (double)(w->evaluated[k] = (float)w->stats[k] * 0.9f + 0.05f);
	w->logits = xcalloc(t->n * (size_t)t->g->classes, sizeof(double));
	reference_logits(t->g, t->xd, evaluated, t->n, t->imagesd, w->logits);
	free(evaluated);
}

static void wanted_close(struct wanted *w)
{
	trial_close(&w->t);
	free(w->grad[0]);
	free(w->grad[1]);
	free(w->stats);
	free(w->logits);
	free(w->evaluated);
}

static double distance(size_t n, const float *got, const double *want)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += ((double)got[i] - (want ? want[i] : 0))
		       * ((double)got[i] - (want ? want[i] : 0));
	return sqrt(sum);
}

static void check_vector(const struct check *ck, const char *what, size_t n, const float *got,
			 const double *want, double more)
{
	const double scale = distance(n, got, NULL) + more, off = distance(n, got, want);

	if (!(off <= TOLERANCE * scale))
		fail_msg("lowering %d, %d partitions, %s, %s: off by %.3g of %.3g",
			 (int)ck->lowering + 1, ck->partitions, ck->c->name, what, off / scale,
			 scale);
}

static void check_grad(const struct check *ck, void *ctx, bool dropout, float *got)
{
	const struct trial *t = &ck->w->t;
	const struct graph *g = t->g;
	const double *want = ck->w->grad[dropout], expected = ck->w->loss[dropout];
	double loss;

	for (size_t k = 0; k < g->dim; k++)
		got[k] = NAN;           /* every element must be written */
	loss = backend_openblas.grad(ctx, t->x, t->n, t->images, t->labels, 3,
				     dropout ? t->use : NULL, got, NULL);
	assert_near(loss, expected, TOLERANCE * fabs(expected));
	for (size_t b = 0; b < g->nblobs; b++)
		check_vector(ck, g->blobs[b].name, g->blobs[b].count, got + g->blobs[b].offset,
			     want + g->blobs[b].offset, 1e-2 * distance(g->dim, got, NULL));
}

static void check_evaluation(const struct check *ck, void *ctx)
{
	const struct trial *t = &ck->w->t;
	const size_t n = t->n * (size_t)t->g->classes;
	float *stats = vec_new(t->g->stats_dim), *logits = vec_new(n);

	backend_openblas.stats(ctx, t->x, t->n, t->images, stats);
	check_vector(ck, "statistics", t->g->stats_dim, stats, ck->w->stats, 0);
	backend_openblas.logits(ctx, t->x, ck->w->evaluated, t->n, t->images, logits);
	check_vector(ck, "logits", n, logits, ck->w->logits, 0);
	free(stats);
	free(logits);
}

/* With help and alone: right, and bit-identical unless the BLAS has the threads. */
static void check_way(const struct check *ck)
{
	const struct backend_conf conf = { .lowering = ck->lowering,
					   .partitions = ck->partitions,
					   .unfused = ck->unfused };
	const struct trial *t = &ck->w->t;
	float *helped = vec_new(t->g->dim), *alone = vec_new(t->g->dim);
	void *ctx = backend_openblas.open(t->g, &conf, t->n, &pair.team);

	assert_non_null(ctx);
	check_grad(ck, ctx, false, helped);
	check_evaluation(ck, ctx);
	check_grad(ck, ctx, true, helped);
	backend_openblas.close(ctx);
	ctx = backend_openblas.open(t->g, &conf, t->n + 3, NULL);
	check_grad(ck, ctx, true, alone);
	if (ck->lowering != LOWERING_CAFFE)
		assert_memory_equal(alone, helped, t->g->dim * sizeof(*alone));
	backend_openblas.close(ctx);
	free(helped);
	free(alone);
}

static void against_reference(void **state)
{
	static const enum lowering types[] = { LOWERING_1, LOWERING_2, LOWERING_3,
					       LOWERING_CAFFE };
	struct wanted w;
	struct check ck = { .c = *state, .w = &w };

	wanted_open(&w, ck.c);
	for (int k = 0; k < 4; k++)
		for (ck.partitions = 0; ck.partitions <= 2; ck.partitions += 2) {
			ck.lowering = types[k];
			check_way(&ck);
		}
	ck.lowering = LOWERING_1;
	ck.partitions = 1000;                   /* one sample each */
	check_way(&ck);
	ck.unfused = true;
	for (int k = 0; k < 3; k++)
		for (ck.partitions = 0; ck.partitions <= 2; ck.partitions += 2) {
			ck.lowering = types[k];
			check_way(&ck);
		}
	wanted_close(&w);
}

/* Dense layers large enough for several panels; two read one layer. */
static const struct netcase wide = {
	"dense-panels", { 16, 16, 3 }, 5, 3,
	"{\"layers\": [{\"layer\": \"conv\", \"name\": \"x\", \"out\": 20, \"kernel\": 1},"
	"{\"layer\": \"dense\", \"name\": \"a\", \"out\": 311}, {\"layer\": \"dense\","
	"\"name\": \"b\", \"in\": \"x\", \"out\": 311, \"bias\": false},"
	"{\"layer\": \"add\", \"in\": [\"a\", \"b\"]}, \"relu\","
	"{\"layer\": \"dense\", \"out\": \"$classes\"}]}"
};

int main(void)
{
	static struct CMUnitTest tests[128];
	size_t n = 0;

	for (const struct netcase *c = netcases; c->name && n < 127; c++)
		tests[n++] = (struct CMUnitTest){ c->name, against_reference, NULL, NULL,
						  (void *)(uintptr_t)c };
	tests[n++] = (struct CMUnitTest){ wide.name, against_reference, NULL, NULL,
					  (void *)(uintptr_t)&wide };
	return _cmocka_run_group_tests("openblas", tests, n, pair_open, pair_close);
}
