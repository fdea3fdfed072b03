/* The double-precision reference against finite differences of its own loss. */
#include "core/mem.h"
#include "core/rng.h"
#include "tests/support/check.h"
#include "tests/support/netcase.h"
#include "nets/reference.h"

#include <math.h>
#include <stdlib.h>

static double loss_at(const struct trial *t, const double *x, double *scratch)
{
	return reference_grad(t->g, x, t->n, t->imagesd, t->labels, 3, t->use, scratch);
}

/* (f(x + h d) - f(x - h d)) / 2h along a random direction d of some elements, against <g, d>. */
static void check_slope(const struct trial *t, const double *g, const char *what, size_t first,
			size_t count, uint64_t draw)
{
	const double h = 1e-6;
	double *x = xcalloc(t->g->dim, sizeof(*x)), *scratch = xcalloc(t->g->dim, sizeof(*x));
	double *d = xcalloc(t->g->dim, sizeof(*d)), slope = 0, up, down;
	struct rng r;

	rng_at(&r, 4, RNG_NOISE, 0, draw);
	for (size_t k = first; k < first + count; k++) {
		d[k] = rng_normal(&r) / sqrt((double)count);
		slope += g[k] * d[k];
	}
	for (size_t k = 0; k < t->g->dim; k++)
		x[k] = t->xd[k] + h * d[k];
	up = loss_at(t, x, scratch);
	for (size_t k = 0; k < t->g->dim; k++)
		x[k] = t->xd[k] - h * d[k];
	down = loss_at(t, x, scratch);
	if (fabs((up - down) / (2 * h) - slope) > 1e-7 + 1e-5 * fabs(slope))
		fail_msg("%s, %s: slope %.9g, difference %.9g", t->g->name, what, slope,
			 (up - down) / (2 * h));
	free(x);
	free(scratch);
	free(d);
}

static void check_case(void **state)
{
	const struct netcase *c = *state;
	struct trial t;
	double *g;

	trial_open(&t, c);
	g = xcalloc(t.g->dim, sizeof(*g));
	loss_at(&t, t.xd, g);
	for (size_t b = 0; c->json && b < t.g->nblobs; b++)
		check_slope(&t, g, t.g->blobs[b].name, t.g->blobs[b].offset,
			    t.g->blobs[b].count, b);
	check_slope(&t, g, "all", 0, t.g->dim, 1000);
	free(g);
	trial_close(&t);
}

int main(void)
{
	struct CMUnitTest tests[64];
	size_t n = 0;

	for (const struct netcase *c = netcases; c->name && n < 64; c++)
		tests[n++] = (struct CMUnitTest){ c->name, check_case, NULL, NULL,
						  (void *)(uintptr_t)c };
	return _cmocka_run_group_tests("reference", tests, n, NULL, NULL);
}
