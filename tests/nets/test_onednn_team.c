/*
 * The onednn backend in bf16, and with helping threads.
 *
 * Whichever thread computes, into whatever memory: bit-identical. How far bf16 may be off is
 * the net's matter: a deep net with few samples to normalise over turns small changes into
 * large ones. So the reference says it, in double: its gradient where just the parameters
 * and the images are rounded to bf16 is off by some part of the norm, and that of the
 * backend, which rounds what lies between as well, by at most FACTOR times that and LEAST
 * (one ReLU in some hundred that sees its input on the other side of 0 is a tenth),
 * nor ever by more than MOST, which still is much the same direction.
 */
#include "core/math/rng.h"
#include "nets/onednn/onednn.h"
#include "nets/reference/reference.h"
#include "tests/support/check.h"
#include "tests/support/gradient_check.h"
#include "tests/support/helpers.h"

#include <math.h>

#define FACTOR 4.0
#define LEAST 0.05
#define ZOO_LEAST 0.1
#define MOST 0.7

static const struct backend_conf half = { .precision = PRECISION_BF16 };

/* ---- bit-identical results ---- */

static void spoil(char *p, size_t bytes)
{
	if (p)
		memset(p, 0xff, bytes);
}

/* Every byte that a context may keep becomes part of a NaN. */
static void poison(struct onednn *c)
{
	spoil(c->block, c->block_capacity);
	for (int i = 0; i < team_lanes(c->team); i++)
		if (c->lanes[i]) {
			spoil(c->lanes[i]->block, c->lanes[i]->block_capacity);
			spoil(c->lanes[i]->temp, c->lanes[i]->temp_capacity);
		}
}

struct outcome {
	float *g, *stats, *logits;
	double loss;
};

static void outcome_init(struct outcome *o, const struct trial *t)
{
	*o = (struct outcome){ vec_new(t->g->dim), vec_new(t->g->stats_dim + 1),
			       vec_new(t->n * (size_t)t->g->classes), 0 };
}

static void outcome_release(struct outcome *o)
{
	free(o->g);
	free(o->stats);
	free(o->logits);
}

/* All calls of a context, the gradient twice: the second time in memory full of NaN. */
static void run(struct trial *t, const struct backend_conf *conf, size_t max, struct team *team,
		struct outcome *o)
{
	const struct backend *b = &backend_onednn;
	void *ctx = onednn_open_chunked(t->g, conf, max, team, 1 << 10);

	assert_non_null(ctx);
	b->grad(ctx, t->x, t->n, t->images, t->labels, 3, t->use, o->g, NULL);
	b->stats(ctx, t->x, t->n, t->images, o->stats);
	b->logits(ctx, t->x, o->stats, t->n, t->images, o->logits);
	poison(ctx);
	o->loss = b->grad(ctx, t->x, t->n, t->images, t->labels, 3, t->use, o->g, NULL);
	b->close(ctx);
}

static void compare(const struct trial *t, const struct outcome *a, const struct outcome *b)
{
	assert_true(a->loss == b->loss);
	assert_memory_equal(a->g, b->g, t->g->dim * sizeof(float));
	assert_memory_equal(a->stats, b->stats, t->g->stats_dim * sizeof(float));
	assert_memory_equal(a->logits, b->logits, t->n * (size_t)t->g->classes * sizeof(float));
}

static void check_threads(const struct netcase *nc, const struct backend_conf *conf)
{
	struct outcome alone, other;
	struct trial t;

	trial_open(&t, nc);
	outcome_init(&alone, &t);
	outcome_init(&other, &t);
	run(&t, conf, t.n, NULL, &alone);
	assert_true(isfinite(alone.loss));
	for (int helping = 0; helping < 3; helping++) {
		struct helpers h;

		helpers_start(&h, helping);
		run(&t, conf, t.n + (size_t)helping, &h.team, &other);
		helpers_stop(&h);
		compare(&t, &alone, &other);
	}
	outcome_release(&alone);
	outcome_release(&other);
	trial_close(&t);
}

static void threads_f32(void **state)
{
	for (const struct netcase *c = netcases; c->name; c++)
		check_threads(c, NULL);
}

static void threads_bf16(void **state)
{
	for (const struct netcase *c = netcases; c->name; c++)
		check_threads(c, &half);
}

/* ---- bf16 against the reference ---- */

static void round_all(size_t n, const float *from, double *to)
{
	const struct simd *s = simd_all_bf16()[0];

	for (size_t i = 0; i < n; i++) {
		uint16_t half_i;
		float f;

		s->narrow(1, &from[i], &half_i);
		s->widen(1, &half_i, &f);
		to[i] = (double)f;
	}
}

/* How far the reference's gradient moves, of its norm, when its inputs are rounded. */
static double sensitivity(struct trial *t, const double *want)
{
	const size_t pixels = (size_t)(t->g->input.h * t->g->input.w * t->g->input.c);
	double *x = xcalloc(t->g->dim, sizeof(*x)), *moved = xcalloc(t->g->dim, sizeof(*moved));
	double *images = xcalloc(t->n * pixels, sizeof(*images)), off;
	float *back = vec_new(t->g->dim);

	round_all(t->g->dim, t->x, x);
	round_all(t->n * pixels, t->images, images);
	reference_grad(t->g, x, t->n, images, t->labels, 3, t->use, NULL, moved);
	for (size_t i = 0; i < t->g->dim; i++)
		back[i] = (float)moved[i];
	off = distance(t->g->dim, back, want) / distance(t->g->dim, NULL, want);
	free(x);
	free(moved);
	free(images);
	free(back);
	return off;
}

static void check_bf16(const struct netcase *nc)
{
	double *want, off, loss, allowed;
	struct outcome o;
	struct trial t;

	trial_open(&t, nc);
	outcome_init(&o, &t);
	want = xcalloc(t.g->dim, sizeof(*want));
	run(&t, &half, t.n, NULL, &o);
	loss = reference_grad(t.g, t.xd, t.n, t.imagesd, t.labels, 3, t.use, NULL, want);
	off = distance(t.g->dim, o.g, want) / distance(t.g->dim, NULL, want);
	allowed = (nc->json ? LEAST : ZOO_LEAST) + FACTOR * sensitivity(&t, want);
	allowed = allowed < MOST ? allowed : MOST;
	if (!(off <= allowed) || !(fabs(o.loss - loss) <= allowed * loss))
		fail_msg("%s: loss off by %.3g of %.3g, gradient by %.3g of its norm, not %.3g",
			 nc->name, o.loss - loss, loss, off, allowed);
	free(want);
	outcome_release(&o);
	trial_close(&t);
}

static void against_reference(void **state)
{
	for (const struct netcase *c = netcases; c->name; c++)
		check_bf16(c);
}

/* ---- the parts of it ---- */

/* Pieces needed at once do not overlap, and the arena is no larger than their sum. */
static void arrangement(void **state)
{
	enum { N = 60 };
	struct piece p[N];
	struct rng r;

	for (uint64_t trial = 0; trial < 50; trial++) {
		size_t sum = 0, end;

		rng_at(&r, 3, RNG_DATA, 0, trial);
		for (int i = 0; i < N; i++) {
			int from = (int)rng_below(&r, 30);

			p[i] = (struct piece){ 64 * rng_below(&r, 20), 0, from,
					       from + (int)rng_below(&r, 10) };
			sum += p[i].bytes;
		}
		end = onednn_arrange(p, N);
		assert_true(end <= sum);
		for (int i = 0; i < N; i++) {
			assert_true(p[i].at + p[i].bytes <= end);
			for (int j = 0; j < i; j++)
				assert_true(p[i].to < p[j].from || p[j].to < p[i].from
					    || p[i].at + p[i].bytes <= p[j].at
					    || p[j].at + p[j].bytes <= p[i].at);
		}
	}
}

/* One after the other they need the memory of the largest. */
static void reuse(void **state)
{
	struct piece p[] = { { 640, 0, 0, 0 }, { 1280, 0, 1, 1 }, { 64, 0, 2, 5 },
			     { 1280, 0, 6, 6 } };

	assert_int_equal(onednn_arrange(p, 4), 1280);
}

/* Evaluation keeps no activation for a backward pass. */
static void evaluation_is_small(void **state)
{
	const struct netcase *nc = netcases;
	struct onednn *c;
	struct trial t;
	float *stats;
	size_t forward;

	while (nc->name && strcmp(nc->name, "wrn-16-4"))
		nc++;
	trial_open(&t, nc);
	stats = vec_new(t.g->stats_dim);
	c = onednn_open_chunked(t.g, NULL, t.n, NULL, 1 << 10);
	backend_onednn.stats(c, t.x, t.n, t.images, stats);
	assert_false(c->arranged_back);
	forward = c->block_capacity;
	onednn_placement(c, t.n, true);
	assert_true(c->arranged_back && c->block_capacity >= forward);
	backend_onednn.close(c);
	free(stats);
	trial_close(&t);
}

/* Every layer with products gets time in both directions; none gets less than none. */
static void times(void **state)
{
	struct backend_conf conf = { .precision = PRECISION_F32 };
	struct outcome o;
	struct trial t;

	for (const struct netcase *nc = netcases; nc->name; nc++) {
		trial_open(&t, nc);
		outcome_init(&o, &t);
		conf.times = xcalloc((size_t)t.g->n, sizeof(*conf.times));
		run(&t, &conf, t.n, NULL, &o);
		for (int i = 0; i < t.g->n; i++) {
			assert_true(conf.times[i].forward >= 0 && conf.times[i].backward >= 0);
			if (t.g->layers[i].macs > 0)
				assert_true(conf.times[i].forward > 0
					    && conf.times[i].backward > 0);
		}
		free(conf.times);
		outcome_release(&o);
		trial_close(&t);
	}
}

RUN_ALL(threads_f32, threads_bf16, against_reference, arrangement, reuse, evaluation_is_small,
	times)
