/*
 * fadas.c - asynchronous rounds of local steps with an adaptive step (AMSGrad) at the server.
 *
 *     worker:   D <- X - x after H local steps from X
 *     server, when K have come, for each coordinate:
 *         D <- 1/K sum_i D_i
 *         m <- beta1 m + (1 - beta1) D;   v <- beta2 v + (1 - beta2) D^2;   w <- max(w, v)
 *         X <- X - eta_t m / (sqrt(w) + eps)
 *
 *     eta_t = eta / tau   if tau, the largest staleness of the K updates, is above tau_c;  else eta
 *
 * Means begin at 0 and are not corrected for it. A worker is answered at once with the present
 * model, as in fedbuff.
 *
 * Paper: Wang et al. 2024 (K = 5, tau_c = 1; client.h describes the messages). eta_t is
 * that of the authors' code.
 */
#include "algos/common/server/client.h"
#include "algos/common/server/serve.h"
#include "core/math/vec.h"
#include "core/math/wide.h"

#include <math.h>

struct fadas_conf {
	struct client_conf client;
	int64_t buffer;         /* K */
	double lr, beta1, beta2, eps;
	bool adaptive;          /* eta_t; false: eta */
	int64_t delay;          /* tau_c */
};

struct fadas_server {
	float *sum;             /* [dim] of the D */
	float *m, *v, *w;       /* [dim] */
	int64_t came, stalest;  /* updates in sum, and their largest staleness */
};

static void fadas_start(struct node *nd)
{
	struct fadas_server *s = nd->state;

	s->sum = node_vec(nd);
	s->m = node_vec(nd);
	s->v = node_vec(nd);
	s->w = node_vec(nd);
}

/* The server's step along d[n], the mean of the updates. */
WIDE static void amsgrad(const struct fadas_conf *c, size_t n, float eta, const float *d,
			 const struct fadas_server *s, float *x)
{
	const float beta1 = (float)c->beta1, beta2 = (float)c->beta2, eps = (float)c->eps;
	float *m = s->m, *v = s->v, *w = s->w;

	for (size_t i = 0; i < n; i++) {
		float root;

		m[i] = beta1 * m[i] + (1.0f - beta1) * d[i];
		v[i] = beta2 * v[i] + (1.0f - beta2) * d[i] * d[i];
		w[i] = w[i] > v[i] ? w[i] : v[i];
		root = sqrtf(w[i]) + eps;
		x[i] -= root <= 0.0f ? 0.0f : eta * m[i] / root;
	}
}

static void fadas_msg(struct node *nd, const struct msg *m)
{
	const struct fadas_conf *c = nd->conf;
	struct fadas_server *s = nd->state;
	const int64_t staleness = serve_staleness(nd, m);

	node_gather(nd, m->vec);
	vec_axpy(nd->dim, 1.0f, m->vec, s->sum);
	s->stalest = staleness > s->stalest ? staleness : s->stalest;
	if (++s->came == c->buffer) {
		const bool late = c->adaptive && s->stalest > c->delay;

		vec_scale(nd->dim, 1.0f / (float)c->buffer, s->sum);
		if (nd->x)
			amsgrad(c, nd->dim, (float)(c->lr / (late ? (double)s->stalest : 1.0)),
				s->sum, s, nd->x);
		node_moved_gathered(nd);
		vec_scale(nd->dim, 0.0f, s->sum);
		s->came = s->stalest = 0;
	}
	client_answer(nd, m->from);
}

static const struct role fadas_server = {
	.state_size = sizeof(struct fadas_server), .start = fadas_start, .msg = fadas_msg,
	.fetch = client_answer,
};

static const struct opt fadas_opts[] = {
	CLIENT_OPTS(struct fadas_conf, client, "10"),
	OPT_NUMBER(struct fadas_conf, buffer, "5", "K, updates that make a step of the server", "K",
		   1, 1 << 24),
	{ "outer_lr", OPT_AT(DOUBLE, struct fadas_conf, lr), "0.001",
	  "eta_out, about how far a step of the server moves each parameter", "ETA", 0, 1e6, NULL,
	  0 },
	OPT_NUMBER(struct fadas_conf, beta1, "0.9", "weight of earlier updates in their mean", "B",
		   0, 0.999999),
	OPT_NUMBER(struct fadas_conf, beta2, "0.99", "the same of the squares of updates", "B", 0,
		   0.999999),
	OPT_NUMBER(struct fadas_conf, eps, "1e-8", "added to the root of the mean square", "EPS", 0,
		   1e6),
	{ "adaptive", OPT_AT(BOOL, struct fadas_conf, adaptive), "true",
	  "divide a step by its largest staleness, if that is above `delay`", NULL, 0, 0, NULL,
	  0 },
	OPT_NUMBER(struct fadas_conf, delay, "1", "tau_c, staleness of an update that is usual",
		   "STEPS", 1, 1 << 24),
	{ 0 }
};

const struct algo algo_fadas = {
	.plugin = { .name = "fadas",
		    .brief = "fedbuff with an adaptive server step, smaller for late updates",
		    .cite = "Wang et al. 2024, arXiv 2407.18365 (ICML)",
		    .opts = fadas_opts,
		    .conf_size = sizeof(struct fadas_conf) },
	.facts = { .rule = "worker i:  x_i <- X;  H times  x_i <- optimiser(x_i, g_i);  sends "
			   "D_i = X - x_i\n"
			   "server, when K updates have come:  D = 1/K sum_i D_i;\n"
			   "m <- beta1 m + (1 - beta1) D;  v <- beta2 v + (1 - beta2) D^2;  "
			   "w <- max(w, v);\n"
			   "X <- X - eta_t m / (sqrt(w) + eps);  eta_t = eta_out / tau if tau, the "
			   "largest staleness, is above tau_c, else eta_out",
		   .departs = "all workers take part; the paper samples clients from a "
			      "population. As in the authors' code, eta_t is eta_out / tau, not "
			      "the smaller of eta_out and 1 / tau",
		   .waits = "no worker",
		   .staleness = "updates: about (n - 1)/K",
		   .messages = "every H gradients an update up, a model down; 2 m / H",
		   .memory = "4 / 2",
		   .tolerates = SERVE_TOLERATES },
	.server = &fadas_server,
	.worker = &client_worker,
	.reads_clock = true,
	.round = "period",
	.sends_gradients = true,
};
