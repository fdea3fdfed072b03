/*
 * groups.c - compute groups: synchronous within a group, asynchronous between them.
 *
 *     server, when all k = workers / g gradients of a group are there:
 *         x <- optimiser(x, 1/k sum over the group of g_i),   the new model to the group
 *
 * One group is an all-reduce, as many groups as workers are asynchronous SGD.
 * Ranks 0 .. k - 1 are the first group, and so on:
 *
 *     group 0    |---g---|....   |---g---|           the model moves twice as often
 *                |-----g----|....|-----g----|        as in one group of four, with
 *     group 1       |----g----|..|----g----|         gradients that are one step old
 *                   |--g--|......|---g--|
 *
 * Paper: Hadjis, Zhang, Mitliagkas, Iter, Re 2016 (Omnivore). Departs from it in
 * that the whole model is served so. Omnivore serves the fully connected layers
 * apart, where they are computed at the model as it is when the convolutions'
 * output arrives; here a gradient is computed at one snapshot of the whole model.
 */
#include "algos/common/gather.h"
#include "algos/common/serve.h"
#include "core/base/error.h"
#include "core/run.h"

#include <stdlib.h>

struct conf {
	int64_t groups;
};

struct server {
	int size;               /* workers of a group */
	struct pile *group;     /* [groups] a slot for each of its workers */
};

static void server_start(struct node *nd)
{
	const struct conf *c = nd->conf;
	struct server *s = nd->state;

	s->size = nd->workers / (int)c->groups;
	s->group = node_alloc(nd, (size_t)c->groups, sizeof(*s->group));
	for (int i = 0; i < c->groups; i++)
		pile_open(nd, &s->group[i], s->size);
}

static void server_msg(struct node *nd, const struct msg *m)
{
	const struct server *s = nd->state;
	const int group = m->from / s->size, first = group * s->size;
	struct pile *p = &s->group[group];

	if (pile_has(p, m->from - first)) {
		node_ignore(nd);
		return;
	}
	if (!pile_gather(nd, p, m->from - first, 1.0f, m->vec, s->size))
		return;
	for (int i = 0; i < s->size; i++)
		serve_model(nd, first + i);
}

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
	const struct conf *c = run->algo_conf;

	if (run->workers % c->groups == 0)
		return 0;
	return error("groups: %lld groups of %d workers cannot be equal: the nearest is groups=%d",
		     (long long)c->groups, run->workers, groups_nearest(run->workers, c->groups));
}

static const struct role server = {
	.state_size = sizeof(struct server), .start = server_start, .msg = server_msg,
	.fetch = serve_model,
};

static const struct opt opts[] = {
	{ "groups", OPT_AT(INT, struct conf, groups), "1",
	  "equal groups; 1: synchronous, as many as workers: asynchronous", "G", 1, 1 << 24, NULL,
	  0 },
	{ 0 }
};

extern const struct algo algo_groups;
const struct algo algo_groups = {
	.plugin = { .name = "groups",
		    .brief = "compute groups: synchronous within, asynchronous between them",
		    .cite = "Hadjis et al. 2016, arXiv 1606.04487 (Omnivore)",
		    .opts = opts, .conf_size = sizeof(struct conf) },
	.facts = { .rule = "server, when all k gradients of a group have come:\n"
			   "x <- optimiser(x, 1/k sum over the group of g_i)",
		   .departs = "fully connected layers are not served apart: a gradient is\n"
			      "computed at one snapshot of the model, all layers equally stale",
		   .waits = "a worker for its group, at every step",
		   .staleness = "about groups - 1",
		   .messages = "2: gradient up, model down; 2 m",
		   .memory = "workers / 0",
		   .tolerates = "a worker that is back in time: its group waits until then" },
	.check = groups_check,
	.server = &server,
	.worker = &serve_worker,
	.sends_gradients = true,
};
