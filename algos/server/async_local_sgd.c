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
#include "algos/common/rounds.h"
#include "algos/common/server/client.h"
#include "algos/common/server/serve.h"
#include "core/base/error.h"
#include "core/math/vec.h"
#include "core/run.h"

#include <math.h>

struct async_local_sgd_conf {
	struct client_conf client;
	int64_t buffer;         /* N; 0: as many as there are workers */
	double share;           /* c */
	bool dynamic;           /* H_w of each worker; false: H for all */
	struct outer_conf outer;
};

static const double tolerance = 0.1;    /* local steps, added before floor() */

struct async_local_sgd_server {
	float *buffer, *m;      /* [dim] B, m */
	int64_t buffered;       /* updates in B */
	double *step_s;         /* [workers] s_w, seconds of a local step; 0: not known yet */
};

static void async_local_start(struct node *nd)
{
	struct async_local_sgd_server *s = nd->state;

	s->buffer = node_vec(nd);
	s->m = node_vec(nd);
	s->step_s = node_alloc(nd, (size_t)nd->workers, sizeof(*s->step_s));
}

/* N */
static int64_t async_local_buffer_size(const struct async_local_sgd_conf *c, int workers)
{
	return c->buffer ? c->buffer : workers;
}

/* The server's rule for the update g[dim]. */
static void async_local_outer(struct node *nd, struct async_local_sgd_server *s, const float *g)
{
	const struct async_local_sgd_conf *c = nd->conf;
	const int64_t buffer_size = async_local_buffer_size(c, nd->workers);
	const double n = (double)buffer_size;
	const double eta = c->outer.lr, beta = c->outer.momentum;
	double along = c->share;        /* how many times beta m is applied */

	vec_axpy(nd->dim, 1.0f, g, s->buffer);
	if (++s->buffered == buffer_size) {
		vec_axpby(nd->dim, (float)(1.0 / n), s->buffer, (float)beta, s->m);
		vec_scale(nd->dim, 0.0f, s->buffer);
		s->buffered = 0;
		along = 1.0 - c->share * n + c->share;
	}
	if (along != 0.0)
		vec_axpy(nd->dim, (float)(-eta * along * beta), s->m, nd->x);
	vec_axpy(nd->dim, (float)(-eta / n), g, nd->x);
	node_moved(nd);
}

/* Local steps of the worker's next round: fewer for a slow worker, with the option `dynamic`. */
static int64_t async_local_steps(const struct node *nd, int worker)
{
	const struct async_local_sgd_conf *c = nd->conf;
	const struct async_local_sgd_server *s = nd->state;
	double fastest = s->step_s[worker];

	if (!c->dynamic || fastest <= 0.0)
		return c->client.period;
	for (int i = 0; i < nd->workers; i++)
		if (s->step_s[i] > 0.0)
			fastest = fmin(fastest, s->step_s[i]);
	return (int64_t)fmax(floor((double)c->client.period * (fastest / s->step_s[worker]) +
				   tolerance),
			     1.0);
}

static void async_local_answer(struct node *nd, int to)
{
	client_serve(nd, to, async_local_steps(nd, to));
}

static void async_local_msg(struct node *nd, const struct msg *m)
{
	struct async_local_sgd_server *s = nd->state;

	s->step_s[m->from] = client_pace(m);
	async_local_outer(nd, s, m->vec);
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
	.round = "period",
	.check = async_local_check,
	.sends_gradients = true,
};
