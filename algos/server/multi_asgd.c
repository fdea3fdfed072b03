/*
 * multi_asgd.c - asynchronous SGD with a momentum for each worker, at the server.
 *
 *     server, for every gradient of worker i:   v_i <- mu v_i + g;   x <- x - eta v_i
 *
 * Each momentum is updated by one worker alone, but all of them move x.
 *
 * Paper: the comparator of Hakimi, Barkai, Gabel, Schuster 2019, with the rule above, which is that
 * of --optim sgd:nesterov=false. With nesterov=true a step looks ahead along v_i. Other optimisers
 * have a whole state for each worker, such as Adam's two means.
 */
#include "algos/common/server/serve.h"

struct multi_asgd_server {
	float **optim;          /* [workers] optimiser states */
};

static void multi_asgd_server_start(struct node *nd)
{
	struct multi_asgd_server *s = nd->state;

	s->optim = node_alloc(nd, (size_t)nd->workers, sizeof(*s->optim));
	for (int i = 0; i < nd->workers; i++)
		s->optim[i] = node_optim(nd);
}

static void multi_asgd_server_msg(struct node *nd, const struct msg *m)
{
	struct multi_asgd_server *s = nd->state;

	node_step_with(nd, s->optim[m->from], m->vec, 1.0f);
	serve_model(nd, m->from);
}

static const struct role multi_asgd_server = {
	.state_size = sizeof(struct multi_asgd_server), .start = multi_asgd_server_start,
	.msg = multi_asgd_server_msg, .fetch = serve_model,
};

const struct algo algo_multi_asgd = {
	.plugin = { .name = "multi-asgd",
		    .brief = "asgd with a momentum for each worker, at the server",
		    .cite = "Hakimi, Barkai, Gabel, Schuster 2019, arXiv 1907.11612" },
	.facts = { .rule = "server, for every gradient of worker i:  v_i <- mu v_i + g;  x <- x "
			   "- eta v_i",
		   .departs = "none with sgd:nesterov=false. With nesterov=true a step looks "
			      "ahead along v_i. With another optimiser each worker has a "
			      "separate optimiser state",
		   .waits = "no worker",
		   .staleness = "about n - 1",
		   .late = LATE_APART,
		   .messages = "2: gradient up, model down; 2 m",
		   .memory = "n / 0; adam: 2 n / 0",
		   .tolerates = SERVE_TOLERATES },
	.server = &multi_asgd_server,
	.worker = &serve_worker,
	.sends_gradients = true,
};
