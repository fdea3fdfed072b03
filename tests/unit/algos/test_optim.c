/* Optimisers against formulas in double; layers or none; zeros and NaN. */
#include "algos/algos.h"
#include "core/base/mem.h"
#include "core/problem.h"
#include "core/run.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIM = 5, STEPS = 3 };

static const struct blob layers[] = {
	{ .name = "weight", .offset = 0, .count = 3, .decay = true },
	{ .name = "bias", .offset = 3, .count = 2, .decay = false },
};
static const struct blob whole[] = { { .name = "x", .offset = 0, .count = DIM, .decay = true } };

static const float first[DIM] = { 0.5f, -1.25f, 2.0f, 0.75f, -0.25f };
static const float grads[STEPS][DIM] = {
	{ 0.125f, -0.5f, 1.0f, 2.0f, 0.25f },
	{ -1.0f, 0.75f, 0.5f, -0.125f, 1.5f },
	{ 0.25f, 0.25f, -2.0f, 1.0f, -1.0f },
};
static const float weights[STEPS] = { 1.0f, 0.5f, 0.25f };
static const float rates[STEPS] = { 0.5f, 0.25f, 0.75f };

struct rule {                   /* an optimiser and its state */
	struct choice choice;
	const struct optim *optim;
	float *state;
	size_t n;
};

static void rule_open(struct rule *r, const char *text, size_t n)
{
	*r = (struct rule){ .n = n };
	assert_int_equal(choice_parse(&r->choice, optim_table, "optimiser", text), 0);
	r->optim = (const struct optim *)r->choice.plugin;
	r->state = vec_new(optim_floats(r->optim, n));
}

static void rule_close(struct rule *r)
{
	free(r->state);
	choice_release(&r->choice);
}

/* x after STEPS steps; nblobs 0: x is one layer. */
static void run_rule(const char *text, size_t nblobs, float *x)
{
	struct rule r;

	rule_open(&r, text, DIM);
	memcpy(x, first, sizeof(first));
	for (int t = 0; t < STEPS; t++) {
		const struct stepping s = { .lr = rates[t], .w = weights[t], .step = t,
					    .workers = 1, .nblobs = nblobs, .blobs = layers };

		r.optim->step(r.choice.conf, &s, DIM, grads[t], x, r.state);
	}
	rule_close(&r);
}

static double norm(const struct blob *b, const double *x)
{
	double sum = 0.0;

	for (size_t i = b->offset; i < b->offset + b->count; i++)
		sum += x[i] * x[i];
	return sqrt(sum);
}

struct reference {              /* what the formulas say, written down once more */
	double x[DIM], v[DIM], m[DIM], u[DIM];
};

typedef void formula(struct reference *r, const struct blob *b, const double *g, double lr, int t);

static void check(const char *text, formula *f)
{
	for (size_t nblobs = 0; nblobs <= 2; nblobs += 2) {
		struct reference r = { .v = { 0 } };
		float x[DIM];

		for (int i = 0; i < DIM; i++)
			r.x[i] = (double)first[i];
		for (int t = 0; t < STEPS; t++) {
			double g[DIM];

			for (int i = 0; i < DIM; i++)
				g[i] = (double)weights[t] * (double)grads[t][i];
			for (size_t b = 0; b < (nblobs ? 2 : 1); b++)
				f(&r, nblobs ? &layers[b] : &whole[0], g, (double)rates[t], t + 1);
		}
		run_rule(text, nblobs, x);
		for (int i = 0; i < DIM; i++)
			assert_near((double)x[i], r.x[i], 2e-6);
	}
}

static void lars_layer(struct reference *r, const struct blob *b, const double *g, double lr,
		       bool scaled)
{
	const double w = norm(b, r->x), l = 0.25 * w / (norm(b, g) + 0.125 * w);

	for (size_t i = b->offset; i < b->offset + b->count; i++) {
		const double d = g[i] + (b->decay ? 0.125 * r->x[i] : 0.0);

		r->v[i] = 0.5 * r->v[i] + lr * (scaled ? l : 1.0) * d;
		r->x[i] -= r->v[i];
	}
}

static void lars(struct reference *r, const struct blob *b, const double *g, double lr, int t)
{
	(void)t;
	lars_layer(r, b, g, lr, b->decay);
}

static void lars_of_all(struct reference *r, const struct blob *b, const double *g, double lr,
			int t)
{
	(void)t;
	lars_layer(r, b, g, lr, true);
}

static void lars_by_formula(void **state)
{
	check("lars:exclude=true,trust=0.25,momentum=0.5,weight_decay=0.125", lars);
	check("lars:trust=0.25,momentum=0.5,weight_decay=0.125", lars_of_all);
}

/* One layer (3, 4), gradient (0, 2): ||w|| = 5, ||g|| = 2, wd = 0.1, eta = 0.5 -> l = 1. */
static void lars_by_hand(void **state)
{
	const float g[2] = { 0.0f, 2.0f };
	float x[2] = { 3.0f, 4.0f };
	struct rule r;

	rule_open(&r, "lars:exclude=true,trust=0.5,momentum=0.9,weight_decay=0.1", 2);
	r.optim->step(r.choice.conf, &(struct stepping){ .lr = 0.1f, .w = 1.0f }, 2, g, x, r.state);
	assert_near((double)x[0], 3.0 - 0.1 * 0.3, 1e-6);
	assert_near((double)x[1], 4.0 - 0.1 * 2.4, 1e-6);
	rule_close(&r);
	/* A gradient of 0 leaves l = 1: decay alone, of 0.1 times 0.25 x. */
	x[1] = 4.0f;
	rule_open(&r, "lars:trust=0.5,momentum=0,weight_decay=0.25", 2);
	r.optim->step(r.choice.conf, &(struct stepping){ .lr = 0.1f, .w = 1.0f }, 2,
		      (float[]){ 0.0f, 0.0f }, x, r.state);
	assert_near((double)x[1], 4.0 - 0.1 * 0.25 * 4.0, 1e-6);
	rule_close(&r);
}

static void adam_moments(struct reference *r, const double *g, size_t i, int t)
{
	r->m[i] = 0.5 * r->m[i] + 0.5 * g[i];
	r->v[i] = 0.75 * r->v[i] + 0.25 * g[i] * g[i];
	r->u[i] = r->m[i] / (1.0 - pow(0.5, t)) / (sqrt(r->v[i] / (1.0 - pow(0.75, t))) + 0.25);
}

static void adam(struct reference *r, const struct blob *b, const double *g, double lr, int t)
{
	for (size_t i = b->offset; i < b->offset + b->count; i++) {
		double d[DIM];

		d[i] = g[i] + (b->decay ? 0.125 * r->x[i] : 0.0);
		adam_moments(r, d, i, t);
		r->x[i] -= lr * r->u[i];
	}
}

static void adamw(struct reference *r, const struct blob *b, const double *g, double lr, int t)
{
	for (size_t i = b->offset; i < b->offset + b->count; i++) {
		adam_moments(r, g, i, t);
		r->x[i] -= lr * (r->u[i] + (b->decay ? 0.125 * r->x[i] : 0.0));
	}
}

static void adam_by_formula(void **state)
{
	check("adam:beta1=0.5,beta2=0.75,eps=0.25,weight_decay=0.125", adam);
	check("adam:beta1=0.5,beta2=0.75,eps=0.25,weight_decay=0.125,decoupled=true", adamw);
}

/* Decay of tensors of two dimensions alone, x[0..3]; then of all of it. */
static void adam_decays_matrices(void **state)
{
	const struct blob blobs[] = {
		{ .name = "w", .count = 4, .decay = true, .shape = { 2, 2 }, .rank = 2 },
		{ .name = "b", .offset = 4, .count = 2, .decay = true, .shape = { 2 }, .rank = 1 },
	};
	const float g[6] = { 0 };
	float x[6] = { 1, 1, 1, 1, 1, 1 };
	struct rule r;

	rule_open(&r, "adam:decoupled=true,weight_decay=0.5,decay=matrices", 6);
	r.optim->step(r.choice.conf, &(struct stepping){ .lr = 0.5f, .w = 1.0f, .nblobs = 2,
							 .blobs = blobs }, 6, g, x, r.state);
	for (int i = 0; i < 6; i++)
		assert_near((double)x[i], i < 4 ? 0.75 : 1.0, 1e-7);
	rule_close(&r);
}

/* m = (1 - beta1) w g: of norm 10, clipped to 2 by the weight's part too; of norm 1, not. */
static void adam_clips(void **state)
{
	const float large[2] = { 3.0f, -4.0f }, small[2] = { 0.3f, -0.4f };
	const double want[2] = { 2.0 * 0.6, 0.6 };
	const float *const g[2] = { large, small };

	for (int k = 0; k < 2; k++) {
		float x[2] = { 0 };
		struct rule r;

		rule_open(&r, "adam:clip=2,beta1=0.5", 2);
		r.optim->step(r.choice.conf, &(struct stepping){ .lr = 0.1f, .w = 2.0f }, 2, g[k],
			      x, r.state);
		assert_near((double)r.state[0], 0.5 * want[k], 1e-5);
		rule_close(&r);
	}
}

/* Whatever the gradient's size, the first step is lr: bias correction makes m / sqrt(v) 1. */
static void adams_first_step_is_lr(void **state)
{
	const float g[2] = { 1e-3f, -50.0f };
	float x[2] = { 0.0f, 0.0f };
	struct rule r;

	rule_open(&r, "adam", 2);
	r.optim->step(r.choice.conf, &(struct stepping){ .lr = 0.1f, .w = 1.0f }, 2, g, x, r.state);
	assert_near((double)x[0], -0.1, 1e-5);
	assert_near((double)x[1], 0.1, 1e-5);
	rule_close(&r);
}

static void lamb(struct reference *r, const struct blob *b, const double *g, double lr, int t)
{
	double ratio;

	for (size_t i = b->offset; i < b->offset + b->count; i++) {
		adam_moments(r, g, i, t);
		r->u[i] += b->decay ? 0.125 * r->x[i] : 0.0;
	}
	ratio = b->decay ? norm(b, r->x) / norm(b, r->u) : 1.0;
	for (size_t i = b->offset; i < b->offset + b->count; i++)
		r->x[i] -= lr * ratio * r->u[i];
}

static void lamb_by_formula(void **state)
{
	check("lamb:beta1=0.5,beta2=0.75,eps=0.25,weight_decay=0.125", lamb);
}

static const char *const all[] = { "sgd", "lars:exclude=true", "lars:exclude=false", "adam", "lamb",
				   "adam:decoupled=true,weight_decay=0.1", "closed-loop" };

static void step_once(const char *text, const float *g, float *x, int times)
{
	struct rule r;

	rule_open(&r, text, DIM);
	for (int t = 0; t < times; t++)
		r.optim->step(r.choice.conf,
			      &(struct stepping){ .lr = 0.1f, .w = 1.0f, .step = t, .nblobs = 2,
						  .blobs = layers }, DIM, g, x, r.state);
	rule_close(&r);
}

/* A norm of 0 divides nothing: all stay numbers, and from nothing comes nothing. */
static void zeros_do_no_harm(void **state)
{
	const float none[DIM] = { 0 };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		float x[DIM], o[DIM] = { 0 };

		memcpy(x, first, sizeof(x));
		step_once(all[i], none, x, 20);
		for (int k = 0; k < DIM; k++)
			assert_true(isfinite(x[k]));
		step_once(all[i], none, o, 20);
		assert_memory_equal(o, none, sizeof(o));
		step_once(all[i], grads[0], o, 2);
		for (int k = 0; k < DIM; k++)
			assert_true(isfinite(o[k]) && fabsf(o[k]) > 0.0f);
	}
}

static void nan_goes_through(void **state)
{
	const float g[DIM] = { NAN, 1, 1, 1, 1 };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		float x[DIM];

		memcpy(x, first, sizeof(x));
		step_once(all[i], g, x, 20);
		assert_true(isnan(x[0]));
		assert_true(isfinite(x[4]) || !strncmp(all[i], "lamb", 4));
	}
}

static double explicit_of(const char *text, int workers)
{
	struct rule r;
	double mu;

	rule_open(&r, text, 1);
	mu = r.optim->momentum(r.choice.conf, workers).mu;
	rule_close(&r);
	return mu;
}

static void asynchrony_is_taken_off(void **state)
{
	const float g = 2.0f;
	float x = 1.0f;
	struct rule r;

	assert_near(explicit_of("sgd:momentum=0.9", 16), 0.9, 1e-15);
	assert_near(explicit_of("sgd:momentum=0.9,asynchrony=1", 16), 0.9, 1e-15);
	assert_near(explicit_of("sgd:momentum=0.9,asynchrony=4", 16), 0.15, 1e-15);
	assert_near(explicit_of("sgd:momentum=0.9,asynchrony=-1", 4), 0.15, 1e-15);
	assert_near(explicit_of("sgd:momentum=0.5,asynchrony=-1", 8), -0.375, 1e-15);
	rule_open(&r, "sgd:momentum=0.5,asynchrony=-1,nesterov=false,weight_decay=0", 1);
	r.state[0] = 2.0f;
	r.optim->step(r.choice.conf, &(struct stepping){ .lr = 0.5f, .w = 1.0f, .workers = 4 }, 1,
		      &g, &x, r.state);
	assert_true(r.state[0] == 1.5f && x == 0.25f);          /* v = -0.25 * 2 + 2 */
	rule_close(&r);
}

static void what_cannot_be_taken_off_is_refused(void **state)
{
	struct rule r;

	rule_open(&r, "sgd:momentum=-0.5,asynchrony=-1", 1);
	assert_int_equal(r.optim->check(r.choice.conf, &(struct run){ .workers = 1 }), 0);
	capture_start();
	assert_int_equal(r.optim->check(r.choice.conf, &(struct run){ .workers = 4 }), -1);
	assert_said("-1.25");
	capture_stop();
	rule_close(&r);
}

/* A tensor that the net exempts moves as without decay, the others as with it. */
static void exempt_tensors_do_not_decay(void **state)
{
	static const char *const rules[][2] = {
		{ "sgd:momentum=0,weight_decay=0.1", "sgd:momentum=0,weight_decay=0" },
		{ "sgd:weight_decay=0.1", "sgd:weight_decay=0" },
		{ "sgd:nesterov=false,weight_decay=0.1", "sgd:nesterov=false,weight_decay=0" },
		{ "adam:weight_decay=0.1", "adam" },
		{ "adam:weight_decay=0.1,decoupled=true", "adam" },
		{ "closed-loop:weight_decay=0.1", "closed-loop:weight_decay=0" },
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		float x[DIM], plain[DIM], none[DIM];

		run_rule(rules[i][0], 2, x);
		run_rule(rules[i][0], 0, plain);
		run_rule(rules[i][1], 2, none);
		assert_memory_equal(x, plain, 3 * sizeof(float));
		assert_memory_equal(x + 3, none + 3, 2 * sizeof(float));
		assert_true(plain[3] != none[3] && plain[0] != none[0]);
	}
}

/* So does what the rule says of steps to come. */
static void exempt_tensors_do_not_decay_ahead(void **state)
{
	static const char *const rules[] = { "sgd:weight_decay=0.1", "adam:weight_decay=0.1" };

	for (size_t i = 0; i < 2; i++) {
		struct stepping s = { .lr = 0.5f, .nblobs = 2, .blobs = layers };
		float x[DIM], plain[DIM];
		struct rule r;

		rule_open(&r, rules[i], DIM);
		memcpy(x, first, sizeof(x));
		memcpy(plain, first, sizeof(plain));
		r.optim->ahead(r.choice.conf, &s, 3, DIM, r.state, x);
		s.nblobs = 0;
		r.optim->ahead(r.choice.conf, &s, 3, DIM, r.state, plain);
		assert_memory_equal(x, plain, 3 * sizeof(float));
		assert_memory_equal(x + 3, first + 3, 2 * sizeof(float));
		assert_true(plain[3] != first[3]);
		rule_close(&r);
	}
}

static void lars_needs_something_to_exclude(void **state)
{
	struct run run = { .workers = 1, .nlayers = 2, .layers = layers };
	struct rule r;

	rule_open(&r, "lars:exclude=true", DIM);
	assert_int_equal(r.optim->check(r.choice.conf, &run), 0);
	run.nlayers = 1;
	capture_start();
	assert_int_equal(r.optim->check(r.choice.conf, &run), -1);
	assert_said("exempts no tensor");
	capture_stop();
	rule_close(&r);
}

static void batches_scale_learning_rates(void **state)
{
	assert_near(lr_factor(LR_AS_IT_IS, 8192, 256), 1.0, 0);
	assert_near(lr_factor(LR_LINEAR, 8192, 256), 32.0, 0);
	assert_near(lr_factor(LR_LINEAR, 64, 256), 0.25, 0);
	assert_near(lr_factor(LR_SQRT, 4096, 256), 4.0, 1e-15);
}

RUN_ALL(lars_by_formula, lars_by_hand, adam_by_formula, adams_first_step_is_lr,
	adam_decays_matrices, adam_clips, lamb_by_formula, zeros_do_no_harm, nan_goes_through,
	asynchrony_is_taken_off, what_cannot_be_taken_off_is_refused,
	exempt_tensors_do_not_decay, exempt_tensors_do_not_decay_ahead,
	lars_needs_something_to_exclude, batches_scale_learning_rates)
