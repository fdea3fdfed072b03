/*
 * Every lowering, alone and with helpers, against the double-precision reference; and that
 * nothing shows of who computed what.
 *
 * Tolerance: as in test_backends.c.
 */
#include "core/crew.h"
#include "core/mem.h"
#include "nets/reference.h"
#include "tests/support/check.h"
#include "tests/support/netcase.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 2e-5

/* ---- a team of two, as a pool has it ---- */

struct pair {
	struct crew crew;
	struct team team;
	pthread_t helper;
	bool closing;
};

static void *help(void *arg)
{
	struct pair *p = arg;

	pthread_mutex_lock(&p->crew.lock);
	while (!p->closing)
		if (!crew_help(&p->crew)) {
			p->crew.idle++;
			pthread_cond_wait(&p->crew.wake, &p->crew.lock);
			p->crew.idle--;
		}
	pthread_mutex_unlock(&p->crew.lock);
	return NULL;
}

static struct pair pair;

static int pair_open(void **state)
{
	struct pair *p = &pair;

	(void)state;
	crew_init(&p->crew, 2);
	team_init(&p->team, &p->crew);
	p->closing = false;
	return pthread_create(&p->helper, NULL, help, p);
}

static int pair_close(void **state)
{
	struct pair *p = &pair;

	(void)state;
	pthread_mutex_lock(&p->crew.lock);
	p->closing = true;
	pthread_cond_broadcast(&p->crew.wake);
	pthread_mutex_unlock(&p->crew.lock);
	pthread_join(p->helper, NULL);
	team_release(&p->team);
	crew_release(&p->crew);
	return 0;
}

/* ---- against the reference ---- */

struct check {
	const struct netcase *c;
	enum lowering lowering;
	int partitions;
};

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

static void check_grad(const struct check *ck, struct trial *t, void *ctx, const uint64_t *use,
		       float *got)
{
	const struct graph *g = t->g;
	double *want = xcalloc(g->dim, sizeof(*want)), loss, expected;

	for (size_t k = 0; k < g->dim; k++)
		got[k] = NAN;           /* every element must be written */
	loss = backend_openblas.grad(ctx, t->x, t->n, t->images, t->labels, 3, use, got);
	expected = reference_grad(g, t->xd, t->n, t->imagesd, t->labels, 3, use, want);
	assert_near(loss, expected, TOLERANCE * fabs(expected));
	for (size_t b = 0; b < g->nblobs; b++)
		check_vector(ck, g->blobs[b].name, g->blobs[b].count, got + g->blobs[b].offset,
			     want + g->blobs[b].offset, 1e-2 * distance(g->dim, got, NULL));
	free(want);
}

static void check_evaluation(const struct check *ck, struct trial *t, void *ctx)
{
	const size_t n = t->n * (size_t)t->g->classes;
	float *stats = vec_new(t->g->stats_dim), *logits = vec_new(n);
	double *statsd = xcalloc(t->g->stats_dim, sizeof(double));
	double *logitsd = xcalloc(n, sizeof(double));

	backend_openblas.stats(ctx, t->x, t->n, t->images, stats);
	reference_stats(t->g, t->xd, t->n, t->imagesd, statsd);
	check_vector(ck, "statistics", t->g->stats_dim, stats, statsd, 0);
	for (size_t k = 0; k < t->g->stats_dim; k++)
		statsd[k] = (double)(stats[k] = stats[k] * 0.9f + 0.05f);
	backend_openblas.logits(ctx, t->x, stats, t->n, t->images, logits);
	reference_logits(t->g, t->xd, statsd, t->n, t->imagesd, logitsd);
	check_vector(ck, "logits", n, logits, logitsd, 0);
	free(stats);
	free(logits);
	free(statsd);
	free(logitsd);
}

/* With help and alone: right, and the same bits unless the BLAS has the threads. */
static void check_way(const struct check *ck)
{
	const struct backend_conf conf = { .lowering = ck->lowering,
					   .partitions = ck->partitions };
	struct trial t;
	float *helped, *alone;
	void *ctx;

	trial_open(&t, ck->c);
	helped = vec_new(t.g->dim);
	alone = vec_new(t.g->dim);
	ctx = backend_openblas.open(t.g, &conf, t.n, &pair.team);
	assert_non_null(ctx);
	check_grad(ck, &t, ctx, NULL, helped);
	check_evaluation(ck, &t, ctx);
	check_grad(ck, &t, ctx, t.use, helped);
	backend_openblas.close(ctx);
	ctx = backend_openblas.open(t.g, &conf, t.n + 3, NULL);
	check_grad(ck, &t, ctx, t.use, alone);
	if (ck->lowering != LOWERING_CAFFE)
		assert_memory_equal(alone, helped, t.g->dim * sizeof(*alone));
	backend_openblas.close(ctx);
	free(helped);
	free(alone);
	trial_close(&t);
}

static void against_reference(void **state)
{
	static const enum lowering types[] = { LOWERING_1, LOWERING_2, LOWERING_3,
					       LOWERING_CAFFE };
	struct check ck = { .c = *state };

	for (int k = 0; k < 4; k++)
		for (ck.partitions = 0; ck.partitions <= 2; ck.partitions += 2) {
			ck.lowering = types[k];
			check_way(&ck);
		}
	ck = (struct check){ *state, LOWERING_1, 1000 };        /* one sample each */
	check_way(&ck);
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
