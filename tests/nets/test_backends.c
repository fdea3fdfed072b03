/* Every backend against the double-precision reference, on every kind of layer. */
#include "core/base/mem.h"
#include "nets/reference/reference.h"
#include "tests/support/check.h"
#include "tests/support/gradient_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct check {
	const struct netcase *c;
	const struct backend *b;
};

static void check_evaluation(const struct grad_check *on, void *ctx)
{
	const struct trial *t = on->t;
	float *stats = vec_new(t->g->stats_dim);
	double *want = xcalloc(t->g->stats_dim, sizeof(*want));

	on->b->stats(ctx, t->x, t->n, t->images, stats);
	reference_stats(t->g, t->xd, t->n, t->imagesd, want);
	grad_check_vector(on, "statistics", t->g->stats_dim, stats, want, 0);
	for (size_t k = 0; k < t->g->stats_dim; k++)    /* not just those of this batch */
		stats[k] = stats[k] * 0.9f + 0.05f;
	grad_check_logits(on, ctx, stats);
	free(stats);
	free(want);
}

static void against_reference(void **state)
{
	const struct check *ck = *state;
	struct trial t;
	const struct grad_check on = { &t, ck->b, ck->b->name, NULL };
	float *got;
	void *ctx;

	trial_open(&t, ck->c);
	got = vec_new(t.g->dim);
	ctx = ck->b->open(t.g, NULL, t.n, NULL);
	assert_non_null(ctx);
	grad_check_backend(&on, ctx, t.use, got);
	check_evaluation(&on, ctx);
	grad_check_backend(&on, ctx, NULL, got);
	ck->b->close(ctx);
	free(got);
	trial_close(&t);
}

/* The same (x, batch) in a larger, used context and in a fresh one: bit-identical. */
static void bit_identical(void **state)
{
	const struct check *ck = *state;
	struct trial t;
	void *fresh, *used;
	float *a, *b;
	double loss;

	trial_open(&t, ck->c);
	a = vec_new(t.g->dim);
	b = vec_new(t.g->dim);
	fresh = ck->b->open(t.g, NULL, t.n - 1, NULL);
	used = ck->b->open(t.g, NULL, 2 * t.n + 1, NULL);
	ck->b->grad(used, t.x, t.n, t.images, t.labels, 8, t.use, b, NULL);
	loss = ck->b->grad(used, t.x, t.n - 1, t.images, t.labels, 3, t.use, b, NULL);
	assert_true(loss == ck->b->grad(fresh, t.x, t.n - 1, t.images, t.labels, 3, t.use, a,
					NULL));
	assert_memory_equal(a, b, t.g->dim * sizeof(*a));
	ck->b->close(fresh);
	ck->b->close(used);
	free(a);
	free(b);
	trial_close(&t);
}

/* A NaN in the parameters shows in the loss: it is a result, not hidden by a layer. */
static void not_a_number(void **state)
{
	const struct check *ck = *state;
	struct trial t;
	float *g;
	void *ctx;

	trial_open(&t, ck->c);
	g = vec_new(t.g->dim);
	ctx = ck->b->open(t.g, NULL, t.n, NULL);
	t.x[0] = NAN;
	assert_true(isnan(ck->b->grad(ctx, t.x, t.n, t.images, t.labels, 3, t.use, g, NULL)));
	ck->b->close(ctx);
	free(g);
	trial_close(&t);
}

/*
 * bf16, where a backend has it, near the reference: the loss, and the whole gradient, more
 * loosely for the zoo's nets. They are deep for their few samples, so that rounding turns
 * ReLUs over.
 */
static void in_bf16(void **state)
{
	const struct check *ck = *state;
	const struct backend_conf conf = { .precision = PRECISION_BF16 };
	struct trial t;
	double *want, loss, expected, off;
	float *got;
	void *ctx;

	trial_open(&t, ck->c);
	ctx = ck->b->open(t.g, &conf, t.n, NULL);
	assert_non_null(ctx);
	got = vec_new(t.g->dim);
	want = xcalloc(t.g->dim, sizeof(*want));
	loss = ck->b->grad(ctx, t.x, t.n, t.images, t.labels, 3, t.use, got, NULL);
	expected = reference_grad(t.g, t.xd, t.n, t.imagesd, t.labels, 3, t.use, NULL, want);
	off = distance(t.g->dim, got, want) / distance(t.g->dim, NULL, want);
	if (!(fabs(loss - expected) <= 0.1 * expected && off <= (ck->c->json ? 0.15 : 0.85)))
		fail_msg("%s, %s in bf16: loss %g, expected %g; gradient off by %g of its norm",
			 ck->b->name, ck->c->name, loss, expected, off);
	free(got);
	free(want);
	ck->b->close(ctx);
	trial_close(&t);
}

/* A maximum over some channel that is all NaN may drop it, if nothing has mixed it with others. */
static bool may_hide_nan(const struct netcase *c)
{
	static const char *const names[] = {
		"maxpool", "groups-stride-lrn", "lenet", "cifar-cnn", "cifar-small", "alexnet",
		"caffenet", "alexnet-bn", "squeezenet", "resnet18", "resnet50"
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i], c->name))
			return true;
	return false;
}

int main(void)
{
	static struct check checks[256];
	static struct CMUnitTest tests[768];
	size_t n = 0, k = 0;

	for (int b = 0; backend_table[b]; b++)
		for (const struct netcase *c = netcases; c->name && k < 256; c++, k++) {
			checks[k] = (struct check){ c, backend_table[b] };
			tests[n++] = (struct CMUnitTest){ c->name, against_reference, NULL, NULL,
							  &checks[k] };
			tests[n++] = (struct CMUnitTest){ c->name, bit_identical, NULL, NULL,
							  &checks[k] };
			if (!strcmp(backend_table[b]->name, "onednn"))
				tests[n++] = (struct CMUnitTest){ c->name, in_bf16, NULL, NULL,
								  &checks[k] };
			if (!may_hide_nan(c))
				tests[n++] = (struct CMUnitTest){ c->name, not_a_number, NULL,
								  NULL, &checks[k] };
		}
	return _cmocka_run_group_tests("backends", tests, n, NULL, NULL);
}
