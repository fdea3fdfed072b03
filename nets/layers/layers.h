/*
 * layers.h - kinds of layers: names, settings, shapes and parameters, without the backends' code.
 *
 * A kind NAME is a struct layer_NAME in a file of nets/layers/, a line of nets/layers/list.h, and
 * an operator in each backend. docs/nets.md describes the settings.
 */
#ifndef NETS_LAYERS_LAYERS_H
#define NETS_LAYERS_LAYERS_H

#include "core/file/json_keys.h"
#include "core/text/opt.h"
#include "nets/graph/graph.h"

/* Nets that may have the kind. */
enum layer_domain {
	ON_PIXELS,              /* nets of images */
	ON_ALL,                 /* all nets: it works on each value alone, or on rows in order */
	ON_TOKENS,              /* nets of tokens: on each token alone, or on a window */
	READS_TOKENS            /* nets of tokens, as the first layer */
};

/* Results of a shape rule besides 0 and, after error(), -1. */
enum {
	TOO_SMALL = -2,         /* after error(): a larger input might be possible */
	NO_LAYER = 1            /* its output would be its input, whose name it takes */
};

struct layer_type {
	const char *name;       /* in files */
	enum layer_domain domain;
	int ins;                /* number of layers that it reads */
	const struct opt *opts; /* of struct layer; NULL: none */
	/*
	 * Sets l->os, macs and, for parameters, weights, biases, fan_in, fan_out, from l->is, the
	 * settings and the layers before; g->n will be its number. Messages begin with `where`. 0,
	 * or a code above.
	 */
	int (*shape)(struct graph *g, struct layer *l, const char *where);
	/*
	 * Adds blobs for its parameters, whose offsets are set, and sets the offsets of parameters
	 * that it shares. NULL: "weight" [os.c][fan_in] and "bias" [biases].
	 */
	void (*add_blobs)(struct graph *g, struct layer *l);
	bool scales;            /* initial weights are scales around 1, and biases 0 */
	/* text <- the layer's main settings, "3x3/2"; like snprintf(). NULL: it has none. */
	int (*detail)(const struct layer *l, char *text, size_t size);
	const char *const *shown;       /* settings that `show net --json` writes; NULL: none */
	/* Adds members about sharing with other layers to the JSON of `show net`. NULL: none. */
	void (*show_shared)(const struct graph *g, const struct layer *l, cJSON *json);
	const char *colour;     /* in diagrams; NULL: grey */
	bool joins;             /* ... drawn in the box of the layer that it alone reads */
};

extern const struct layer_type *const layer_types[LAYER_KINDS];

/* The kind of that name, or LAYER_INPUT when there is none. */
enum layer_kind layer_find(const char *name);

/* Limits: on each number of a shape, and on floats of one sample's activation or of x. */
enum { SIDE_MAX = 1 << 20, FLOATS_MAX = 1 << 30, LAYERS_MAX = 1 << 14 };
enum { CLASSES_MAX = 1 << 20, REPEAT_MAX = 10000 };

/* Keys of a file, of a file with a "base", of a block, and of an item (without its settings). */
extern const struct json_key net_keys[], net_over_keys[], net_block_keys[], net_item_keys[];

/*
 * graph/base.c: merges the file with the files named by "base". Takes root, which may be NULL;
 * *where <- the name of the whole for messages, which the caller frees. NULL after error().
 */
cJSON *graph_base(cJSON *root, const char *path, char **where);

/* graph/base.c: adds a copy of the item to the object, replacing a member of that name. */
void member_put(cJSON *object, const cJSON *item);

/* graph/unroll.c: layers, input and classes of a parsed file. 0 or error(). */
int graph_unroll(struct graph *g, const cJSON *root, const char *path);

/* ---- for shape rules: 0, or -1 after error() ---- */

/* Checks that sides are in [1, SIDE_MAX], and elements at most FLOATS_MAX. */
int shape_check(int64_t h, int64_t w, int64_t c, const char *where);

/* Checks that a setting without a default was given, that is, is not 0. */
int layer_need(int value, const char *key, const char *where);

/*
 * Sets the output to c channels at each position of a window (kernel, stride, pad). Or TOO_SMALL.
 */
int layer_window(struct layer *l, int c, const char *where);

/*
 * Sets the parameters of a product with weights[os.c][fan_in] at each pixel of os, and of its bias.
 */
int layer_product(struct layer *l, int64_t fan_in, int64_t fan_out, const char *where);

/* Sets the output's shape to the input's. */
int layer_keep_shape(struct graph *g, struct layer *l, const char *where);

/* attention.c: the shape also of `relative`. */
int attention_shape(struct graph *g, struct layer *l, const char *where);

/* embed.c: counts l's cutoffs; writes them to the JSON of `show net`. */
int embed_count_clusters(struct layer *l, const char *where);
void embed_show_clusters(const struct layer *l, cJSON *json);

/* embed.c: ties l to the embed layer that is its second input. */
int unembed_tie(struct graph *g, struct layer *l, const char *where);

/* ---- for add_blobs() ---- */

/* Adds a blob, named after the layer and `what`, after the existing ones. */
void graph_add_blob(struct graph *g, const struct layer *l, const char *what, bool decay, int rank,
		    const int shape[4]);

/* bn.c, for layernorm.c too: adds "gamma" and "beta". */
void bn_add_scales(struct graph *g, struct layer *l);

/* ---- settings that several kinds have ---- */

#define SETTING(type, f) OPT_AT(type, struct layer, f)
#define SETTING_OUT { .name = "out", SETTING(INT32, os.c), .def = "0", .arg = "N", \
	.min = 0, .max = SIDE_MAX, .help = "output channels" }
#define SETTING_KERNEL { .name = "kernel", SETTING(INT32, kernel), .def = "0", \
	.arg = "N", .min = 0, .max = 1024, .help = "side of the window in pixels" }
#define SETTING_STRIDE(d, least) { .name = "stride", SETTING(INT32, stride), .def = d, \
	.arg = "N", .min = least, .max = 1024, .help = "pixels from one window to the next" }
#define SETTING_PAD { .name = "pad", SETTING(INT32, pad), .def = "0", .arg = "N", \
	.min = 0, .max = 1024, .help = "pixels of padding on every side" }
#define SETTING_EPS { .name = "eps", SETTING(DOUBLE, eps), .def = "1e-5", .arg = "X", \
	.min = 1e-12, .max = 1, .help = "added to the variance" }
#define SETTING_DECAY { .name = "decay", SETTING(BOOL, decay), .def = "true", \
	.help = "weight decay applies to the layer's parameters" }
#define SETTING_BIAS_DECAY { .name = "bias_decay", SETTING(BOOL, bias_decay), \
	.def = "true", .help = "weight decay applies to the bias too" }
#define SETTING_BIAS(text) { .name = "bias", SETTING(BOOL, bias), .def = "true", .help = text }

/* Settings of initial values; `positions` is for layers of nets of tokens. */
extern const char *const layer_inits[];         /* by enum init; NULL-ended */
#define SETTING_INIT(d) { .name = "init", SETTING(ENUM, init), .def = d, \
	.choices = layer_inits, .help = "how the weights begin" }
#define SETTING_BIAS_INIT(d, text) { .name = "bias_init", SETTING(ENUM, bias_init), \
	.def = d, .choices = layer_inits, .help = text }
#define BIAS_BEGINS "how the bias begins"
#define POSITIONS_BEGIN "how the bias, or the table of positions, begins"
#define SETTING_INIT_VALUES(d, bias) \
	{ .name = "init_value", SETTING(DOUBLE, init_value), .def = d, .arg = "X", \
	  .min = -1e6, .max = 1e6, .help = "deviation of init normal; value of constant" }, \
	{ .name = "bias_value", SETTING(DOUBLE, bias_value), .def = bias, .arg = "X", \
	  .min = -1e6, .max = 1e6, .help = "the same for bias_init" }

/* Settings of attention and relative. */
#define SETTING_HEADS { .name = "heads", SETTING(INT32, heads), .def = "1", .arg = "N", \
	.min = 1, .max = SIDE_MAX, .help = "heads, each with its share of the channels" }
#define SETTING_DROPPED { .name = "rate", SETTING(DOUBLE, rate), .def = "0", .arg = "P", \
	.min = 0, .max = 0.99, .help = "probabilities dropped in training" }

/* Settings of embed and adaptive. */
#define SETTING_CUTOFF(name_, k, text) { .name = name_, SETTING(INT32, cutoffs[k]), .def = "0", \
	.arg = "N", .min = 0, .max = SIDE_MAX, .help = text }
#define SETTING_CUTOFFS \
	SETTING_CUTOFF("cutoff1", 0, "the first token of the first cluster; 0: there are none"), \
	SETTING_CUTOFF("cutoff2", 1, "of the second one; 0: there is none"), \
	SETTING_CUTOFF("cutoff3", 2, "of the third one; 0: there is none")
#define SETTING_DIV \
	{ .name = "div", SETTING(INT32, div), .def = "1", .arg = "N", .min = 1, .max = SIDE_MAX, \
	  .help = "rows of cluster k have the channels divided by N^k, and a projection; 1: all " \
	  "rows have all channels" }, \
	{ .name = "projection_value", SETTING(DOUBLE, projection_value), .def = "0.01", \
	  .arg = "X", .min = 0, .max = 1e6, .help = "projections begin as normal numbers of this " \
	  "deviation" }

#endif
