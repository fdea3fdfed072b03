/*
 * fedbuff.c - asynchronous rounds of local steps, which a server gathers K at a time.
 *
 *     worker:   D <- X - x after H local steps from X
 *     server, when K have come:
 *         D   <- 1/K sum_i D_i / sqrt(1 + s_i)     s_i: the server's steps since worker i's X
 *         m   <- mu m + D;   X <- X - eta (nesterov ? D + mu m : m)
 *
 * A worker is answered at once with the present model, and continues.
 *
 * Paper: Nguyen et al. 2022 (K = 10; client.h says who does what).
 */
#include "algos/common/outer.h"
#include "algos/common/server/client.h"
#include "algos/common/server/serve.h"
#include "core/math/vec.h"

#include <math.h>

struct fedbuff_conf {
	struct client_conf client;
	int64_t buffer;
	bool discount;
	struct outer_conf outer;
};

struct fedbuff_server {
	float *sum;             /* [dim] of the weighted D */
	float *m;               /* [dim] momentum */
	int64_t came;
};

static void fedbuff_start(struct node *nd)
{
	struct fedbuff_server *s = nd->state;

	s->sum = node_vec(nd);
	s->m = node_vec(nd);
}

static float fedbuff_weight(const struct node *nd, const struct msg *m)
{
	const struct fedbuff_conf *c = nd->conf;

	return c->discount ? (float)(1.0 / sqrt(1.0 + (double)serve_staleness(nd, m))) : 1.0f;
}

static void fedbuff_msg(struct node *nd, const struct msg *m)
{
	const struct fedbuff_conf *c = nd->conf;
	struct fedbuff_server *s = nd->state;

	node_gather(nd, m->vec);
	vec_axpy(nd->dim, fedbuff_weight(nd, m), m->vec, s->sum);
	if (++s->came == c->buffer) {
		vec_scale(nd->dim, 1.0f / (float)c->buffer, s->sum);
		outer_step(&c->outer, nd->dim, s->sum, s->m, nd->x);
		node_moved_gathered(nd);
		vec_scale(nd->dim, 0.0f, s->sum);
		s->came = 0;
	}
	client_answer(nd, m->from);
}

static const struct role fedbuff_server = {
	.state_size = sizeof(struct fedbuff_server),
	.start = fedbuff_start,
	.msg = fedbuff_msg,
	.fetch = client_answer,
};

static const struct opt fedbuff_opts[] = {
	CLIENT_OPTS(struct fedbuff_conf, client, "10"),
	OPT_NUMBER(struct fedbuff_conf, buffer, "10", "K, updates that make a step of the server",
		   "K", 1, 1 << 24),
	{ "discount", OPT_AT(BOOL, struct fedbuff_conf, discount), "true",
	  "divide each update by the root of 1 + its staleness", NULL, 0, 0, NULL, 0 },
	OUTER_OPTS(struct fedbuff_conf, outer, "1", "0"),
	{ 0 }
};

/* Gain if outer_lr is 1. */
static double fedbuff_gain(const void *conf, int workers)
{
	const struct fedbuff_conf *c = conf;

	(void)workers;
	return outer_gain(&c->outer) / (double)c->buffer;
}

const struct algo algo_fedbuff = {
	.plugin = { .name = "fedbuff",
		    .brief = "asynchronous: local steps; the server gathers K updates for a step",
		    .also = "federated",
		    .cite = "Nguyen et al. 2022, arXiv 2106.06639",
		    .opts = fedbuff_opts,
		    .conf_size = sizeof(struct fedbuff_conf) },
	.facts = { .rule = "worker i:  x_i <- X;  H times  x_i <- optimiser(x_i, g_i);  sends "
			   "D_i = X - x_i\n"
			   "server, when K updates have come:  D = 1/K sum_i D_i / sqrt(1 + "
			   "staleness);\n"
			   "v <- mu_out v + D;  X <- X - eta_out (D + mu_out v)",
		   .departs = "all workers take part; the paper samples clients from a "
			      "population. There is no secure aggregation",
		   .gain = "eta_out / ((1 - mu_out) K), divided by sqrt(1 + staleness) with the "
			   "setting discount",
		   .waits = "no worker",
		   .staleness = "updates: about (n - 1)/K",
		   .messages = "every H gradients an update up, a model down; 2 m / H",
		   .memory = "2 / 2",
		   .tolerates = SERVE_TOLERATES },
	.server = &fedbuff_server,
	.worker = &client_worker,
	.reads_clock = true,
	.outer = "outer_lr",
	.gain = fedbuff_gain,
	.round = "period",
	.sends_gradients = true,
};
