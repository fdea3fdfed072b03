/* A gradient in stages, cut before the fully connected layers: the bits of the whole one. */
#include "core/base/mem.h"
#include "tests/support/check.h"
#include "tests/support/helpers.h"
#include "tests/support/netcase.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Each stage on a context of its own, which another gradient has just used. */
static void run_stage(const struct backend *b, const struct backend_conf *conf, struct trial *t,
		      struct team *team, const struct stage_data *s, double *loss, float *g)
{
	void *ctx = b->open(t->g, conf, t->n, team);
	float *other = vec_new(t->g->dim);
	double head;

	assert_non_null(ctx);
	b->grad(ctx, t->x, 1, t->images, t->labels, 7, NULL, other, NULL);
	head = b->stage(ctx, s, t->x, t->n, s->stage == STAGE_HEAD ? NULL : t->images,
			s->stage == STAGE_HEAD ? t->labels : NULL, 3, t->use, g);
	if (s->stage == STAGE_HEAD)
		*loss = head;
	b->close(ctx);
	free(other);
}

static void check_stages(const struct backend *b, const struct backend_conf *conf,
			 struct trial *t, struct team *team, const struct cut *cut)
{
	float *whole = vec_new(t->g->dim), *g = vec_new(t->g->dim);
	float *a = vec_new(t->n * cut->width), *da = vec_new(t->n * cut->width);
	void *ctx = b->open(t->g, conf, t->n, team);
	double loss = (double)NAN, want;

	assert_non_null(ctx);
	for (size_t i = 0; i < t->g->dim; i++)
		g[i] = NAN;
	want = b->grad(ctx, t->x, t->n, t->images, t->labels, 3, t->use, whole, NULL);
	run_stage(b, conf, t, team, &(struct stage_data){ STAGE_FORWARD, NULL, a }, &loss, g);
	for (size_t i = 0; i < t->g->dim; i++)
		assert_true(isnan(g[i]));
	run_stage(b, conf, t, team, &(struct stage_data){ STAGE_HEAD, a, da }, &loss, g);
	assert_true(isnan(g[0]) && isnan(g[cut->at - 1]) && !isnan(g[cut->at]));
	run_stage(b, conf, t, team, &(struct stage_data){ STAGE_BACKWARD, da, NULL }, &loss, g);
	assert_true(memcmp(&loss, &want, sizeof(loss)) == 0);
	if (memcmp(g, whole, t->g->dim * sizeof(*g)))
		fail_msg("%s, %s: the stages' gradient is not the whole one", b->name, t->g->name);
	b->close(ctx);
	free(whole);
	free(g);
	free(a);
	free(da);
}

static void stages_are_the_whole(void **state)
{
	const struct backend *b = *state;
	int cuts = 0;

	for (const struct netcase *c = netcases; c->name; c++) {
		struct backend_conf conf = { 0 };
		struct helpers h;
		struct trial t;
		struct cut cut;

		trial_open(&t, c);
		for (int k = 0; graph_cut(t.g, &cut) && k < 2; k++) {
			helpers_start(&h, k);
			conf.precision = k ? PRECISION_BF16 : PRECISION_F32;
			check_stages(b, &conf, &t, &h.team, &cut);
			helpers_stop(&h);
			cuts++;
		}
		trial_close(&t);
	}
	assert_true(cuts > 4);
}

static void cut_of(const char *name, size_t at, size_t width, double share)
{
	struct graph *g = graph_load(name, (struct shape){ 0 }, 0);
	struct cut cut;

	assert_non_null(g);
	assert_int_equal(graph_cut(g, &cut) > 0, at > 0);
	assert_int_equal(cut.at, at);
	assert_int_equal(cut.width, width);
	assert_true(fabs(cut.share - share) < 5e-5);
	graph_free(g);
}

/* LeNet's figures by hand; the others' parameters as the papers' tables have them. */
static void the_cut_is_before_the_first_dense_layer(void **state)
{
	cut_of("lenet", 20 * 25 + 20 + 50 * 20 * 25 + 50, 4 * 4 * 50,
	       405000.0 / (20 * 25 * 576 + 50 * 500 * 64 + 405000));
	cut_of("caffenet-ungrouped", 3747200, 9216, 58621952.0 / 1135256096.0);
	cut_of("mlp", 0, 0, 0.0);
}

int main(void)
{
	const struct CMUnitTest cuts[] = {
		cmocka_unit_test(the_cut_is_before_the_first_dense_layer),
	};
	int failed = cmocka_run_group_tests_name("cuts", cuts, NULL, NULL);

	for (const struct backend *const *b = backend_table; *b; b++) {
		void *with = (void *)(uintptr_t)*b;
		const struct CMUnitTest tests[] = {
			cmocka_unit_test_prestate(stages_are_the_whole, with),
		};

		failed += cmocka_run_group_tests_name((*b)->name, tests, NULL, NULL);
	}
	return failed;
}
