/*
 * allreduce.c - synchronous SGD: all workers average gradients, then step alike.
 *
 *     x <- optimiser(x, 1/n sum_i g_i(x))
 *
 * A step equals that of one worker with a batch n times as large. Every round lasts as long as its
 * slowest worker.
 *
 * n is the number of workers whose gradients the all-reduce has added. If a worker fails, later
 * steps are divided by the number of the other workers until it has returned: so the mean is over
 * the gradients added, and the learning rate does not change.
 *
 * Paper: the baseline of all seven papers; the ring is Patarasuk, Yuan 2009.
 */
#include "algos/common/join.h"

struct allreduce_worker {
	float *allreduced;      /* [dim] sum of all workers' gradients */
};

static void allreduce_start(struct node *nd)
{
	struct allreduce_worker *w = nd->state;

	w->allreduced = node_vec(nd);
	node_grad_allreduce(nd, w->allreduced);
}

static void allreduce_allreduce(struct node *nd, float *v, size_t n)
{
	(void)n;
	node_step(nd, v, 1.0f / (float)node_added(nd));
	node_grad_allreduce(nd, v);
}

static void allreduce_back(struct node *nd, const struct msg *m)
{
	const struct allreduce_worker *w = nd->state;

	join_take(nd, join_of(nd), m);
	node_grad_allreduce(nd, w->allreduced);
}

static void allreduce_fetch(struct node *nd, int to)
{
	join_send(nd, to, join_of(nd), 0);
}

static const struct role allreduce_worker = {
	.state_size = sizeof(struct allreduce_worker),
	.start = allreduce_start,
	.allreduce = allreduce_allreduce,
	.back = allreduce_back,
	.fetch = allreduce_fetch,
};

const struct algo algo_allreduce = {
	.plugin = { .name = "allreduce",
		    .brief = "synchronous: all-reduce the gradients, step together",
		    .also = "sync, synchronous, sync-sgd, ssgd, ddp, dp, fsdp, data-parallel, "
			    "distributed-data-parallel, horovod, hvd, nccl, ring, ring-allreduce, "
			    "bsp, mirrored, dist-sync, sgd, minibatch-sgd",
		    .cite = "Patarasuk, Yuan 2009 (ring all-reduce)" },
	.facts = { .rule = "x <- optimiser(x, 1/n sum_i g_i(x))",
		   .waits = "all workers for each other, at every step",
		   .staleness = "0",
		   .messages = "an all-reduce of gradients; 2 (n - 1)/n m as a ring",
		   .memory = "- / 1",
		   .tolerates = JOIN_TOLERATES },
	.worker = &allreduce_worker,
	.lockstep = true,
	.order_fixed = order_always,
	.sends_gradients = true,
	.allreduces_gradients = true,
};
