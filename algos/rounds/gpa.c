/*
 * gpa.c - all-reduce whose steps are averaged at every step: with one worker a control for DiLoCo.
 *
 *     y <- mu_y x + (1 - mu_y) z                   where the gradients are computed
 *     z <- optimiser(z, 1/n sum_i g_i(y))
 *     x <- mu_x x + (1 - mu_x) z                   the model that is evaluated
 *
 * x and z begin as the initial model, and are equal on all workers. mu_x = 0.9^(1/H) averages about
 * as far back as DiLoCo with one worker and rounds of H steps does: 0.9967 for H = 32. So with
 * --workers 1 it shows which part of DiLoCo's gain needs no second worker. mu_x = 0 is allreduce.
 *
 * n is the number of workers whose gradients the all-reduce has added. A worker that returns begins
 * with a member's x, z and optimiser state.
 *
 * Paper: Defazio, Mishchenko, Raman, Shi, Xiao 2025 (generalized primal averaging), of one worker.
 */
#include "algos/common/join.h"
#include "core/math/vec.h"

struct gpa_conf {
	double mu_x, mu_y;
};

struct gpa_worker {
	float *x, *z;           /* [dim] */
	float *allreduced;      /* [dim] sum of all workers' gradients */
};

/* Asks for the gradients at y; meanwhile the node's model is x. */
static void gpa_ask(struct node *nd)
{
	const struct gpa_conf *c = nd->conf;
	const struct gpa_worker *w = nd->state;

	vec_copy(nd->dim, w->z, nd->x);
	vec_axpby(nd->dim, (float)c->mu_y, w->x, (float)(1.0 - c->mu_y), nd->x);
	node_grad_allreduce(nd, w->allreduced);
	vec_copy(nd->dim, w->x, nd->x);
}

static void gpa_start(struct node *nd)
{
	struct gpa_worker *w = nd->state;

	w->x = node_vec(nd);
	w->z = node_vec(nd);
	w->allreduced = node_vec(nd);
	vec_copy(nd->dim, nd->x, w->x);
	vec_copy(nd->dim, nd->x, w->z);
	gpa_ask(nd);
}

static void gpa_allreduce(struct node *nd, float *v, size_t n)
{
	const struct gpa_conf *c = nd->conf;
	const struct gpa_worker *w = nd->state;

	(void)n;
	vec_copy(nd->dim, w->z, nd->x);
	node_step(nd, v, 1.0f / (float)node_added(nd));
	vec_copy(nd->dim, nd->x, w->z);
	vec_axpby(nd->dim, (float)(1.0 - c->mu_x), w->z, (float)c->mu_x, w->x);
	gpa_ask(nd);
}

/* State that is equal on all workers: the optimiser's, and x and z. */
static struct join gpa_join(const struct node *nd)
{
	const struct gpa_worker *w = nd->state;
	struct join j = join_of(nd);

	join_add(&j, w->x, nd->dim);
	join_add(&j, w->z, nd->dim);
	return j;
}

static void gpa_back(struct node *nd, const struct msg *m)
{
	join_take(nd, gpa_join(nd), m);
	gpa_ask(nd);
}

static void gpa_fetch(struct node *nd, int to)
{
	join_send(nd, to, gpa_join(nd), 0);
}

static const struct role gpa_worker = {
	.state_size = sizeof(struct gpa_worker),
	.start = gpa_start,
	.allreduce = gpa_allreduce,
	.back = gpa_back,
	.fetch = gpa_fetch,
};

static const struct opt gpa_opts[] = {
	OPT_NUMBER(struct gpa_conf, mu_x, "0.9967", "how slowly x follows z: 0.9^(1/H)", "MU", 0,
		   0.999999),
	OPT_NUMBER(struct gpa_conf, mu_y, "0.8", "share of x in the point of a gradient", "MU", 0,
		   0.999999),
	{ 0 }
};

const struct algo algo_gpa = {
	.plugin = { .name = "gpa",
		    .brief = "all-reduce, its steps averaged; with one worker a control for DiLoCo",
		    .also = "primal-averaging, schedule-free",
		    .cite = "Defazio et al. 2025, arXiv 2512.17131",
		    .opts = gpa_opts,
		    .conf_size = sizeof(struct gpa_conf) },
	.facts = { .rule = "y <- mu_y x + (1 - mu_y) z;  z <- optimiser(z, 1/n sum_i g_i(y));\n"
			   "x <- mu_x x + (1 - mu_x) z",
		   .departs = "the paper has one worker; more are all-reduce's",
		   .waits = "all workers for each other, at every step",
		   .staleness = "0",
		   .messages = "an all-reduce of gradients; 2 (n - 1)/n m as a ring",
		   .memory = "- / 3",
		   .tolerates = JOIN_TOLERATES },
	.worker = &gpa_worker,
	.lockstep = true,
	.order_fixed = order_always,
	.sends_gradients = true,
	.allreduces_gradients = true,
};
