/*
 * malenia.c - Malenia SGD: rounds in which each worker's data weigh the same.
 *
 *     server, when b_i gradients of each worker i, computed at x, are there:
 *         x <- optimiser(x, 1/n sum_i (1/b_i sum of worker i's gradients));   x to all
 *     that is as soon as all b_i >= 1, and   n / sum_i 1/b_i >= S / n
 *
 * Workers compute at x without a pause, so fast ones contribute means of several gradients. When
 * the round ends, unfinished gradients are dropped:
 *
 *     worker 0   |--g--|--g--|--g--|--g--|--g-- ...
 *     worker 1   |--------g-------x|--------g-- ...
 *
 * The second condition bounds the noise: the step's variance is that of S gradients or less. With S
 * = n, the default, a round ends with the slowest worker's first gradient; among equally fast
 * workers it is an all-reduce.
 *
 * Paper: Tyurin, Richtarik 2023 (the method for heterogeneous functions).
 */
#include "algos/common/server/serve.h"
#include "algos/common/server/table.h"

struct malenia_conf {
	int64_t batch;
};

static void malenia_start(struct node *nd)
{
	table_open(nd, nd->state);
}

static bool round_is_over(const struct node *nd, const struct table *t)
{
	const struct malenia_conf *c = nd->conf;
	const double n = nd->workers, s = c->batch ? (double)c->batch : n;
	double inverse = 0;     /* sum_i 1/b_i */

	if (t->filled < nd->workers)
		return false;
	for (int i = 0; i < nd->workers; i++)
		inverse += 1.0 / (double)t->count[i];
	return n * n >= s * inverse * (1.0 - 1e-12);    /* thirds and the like are not exact */
}

static void malenia_msg(struct node *nd, const struct msg *m)
{
	struct table *t = nd->state;

	if (serve_staleness(nd, m) > 0) {
		node_ignore(nd);
		return;
	}
	node_gather(nd, m->vec);
	table_add(nd, t, m->from, m->vec);
	if (!round_is_over(nd, t)) {
		serve_newer(nd, m);
		return;
	}
	table_add_up(nd, t);
	node_step_gathered(nd, t->sum, 1.0f / (float)nd->workers);
	table_clear(nd, t);
	serve_all(nd);
}

static const struct role malenia_server = {
	.state_size = sizeof(struct table), .start = malenia_start, .msg = malenia_msg,
	.fetch = serve_model,
};

static const struct opt malenia_opts[] = {
	OPT_NUMBER(struct malenia_conf, batch, "0",
		   "S, gradients of a step: a round ends when the harmonic mean of the workers' "
		   "numbers is S / n; 0: as many as workers, one of each at least",
		   "S", 0, 1 << 24),
	{ 0 }
};

const struct algo algo_malenia = {
	.plugin = { .name = "malenia",
		    .brief = "rounds, for unequal data: a step uses the mean of each worker's mean",
		    .cite = "Tyurin, Richtarik 2023, arXiv 2305.12387",
		    .opts = malenia_opts,
		    .conf_size = sizeof(struct malenia_conf) },
	.facts = { .rule = "server, when b_i gradients at x of each worker i have come, with all "
			   "b_i >= 1 and n / sum_i 1/b_i >= S/n:\n"
			   "x <- optimiser(x, 1/n sum_i (1/b_i sum of worker i's gradients))",
		   .departs = "after each gradient a worker waits for the server's message, "
			      "which is empty, before it continues. Minibatches of gradients "
			      "that were given up are not used again in that epoch",
		   .waits = "no worker; at every step, workers give up unfinished gradients",
		   .staleness = "0",
		   .messages = "1 gradient up, an empty message down; n models down for each step; "
			       "2 m at most",
		   .memory = "n + 1 / 0",
		   .tolerates = TABLE_TOLERATES },
	.server = &malenia_server,
	.worker = &serve_restarter,
	.sends_gradients = true,
};
