/*
 * gpt2_file.c - a GPT-2 model in a checkpoint file of llm.c.
 *
 * The file begins with 256 words of 32 bits. The first eight are 20240326, 3 (all numbers are f32),
 * positions, vocabulary, layers, heads, channels and rows of the token table. Then come 16 tensors,
 * each for all layers together: wte wpe ln1w ln1b qkvw qkvb attprojw attprojb ln2w ln2b fcw fcb
 * fcprojw fcprojb lnfw lnfb. All of it is little-endian. The last rows of the table belong to no
 * token.
 */
#include "nets/nets.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_WORDS = 256, MAGIC = 20240326, VERSION_F32 = 3, VERSION_BF16 = 5 };
enum { BLOCK_LAYERS = 6 };      /* with parameters: ln1, qkv, attproj, ln2, fc, fcproj */
enum { AT_ONCE = 1 << 14 };     /* floats that are read together */

/* Words of the header. */
enum {
	AT_MAGIC, AT_VERSION, AT_POSITIONS, AT_VOCABULARY, AT_LAYERS, AT_HEADS, AT_CHANNELS,
	AT_ROWS
};

struct gpt2_file {
	const char *path;
	FILE *in;
	uint32_t header[HEADER_WORDS];
	/* Layers with parameters: wte and wpe, six of each block, lnf. */
	const struct layer **layer;     /* [n], owned; of the graph */
	size_t n;
};

static uint32_t gpt2_word(const uint8_t *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
	       (uint32_t)at[3] << 24;
}

/* Reads the header. True when it was complete. */
static bool gpt2_read_header(FILE *in, uint32_t *header)
{
	uint8_t bytes[4 * HEADER_WORDS];

	if (fread(bytes, 1, sizeof(bytes), in) != sizeof(bytes))
		return false;
	for (size_t k = 0; k < HEADER_WORDS; k++)
		header[k] = gpt2_word(bytes + 4 * k);
	return true;
}

bool gpt2_file_is(const char *path)
{
	uint32_t header[HEADER_WORDS];
	FILE *in = file_open(path);
	const bool is = in && gpt2_read_header(in, header) && header[AT_MAGIC] == MAGIC;

	if (in)
		fclose(in);
	return is;
}

/* ---- whether the net is the file's ---- */

static enum layer_kind gpt2_kind(size_t k, size_t n)
{
	static const enum layer_kind block[BLOCK_LAYERS] = {
		LAYER_LAYERNORM, LAYER_LINEAR, LAYER_LINEAR, LAYER_LAYERNORM, LAYER_LINEAR,
		LAYER_LINEAR
	};

	if (k == 0)
		return LAYER_EMBED;
	return k == n - 1 ? LAYER_LAYERNORM : block[(k - 1) % BLOCK_LAYERS];
}

static size_t gpt2_blocks(const struct gpt2_file *f)
{
	return (f->n - 2) / BLOCK_LAYERS;
}

/* True if the output channels of a block's k-th linear layer are 3, 1, 4 or 1 times the net's. */
static bool gpt2_is_wide(const struct layer *l, size_t k, int channels)
{
	static const int times[BLOCK_LAYERS] = { 1, 3, 1, 1, 4, 1 };

	return l->os.c == times[(k - 1) % BLOCK_LAYERS] * channels;
}

static bool gpt2_layer_fits(const struct gpt2_file *f, size_t k)
{
	const struct layer *l = f->layer[k];

	if (l->kind != gpt2_kind(k, f->n))
		return false;
	if (k == 0)
		return l->positions && l->tied;
	return l->bias && (k == f->n - 1 || gpt2_is_wide(l, k, f->layer[0]->os.c));
}

/* f->layer <- the layers with parameters. 0, or error() for another net. */
static int gpt2_take_layers(struct gpt2_file *f, const struct graph *g)
{
	bool fits;

	f->layer = xcalloc((size_t)g->n, sizeof(*f->layer));
	for (int i = 0; i < g->n; i++)
		if (g->layers[i].kind == LAYER_EMBED || g->layers[i].kind == LAYER_LINEAR ||
		    g->layers[i].kind == LAYER_LAYERNORM)
			f->layer[f->n++] = &g->layers[i];
	fits = g->tokens && f->n >= 2 && (f->n - 2) % BLOCK_LAYERS == 0;
	for (size_t k = 0; fits && k < f->n; k++)
		fits = gpt2_layer_fits(f, k);
	return fits ? 0 : error("%s: the net %s has other layers than GPT-2 (expected gpt2-124m, "
				"or a net with that base). Choose another net, or leave init out.",
				f->path, g->name);
}

static int gpt2_heads(const struct graph *g)
{
	for (int i = 0; i < g->n; i++)
		if (g->layers[i].kind == LAYER_ATTENTION)
			return g->layers[i].heads;
	return 0;
}

static int gpt2_check_sizes(const struct gpt2_file *f, const struct graph *g)
{
	const struct layer *table = f->layer[0];
	const struct {
		const char *what;
		int at, own;
	} all[] = {
		{ "positions", AT_POSITIONS, table->positions },
		{ "tokens", AT_VOCABULARY, table->vocabulary },
		{ "layers", AT_LAYERS, (int)gpt2_blocks(f) },
		{ "heads", AT_HEADS, gpt2_heads(g) },
		{ "channels", AT_CHANNELS, table->os.c },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (f->header[all[i].at] != (uint32_t)all[i].own)
			return error("%s: its model has %u %s, and the net %s has %d. Choose the "
				     "net of the file, or another file.", f->path,
				     f->header[all[i].at], all[i].what, g->name, all[i].own);
	return f->header[AT_ROWS] >= f->header[AT_VOCABULARY] ? 0
		: error("%s: a table of %u rows for %u tokens. The file is damaged; make it again.",
			f->path, f->header[AT_ROWS], f->header[AT_VOCABULARY]);
}

static int gpt2_check_header(struct gpt2_file *f)
{
	if (!gpt2_read_header(f->in, f->header) || f->header[AT_MAGIC] != MAGIC)
		return error("%s: it is no checkpoint of llm.c. Choose another file.", f->path);
	if (f->header[AT_VERSION] == VERSION_F32)
		return 0;
	return error("%s: it has version %u%s (expected %d, whose numbers are f32). Write it by "
		     "llm.c's train_gpt2.py in float32.", f->path, f->header[AT_VERSION],
		     f->header[AT_VERSION] == VERSION_BF16 ? ", in bf16" : "", VERSION_F32);
}

/* ---- the tensors ---- */

/* Reads n floats; x NULL: skips them. 0 or error(). */
static int gpt2_read_floats(struct gpt2_file *f, size_t n, float *x)
{
	static uint8_t bytes[4 * AT_ONCE];

	for (size_t at = 0, part; at < n; at += part) {
		part = n - at < AT_ONCE ? n - at : AT_ONCE;
		if (fread(bytes, 4, part, f->in) != part)
			return error("%s: it ends too early. The file is not whole; get it again.",
				     f->path);
		for (size_t i = 0; x && i < part; i++) {
			const uint32_t word = gpt2_word(bytes + 4 * i);

			memcpy(x + at + i, &word, sizeof(word));
		}
	}
	return 0;
}

static int gpt2_read_embed(struct gpt2_file *f, float *x)
{
	const struct layer *l = f->layer[0];
	const size_t c = (size_t)l->os.c, unused = f->header[AT_ROWS] - f->header[AT_VOCABULARY];

	if (gpt2_read_floats(f, (size_t)l->vocabulary * c, x + l->weight) ||
	    gpt2_read_floats(f, unused * c, NULL))
		return -1;
	return gpt2_read_floats(f, (size_t)l->positions * c, x + l->beta);
}

static size_t gpt2_weights(const struct layer *l)
{
	return l->kind == LAYER_LINEAR ? (size_t)l->os.c * (size_t)l->is.c : (size_t)l->os.c;
}

/* Reads layer k of every block: all weights, then all biases. */
static int gpt2_read_blocks(struct gpt2_file *f, size_t k, float *x)
{
	int ret = 0;

	for (int bias = 0; bias < 2; bias++)
		for (size_t i = k; i + 1 < f->n && !ret; i += BLOCK_LAYERS) {
			const struct layer *l = f->layer[i];

			ret = gpt2_read_floats(f, bias ? (size_t)l->os.c : gpt2_weights(l),
					       x + (bias ? l->beta : l->weight));
		}
	return ret;
}

static int gpt2_read_tensors(struct gpt2_file *f, float *x)
{
	const struct layer *last = f->layer[f->n - 1];
	int ret = gpt2_read_embed(f, x);

	for (size_t k = 1; k <= BLOCK_LAYERS && !ret; k++)
		ret = gpt2_read_blocks(f, k, x);
	if (ret || gpt2_read_floats(f, gpt2_weights(last), x + last->weight) ||
	    gpt2_read_floats(f, (size_t)last->os.c, x + last->beta))
		return -1;
	return getc(f->in) == EOF ? 0 : error("%s: it has bytes after the model. The file "
					      "is damaged; make it again.", f->path);
}

float *gpt2_file_read(const char *path, const struct graph *g)
{
	struct gpt2_file f = { .path = path, .in = file_open(path) };
	float *x = NULL;

	if (!f.in) {
		error("%s: cannot open: %s", path, file_why());
		return NULL;
	}
	if (!gpt2_check_header(&f) && !gpt2_take_layers(&f, g) && !gpt2_check_sizes(&f, g)) {
		x = vec_new(g->dim);
		if (gpt2_read_tensors(&f, x)) {
			free(x);
			x = NULL;
		}
	}
	free(f.layer);
	fclose(f.in);
	return x;
}
