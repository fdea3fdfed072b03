/*
 * groups.c - compute groups: synchronous within a group, asynchronous between them.
 *
 *     server, when all k = workers / g gradients of a group are there:
 *         x <- optimiser(x, 1/k sum over the group of g_i),   the new model to the group
 *
 * One group is an all-reduce; as many groups as workers are asynchronous SGD. Ranks 0 .. k - 1 are
 * the first group, and so on:
 *
 *     group 0    |---g---|....   |---g---|           the model moves twice as often
 *                |-----g----|....|-----g----|        as in one group of four, with
 *     group 1       |----g----|..|----g----|         gradients that are one step old
 *                   |--g--|......|---g--|
 *
 * With head=joined the whole model is served this way. With head=apart the server computes the
 * fully connected layers, as in Omnivore. Its merged server of these layers receives the
 * convolutions' output, computes at its latest parameters, steps at once, and returns the gradient
 * of that output (algos/common/server/head.h). The parameters of these layers are never sent, and
 * never stale; those of the others are served as above.
 *
 * Paper: Hadjis, Zhang, Mitliagkas, Iter, Re 2016 (Omnivore). Departs from it in that one server
 * does both, with one NIC; it computes the head in parallel to its event loop, so that it also
 * answers gradients, as two machines would. A worker's backward pass repeats its forward pass; the
 * simulator's clock does not count that.
 */
#include "algos/common/server/gather.h"
#include "algos/common/server/head.h"
#include "algos/common/server/serve.h"
#include "core/base/error.h"
#include "core/run.h"

#include <stdlib.h>

enum head { HEAD_JOINED, HEAD_APART };

static const char *const head_names[] = { "joined", "apart", NULL };

struct groups_conf {
	int64_t groups;
	int head;               /* enum head */
};

struct groups_worker {
	struct served joined;
	struct head_worker apart;
};

struct groups_server {
	int size;               /* workers of a group */
	struct pile *group;     /* [groups] a slot for each of its workers */
	struct head_server head;
};

static bool groups_apart(const struct node *nd)
{
	return ((const struct groups_conf *)nd->conf)->head == HEAD_APART;
}

/* ---- the server ---- */

static void groups_server_start(struct node *nd)
{
	const struct groups_conf *c = nd->conf;
	struct groups_server *s = nd->state;

	s->size = nd->workers / (int)c->groups;
	s->group = node_alloc(nd, (size_t)c->groups, sizeof(*s->group));
	if (groups_apart(nd))
		head_open(nd, &s->head, s->size);
	for (int i = 0; i < c->groups; i++)
		pile_open_part(nd, &s->group[i], s->size,
			       groups_apart(nd) ? s->head.rest.n : nd->dim);
}

/* Adds a gradient to the group's pile; true when the group's step is made. */
static bool groups_gather(struct node *nd, struct pile *p, int slot, const struct msg *m)
{
	struct groups_server *s = nd->state;
	float *sum;

	if (!groups_apart(nd))
		return pile_gather(nd, p, slot, 1.0f, m->vec, s->size);
	if (!pile_add(nd, p, slot, 1.0f, m->vec, s->size, &sum))
		return false;
	node_step_submodel(nd, &s->head.rest, sum, 1.0f / (float)s->size,
			   serve_staleness(nd, m));
	node_moved_gathered(nd);
	return true;
}

static void groups_fetch(struct node *nd, int to)
{
	if (groups_apart(nd))
		head_model(nd, to);
	else
		serve_model(nd, to);
}

static void groups_server_msg(struct node *nd, const struct msg *m)
{
	struct groups_server *s = nd->state;
	const int group = m->from / s->size, first = group * s->size;
	struct pile *p = &s->group[group];

	if (m->tag == HEAD_ACTIVATIONS) {
		head_msg(nd, &s->head, m);
		return;
	}
	if (pile_has(p, m->from - first)) {
		node_ignore(nd);
		return;
	}
	if (!groups_gather(nd, p, m->from - first, m))
		return;
	for (int i = 0; i < s->size; i++)
		groups_fetch(nd, first + i);
}

static void server_stage(struct node *nd, const struct staged *st)
{
	head_stage(nd, &((struct groups_server *)nd->state)->head, st);
}

/* ---- a worker ---- */

static void groups_worker_start(struct node *nd)
{
	struct groups_worker *w = nd->state;

	if (groups_apart(nd))
		head_begin(nd, &w->apart, NULL);
	else
		serve_begin(nd, &w->joined);
}

static void worker_stage(struct node *nd, const struct staged *s)
{
	head_forward(nd, &((struct groups_worker *)nd->state)->apart, s);
}

static void groups_worker_grad(struct node *nd, const struct grad *g)
{
	struct groups_worker *w = nd->state;

	if (groups_apart(nd))
		head_gradient(nd, &w->apart, g);
	else
		serve_gradient(nd, &w->joined, g->vec);
}

static void groups_worker_msg(struct node *nd, const struct msg *m)
{
	struct groups_worker *w = nd->state;

	if (groups_apart(nd))
		head_take(nd, &w->apart, m);
	else
		serve_take(nd, &w->joined, m);
}

static void groups_worker_back(struct node *nd, const struct msg *m)
{
	struct groups_worker *w = nd->state;

	if (groups_apart(nd))
		head_begin(nd, &w->apart, m);
	else
		serve_back(nd, &w->joined, m);
}

/* ---- description ---- */

/* The number of equal groups nearest to the one that was asked for. */
static int groups_nearest(int workers, int64_t groups)
{
	int best = 1;

	for (int g = 2; g <= workers; g++)
		if (workers % g == 0 && llabs(g - groups) <= llabs(best - groups))
			best = g;
	return best;
}

static int groups_check(const struct run *run)
{
	const struct groups_conf *c = run->algo_conf;

	if (c->head == HEAD_APART && head_check(run) < 0)
		return -1;
	if (run->workers % c->groups == 0)
		return 0;
	return error("groups: %lld groups of %d workers cannot be equal: the nearest is groups=%d",
		     (long long)c->groups, run->workers, groups_nearest(run->workers, c->groups));
}

static bool groups_staged(const void *conf)
{
	return ((const struct groups_conf *)conf)->head == HEAD_APART;
}

static const struct role groups_server = {
	.state_size = sizeof(struct groups_server), .start = groups_server_start,
	.stage = server_stage, .msg = groups_server_msg, .fetch = groups_fetch,
};

static bool groups_synchronous(const void *conf, int workers)
{
	const struct groups_conf *c = conf;

	(void)workers;
	return c->groups == 1;
}

static const struct role groups_worker = {
	.state_size = sizeof(struct groups_worker), .start = groups_worker_start,
	.grad = groups_worker_grad, .stage = worker_stage, .msg = groups_worker_msg,
	.back = groups_worker_back,
};

static const struct opt groups_opts[] = {
	OPT_NUMBER(struct groups_conf, groups, "1",
		   "equal groups; 1: synchronous, as many as workers: asynchronous", "G", 1,
		   1 << 24),
	{ "head", OPT_AT(ENUM, struct groups_conf, head), "joined",
	  "the fully connected layers: served as the others are, or computed by the server at its "
	  "latest parameters",
	  "HOW", 0, 0, head_names, OPT_ADDED },
	{ 0 }
};

const struct algo algo_groups = {
	.plugin = { .name = "groups",
		    .brief = "compute groups: synchronous within, asynchronous between them",
		    .also = "omnivore, compute-groups",
		    .cite = "Hadjis et al. 2016, arXiv 1606.04487 (Omnivore)",
		    .opts = groups_opts,
		    .conf_size = sizeof(struct groups_conf) },
	.facts = { .rule = "server, when all k gradients of a group have come:\n"
			   "x <- optimiser(x, 1/k sum over the group of g_i)\n"
			   "head=apart: this holds for the layers before the fully connected "
			   "ones (the head);\n"
			   "the server computes the head itself, at its latest parameters, and "
			   "steps it at once",
		   .departs = "with head=joined all layers are equally stale. With head=apart "
			      "one server, with one NIC, has the head and all other layers; a "
			      "worker's backward pass computes its forward pass again",
		   .waits = "a worker for its group, at every step",
		   .staleness = "about groups - 1; head=apart: 0 for the fully connected layers",
		   .late = LATE,
		   .messages = "2: gradient up, model down; 2 m; head=apart: both without the "
			       "fully connected layers; also the activations that enter these "
			       "layers up, and their gradient down",
		   .memory = "n / 0",
		   .tolerates = "a worker that returns: its group waits for it; head=apart: no "
				"worker failure" },
	.check = groups_check,
	.synchronous = groups_synchronous,
	.server = &groups_server, .worker = &groups_worker, .staged = groups_staged,
	.sends_gradients = true,
};
