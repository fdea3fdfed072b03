/*
 * easgd.c - elastic averaging SGD: local steps, each model on a spring to a centre.
 *
 *     every tau steps:   u_i <- alpha (x_i - c);   c <- c + u_i
 *                        x_i <- optimiser(x_i, g_i) - u_i
 *     otherwise:         x_i <- optimiser(x_i, g_i)
 *
 * The optimiser is local. The paper's EASGD has sgd:momentum=0; with Nesterov's momentum this is
 * eamsgd, bit for bit.
 *
 * Paper: Zhang, Choromanska, LeCun 2015; common/server/elastic.h describes the messages.
 */
#include "algos/common/server/elastic.h"

const struct algo algo_easgd = {
	.plugin = { .name = "easgd",
		    .brief = "elastic averaging: local steps; models and a centre attract each "
			     "other",
		    .also = "elastic, elastic-averaging",
		    .cite = "Zhang, Choromanska, LeCun 2015, arXiv 1412.6651",
		    .opts = elastic_opts, .conf_size = sizeof(struct elastic_conf) },
	.facts = { .rule = "every tau steps:  u_i <- alpha (x_i - X);  X <- X + u_i;  x_i <- "
			   "optimiser(x_i, g_i) - u_i",
		   .departs = "the local optimiser can be any; the paper's is SGD without "
			      "momentum. With Nesterov's momentum this algorithm is eamsgd",
		   ELASTIC_FACTS },
	.server = &elastic_server,
	.worker = &elastic_worker,
	.round = "tau",
	.check = elastic_check,
};
