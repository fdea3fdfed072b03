/*
 * nets.h - problems to train: nets over data sets, and analytic ones.
 */
#ifndef NETS_NETS_H
#define NETS_NETS_H

#include "core/problem.h"
#include "nets/backend.h"

#include <stdio.h>

/* An analytic problem: a plug-in that needs no data set. */
struct problem_type {
	struct plugin plugin;
	struct problem *(*open)(const void *conf);      /* NULL after error() */
};
extern const struct plugin *const problem_table[];      /* NULL-ended: quadratic, logistic */

/*
 * A net of the zoo (or a .json path) over an open data set, on a backend with
 * its conf (copied; NULL: defaults). The data set is borrowed and must outlive the
 * problem. NULL after error().
 * Freed by problem->ops->close().
 */
struct problem *problem_net(const char *net, const struct backend *backend,
			    const struct backend_conf *conf, const struct dataset *ds);

/* A table of layers, output shapes, parameters and multiply-accumulates, and the totals. */
void graph_print(const struct graph *g, FILE *out);

/* Forward multiply-accumulates of one sample. */
int64_t graph_macs(const struct graph *g);

/*
 * For runs that carry no vectors: *dim <- the floats of a net's x, with no data
 * set and no backend. Input and classes as for graph_load(). 0 or error().
 */
int net_dim(const char *net, struct shape input, int classes, size_t *dim);

#endif
