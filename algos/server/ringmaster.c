/*
 * ringmaster.c - Ringmaster ASGD: asynchronous SGD that leaves out gradients that are too stale.
 *
 *     server, for every gradient g of staleness tau:
 *         if tau < R:   x <- optimiser(x, g)
 *
 *     stop=false   a worker learns that its gradient was too old after it has sent it
 *     stop=true    the server sends the model as soon as R steps have passed; the worker drops
 *                  the gradient that it computes and begins again
 *
 * R = 1 accepts only gradients at the present model; R = inf is asynchronous SGD.
 *
 *     lmo=euclidean   m <- (1 - alpha) m + alpha g;   x <- optimiser(x, m / |m|)
 *
 * makes steps of one length, along a mean of gradients: lmo(m) = -m / |m| is the best direction of
 * length 1, by a linear minimisation oracle. alpha below 1 also works without it. The spectral
 * oracle is that of an optimiser: --optim muon:nesterov=false, whose momentum stands for 1 - alpha.
 *
 * Paper: Maranjyan, Tyurin, Richtarik 2025, Algorithms 4 and 5; arXiv 2605.18174 for lmo.
 */
#include "algos/common/server/serve.h"
#include "core/math/vec.h"

#include <math.h>

struct ringmaster_conf {
	double threshold;
	bool stop;
	int lmo;                /* enum lmo */
	double alpha;
};

enum lmo { LMO_NONE, LMO_EUCLIDEAN };

static const char *const lmo_names[] = { "none", "euclidean", NULL };

struct ringmaster_server {
	int64_t *clock;         /* [workers] clock of the model that each was sent last */
	int *before, *after;    /* [workers + 1] a ring by clock, then rank; its end is last */
	float *m;               /* [dim]; NULL: the gradient itself */
};

static void link_after(struct ringmaster_server *s, int at, int worker)
{
	s->before[worker] = at;
	s->after[worker] = s->after[at];
	s->before[s->after[at]] = worker;
	s->after[at] = worker;
}

/* m is the gradient itself. */
static bool is_plain(const struct ringmaster_conf *c)
{
	return c->lmo == LMO_NONE && c->alpha >= 1.0;
}

static void ringmaster_server_start(struct node *nd)
{
	struct ringmaster_server *s = nd->state;
	const int end = nd->workers;

	s->clock = node_alloc(nd, (size_t)nd->workers, sizeof(*s->clock));
	s->before = node_alloc(nd, (size_t)nd->workers + 1, sizeof(*s->before));
	s->after = node_alloc(nd, (size_t)nd->workers + 1, sizeof(*s->after));
	s->m = is_plain(nd->conf) ? NULL : node_vec(nd);
	s->before[end] = s->after[end] = end;
	for (int i = 0; i < nd->workers; i++)
		link_after(s, s->before[end], i);
}

static bool is_old(const struct node *nd, int64_t clock)
{
	const struct ringmaster_conf *c = nd->conf;
	const double threshold = c->threshold > 0.0 ? c->threshold : nd->workers;

	return (double)(nd->step - clock) >= threshold;
}

/* The worker has the newest model: moves it to the end of the ring. */
static void ringmaster_serve(struct node *nd, int to)
{
	struct ringmaster_server *s = nd->state;
	const int end = nd->workers;
	int at;

	s->after[s->before[to]] = s->after[to];
	s->before[s->after[to]] = s->before[to];
	s->clock[to] = nd->step;
	for (at = s->before[end]; at != end && s->clock[at] == nd->step && at > to;)
		at = s->before[at];
	link_after(s, at, to);
	serve_model(nd, to);
}

static void stop_the_old(struct node *nd)
{
	const struct ringmaster_server *s = nd->state;
	const int end = nd->workers;

	while (s->after[end] != end && is_old(nd, s->clock[s->after[end]]))
		ringmaster_serve(nd, s->after[end]);
}

static void ringmaster_step(struct node *nd, const float *g)
{
	const struct ringmaster_conf *c = nd->conf;
	const struct ringmaster_server *s = nd->state;
	double length = 1.0;

	if (is_plain(c)) {
		node_step(nd, g, 1.0f);
		return;
	}
	vec_axpby(nd->dim, (float)c->alpha, g, (float)(1.0 - c->alpha), s->m);
	if (c->lmo == LMO_EUCLIDEAN)
		length = sqrt(vec_dot(nd->dim, s->m, s->m));
	node_step(nd, s->m, length <= 0.0 ? 0.0f : (float)(1.0 / length));
}

static void ringmaster_server_msg(struct node *nd, const struct msg *m)
{
	const struct ringmaster_conf *c = nd->conf;
	const struct ringmaster_server *s = nd->state;
	/* The gradient was in flight when the worker was told to begin again. */
	const bool stopped = c->stop && m->stamp < s->clock[m->from];

	if (stopped || is_old(nd, m->stamp))
		node_ignore(nd);
	else
		ringmaster_step(nd, m->vec);
	if (!stopped)
		ringmaster_serve(nd, m->from);
	if (c->stop)
		stop_the_old(nd);
}

static const struct role ringmaster_server = {
	.state_size = sizeof(struct ringmaster_server), .start = ringmaster_server_start,
	.msg = ringmaster_server_msg, .fetch = ringmaster_serve,
};

static bool ringmaster_synchronous(const void *conf, int workers)
{
	const struct ringmaster_conf *c = conf;

	(void)workers;
	return c->threshold == 1;
}

static const struct opt ringmaster_opts[] = {
	OPT_NUMBER(struct ringmaster_conf, threshold, "0",
		   "steps after which a gradient is too old; inf: never; 0: as many as workers",
		   "R", 0, HUGE_VAL),
	OPT_FLAG(struct ringmaster_conf, stop,
		 "stop the computing of gradients that have become too old"),
	{ "lmo", OPT_AT(ENUM, struct ringmaster_conf, lmo), "none",
	  "length of a step: as the gradient's (none), or the learning rate (euclidean)", "NORM",
	  0, 0, lmo_names, OPT_ADDED },
	{ "alpha", OPT_AT(DOUBLE, struct ringmaster_conf, alpha), "1",
	  "weight of a gradient in the mean of gradients that makes the step", "ALPHA", 1e-6, 1,
	  NULL, OPT_ADDED },
	{ 0 }
};

const struct algo algo_ringmaster = {
	.plugin = { .name = "ringmaster",
		    .brief = "asynchronous: gradients with a staleness of R or more are left out",
		    .cite = "Maranjyan, Tyurin, Richtarik 2025, arXiv 2501.16168",
		    .opts = ringmaster_opts,
		    .conf_size = sizeof(struct ringmaster_conf) },
	.facts = { .rule = "server, for every gradient with staleness < R:  x <- optimiser(x, g)\n"
			   "lmo=euclidean:  m <- (1 - alpha) m + alpha g;  x <- optimiser(x, m / "
			   "|m|)",
		   .departs = "momentum and weight decay are those of --optim. The spectral "
			      "oracle of the paper with lmo is --optim muon:nesterov=false, "
			      "whose momentum stands for 1 - alpha",
		   .waits = "no worker",
		   .staleness = "R - 1 at most",
		   .late = LATE,
		   .messages = "2: gradient up, model down; 2 m; stop=true: a model down, and "
			       "no gradient up, when a worker gives up a gradient",
		   .memory = "0 / 0; lmo=euclidean, or alpha below 1: 1 / 0",
		   .tolerates = SERVE_TOLERATES },
	.synchronous = ringmaster_synchronous,
	.server = &ringmaster_server,
	.worker = &serve_restarter,
	.sends_gradients = true,
};
