/*
 * mla.c - momentum look-ahead: asynchronous local steps, and models ahead along the momentum.
 *
 *     worker:   D <- X - x after H local steps from X
 *     server, for every D:
 *         m <- mu m + (1 - mu) D;   X <- X - eta (D + mu m);   answers with X       form=coded
 *
 * The server keeps no buffer, and m is a mean of updates, not a sum: Nesterov's momentum with
 * dampening mu. The paper prints another form, which answers with the look-ahead point Y:
 *
 *         X <- X - eta mu m - eta D;   m <- mu m + (1 - mu) D;   Y = X - eta mu m   form=printed
 *
 * Y obeys the first form exactly, so workers receive the same models in both. Only the server's own
 * model X, which is evaluated, differs.
 *
 * Gain: an update moves X by eta D at once, and by eta mu (1 - mu) mu^k D at the arrival k later,
 * so by eta (1 + mu) D over all time: 1.33 D by default. Nesterov's momentum at every arrival
 * (async-local-sgd with buffer=1) moves X by eta / (1 - mu) D: 7 D at the same eta and mu. Compare
 * both at equal gain.
 *
 * mu = 0 is asynchronous local SGD with an outer step of plain SGD.
 *
 * Paper: Ajanthan et al. 2025 (eta = 0.7, mu = 0.9); the first form is that of the baseline in the
 * code of HeLoCo's authors. client.h describes the messages between workers and server.
 */
#include "algos/common/outer.h"
#include "algos/common/server/client.h"
#include "algos/common/server/serve.h"
#include "core/math/vec.h"

enum { MLA_CODED, MLA_PRINTED };

struct mla_conf {
	struct client_conf client;
	int form;
	struct outer_conf outer;
};

struct mla_server {
	float *m;               /* [dim] */
	float *ahead;           /* [dim] Y; NULL: form=coded */
};

static void mla_start(struct node *nd)
{
	const struct mla_conf *c = nd->conf;
	struct mla_server *s = nd->state;

	s->m = node_vec(nd);
	s->ahead = c->form == MLA_PRINTED ? node_vec(nd) : NULL;
}

static void mla_answer(struct node *nd, int to)
{
	const struct mla_conf *c = nd->conf;
	struct mla_server *s = nd->state;

	if (c->form == MLA_CODED) {
		client_serve(nd, to, c->client.period);
		return;
	}
	vec_copy(nd->dim, nd->x, s->ahead);
	vec_axpy(nd->dim, (float)(-c->outer.lr * c->outer.momentum), s->m, s->ahead);
	client_serve_vector(nd, to, s->ahead, c->client.period);
}

static void mla_msg(struct node *nd, const struct msg *m)
{
	const struct mla_conf *c = nd->conf;
	const float eta = (float)c->outer.lr, mu = (float)c->outer.momentum;
	struct mla_server *s = nd->state;

	if (c->form == MLA_CODED) {
		outer_step_mean(&c->outer, nd->dim, m->vec, s->m, nd->x);
	} else {
		vec_axpy(nd->dim, -eta * mu, s->m, nd->x);
		vec_axpy(nd->dim, -eta, m->vec, nd->x);
		vec_axpby(nd->dim, 1.0f - mu, m->vec, mu, s->m);
	}
	node_moved(nd);
	mla_answer(nd, m->from);
}

static const struct role mla_server = {
	.state_size = sizeof(struct mla_server),
	.start = mla_start,
	.msg = mla_msg,
	.fetch = mla_answer,
};

static const char *const mla_forms[] = { "coded", "printed", NULL };

static const struct opt mla_opts[] = {
	CLIENT_OPTS(struct mla_conf, client, "20"),
	OPT_CHOICE(struct mla_conf, form, "coded",
		   "the server's own model: the look-ahead point that workers receive (coded), or "
		   "the point before it, as the paper prints",
		   "FORM", mla_forms),
	OUTER_RATES(struct mla_conf, outer, "0.7", "0.9"),
	{ 0 }
};

/* Gain if outer_lr is 1. */
static double mla_gain(const void *conf, int workers)
{
	const struct mla_conf *c = conf;

	(void)workers;
	return 1.0 + c->outer.momentum;
}

const struct algo algo_mla = {
	.plugin = { .name = "mla",
		    .brief = "asynchronous: local steps; workers get a model ahead along the "
			     "momentum",
		    .also = "momentum-look-ahead",
		    .cite = "Ajanthan et al. 2025, OpenReview 4O8nzTkHPI",
		    .opts = mla_opts,
		    .conf_size = sizeof(struct mla_conf) },
	.facts = { .rule = "worker i:  x_i <- X;  H times  x_i <- optimiser(x_i, g_i);  sends "
			   "D_i = X - x_i\n"
			   "server, for every D_i:  v <- mu_out v + (1 - mu_out) D_i;\n"
			   "X <- X - eta_out (D_i + mu_out v)",
		   .departs = "the paper's X is the point before the look-ahead (form=printed); "
			      "workers receive the same models in both forms",
		   .gain = "eta_out (1 + mu_out)",
		   .waits = "no worker",
		   .staleness = "updates: about n - 1",
		   .late = LATE,
		   .messages = "every H gradients an update up, a model down; 2 m / H",
		   .memory = "1 / 2; form=printed: 2 / 2",
		   .tolerates = SERVE_TOLERATES },
	.server = &mla_server,
	.worker = &client_worker,
	.outer = "outer_lr",
	.gain = mla_gain,
	.round = "period",
	.sends_gradients = true,
};
