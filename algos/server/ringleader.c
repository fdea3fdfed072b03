/*
 * ringleader.c - Ringleader ASGD: asynchronous SGD in which all workers' data weigh the same.
 *
 *     server, for every gradient g of worker i:
 *         if i has not stepped in this round:
 *             fold g into CURRENT_i, the mean of its gradients of this round
 *             if CURRENT has a gradient of every worker:
 *                 x <- optimiser(x, 1/n sum_j CURRENT_j);   i has stepped
 *         else:
 *             fold g into NEXT_i
 *         when all have stepped:   CURRENT <- NEXT;   NEXT is empty;   the next round begins
 *
 * First a round waits for the slowest worker, while fast ones compute more gradients at the same
 * x (phase 1). Then each further worker makes one step as it comes (phase 2):
 *
 *     worker 0   |--g--|--g--|--g--| step and next round |--g--|--g-- ...
 *     worker 1   |--------g--------| step |-------g------ ...
 *
 * So each worker steps once a round, whatever its speed, and a gradient is at most 2n - 2 steps
 * old. Asynchronous SGD goes to an optimum that weighs workers by their speed; this goes to that of
 * the mean of their functions. One worker is serial SGD.
 *
 * Paper: Maranjyan, Richtarik 2025.
 */
#include "algos/common/server/serve.h"
#include "algos/common/server/table.h"

struct ringleader_server {
	struct table current, next;
	bool *stepped;          /* [workers] in this round ... */
	int nstepped;           /* ... and their number */
};

static void ringleader_start(struct node *nd)
{
	struct ringleader_server *s = nd->state;

	table_open(nd, &s->current);
	table_open(nd, &s->next);
	s->stepped = node_alloc(nd, (size_t)nd->workers, sizeof(*s->stepped));
}

static void next_round(const struct node *nd, struct ringleader_server *s)
{
	const struct table old = s->current;

	s->current = s->next;
	s->next = old;
	table_clear(nd, &s->next);
	for (int i = 0; i < nd->workers; i++)
		s->stepped[i] = false;
	s->nstepped = 0;
}

static void ringleader_msg(struct node *nd, const struct msg *m)
{
	struct ringleader_server *s = nd->state;

	node_gather(nd, m->vec);
	if (s->stepped[m->from]) {
		table_add(nd, &s->next, m->from, m->vec);
	} else {
		table_add(nd, &s->current, m->from, m->vec);
		if (s->current.filled == nd->workers) {
			node_step_gathered(nd, s->current.sum, 1.0f / (float)nd->workers);
			s->stepped[m->from] = true;
			if (++s->nstepped == nd->workers)
				next_round(nd, s);
		}
	}
	serve_newer(nd, m);
}

static const struct role ringleader_server = {
	.state_size = sizeof(struct ringleader_server), .start = ringleader_start,
	.msg = ringleader_msg, .fetch = serve_model,
};

const struct algo algo_ringleader = {
	.plugin = { .name = "ringleader",
		    .brief = "asynchronous, for unequal data: every worker steps once a round",
		    .cite = "Maranjyan, Richtarik 2025, arXiv 2509.22860" },
	.facts = { .rule = "server, for every gradient of worker i:  if i has not stepped in this "
			   "round:\n"
			   "fold it into CURRENT_i, a mean;  if CURRENT has all workers:  x <- "
			   "optimiser(x, 1/n sum_j CURRENT_j)\n"
			   "else:  fold it into NEXT_i\n"
			   "when all have stepped:  CURRENT <- NEXT;  NEXT is empty",
		   .departs = "momentum and weight decay are those of --optim. The server does "
			      "not send a model again to a worker that has it",
		   .waits = "no worker; but at the start of a round the model waits for a gradient "
			    "of every worker, while all compute",
		   .staleness = "2 n - 2 at most",
		   .late = LATE,
		   .messages = "2: gradient up, model or an empty message down; m to 2 m",
		   .memory = "2 n + 2 / 0",
		   .tolerates = TABLE_TOLERATES },
	.server = &ringleader_server,
	.worker = &serve_worker,
	.sends_gradients = true,
};
