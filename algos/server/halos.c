/*
 * halos.c - local steps with two layers of servers: one in each region, and a global one.
 *
 *     worker i of region r:    D_i <- X_r - x_i after H_i local steps from X_r
 *     region r's server:       X_r <- delayed Nesterov along every D_i that comes
 *                              answers at once with X_r and H_i
 *         K D_i since it last merged:    sends G_r <- Y_r - X_r, once
 *         the global model Z comes:      X_r <- (1 - alpha) X_r + alpha Z;   Y_r <- X_r
 *     global server:           Z <- delayed Nesterov along every G_r that comes;   answers with Z
 *
 * So workers only exchange models within their region, over fast links, and no node waits for one
 * of another region:
 *
 *     workers 0, 1  --- D --->  server of region 0, on rank 0  --- G --->
 *                   <-- X ---                                  <-- Z ---   global server
 *     workers 2, 3  --- D --->  server of region 1, on rank 2  --- G --->
 *
 * A region's ranks follow each other, and the first one also hosts the region's server, which
 * answers while that worker computes. Slow workers make fewer steps, as in async-local-sgd:
 * H_i = floor(H min_j s_j / s_i + 0.1) of the workers j of the region.
 *
 * One region with K = 1, alpha = 1 and a global step of 1 without momentum is async-local-sgd; with
 * alpha = 0 each region trains a model of its own. (rounds.h has delayed Nesterov, client.h the
 * messages.)
 *
 * Paper: Kim et al. 2025 (HALoS).
 */
#include "algos/common/outer.h"
#include "algos/common/server/client.h"
#include "core/base/error.h"
#include "core/math/vec.h"
#include "core/run.h"

#include <math.h>

struct halos_conf {
	struct client_conf client;
	bool dynamic;
	int64_t regions;        /* equal ones; 0: as halos_regions() says */
	struct opt_doubles sizes;       /* workers of each region, instead; n = 0: equal */
	struct outer_conf local, global;        /* learning rates of one update, not of N */
	int64_t local_buffer, global_buffer;    /* N; local 0: 4 for each worker of the region */
	int64_t every;          /* K; 0: 8 for each worker of the region */
	double alpha;
};

enum { UPDATES_BUFFERED = 4, UPDATES_MERGED = 8 };      /* of each worker, by default */

/* ---- regions ---- */

struct range {                  /* ranks of a region */
	int first, n;
};

/* Number of regions: the largest divisor of the workers up to their root if no option says it. */
static int halos_regions(const struct halos_conf *c, int workers)
{
	int most = 1;

	if (c->sizes.n || c->regions)
		return (int)(c->sizes.n ? (int64_t)c->sizes.n : c->regions);
	for (int r = 2; r * r <= workers; r++)
		if (workers % r == 0)
			most = r;
	return most;
}

static struct range region_of(const struct node *nd, int rank)
{
	const struct halos_conf *c = nd->conf;
	const int equal = nd->workers / halos_regions(c, nd->workers);
	struct range r = { 0, c->sizes.n ? (int)c->sizes.v[0] : equal };

	for (size_t i = 1; rank >= r.first + r.n; i++) {
		r.first += r.n;
		r.n = c->sizes.n ? (int)c->sizes.v[i] : equal;
	}
	return r;
}

/* ---- the server of a region, on its first rank ---- */

struct region {
	struct range ranks;
	float *x;               /* [dim] X_r ... */
	int64_t clock;          /* ... and its number of updates */
	float *merged;          /* [dim] Y_r, X_r when it was last merged ... */
	int64_t stamp;          /* ... and the global server's clock of that Z */
	float *gone;            /* [dim] G_r */
	struct delayed outer;
	int64_t came;           /* updates since it was last merged */
	bool sent;              /* G_r, whose answer has not come */
	double *step_s;         /* [ranks.n] s_i */
};

struct halos_worker {
	struct client client;
	struct range ranks;
	struct region region;   /* on the first rank of the region */
};

static void region_open(struct node *nd, struct region *r, struct range ranks)
{
	r->ranks = ranks;
	r->x = node_vec(nd);
	r->merged = node_vec(nd);
	r->gone = node_vec(nd);
	vec_copy(nd->dim, nd->x, r->x);
	vec_copy(nd->dim, nd->x, r->merged);
	delayed_start(nd, &r->outer);
	r->step_s = node_alloc(nd, (size_t)ranks.n, sizeof(*r->step_s));
}

/* Sends X_r and H_i to a worker of the region, or gives them to the one on this rank. */
static void region_answer(struct node *nd, struct halos_worker *w, int to)
{
	const struct halos_conf *c = nd->conf;
	const struct region *r = &w->region;
	const int64_t steps = c->dynamic ? client_steps(c->client.period, r->step_s, r->ranks.n,
							to - r->ranks.first)
					 : c->client.period;
	const struct msg m = { .tag = (int)steps, .stamp = r->clock, .vec = r->x, .n = nd->dim };

	if (to == nd->rank)
		client_take(nd, &w->client, &m);
	else
		node_send(nd, to, &m);
}

static void region_update(struct node *nd, struct halos_worker *w, int from, const float *d,
			  double step_s)
{
	const struct halos_conf *c = nd->conf;
	struct region *r = &w->region;
	const int64_t n = c->local_buffer ? c->local_buffer : UPDATES_BUFFERED * r->ranks.n;
	const struct outer_conf outer = { .lr = c->local.lr * (double)n,
					  .momentum = c->local.momentum };

	r->step_s[from - r->ranks.first] = step_s;
	delayed_step(&outer, n, 0.0, nd->dim, d, &r->outer, r->x);
	r->clock++;
	r->came++;
	if (!r->sent && r->came >= (c->every ? c->every : UPDATES_MERGED * r->ranks.n)) {
		r->sent = true;
		vec_copy(nd->dim, r->merged, r->gone);
		vec_axpy(nd->dim, -1.0f, r->x, r->gone);
		node_send(nd, SERVER, &(struct msg){ .stamp = r->stamp, .vec = r->gone,
						     .n = nd->dim, .codes = true });
	}
	region_answer(nd, w, from);
}

static void region_merge(struct node *nd, struct region *r, const struct msg *m)
{
	const struct halos_conf *c = nd->conf;

	vec_axpby(nd->dim, (float)c->alpha, m->vec, (float)(1.0 - c->alpha), r->x);
	vec_copy(nd->dim, r->x, r->merged);
	r->stamp = m->stamp;
	r->came = 0;
	r->sent = false;
}

/*
 * The region's server was away. With m, it continues from the global model *m; else with its own
 * X_r. Updates that were sent meanwhile are lost, so all workers of the region are answered; those
 * that compute ignore it. If the answer to its G_r may be lost, G_r is counted from X_r again.
 */
static void region_back(struct node *nd, struct halos_worker *w, const struct msg *m)
{
	struct region *r = &w->region;

	if (m) {
		vec_copy(nd->dim, m->vec, r->x);
		vec_scale(nd->dim, 0.0f, r->outer.buffer);
		vec_scale(nd->dim, 0.0f, r->outer.m);
		r->outer.buffered = 0;
		r->stamp = m->stamp;
	}
	if (m || r->sent) {
		vec_copy(nd->dim, r->x, r->merged);
		r->came = 0;
		r->sent = false;
	}
	for (int i = 1; i < r->ranks.n; i++)
		region_answer(nd, w, r->ranks.first + i);
}

/* ---- workers ---- */

static void halos_worker_start(struct node *nd)
{
	struct halos_worker *w = nd->state;

	w->ranks = region_of(nd, nd->rank);
	if (nd->rank == w->ranks.first)
		region_open(nd, &w->region, w->ranks);
	client_open(nd, &w->client);
}

static void halos_worker_grad(struct node *nd, const struct grad *g)
{
	struct halos_worker *w = nd->state;

	if (!client_step(nd, &w->client, g))
		return;
	if (nd->rank == w->ranks.first)
		region_update(nd, w, nd->rank, w->client.delta,
			      (double)client_step_s(nd, &w->client));
	else
		client_send(nd, &w->client, w->ranks.first);
}

static void halos_worker_msg(struct node *nd, const struct msg *m)
{
	struct halos_worker *w = nd->state;

	if (m->from == SERVER)
		region_merge(nd, &w->region, m);
	else if (nd->rank == w->ranks.first)
		region_update(nd, w, m->from, m->vec, client_pace(m));
	else
		client_take(nd, &w->client, m);
}

static void halos_worker_back(struct node *nd, const struct msg *m)
{
	struct halos_worker *w = nd->state;

	if (nd->rank == w->ranks.first)
		region_back(nd, w, m);
	client_return(nd, &w->client, m);
}

/* ---- the global server ---- */

static void halos_server_start(struct node *nd)
{
	delayed_start(nd, nd->state);
}

static void halos_server_msg(struct node *nd, const struct msg *m)
{
	const struct halos_conf *c = nd->conf;
	const struct outer_conf outer = { .lr = c->global.lr * (double)c->global_buffer,
					  .momentum = c->global.momentum };

	delayed_step(&outer, c->global_buffer, 0.0, nd->dim, m->vec, nd->state, nd->x);
	node_moved(nd);
	client_answer(nd, m->from);
}

/* ---- description ---- */

static int sizes_check(const struct halos_conf *c, int workers)
{
	double all = 0;

	if (c->regions)
		return error("halos: regions=%lld and sizes: give one of both",
			     (long long)c->regions);
	for (size_t i = 0; i < c->sizes.n; i++) {
		if (fmod(c->sizes.v[i], 1.0) > 0.0)
			return error("halos: sizes: a region cannot have %g workers (expected "
				     "whole numbers)", c->sizes.v[i]);
		all += c->sizes.v[i];
	}
	if (all < workers || all > workers)
		return error("halos: sizes: the regions have %g workers together, and the run has "
			     "%d (expected as many)", all, workers);
	return 0;
}

static int halos_check(const struct run *run)
{
	const struct halos_conf *c = run->algo_conf;
	const int n = run->workers;

	if (c->sizes.n)
		return sizes_check(c, n);
	if (c->regions > n)
		return error("halos: %lld regions of %d workers: at most regions=%d",
			     (long long)c->regions, n, n);
	if (c->regions && n % c->regions)
		return error("halos: %lld regions of %d workers cannot be equal. Give the workers "
			     "of each by sizes=A/B/..., which add up to %d, instead of regions.",
			     (long long)c->regions, n, n);
	return 0;
}

static const struct role halos_server = {
	.state_size = sizeof(struct delayed), .start = halos_server_start, .msg = halos_server_msg,
	.fetch = client_answer,
};

static const struct role halos_worker = {
	.state_size = sizeof(struct halos_worker), .start = halos_worker_start,
	.grad = halos_worker_grad, .msg = halos_worker_msg, .back = halos_worker_back,
};

static const struct opt halos_opts[] = {
	CLIENT_OPTS(struct halos_conf, client, "8"),
	{ "dynamic", OPT_AT(BOOL, struct halos_conf, dynamic), "true",
	  "slow workers of a region make fewer local steps", NULL, 0, 0, NULL, 0 },
	OPT_NUMBER(struct halos_conf, regions, "0",
		   "equal regions of ranks that follow each other; 0: the largest divisor of the "
		   "workers up to their square root", "R", 0, 1 << 24),
	{ "sizes", OPT_AT(DOUBLES, struct halos_conf, sizes), NULL,
	  "unequal regions instead: the workers of each", "A/B/...", 1, 1 << 24, NULL, 0 },
	{ "local_lr", OPT_AT(DOUBLE, struct halos_conf, local.lr), "0.2",
	  "learning rate of an update at a region's server", "ETA", 0, 1e6, NULL, 0 },
	{ "local_momentum", OPT_AT(DOUBLE, struct halos_conf, local.momentum), "0.9",
	  "its momentum", "MU", 0, 0.999999, NULL, 0 },
	OPT_NUMBER(struct halos_conf, local_buffer, "0",
		   "N of a region, updates that feed its momentum together; 0: 4 for each worker "
		   "of the region", "N", 0, 1 << 24),
	OPT_NUMBER(struct halos_conf, every, "0",
		   "K, updates of a region after which it merges with the global model; 0: 8 for "
		   "each worker of the region", "K", 0, 1 << 24),
	OPT_NUMBER(struct halos_conf, alpha, "0.25",
		   "share of the global model when a region merges with it", "ALPHA", 0, 1),
	{ "global_lr", OPT_AT(DOUBLE, struct halos_conf, global.lr), "0.15",
	  "learning rate of an update at the global server", "ETA", 0, 1e6, NULL, 0 },
	{ "global_momentum", OPT_AT(DOUBLE, struct halos_conf, global.momentum), "0.5",
	  "its momentum", "MU", 0, 0.999999, NULL, 0 },
	OPT_NUMBER(struct halos_conf, global_buffer, "2",
		   "N of the global server", "N", 1, 1 << 24),
	{ 0 }
};

/* Gain of an update in the global model if local_lr is 1: in G_r, and of G_r. */
static double halos_gain(const void *conf, int workers)
{
	const struct halos_conf *c = conf;

	(void)workers;
	return c->global.lr * outer_gain(&c->global) * outer_gain(&c->local);
}

const struct algo algo_halos = {
	.plugin = { .name = "halos",
		    .brief = "asynchronous local steps with a server in each region and a global "
			     "one",
		    .also = "hierarchical",
		    .cite = "Kim et al. 2025, arXiv 2506.04531 (HALoS)",
		    .opts = halos_opts,
		    .conf_size = sizeof(struct halos_conf) },
	.facts = { .rule = "worker i of region r:  x_i <- X_r;  H_i times  x_i <- optimiser(x_i, "
			   "g_i);  sends D_i = X_r - x_i\n"
			   "server of region r, for every D_i:  X_r <- X_r - eta_local D_i\n"
			   "also, for each N-th:  v <- mu v + 1/N (sum of the last N D);  X_r <- "
			   "X_r - eta_local N mu v\n"
			   "for the K-th since it merged:  sends G_r = Y_r - X_r, where Y_r is "
			   "X_r as it was after merging\n"
			   "global server, for every G_r:  the same with eta_global, from Z;  "
			   "answers with Z\n"
			   "server of region r, when Z comes:  X_r <- (1 - alpha) X_r + alpha Z",
		   .departs = "the server of a region is on the rank of its first worker. Local "
			      "steps are by measured speeds within the region; the paper knows "
			      "the speeds. By default N and K grow with the region, and are the "
			      "paper's for four workers. Updates of a region while its G_r is on "
			      "its way are not in any G_r, as in the authors' code",
		   .gain = "in the global model eta_local / (1 - mu_local) eta_global / (1 - "
			   "mu_global); the first factor is that in its region",
		   .waits = "no worker",
		   .staleness = "of a region's updates at the global server: about regions - 1",
		   .messages = "every H_i gradients an update up, a model down, within the "
			       "region; every K updates one up and down between region and "
			       "global server; 2 m / H_i + 2 m / (K H_i); a region's first worker "
			       "has the server on its rank, and only the second part",
		   .memory = "2 / 2; the first worker of a region: 7",
		   .tolerates = "a worker that leaves: no worker waits for it; a region whose "
				"first worker leaves waits until it returns" },
	.check = halos_check,
	.server = &halos_server,
	.worker = &halos_worker,
	.reads_clock = true,
	.outer = "local_lr",
	.gain = halos_gain,
	.round = "period",
	.sends_gradients = true,
	.workers_send_to_workers = true,
};
