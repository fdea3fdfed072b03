/* tie.c - layers of nets of tokens that share parameters. */
#include "core/base/error.h"
#include "nets/adaptive.h"
#include "nets/graph/unroll.h"

#include <string.h>

/* An unembed reads one layer and another's table: rows times tokens. */
static int tie_unembed(struct graph *g, struct layer *l, const char *where)
{
	struct layer *table = &g->layers[l->in[1]];

	if (table->kind != LAYER_EMBED)
		return error("%s: its second input is the embed layer whose table it reads, not "
			     "'%s'", where, table->name);
	if (table->tied)
		return error("%s: the table of '%s' is read by '%s' already", where, table->name,
			     g->layers[table->tied].name);
	if (table->os.c != l->is.c)
		return error("%s: reads %d channels, but the rows of '%s' have %d", where, l->is.c,
			     table->name, table->os.c);
	if (table->div != l->div)
		return error("%s: reads rows of \"div\" %d, but those of '%s' have \"div\" %d "
			     "(expected the same; only adaptive has the setting)", where, l->div,
			     table->name, table->div);
	l->tied = l->in[1];
	l->in[1] = -1;
	table->tied = g->n;
	l->os.c = table->vocabulary;
	l->macs = (int64_t)table->vocabulary * l->is.c * l->is.h;
	return shape_check(l->os.h, l->os.w, l->os.c, where);
}

/* Cutoffs grow, leave the head a token, and the last cluster one. */
static int count_clusters(struct layer *l, const char *where)
{
	for (int k = 0; k < CLUSTERS_MAX; k++) {
		if (!l->cutoffs[k])
			continue;
		if (l->clusters != k || l->cutoffs[k] <= (k ? l->cutoffs[k - 1] : 0)
		    || l->cutoffs[k] >= l->vocabulary)
			return error("%s: cutoffs %d, %d, %d (expected growing numbers below the "
				     "%d tokens, unused ones last). Order them, or leave the last "
				     "ones out.", where, l->cutoffs[0], l->cutoffs[1],
				     l->cutoffs[2], l->vocabulary);
		l->clusters++;
	}
	return 0;
}

/* Rows of a cluster have a whole number of values, so at least one. */
static int check_widths(const struct layer *l, const char *where)
{
	int width = l->os.c;

	if (!l->clusters)
		return error("%s: \"div\" %d makes the rows of clusters shorter, but there are "
			     "none (expected a \"cutoff1\"). Give the cutoffs of the adaptive "
			     "layer.", where, l->div);
	for (int k = 1; k <= l->clusters; k++) {
		if (width % l->div)
			return error("%s: rows of cluster %d would have %d / %d of the %d values "
				     "of those before (expected a whole number). Choose an \"out\" "
				     "that %d divides %d times, another \"div\" or fewer cutoffs.",
				     where, k, width, l->div, width, l->div, l->clusters);
		width /= l->div;
	}
	return 0;
}

/* In rows of one width, clusters make no difference. A token of the head has the largest work. */
static int tie_embed(struct layer *l, const char *where)
{
	if (count_clusters(l, where))
		return -1;
	if (l->div > 1) {
		l->macs = (int64_t)l->os.c * l->os.c * l->os.h;
		return check_widths(l, where);
	}
	memset(l->cutoffs, 0, sizeof(l->cutoffs));
	l->clusters = 0;
	return 0;
}

static int tie_adaptive(struct graph *g, struct layer *l, const char *where)
{
	const struct layer *table;

	if (tie_unembed(g, l, where) || count_clusters(l, where))
		return -1;
	table = &g->layers[l->tied];
	if (l->div > 1 && memcmp(l->cutoffs, table->cutoffs, sizeof(l->cutoffs)))
		return error("%s: cutoffs %d, %d, %d, but those of '%s', whose rows it reads, are "
			     "%d, %d, %d (expected the same with \"div\" %d)", where,
			     l->cutoffs[0], l->cutoffs[1], l->cutoffs[2], table->name,
			     table->cutoffs[0], table->cutoffs[1], table->cutoffs[2], l->div);
	l->macs = (int64_t)adaptive_head(l) * l->is.c * l->is.h;
	if (l->div > 1)
		l->macs += (int64_t)l->is.c * l->is.c * l->is.h;
	return 0;
}

/*
 * A relative layer reads the queries, keys and values that a linear layer makes of the rows that it
 * keeps: its memory's keys and values are made by the same weights.
 */
static int tie_projection(struct graph *g, struct layer *l, const char *where)
{
	struct layer *made = &g->layers[l->in[0]];

	if (made->kind != LAYER_LINEAR || made->bias || made->in[0] != l->in[1])
		return error("%s: its first input is a linear layer without bias, which reads the "
			     "second one, not '%s'", where, made->name);
	if (made->tied)
		return error("%s: '%s' is read by '%s' already", where, made->name,
			     g->layers[made->tied].name);
	l->tied = l->in[0];
	made->tied = g->n;
	return 0;
}

/* The net's first layer of the kind; it may be the one that is about to be added. */
static int tie_first(const struct graph *g)
{
	int i = 1;

	while (i < g->n && g->layers[i].kind != LAYER_RELATIVE)
		i++;
	return i;
}

static int tie_biases(struct graph *g, struct layer *l, const char *where)
{
	const struct layer *first;

	l->first = tie_first(g);
	l->leads = l->first == g->n;
	if (l->leads)
		return 0;
	first = &g->layers[l->first];
	if (!l->untied && (first->os.c != l->os.c || first->heads != l->heads))
		return error("%s: has %d heads and %d channels, but '%s', whose biases it shares, "
			     "has %d and %d (expected as many, or \"untied\": true)", where,
			     l->heads, l->os.c, first->name, first->heads, first->os.c);
	return 0;
}

/*
 * Multiply-accumulates of its window, of a batch whose memory is full: scores by content and by
 * distance, and values, of which half of the window's are masked; keys and values of the memory.
 */
static void relative_work(struct layer *l)
{
	const int64_t keys = 2 * (int64_t)l->memory + l->is.h + 1;

	l->macs = 3 * (int64_t)l->os.c * l->is.h * keys / 2 +
		  2 * (int64_t)l->memory * l->os.c * l->width;
}

static int tie_relative(struct graph *g, struct layer *l, const char *where)
{
	l->width = g->layers[l->in[1]].os.c;
	if (tie_projection(g, l, where) || tie_biases(g, l, where))
		return -1;
	if (l->width % 2)
		return error("%s: its second input has %d channels (expected an even number: "
			     "sines and cosines)", where, l->width);
	if ((l->test_same_length || l->test_memory) && !l->memory)
		return error("%s: \"%s\" is for a layer with a \"memory\"", where,
			     l->test_memory ? "test_memory" : "test_same_length");
	if (!l->test_memory)
		l->test_memory = l->memory;
	relative_work(l);
	return 0;
}

int layer_tie(struct graph *g, struct layer *l, const char *where)
{
	if (l->kind == LAYER_UNEMBED)
		return tie_unembed(g, l, where);
	if (l->kind == LAYER_ADAPTIVE)
		return tie_adaptive(g, l, where);
	if (l->kind == LAYER_EMBED)
		return tie_embed(l, where);
	return l->kind == LAYER_RELATIVE ? tie_relative(g, l, where) : 0;
}
