/*
 * sparseloco.c - rounds of local steps; of what they changed, the largest floats in few bits.
 *
 *     x_i <- optimiser(x_i, g_i)                   H times, from x_i = X
 *     e_i <- beta e_i + (X - x_i)
 *     q_i <- the k largest floats of each chunk of e_i, as positions and values of 2 bits
 *     e_i <- e_i - decoded q_i
 *     X   <- X - eta 1/n sum_j decoded q_j;   x_i <- X
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
 * then positions of log2(chunk) bits and values. Every worker sends its own to all others, and adds
 * them in the order of ranks, so all have the same X.
 *
 * With k = chunk and bits=32, e_i is 0, and it is local SGD, or diloco without momentum; with
 * H = 1, plain SGD and beta = 1 it is SGD with the k largest floats of a chunk and error feedback.
 *
 * Gain: eta / n of what is sent; the decay takes the rest away, by a factor beta a round.
 *
 * Paper: Sarfi, Therien, Lidin, Belilovsky 2025 (H = 30, chunk = 4096, k = 64, beta = 0.95,
 * eta = 1); the bins are those of the code that trained Covenant-72B.
 */
#include "algos/common/largest.h"
#include "algos/common/rounds.h"
#include "core/base/error.h"
#include "core/math/vec.h"
#include "core/run.h"

#include <math.h>
#include <string.h>

enum { FLOAT_BITS = 32, CODE_BITS = 8 };        /* of a value: a float's; of a code at most */

struct sparseloco_conf {
	int64_t period, chunk, top, bits;
	double decay, outer_lr;
};

struct sparseloco_worker {
	struct round round;
	int64_t rounds;         /* rounds completed */
	size_t sent;            /* floats of a message */
	float *x;               /* [dim] X */
	float *error;           /* [dim] e_i */
	uint32_t *index;        /* [top] scratch: positions in a chunk */
	float *value;           /* [top] scratch */
	float **code[2];        /* [workers][sent] messages of a round and of the next, by parity */
	int came[2];            /* number of messages received for each */
	bool waits;
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

	return (size_t)(sparseloco_position_bits(c) + code);
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
	const int bins = 1 << bits;
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
		const double bin = rint(((double)v[i] - mean) / width + bins / 2);

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

/* code <- the largest floats of the chunk e[n];  e <- e - what is decoded from it */
static void sparseloco_take(const struct sparseloco_conf *c, struct sparseloco_worker *w, size_t n,
			    float *e, float *code)
{
	const size_t top = sparseloco_top(c, n), means = sparseloco_means(c, top);
	const int position = sparseloco_position_bits(c);
	uint32_t *bin = w->index + c->top;
	size_t at = 0;

	memset(code, 0, sparseloco_words(c, n) * sizeof(*code));
	largest_select(n, e, top, w->index);
	for (size_t i = 0; i < top; i++)
		w->value[i] = e[w->index[i]];
	if (c->bits == FLOAT_BITS)
		memcpy(code, w->value, top * sizeof(*code));
	else
		sparseloco_quantise((int)c->bits, top, w->value, bin, code);
	for (size_t i = 0; i < top; i++) {
		bits_put(code + means, &at, position, w->index[i]);
		if (c->bits != FLOAT_BITS)
			bits_put(code + means, &at, (int)c->bits, bin[i]);
	}
	sparseloco_add(c, code, -1.0f, n, e);
}

static size_t sparseloco_length(const struct node *nd, size_t from)
{
	const struct sparseloco_conf *c = nd->conf;
	const size_t left = nd->dim - from;

	return left < (size_t)c->chunk ? left : (size_t)c->chunk;
}

/* ---- rounds ---- */

static void sparseloco_start(struct node *nd)
{
	const struct sparseloco_conf *c = nd->conf;
	struct sparseloco_worker *w = nd->state;

	for (size_t from = 0; from < nd->dim; from += (size_t)c->chunk)
		w->sent += sparseloco_words(c, sparseloco_length(nd, from));
	w->x = node_vec(nd);
	vec_copy(nd->dim, nd->x, w->x);
	w->error = node_vec(nd);
	w->index = node_alloc(nd, 2 * (size_t)c->top, sizeof(*w->index));
	w->value = node_floats(nd, (size_t)c->top);
	for (int p = 0; p < 2; p++) {
		w->code[p] = node_alloc(nd, (size_t)nd->workers, sizeof(*w->code[p]));
		for (int i = 0; i < nd->workers; i++)
			w->code[p][i] = node_floats(nd, w->sent);
	}
	round_begin(nd, &w->round, c->period);
}

/* X <- X - eta / n times the sum of all messages, in the order of ranks. */
static void sparseloco_outer(struct node *nd, struct sparseloco_worker *w, float *const *code)
{
	const struct sparseloco_conf *c = nd->conf;
	const float a = (float)(-c->outer_lr / nd->workers);

	for (int j = 0; nd->x && j < nd->workers; j++) {
		const float *at = code[j];

		for (size_t from = 0; from < nd->dim; from += (size_t)c->chunk) {
			const size_t n = sparseloco_length(nd, from);

			sparseloco_add(c, at, a, n, w->x + from);
			at += sparseloco_words(c, n);
		}
	}
}

/* Counts a message of that round, and ends the round if all have come. */
static void sparseloco_count(struct node *nd, struct sparseloco_worker *w, int64_t round)
{
	const struct sparseloco_conf *c = nd->conf;
	const int parity = (int)(w->rounds % 2);

	w->came[round % 2]++;
	if (!w->waits || w->came[parity] < nd->workers)
		return;
	sparseloco_outer(nd, w, w->code[parity]);
	vec_copy(nd->dim, w->x, nd->x);
	w->came[parity] = 0;
	w->waits = false;
	w->rounds++;
	round_begin(nd, &w->round, c->period);
}

static void sparseloco_grad(struct node *nd, const struct grad *g)
{
	const struct sparseloco_conf *c = nd->conf;
	struct sparseloco_worker *w = nd->state;
	float *code, *at;

	if (!round_step(nd, &w->round, NULL, g))
		return;
	code = at = w->code[w->rounds % 2][nd->rank];
	vec_axpby(nd->dim, 1.0f, w->x, (float)c->decay, w->error);
	vec_axpy(nd->dim, -1.0f, nd->x, w->error);
	for (size_t from = 0; nd->x && from < nd->dim; from += (size_t)c->chunk) {
		const size_t n = sparseloco_length(nd, from);

		sparseloco_take(c, w, n, w->error + from, at);
		at += sparseloco_words(c, n);
	}
	for (int k = 1; k < nd->workers; k++)
		node_send(nd, (nd->rank + k) % nd->workers,
			  &(struct msg){ .stamp = w->rounds, .vec = code, .n = w->sent });
	w->waits = true;
	sparseloco_count(nd, w, w->rounds);
}

/*
 * A message is for this round or for the next: its sender cannot end a later one without ours.
 */
static void sparseloco_msg(struct node *nd, const struct msg *m)
{
	struct sparseloco_worker *w = nd->state;

	vec_copy(w->sent, m->vec, w->code[m->stamp % 2][m->from]);
	sparseloco_count(nd, w, m->stamp);
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
	.msg = sparseloco_msg,
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
		   .memory = "- / 2, and 1/64 for each worker" },
	.worker = &sparseloco_worker,
	.check = sparseloco_check,
	.lockstep = true,
	.order_fixed = order_always,
	.round = "period",
};
