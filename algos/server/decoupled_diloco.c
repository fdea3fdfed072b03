/*
 * decoupled_diloco.c - streaming DiLoCo without barriers: a server merges what has come in time.
 *
 *     worker i:  x_i <- optimiser(x_i, g_i), never waiting; a turn has H / P steps, and the turns
 *                belong to the fragments p, one after the other
 *         at the end of a turn:       sends x_i,p, with its steps since it last received X_p
 *         T steps after, or as soon as it has come later:   x_i,p <- X_p
 *     server, for every x_i,p that began at its present X_p; it drops others, which come late:
 *         D_i <- X_p - x_i,p;   w_i <- tokens * tokens / steps
 *         when D_i of K workers (quorum), and after that a grace period for more, or D_i of all:
 *             D   <- average of the D_i with weights w_i
 *             m_p <- mu m_p + D;   X_p <- X_p - eta (D + mu m_p);   sends X_p to all workers
 *     grace period: grace (T s - q) seconds, at least 0 and at most `cap`, with s the seconds of a
 *         step of the fastest worker, and q the seconds from the first D_i to the K-th
 *
 * average=rda, radial-directional averaging, is of each tensor's part of the fragment: the length
 * is the mean of the D_i's lengths, and the direction that of the sum of their directions:
 *
 *         D = (sum_i w_i |D_i| / sum_i w_i) u / |u|,   u = sum_i w_i D_i / |D_i|
 *
 * without the shortening of a mean of vectors that differ in direction. Where u is 0, D is the
 * weighted mean, as with average=mean. So it is of tables of embeddings, unless embeddings=rda.
 * A minibatch has b tokens for every worker, so w_i is b^2
 * times the steps (10 steps of 10 tokens weigh 1000), and b^2 cancels.
 *
 * A worker that sends a fragment again before its round ends replaces what it had sent. If it has
 * made no step since it received X_p, it sends nothing. With T = 0 a worker waits for the merged
 * fragment, for which K must be all workers: then average=mean, weights=equal is streaming-diloco
 * with delay=0 and alpha=0, and with P = 1 diloco.
 *
 * A worker that returns has the whole model from the server, or, with its own old model, asks for
 * all fragments and continues meanwhile. With the model (rejoin=common) comes the step of the turns
 * that the others have reached: the server counts the steps of the fastest worker since a round was
 * opened. With its own count of steps (rejoin=own) the worker sends each fragment at another time
 * than the others; with K = 1 it is then merged alone, with the gain of all.
 *
 * Gain: D_i is w_i / sum_j w_j of a step whose gain is eta / (1 - mu).
 *
 * Paper: Douillard et al. 2026 (K = 1, P = H = 24, T = 2); eta and mu are those of
 * DiLoCo, as the paper prints none.
 */
#include "algos/common/fragments.h"
#include "algos/common/outer.h"
#include "algos/common/server/gather.h"
#include "core/base/error.h"
#include "core/math/vec.h"
#include "core/problem.h"
#include "core/run.h"

#include <math.h>

enum { AVERAGE_RDA, AVERAGE_MEAN };
enum { WEIGHT_TOKENS, WEIGHT_EQUAL };
enum { REJOIN_COMMON, REJOIN_OWN };
enum { NO_FRAGMENT = -1 };

struct decoupled_diloco_conf {
	struct outer_conf outer;
	int64_t period, fragments, stripes, delay;
	int64_t quorum;         /* K; 0: all workers */
	double grace, cap;
	int average, embeddings, weights, rejoin;
};

static struct fragments decoupled_fragments(const struct node *nd)
{
	const struct decoupled_diloco_conf *c = nd->conf;

	return (struct fragments){ nd->dim, (size_t)c->fragments, (size_t)c->stripes };
}

/* v + from; NULL in a timing-only run, where v is NULL. */
static float *decoupled_part(float *v, size_t from)
{
	return v ? v + from : NULL;
}

/* ---- workers ---- */

struct learned {                /* a fragment at a worker */
	int64_t stamp;          /* server's clock of the X_p from which it began ... */
	int64_t since;          /* ... and the worker's step at which it did */
	int64_t sent;           /* step at which it was last sent */
	int64_t fresh;          /* server's clock of an X_p that waits to be used, or 0 */
};

struct decoupled_diloco_worker {
	struct fragments fragments;
	struct learned *learned;        /* [fragments] */
	int64_t ahead;          /* steps that its turns are ahead of nd->step */
	float *fresh;           /* [dim] fragments that have come, in their order */
	float *sent;            /* [largest fragment + 1] a fragment, and the steps */
	int waits;              /* fragment that it waits for (delay=0), or NO_FRAGMENT */
};

static void decoupled_worker_start(struct node *nd)
{
	const struct decoupled_diloco_conf *c = nd->conf;
	struct decoupled_diloco_worker *w = nd->state;

	w->fragments = decoupled_fragments(nd);
	w->learned = node_alloc(nd, w->fragments.count, sizeof(*w->learned));
	for (size_t p = 0; p < w->fragments.count; p++)
		w->learned[p].sent = -c->delay;
	w->fresh = node_vec(nd);
	w->sent = node_floats(nd, fragment_largest(&w->fragments) + 1);
	w->waits = NO_FRAGMENT;
	node_grad(nd);
}

/* x_p <- X_p as it has come. */
static void decoupled_use(struct node *nd, struct decoupled_diloco_worker *w, size_t p)
{
	struct learned *l = &w->learned[p];
	size_t from;

	fragment_at(&w->fragments, p, &from);
	fragment_put(&w->fragments, p, decoupled_part(w->fresh, from), nd->x);
	l->stamp = l->fresh;
	l->since = nd->step;
	l->fresh = 0;
}

/* Sends the fragment, unless it has nothing new; with delay=0 the others wait for it anyway. */
static void decoupled_send(struct node *nd, struct decoupled_diloco_worker *w, size_t p)
{
	const struct decoupled_diloco_conf *c = nd->conf;
	struct learned *l = &w->learned[p];
	size_t from;
	const size_t n = fragment_at(&w->fragments, p, &from);

	if (nd->step == l->since && c->delay > 0)
		return;
	fragment_get(&w->fragments, p, nd->x, w->sent);
	if (w->sent)
		w->sent[n] = (float)(nd->step - l->since);
	l->sent = nd->step;
	node_send(nd, SERVER, &(struct msg){ .tag = (int)p, .stamp = l->stamp, .vec = w->sent,
					     .n = n + 1 });
}

static void decoupled_grad(struct node *nd, const struct grad *g)
{
	const struct decoupled_diloco_conf *c = nd->conf;
	const int64_t turn = c->period / c->fragments;
	struct decoupled_diloco_worker *w = nd->state;
	int64_t turned;
	size_t p;

	node_step(nd, g->vec, 1.0f);
	for (p = 0; p < w->fragments.count; p++)
		if (w->learned[p].fresh && nd->step - w->learned[p].sent >= c->delay)
			decoupled_use(nd, w, p);
	turned = nd->step + w->ahead;
	if (turned % turn != 0) {
		node_grad_local(nd);
		return;
	}
	p = (size_t)(turned / turn - 1) % w->fragments.count;
	decoupled_send(nd, w, p);
	if (c->delay == 0)
		w->waits = (int)p;
	else
		node_grad(nd);
}

/* A merged fragment; one that the worker has already answers what it asked when it was back. */
static void decoupled_worker_msg(struct node *nd, const struct msg *m)
{
	struct decoupled_diloco_worker *w = nd->state;
	struct learned *l = &w->learned[m->tag];
	size_t from;
	const size_t n = fragment_at(&w->fragments, (size_t)m->tag, &from);

	if (m->stamp <= l->stamp)
		return;
	vec_copy(n, m->vec, decoupled_part(w->fresh, from));
	l->fresh = m->stamp;
	if (w->waits != m->tag)
		return;
	decoupled_use(nd, w, (size_t)m->tag);
	w->waits = NO_FRAGMENT;
	node_grad(nd);
}

static void decoupled_back(struct node *nd, const struct msg *m)
{
	const struct decoupled_diloco_conf *c = nd->conf;
	struct decoupled_diloco_worker *w = nd->state;

	w->waits = NO_FRAGMENT;
	if (m && m->tag) {
		/* the tag is a step of the cycle of all turns, from 1 to H: that of its last one */
		w->ahead = m->tag - nd->step % c->period + c->period;
	}
	if (m) {
		vec_copy(nd->dim, m->vec, nd->x);
		for (size_t p = 0; p < w->fragments.count; p++)
			w->learned[p] = (struct learned){ .stamp = m->stamp, .since = nd->step,
							  .sent = w->learned[p].sent };
	} else {
		node_send(nd, SERVER, &(struct msg){ .tag = (int)w->fragments.count });
	}
	node_grad(nd);
}

/* ---- the server ---- */

struct merging {                /* a fragment at the server */
	int64_t stamp;          /* the server's clock when it was last merged */
	int came;               /* workers whose D_i has come */
	double opened;          /* seconds: when the first of them came */
	int timer;              /* token of the timer that ends its grace period; 0: none */
};

struct decoupled_diloco_server {
	struct fragments fragments;
	struct merging *merging;        /* [fragments] */
	bool *has;              /* [workers][fragments] D_i has come */
	float **delta;          /* [workers] of [dim + fragments]: D_i, then w_i of each fragment */
	float *m;               /* [dim] in the order of fragments */
	float *part, *mean, *turn;      /* [largest fragment] X_p, D, u */
	double *came_s, *step_s;        /* [workers] seconds: latest message; of a step, or 0 */
	double opened;          /* seconds: when the latest round was opened ... */
	size_t latest;          /* ... of this fragment */
	int timers;             /* set so far */
};

static void decoupled_server_start(struct node *nd)
{
	struct decoupled_diloco_server *s = nd->state;
	size_t largest;

	s->fragments = decoupled_fragments(nd);
	largest = fragment_largest(&s->fragments);
	s->merging = node_alloc(nd, s->fragments.count, sizeof(*s->merging));
	s->has = node_alloc(nd, (size_t)nd->workers * s->fragments.count, sizeof(*s->has));
	s->delta = node_alloc(nd, (size_t)nd->workers, sizeof(*s->delta));
	for (int i = 0; i < nd->workers; i++)
		s->delta[i] = node_floats(nd, nd->dim + s->fragments.count);
	s->m = node_vec(nd);
	s->part = node_floats(nd, largest);
	s->mean = node_floats(nd, largest);
	s->turn = node_floats(nd, largest);
	s->came_s = node_alloc(nd, (size_t)nd->workers, sizeof(*s->came_s));
	s->step_s = node_alloc(nd, (size_t)nd->workers, sizeof(*s->step_s));
}

static bool *decoupled_has(const struct decoupled_diloco_server *s, int worker, size_t p)
{
	return &s->has[(size_t)worker * s->fragments.count + p];
}

/* w_i, without the factor that all have. */
static double decoupled_weight(const struct node *nd, const struct decoupled_diloco_server *s,
			       int worker, size_t p)
{
	const struct decoupled_diloco_conf *c = nd->conf;

	if (c->weights == WEIGHT_EQUAL || !nd->x)
		return 1.0;
	return (double)s->delta[worker][nd->dim + p];
}

/*
 * mean[at, at + n) <- the average, by that rule, of that part of the D_i, which begin at `from` of
 * their vectors; both averages are computed, so that a handler's time does not depend on values.
 */
static void decoupled_average(const struct node *nd, struct decoupled_diloco_server *s, int rule,
			      size_t p, size_t from, size_t at, size_t n)
{
	float *mean = decoupled_part(s->mean, at), *turn = decoupled_part(s->turn, at);
	double sum = 0.0, length = 0.0, u;
	bool turns;

	vec_scale(n, 0.0f, mean);
	vec_scale(n, 0.0f, turn);
	for (int i = 0; i < nd->workers; i++) {
		const float *d = decoupled_part(s->delta[i], from + at);
		double w, norm;

		if (!*decoupled_has(s, i, p))
			continue;
		w = decoupled_weight(nd, s, i, p);
		norm = sqrt(vec_dot(n, d, d));
		sum += w;
		length += w * norm;
		vec_axpy(n, (float)w, d, mean);
		vec_axpy(n, norm > 0.0 ? (float)(w / norm) : 0.0f, d, turn);
	}
	u = sqrt(vec_dot(n, turn, turn));
	turns = rule == AVERAGE_RDA && u > 1e-6 * sum;
	if (turns)
		vec_axpby(n, (float)(length / sum / u), turn, 0.0f, mean);
	else
		vec_axpby(n, 0.0f, turn, sum > 0.0 ? (float)(1.0 / sum) : 0.0f, mean);
}

static void decoupled_give(struct node *nd, struct decoupled_diloco_server *s, int to, size_t p)
{
	size_t from;
	const size_t n = fragment_at(&s->fragments, p, &from);

	fragment_get(&s->fragments, p, nd->x, s->part);
	node_send(nd, to, &(struct msg){ .tag = (int)p, .stamp = s->merging[p].stamp,
					 .vec = s->part, .n = n });
}

/* The round of the fragment is over: outer step, and the merged fragment goes to all workers. */
static void decoupled_merge(struct node *nd, struct decoupled_diloco_server *s, size_t p)
{
	const struct decoupled_diloco_conf *c = nd->conf;
	const struct blob *tensor, *of;
	const size_t tensors = node_layers(nd, &tensor);
	size_t from;
	const size_t n = fragment_at(&s->fragments, p, &from);

	for (size_t at = 0, some; at < n; at += some) {
		some = fragment_piece(&s->fragments, p, at, tensors, tensor, &of);
		decoupled_average(nd, s, of && of->embedding && c->embeddings == AVERAGE_MEAN
						 ? AVERAGE_MEAN : c->average, p, from, at, some);
	}
	fragment_get(&s->fragments, p, nd->x, s->part);
	outer_step(&c->outer, n, s->mean, decoupled_part(s->m, from), s->part);
	fragment_put(&s->fragments, p, s->part, nd->x);
	node_moved_gathered(nd);
	s->merging[p] = (struct merging){ .stamp = nd->step };
	for (int i = 0; i < nd->workers; i++) {
		*decoupled_has(s, i, p) = false;
		decoupled_give(nd, s, (int)((nd->step + i) % nd->workers), p);
	}
}

/* Notes how long a step of that worker takes: a turn has passed since its latest message. */
static void decoupled_measure(struct node *nd, struct decoupled_diloco_server *s, int worker)
{
	const struct decoupled_diloco_conf *c = nd->conf;
	const double now = node_now(nd);
	const int steps = c->period / c->fragments;

	s->step_s[worker] = (now - s->came_s[worker]) / steps;
	s->came_s[worker] = now;
}

/* Seconds of a step of the fastest worker; infinity if no worker has sent anything yet. */
static double decoupled_fastest(const struct node *nd, const struct decoupled_diloco_server *s)
{
	double fastest = (double)INFINITY;

	for (int i = 0; i < nd->workers; i++)
		if (s->step_s[i] > 0.0)
			fastest = fmin(fastest, s->step_s[i]);
	return fastest;
}

/* Seconds of the grace period that begins now. */
static double decoupled_grace(struct node *nd, const struct decoupled_diloco_server *s, size_t p)
{
	const struct decoupled_diloco_conf *c = nd->conf;
	const double fastest = decoupled_fastest(nd, s);
	double idle;

	if (isinf(fastest) || c->grace <= 0.0)
		return 0.0;
	idle = (double)c->delay * fastest - (node_now(nd) - s->merging[p].opened);
	return idle > 0.0 ? fmin(c->grace * idle, c->cap) : 0.0;
}

static int decoupled_quorum(const struct decoupled_diloco_conf *c, int workers)
{
	return c->quorum ? (int)c->quorum : workers;
}

/* D_i of K workers have come: merges, or sets the timer that will. */
static void decoupled_wait(struct node *nd, struct decoupled_diloco_server *s, size_t p)
{
	const struct decoupled_diloco_conf *c = nd->conf;
	double seconds;

	if (isinf(c->grace) && isinf(c->cap))
		return;
	seconds = decoupled_grace(nd, s, p);
	if (seconds <= 0.0) {
		decoupled_merge(nd, s, p);
		return;
	}
	s->timers = s->timers % (1 << 30) + 1;
	s->merging[p].timer = s->timers;
	node_after(nd, seconds, s->timers);
}

static void decoupled_timer(struct node *nd, int token)
{
	struct decoupled_diloco_server *s = nd->state;

	for (size_t p = 0; p < s->fragments.count; p++)
		if (s->merging[p].timer == token) {
			decoupled_merge(nd, s, p);
			return;
		}
}

static void decoupled_server_msg(struct node *nd, const struct msg *m)
{
	const struct decoupled_diloco_conf *c = nd->conf;
	struct decoupled_diloco_server *s = nd->state;
	const size_t p = (size_t)m->tag;
	struct merging *r = &s->merging[p];
	size_t from, n;
	float *delta;

	if (p == s->fragments.count) {
		for (size_t k = 0; k < p; k++)
			decoupled_give(nd, s, m->from, k);
		return;
	}
	decoupled_measure(nd, s, m->from);
	if (m->stamp < r->stamp) {
		node_late(nd);
		return;
	}
	n = fragment_at(&s->fragments, p, &from);
	delta = decoupled_part(s->delta[m->from], from);
	fragment_get(&s->fragments, p, nd->x, delta);
	vec_axpy(n, -1.0f, m->vec, delta);
	if (delta)
		s->delta[m->from][nd->dim + p] = m->vec[n];
	if (*decoupled_has(s, m->from, p))
		return;
	*decoupled_has(s, m->from, p) = true;
	node_gather(nd, NULL);
	if (r->came++ == 0) {
		r->opened = s->opened = node_now(nd);
		s->latest = p;
	}
	if (r->came == nd->workers)
		decoupled_merge(nd, s, p);
	else if (r->came == decoupled_quorum(c, nd->workers))
		decoupled_wait(nd, s, p);
}

/*
 * Steps of the cycle of all turns that workers have made, from 1 to H, if they make them as the
 * fastest one does; 0: not known.
 */
static int decoupled_turned(struct node *nd, const struct decoupled_diloco_server *s)
{
	const struct decoupled_diloco_conf *c = nd->conf;
	const double since = (node_now(nd) - s->opened) / decoupled_fastest(nd, s);
	const int64_t turn = c->period / c->fragments;

	if (c->rejoin == REJOIN_OWN || s->opened <= 0.0 || !(since < 1e9))
		return 0;
	return (int)(((int64_t)(s->latest + 1) * turn + llround(since) - 1) % c->period) + 1;
}

/* A returning worker has all fragments as they are now: none is merged later than this clock. */
static void decoupled_fetch(struct node *nd, int to)
{
	node_send(nd, to, &(struct msg){ .tag = decoupled_turned(nd, nd->state), .stamp = nd->step,
					 .vec = nd->x, .n = nd->dim });
}

static int decoupled_check(const struct run *run)
{
	const struct decoupled_diloco_conf *c = run->algo_conf;

	if (gather_check(run, "quorum", c->quorum) < 0)
		return -1;
	if (c->period % c->fragments != 0)
		return error("decoupled-diloco: fragments = %lld does not divide period = %lld: "
			     "every fragment has a turn of as many steps. Choose a divisor.",
			     (long long)c->fragments, (long long)c->period);
	if (c->delay >= c->period)
		return error("decoupled-diloco: delay = %lld, and a fragment is sent every %lld "
			     "steps (period): at most %lld, so that it is used before it is sent "
			     "again.", (long long)c->delay, (long long)c->period,
			     (long long)c->period - 1);
	if (c->delay == 0 && decoupled_quorum(c, run->workers) < run->workers)
		return error("decoupled-diloco: with delay = 0 workers wait for their fragment, "
			     "and with quorum = %lld of %d they could wait for each other forever. "
			     "Use quorum=0 (all workers), or a delay of 1 or more.",
			     (long long)c->quorum, run->workers);
	if ((size_t)(c->fragments * c->stripes) > run->dim)
		return error("decoupled-diloco: fragments = %lld of stripes = %lld stretches each, "
			     "and the model has %zu floats. Choose fewer.",
			     (long long)c->fragments, (long long)c->stripes, run->dim);
	return 0;
}

static const struct role decoupled_diloco_server = {
	.state_size = sizeof(struct decoupled_diloco_server),
	.start = decoupled_server_start,
	.msg = decoupled_server_msg,
	.timer = decoupled_timer,
	.fetch = decoupled_fetch,
};

static const struct role decoupled_diloco_worker = {
	.state_size = sizeof(struct decoupled_diloco_worker),
	.start = decoupled_worker_start,
	.grad = decoupled_grad,
	.msg = decoupled_worker_msg,
	.back = decoupled_back,
};

static const char *const decoupled_averages[] = { "rda", "mean", NULL };
static const char *const decoupled_weights[] = { "tokens", "equal", NULL };
static const char *const decoupled_rejoins[] = { "common", "own", NULL };

static const struct opt decoupled_diloco_opts[] = {
	OPT_NUMBER(struct decoupled_diloco_conf, period, "24",
		   "H, local steps between two exchanges of a fragment", "H", 1, 1e9),
	OPT_NUMBER(struct decoupled_diloco_conf, fragments, "4",
		   "P, parts of the model, a divisor of H; 24 in the paper", "P", 1, 1 << 20),
	OPT_NUMBER(struct decoupled_diloco_conf, stripes, "1",
		   "stretches of the model that make a fragment", "S", 1, 1 << 20),
	OPT_NUMBER(struct decoupled_diloco_conf, delay, "2",
		   "T, steps after which a merged fragment is used; 0: workers wait for it", "T", 0,
		   1e9),
	OPT_NUMBER(struct decoupled_diloco_conf, quorum, "1",
		   "K, workers whose fragments are waited for; 0: all", "K", 0, 1 << 24),
	OPT_NUMBER(struct decoupled_diloco_conf, grace, "0.5",
		   "part of the time left until the fragment is used, in which the server waits "
		   "for more; inf: for all workers",
		   "PART", 0, (double)INFINITY),
	OPT_NUMBER(struct decoupled_diloco_conf, cap, "inf", "longest grace period, in seconds",
		   "SECONDS", 0, (double)INFINITY),
	OPT_CHOICE(struct decoupled_diloco_conf, average, "rda",
		   "mean length and mean direction of each tensor, or the mean of vectors", "RULE",
		   decoupled_averages),
	OPT_CHOICE(struct decoupled_diloco_conf, embeddings, "mean",
		   "average of tables of embeddings, if that of other tensors is rda", "RULE",
		   decoupled_averages),
	OPT_CHOICE(struct decoupled_diloco_conf, weights, "tokens",
		   "of the average: tokens times tokens a step, or equal ones", "WHICH",
		   decoupled_weights),
	OPT_CHOICE(struct decoupled_diloco_conf, rejoin, "common",
		   "step of its turn at which a worker that returns begins: that of the others, or "
		   "its own", "WHOSE", decoupled_rejoins),
	OUTER_OPTS(struct decoupled_diloco_conf, outer, "0.7", "0.9"),
	{ 0 }
};

const struct algo algo_decoupled_diloco = {
	.plugin = { .name = "decoupled-diloco",
		    .brief = "asynchronous DiLoCo by fragments; a server merges those of a quorum",
		    .also = "decoupled",
		    .cite = "Douillard et al. 2026, arXiv 2604.21428",
		    .opts = decoupled_diloco_opts,
		    .conf_size = sizeof(struct decoupled_diloco_conf) },
	.facts = { .rule = "worker i:  x_i <- optimiser(x_i, g_i);  every H / P steps sends the "
			   "next of P fragments, x_ip;\n"
			   "x_ip <- X_p, T steps after, or when X_p has come\n"
			   "server, when x_ip of K workers have come, and after a grace period:  "
			   "D_i = X_p - x_ip;\n"
			   "D = (sum_i w_i |D_i| / sum_i w_i) u / |u|,  u = sum_i w_i D_i / |D_i|,"
			   "  w_i = tokens^2 / steps;\n"
			   "of embeddings:  D = sum_i w_i D_i / sum_i w_i\n"
			   "v_p <- mu_out v_p + D;  X_p <- X_p - eta_out (D + mu_out v_p)",
		   .departs = "fragments are parts of equal length, not whole tensors. The "
			      "time of an exchange is not known to the server, so the grace "
			      "period is a part (grace) of the idle time and leaves the rest for "
			      "it. The rule, as it is known here, says of a worker that returns "
			      "only that it fetches all fragments; with rejoin=common it then "
			      "sends them when the others do",
		   .gain = "eta_out / (1 - mu_out) times the update's weight in its round, w_i / "
			   "sum_j w_j: 1/n if all come in time",
		   .waits = "no worker; delay=0: all workers for each other's fragment",
		   .staleness = "fragments: 0, late ones are dropped; counted in steps of all "
				"fragments: about P - 1",
		   .messages = "every H / P gradients 1/P of the model up and down; 2 m / H",
		   .memory = "1 + n / 1, and 3/P at the server, 1/P at a worker",
		   .tolerates = "a worker that leaves: no worker waits for it, as long as K are "
				"left; with delay=0 all wait until it is back" },
	.server = &decoupled_diloco_server,
	.worker = &decoupled_diloco_worker,
	.check = decoupled_check,
	.reads_clock = true,
	.outer = "outer_lr",
	.gain = outer_gain_of_mean,
	.round = "period",
};
