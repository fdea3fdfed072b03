/*
 * async_local_sgd.c - asynchronous rounds of local steps, with delayed Nesterov at the server.
 *
 *     worker:   g <- X - x after H_w local steps from X
 *     server, for every g, counted by t from 1:
 *         B <- B + g
 *         N divides t:   m <- beta m + B / N;   B <- 0
 *                        X <- X - eta ((1 - cN + c) beta m + g / N)
 *         otherwise:     X <- X - eta (c beta m + g / N)
 *     answers with X and H_w = floor(H v_w / max_j v_j)
 *
 * So the momentum is fed by means of N updates only, and with c = 0 N updates move X by one
 * Nesterov step along their mean. N = 1 is plain Nesterov with every update, which several
 * workers make diverge. v_w is a worker's local steps per second in its last round, the way to the
 * server and back included: slow workers make fewer steps, and updates are less stale.
 *
 * Paper: Liu et al. 2024 (delayed Nesterov, dynamic local updates; client.h says who does what).
 */
#include "algos/common/rounds.h"
#include "algos/common/server/client.h"
#include "algos/common/server/serve.h"
#include "core/base/error.h"
#include "core/math/vec.h"
#include "core/run.h"

#include <math.h>

struct conf {
	struct client_conf client;
	int64_t buffer;
	double share;
	bool dynamic;
	struct outer_conf outer;
};

struct pace {                   /* of a worker */
	double sent;            /* when its model was sent, seconds */
	int64_t steps;          /* that it was asked for */
	double speed;           /* steps per second of its last round; 0: not known yet */
};

struct server {
	float *buffer, *m;      /* [dim] B, m */
	int64_t came;           /* since B was 0 */
	struct pace *pace;      /* [workers] */
};

static void async_local_start(struct node *nd)
{
	const struct conf *c = nd->conf;
	struct server *s = nd->state;

	s->buffer = node_vec(nd);
	s->m = node_vec(nd);
	s->pace = node_alloc(nd, (size_t)nd->workers, sizeof(*s->pace));
	for (int i = 0; i < nd->workers; i++)
		s->pace[i].steps = c->client.period;
}

static int64_t async_local_buffer(const struct conf *c, int workers)
{
	return c->buffer ? c->buffer : workers;
}

static void async_local_outer(struct node *nd, struct server *s, const float *g)
{
	const struct conf *c = nd->conf;
	const double n = (double)async_local_buffer(c, nd->workers);
	const double eta = c->outer.lr, beta = c->outer.momentum;
	double along = c->share;

	vec_axpy(nd->dim, 1.0f, g, s->buffer);
	if (++s->came == (int64_t)n) {
		vec_axpby(nd->dim, (float)(1.0 / n), s->buffer, (float)beta, s->m);
		vec_scale(nd->dim, 0.0f, s->buffer);
		s->came = 0;
		along = 1.0 - c->share * n + c->share;
	}
	if (along != 0.0)
		vec_axpy(nd->dim, (float)(-eta * along * beta), s->m, nd->x);
	vec_axpy(nd->dim, (float)(-eta / n), g, nd->x);
	node_moved(nd);
}

static void async_local_answer(struct node *nd, int to)
{
	const struct conf *c = nd->conf;
	struct server *s = nd->state;
	struct pace *p = &s->pace[to];
	double most = 0.0;

	for (int i = 0; i < nd->workers; i++)
		most = fmax(most, s->pace[i].speed);
	p->steps = c->client.period;
	if (c->dynamic && most > 0.0 && p->speed > 0.0)
		p->steps = (int64_t)fmax(floor((double)p->steps * (p->speed / most)), 1.0);
	p->sent = node_now(nd);
	client_serve(nd, to, p->steps);
}

static void async_local_msg(struct node *nd, const struct msg *m)
{
	struct server *s = nd->state;
	struct pace *p = &s->pace[m->from];
	const double took = node_now(nd) - p->sent;

	if (took > 0.0)
		p->speed = (double)p->steps / took;
	async_local_outer(nd, s, m->vec);
	async_local_answer(nd, m->from);
}

static int async_local_check(const struct run *run)
{
	const struct conf *c = run->algo_conf;
	const int64_t n = async_local_buffer(c, run->workers);

	if (c->share * (double)n <= 1.0)
		return 0;
	return error("async-local-sgd: share = %g is more than 1/N of N = %lld updates (buffer). "
		     "Choose %g at most.", c->share, (long long)n, 1.0 / (double)n);
}

static const struct role server = {
	.state_size = sizeof(struct server),
	.start = async_local_start,
	.msg = async_local_msg,
	.fetch = async_local_answer,
};

static const struct opt opts[] = {
	CLIENT_OPTS(struct conf, client, "50"),
	OPT_NUMBER(struct conf, buffer, "0",
		   "N, updates that feed the momentum together; 1: each alone, 0: as many as "
		   "workers", "N", 0, 1 << 24),
	OPT_NUMBER(struct conf, share, "0",
		   "c, how much of the momentum every update applies; 1/N at most", "C", 0, 1),
	{ "dynamic", OPT_AT(BOOL, struct conf, dynamic), "true",
	  "slow workers make fewer local steps", NULL, 0, 0, NULL, 0 },
	OUTER_RATES(struct conf, outer, "0.7", "0.9"),
	{ 0 }
};

const struct algo algo_async_local_sgd = {
	.plugin = { .name = "async-local-sgd",
		    .brief = "asynchronous: faster workers make more local steps; delayed "
			     "Nesterov",
		    .cite = "Liu et al. 2024, arXiv 2401.09135",
		    .opts = opts, .conf_size = sizeof(struct conf) },
	.facts = { .rule = "worker i:  x_i <- X;  H_i times  x_i <- optimiser(x_i, g_i);  sends "
			   "D_i = X - x_i\n"
			   "server, for every D_i except each N-th:  "
			   "X <- X - eta_out (c mu_out v + D_i / N)\n"
			   "server, for each N-th D_i:  v <- mu_out v + 1/N (sum of the last N "
			   "D);\n"
			   "X <- X - eta_out ((1 - c N + c) mu_out v + D_i / N)\n"
			   "H_i = floor(H (speed of worker i) / (speed of the fastest))",
		   .departs = "there is no grace period, in which the paper's server waits for "
			      "more updates. The speed of a worker includes the time of its "
			      "messages",
		   .waits = "no worker",
		   .staleness = "updates: about n - 1",
		   .messages = "every H_i gradients an update up, a model down; 2 m / H_i",
		   .memory = "2 / 2",
		   .tolerates = SERVE_TOLERATES },
	.server = &server,
	.worker = &client_worker,
	.check = async_local_check,
	.sends_gradients = true,
};
