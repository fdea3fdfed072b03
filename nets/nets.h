/* Problems to train: nets with data sets, and analytic problems. */
#ifndef NETS_NETS_H
#define NETS_NETS_H

#include "core/problem.h"
#include "nets/backend.h"

#include <cjson/cJSON.h>
#include <stdio.h>

/* An analytic problem: a plug-in that needs no data set. */
struct problem_type {
	struct plugin plugin;
	struct problem *(*open)(const void *conf);      /* NULL after error() */
	/*
	 * As dataset_type.parts(): part[workers], unless NULL, <- each worker's own samples. 0; 1:
	 * all workers share all samples; -1 after error(). NULL: they always share.
	 */
	int (*parts)(const void *conf, int workers, struct sample_part *part);
};
extern const struct plugin *const problem_table[];      /* NULL-ended: quadratic, logistic */

/*
 * A net of the zoo (or a .json path) with an open data set, on a backend with its conf (copied;
 * NULL: defaults). The data set is borrowed and must outlive the problem. NULL after error(). Freed
 * by problem->ops->close().
 */
struct problem *problem_net(const char *net, const struct backend *backend,
			    const struct backend_conf *conf, const struct dataset *ds);

/* Samples that are computed at once: a large batch of windows of tokens is computed in parts. */
size_t problem_net_most(const struct graph *g, size_t batch);

/*
 * Prints a table of layers, output shapes, parameters, multiply-accumulates and bytes of output,
 * with totals.
 */
void graph_print(const struct graph *g, FILE *out);

/*
 * A random batch for a net: images[n][h][w][c] of normal numbers, or tokens, and
 * labels[n][targets], drawn at (seed, RNG_DATA, 0, sample).
 */
void graph_draw_batch(const struct graph *g, uint64_t seed, size_t n, float *images,
		      int32_t *labels);

/* Forward multiply-accumulates of one sample. */
int64_t graph_macs(const struct graph *g);

/* Bytes of one sample's output, in float: of a layer; of all layers, with the input. */
static inline size_t layer_bytes(const struct layer *l)
{
	return sizeof(float) * shape_count(l->os);
}
size_t graph_bytes(const struct graph *g);

/* Number of a layer's parameters. */
static inline size_t layer_parameters(const struct layer *l)
{
	return l->weights + l->biases;
}

/* Kind in files: "conv", "bn", ...; and its main settings, "3x3/2". */
const char *layer_kind_name(enum layer_kind kind);
int layer_detail(const struct layer *l, char *text, size_t size);

/* Adds the settings that determine the layer's function. */
void layer_show(const struct layer *l, cJSON *json);

/*
 * Paths of a net's file and of those that it names by "base", in this order, NULL-ended; freed by
 * path_list_free(). NULL after error().
 */
char **net_files(const char *net);

/* ---- gpt2_file.c: a GPT-2 model in a checkpoint file of llm.c ---- */

/* True if the file begins as llm.c's checkpoints do. */
bool gpt2_file_is(const char *path);

/*
 * The model x[g->dim], owned by the caller. NULL after error(): the net is no GPT-2 or has other
 * sizes; the file is incomplete or not in f32.
 */
float *gpt2_file_read(const char *path, const struct graph *g);

#endif
