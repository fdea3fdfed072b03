/*
 * algos.h - the algorithms, optimisers and communication graphs that a user can name.
 *
 * To add one: write algos/NAME.c (or algos/optim/NAME.c, algos/graph/NAME.c) that
 * exports one struct, and a line in algos/list.h and sources.mk.
 */
#ifndef ALGOS_ALGOS_H
#define ALGOS_ALGOS_H

#include "core/graph.h"
#include "core/node.h"
#include "core/optim.h"

extern const struct plugin *const algo_table[];         /* of struct algo, NULL-ended */
extern const struct plugin *const optim_table[];        /* of struct optim, NULL-ended */
extern const struct plugin *const graph_table[];        /* of struct graph_type, NULL-ended */

#endif
