/*
 * downpour.c - Downpour SGD: local steps, with a push and a fetch every few steps.
 *
 *     worker, at every step:            x_i <- optimiser(x_i, g_i);  u_i <- u_i + what x_i moved by
 *     after every push-th:              sends u_i;  u_i <- 0
 *     after every fetch-th, then:       asks for x, waits, and goes on from it
 *     server, for every u_i:            x <- x + u_i
 *
 * For plain SGD u_i is the sum of -lr g_i, and with fetch = push = 1 this is asgd, except for
 * rounding. A push and a fetch at the same step are one message:
 *
 *     worker  --- PUSH_FETCH, u_i, clock of the model fetched last --->  server
 *             <-- SERVE_MODEL, x, the server's clock ---
 *
 * If a model is fetched before all steps are pushed, these steps are lost in x_i, but not in u_i.
 *
 * Paper: Dean et al. 2012. The optimiser is local, as in the code of EASGD's authors, whose server
 * only adds. The paper's version has Adagrad at the server, and computes while it fetches.
 */
#include "algos/common/server/serve.h"
#include "core/math/vec.h"

enum { PUSH, FETCH, PUSH_FETCH };

struct downpour_conf {
	int64_t fetch, push;
};

struct downpour_worker {
	int64_t stamp;          /* server's clock of the model fetched last */
	float *moved;           /* [dim] u_i, up to the model `from` */
	float *from;            /* [dim] x_i when u_i was last updated */
	bool fetching;
};

/* moved <- moved + (x - from);  from <- x */
static void downpour_gather(struct node *nd)
{
	struct downpour_worker *w = nd->state;

	vec_axpby(nd->dim, 1.0f, nd->x, -1.0f, w->from);
	vec_axpy(nd->dim, 1.0f, w->from, w->moved);
	vec_copy(nd->dim, nd->x, w->from);
}

static void downpour_push(struct node *nd, int tag)
{
	struct downpour_worker *w = nd->state;

	downpour_gather(nd);
	node_send(nd, SERVER, &(struct msg){ .tag = tag, .stamp = w->stamp, .vec = w->moved,
					     .n = nd->dim, .codes = true });
	vec_scale(nd->dim, 0.0f, w->moved);
}

static void downpour_worker_start(struct node *nd)
{
	struct downpour_worker *w = nd->state;

	w->moved = node_vec(nd);
	w->from = node_vec(nd);
	vec_copy(nd->dim, nd->x, w->from);
	node_grad(nd);
}

static void downpour_worker_grad(struct node *nd, const struct grad *g)
{
	const struct downpour_conf *c = nd->conf;
	struct downpour_worker *w = nd->state;

	node_step(nd, g->vec, 1.0f);
	const bool fetches = nd->step % c->fetch == 0;

	if (nd->step % c->push == 0)
		downpour_push(nd, fetches ? PUSH_FETCH : PUSH);
	else if (fetches)
		node_send(nd, SERVER, &(struct msg){ .tag = FETCH });
	w->fetching = fetches;
	if (!fetches)
		node_grad_local(nd);
}

static void downpour_take(struct node *nd, const struct msg *m)
{
	struct downpour_worker *w = nd->state;

	vec_copy(nd->dim, m->vec, nd->x);
	vec_copy(nd->dim, m->vec, w->from);
	w->stamp = m->stamp;
}

static void downpour_worker_msg(struct node *nd, const struct msg *m)
{
	struct downpour_worker *w = nd->state;

	if (!w->fetching)       /* an answer to a request from before the worker was away */
		return;
	w->fetching = false;
	downpour_gather(nd);
	downpour_take(nd, m);
	node_grad(nd);
}

/* Takes a new model; steps not pushed before are lost. */
static void downpour_worker_back(struct node *nd, const struct msg *m)
{
	struct downpour_worker *w = nd->state;

	w->fetching = false;
	if (m) {
		downpour_take(nd, m);
		vec_scale(nd->dim, 0.0f, w->moved);
	}
	node_grad(nd);
}

static const struct role downpour_worker = {
	.state_size = sizeof(struct downpour_worker), .start = downpour_worker_start,
	.grad = downpour_worker_grad, .msg = downpour_worker_msg, .back = downpour_worker_back,
};

static void downpour_server_msg(struct node *nd, const struct msg *m)
{
	if (m->tag != FETCH) {
		vec_axpy(nd->dim, 1.0f, m->vec, nd->x);
		node_moved(nd);
	}
	if (m->tag != PUSH)
		serve_model(nd, m->from);
}

static const struct role downpour_server = {
	.msg = downpour_server_msg,
	.fetch = serve_model,
};

static const struct opt downpour_opts[] = {
	OPT_NUMBER(struct downpour_conf, fetch, "1",
		   "local steps between two models from the server", "N", 1, 1e9),
	OPT_NUMBER(struct downpour_conf, push, "1",
		   "local steps whose sum goes to the server together", "N", 1, 1e9),
	{ 0 }
};

const struct algo algo_downpour = {
	.plugin = { .name = "downpour",
		    .brief = "asynchronous: local steps, their total pushed, models fetched",
		    .cite = "Dean et al. 2012",
		    .opts = downpour_opts,
		    .conf_size = sizeof(struct downpour_conf) },
	.facts = { .rule = "worker i:  x_i <- optimiser(x_i, g_i);  u_i <- the sum of these "
			   "changes of x_i\n"
			   "every push-th step:  server:  x <- x + u_i;  u_i <- 0\n"
			   "every fetch-th step:  x_i <- x",
		   .departs = "there is one server instead of shards. It adds the updates and "
			      "does not use Adagrad. A worker waits for the model that it "
			      "fetches. Steps that were not pushed when the run ends are lost",
		   .waits = "a worker for the server, at every fetch",
		   .staleness = "counted in updates: about n - 1 of others, and the worker's own "
				"since its last fetch",
		   .late = LATE_APART,
		   .messages = "an update up every push gradients, a model down every fetch "
			       "gradients; (1/push + 1/fetch) m",
		   .memory = "0 / 2",
		   .tolerates = SERVE_TOLERATES },
	.sends_gradients = true,
	.server = &downpour_server, .worker = &downpour_worker, .round = "fetch",
};
