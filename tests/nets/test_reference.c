/* The double-precision reference against finite differences of its own loss. */
#include "core/base/mem.h"
#include "nets/reference/reference.h"
#include "tests/support/check.h"
#include "tests/support/gradient_check.h"

#include <stdlib.h>

static void check_case(void **state)
{
	const struct netcase *c = *state;
	struct trial t;
	const struct grad_check on = { &t, NULL, "reference", NULL };

	trial_open(&t, c);
	if (c->json)
		grad_check_slopes(&on, t.g->blobs, t.g->nblobs);
	grad_check_slopes(&on, &(struct blob){ .name = "all", .count = t.g->dim }, 1);
	trial_close(&t);
}

/* The logits of a net without parameters before its last layer, whose weights pick channels. */
static void check_logits(const char *layers, size_t channels, const double *image,
			 const double *want)
{
	char text[512];
	struct graph *g;
	double *x, got[8];

	snprintf(text, sizeof(text), "{\"input\": [1, 1, 3], \"classes\": %zu, \"layers\": [%s,"
		 "{\"layer\": \"dense\", \"out\": \"$classes\", \"bias\": false}]}", channels,
		 layers);
	g = graph_parse(text, "by-hand", (struct shape){ 0 }, 0);
	assert_non_null(g);
	x = xcalloc(g->dim, sizeof(*x));
	for (size_t c = 0; c < channels; c++)
		x[c * channels + c] = 1;
	reference_logits(g, x, NULL, 1, image, NULL, got);
	for (size_t c = 0; c < channels; c++)
		assert_near(got[c], want[c], 1e-12);
	free(x);
	graph_free(g);
}

/*
 * Windows of 3 around channels of 1, 2, 4, cut off at the edges: sums of squares
 * 5, 21, 20; alpha / size = 0.5.
 */
static void lrn_by_hand(void **state)
{
	const double image[] = { 1, 2, 4 };

	check_logits("{\"layer\": \"lrn\", \"size\": 3, \"alpha\": 1.5, \"beta\": 1, \"k\": 2}", 3,
		     image, (double[]){ 1 / 4.5, 2 / 12.5, 4 / 12.0 });
	/* A window wider than there are channels: 21 everywhere, and still divided by its size. */
	check_logits("{\"layer\": \"lrn\", \"size\": 5, \"alpha\": 5, \"beta\": 0.5, \"k\": 4}", 3,
		     image, (double[]){ 0.2, 0.4, 0.8 });
}

static void concat_by_hand(void **state)
{
	const double image[] = { 1, -2, 4 };

	check_logits("\"relu\", {\"layer\": \"concat\", \"in\": [\"relu1\", \"input\"]}", 6, image,
		     (double[]){ 1, 0, 4, 1, -2, 4 });
}

int main(void)
{
	struct CMUnitTest tests[64] = {
		cmocka_unit_test(lrn_by_hand), cmocka_unit_test(concat_by_hand),
	};
	size_t n = 2;

	for (const struct netcase *c = netcases; c->name && n < 64; c++)
		tests[n++] = (struct CMUnitTest){ c->name, check_case, NULL, NULL,
						  (void *)(uintptr_t)c };
	return _cmocka_run_group_tests("reference", tests, n, NULL, NULL);
}
