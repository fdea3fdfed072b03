/*
 * backup.c - synchronous SGD with b backup workers.
 *
 *     server, when n = workers - b gradients of this step are there:
 *         x <- optimiser(x, 1/n sum g);   the new model to all
 *
 * The server does not wait for the last b gradients. A late worker finishes its gradient, which is
 * left out when it comes, and continues with the newest model:
 *
 *     worker 0   |---g---|........|---g---|
 *     worker 1   |-----g----|.....|----g---|         b = 1 of 3
 *     worker 2   |------------------g---|x |---
 *
 * So this is k-sync, except that in k-sync late workers begin again at once.
 *
 * Paper: Chen, Pan, Monga, Bengio, Jozefowicz 2016, Algorithms 3 and 4.
 */
#include "algos/common/server/gather.h"
#include "algos/common/server/serve.h"
#include "core/base/error.h"
#include "core/math/vec.h"
#include "core/run.h"

enum { AUTO = -1 };

struct backup_conf {
	int64_t b;
};

/* ---- server ---- */

static int64_t backup_wanted(const struct node *nd)
{
	const struct backup_conf *c = nd->conf;
	const int64_t spare = nd->workers > 1;

	return nd->workers - (c->b == AUTO ? spare : c->b);
}

static void backup_server_msg(struct node *nd, const struct msg *m)
{
	struct pile *p = nd->state;

	if (serve_staleness(nd, m) > 0 || pile_has(p, m->from)) {
		node_ignore(nd);
		return;
	}
	if (pile_gather(nd, p, m->from, 1.0f, m->vec, backup_wanted(nd)))
		serve_all(nd);
}

/* ---- worker ---- */

struct backup_worker {
	struct served at;       /* model at which it computes */
	int64_t newest;         /* server's clock of the model in x */
	bool computing;
};

static void backup_begin(struct node *nd)
{
	struct backup_worker *w = nd->state;

	w->at.stamp = w->newest;
	w->computing = true;
	node_grad(nd);
}

static void backup_worker_grad(struct node *nd, const struct grad *g)
{
	struct backup_worker *w = nd->state;

	serve_gradient(nd, &w->at, g->vec);
	w->computing = false;
	if (w->at.stamp < w->newest)
		backup_begin(nd);
}

static void backup_worker_msg(struct node *nd, const struct msg *m)
{
	struct backup_worker *w = nd->state;

	vec_copy(nd->dim, m->vec, nd->x);
	w->newest = m->stamp;
	if (!w->computing)
		backup_begin(nd);
}

static void backup_worker_back(struct node *nd, const struct msg *m)
{
	struct backup_worker *w = nd->state;

	if (m) {
		vec_copy(nd->dim, m->vec, nd->x);
		w->newest = m->stamp;
	}
	backup_begin(nd);
}

static int backup_check(const struct run *run)
{
	const struct backup_conf *c = run->algo_conf;

	if (c->b < run->workers)
		return 0;
	return error("backup: b = %lld of %d workers leaves none to wait for: at most b=%d",
		     (long long)c->b, run->workers, run->workers - 1);
}

static const struct role backup_server = {
	.state_size = sizeof(struct pile), .start = pile_start_round, .msg = backup_server_msg,
	.fetch = serve_model,
};

static const struct role backup_worker = {
	.state_size = sizeof(struct backup_worker), .start = backup_begin,
	.grad = backup_worker_grad, .msg = backup_worker_msg, .back = backup_worker_back,
};

static const struct opt backup_opts[] = {
	OPT_NUMBER(struct backup_conf, b, "-1",
		   "workers of the run that a step does not wait for; -1: one, where there are two",
		   "B", AUTO, 1 << 24),
	{ 0 }
};

const struct algo algo_backup = {
	.plugin = { .name = "backup",
		    .brief = "synchronous: a step does not wait for the last b workers",
		    .also = "backup-workers",
		    .cite = "Chen et al. 2016, arXiv 1604.00981",
		    .opts = backup_opts,
		    .conf_size = sizeof(struct backup_conf) },
	.facts = { .rule = "server, when n - b gradients at x have come:\n"
			   "x <- optimiser(x, 1/(n - b) sum g)",
		   .departs = "one server; no moving average of the model",
		   .waits = "all but the last b workers for each other, at every step",
		   .staleness = "0; late gradients are left out",
		   .messages = "1 gradient up, at most n/(n - b) models down; (1 + n/(n - b)) m "
			       "at most",
		   .memory = "n / 0",
		   .tolerates = "workers that leave, as long as n - b with the newest model are "
				"there" },
	.check = backup_check,
	.server = &backup_server, .worker = &backup_worker, .sends_gradients = true,
};
