/*
 * sparseloco.c - rounds of local steps; of what they changed, the largest floats in few bits.
 *
 *     x_i <- optimiser(x_i, g_i)                   H times, from x_i = X
 *     e_i <- beta e_i + (X - x_i)
 *     q_i <- the k largest floats of each chunk of e_i, as positions and values of 2 bits
 *     e_i <- e_i - decoded q_i
 *     X   <- X - eta 1/n sum_j decoded q_j;   x_i <- X
 *
 * So it is DiLoCo without outer momentum, and with a codec of its own: q_i is what an all-reduce
 * sends of e_i, the error memory of the codec.
 *
 * There is no outer momentum: the decaying error memory e_i has its part, as it sends later what a
 * round left out. Values of `bits` bits are codes of 2^bits bins, in each chunk on its own, with s
 * and sigma mean and deviation of its k values:
 *
 *     bin of a value v:  (v - s) / (6 sigma / 2^bits) + 2^bits / 2, rounded, at least 0 and at most
 *     2^bits - 1;  decoded as the mean of the values in the bin, which is sent too
 *
 * Bins suit many values: two values are always in the same one of four. bits=32 sends floats.
 *
 * A chunk has consecutive floats of the model. In a message, each chunk has the means of its bins,
 * then positions of log2(chunk) bits and values. The all-reduce gathers the messages of all
 * workers, and adds them in the order of ranks.
 *
 * n is the number of workers whose messages are in the sum. A worker that failed before is not
 * among them, and its round is lost; when it returns, it begins a round from a member's X, with
 * that member's optimiser state and its own error memory.
 *
 * With k = chunk and bits=32, e_i is 0, and it is local SGD, or diloco without momentum; with
 * H = 1, plain SGD and beta = 1 it is SGD with the k largest floats of a chunk and error feedback.
 *
 * Gain: eta / n of what is sent; the decay takes the rest away, by a factor beta a round.
 *
 * Paper: Sarfi, Therien, Lidin, Belilovsky 2025 (H = 30, chunk = 4096, k = 64, beta = 0.95,
 * eta = 1); the bins are those of the code that trained Covenant-72B.
 */
#include "algos/common/join.h"
#include "algos/common/largest.h"
#include "algos/common/rounds.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/codec.h"
#include "core/math/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FLOAT_BITS = 32, CODE_BITS = 8 };        /* of a value: a float's; of a code at most */

struct sparseloco_conf {
	int64_t period, chunk, top, bits;
	double decay, outer_lr;
};

struct sparseloco_worker {
	struct round round;
	float *x;               /* [dim] X */
	float *delta;           /* [dim] our X - x, then the sum of all decoded messages */
};

/* ---- a message: chunks of bin means, positions and codes ---- */

/* Floats that are sent of a chunk of n floats. */
static size_t sparseloco_top(const struct sparseloco_conf *c, size_t n)
{
	return (size_t)c->top < n ? (size_t)c->top : n;
}

/* Bits of a position in a chunk. */
static int sparseloco_position_bits(const struct sparseloco_conf *c)
{
	int bits = 1;

	while ((INT64_C(1) << bits) < c->chunk)
		bits++;
	return bits;
}

/* Floats before the positions: means of the bins, or the values themselves. */
static size_t sparseloco_means(const struct sparseloco_conf *c, size_t top)
{
	return c->bits == FLOAT_BITS ? top : (size_t)1 << c->bits;
}

/* Bits of a float that is sent, after the means. */
static size_t sparseloco_bits(const struct sparseloco_conf *c)
{
	const int code = c->bits == FLOAT_BITS ? 0 : (int)c->bits;

	return (size_t)sparseloco_position_bits(c) + (size_t)code;
}

/* Words of 32 bits, in floats, of a chunk of n floats. */
static size_t sparseloco_words(const struct sparseloco_conf *c, size_t n)
{
	const size_t top = sparseloco_top(c, n);

	return sparseloco_means(c, top) + (top * sparseloco_bits(c) + 31) / 32;
}

/* The word at bit `at` of words[], which are floats that hold any bits; at is moved on by n. */
static uint32_t bits_get(const float *words, size_t *at, int n)
{
	uint64_t two = 0;
	uint32_t word;

	memcpy(&word, words + *at / 32, sizeof(word));
	two = word;
	if (*at % 32 + (size_t)n > 32) {
		memcpy(&word, words + *at / 32 + 1, sizeof(word));
		two |= (uint64_t)word << 32;
	}
	two = two >> *at % 32 & ((UINT64_C(1) << n) - 1);
	*at += (size_t)n;
	return (uint32_t)two;
}

/* Puts n bits into words that were 0 there. */
static void bits_put(float *words, size_t *at, int n, uint32_t bits)
{
	for (int done = 0; done < n;) {
		const int shift = (int)(*at % 32), some = n - done < 32 - shift ? n - done
										: 32 - shift;
		uint32_t word;

		memcpy(&word, words + *at / 32, sizeof(word));
		word |= bits >> done << shift;
		memcpy(words + *at / 32, &word, sizeof(word));
		done += some;
		*at += (size_t)some;
	}
}

/* code[n] <- bins of v[n]; means[bins] <- the mean of the values in each; of all if it has none. */
static void sparseloco_quantise(int bits, size_t n, const float *v, uint32_t *code, float *means)
{
	const int bins = 1 << bits, half = bins / 2;
	double sum[1 << CODE_BITS] = { 0.0 }, mean = 0.0, spread = 0.0, width;
	size_t count[1 << CODE_BITS] = { 0 };

	for (size_t i = 0; i < n; i++)
		mean += (double)v[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		spread += ((double)v[i] - mean) * ((double)v[i] - mean);
	width = 6.0 * sqrt(spread / ((double)n - 1.0)) / bins;
	if (!(width > 0.0 && isfinite(width)))
		width = 1.0;
	for (size_t i = 0; i < n; i++) {
		const double bin = rint(((double)v[i] - mean) / width + half);

		code[i] = (uint32_t)fmax(fmin(bin, bins - 1), 0.0);
		sum[code[i]] += (double)v[i];
		count[code[i]]++;
	}
	for (int k = 0; k < bins; k++)
		means[k] = (float)(count[k] ? sum[k] / (double)count[k] : mean);
}

/* v[n] <- v + a times the decoded chunk; positions are checked, as a message may be damaged. */
static void sparseloco_add(const struct sparseloco_conf *c, const float *code, float a, size_t n,
			   float *v)
{
	const size_t top = sparseloco_top(c, n);
	const float *words = code + sparseloco_means(c, top);
	const int position = sparseloco_position_bits(c);
	size_t at = 0;

	for (size_t i = 0; i < top; i++) {
		const size_t k = bits_get(words, &at, position);
		const size_t mean = c->bits == FLOAT_BITS ? i : bits_get(words, &at, (int)c->bits);

		if (k < n)
			v[k] += a * code[mean];
	}
}

/* code <- the largest floats of the chunk e[n];  index[2 top], value[top]: scratch */
static void sparseloco_take(const struct sparseloco_conf *c, size_t n, const float *e,
			    uint32_t *index, float *value, float *code)
{
	const size_t top = sparseloco_top(c, n), means = sparseloco_means(c, top);
	const int position = sparseloco_position_bits(c);
	uint32_t *bin = index + top;
	size_t at = 0;

	memset(code, 0, sparseloco_words(c, n) * sizeof(*code));
	largest_select(n, e, top, index);
	for (size_t i = 0; i < top; i++)
		value[i] = e[index[i]];
	if (c->bits == FLOAT_BITS)
		memcpy(code, value, top * sizeof(*code));
	else
		sparseloco_quantise((int)c->bits, top, value, bin, code);
	for (size_t i = 0; i < top; i++) {
		bits_put(code + means, &at, position, index[i]);
		if (c->bits != FLOAT_BITS)
			bits_put(code + means, &at, (int)c->bits, bin[i]);
	}
}

/* ---- the codec ---- */

/* Floats of the chunk that begins at float `from` of n. */
static size_t sparseloco_length(const struct sparseloco_conf *c, size_t n, size_t from)
{
	return n - from < (size_t)c->chunk ? n - from : (size_t)c->chunk;
}

static size_t message_words(const void *conf, size_t n, size_t nlayers)
{
	const struct sparseloco_conf *c = conf;
	const size_t chunk = (size_t)c->chunk;

	(void)nlayers;
	return n / chunk * sparseloco_words(c, chunk) +
	       (n % chunk ? sparseloco_words(c, n % chunk) : 0);
}

static void message_encode(const void *conf, const struct codec_input *p, const float *v,
			   void *codes)
{
	const struct sparseloco_conf *c = conf;
	const size_t top = sparseloco_top(c, sparseloco_length(c, p->n, 0));
	scoped uint32_t *index = xcalloc(2 * top, sizeof(*index));
	float *value = vec_new(top), *code = codes;

	for (size_t from = 0; from < p->n; from += (size_t)c->chunk) {
		const size_t n = sparseloco_length(c, p->n, from);

		sparseloco_take(c, n, v + from, index, value, code);
		code += sparseloco_words(c, n);
	}
	free(value);
}

static void message_add(const void *conf, const struct codec_input *p, const void *codes, float a,
			float *v)
{
	const struct sparseloco_conf *c = conf;
	const float *code = codes;

	for (size_t from = 0; from < p->n; from += (size_t)c->chunk) {
		const size_t n = sparseloco_length(c, p->n, from);

		sparseloco_add(c, code, a, n, v + from);
		code += sparseloco_words(c, n);
	}
}

static double message_decay(const void *conf)
{
	return ((const struct sparseloco_conf *)conf)->decay;
}

static const struct codec sparseloco_codec = {
	.plugin = { .name = "sparseloco" },
	.feedback = true, .decay = message_decay, .words = message_words,
	.encode = message_encode, .add = message_add,
};

/* ---- rounds ---- */

static void sparseloco_start(struct node *nd)
{
	const struct sparseloco_conf *c = nd->conf;
	struct sparseloco_worker *w = nd->state;

	w->x = node_vec(nd);
	w->delta = node_vec(nd);
	vec_copy(nd->dim, nd->x, w->x);
	round_begin(nd, &w->round, c->period);
}

static void sparseloco_grad(struct node *nd, const struct grad *g)
{
	struct sparseloco_worker *w = nd->state;

	if (!round_step(nd, &w->round, NULL, g))
		return;
	round_delta(nd, w->x, w->delta);
	node_allreduce_grads(nd, w->delta);
}

static void sparseloco_allreduce(struct node *nd, float *v, size_t n)
{
	const struct sparseloco_conf *c = nd->conf;
	struct sparseloco_worker *w = nd->state;

	vec_scale(n, 1.0f / (float)node_added(nd), v);
	vec_axpy(n, (float)-c->outer_lr, v, w->x);
	vec_copy(n, w->x, nd->x);
	round_begin(nd, &w->round, c->period);
}

/* State that is equal on all workers after an outer step, and the optimiser's. */
static struct join sparseloco_join(const struct node *nd)
{
	const struct sparseloco_worker *w = nd->state;
	struct join j = { 0 };

	join_add(&j, w->x, nd->dim);
	join_add(&j, nd->optim, node_optim_floats(nd));
	return j;
}

static void sparseloco_back(struct node *nd, const struct msg *m)
{
	const struct sparseloco_conf *c = nd->conf;
	struct sparseloco_worker *w = nd->state;

	join_take(nd, sparseloco_join(nd), m);
	vec_copy(nd->dim, w->x, nd->x);
	round_begin(nd, &w->round, c->period);
}

static void sparseloco_fetch(struct node *nd, int to)
{
	join_send(nd, to, sparseloco_join(nd), 0);
}

static int sparseloco_check(const struct run *run)
{
	const struct sparseloco_conf *c = run->algo_conf;

	if (c->top > c->chunk)
		return error("sparseloco: top = %lld of the %lld floats of a chunk (chunk). Choose "
			     "%lld at most.", (long long)c->top, (long long)c->chunk,
			     (long long)c->chunk);
	if (c->bits > CODE_BITS && c->bits != FLOAT_BITS)
		return error("sparseloco: bits = %lld (expected 1 to 8, or 32 for floats). Choose "
			     "one of these.", (long long)c->bits);
	return 0;
}

static const struct role sparseloco_worker = {
	.state_size = sizeof(struct sparseloco_worker),
	.start = sparseloco_start,
	.grad = sparseloco_grad,
	.allreduce = sparseloco_allreduce,
	.back = sparseloco_back,
	.fetch = sparseloco_fetch,
};

static const struct opt sparseloco_opts[] = {
	OPT_NUMBER(struct sparseloco_conf, period, "30", "H, local steps before an exchange", "H",
		   1, 1e9),
	OPT_NUMBER(struct sparseloco_conf, chunk, "4096", "floats of a chunk", "N", 1, 1 << 24),
	OPT_NUMBER(struct sparseloco_conf, top, "64", "k, floats of a chunk that are sent", "K", 1,
		   1 << 24),
	OPT_NUMBER(struct sparseloco_conf, bits, "2",
		   "bits of a value that is sent, 1 to 8, for chunks with many values; 32: the "
		   "float itself",
		   "BITS", 1, 32),
	OPT_NUMBER(struct sparseloco_conf, decay, "0.95",
		   "beta, what a round leaves of the error memory", "BETA", 0, 1),
	OPT_NUMBER(struct sparseloco_conf, outer_lr, "1",
		   "eta_out, the learning rate of the outer steps", "ETA", 0, 1e6),
	{ 0 }
};

/* Gain if outer_lr is 1. */
static double sparseloco_gain(const void *conf, int workers)
{
	(void)conf;
	return 1.0 / (double)workers;
}

const struct algo algo_sparseloco = {
	.plugin = { .name = "sparseloco",
		    .brief = "synchronous: local steps; the largest floats of the change, in few "
			     "bits",
		    .cite = "Sarfi, Therien, Lidin, Belilovsky 2025, arXiv 2508.15706",
		    .opts = sparseloco_opts,
		    .conf_size = sizeof(struct sparseloco_conf) },
	.facts = { .rule = "x_i <- optimiser(x_i, g_i);  after every H-th step:  e_i <- beta e_i + "
			   "(X - x_i);\n"
			   "q_i = the k largest floats of each chunk of e_i, in few bits;  e_i <- "
			   "e_i - q_i;\n"
			   "X <- X - eta_out 1/n sum_j q_j;  x_i <- X",
		   .departs = "a chunk has consecutive floats of the model; the authors' are tiles "
			      "of its matrices. Bins are those of a chunk, not of a matrix. Norms "
			      "of messages are not clipped to their median, which guards against "
			      "dishonest workers",
		   .gain = "eta_out / n of what is sent; what is left out decays by beta a round",
		   .waits = "all workers for each other, at every H-th step",
		   .staleness = "0",
		   .messages = "k positions and k values of each chunk to every other worker every "
			       "H gradients; by default (n - 1) m / (128 H)",
		   .memory = "- / 3, and 1/128 for each worker",
		   .tolerates = JOIN_TOLERATES },
	.worker = &sparseloco_worker,
	.check = sparseloco_check,
	.codec = &sparseloco_codec,
	.lockstep = true,
	.order_fixed = order_always,
	.outer = "outer_lr",
	.gain = sparseloco_gain,
	.round = "period",
};
