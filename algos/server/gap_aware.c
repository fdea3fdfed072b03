/*
 * gap_aware.c - asynchronous SGD that divides a gradient by its gap (stale_gradient.h).
 *
 *     server, for every gradient of worker i, taken at x_i:
 *
 *         R <- G R + (1 - G) v^2;   C = eta_max (sqrt(R / (1 - G^t)) + 1e-8)
 *         P = 1 + |x - x_i| / C
 *         x <- optimiser(x, g / P),  with weight decay divided by P too;   send x_i = x
 *
 * v is the optimiser's momentum before this gradient is added to it (the gradient itself if there
 * is no momentum), so C is the length of an average step; it does not fall when the learning rate
 * decays. All is computed element by element, or with norms by layer, or over all of x.
 *
 * With steps=true v is the server's last step itself, x before minus x after it, and C has no
 * eta_max: then any optimiser is allowed. For Adam, with G equal to its beta2 and debias=false,
 * this is the code of the authors' group: weight decay, decoupled or not, is divided too.
 *
 * Paper: Barkai, Hakimi, Schuster 2019, as the authors' group codes it.
 */
#include "algos/common/server/serve.h"
#include "algos/common/server/stale_gradient.h"

#include "core/base/error.h"
#include "core/math/vec.h"

struct gap_aware_conf {
	struct stale_gap_conf gap;
	bool steps;
};

struct gap_aware_server {
	float **theirs;         /* [workers][dim] models at which they compute */
	float *g;               /* [dim] the gradient after division */
	float *optim;           /* optimiser state; begins with v */
	float *moved;           /* [dim] steps=true: the last step */
	struct stale_gap gap;
};

static void gap_aware_server_start(struct node *nd)
{
	const struct gap_aware_conf *c = nd->conf;
	struct gap_aware_server *s = nd->state;

	s->theirs = serve_copies(nd);
	s->g = node_vec(nd);
	s->optim = node_optim(nd);
	stale_gap_start(nd, &s->gap, &c->gap);
	s->gap.measured = c->steps;
	if (c->steps)
		s->moved = node_vec(nd);
}

static void gap_aware_serve(struct node *nd, int to)
{
	const struct gap_aware_server *s = nd->state;

	vec_copy(nd->dim, nd->x, s->theirs[to]);
	serve_model(nd, to);
}

/* Steps with the gap by the optimiser's momentum. */
static void gap_aware_step(struct node *nd, struct gap_aware_server *s, const struct msg *m)
{
	const struct gap_aware_conf *c = nd->conf;
	const struct momentum mom = node_momentum(nd);

	stale_gap_average(nd, &s->gap, &c->gap, mom.mu == 0.0 ? m->vec : s->optim);
	stale_gap_divide(nd, &s->gap, &c->gap, s->theirs[m->from], node_decay(nd), s->g);
	node_step_with(nd, s->optim, s->g, 1.0f);
}

/* Steps with the gap by measured steps, with any optimiser. */
static void gap_aware_step_measured(struct node *nd, struct gap_aware_server *s,
				    const struct msg *m)
{
	const struct gap_aware_conf *c = nd->conf;

	stale_gap_average(nd, &s->gap, &c->gap, s->moved);
	vec_copy(nd->dim, nd->x, s->moved);
	stale_gap_divide(nd, &s->gap, &c->gap, s->theirs[m->from], node_decay(nd), s->g);
	node_step_with(nd, s->optim, s->g, 1.0f);
	vec_axpy(nd->dim, -1.0f, nd->x, s->moved);
}

static void gap_aware_server_msg(struct node *nd, const struct msg *m)
{
	const struct gap_aware_conf *c = nd->conf;
	struct gap_aware_server *s = nd->state;

	vec_copy(nd->dim, m->vec, s->g);
	if (c->steps)
		gap_aware_step_measured(nd, s, m);
	else
		gap_aware_step(nd, s, m);
	gap_aware_serve(nd, m->from);
}

static int gap_aware_check(const struct run *run)
{
	const struct gap_aware_conf *c = run->algo_conf;

	if (c->steps || run->optim->momentum)
		return 0;
	return error("gap-aware takes the length of a step from the momentum of sgd, and '%s' has "
		     "none. Use gap-aware:steps=true, which measures the steps.",
		     run->optim->plugin.name);
}

static const struct role gap_aware_server = {
	.state_size = sizeof(struct gap_aware_server), .start = gap_aware_server_start,
	.msg = gap_aware_server_msg, .fetch = gap_aware_serve,
};

static const struct opt gap_aware_opts[] = {
	STALE_GAP_OPTS(struct gap_aware_conf, gap),
	OPT_FLAG(struct gap_aware_conf, steps,
		 "C from the steps that the server made: for any optimiser, such as adam"),
	{ 0 }
};

const struct algo algo_gap_aware = {
	.plugin = { .name = "gap-aware",
		    .brief = "asgd with gradients divided by how far the model has moved on",
		    .cite = "Barkai, Hakimi, Schuster 2020, arXiv 1909.10802 (2019)",
		    .opts = gap_aware_opts,
		    .conf_size = sizeof(struct gap_aware_conf) },
	.facts = { .rule = "server, for every gradient of worker i:  x <- optimiser(x, g / (1 + "
			   "|x - x_i| / C)), coordinate by coordinate;\n"
			   "C: the length of an average step",
		   .departs = "with sgd:nesterov=true the server's step includes a look-ahead, "
			      "which C does not count. With the setting steps=true, C is "
			      "measured from the server's steps, so it includes decoupled weight "
			      "decay",
		   SERVE_FACTS,
		   .memory = "3 + n / 0; penalty=layer or global: 2 + n / 0; steps=true: 1 more "
			     "at the server" },
	.server = &gap_aware_server,
	.worker = &serve_worker,
	.sends_gradients = true,
	.check = gap_aware_check,
};
