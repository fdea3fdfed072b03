/*
 * chain.c - built-in text: letters drawn by a Markov chain, whose entropy is known.
 *
 * Letter t is drawn by probabilities that depend on the `order` letters before it. They are
 * u^-sharpness, u uniform, divided by their sum, drawn at (seed, RNG_DATA, TABLE, context). The
 * least loss of a letter that is predicted from the j letters before it is known exactly:
 *
 *     h_j = sum over contexts of j letters of pi(context) H(next | context),   h_j = h_order for
 *     j >= order
 *
 * by the chain's stationary distribution pi. A window of T letters has h_1, ..., h_T.
 */
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/math/rng.h"
#include "data/text/vocabulary.h"
#include "data/text/windows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE, LETTERS };        /* ranks of the random addresses */
enum { STEPS = 100000 };        /* of the power iteration, at most */

struct conf {
	int64_t train, test, seed, letters, order, window;
	double sharpness;
	bool random, streams;
	int64_t test_window;
};

struct chain {
	struct windows w;
	char letters[27];
};

/* The chain; contexts = letters^order, where the latest letter is the lowest digit. */
struct law {
	size_t letters, contexts;
	int order;
	double *p;              /* [contexts][letters], owned */
	double *pi;             /* [contexts], owned */
};

extern const struct dataset_type dataset_chain;

static void law_draw(struct law *l, const struct conf *conf)
{
	for (size_t c = 0; c < l->contexts; c++) {
		double *p = l->p + c * l->letters, sum = 0;
		struct rng r;

		rng_at(&r, (uint64_t)conf->seed, RNG_DATA, TABLE, c);
		for (size_t k = 0; k < l->letters; k++)
			sum += p[k] = pow(rng_uniform(&r), -conf->sharpness);
		for (size_t k = 0; k < l->letters; k++)
			p[k] /= sum;
	}
}

static size_t law_next(const struct law *l, size_t context, size_t letter)
{
	return (context * l->letters + letter) % l->contexts;
}

/* pi <- pi P until it converges; returns how far the last step moved it. */
static double law_settle(struct law *l)
{
	double *next = xcalloc(l->contexts, sizeof(*next)), moved = 1;

	for (size_t c = 0; c < l->contexts; c++)
		l->pi[c] = 1 / (double)l->contexts;
	for (int step = 0; step < STEPS && moved > 1e-15; step++) {
		memset(next, 0, l->contexts * sizeof(*next));
		for (size_t c = 0; c < l->contexts; c++)
			for (size_t k = 0; k < l->letters; k++)
				next[law_next(l, c, k)] += l->pi[c] * l->p[c * l->letters + k];
		moved = 0;
		for (size_t c = 0; c < l->contexts; c++) {
			moved += fabs(next[c] - l->pi[c]);
			l->pi[c] = next[c];
		}
	}
	free(next);
	return moved;
}

/* h_j, in nats; contexts that end in the same j letters are taken together. */
static double law_entropy(const struct law *l, int j)
{
	size_t ends = 1;
	double *joint, h = 0;

	for (int k = 0; k < j && k < l->order; k++)
		ends *= l->letters;
	joint = xcalloc(ends * l->letters, sizeof(*joint));
	for (size_t c = 0; c < l->contexts; c++)
		for (size_t k = 0; k < l->letters; k++)
			joint[c % ends * l->letters + k] += l->pi[c] * l->p[c * l->letters + k];
	for (size_t e = 0; e < ends; e++) {
		double sum = 0;

		for (size_t k = 0; k < l->letters; k++)
			sum += joint[e * l->letters + k];
		for (size_t k = 0; k < l->letters; k++)
			if (joint[e * l->letters + k] > 0)
				h -= joint[e * l->letters + k] *
				     log(joint[e * l->letters + k] / sum);
	}
	free(joint);
	return h;
}

/* Mean of h_1 to h_window; for windows in streams, whose nets may have a memory, h_order. */
static double law_least(const struct law *l, int window, bool streams)
{
	const int early = streams ? 0 : window < l->order ? window : l->order;
	double sum = 0;

	for (int j = 1; j <= early; j++)
		sum += law_entropy(l, j);
	return (sum + (window - early) * law_entropy(l, l->order)) / window;
}

/* Draws a letter by its probabilities, with u uniform. */
static size_t chain_letter(const double *p, size_t letters, double u)
{
	size_t k = 0;

	while (k + 1 < letters && u >= p[k])
		u -= p[k++];
	return k;
}

/* Writes the letters of a split, which begins at a context drawn from pi. */
static int32_t *chain_write(const struct law *l, uint64_t seed, enum split split, int64_t n)
{
	int32_t *tokens = xcalloc((size_t)n, sizeof(*tokens));
	struct rng r;
	size_t context;

	rng_at(&r, seed, RNG_DATA, LETTERS + (uint32_t)split, 0);
	context = chain_letter(l->pi, l->contexts, rng_uniform(&r));
	for (int64_t i = 0; i < n; i++) {
		const size_t k = chain_letter(l->p + context * l->letters, l->letters,
					      rng_uniform(&r));

		tokens[i] = (int32_t)k;
		context = law_next(l, context, k);
	}
	return tokens;
}

static int chain_check_size(const struct conf *conf)
{
	const double contexts = pow((double)conf->letters, (double)conf->order);

	if (contexts <= 1e5)
		return 0;
	return error("data set chain: %lld letters and order %lld make %.0f contexts (expected at "
		     "most 100000). Choose fewer letters or a lower order.",
		     (long long)conf->letters, (long long)conf->order, contexts);
}

/* Sets sizes and the least loss. 0, or error(): the entropy cannot be computed. */
static int chain_fill(struct dataset *ds, struct chain *t, const struct conf *conf)
{
	struct law l = { .letters = (size_t)conf->letters, .contexts = 1,
			 .order = (int)conf->order };
	int ret = 0;

	for (int k = 0; k < l.order; k++)
		l.contexts *= l.letters;
	l.p = xcalloc(l.contexts * l.letters, sizeof(*l.p));
	l.pi = xcalloc(l.contexts, sizeof(*l.pi));
	law_draw(&l, conf);
	if (law_settle(&l) > 1e-12)
		ret = error("data set chain: sharpness=%g: the frequencies of contexts were not "
			    "found in %d steps. Choose a smaller sharpness, or another seed.",
			    conf->sharpness, STEPS);
	t->w = (struct windows){ .length = { conf->train, conf->test }, .random = conf->random,
				 .streams = conf->streams,
				 .test_window = (int)conf->test_window };
	for (int k = 0; k < 2 && !ret; k++)
		t->w.tokens[k] = chain_write(&l, (uint64_t)conf->seed, (enum split)k,
					     t->w.length[k]);
	for (int k = 0; k < 26; k++)
		t->letters[k] = (char)('a' + k);
	ds->classes = (int)conf->letters;
	if (!ret)
		ds->least = law_least(&l, (int)(conf->test_window ? conf->test_window
								   : conf->window), conf->streams);
	free_all(l.p, l.pi);
	return ret ? -1 : windows_fit(ds, &t->w, (int)conf->window, "data set chain");
}

static struct dataset *chain_open(const void *conf)
{
	struct dataset *ds;
	struct chain *t;

	if (chain_check_size(conf))
		return NULL;
	ds = xcalloc(1, sizeof(*ds));
	t = xcalloc(1, sizeof(*t));
	*ds = (struct dataset){ .type = &dataset_chain, .priv = t };
	if (chain_fill(ds, t, conf)) {
		dataset_close(ds);
		return NULL;
	}
	ds->digest = windows_digest(&t->w);
	return ds;
}

static void chain_close(struct dataset *ds)
{
	windows_release(&((struct chain *)ds->priv)->w);
	free(ds->priv);
}

static int chain_shape(const void *p, struct dataset_shape *shape)
{
	const struct conf *conf = p;

	*shape = (struct dataset_shape){ (int)conf->window, 1, 1, (int)conf->letters, true };
	return chain_check_size(conf);
}

static int chain_count(const void *p, int64_t n[2])
{
	const struct conf *conf = p;
	const struct windows w = { .length = { conf->train, conf->test },
				   .test_window = (int)conf->test_window };
	struct dataset ds;

	if (windows_fit(&ds, &w, (int)conf->window, "data set chain"))
		return -1;
	n[SPLIT_TRAIN] = ds.n[SPLIT_TRAIN];
	n[SPLIT_TEST] = ds.n[SPLIT_TEST];
	return 0;
}

static void chain_window(const struct dataset *ds, enum split split, int64_t i, struct rng *r,
			 float *tokens, int32_t *next)
{
	windows_read(&((const struct chain *)ds->priv)->w, ds->height, split, i, r, tokens, next);
}

static int32_t *chain_encode(const struct dataset *ds, const char *text, size_t *n)
{
	int32_t *tokens = xcalloc(strlen(text) + 1, sizeof(*tokens));
	char *symbol;

	*n = strlen(text);
	for (size_t i = 0; i < *n; i++) {
		tokens[i] = text[i] - 'a';
		if (tokens[i] >= 0 && tokens[i] < ds->classes)
			continue;
		symbol = symbol_text(text + i, 1);
		error("prompt: %s is not in the vocabulary (a to %c)", symbol,
		      'a' + ds->classes - 1);
		free_all(symbol, tokens);
		return NULL;
	}
	return tokens;
}

static const char *chain_spell(const struct dataset *ds, int32_t token, size_t *n, bool *spaced)
{
	*spaced = false;
	*n = 1;
	return ((const struct chain *)ds->priv)->letters + token;
}

static const struct opt opts[] = {
	OPT_NUMBER(struct conf, train, "200000", "training letters", "N", 2, 1e9),
	OPT_NUMBER(struct conf, test, "50000", "validation letters", "N", 2, 1e9),
	OPT_NUMBER(struct conf, seed, "0", "another seed is another chain", "N", 0,
		   9007199254740992.0),
	OPT_NUMBER(struct conf, letters, "12", "different letters", "N", 2, 26),
	OPT_NUMBER(struct conf, order, "2", "letters before it that a letter depends on", "N", 1,
		   16),
	OPT_NUMBER(struct conf, sharpness, "1",
		   "how unequal the probabilities are; 0: all are equal", "X", 0, 20),
	OPT_NUMBER(struct conf, window, "32", "letters of a sample", "N", 1, 1 << 20),
	{ "random", OPT_AT(BOOL, struct conf, random), "true",
	  "training windows begin at random positions; false: one after the other", NULL, 0, 0,
	  NULL,
	  0 },
	WINDOWS_OPTS(struct conf),
	{ 0 }
};

const struct dataset_type dataset_chain = {
	.plugin = {
		.name = "chain",
		.brief = "built in: letters of a Markov chain, whose entropy is known",
		.opts = opts,
		.conf_size = sizeof(struct conf),
	},
	.tokens = true,
	.shape = chain_shape,
	.count = chain_count,
	.open = chain_open,
	.window = chain_window,
	.encode = chain_encode,
	.spell = chain_spell,
	.close = chain_close,
};
