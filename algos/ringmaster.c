/*
 * ringmaster.c - Ringmaster ASGD: asynchronous SGD that leaves out what is too old.
 *
 *     server, for every gradient g of staleness tau:
 *         if tau < R:   x <- optimiser(x, g)
 *
 *     stop=false   a worker learns that its gradient was too old when it has sent it
 *     stop=true    the server sends the model as soon as R steps have passed; the
 *                  worker gives up what it computes and begins anew
 *
 * R = 1 takes gradients at the model itself only; R = inf is asynchronous SGD.
 *
 * Paper: Maranjyan, Tyurin, Richtarik 2025, Algorithms 4 and 5.
 */
#include "algos/serve.h"

#include <math.h>

struct conf {
	double threshold;
	bool stop;
};

struct server {
	int64_t *clock;         /* [workers] of the model that each was sent last */
};

static void server_start(struct node *nd)
{
	struct server *s = nd->state;

	s->clock = node_alloc(nd, (size_t)nd->workers, sizeof(*s->clock));
}

static bool is_old(const struct node *nd, int64_t clock)
{
	const struct conf *c = nd->conf;
	const double threshold = c->threshold > 0.0 ? c->threshold : nd->workers;

	return (double)(nd->step - clock) >= threshold;
}

static void serve(struct node *nd, int to)
{
	struct server *s = nd->state;

	s->clock[to] = nd->step;
	serve_model(nd, to);
}

static void stop_the_old(struct node *nd)
{
	const struct server *s = nd->state;

	for (int i = 0; i < nd->workers; i++)
		if (is_old(nd, s->clock[i]))
			serve(nd, i);
}

static void server_msg(struct node *nd, const struct msg *m)
{
	const struct conf *c = nd->conf;
	const struct server *s = nd->state;
	/* Too late: it was on its way. */
	const bool stopped = c->stop && m->stamp < s->clock[m->from];

	if (stopped || is_old(nd, m->stamp))
		node_ignore(nd);
	else
		node_step(nd, m->vec, 1.0f);
	if (!stopped)
		serve(nd, m->from);
	if (c->stop)
		stop_the_old(nd);
}

static const struct role server = {
	.state_size = sizeof(struct server), .start = server_start, .msg = server_msg,
	.fetch = serve,
};

static const struct opt opts[] = {
	{ "threshold", OPT_DOUBLE, offsetof(struct conf, threshold), "0",
	  "steps after which a gradient is too old; inf: never; 0: as many as workers", "R", 0,
	  HUGE_VAL, NULL, 0 },
	{ "stop", OPT_BOOL, offsetof(struct conf, stop), "false",
	  "stop the computing of gradients that have become too old", NULL, 0, 0, NULL, 0 },
	{ 0 }
};

extern const struct algo algo_ringmaster;
const struct algo algo_ringmaster = {
	.plugin = { .name = "ringmaster",
		    .brief = "asynchronous: gradients of R steps of age or more are left out",
		    .cite = "Maranjyan, Tyurin, Richtarik 2025, arXiv 2501.16168",
		    .opts = opts, .conf_size = sizeof(struct conf) },
	.facts = { .rule = "server, for every gradient of staleness tau < R:  x <- optimiser(x, g)",
		   .departs = "momentum and weight decay are the optimiser's",
		   .waits = "nobody",
		   .staleness = "R - 1 at most",
		   .messages = "2: gradient up, model down; 2 m; more models if stopped",
		   .memory = "0 / 0",
		   .survives = SERVE_SURVIVES },
	.server = &server,
	.worker = &serve_restarter,
	.sends_gradients = true,
};
