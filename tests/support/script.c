/* A single node whose engine records requests for a test to check and answer. */
#include "tests/support/script.h"

#include "algos/algos.h"
#include "core/math/vec.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"

static struct script *of(const struct node *nd)
{
	return nd->priv;
}

static struct asked *note_ask(struct node *nd, enum ask what, const float *v, size_t n)
{
	struct script *s = of(nd);
	struct asked *a = &s->asked[s->n++];

	assert_true(s->n <= SCRIPT_ASKS);
	*a = (struct asked){ .what = what };
	vec_copy(n < SCRIPT_FLOATS ? n : SCRIPT_FLOATS, v, a->vec);
	return a;
}

static void ask_grad(struct node *nd)
{
	note_ask(nd, ASK_GRAD, nd->x, SCRIPT_DIM);
}

static void ask_cancel(struct node *nd)
{
	note_ask(nd, ASK_CANCEL, NULL, 0);
}

static void ask_send(struct node *nd, int to, const struct msg *m)
{
	struct asked *a = note_ask(nd, ASK_SEND, m->vec, m->n);

	a->to = to;
	a->msg = *m;
	a->msg.vec = a->vec;
}

static void ask_allreduce(struct node *nd, float *v, size_t n, bool codes)
{
	(void)codes;
	note_ask(nd, ASK_ALLREDUCE, v, n)->n = n;
	of(nd)->allreduced = v;
}

static void ask_after(struct node *nd, double seconds, int token)
{
	struct asked *a = note_ask(nd, ASK_TIMER, NULL, 0);

	a->token = token;
	a->seconds = seconds;
}

static void ask_stop(struct node *nd)
{
	note_ask(nd, ASK_STOP, NULL, 0);
}

static double now(const struct node *nd)
{
	return of(nd)->now;
}

static double epoch(const struct node *nd)
{
	return of(nd)->epoch;
}

static int64_t gradients(const struct node *nd)
{
	return of(nd)->counted;
}

static void *alloc(struct node *nd, size_t n, size_t size)
{
	return arena_alloc(&of(nd)->arena, n, size);
}

static float *floats(struct node *nd, size_t n)
{
	return arena_alloc(&of(nd)->arena, n, sizeof(float));
}

static const struct engine script_engine = {
	.name = "script", .grad = ask_grad, .cancel = ask_cancel, .send = ask_send,
	.allreduce = ask_allreduce, .after = ask_after, .stop = ask_stop, .now = now,
	.epoch = epoch, .gradients = gradients, .alloc = alloc, .floats = floats,
};

static void make_graph(struct script *s, const char *text, int workers)
{
	assert_int_equal(choice_parse(&s->graph, graph_table, "graph", text), 0);
	assert_int_equal(topology_make(&s->topology, &s->graph, workers, 1), 0);
	s->run.graph = &s->topology;
}

static void open_all(struct script *s, const char *graph, const char *algo, const char *optim,
		     int workers, int rank, double lr, float x0, float x1)
{
	const struct algo *a;

	*s = (struct script){ 0 };
	assert_int_equal(choice_parse(&s->algo, algo_table, "algorithm", algo), 0);
	assert_int_equal(choice_parse(&s->optim, optim_table, "optimiser", optim), 0);
	a = (const struct algo *)s->algo.plugin;
	s->run = (struct run){ .algo = a, .algo_conf = s->algo.conf, .workers = workers,
			       .seed = 1, .dim = SCRIPT_DIM, .lr = { .base = lr },
			       .optim = (const struct optim *)s->optim.plugin,
			       .optim_conf = s->optim.conf };
	if (a->graph)
		make_graph(s, graph ? graph : a->graph, workers);
	s->nd = (struct node){ .rank = rank, .size = workers + (a->server != NULL),
			       .workers = workers, .added = workers, .groups = 1,
			       .dim = SCRIPT_DIM, .stamp = -1,
			       .conf = s->algo.conf, .engine = &script_engine, .run = &s->run,
			       .role = rank == SERVER ? a->server : a->worker, .priv = s };
	s->nd.state = arena_alloc(&s->arena, s->nd.role->state_size, 1);
	s->nd.x = arena_alloc(&s->arena, SCRIPT_DIM, sizeof(float));
	s->nd.x[0] = x0;
	s->nd.x[1] = x1;
	s->nd.optim = node_optim(&s->nd);
	if (s->nd.role->start)
		s->nd.role->start(&s->nd);
}

void script_open(struct script *s, const char *algo, int workers, int rank, double lr, float x0,
		 float x1)
{
	script_open_on(s, NULL, algo, workers, rank, lr, x0, x1);
}

void script_open_on(struct script *s, const char *graph, const char *algo, int workers, int rank,
		    double lr, float x0, float x1)
{
	open_all(s, graph, algo, "sgd:momentum=0,weight_decay=0", workers, rank, lr, x0, x1);
}

void script_open_with(struct script *s, const char *algo, const char *optim, int workers,
		      int rank, double lr, float x0, float x1)
{
	open_all(s, NULL, algo, optim, workers, rank, lr, x0, x1);
}

void script_close(struct script *s)
{
	arena_release(&s->arena);
	choice_release(&s->algo);
	choice_release(&s->optim);
	choice_release(&s->graph);
	topology_free(&s->topology);
}

void script_refuses(const struct script *s, const char *why)
{
	capture_start();
	assert_int_equal(s->run.algo->check(&s->run), -1);
	assert_said(why);
	capture_stop();
}

const struct asked *script_next(struct script *s)
{
	static const struct asked none = { .what = ASK_NONE };

	return s->read < s->n ? &s->asked[s->read++] : &none;
}

void script_sends(struct script *s, int to, int64_t stamp, double x0, double x1)
{
	const struct asked *a = script_next(s);

	assert_int_equal(a->what, ASK_SEND);
	assert_int_equal(a->to, to);
	assert_int_equal(a->msg.stamp, stamp);
	assert_near((double)a->vec[0], x0, 1e-5);
	assert_near((double)a->vec[1], x1, 1e-5);
	assert_int_equal(script_next(s)->what, ASK_NONE);
}

void script_grad(struct script *s, float g0, float g1)
{
	const float g[SCRIPT_DIM] = { g0, g1 };

	node_count(&s->nd, s->counted);
	s->counted += s->nd.workers;
	node_deliver(&s->nd, &(struct grad){ .vec = g, .loss = 1.0 });
}

void script_msg(struct script *s, int from, int tag, int64_t stamp, float v0, float v1)
{
	const float v[SCRIPT_DIM] = { v0, v1 };

	s->nd.role->msg(&s->nd, &(struct msg){ .tag = tag, .from = from, .stamp = stamp,
					       .vec = v, .n = SCRIPT_DIM });
}

void script_vec(struct script *s, int from, int64_t stamp, size_t n, const float *v)
{
	s->nd.role->msg(&s->nd, &(struct msg){ .from = from, .stamp = stamp, .vec = v, .n = n });
}

void script_allreduce_of(struct script *s, size_t n, const float *v)
{
	vec_copy(n, v, s->allreduced);
	node_allreduced(&s->nd, s->allreduced, n);
}

void script_allreduce(struct script *s, float v0, float v1)
{
	const float v[SCRIPT_DIM] = { v0, v1 };

	script_allreduce_of(s, SCRIPT_DIM, v);
}

void script_grads(struct script *s, double x0, double x1)
{
	const struct asked *a = script_next(s);

	assert_int_equal(a->what, ASK_GRAD);
	assert_near((double)a->vec[0], x0, 1e-6);
	assert_near((double)a->vec[1], x1, 1e-6);
}

void script_allreduces(struct script *s, size_t n, const double *v)
{
	const struct asked *a = script_next(s);

	assert_int_equal(a->what, ASK_ALLREDUCE);
	assert_int_equal(a->n, n);
	for (size_t i = 0; i < n && i < SCRIPT_FLOATS; i++)
		assert_near((double)a->vec[i], v[i], 1e-6);
}
