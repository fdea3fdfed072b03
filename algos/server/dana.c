/*
 * dana.c - asynchronous SGD whose server sends a prediction of the model.
 *
 * Each worker has a momentum of its own, v_i. Their sum S predicts how the model moves while a
 * worker computes, so the worker is sent the model moved along S.
 *
 *     form=zero, server, for every gradient g of worker i:
 *
 *         v_i <- mu v_i + g;   x <- x - eta v_i;   send x_i = x - eta mu S,   S = sum_j v_j
 *
 *     form=slim, worker:  v <- mu v + g;  sends u = mu v + g;   server:  y <- y - eta u, sends y
 *
 *     form=predict, server, for every gradient:
 *
 *         x <- optimiser(x, g);   send x after K steps of the optimiser by gradients of 0
 *
 * While eta is constant, zero and slim are one algorithm, y = x - eta mu S; slim leaves the momenta
 * to the workers. predict has one momentum for all workers, and works with Adam too: it is the
 * weight prediction of the authors' group's pipelines (Adam's second mean is constant meanwhile); K
 * = 1 is Nesterov's method.
 *
 * compensate=gap and compensate=delay, not for form=slim, first correct g for the distance between
 * x_i and x (stale_gradient.h): DANA-GA and DANA-DC. For the gap, the mean step C is computed from
 * one worker's v, that of the latest step. A step of x is along one v_i, not along S, so C is the
 * length of a step; but between x_i and x there are steps along other workers' v. With form=predict
 * C is computed from measured steps, as in gap-aware:steps=true.
 *
 * With one worker this is serial Nesterov momentum; slim is so bit for bit: y is the variable of
 * the optimiser's Nesterov form. zero evaluates x, the point after y.
 *
 * Paper: Hakimi, Barkai, Gabel, Schuster 2019. Momentum of zero and slim has the form above,
 * whatever the optimiser's option nesterov says. Weight decay is a part of the gradient, at the
 * worker's model: otherwise the two forms would not be equal.
 */
#include "algos/common/server/serve.h"
#include "algos/common/server/stale_gradient.h"

#include "algos/optim/decay_range.h"
#include "core/base/error.h"
#include "core/math/vec.h"

enum { FORM_ZERO, FORM_SLIM, FORM_PREDICT };
enum { COMPENSATE_NONE, COMPENSATE_GAP, COMPENSATE_DELAY };

struct dana_conf {
	int form, compensate;
	int64_t ahead;          /* form=predict: K; 0: the number of workers */
	double lambda;
	struct stale_gap_conf gap;
};

struct dana_server {
	float **v;              /* [workers][dim] */
	float *sum;             /* [dim] S; form=predict: the last step */
	float *g;               /* [dim] the compensated gradient */
	float **theirs;         /* [workers][dim] x_i; without compensation they share one */
	int last;               /* worker along whose momentum the last step was made */
	struct stale_gap gap;
};

struct dana_worker {
	struct served served;
	float *g, *v;           /* [dim] the vector sent; form=slim: the momentum */
};

static void dana_server_start(struct node *nd)
{
	const struct dana_conf *c = nd->conf;
	struct dana_server *s = nd->state;

	if (c->form == FORM_SLIM)
		return;
	s->v = c->form == FORM_ZERO ? serve_vectors(nd) : NULL;
	s->sum = node_vec(nd);
	s->g = node_vec(nd);
	s->theirs = c->compensate == COMPENSATE_NONE ? serve_shared(nd) : serve_copies(nd);
	if (c->compensate == COMPENSATE_GAP)
		stale_gap_start(nd, &s->gap, &c->gap);
	s->gap.measured = c->form == FORM_PREDICT;
}

/* Updates the gap's mean of squared steps by the latest step. */
static void dana_average(const struct node *nd, struct dana_server *s)
{
	const struct dana_conf *c = nd->conf;
	const float *step;

	if (c->compensate != COMPENSATE_GAP)
		return;
	if (s->gap.measured)
		step = s->sum;
	else
		step = node_momentum(nd).mu == 0.0 ? s->g : s->v[s->last];
	stale_gap_average(nd, &s->gap, &c->gap, step);
}

static void dana_compensate(struct node *nd, const float *theirs, float *g)
{
	const struct dana_conf *c = nd->conf;
	struct dana_server *s = nd->state;

	if (c->compensate == COMPENSATE_GAP)
		stale_gap_divide(nd, &s->gap, &c->gap, theirs,
				 c->form == FORM_PREDICT ? node_decay(nd) : (struct decay){ 0 },
				 g);
	else if (c->compensate == COMPENSATE_DELAY)
		stale_compensate(nd, c->lambda, theirs, g);
}

/* form=zero: sends x_i, the model moved along S. */
static void serve_ahead(struct node *nd, int to)
{
	const struct dana_server *s = nd->state;
	float *theirs = s->theirs[to];

	vec_copy(nd->dim, nd->x, theirs);
	vec_axpy(nd->dim, -(float)node_lr(nd) * (float)node_momentum(nd).mu, s->sum, theirs);
	serve_vector(nd, to, theirs);
}

static void zero_msg(struct node *nd, const struct msg *m)
{
	struct dana_server *s = nd->state;
	float *v = s->v[m->from], *theirs = s->theirs[m->from];
	const float lr = (float)node_lr(nd), mu = (float)node_momentum(nd).mu;

	vec_copy(nd->dim, m->vec, s->g);
	dana_average(nd, s);
	dana_compensate(nd, theirs, s->g);
	vec_axpy(nd->dim, -1.0f, v, s->sum);
	vec_axpby(nd->dim, 1.0f, s->g, mu, v);
	vec_axpy(nd->dim, 1.0f, v, s->sum);
	vec_axpy(nd->dim, -lr, v, nd->x);
	node_moved(nd);
	s->last = m->from;
	serve_ahead(nd, m->from);
}

static void serve_predicted(struct node *nd, int to)
{
	const struct dana_conf *c = nd->conf;
	const struct dana_server *s = nd->state;
	float *theirs = s->theirs[to];

	vec_copy(nd->dim, nd->x, theirs);
	node_ahead(nd, c->ahead ? c->ahead : nd->workers, theirs);
	serve_vector(nd, to, theirs);
}

static void predict_msg(struct node *nd, const struct msg *m)
{
	struct dana_server *s = nd->state;

	vec_copy(nd->dim, m->vec, s->g);
	dana_average(nd, s);
	vec_copy(nd->dim, nd->x, s->sum);
	dana_compensate(nd, s->theirs[m->from], s->g);
	node_step(nd, s->g, 1.0f);
	vec_axpy(nd->dim, -1.0f, nd->x, s->sum);
	serve_predicted(nd, m->from);
}

static void slim_msg(struct node *nd, const struct msg *m)
{
	vec_axpy(nd->dim, -(float)node_lr(nd), m->vec, nd->x);
	node_moved(nd);
	serve_model(nd, m->from);
}

static void dana_server_msg(struct node *nd, const struct msg *m)
{
	const struct dana_conf *c = nd->conf;

	if (c->form == FORM_SLIM)
		slim_msg(nd, m);
	else if (c->form == FORM_PREDICT)
		predict_msg(nd, m);
	else
		zero_msg(nd, m);
}

static void server_fetch(struct node *nd, int to)
{
	const struct dana_conf *c = nd->conf;

	if (c->form == FORM_SLIM)
		serve_model(nd, to);
	else if (c->form == FORM_PREDICT)
		serve_predicted(nd, to);
	else
		serve_ahead(nd, to);
}

static void dana_worker_start(struct node *nd)
{
	const struct dana_conf *c = nd->conf;
	struct dana_worker *w = nd->state;

	w->g = node_vec(nd);
	w->v = c->form == FORM_SLIM ? node_vec(nd) : NULL;
	serve_begin(nd, &w->served);
}

/* g <- g + wd x */
static void dana_add_decay(const struct node *nd, float *g)
{
	const struct decay d = node_decay(nd);
	const struct blob *blobs;
	const size_t nblobs = node_layers(nd, &blobs);
	struct decay_range p = { 0 };

	while (g && decay_range_next(&p, d, nblobs, blobs, nd->dim))
		if (p.decays)
			vec_axpy(p.to - p.from, (float)d.rate, nd->x + p.from, g + p.from);
}

static void dana_worker_grad(struct node *nd, const struct grad *g)
{
	const struct dana_conf *c = nd->conf;
	const struct momentum m = node_momentum(nd);
	struct dana_worker *w = nd->state;

	vec_copy(nd->dim, g->vec, w->g);
	if (c->form != FORM_PREDICT)
		dana_add_decay(nd, w->g);
	if (c->form == FORM_SLIM) {
		vec_axpby(nd->dim, 1.0f, w->g, (float)m.mu, w->v);
		vec_axpy(nd->dim, (float)m.mu, w->v, w->g);
	}
	serve_gradient(nd, &w->served, w->g);
}

static void dana_worker_msg(struct node *nd, const struct msg *m)
{
	struct dana_worker *w = nd->state;

	serve_take(nd, &w->served, m);
}

static void dana_worker_back(struct node *nd, const struct msg *m)
{
	struct dana_worker *w = nd->state;

	serve_back(nd, &w->served, m);
}

static int dana_check(const struct run *run)
{
	const struct dana_conf *c = run->algo_conf;

	if (c->form == FORM_SLIM && c->compensate != COMPENSATE_NONE)
		return error("algorithm dana: compensate=%s needs form=zero: with form=slim the "
			     "server sees no gradients",
			     c->compensate == COMPENSATE_GAP ? "gap" : "delay");
	if (c->ahead && c->form != FORM_PREDICT)
		return error("algorithm dana: ahead=%lld is a setting of form=predict. Add it, or "
			     "leave ahead out.", (long long)c->ahead);
	if (c->form == FORM_PREDICT ? run->optim->ahead != NULL : run->optim->momentum != NULL)
		return 0;
	return error("algorithm dana: '%s' has no %s. Use --optim sgd, or dana:form=predict with "
		     "--optim adam.", run->optim->plugin.name,
		     c->form == FORM_PREDICT ? "steps that it can predict"
					     : "momentum of its form");
}

static const struct role dana_server = {
	.state_size = sizeof(struct dana_server), .start = dana_server_start,
	.msg = dana_server_msg, .fetch = server_fetch,
};

static const struct role dana_worker = {
	.state_size = sizeof(struct dana_worker), .start = dana_worker_start,
	.grad = dana_worker_grad, .msg = dana_worker_msg, .back = dana_worker_back,
};

static const char *const dana_forms[] = { "zero", "slim", "predict", NULL };
static const char *const cures[] = { "none", "gap", "delay", NULL };

static const struct opt dana_opts[] = {
	OPT_CHOICE(struct dana_conf, form, "zero",
		   "where momenta are kept: at the server (zero) or the workers (slim); predict: "
		   "the optimiser's own at the server, adam's too",
		   "FORM", dana_forms),
	{ "ahead", OPT_AT(INT, struct dana_conf, ahead), "0",
	  "form=predict: K, steps that the model sent is ahead; 0: as many as workers", "K", 0,
	  4096, NULL, OPT_ADDED },
	OPT_CHOICE(struct dana_conf, compensate, "none",
		   "correct gradients as gap-aware or as dc-asgd does", "HOW", cures),
	OPT_NUMBER(struct dana_conf, lambda, "2", "compensate=delay: its strength", "LAMBDA", 0,
		   1e6),
	STALE_GAP_OPTS(struct dana_conf, gap),
	{ 0 }
};

const struct algo algo_dana = {
	.plugin = { .name = "dana",
		    .brief = "asgd with a momentum for each worker; the server sends a "
			     "predicted model",
		    .cite = "Hakimi, Barkai, Gabel, Schuster 2019, arXiv 1907.11612",
		    .opts = dana_opts,
		    .conf_size = sizeof(struct dana_conf) },
	.facts = { .rule = "server, for every gradient of worker i:  v_i <- mu v_i + g;  x <- x "
			   "- eta v_i;  send x - eta mu sum_j v_j",
		   .departs = "weight decay is computed at the worker's model. The setting "
			      "sgd:nesterov is ignored. With compensate=gap, gradients are "
			      "divided as in gap-aware. The gap is the distance to the predicted "
			      "model that was sent, so it is not 0 even with one worker; C is "
			      "computed from the momentum of the worker whose gradient made the "
			      "latest step. form=slim keeps the momenta at the workers. "
			      "form=predict is the weight prediction that the authors' group "
			      "uses for pipelines: it predicts several steps, all at the current "
			      "learning rate",
		   .waits = "no worker",
		   .staleness = "about n - 1",
		   .late = LATE_APART,
		   .messages = "2: gradient up, model down; 2 m",
		   .memory = "3 + n / 1; compensate=gap: 3 + 2 n / 1; compensate=delay: 2 + 2 n "
			     "/ 1; form=slim: 0 / 2; form=predict: 3 / 1, with compensate=gap 3 "
			     "+ n / 1, with compensate=delay 2 + n / 1",
		   .tolerates = SERVE_TOLERATES },
	.server = &dana_server, .worker = &dana_worker, .sends_gradients = true,
	.check = dana_check,
};
