/* Parts of a gradient that a backend calls final: each float once, and it changes no more. */
#include "core/base/mem.h"
#include "tests/support/check.h"
#include "tests/support/helpers.h"
#include "tests/support/netcase.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct seen {
	struct grad_hook hook;          /* first */
	const struct trial *t;
	const float *g;                 /* [dim] under way */
	float *then;                    /* [dim] what it was when it was called final */
	int *times;                     /* [dim] that it was called so */
	int parts, early;               /* early: parts before the first layer was written */
};

static void see(struct grad_hook *h, size_t from, size_t to)
{
	struct seen *s = (struct seen *)h;

	assert_true(from < to && to <= s->t->g->dim);
	memcpy(s->then + from, s->g + from, (to - from) * sizeof(*s->g));
	for (size_t i = from; i < to; i++)
		s->times[i]++;
	s->parts++;
	s->early += isnan(s->g[0]);
}

static void check(const struct backend *b, struct trial *t, struct team *team, struct seen *s)
{
	float *g = vec_new(t->g->dim);
	void *ctx = b->open(t->g, NULL, t->n, team);

	assert_non_null(ctx);
	for (size_t i = 0; i < t->g->dim; i++)
		g[i] = NAN;
	*s = (struct seen){ .hook = { see }, .t = t, .g = g, .then = vec_new(t->g->dim),
			    .times = xcalloc(t->g->dim, sizeof(int)) };
	b->grad(ctx, t->x, t->n, t->images, t->labels, 3, t->use, g, &s->hook);
	for (size_t i = 0; i < t->g->dim; i++)
		if (s->times[i] != 1)
			fail_msg("%s, %s: float %zu of %zu was final %d times", b->name,
				 t->g->name, i, t->g->dim, s->times[i]);
	assert_memory_equal(s->then, g, t->g->dim * sizeof(*g));
	b->close(ctx);
	free(s->then);
	free(s->times);
	free(g);
}

static void final_once(void **state)
{
	const struct backend *b = *state;

	for (const struct netcase *c = netcases; c->name; c++)
		for (int helping = 0; helping < 2; helping++) {
			struct helpers h;
			struct seen s;
			struct trial t;

			trial_open(&t, c);
			helpers_start(&h, helping);
			check(b, &t, &h.team, &s);
			helpers_stop(&h);
			trial_close(&t);
		}
}

/* The last layers of a deep net are final long before the first. */
static void comes_early(void **state)
{
	const struct netcase *c = netcases;
	struct trial t;
	struct seen s;

	while (strcmp(c->name, "wrn-16-4"))
		c++;
	trial_open(&t, c);
	check(*state, &t, NULL, &s);
	assert_true(s.early > 20 && s.early < s.parts);
	trial_close(&t);
}

int main(void)
{
	int failed = 0;

	for (const struct backend *const *b = backend_table; *b; b++) {
		void *with = (void *)(uintptr_t)*b;
		const struct CMUnitTest tests[] = {
			cmocka_unit_test_prestate(final_once, with),
			cmocka_unit_test_prestate(comes_early, with),
		};

		failed += cmocka_run_group_tests_name((*b)->name, tests, NULL, NULL);
	}
	return failed;
}
