/*
 * async_local_sgd.c - asynchronous rounds of local steps, with delayed Nesterov at the server.
 *
 *     worker:   g <- X - x after H_w local steps from X
 *     server, for every g, counted by t from 1:
 *         B <- B + g
 *         N divides t:   m <- beta m + B / N;   B <- 0
 *                        X <- X - eta ((1 - cN + c) beta m + g / N)
 *         otherwise:     X <- X - eta (c beta m + g / N)
 *     answers with X and H_w = floor(H min_j s_j / s_w + 0.1)
 *
 * So momentum is updated by the means of N updates only, and with c = 0 N updates move X by one
 * Nesterov step along their mean. N = 1 is Nesterov's momentum at every update, with which several
 * workers diverge. s_w is the time of a local step in worker w's last round, as the worker measures
 * it, without the time of messages: slow workers make fewer steps, and updates are less stale. The
 * 0.1 absorbs inexact times: without it, equal workers would make H or H - 1 steps.
 *
 * Paper: Liu et al. 2024 (delayed Nesterov, dynamic local updates). client.h describes the messages
 * between workers and server. `facts` below has the same rule in other letters: D for g, v for m,
 * eta_out for eta, mu_out for beta.
 */
#include "algos/common/outer.h"
#include "algos/common/server/client.h"
#include "algos/common/server/serve.h"
#include "core/base/error.h"
#include "core/run.h"

struct async_local_sgd_conf {
	struct client_conf client;
	int64_t buffer;         /* N; 0: as many as there are workers */
	double share;           /* c */
	bool dynamic;           /* H_w of each worker; false: H for all */
	struct outer_conf outer;
};

struct async_local_sgd_server {
	struct delayed outer;
	double *step_s;         /* [workers] s_w, seconds of a local step; 0: not known yet */
};

static void async_local_start(struct node *nd)
{
	struct async_local_sgd_server *s = nd->state;

	delayed_start(nd, &s->outer);
	s->step_s = node_alloc(nd, (size_t)nd->workers, sizeof(*s->step_s));
}

/* N */
static int64_t async_local_buffer_size(const struct async_local_sgd_conf *c, int workers)
{
	return c->buffer ? c->buffer : workers;
}

static void async_local_answer(struct node *nd, int to)
{
	const struct async_local_sgd_conf *c = nd->conf;
	const struct async_local_sgd_server *s = nd->state;

	client_serve(nd, to, c->dynamic ? client_steps(c->client.period, s->step_s, nd->workers, to)
					: c->client.period);
}

static void async_local_msg(struct node *nd, const struct msg *m)
{
	const struct async_local_sgd_conf *c = nd->conf;
	struct async_local_sgd_server *s = nd->state;

	s->step_s[m->from] = client_pace(m);
	delayed_step(&c->outer, async_local_buffer_size(c, nd->workers), c->share, nd->dim, m->vec,
		     &s->outer, nd->x);
	node_moved(nd);
	async_local_answer(nd, m->from);
}

static int async_local_check(const struct run *run)
{
	const struct async_local_sgd_conf *c = run->algo_conf;
	const int64_t n = async_local_buffer_size(c, run->workers);

	if (c->share * (double)n <= 1.0)
		return 0;
	return error("async-local-sgd: share = %g is more than 1/N of N = %lld updates (buffer). "
		     "Choose %g at most.", c->share, (long long)n, 1.0 / (double)n);
}

static const struct role async_local_sgd_server = {
	.state_size = sizeof(struct async_local_sgd_server),
	.start = async_local_start,
	.msg = async_local_msg,
	.fetch = async_local_answer,
};

static const struct opt async_local_sgd_opts[] = {
	CLIENT_OPTS(struct async_local_sgd_conf, client, "50"),
	OPT_NUMBER(struct async_local_sgd_conf, buffer, "0",
		   "N, updates that feed the momentum together; 1: each alone, 0: as many as "
		   "workers",
		   "N", 0, 1 << 24),
	OPT_NUMBER(struct async_local_sgd_conf, share, "0",
		   "c, how much of the momentum every update applies; 1/N at most", "C", 0, 1),
	{ "dynamic", OPT_AT(BOOL, struct async_local_sgd_conf, dynamic), "true",
	  "slow workers make fewer local steps", NULL, 0, 0, NULL, 0 },
	OUTER_RATES(struct async_local_sgd_conf, outer, "0.7", "0.9"),
	{ 0 }
};

/* Gain if outer_lr is 1. */
static double async_local_sgd_gain(const void *conf, int workers)
{
	const struct async_local_sgd_conf *c = conf;

	return outer_gain(&c->outer) / (double)async_local_buffer_size(c, workers);
}

const struct algo algo_async_local_sgd = {
	.plugin = { .name = "async-local-sgd",
		    .brief = "asynchronous: faster workers make more local steps; delayed "
			     "Nesterov",
		    .also = "delayed-nesterov, async-diloco",
		    .cite = "Liu et al. 2024, arXiv 2401.09135",
		    .opts = async_local_sgd_opts,
		    .conf_size = sizeof(struct async_local_sgd_conf) },
	.facts = { .rule = "worker i:  x_i <- X;  H_i times  x_i <- optimiser(x_i, g_i);  sends "
			   "D_i = X - x_i\n"
			   "server, for every D_i except each N-th:  "
			   "X <- X - eta_out (c mu_out v + D_i / N)\n"
			   "server, for each N-th D_i:  v <- mu_out v + 1/N (sum of the last N "
			   "D);\n"
			   "X <- X - eta_out ((1 - c N + c) mu_out v + D_i / N)\n"
			   "H_i = floor(H (speed of worker i) / (speed of the fastest) + 0.1)",
		   .departs = "there is no grace period, in which the paper's server waits for "
			      "more updates. A tenth of a step is added before floor: measured "
			      "times are not exact, and equal workers make equally many steps",
		   .gain = "eta_out / ((1 - mu_out) N)",
		   .waits = "no worker",
		   .staleness = "updates: about n - 1",
		   .messages = "every H_i gradients an update up, a model down; 2 m / H_i",
		   .memory = "2 / 2",
		   .tolerates = SERVE_TOLERATES },
	.server = &async_local_sgd_server,
	.worker = &client_worker,
	.reads_clock = true,
	.outer = "outer_lr",
	.gain = async_local_sgd_gain,
	.round = "period",
	.check = async_local_check,
	.sends_gradients = true,
};
