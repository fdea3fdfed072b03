/*
 * Every lowering, alone and with helpers, against the double-precision reference; and that
 * nothing shows of who computed what.
 */
#include "core/base/mem.h"
#include "nets/reference/reference.h"
#include "tests/support/check.h"
#include "tests/support/gradient_check.h"
#include "tests/support/helpers.h"

#include <math.h>
#include <stdlib.h>

/* ---- against the reference ---- */

/* A case and the reference's answers to it. */
struct wanted {
	struct trial t;
	double loss[2], *grad[2];       /* without and with dropout */
	double *stats, *logits;         /* of training; of evaluation with evaluated */
	float *evaluated;
};

struct check {
	struct wanted *w;
	struct team *team;
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
					    k ? t->use : NULL, NULL, w->grad[k]);
	}
	w->stats = xcalloc(t->g->stats_dim, sizeof(double));
	reference_stats(t->g, t->xd, t->n, t->imagesd, w->stats);
	evaluated = xcalloc(t->g->stats_dim, sizeof(double));
	w->evaluated = vec_new(t->g->stats_dim);
	for (size_t k = 0; k < t->g->stats_dim; k++)
		evaluated[k] = (double)(w->evaluated[k] = (float)w->stats[k] * 0.9f + 0.05f);
	w->logits = xcalloc(t->n * (size_t)t->g->classes, sizeof(double));
	reference_logits(t->g, t->xd, evaluated, t->n, t->imagesd, NULL, w->logits);
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

static void check_grad(const struct grad_check *on, const struct wanted *w, void *ctx, bool dropout,
		       float *got)
{
	const struct trial *t = on->t;
	double loss;

	for (size_t k = 0; k < t->g->dim; k++)
		got[k] = NAN;           /* every element must be written */
	loss = backend_openblas.grad(ctx, t->x, t->n, t->images, t->labels, 3,
				     dropout ? t->use : NULL, got, NULL);
	assert_near(loss, w->loss[dropout], 2e-5 * fabs(w->loss[dropout]));
	grad_check_blobs(on, got, w->grad[dropout]);
}

static void check_evaluation(const struct grad_check *on, const struct wanted *w, void *ctx)
{
	const struct trial *t = on->t;
	const size_t n = t->n * (size_t)t->g->classes;
	float *stats = vec_new(t->g->stats_dim), *logits = vec_new(n);

	backend_openblas.stats(ctx, t->x, t->n, t->images, stats);
	grad_check_vector(on, "statistics", t->g->stats_dim, stats, w->stats, 0);
	backend_openblas.logits(ctx, t->x, w->evaluated, t->n, t->images, logits);
	grad_check_vector(on, "logits", n, logits, w->logits, 0);
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
	void *ctx = backend_openblas.open(t->g, &conf, t->n, ck->team);
	char where[64];
	const struct grad_check on = { t, &backend_openblas, where, NULL };

	snprintf(where, sizeof(where), "lowering %d, %d partitions", (int)ck->lowering + 1,
		 ck->partitions);
	assert_non_null(ctx);
	check_grad(&on, ck->w, ctx, false, helped);
	check_evaluation(&on, ck->w, ctx);
	check_grad(&on, ck->w, ctx, true, helped);
	backend_openblas.close(ctx);
	ctx = backend_openblas.open(t->g, &conf, t->n + 3, NULL);
	check_grad(&on, ck->w, ctx, true, alone);
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
	struct helpers h;
	struct check ck = { .w = &w, .team = &h.team };

	wanted_open(&w, *state);
	helpers_start(&h, 1);
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
	helpers_stop(&h);
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
	return _cmocka_run_group_tests("openblas", tests, n, NULL, NULL);
}
