/*
 * gossip_pull.c - gossiping SGD in which a worker pulls a neighbour's model.
 *
 *     x_i <- optimiser(x_i, g_i);   every tau steps, with a random peer j:  x_i <- (x_i + x_j)/2
 *
 * A worker asks as it begins to compute a gradient and averages whenever the
 * answer comes; it never waits, and asks no other worker before it was answered:
 *
 *     i  -- ASK -->|           |<-- x_j --  x_i <- (x_i + x_j)/2
 *     j            | answers x_j, which stays as it is
 *
 * Only i moves, so the mean of all models is preserved on average, but not exactly.
 *
 *     order=meanwhile   asks, computes, averages when the answer comes; the gradient is taken at
 *                       the model before the average
 *     order=first       asks, waits, averages, and takes the gradient at the average
 *
 * The effective learning rate. A worker asks directly after its own step, when the others have made
 * half a step less on average. Averaging takes half of that away, so a step moves the mean of all
 * models by 3/4 of the learning rate, if tau is 1 and workers are equally fast. To compare methods,
 * tune their learning rates separately, or pull at 4/3 of all-reduce's.
 *
 * Paper: Jin, Yuan, Iandola, Keutzer 2016. There a worker reads its neighbour's memory, which takes
 * no time of the neighbour; here the neighbour answers. We could not verify that the paper's
 * blocking worker averages first.
 */
#include "algos/common/peers/peers.h"
#include "core/math/vec.h"

enum { GOSSIP_PULL_ASK, GOSSIP_PULL_ANSWER, GOSSIP_PULL_BACK }; /* BACK: ask me again */

enum gossip_pull_order { GOSSIP_PULL_MEANWHILE, GOSSIP_PULL_FIRST };

struct gossip_pull_conf {
	int64_t tau;
	int order;
};

struct gossip_pull_worker {
	bool asking;
	int asked;              /* rank asked, while waiting for its answer */
	struct absent absent;
};

static bool gossip_pull_is_average_first(const struct node *nd)
{
	return ((const struct gossip_pull_conf *)nd->conf)->order == GOSSIP_PULL_FIRST;
}

static void gossip_pull_ask(struct node *nd)
{
	struct gossip_pull_worker *w = nd->state;
	const int peer = w->asking ? NO_PEER : peers_draw_present(nd, &w->absent);

	if (peer == NO_PEER)
		return;
	w->asking = true;
	w->asked = peer;
	node_send(nd, peer, &(struct msg){ .tag = GOSSIP_PULL_ASK, .stamp = nd->step });
}

static void gossip_pull_grad(struct node *nd, const struct grad *g)
{
	const struct gossip_pull_conf *c = nd->conf;
	const struct gossip_pull_worker *w = nd->state;

	node_step(nd, g->vec, 1.0f);
	if (nd->step % c->tau == 0)
		gossip_pull_ask(nd);
	if (!w->asking || !gossip_pull_is_average_first(nd))
		node_grad(nd);
}

static void gossip_pull_give(struct node *nd, int to)
{
	node_send(
		nd, to,
		&(struct msg){
			.tag = GOSSIP_PULL_ANSWER, .stamp = nd->step, .vec = nd->x, .n = nd->dim });
}

static void gossip_pull_go_on(struct node *nd)
{
	struct gossip_pull_worker *w = nd->state;

	w->asking = false;
	if (gossip_pull_is_average_first(nd))
		node_grad(nd);
}

static void gossip_pull_msg(struct node *nd, const struct msg *m)
{
	struct gossip_pull_worker *w = nd->state;

	switch (m->tag) {
	case GOSSIP_PULL_ASK:
		gossip_pull_give(nd, m->from);
		break;
	case GOSSIP_PULL_BACK:
		absent_remove(nd, &w->absent, m->from);
		break;
	default:
		peers_average(nd, m->vec);
		gossip_pull_go_on(nd);
	}
}

/* The neighbour that it has asked is lost and will not answer. */
static void gossip_pull_lost(struct node *nd, int rank)
{
	struct gossip_pull_worker *w = nd->state;

	absent_add(nd, &w->absent, rank);
	if (w->asking && w->asked == rank)
		gossip_pull_go_on(nd);
}

static void gossip_pull_back(struct node *nd, const struct msg *m)
{
	struct gossip_pull_worker *w = nd->state;

	if (m)
		vec_copy(nd->dim, m->vec, nd->x);
	w->asking = false;
	absent_clear(nd, &w->absent);
	peers_announce(nd, GOSSIP_PULL_BACK);
	node_grad(nd);
}

static int gossip_pull_check(const struct run *run)
{
	return graph_check(run, 0);
}

/* A question and an answer every tau gradients. */
static double gossip_pull_exchanges(const void *conf)
{
	const struct gossip_pull_conf *c = conf;

	return c->order == GOSSIP_PULL_FIRST ? 0.0 : 2.0 / (double)c->tau;
}

static const struct role gossip_pull_worker = {
	.state_size = sizeof(struct gossip_pull_worker),
	.start = node_grad,
	.grad = gossip_pull_grad,
	.msg = gossip_pull_msg,
	.back = gossip_pull_back,
	.fetch = gossip_pull_give,
	.lost = gossip_pull_lost,
};

static const char *const gossip_pull_orders[] = { "meanwhile", "first", NULL };

static const struct opt gossip_pull_opts[] = {
	OPT_NUMBER(struct gossip_pull_conf, tau, "1", "steps between two exchanges", "N", 1,
		   1 << 30),
	OPT_CHOICE(struct gossip_pull_conf, order, "meanwhile",
		   "average while a gradient is computed, or first, and compute it at the average",
		   "WHEN", gossip_pull_orders),
	{ 0 }
};

const struct algo algo_gossip_pull = {
	.plugin = { .name = "gossip-pull",
		    .brief = "asynchronous, decentralised: average with a random neighbour's "
			     "model",
		    .cite = "Jin et al. 2016, arXiv 1611.04581",
		    .opts = gossip_pull_opts,
		    .conf_size = sizeof(struct gossip_pull_conf) },
	.facts = { .rule = "x_i <- optimiser(x_i, g_i);  every tau steps:  x_i <- (x_i + "
			   "x_j)/2, j a random neighbour",
		   .departs = "the neighbour sends its model; in the paper, the worker reads it "
			      "from the neighbour's memory",
		   .waits = "no worker; order=first: a worker for its neighbour's answer",
		   .staleness = "0 in the worker's own steps; averages change its model while "
				"it computes; order=first: 0",
		   .messages = "a question and a model every tau gradients; m / tau",
		   .memory = "- / 0",
		   .tolerates = "a worker that leaves: none asks it until it returns; "
				"order=first: a worker that waits for its answer waits until it "
				"detects the absence" },
	.worker = &gossip_pull_worker,
	.graph = "complete",
	.check = gossip_pull_check,
	.exchanges = gossip_pull_exchanges,
};
