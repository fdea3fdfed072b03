/*
 * llm.c's checkpoints: a small model in its format, read and trained for ten steps, next to llm.c's
 * formulas in double, which find the file's tensors by llm.c's own offsets.
 */
#include "algos/algos.h"
#include "core/base/mem.h"
#include "nets/backend.h"
#include "nets/nets.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/folder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { V = 7, ROWS = 8, MAXT = 6, L = 2, NH = 2, C = 4, T = 5, B = 2, WORDS = 256, STEPS = 10 };

/* Floats of the 16 tensors, in the order of the file. */
static const size_t sizes[16] = {
	ROWS * C, MAXT * C, L * C, L * C, L * 3 * C * C, L * 3 * C, L * C * C, L * C,
	L * C, L * C, L * 4 * C * C, L * 4 * C, L * 4 * C * C, L * C, C, C
};
enum tensor {
	WTE, WPE, LN1W, LN1B, QKVW, QKVB, PROJW, PROJB, LN2W, LN2B, FCW, FCB, FCPROJW, FCPROJB,
	LNFW, LNFB
};
enum { FLOATS = ROWS * C + MAXT * C + L * (12 * C * C + 13 * C) + 2 * C };

static const char net[] = "{\"base\": \"gpt2-124m\", \"params\": {\"positions\": 6, \"layers\": 2,"
			  "\"heads\": 2, \"width\": 4, \"qkv\": 12, \"inner\": 16}}";
static const int32_t inputs[B * T] = { 3, 0, 6, 6, 1, 2, 5, 4, 0, 3 };
static const int32_t targets[B * T] = { 0, 6, 6, 1, 2, 5, 4, 0, 3, 1 };

static struct graph *open_net(const char *text, int classes)
{
	struct graph *g = graph_parse(text, "tiny", (struct shape){ T, 1, 1 }, classes);

	assert_non_null(g);
	return g;
}

/* ---- llm.c's formulas, on p, which has the file's tensors one after the other ---- */

static const double *tensor(const double *p, enum tensor t)
{
	for (int i = 0; i < (int)t; i++)
		p += sizes[i];
	return p;
}

static void layernorm(const double *x, const double *w, const double *b, double *y)
{
	double mean = 0, var = 0;

	for (int i = 0; i < C; i++)
		mean += x[i] / C;
	for (int i = 0; i < C; i++)
		var += (x[i] - mean) * (x[i] - mean) / C;
	for (int i = 0; i < C; i++)
		y[i] = (x[i] - mean) / sqrt(var + 1e-5) * w[i] + b[i];
}

/* y[out] <- w[out][in] x + b. */
static void matmul(const double *x, const double *w, const double *b, int in, int out, double *y)
{
	for (int o = 0; o < out; o++) {
		y[o] = b ? b[o] : 0;
		for (int i = 0; i < in; i++)
			y[o] += w[o * in + i] * x[i];
	}
}

/* y[C] <- attention of token t; rows of qkv are queries, keys and values, heads one by one. */
static void attention(double (*qkv)[3 * C], int t, double *y)
{
	const int size = C / NH;

	for (int h = 0; h < NH; h++) {
		double p[T], sum = 0;

		for (int s = 0; s <= t; s++) {
			double dot = 0;

			for (int i = 0; i < size; i++)
				dot += qkv[t][h * size + i] * qkv[s][C + h * size + i];
			sum += p[s] = exp(dot / sqrt(size));
		}
		for (int i = 0; i < size; i++) {
			y[h * size + i] = 0;
			for (int s = 0; s <= t; s++)
				y[h * size + i] += p[s] / sum * qkv[s][2 * C + h * size + i];
		}
	}
}

static double gelu(double x)
{
	return 0.5 * x * (1 + tanh(sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x)));
}

static void add(double *x, const double *y)
{
	for (int i = 0; i < C; i++)
		x[i] += y[i];
}

static void block(const double *p, int l, double (*x)[C])
{
	double qkv[T][3 * C], n[C], y[C], inner[4 * C];

	for (int t = 0; t < T; t++) {
		layernorm(x[t], tensor(p, LN1W) + l * C, tensor(p, LN1B) + l * C, n);
		matmul(n, tensor(p, QKVW) + l * 3 * C * C, tensor(p, QKVB) + l * 3 * C, C, 3 * C,
		       qkv[t]);
	}
	for (int t = 0; t < T; t++) {
		attention(qkv, t, n);
		matmul(n, tensor(p, PROJW) + l * C * C, tensor(p, PROJB) + l * C, C, C, y);
		add(x[t], y);
		layernorm(x[t], tensor(p, LN2W) + l * C, tensor(p, LN2B) + l * C, n);
		matmul(n, tensor(p, FCW) + l * 4 * C * C, tensor(p, FCB) + l * 4 * C, C, 4 * C,
		       inner);
		for (int i = 0; i < 4 * C; i++)
			inner[i] = gelu(inner[i]);
		matmul(inner, tensor(p, FCPROJW) + l * 4 * C * C, tensor(p, FCPROJB) + l * C, 4 * C,
		       C, y);
		add(x[t], y);
	}
}

static double loss(const double *p)
{
	double sum = 0;

	for (int b = 0; b < B; b++) {
		double x[T][C], n[C], logits[V];

		for (int t = 0; t < T; t++)
			for (int i = 0; i < C; i++)
				x[t][i] = tensor(p, WTE)[inputs[b * T + t] * C + i] +
					  tensor(p, WPE)[t * C + i];
		for (int l = 0; l < L; l++)
			block(p, l, x);
		for (int t = 0; t < T; t++) {
			double all = 0;

			layernorm(x[t], tensor(p, LNFW), tensor(p, LNFB), n);
			matmul(n, tensor(p, WTE), NULL, C, V, logits);
			for (int k = 0; k < V; k++)
				all += exp(logits[k]);
			sum += log(all) - logits[targets[b * T + t]];
		}
	}
	return sum / (B * T);
}

/* AdamW with llm.c's betas and decay on everything; by central differences. */
static void reference_step(double *p, double *m, double *v, int t, double lr)
{
	static double g[FLOATS];

	for (int i = 0; i < FLOATS; i++) {
		const double own = p[i], h = 1e-5;

		p[i] = own + h;
		g[i] = loss(p);
		p[i] = own - h;
		g[i] = (g[i] - loss(p)) / (2 * h);
		p[i] = own;
	}
	for (int i = 0; i < FLOATS; i++) {
		m[i] = 0.9 * m[i] + 0.1 * g[i];
		v[i] = 0.999 * v[i] + 0.001 * g[i] * g[i];
		p[i] -= lr * (m[i] / (1 - pow(0.9, t)) / (sqrt(v[i] / (1 - pow(0.999, t))) + 1e-8) +
			      0.01 * p[i]);
	}
}

/* ---- the file ---- */

/* Deviations of 0.3 around 0, and around 1 for what layer norms multiply by. */
static void draw_model(double *p)
{
	uint32_t seed = 12345;
	double *at = p;

	for (int t = 0; t < 16; t++)
		for (size_t i = 0; i < sizes[t]; i++) {
			seed = seed * 1664525u + 1013904223u;
			*at++ = (double)(float)((seed >> 8) / 16777216.0 - 0.5 +
						(t == LN1W || t == LN2W || t == LNFW));
		}
}

static void put_model(const char *name, const double *p, const uint32_t *header, size_t bytes)
{
	static uint8_t file[4 * (WORDS + FLOATS) + 4];
	uint32_t word;

	memset(file, 0, sizeof(file));
	for (int k = 0; k < WORDS + FLOATS; k++) {
		const float value = k < WORDS ? 0 : (float)p[k - WORDS];

		memcpy(&word, &value, sizeof(word));
		word = k < 8 ? header[k] : word;
		for (int i = 0; i < 4; i++)
			file[4 * k + i] = (uint8_t)(word >> 8 * i);
	}
	folder_write(folder, name, PACK_PLAIN, file, bytes);
}

static const uint32_t right[8] = { 20240326, 3, MAXT, V, L, NH, C, ROWS };
enum { WHOLE = 4 * (WORDS + FLOATS) };

static void ten_steps(void **state)
{
	static double p[FLOATS], m[FLOATS], v[FLOATS];
	static const char rule[] = "adam:decoupled=true,weight_decay=0.01";
	char *path = xasprintf("%s/model.bin", folder);
	struct graph *g = open_net(net, V);
	struct choice c = { 0 };
	const struct optim *optim;
	void *ctx = backend_openblas.open(g, NULL, B, NULL);
	float *x, *grad = vec_new(g->dim), *kept, images[B * T];

	assert_int_equal(choice_parse(&c, optim_table, "optimiser", rule), 0);
	optim = (const struct optim *)c.plugin;
	kept = vec_new(optim_floats(optim, g->dim));
	draw_model(p);
	put_model("model.bin", p, right, WHOLE);
	assert_true(gpt2_file_is(path));
	x = gpt2_file_read(path, g);
	assert_non_null(x);
	for (int i = 0; i < B * T; i++)
		images[i] = (float)inputs[i];
	for (int t = 0; t < STEPS; t++) {
		const struct stepping s = { .lr = 0.01f, .w = 1, .step = t, .workers = 1,
					    .nblobs = g->nblobs, .blobs = g->blobs };

		assert_near(backend_openblas.grad(ctx, x, B, images, targets, 1, NULL, grad, NULL),
			    loss(p), 1e-5);
		optim->step(c.conf, &s, g->dim, grad, x, kept);
		reference_step(p, m, v, t + 1, 0.01);
	}
	/* The model predicts the batch better than a guess does: log 7 is 1.95. */
	assert_true(loss(p) < 1.9);
	backend_openblas.close(ctx);
	choice_release(&c);
	free(kept);
	free(grad);
	free(x);
	graph_free(g);
	free(path);
}

static void refused(const struct graph *g, const char *why)
{
	char *path = xasprintf("%s/bad.bin", folder);

	capture_start();
	assert_null(gpt2_file_read(path, g));
	capture_stop();
	if (!strstr(capture_text(), why))
		fail_msg("%s, not: %s", why, capture_text());
	free(path);
}

static void refused_header(const struct graph *g, int word, uint32_t value, const char *why)
{
	static double p[FLOATS];
	uint32_t header[8];

	memcpy(header, right, sizeof(header));
	header[word] = value;
	put_model("bad.bin", p, header, WHOLE);
	refused(g, why);
}

static void bad_files(void **state)
{
	static double p[FLOATS];
	struct graph *g = open_net(net, V), *other = open_net("{\"base\": \"gpt-tiny\"}", V);

	refused_header(g, 0, 20240327, "it is no checkpoint of llm.c");
	refused_header(g, 1, 5, "it has version 5, in bf16 (expected 3");
	refused_header(g, 2, 1024, "its model has 1024 positions, and the net tiny has 6");
	refused_header(g, 3, 50257, "its model has 50257 tokens, and the net tiny has 7");
	refused_header(g, 4, 12, "its model has 12 layers, and the net tiny has 2");
	refused_header(g, 5, 4, "its model has 4 heads, and the net tiny has 2");
	refused_header(g, 6, 8, "its model has 8 channels, and the net tiny has 4");
	refused_header(g, 7, 6, "a table of 6 rows for 7 tokens");
	put_model("bad.bin", p, right, WHOLE - 4);
	refused(g, "it ends too early");
	put_model("bad.bin", p, right, WHOLE + 4);
	refused(g, "it has bytes after the model");
	put_model("bad.bin", p, right, WHOLE);
	refused(other, "the net tiny has other layers than GPT-2");
	put_model("bad.bin", p, right, 900);
	refused(g, "it is no checkpoint of llm.c");
	graph_free(g);
	graph_free(other);
}

RUN_WITH(folder_open, folder_close, ten_steps, bad_files)
