/*
 * layers.h - the kinds of layers: their names, settings, shapes and parameters.
 *
 * Private to the loader; backends read struct layer. A layer kind is one entry
 * of layer_types in layers.c, and one operator in each backend.
 */
#ifndef NETS_LAYERS_H
#define NETS_LAYERS_H

#include "core/file/json.h"
#include "core/file/json_keys.h"
#include "core/grad_hook.h"
#include "core/text/opt.h"
#include "nets/graph/graph.h"

/* Settings of a layer as the file gives them. */
struct layer_conf {
	int64_t out, kernel, stride, pad, groups;
	bool bias, ceil, decay, bias_decay;
	int init, bias_init;            /* index into layer_inits */
	double init_value, bias_value;
	double eps, rate, alpha, power, k;
	int64_t heads, positions, memory, test_memory, test_clamp;
	int64_t cutoffs[CLUSTERS_MAX], div;
	double position_rate, projection_value;
	bool scaled, test_same_length, untied;
	int form;                       /* of gelu: 0 erf, 1 tanh */
};

struct layer_type {
	const char *name;
	int ins;                        /* layers it reads */
	const struct opt *opts;         /* of struct layer_conf */
	/*
	 * Fills l->os (channels of the output: conf->out where it has that
	 * setting) and l->macs from l->is. 0 or error(), which `where` begins;
	 * TOO_SMALL instead of -1 where a larger l->is might do.
	 */
	int (*shape)(struct layer *l, const struct layer_conf *conf, const char *where);
};

enum { TOO_SMALL = -2 };

extern const struct layer_type layer_types[];   /* by enum layer_kind; LAYER_INPUT has no name */
enum { LAYER_KINDS = LAYER_ADAPTIVE + 1 };

/* Limits: on each number of a shape, and on floats of one sample's activation or of x. */
enum { SIDE_MAX = 1 << 20, FLOATS_MAX = 1 << 30, LAYERS_MAX = 1 << 14 };
enum { CLASSES_MAX = 1 << 20, REPEAT_MAX = 10000 };

/* Keys of a file, of a file with a "base", of a block, and of an item besides its settings. */
extern const struct json_key net_keys[], net_over_keys[], net_block_keys[], net_item_keys[];

/* 0, or error() when a shape has a side out of [1, SIDE_MAX] or over FLOATS_MAX elements. */
int shape_check(int64_t h, int64_t w, int64_t c, const char *where);

/* Elements of a shape, and floats of a layer's weight (or gamma) and bias (or beta). */
size_t shape_count(struct shape s);
size_t layer_weights(const struct layer *l);
size_t layer_biases(const struct layer *l);

/* Of the weights, floats of projections, which are the last ones. */
size_t layer_projections(const struct layer *l);

/* Tells the hook that the gradient's part of this layer, if it has any, is final. */
void layer_done(const struct layer *l, struct grad_hook *hook);

/* A layer that works at each token alone, or on tokens only; neither: on pixels. */
bool layer_takes_tokens(const struct layer *l);

/* Input elements that feed one output: kernel^2 in / groups; and its counterpart kernel^2 out. */
int64_t layer_fan_in(const struct layer *l);
int64_t layer_fan_out(const struct layer *l);

/*
 * graph/base.c: the file with those it stands on ("base") taken in. Takes root, which
 * may be NULL; *where <- what messages call the whole, the caller frees. NULL after error().
 */
cJSON *graph_base(cJSON *root, const char *path, char **where);

/* graph/unroll.c: unrolls "layers" of a parsed file after layer 0 of g. 0 or error(). */
int graph_unroll(struct graph *g, const cJSON *root, const char *path);

#endif
