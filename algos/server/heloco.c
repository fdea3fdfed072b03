/*
 * heloco.c - momentum look-ahead with updates that are turned towards the momentum.
 *
 *     worker:   D <- X - x after H local steps from X
 *     server, for every D, with ||.|| and cosine c of D and m for each tensor on its own:
 *         D <- rho D                                    rho = 1 / sqrt(n), and discount=true:
 *                                                       rho / sqrt(1 + staleness)
 *         f = ||D|| / (||D|| + kappa ||m|| + 1e-8)      confidence
 *         c < 0:               b = min(k_s (-c) f, b_max);   D <- D - b (D . m) m / ||m||^2
 *         0 <= c < c_ok:       l = min(k_d (1 - t) f, 1),   t = (c + c_ok) / (2 c_ok);
 *                              D <- ||D|| / ||w|| w,   w = (1 - l) D / ||D|| + l m / ||m||
 *         otherwise, or where ||D|| or ||m|| is below 1e-8: D stays
 *         m <- mu m + (1 - mu) D;   X <- X - eta (D + mu m);   answers with X - eta mu m
 *
 * So an update that opposes the momentum loses a part of its opposing component, and one that is
 * nearly at right angles to it is turned, at the same length. schedule=printed has the paper's
 * l = min(k_d (1 - c) f, 1), whose D jumps at c = c_ok too; both jump at c = 0.
 *
 * The rule of X is that of mla, whose X is already ahead along the momentum: the answer looks ahead
 * a second time (shift=false: X itself). The shift changes where gradients are taken and adds no
 * displacement, so without correction the gain is rho eta (1 + mu): 0.595 with five workers,
 * against 1.33 of mla. Without correction, rho and shift this is mla.
 *
 * Paper: Al Asif et al. 2026; schedule, constants and the order of the steps are those of its
 * authors' code. client.h describes the messages between workers and server.
 */
#include "algos/common/outer.h"
#include "algos/common/server/client.h"
#include "algos/common/server/serve.h"
#include "core/math/vec.h"
#include "core/problem.h"

#include <math.h>

enum { HELOCO_TENSOR, HELOCO_FLAT, HELOCO_NONE };       /* correct */
enum { HELOCO_CODED, HELOCO_PRINTED };                  /* schedule */

struct heloco_conf {
	struct client_conf client;
	double rho;             /* 0: 1 / sqrt(workers) */
	bool discount, shift;
	int correct, schedule;
	double shrink, most, turn, aligned, kappa;      /* k_s, b_max, k_d, c_ok, kappa */
	struct outer_conf outer;
};

struct heloco_server {
	float *m;               /* [dim] */
	float *delta;           /* [dim] D, corrected */
	float *ahead;           /* [dim] X - eta mu m; NULL: shift=false */
};

static const double heloco_eps = 1e-8;

static double heloco_rho(const struct heloco_conf *c, int workers)
{
	return c->rho > 0.0 ? c->rho : 1.0 / sqrt((double)workers);
}

static void heloco_start(struct node *nd)
{
	const struct heloco_conf *c = nd->conf;
	struct heloco_server *s = nd->state;

	s->m = node_vec(nd);
	s->delta = node_vec(nd);
	s->ahead = c->shift ? node_vec(nd) : NULL;
}

/*
 * d[n] <- a d + b m, the corrected update of a tensor. An update that stays is written too, so that
 * the time of a handler does not depend on values.
 */
static void heloco_correct(const struct heloco_conf *c, size_t n, const float *m, float *d)
{
	const double norm_d = sqrt(vec_dot(n, d, d)), norm_m = sqrt(vec_dot(n, m, m));
	const bool turns = norm_d >= heloco_eps && norm_m >= heloco_eps;
	const double cosine = turns ? vec_dot(n, d, m) / (norm_d * norm_m) : 1.0;
	const double f = norm_d / (norm_d + c->kappa * norm_m + heloco_eps);
	double a = 1.0, b = 0.0;

	if (turns && cosine < 0.0) {
		const double beta = fmin(c->shrink * -cosine * f, c->most);

		b = -beta * cosine * norm_d / norm_m;
	} else if (turns && cosine < c->aligned) {
		const double t = c->schedule == HELOCO_PRINTED
				     ? cosine
				     : (cosine + c->aligned) / (2.0 * c->aligned);
		const double l = fmin(c->turn * (1.0 - t) * f, 1.0);
		const double norm_w = sqrt((1.0 - l) * (1.0 - l) + l * l +
					   2.0 * l * (1.0 - l) * cosine);

		a = (1.0 - l) / norm_w;
		b = l * norm_d / (norm_m * norm_w);
	}
	vec_axpby(n, (float)b, m, (float)a, d);
}

/* Corrects the update, tensor by tensor or as one vector. */
static void heloco_correct_all(const struct node *nd, const struct heloco_server *s)
{
	const struct heloco_conf *c = nd->conf;
	const struct blob *tensor;
	const size_t tensors = node_layers(nd, &tensor);

	if (c->correct == HELOCO_NONE)
		return;
	if (c->correct == HELOCO_FLAT || tensors == 0) {
		heloco_correct(c, nd->dim, s->m, s->delta);
		return;
	}
	for (size_t i = 0; i < tensors; i++)
		heloco_correct(c, tensor[i].count, s->m + tensor[i].offset,
			       s->delta + tensor[i].offset);
}

static void heloco_answer(struct node *nd, int to)
{
	const struct heloco_conf *c = nd->conf;
	struct heloco_server *s = nd->state;

	if (!c->shift) {
		client_answer(nd, to);
		return;
	}
	vec_copy(nd->dim, nd->x, s->ahead);
	vec_axpy(nd->dim, (float)(-c->outer.lr * c->outer.momentum), s->m, s->ahead);
	client_serve_vector(nd, to, s->ahead, c->client.period);
}

static void heloco_msg(struct node *nd, const struct msg *m)
{
	const struct heloco_conf *c = nd->conf;
	struct heloco_server *s = nd->state;
	double rho = heloco_rho(c, nd->workers);

	if (c->discount)
		rho /= sqrt(1.0 + (double)serve_staleness(nd, m));
	vec_copy(nd->dim, m->vec, s->delta);
	vec_scale(nd->dim, (float)rho, s->delta);
	heloco_correct_all(nd, s);
	outer_step_mean(&c->outer, nd->dim, s->delta, s->m, nd->x);
	node_moved(nd);
	heloco_answer(nd, m->from);
}

static const struct role heloco_server = {
	.state_size = sizeof(struct heloco_server),
	.start = heloco_start,
	.msg = heloco_msg,
	.fetch = heloco_answer,
};

static const char *const heloco_corrects[] = { "tensor", "flat", "none", NULL };
static const char *const heloco_schedules[] = { "coded", "printed", NULL };

static const struct opt heloco_opts[] = {
	CLIENT_OPTS(struct heloco_conf, client, "20"),
	OPT_NUMBER(struct heloco_conf, rho, "0",
		   "rho, factor on every update; 0: 1 / sqrt(workers)", "RHO", 0, 1e6),
	OPT_FLAG(struct heloco_conf, discount,
		 "divide rho by the root of 1 + the update's staleness"),
	OPT_CHOICE(struct heloco_conf, correct, "tensor",
		   "what is turned towards the momentum: each tensor, the model as one vector, or "
		   "nothing",
		   "WHAT", heloco_corrects),
	OPT_CHOICE(struct heloco_conf, schedule, "coded",
		   "by how much, near right angles: as in the authors' code, or as the paper "
		   "prints",
		   "RULE", heloco_schedules),
	OPT_NUMBER(struct heloco_conf, shrink, "0.5", "k_s, of updates that oppose the momentum",
		   "K", 0, 1e6),
	OPT_NUMBER(struct heloco_conf, most, "0.5",
		   "b_max, largest part of the opposing component that is taken away", "B", 0, 1),
	OPT_NUMBER(struct heloco_conf, turn, "1", "k_d, of updates that are turned", "K", 0, 1e6),
	OPT_NUMBER(struct heloco_conf, aligned, "0.2",
		   "c_ok, cosine with the momentum from which updates stay", "C", 0, 1),
	OPT_NUMBER(struct heloco_conf, kappa, "3",
		   "weight of the momentum's norm in the confidence", "KAPPA", 0, 1e6),
	{ "shift", OPT_AT(BOOL, struct heloco_conf, shift), "true",
	  "answer with a model that is ahead along the momentum once more", NULL, 0, 0, NULL, 0 },
	OUTER_RATES(struct heloco_conf, outer, "0.7", "0.9"),
	{ 0 }
};

/* Gain if outer_lr is 1. */
static double heloco_gain(const void *conf, int workers)
{
	const struct heloco_conf *c = conf;

	return heloco_rho(c, workers) * (1.0 + c->outer.momentum);
}

const struct algo algo_heloco = {
	.plugin = { .name = "heloco",
		    .brief = "asynchronous: mla with updates turned towards the momentum",
		    .cite = "Al Asif et al. 2026, arXiv 2606.00271",
		    .opts = heloco_opts,
		    .conf_size = sizeof(struct heloco_conf) },
	.facts = { .rule = "worker i:  x_i <- X;  H times  x_i <- optimiser(x_i, g_i);  sends "
			   "D_i = X - x_i\n"
			   "server, for every D_i:  D = rho D_i;  for each tensor, with the cosine "
			   "c of D and v,\n"
			   "f = |D| / (|D| + kappa |v|):\n"
			   "c < 0:  D <- D - min(k_s (-c) f, b_max) (D . v) v / |v|^2\n"
			   "0 <= c < c_ok:  l = min(k_d (1 - (c + c_ok) / (2 c_ok)) f, 1);  D <- D "
			   "turned to (1 - l) D / |D| + l v / |v|\n"
			   "v <- mu_out v + (1 - mu_out) D;  X <- X - eta_out (D + mu_out v);  "
			   "answers with X - eta_out mu_out v",
		   .departs = "the rule is that of the authors' code; the paper's l is min(k_d (1 "
			      "- c) f, 1), schedule=printed",
		   .gain = "rho eta_out (1 + mu_out) without correction; divided by sqrt(1 + "
			   "staleness) with the setting discount; the second look-ahead adds none",
		   .waits = "no worker",
		   .staleness = "updates: about n - 1",
		   .late = LATE,
		   .messages = "every H gradients an update up, a model down; 2 m / H",
		   .memory = "3 / 2; shift=false: 2 / 2",
		   .tolerates = SERVE_TOLERATES },
	.server = &heloco_server,
	.worker = &client_worker,
	.outer = "outer_lr",
	.gain = heloco_gain,
	.round = "period",
	.sends_gradients = true,
};
