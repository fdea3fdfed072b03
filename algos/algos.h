/*
 * algos.h - the algorithms, optimisers, communication graphs and codecs that a user can name.
 *
 * To add one: write algos/NAME.c (or NAME.c in algos/optim/, algos/graph/, algos/codec/) that
 * exports one struct, and a line in algos/list.h and sources.mk.
 */
#ifndef ALGOS_ALGOS_H
#define ALGOS_ALGOS_H

#include "core/codec.h"
#include "core/graph.h"
#include "core/node.h"
#include "core/optim.h"

extern const struct plugin *const algo_table[];         /* of struct algo, NULL-ended */
extern const struct plugin *const optim_table[];        /* of struct optim, NULL-ended */
extern const struct plugin *const graph_table[];        /* of struct graph_type, NULL-ended */
extern const struct plugin *const codec_table[];        /* of struct codec, NULL-ended */

#endif
