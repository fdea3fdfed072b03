/*
 * dc_asgd.c - asynchronous SGD with delay compensation.
 *
 *     server, for every gradient of worker i, taken at x_i:
 *
 *         x <- optimiser(x, g + lambda_t g g (x - x_i));   send x_i = x
 *
 *     form=constant   lambda_t = lambda
 *     form=adaptive   M_i <- m M_i + (1 - m) g g;   lambda_t = lambda / sqrt(M_i + 1e-7)
 *
 * This is a Taylor step from x_i to x, with the diagonal of g g^T for the Hessian. All products are
 * element by element. Weight decay needs no compensation, since the optimiser takes it at x.
 *
 * Paper: Zheng et al. 2017; M for each worker, as in the authors' code.
 */
#include "algos/common/server/serve.h"
#include "algos/common/server/stale_gradient.h"

#include "core/math/vec.h"
#include "core/math/wide.h"

#include <math.h>

enum { FORM_CONSTANT, FORM_ADAPTIVE };

struct dc_asgd_conf {
	int form;
	double lambda, m;
};

struct dc_asgd_server {
	float **theirs;         /* [workers][dim] models at which they compute */
	float **square;         /* [workers][dim] M */
	float *g;               /* [dim] the compensated gradient */
};

static void dc_asgd_server_start(struct node *nd)
{
	const struct dc_asgd_conf *c = nd->conf;
	struct dc_asgd_server *s = nd->state;

	s->theirs = serve_copies(nd);
	s->square = c->form == FORM_ADAPTIVE ? serve_vectors(nd) : NULL;
	s->g = node_vec(nd);
}

static void dc_asgd_serve(struct node *nd, int to)
{
	const struct dc_asgd_server *s = nd->state;

	vec_copy(nd->dim, nd->x, s->theirs[to]);
	serve_model(nd, to);
}

WIDE static void dc_asgd_compensate(size_t n, float lambda, float m, const float *x,
				    const float *theirs, float *square, float *g)
{
	for (size_t i = 0; i < n; i++) {
		const float gg = g[i] * g[i];

		square[i] = m * square[i] + (1.0f - m) * gg;
		g[i] += lambda / sqrtf(square[i] + 1e-7f) * gg * (x[i] - theirs[i]);
	}
}

static void dc_asgd_server_msg(struct node *nd, const struct msg *m)
{
	const struct dc_asgd_conf *c = nd->conf;
	struct dc_asgd_server *s = nd->state;
	float *theirs = s->theirs[m->from];

	vec_copy(nd->dim, m->vec, s->g);
	if (c->form == FORM_CONSTANT)
		stale_compensate(nd, c->lambda, theirs, s->g);
	else if (s->g)
		dc_asgd_compensate(nd->dim, (float)c->lambda, (float)c->m, nd->x, theirs,
				   s->square[m->from], s->g);
	node_step(nd, s->g, 1.0f);
	dc_asgd_serve(nd, m->from);
}

static const struct role dc_asgd_server = {
	.state_size = sizeof(struct dc_asgd_server), .start = dc_asgd_server_start,
	.msg = dc_asgd_server_msg, .fetch = dc_asgd_serve,
};

static const char *const dc_asgd_forms[] = { "constant", "adaptive", NULL };

static const struct opt dc_asgd_opts[] = {
	OPT_CHOICE(struct dc_asgd_conf, form, "adaptive",
		   "whether lambda follows the gradients' size", "FORM", dc_asgd_forms),
	OPT_NUMBER(struct dc_asgd_conf, lambda, "2", "strength of the compensation", "LAMBDA", 0,
		   1e6),
	OPT_NUMBER(struct dc_asgd_conf, m, "0.95",
		   "form=adaptive: weight of earlier gradients in the mean square", "M", 0,
		   0.999999),
	{ 0 }
};

const struct algo algo_dc_asgd = {
	.plugin = { .name = "dc-asgd",
		    .brief = "asgd with gradients corrected, to first order, for their staleness",
		    .also = "delay-compensated",
		    .cite = "Zheng et al. 2017, arXiv 1609.08326",
		    .opts = dc_asgd_opts,
		    .conf_size = sizeof(struct dc_asgd_conf) },
	.facts = { .rule = "server, for every gradient g of worker i:\n"
			   "x <- optimiser(x, g + lambda_i g g (x - x_i)), coordinate by "
			   "coordinate;\n"
			   "form=adaptive:  lambda_i = lambda / sqrt(M_i + 1e-7), M_i a running "
			   "mean of g g",
		   .departs = "each worker has a running mean M_i of its own, as in the "
			      "authors' code",
		   SERVE_FACTS,
		   .memory = "1 + 2 n / 0; form=constant: 1 + n / 0" },
	.server = &dc_asgd_server,
	.worker = &serve_worker,
	.sends_gradients = true,
};
