/*
 * k_async.c - asynchronous SGD whose steps use the gradients of the first k workers.
 *
 *     server, when k gradients are there:   x <- optimiser(x, 1/k sum g)
 *
 * The k workers wait for each other and get the new model. The others continue to compute; their
 * gradients will count when they arrive, although they are stale:
 *
 *     worker 0   |---g---|...|---g---|...
 *     worker 1   |-----g-----|-----g-----|           k = 2 of 3
 *     worker 2   |--------------g-------------|
 *
 * Paper: Dutta et al. 2018 (K-async SGD).
 */
#include "algos/common/server/gather.h"
#include "algos/common/server/serve.h"
#include "core/run.h"

#include <stdlib.h>

struct k_async_conf {
	int64_t k;
};

struct k_async_server {
	struct pile pile;
	bool *waits;            /* [workers] its gradient is in the pile ... */
	int *waiting, nwaiting; /* ... and the ranks of these workers */
};

static void k_async_server_start(struct node *nd)
{
	struct k_async_server *s = nd->state;

	pile_open(nd, &s->pile, 1);
	s->waits = node_alloc(nd, (size_t)nd->workers, sizeof(*s->waits));
	s->waiting = node_alloc(nd, (size_t)nd->workers, sizeof(*s->waiting));
}

static void wait_for_model(struct k_async_server *s, int worker)
{
	if (!s->waits[worker])
		s->waiting[s->nwaiting++] = worker;
	s->waits[worker] = true;
}

static int by_rank(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void answer_all(struct node *nd)
{
	struct k_async_server *s = nd->state;

	qsort(s->waiting, (size_t)s->nwaiting, sizeof(*s->waiting), by_rank);
	for (int i = 0; i < s->nwaiting; i++) {
		s->waits[s->waiting[i]] = false;
		serve_model(nd, s->waiting[i]);
	}
	s->nwaiting = 0;
}

static void k_async_server_msg(struct node *nd, const struct msg *m)
{
	const struct k_async_conf *c = nd->conf;
	struct k_async_server *s = nd->state;
	const int64_t k = c->k ? c->k : (nd->workers + 1) / 2;

	wait_for_model(s, m->from);
	if (pile_gather(nd, &s->pile, 0, 1.0f, m->vec, k))
		answer_all(nd);
}

static int k_async_check(const struct run *run)
{
	const struct k_async_conf *c = run->algo_conf;

	return gather_check(run, "k", c->k);
}

static const struct role k_async_server = {
	.state_size = sizeof(struct k_async_server), .start = k_async_server_start,
	.msg = k_async_server_msg, .fetch = serve_model,
};

static const struct opt k_async_opts[] = {
	OPT_NUMBER(struct k_async_conf, k, "0",
		   "workers whose gradients make a step; 0: half of them, rounded up", "K", 0,
		   1 << 24),
	{ 0 }
};

static bool k_async_synchronous(const void *conf, int workers)
{
	const struct k_async_conf *c = conf;

	return c->k == workers;
}

const struct algo algo_k_async = {
	.plugin = { .name = "k-async",
		    .brief = "asynchronous: a step uses the gradients of the first k workers",
		    .cite = "Dutta et al. 2018, arXiv 1803.01113",
		    .opts = k_async_opts,
		    .conf_size = sizeof(struct k_async_conf) },
	.facts = { .rule = "server, when k gradients of any age have come:\n"
			   "x <- optimiser(x, 1/k sum g)",
		   .departs = "momentum and weight decay are those of --optim",
		   .waits = "the k workers of a step for the last of them",
		   .staleness = "about n/k - 1",
		   .late = LATE,
		   .messages = "2: gradient up, model down; 2 m",
		   .memory = "1 / 0",
		   .tolerates = "workers that leave, as long as k are there" },
	.check = k_async_check,
	.synchronous = k_async_synchronous,
	.server = &k_async_server,
	.worker = &serve_worker,
	.sends_gradients = true,
};
