/*
 * Ten steps of SGD on a small residual net, against losses stored from the
 * double-precision reference. The reference must repeat them to 1e-9; float
 * backends may drift: 1e-4 over ten steps.
 */
#include "core/base/mem.h"
#include "nets/reference/reference.h"
#include "tests/support/check.h"
#include "tests/support/netcase.h"

#include <math.h>
#include <stdlib.h>

enum { STEPS = 10 };
#define LR 0.1
#define DRIFT 1e-4

static const struct netcase net = {
	"ten-steps", { 8, 8, 3 }, 5, 10,
	"{\"layers\": [{\"layer\": \"conv\", \"out\": 6, \"kernel\": 3, \"pad\": 1}, \"bn\","
	"\"relu\","
	"{\"layer\": \"maxpool\", \"kernel\": 3, \"stride\": 2, \"pad\": 1},"
	"{\"layer\": \"conv\", \"out\": 8, \"kernel\": 3, \"stride\": 2, \"pad\": 1,"
	"\"bias\": false}, \"bn\","
	"{\"layer\": \"shortcut\", \"in\": \"maxpool1\", \"out\": 8, \"stride\": 2},"
	"{\"layer\": \"add\", \"in\": [\"bn2\", \"shortcut1\"]}, \"relu\","
	"{\"layer\": \"dropout\", \"rate\": 0.25}, {\"layer\": \"dense\", \"out\": \"$classes\"}]}"
};

static const double stored[STEPS] = {
	2.558440344584, 2.083306687878, 1.332319799979, 1.189620084831, 0.998102056649,
	0.710295706119, 0.666973934209, 0.692791519654, 0.464077895156, 0.497882625425,
};

/* Losses of ten steps: in double by the reference (b NULL), or by a backend. */
static void train(const struct backend *b, double *loss)
{
	struct trial t;
	float *g;
	double *gd;
	void *ctx;

	trial_open(&t, &net);
	g = vec_new(t.g->dim);
	gd = xcalloc(t.g->dim, sizeof(*gd));
	ctx = b ? b->open(t.g, NULL, t.n, NULL) : NULL;
	for (int k = 0; k < STEPS; k++) {
		for (size_t i = 0; i < t.n; i++)
			t.use[i] = (size_t)k * t.n + i;
		loss[k] = b ? b->grad(ctx, t.x, t.n, t.images, t.labels, 6, t.use, g, NULL)
			    : reference_grad(t.g, t.xd, t.n, t.imagesd, t.labels, 6, t.use, NULL,
					     gd);
		trial_step(&t, LR, g, gd);
	}
	if (b)
		b->close(ctx);
	free(g);
	free(gd);
	trial_close(&t);
}

static void reference_repeats(void **state)
{
	double loss[STEPS];

	train(NULL, loss);
	for (int k = 0; k < STEPS; k++)
		if (!(fabs(loss[k] - stored[k]) <= 1e-9))
			fail_msg("step %d: %.12f, stored %.12f", k, loss[k], stored[k]);
}

static void backends_follow(void **state)
{
	double loss[STEPS];

	for (int b = 0; backend_table[b]; b++) {
		train(backend_table[b], loss);
		for (int k = 0; k < STEPS; k++)
			if (!(fabs(loss[k] - stored[k]) <= DRIFT))
				fail_msg("%s, step %d: %.9f, stored %.9f", backend_table[b]->name,
					 k, loss[k], stored[k]);
	}
}

RUN_ALL(reference_repeats, backends_follow)
