/*
 * eamsgd.c - elastic averaging with Nesterov's momentum in the local steps.
 *
 *     every tau steps:   u_i <- alpha (x_i - X);  X <- X + u_i;  at other steps:  u_i = 0
 *     every step:        v_i <- mu v_i - eta g_i(x_i + mu v_i);  x_i <- x_i + v_i - u_i
 *
 * This equals easgd with the optimiser sgd:momentum=MU,nesterov=true, whose model is what is
 * x_i + mu v_i here; any other optimiser is refused.
 *
 * Paper: Zhang, Choromanska, LeCun 2015; algos/common/server/elastic.h describes the messages.
 */
#include "algos/common/server/elastic.h"
#include "core/base/error.h"
#include "core/run.h"

static int eamsgd_check(const struct run *run)
{
	const struct optim *o = run->optim;
	const struct momentum m = o->momentum ? o->momentum(run->optim_conf, run->workers)
					      : (struct momentum){ 0 };

	if (!m.nesterov || m.mu == 0.0)
		return error("eamsgd is easgd with Nesterov's momentum, and this optimiser has "
			     "none: use sgd:momentum=0.9,nesterov=true, or easgd");
	return elastic_check(run);
}

const struct algo algo_eamsgd = {
	.plugin = { .name = "eamsgd",
		    .brief = "elastic averaging with Nesterov's momentum in the local steps",
		    .cite = "Zhang, Choromanska, LeCun 2015, arXiv 1412.6651",
		    .opts = elastic_opts, .conf_size = sizeof(struct elastic_conf) },
	.facts = { .rule = "every tau steps:  u_i <- alpha (x_i - X);  X <- X + u_i;  at other "
			   "steps:  u_i = 0\n"
			   "every step:  v_i <- mu v_i - eta g_i(x_i + mu v_i);  x_i <- x_i + "
			   "v_i - u_i",
		   ELASTIC_FACTS },
	.server = &elastic_server,
	.worker = &elastic_worker,
	.round = "tau",
	.check = eamsgd_check,
};
