/* PowerSGD's all-reduces of factors, stage by stage, of two workers and of one. */
#include "algos/algos.h"
#include "core/math/rng.h"
#include "tests/support/check.h"

#include <math.h>
#include <string.h>

enum { ROWS = 3, COLUMNS = 4, MATRIX = ROWS * COLUMNS, DIM = MATRIX + 2, MEMORY = 64, MOST = 2 };

/* A matrix and a vector. */
static const struct blob layers[2] = {
	{ .offset = 0, .count = MATRIX, .shape = { ROWS, COLUMNS }, .rank = 2 },
	{ .offset = MATRIX, .count = 2, .shape = { 2 }, .rank = 1 },
};

struct workers {
	struct choice choice;
	const struct codec *codec;
	struct codec_input p;
	struct codec_allreduce s[MOST];
	float v[MOST][DIM], memory[MOST][MEMORY];
	size_t sent[4];         /* floats of each stage of the last all-reduce */
	int n;
};

static void open_workers(struct workers *w, const char *text, int n)
{
	*w = (struct workers){ .n = n, .p = { .n = DIM, .nlayers = 2, .layers = layers,
					      .seed = 5 } };
	assert_int_equal(choice_parse(&w->choice, codec_table, "codec", text), 0);
	w->codec = (const struct codec *)w->choice.plugin;
	assert_true(w->codec->stage_memory(w->choice.conf, &w->p) <= MEMORY);
	for (int i = 0; i < n; i++)
		w->s[i] = (struct codec_allreduce){ .members = n, .memory = w->memory[i],
					      .v = w->v[i] };
}

static size_t next_stage(struct workers *w)
{
	size_t n = 0;

	for (int i = 0; i < w->n; i++) {
		n = w->codec->stage(w->choice.conf, &w->p, &w->s[i]);
		w->s[i].stage++;
	}
	return n;
}

/* All v become their sum. */
static void add_all(struct workers *w)
{
	int k = 0;

	for (size_t n; (n = next_stage(w)); k++) {
		w->sent[k] = n;
		for (size_t j = 0; j < n; j++)
			for (int i = 1; i < w->n; i++)
				w->s[0].sent[j] += w->s[i].sent[j];
		for (int i = 1; i < w->n; i++)
			memcpy(w->s[i].sent, w->s[0].sent, n * sizeof(float));
	}
	w->sent[k] = 0;
	for (int i = 0; i < w->n; i++) {
		w->s[i].stage = 0;
		w->s[i].count++;
		assert_memory_equal(w->v[i], w->v[0], sizeof(w->v[0]));
	}
}

static void draw(float *v, struct rng *r)
{
	for (int i = 0; i < DIM; i++)
		v[i] = (float)rng_normal(r);
}

static void full_rank_is_no_compression(void **state)
{
	struct workers w;
	struct rng r;

	rng_at(&r, 1, RNG_DATA, 0, 0);
	open_workers(&w, "powersgd:rank=9,min_rate=0", 2);
	for (int round = 0; round < 5; round++) {
		double want[DIM];

		draw(w.v[0], &r);
		draw(w.v[1], &r);
		for (int i = 0; i < DIM; i++)
			want[i] = (double)w.v[0][i] + (double)w.v[1][i];
		add_all(&w);
		for (int i = 0; i < DIM; i++)
			assert_near((double)w.v[0][i], want[i], 1e-5);
	}
	choice_release(&w.choice);
}

/* 3 floats of P and 2 of the vector, then 4 of Q. */
static void a_matrix_of_its_rank_is_exact(void **state)
{
	static const float u[ROWS] = { 1.0f, -2.0f, 0.5f };
	static const float v[COLUMNS] = { 3.0f, 0.0f, -1.0f, 2.0f };
	struct workers w;

	open_workers(&w, "powersgd:rank=1,min_rate=0", 1);
	for (int i = 0; i < MATRIX; i++)
		w.v[0][i] = u[i / COLUMNS] * v[i % COLUMNS];
	w.v[0][MATRIX] = 7.0f;
	add_all(&w);
	assert_int_equal(w.sent[0], ROWS + 2);
	assert_int_equal(w.sent[1], COLUMNS);
	assert_int_equal(w.sent[2], 0);
	for (int i = 0; i < MATRIX; i++) {
		assert_near((double)w.v[0][i], (double)(u[i / COLUMNS] * v[i % COLUMNS]), 1e-5);
		assert_near((double)w.memory[0][i], 0.0, 1e-5);
	}
	assert_true(w.v[0][MATRIX] == 7.0f);
	choice_release(&w.choice);
}

/* What was applied and what is left are what was given. */
static void errors_are_fed_back(void **state)
{
	double given[MATRIX] = { 0.0 }, applied[MATRIX] = { 0.0 };
	struct workers w;
	struct rng r;

	rng_at(&r, 2, RNG_DATA, 0, 0);
	open_workers(&w, "powersgd:rank=1,min_rate=0", 2);
	for (int round = 0; round < 100; round++) {
		draw(w.v[0], &r);
		draw(w.v[1], &r);
		for (int i = 0; i < MATRIX; i++)
			given[i] += (double)w.v[0][i] + (double)w.v[1][i];
		add_all(&w);
		for (int i = 0; i < MATRIX; i++)
			applied[i] += (double)w.v[0][i];
	}
	for (int i = 0; i < MATRIX; i++) {
		const double left = (double)w.memory[0][i] + (double)w.memory[1][i];

		assert_near(applied[i] + left, given[i], 1e-3);
		assert_true(fabs(left) < 60.0);
	}
	choice_release(&w.choice);
}

/* diag(2, 1): with the factor kept, rank 1 comes to the 2; errors are taken away here. */
static void factors_start_warm(void **state)
{
	struct workers w;

	open_workers(&w, "powersgd:rank=1,min_rate=0", 1);
	for (int round = 0; round < 20; round++) {
		memset(w.memory[0], 0, MATRIX * sizeof(float));
		memset(w.v[0], 0, sizeof(w.v[0]));
		w.v[0][0] = 2.0f;
		w.v[0][COLUMNS + 1] = 1.0f;
		add_all(&w);
	}
	assert_near((double)w.v[0][0], 2.0, 1e-5);
	assert_near((double)w.v[0][COLUMNS + 1], 0.0, 1e-5);
	choice_release(&w.choice);
}

static void assert_whole(struct workers *w)
{
	for (int i = 0; i < DIM; i++)
		w->v[0][i] = (float)i;
	add_all(w);
	assert_int_equal(w->sent[0], DIM);
	assert_int_equal(w->sent[1], 0);
	for (int i = 0; i < DIM; i++)
		assert_true(w->v[0][i] == (float)i);
}

/* 2 (3 + 4) floats of 12; the first all-reduces; layers of unknown shapes. */
static void what_would_not_shrink_goes_whole(void **state)
{
	struct workers w;

	open_workers(&w, "powersgd:rank=2,min_rate=1", 1);
	assert_whole(&w);
	choice_release(&w.choice);
	open_workers(&w, "powersgd:rank=1,min_rate=0,start=2", 1);
	assert_whole(&w);
	assert_whole(&w);
	add_all(&w);
	assert_int_equal(w.sent[0], ROWS + 2);
	choice_release(&w.choice);
	open_workers(&w, "powersgd:rank=1,min_rate=0", 1);
	w.p.layers = NULL;
	assert_whole(&w);
	choice_release(&w.choice);
}

RUN_ALL(full_rank_is_no_compression, a_matrix_of_its_rank_is_exact, errors_are_fed_back,
	factors_start_warm, what_would_not_shrink_goes_whole)
