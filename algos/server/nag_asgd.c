/*
 * nag_asgd.c - asynchronous SGD with one Nesterov momentum, at the server.
 *
 *     server, for every gradient:   v <- mu v + g;   y <- y - eta v;   send x = y - eta mu v
 *
 * All workers update one momentum, which is what staleness harms most. In x, the point ahead, the
 * rule is the optimiser's own: v <- mu v + g;  x <- x - eta (g + mu v). So this is asgd with
 * --optim sgd:nesterov=true under the papers' name, and it refuses other optimisers.
 *
 * Paper: the comparator of Hakimi, Barkai, Gabel, Schuster 2019 and of Barkai et al. 2019. The
 * model that is evaluated is x, the point ahead.
 */
#include "algos/common/server/serve.h"

#include "core/base/error.h"
#include "core/run.h"

static void nag_asgd_server_msg(struct node *nd, const struct msg *m)
{
	node_step(nd, m->vec, 1.0f);
	serve_model(nd, m->from);
}

static int nag_asgd_check(const struct run *run)
{
	struct momentum m;

	if (!run->optim->momentum)
		return error("algorithm nag-asgd looks ahead along the momentum of sgd (expected "
			     "--optim sgd, not '%s'). Use --algo dana:form=predict,ahead=1, which "
			     "predicts the steps of adam too.", run->optim->plugin.name);
	m = run->optim->momentum(run->optim_conf, run->workers);
	if (m.mu != 0.0 && !m.nesterov)
		return error("algorithm nag-asgd looks ahead along the momentum: it needs "
			     "--optim %s:nesterov=true (asgd does without)",
			     run->optim->plugin.name);
	return 0;
}

static const struct role nag_asgd_server = {
	.msg = nag_asgd_server_msg,
	.fetch = serve_model,
};

const struct algo algo_nag_asgd = {
	.plugin = { .name = "nag-asgd",
		    .brief = "asgd with one Nesterov momentum at the server",
		    .cite = "Hakimi, Barkai, Gabel, Schuster 2019, arXiv 1907.11612" },
	.facts = { .rule = "server, for every gradient:  v <- mu v + g;  x <- x - eta (g + mu v)",
		   .departs = "the paper's server keeps a model y, and sends the look-ahead "
			      "point y - eta mu v. convoy's x is that point, so the look-ahead "
			      "point is also the model that is evaluated. The algorithm is the "
			      "same as asgd with sgd:nesterov=true",
		   SERVE_FACTS,
		   .memory = "0 / 0" },
	.server = &nag_asgd_server,
	.worker = &serve_worker,
	.sends_gradients = true,
	.check = nag_asgd_check,
};
