/*
 * ca2fl.c - cache-aided asynchronous federated learning: fedbuff for workers with unequal data.
 *
 *     worker i:   D_i <- X - x_i after H local steps from X
 *     server, for every D_i:     A <- A + D_i - h_i;   h_i <- D_i
 *     server, when K have come:  v <- 1/n sum_j h_j, before these K,  + 1/K A;   A <- 0
 *                                m <- mu m + v;   X <- X - eta (nesterov ? v + mu m : m)
 *
 * h_i is the cached latest update of worker i, 0 at first. So a step is along all workers' updates,
 * though only K of them are new, and fast workers do not weigh more. With h = 0 (cache=false) this
 * is fedbuff without its discount; with K = n, each worker once, the mean of all updates. Of
 * several updates of one worker in A only the last remains, so K > n would only make steps smaller.
 *
 * Paper: Wang et al. 2024 (client.h describes the messages).
 */
#include "algos/common/outer.h"
#include "algos/common/server/client.h"
#include "algos/common/server/gather.h"
#include "algos/common/server/table.h"
#include "core/math/vec.h"
#include "core/run.h"

struct ca2fl_conf {
	struct client_conf client;
	int64_t buffer;         /* K; 0: as many as workers, but usual_buffer at most */
	bool cache;
	struct outer_conf outer;
};

static const int64_t usual_buffer = 10;

/* K */
static int64_t ca2fl_buffer(const struct ca2fl_conf *c, int workers)
{
	const int64_t all = workers < usual_buffer ? workers : usual_buffer;

	return c->buffer ? c->buffer : all;
}

struct ca2fl_server {
	struct table h;
	float *mean;            /* [dim] 1/n sum_j h_j when the last step was made */
	float *a;               /* [dim] A, then v */
	float *m;               /* [dim] momentum */
	int64_t came;
};

static void ca2fl_start(struct node *nd)
{
	const struct ca2fl_conf *c = nd->conf;
	struct ca2fl_server *s = nd->state;

	s->a = node_vec(nd);
	s->m = node_vec(nd);
	if (!c->cache)
		return;
	table_open(nd, &s->h);
	s->mean = node_vec(nd);
}

static void ca2fl_msg(struct node *nd, const struct msg *m)
{
	const struct ca2fl_conf *c = nd->conf;
	struct ca2fl_server *s = nd->state;
	const int64_t k = ca2fl_buffer(c, nd->workers);

	node_gather(nd, m->vec);
	vec_axpy(nd->dim, 1.0f, m->vec, s->a);
	if (c->cache) {
		if (s->h.count[m->from])
			vec_axpy(nd->dim, -1.0f, s->h.mean[m->from], s->a);
		table_replace(nd, &s->h, m->from, m->vec);
	}
	if (++s->came == k) {
		vec_scale(nd->dim, 1.0f / (float)k, s->a);
		if (c->cache) {
			vec_axpy(nd->dim, 1.0f, s->mean, s->a);
			vec_copy(nd->dim, s->h.sum, s->mean);
			vec_scale(nd->dim, 1.0f / (float)nd->workers, s->mean);
		}
		outer_step(&c->outer, nd->dim, s->a, s->m, nd->x);
		node_moved_gathered(nd);
		vec_scale(nd->dim, 0.0f, s->a);
		s->came = 0;
	}
	client_answer(nd, m->from);
}

static int ca2fl_check(const struct run *run)
{
	const struct ca2fl_conf *c = run->algo_conf;

	return c->cache ? gather_check(run, "buffer", c->buffer) : 0;
}

static const struct role ca2fl_server = {
	.state_size = sizeof(struct ca2fl_server), .start = ca2fl_start, .msg = ca2fl_msg,
	.fetch = client_answer,
};

static const struct opt ca2fl_opts[] = {
	CLIENT_OPTS(struct ca2fl_conf, client, "10"),
	OPT_NUMBER(struct ca2fl_conf, buffer, "0",
		   "K, updates that make a step of the server; 0: as many as workers, at most 10",
		   "K", 0, 1 << 24),
	{ "cache", OPT_AT(BOOL, struct ca2fl_conf, cache), "true",
	  "keep each worker's latest update, and use it until the next one comes", NULL, 0, 0,
	  NULL, 0 },
	OUTER_OPTS(struct ca2fl_conf, outer, "1", "0"),
	{ 0 }
};

/* Gain if outer_lr is 1. */
static double ca2fl_gain(const void *conf, int workers)
{
	const struct ca2fl_conf *c = conf;

	return outer_gain(&c->outer) / (double)ca2fl_buffer(c, workers);
}

const struct algo algo_ca2fl = {
	.plugin = { .name = "ca2fl",
		    .brief = "fedbuff for unequal data: cached updates replace missing ones",
		    .also = "cached-aggregation",
		    .cite = "Wang et al. 2024, OpenReview 4aywmeb97I (ICLR)",
		    .opts = ca2fl_opts,
		    .conf_size = sizeof(struct ca2fl_conf) },
	.facts = { .rule = "worker i:  x_i <- X;  H times  x_i <- optimiser(x_i, g_i);  sends "
			   "D_i = X - x_i\n"
			   "server, for every D_i:  A <- A + D_i - h_i;  h_i <- D_i\n"
			   "server, when K have come:  D = 1/n (sum_j h_j before these K) + 1/K "
			   "A;  A <- 0;\n"
			   "v <- mu_out v + D;  X <- X - eta_out (D + mu_out v)",
		   .departs = "all workers take part; the paper samples clients from a "
			      "population. Momentum is added, with a default of 0",
		   .gain = "eta_out / ((1 - mu_out) K), if all workers send equally often",
		   .waits = "no worker",
		   .staleness = "updates: about (n - 1)/K; cached ones: more",
		   .messages = "every H gradients an update up, a model down; 2 m / H",
		   .memory = "n + 4 / 2; cache=false: 2 / 2",
		   .tolerates = "a worker that leaves: no worker waits for it, and its last update "
				"stays in all steps" },
	.check = ca2fl_check,
	.server = &ca2fl_server,
	.worker = &client_worker,
	.reads_clock = true,
	.outer = "outer_lr",
	.gain = ca2fl_gain,
	.round = "period",
	.sends_gradients = true,
};
