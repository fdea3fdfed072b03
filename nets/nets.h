/*
 * nets.h - problems to train: nets over data sets, and analytic ones.
 */
#ifndef NETS_NETS_H
#define NETS_NETS_H

#include "core/problem.h"
#include "nets/backend.h"

/* An analytic problem: a plug-in that needs no data set. */
struct problem_type {
	struct plugin plugin;
	struct problem *(*open)(const void *conf);      /* NULL after error() */
};
extern const struct plugin *const problem_table[];      /* NULL-ended: quadratic, logistic */

/*
 * A net of the zoo (or a .json path) over an open data set, on a backend. The
 * data set is borrowed and must outlive the problem. NULL after error().
 * Freed by problem->ops->close().
 */
struct problem *problem_net(const char *net, const struct backend *backend,
			    const struct dataset *ds);

#endif
