/*
 * demo.c - decoupled momentum: only the largest frequencies of each worker's momentum are sent.
 *
 *     d_i <- beta d_i + lr g_i                     local, never averaged
 *     q_i <- the k largest coefficients of each chunk of DCT(d_i)
 *     d_i <- d_i - IDCT(q_i)
 *     q   <- every coefficient's mean over the workers that sent it
 *     x   <- x - lr sign(IDCT(q))
 *
 * DCT is the orthonormal DCT-II of chunks of s x s floats that follow each other in the model,
 * the last one filled up with zeros. A message has the positions of the coefficients in their
 * chunks, and their values; every worker sends its own to all others.
 *
 * Paper: Peng, Quesnelle, Kingma 2024 (s = 64, k = 32, beta = 0.999).
 */
#include "algos/common/dct.h"
#include "core/base/error.h"
#include "core/math/vec.h"
#include "core/node.h"
#include "core/run.h"

#include <math.h>
#include <string.h>

struct demo_conf {
	int64_t side, top;
	double decay;
};

struct demo_worker {
	size_t chunks, sent;    /* chunks of the model; floats of a message */
	float *delta;           /* [dim] d_i */
	float *basis;           /* of the DCT */
	float *chunk, *half;    /* [side side] scratch */
	float *count;           /* [side side] workers that sent a coefficient */
	float **code[2];        /* [workers][sent] codes of this step and of the next, by parity */
	int came[2];            /* number of codes received for each */
	bool waits;
};

static size_t demo_size(const struct demo_conf *c)
{
	return (size_t)(c->side * c->side);
}

static void demo_start(struct node *nd)
{
	const struct demo_conf *c = nd->conf;
	const size_t size = demo_size(c);
	struct demo_worker *w = nd->state;

	w->chunks = (nd->dim + size - 1) / size;
	w->sent = w->chunks * 2 * (size_t)c->top;
	w->delta = node_vec(nd);
	w->basis = node_floats(nd, dct_floats((size_t)c->side));
	w->chunk = node_floats(nd, size);
	w->half = node_floats(nd, size);
	w->count = node_floats(nd, size);
	for (int p = 0; p < 2; p++) {
		w->code[p] = node_alloc(nd, (size_t)nd->workers, sizeof(*w->code[p]));
		for (int i = 0; i < nd->workers; i++)
			w->code[p][i] = node_floats(nd, w->sent);
	}
	if (nd->x)
		dct_basis((size_t)c->side, w->basis);
	node_grad(nd);
}

/*
 * code[2 top] <- positions and values of the largest, the first of equal ones. size[n] is scratch.
 */
static void demo_select(size_t n, size_t top, const float *v, float *size, float *code)
{
	for (size_t i = 0; i < n; i++)
		size[i] = fabsf(v[i]);
	for (size_t k = 0; k < top; k++) {
		size_t best = 0;

		for (size_t i = 1; i < n; i++)
			if (size[i] > size[best])
				best = i;
		size[best] = -1.0f;
		code[k] = (float)best;
		code[top + k] = v[best];
	}
}

static size_t demo_length(const struct node *nd, size_t size, size_t chunk)
{
	const size_t left = nd->dim - chunk * size;

	return left < size ? left : size;
}

/* code <- the largest coefficients of d;  d <- d - these */
static void demo_extract(struct node *nd, struct demo_worker *w, float *code)
{
	const struct demo_conf *c = nd->conf;
	const size_t size = demo_size(c), side = (size_t)c->side, top = (size_t)c->top;

	for (size_t k = 0; k < w->chunks; k++, code += 2 * top) {
		const size_t n = demo_length(nd, size, k);

		memset(w->chunk, 0, size * sizeof(*w->chunk));
		vec_copy(n, w->delta + k * size, w->chunk);
		dct_forward(side, w->basis, w->chunk, w->half);
		demo_select(size, top, w->chunk, w->half, code);
		memset(w->chunk, 0, size * sizeof(*w->chunk));
		for (size_t i = 0; i < top; i++)
			w->chunk[(size_t)code[i]] = code[top + i];
		dct_back(side, w->basis, w->chunk, w->half);
		vec_axpy(n, -1.0f, w->chunk, w->delta + k * size);
	}
}

/* chunk <- the mean, over the workers that sent it, of every coefficient of the k-th chunk */
static void demo_mean(const struct node *nd, struct demo_worker *w, float *const *code, size_t k)
{
	const struct demo_conf *c = nd->conf;
	const size_t size = demo_size(c), top = (size_t)c->top;

	memset(w->chunk, 0, size * sizeof(*w->chunk));
	memset(w->count, 0, size * sizeof(*w->count));
	for (int j = 0; j < nd->workers; j++)
		for (size_t i = 0; i < top; i++) {
			const float *at = code[j] + k * 2 * top + i;

			if (!(at[0] >= 0.0f && at[0] < (float)size))
				continue;       /* a damaged message */
			w->chunk[(size_t)at[0]] += at[top];
			w->count[(size_t)at[0]] += 1.0f;
		}
	for (size_t i = 0; i < size; i++)
		w->chunk[i] /= fmaxf(w->count[i], 1.0f);
}

static void demo_move(struct node *nd, struct demo_worker *w, float *const *code)
{
	const struct demo_conf *c = nd->conf;
	const size_t size = demo_size(c);
	const float lr = (float)node_lr(nd);

	for (size_t k = 0; k < w->chunks; k++) {
		const size_t n = demo_length(nd, size, k);
		float *x = nd->x + k * size;

		demo_mean(nd, w, code, k);
		dct_back((size_t)c->side, w->basis, w->chunk, w->half);
		for (size_t i = 0; i < n; i++)
			x[i] -= lr * (float)((w->chunk[i] > 0.0f) - (w->chunk[i] < 0.0f));
	}
}

/* All workers' codes have come: makes the step, and requests the next gradient. */
static void demo_step(struct node *nd, struct demo_worker *w)
{
	const int parity = (int)(nd->step % 2);

	w->came[parity] = 0;
	w->waits = false;
	if (nd->x)
		demo_move(nd, w, w->code[parity]);
	node_moved(nd);
	node_grad(nd);
}

/* Counts a code received for that step, and makes the step if all workers' codes have come. */
static void demo_count(struct node *nd, struct demo_worker *w, int64_t step)
{
	w->came[step % 2]++;
	if (w->waits && w->came[nd->step % 2] == nd->workers)
		demo_step(nd, w);
}

static void demo_grad(struct node *nd, const struct grad *g)
{
	const struct demo_conf *c = nd->conf;
	struct demo_worker *w = nd->state;
	float *code = w->code[nd->step % 2][nd->rank];

	vec_axpby(nd->dim, (float)node_lr(nd), g->vec, (float)c->decay, w->delta);
	if (nd->x)
		demo_extract(nd, w, code);
	for (int k = 1; k < nd->workers; k++)
		node_send(nd, (nd->rank + k) % nd->workers,
			  &(struct msg){ .stamp = nd->step, .vec = code, .n = w->sent });
	w->waits = true;
	demo_count(nd, w, nd->step);
}

/*
 * A message is for this step or for the next: its sender cannot begin a later one without our code.
 */
static void demo_msg(struct node *nd, const struct msg *m)
{
	struct demo_worker *w = nd->state;

	vec_copy(w->sent, m->vec, w->code[m->stamp % 2][m->from]);
	demo_count(nd, w, m->stamp);
}

static int demo_check(const struct run *run)
{
	const struct demo_conf *c = run->algo_conf;

	if (c->top <= c->side * c->side)
		return 0;
	return error("demo: top = %lld of the %lld coefficients of a chunk (side = %lld). Choose "
		     "fewer.", (long long)c->top, (long long)c->side * (long long)c->side,
		     (long long)c->side);
}

static const struct role demo_worker = {
	.state_size = sizeof(struct demo_worker),
	.start = demo_start,
	.grad = demo_grad,
	.msg = demo_msg,
};

static const struct opt demo_opts[] = {
	OPT_NUMBER(struct demo_conf, side, "64", "S; a chunk has S x S floats", "S", 1, 256),
	OPT_NUMBER(struct demo_conf, top, "32", "k, coefficients of a chunk that are sent", "K", 1,
		   65536),
	OPT_NUMBER(struct demo_conf, decay, "0.999", "beta, what a step leaves of the momentum",
		   "BETA", 0, 1),
	{ 0 }
};

const struct algo algo_demo = {
	.plugin = { .name = "demo",
		    .brief = "synchronous: the largest DCT coefficients of each worker's "
			     "momentum",
		    .also = "decoupled-momentum",
		    .cite = "Peng, Quesnelle, Kingma 2024, arXiv 2411.19870",
		    .opts = demo_opts,
		    .conf_size = sizeof(struct demo_conf) },
	.facts = { .rule = "v_i <- beta v_i + eta g_i;  q_i = the k largest coefficients of "
			   "each chunk of DCT(v_i);\n"
			   "v_i <- v_i - IDCT(q_i);  q = each coefficient's mean over the "
			   "workers that sent it;\n"
			   "x <- x - eta sign(IDCT(q))",
		   .departs = "a chunk has S^2 consecutive floats of the model; the paper's are "
			      "tiles of its matrices. The run's optimiser (--optim) is not used",
		   .waits = "all workers for each other, at every step",
		   .staleness = "0",
		   .messages = "k positions and k values of each chunk to every other worker; "
			       "(n - 1) 2 k / S^2 m",
		   .memory = "- / 1, and 4 k / S^2 for each worker" },
	.worker = &demo_worker,
	.check = demo_check,
	.lockstep = true,
	.order_fixed = order_always,
};
