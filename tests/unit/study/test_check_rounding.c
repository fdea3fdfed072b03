/* A backend that differs from the reference by rounding holds; one with a wrong gradient fails. */
#include "study/check/check.h"

#include "core/base/mem.h"
#include "tests/support/check.h"
#include "tests/support/files.h"

#include <math.h>
#include <stdlib.h>

enum { INPUTS = 12 * 12 * 3, UNITS = 64, BATCH = 2 };

static const char net[] = "{ \"input\": [12, 12, 3], \"classes\": 5, \"layers\": ["
			  "{ \"layer\": \"dense\", \"out\": 64 }, \"relu\","
			  "{ \"layer\": \"dense\", \"out\": \"$classes\" } ] }";

static double wrong_factor;             /* of the first blob's gradient */
static size_t wrong_pixel;
static float wrong_by;                  /* added to it, as other rounding would */

/* The gradient of openblas, at an image with that pixel, with that mistake. */
static double grad(void *ctx, const float *x, size_t n, const float *images, const int32_t *labels,
		   uint64_t seed, const uint64_t *use, float *g, struct grad_hook *hook)
{
	float *moved = vec_new(n * INPUTS);
	double loss;

	for (size_t i = 0; i < n * INPUTS; i++)
		moved[i] = images[i] + (i == wrong_pixel ? wrong_by : 0.0f);
	loss = backend_openblas.grad(ctx, x, n, moved, labels, seed, use, g, hook);
	for (size_t i = 0; i < INPUTS * UNITS; i++)
		g[i] *= (float)wrong_factor;
	free(moved);
	return loss;
}

/* What goes into the first unit for the first image. */
static double first_input(const struct check *c)
{
	double z = c->xd[(size_t)INPUTS * UNITS];       /* its bias */

	for (size_t i = 0; i < INPUTS; i++)
		z += c->xd[i] * c->imagesd[i];
	return z;
}

static void set_pixel(struct check *c, size_t i, double value)
{
	c->images[i] = (float)value;
	c->imagesd[i] = (double)c->images[i];
}

/*
 * Makes the first image's input of the first unit 0 but for the rounding of one pixel, and the
 * backend's be 0 on the other side.
 */
static void balance(struct check *c)
{
	double z;

	wrong_pixel = 0;
	for (size_t i = 1; i < INPUTS; i++)
		if (fabs(c->xd[i]) > fabs(c->xd[wrong_pixel]))
			wrong_pixel = i;
	for (int k = 0; k < 3; k++)
		set_pixel(c, wrong_pixel, c->imagesd[wrong_pixel] -
			  first_input(c) / c->xd[wrong_pixel]);
	z = first_input(c);
	wrong_by = (float)((z > 0 ? -1e-6 : 1e-6) / c->xd[wrong_pixel]);
}

/* Whether that backend holds against the reference; the rounding that was measured. */
static bool holds(bool balanced, double factor, double *rounding)
{
	char *folder = folder_new(), *path = xasprintf("%s/net.json", folder);
	struct backend backend = backend_openblas;
	struct check c = { .seed = 1, .threads = 1, .progress = { .quiet = true } };
	struct net_answer a;
	bool ok;

	folder_write(folder, "net.json", PACK_PLAIN, net, sizeof(net) - 1);
	backend.grad = grad;
	wrong_factor = factor;
	wrong_by = 0.0f;
	assert_int_equal(check_open(&c, path, 0, BATCH), 0);
	assert_int_equal(c.graph->blobs[0].count, INPUTS * UNITS);
	if (balanced)
		balance(&c);
	check_reference(&c);
	assert_int_equal(check_backend(&c, &backend, NULL, &a), 0);
	ok = check_holds(&c);
	*rounding = c.comparisons[0].rounding_whole;
	net_answer_release(&a);
	check_close(&c);
	free(path);
	folder_remove(folder);
	return ok;
}

static void rounding_is_no_mistake(void **state)
{
	double rounding;

	assert_true(holds(false, 1.0, &rounding));
	assert_near(rounding, 0.0, 0);
	assert_true(holds(true, 1.0, &rounding));
	assert_true(rounding > 0.01);
}

static void a_mistake_is_not_rounding(void **state)
{
	double rounding;

	assert_false(holds(false, 1.02, &rounding));
	assert_true(rounding > 0.0 && rounding < 1e-3);
	assert_false(holds(true, -1.0, &rounding));
	assert_false(holds(true, 0.0, &rounding));
	assert_false(holds(true, 2.0, &rounding));
}

RUN_ALL(rounding_is_no_mistake, a_mistake_is_not_rounding)
