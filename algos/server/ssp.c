/*
 * ssp.c - stale synchronous parallel: no worker is more than s gradients ahead of the slowest.
 *
 *     server, for every gradient of worker i:   x <- optimiser(x, g);   c_i <- c_i + 1
 *     worker i gets the model when              c_i - min_j c_j <= s
 *
 * c_i counts the gradients of worker i. A worker that is too far ahead waits until the slowest has
 * caught up; s = 0 works in rounds, s = inf is asynchronous SGD.
 *
 *     worker 0   |-g-|-g-|-g-|.........|-g-|         s = 2
 *     worker 1   |----------g----------|--------
 *
 * Paper: Ho et al. 2013. Departs from it in that a worker fetches the model at every clock, so that
 * it sees all updates so far, and not only those that it must see.
 */
#include "algos/common/server/serve.h"

#include <math.h>

struct ssp_conf {
	double bound;
};

struct ssp_server {
	int64_t *clock;         /* [workers] number of gradients of each */
	int64_t least;          /* clock of the slowest worker ... */
	int slowest;            /* ... and number of workers with that clock */
	bool *waits;            /* [workers] it waits for the model */
};

static void ssp_server_start(struct node *nd)
{
	struct ssp_server *s = nd->state;

	s->clock = node_alloc(nd, (size_t)nd->workers, sizeof(*s->clock));
	s->waits = node_alloc(nd, (size_t)nd->workers, sizeof(*s->waits));
	s->slowest = nd->workers;
}

static void answer_within_bound(struct node *nd, int worker)
{
	const struct ssp_conf *c = nd->conf;
	struct ssp_server *s = nd->state;

	if (!s->waits[worker] || (double)(s->clock[worker] - s->least) > c->bound)
		return;
	s->waits[worker] = false;
	serve_model(nd, worker);
}

/* The last worker at the least clock has sent a gradient: updates `least`. */
static void raise_least(struct node *nd)
{
	struct ssp_server *s = nd->state;

	s->least++;
	for (int i = 0; i < nd->workers; i++)
		s->slowest += s->clock[i] == s->least;
	for (int i = 0; i < nd->workers; i++)
		answer_within_bound(nd, i);
}

static void ssp_server_msg(struct node *nd, const struct msg *m)
{
	struct ssp_server *s = nd->state;

	node_step(nd, m->vec, 1.0f);
	s->waits[m->from] = true;
	if (s->clock[m->from]++ == s->least && --s->slowest == 0)
		raise_least(nd);
	else
		answer_within_bound(nd, m->from);
}

static const struct role ssp_server = {
	.state_size = sizeof(struct ssp_server), .start = ssp_server_start, .msg = ssp_server_msg,
	.fetch = serve_model,
};

static const struct opt ssp_opts[] = {
	OPT_NUMBER(struct ssp_conf, bound, "3",
		   "gradients that a worker may be ahead of the slowest; inf: any number", "S", 0,
		   HUGE_VAL),
	{ 0 }
};

/* A worker that is a tenth slower loses a gradient every eleven. */
static double ssp_settles(const void *conf, int workers)
{
	const struct ssp_conf *c = conf;

	(void)workers;
	return 11.0 * c->bound;
}

const struct algo algo_ssp = {
	.plugin = { .name = "ssp",
		    .brief = "stale synchronous parallel: no worker is more than s gradients ahead",
		    .also = "stale, stale-synchronous, stale-sync, bounded-staleness",
		    .cite = "Ho et al. 2013 (stale synchronous parallel parameter server)",
		    .opts = ssp_opts,
		    .conf_size = sizeof(struct ssp_conf) },
	.facts = { .rule = "server, for every gradient of worker i:  x <- optimiser(x, g);\n"
			   "worker i continues when it is at most s gradients ahead of the "
			   "slowest",
		   .departs = "there is one server. A worker fetches the whole model at every "
			      "step",
		   .waits = "a worker that is more than s gradients ahead, for the slowest",
		   .staleness = "(n - 1)/2 for s = 0, n - 1 as s grows; (2 s + 1) (n - 1) at "
				"most",
		   .late = LATE_BY_WORKERS,
		   .messages = "2: gradient up, model down; 2 m",
		   .memory = "0 / 0",
		   .tolerates = "a worker that returns: the others wait for it when they are s "
				"gradients ahead" },
	.server = &ssp_server,
	.worker = &serve_worker,
	.sends_gradients = true,
	.settles = ssp_settles,
};
