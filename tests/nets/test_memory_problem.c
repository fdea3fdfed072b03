/* Nets and a text as a problem: parts of a batch, evaluation with a memory, and bad data. */
#include "core/base/mem.h"
#include "core/math/vec.h"
#include "data/data.h"
#include "nets/nets.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A batch that is computed in parts has the memory of each part: as of the whole. */
static void parts_of_a_batch(void **state)
{
	enum { N = 70 };        /* windows of 32: more than 2048 tokens */
	struct dataset *ds = dataset_open_text("chain:train=9000,streams=true");
	struct problem *p = problem_net("transformer-xl-tiny", &backend_openblas, NULL, ds);
	struct graph *g = graph_load("transformer-xl-tiny", (struct shape){ 32, 1, 1 }, 12);
	const size_t floats = g->carry.floats;
	int64_t sample[N];
	const struct batch b = { .n = N, .sample = sample };
	float *x = vec_new(p->dim), *part = vec_new(p->dim), *whole = vec_new(p->dim);
	float *in = vec_new(N * floats), *out[2] = { vec_new(N * floats), vec_new(N * floats) };
	float *tokens = vec_new(N * 32);
	int32_t labels[N * 32];
	void *scratch, *ctx;
	double loss, want;

	assert_true(p->streams);
	assert_int_equal(p->carry.floats, floats);
	for (int i = 0; i < N; i++)
		sample[i] = i;
	for (size_t k = 0; k < N * floats; k++)
		in[k] = (float)(k % 7) - 3;
	p->ops->init(p, 3, x);
	scratch = p->ops->scratch_new(p, N, NULL);
	p->ops->carry(p, scratch, &(struct carried){ in, 20, out[0] });
	loss = p->ops->grad(p, scratch, x, &b, part, NULL);
	dataset_fetch(ds, SPLIT_TRAIN, &b, tokens, labels);
	ctx = backend_openblas.open(g, NULL, N, NULL);
	backend_openblas.carry(ctx, &(struct carried){ in, 20, out[1] });
	want = backend_openblas.grad(ctx, x, N, tokens, labels, 0, NULL, whole, NULL);
	assert_near(loss, want, 1e-6);
	vec_axpy(p->dim, -1, whole, part);
	assert_true(sqrt(vec_dot(p->dim, part, part)) < 1e-5 * sqrt(vec_dot(p->dim, whole, whole)));
	vec_axpy(N * floats, -1, out[0], out[1]);
	assert_true(vec_dot(N * floats, out[1], out[1]) < 1e-6);
	backend_openblas.close(ctx);
	p->ops->scratch_free(p, scratch);
	p->ops->close(p);
	graph_free(g);
	dataset_close(ds);
	free(x);
	free(part);
	free(whole);
	free(in);
	free(out[0]);
	free(out[1]);
	free(tokens);
}

/* Evaluation walks through a job's windows in order, with windows and a memory of its own. */
static void evaluation_keeps_its_memory(void **state)
{
	struct dataset *ds = dataset_open_text("chain:train=3000,test=300,window=8,test_window=20,"
				   "streams=true");
	struct graph *g = graph_load("transformer-xl-tiny", (struct shape){ 20, 1, 1 }, 12);
	struct problem *p = problem_net("transformer-xl-tiny", &backend_openblas, NULL, ds);
	struct dataset test = *ds;
	float *memory[2], tokens[20], z[20 * 12], *x = vec_new(p->dim);
	int32_t labels[20];
	struct score score;
	double loss = 0;
	void *scratch, *ctx;

	assert_int_equal(ds->n[SPLIT_TEST], 15);
	test.height = 20;
	graph_test_memory(g);
	assert_int_equal(g->carry.rows, 48);
	p->ops->init(p, 3, x);
	for (size_t k = 0; k < p->dim; k++)
		x[k] *= 5;
	for (int k = 0; k < 2; k++)
		memory[k] = vec_new(g->carry.floats);
	ctx = backend_openblas.open(g, NULL, 1, NULL);
	for (int64_t i = 0; i < 15; i++) {
		const struct batch b = { .n = 1, .sample = &i };
		const size_t rows = i * 20 < 48 ? (size_t)i * 20 : 48;

		dataset_fetch(&test, SPLIT_TEST, &b, tokens, labels);
		backend_openblas.carry(ctx, &(struct carried){ memory[i % 2], rows,
							      memory[1 - i % 2] });
		backend_openblas.logits(ctx, x, NULL, 1, tokens, z);
		for (int k = 0; k < 20; k++)
			if (labels[k] >= 0)
				loss += softmax_loss(1, 12, z + k * 12, labels + k, NULL);
	}
	backend_openblas.close(ctx);
	scratch = p->ops->scratch_new(p, 128, NULL);
	score = p->ops->score(p, scratch, x, NULL, SPLIT_TEST, 0, 15);
	assert_int_equal(score.n, 299);
	assert_near(score.loss, loss, 1e-9);
	p->ops->scratch_free(p, scratch);
	p->ops->close(p);
	graph_free(g);
	dataset_close(ds);
	free(memory[0]);
	free(memory[1]);
	free(x);
}

static void refused_data(const char *text, const char *why)
{
	struct dataset *ds = dataset_open_text(text);

	capture_start();
	assert_null(problem_net("transformer-xl-tiny", &backend_openblas, NULL, ds));
	capture_stop();
	if (!strstr(capture_text(), why))
		fail_msg("%s: %s", text, capture_text());
	dataset_close(ds);
}

static void bad_data(void **state)
{
	refused_data("chain", "Choose --data chain:streams=true");
	refused_data("chain:test=40,streams=true", "has a memory of 48 tokens in evaluation");
}

/* A batch too large for one call: the mean over its parts, as of the whole. */
static void parts_without_memory(void **state)
{
	enum { N = 70 };        /* windows of 32: more than 2048 tokens */
	struct dataset *ds = dataset_open_text("chain:train=3000");
	struct problem *p;
	struct graph *g;
	int64_t sample[N];
	struct batch b = { .n = N, .sample = sample };
	float *x, *part, *whole, *tokens = vec_new(N * 32);
	int32_t labels[N * 32];
	double loss, want;
	void *scratch, *ctx;

	p = problem_net("gpt-tiny", &backend_openblas, NULL, ds);
	g = graph_load("gpt-tiny", (struct shape){ 32, 1, 1 }, ds->classes);
	for (int i = 0; i < N; i++)
		sample[i] = i;
	x = vec_new(p->dim);
	part = vec_new(p->dim);
	whole = vec_new(p->dim);
	p->ops->init(p, 3, x);
	scratch = p->ops->scratch_new(p, N, NULL);
	loss = p->ops->grad(p, scratch, x, &b, part, NULL);
	dataset_fetch(ds, SPLIT_TRAIN, &b, tokens, labels);
	ctx = backend_openblas.open(g, NULL, N, NULL);
	want = backend_openblas.grad(ctx, x, N, tokens, labels, 0, NULL, whole, NULL);
	assert_near(loss, want, 1e-6);
	vec_axpy(p->dim, -1, whole, part);
	assert_true(sqrt(vec_dot(p->dim, part, part)) < 1e-5 * sqrt(vec_dot(p->dim, whole, whole)));
	backend_openblas.close(ctx);
	p->ops->scratch_free(p, scratch);
	p->ops->close(p);
	graph_free(g);
	dataset_close(ds);
	free(x);
	free(part);
	free(whole);
	free(tokens);
}

RUN_ALL(parts_of_a_batch, evaluation_keeps_its_memory, bad_data, parts_without_memory)
