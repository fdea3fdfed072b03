/*
 * Up to ten steps of SGD on one batch of nets of the zoo, without dropout, against losses
 * that PyTorch computed in double precision from the same parameters and images:
 *
 *	convoy check net NET --no-reference --lr LR --input SIDE --steps 10 --export e.h5
 *	convoy show net NET --json >n.json
 *	tests/nets/torch_check.py --losses n.json e.h5
 *
 * f32 may be off by 2e-3 of a loss, bf16 by 5e-2.
 */
#include "study/check/check.h"

#include "core/base/mem.h"
#include "core/math/vec.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>

enum { STEPS = 10, BATCH = 4 };
static const double allowed[] = { [PRECISION_F32] = 2e-3, [PRECISION_BF16] = 5e-2 };

struct stored {
	const char *net;
	int64_t side;           /* 0: the net's own */
	float lr;
	int steps;
	double losses[STEPS];
};

static const struct stored stored[] = {
	{ "lenet", 0, 0.01F, 10,
	  { 2.0816791421, 0.7755656532, 0.5282573450, 0.4546142405, 0.4067938455, 0.2815649316,
	    0.1596484156, 0.1151327658, 0.0991934474, 0.0887846830 } },
	{ "resnet20", 0, 0.01F, 10,
	  { 2.5651646807, 2.1813486434, 1.8773512578, 1.6370493085, 1.4481516086, 1.3004767045,
	    1.1822607476, 1.0845191003, 1.0020747933, 0.9312118075 } },
	{ "wrn-16-4", 0, 0.01F, 5,
	  { 2.4242593835, 2.2682770920, 2.1283957168, 2.0025599864, 1.8875934313 } },
	{ "caffenet", 67, 0.001F, 5,
	  { 7.0223262901, 5.4505771885, 3.9578599953, 2.7397205303, 2.0321761722 } },
};

static void train(const struct check *c, const struct backend *b, enum precision precision,
		  float lr, int steps, double losses[STEPS])
{
	const struct backend_conf conf = { .precision = precision };
	void *ctx = b->open(c->graph, &conf, c->n, NULL);
	float *x = vec_new(c->graph->dim), *g = vec_new(c->graph->dim);

	assert_non_null(ctx);
	vec_copy(c->graph->dim, c->x, x);
	for (int k = 0; k < steps; k++) {
		losses[k] = b->grad(ctx, x, c->n, c->images, c->labels, 1, NULL, g, NULL);
		vec_axpy(c->graph->dim, -lr, g, x);
	}
	b->close(ctx);
	free(x);
	free(g);
}

static void follow(const struct check *c, const struct stored *s, const struct backend *b,
		   enum precision precision)
{
	double losses[STEPS];

	train(c, b, precision, s->lr, s->steps, losses);
	for (int k = 0; k < s->steps; k++)
		if (!(fabs(losses[k] - s->losses[k]) <= allowed[precision] * s->losses[k]))
			fail_msg("%s on %s, %s, step %d: %.9f, PyTorch %.9f", s->net, b->name,
				 precision == PRECISION_BF16 ? "bf16" : "f32", k, losses[k],
				 s->losses[k]);
}

static void losses_follow(void **state)
{
	const struct stored *s = *state;
	struct check c = { .seed = 1 };

	assert_int_equal(check_open(&c, s->net, s->side, BATCH), 0);
	for (int b = 0; backend_table[b]; b++) {
		follow(&c, s, backend_table[b], PRECISION_F32);
		if (backend_table[b] != &backend_openblas)
			follow(&c, s, backend_table[b], PRECISION_BF16);
	}
	check_close(&c);
}

int main(void)
{
	struct CMUnitTest tests[sizeof(stored) / sizeof(stored[0])];

	for (size_t i = 0; i < sizeof(stored) / sizeof(stored[0]); i++)
		tests[i] = (struct CMUnitTest){ .name = stored[i].net, .test_func = losses_follow,
						.initial_state = (void *)(uintptr_t)&stored[i] };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
