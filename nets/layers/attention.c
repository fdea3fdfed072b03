/* attention.c - causal attention of each token to those before it, in heads. */
#include "nets/layers/layers.h"

#include "core/base/error.h"
#include "core/text/word.h"

static const struct opt attention_opts[] = { SETTING_HEADS, SETTING_DROPPED, { .name = NULL } };

/*
 * Most rows: the dropout of a row of probabilities has an address of layer, head and position in 32
 * bits.
 */
enum { DROPOUT_ROWS = 1 << 18 };

int attention_shape(struct graph *g, struct layer *l, const char *where)
{
	const int third = l->is.c / 3;

	(void)g;
	if (l->is.c % 3 || third % l->heads)
		return error("%s: %d channels cannot be cut into queries, keys and values of %d "
			     "head%s", where, l->is.c, l->heads, word_plural(l->heads));
	if (l->rate > 0 && (int64_t)l->heads * l->is.h >= DROPOUT_ROWS)
		return error("%s: a dropout of %d heads over %d tokens is too large", where,
			     l->heads, l->is.h);
	l->os = (struct shape){ l->is.h, l->is.w, third };
	/* Products of queries with keys, and of probabilities with values; half are masked. */
	l->macs = (int64_t)third * l->is.h * (l->is.h + 1);
	return 0;
}

static int attention_detail(const struct layer *l, char *text, size_t size)
{
	return snprintf(text, size, "%d head%s", l->heads, word_plural(l->heads));
}

const struct layer_type layer_attention = {
	.name = "attention", .domain = ON_TOKENS, .ins = 1, .opts = attention_opts,
	.shape = attention_shape, .detail = attention_detail,
	.shown = (const char *const[]){ "rate", "heads", NULL },
};
