/* Requests that built-in algorithms do not make: timers, cancelling, stopping; what nodes know. */
#include "core/math/vec.h"
#include "tests/support/check.h"
#include "tests/support/toy.h"

static void ask_again(struct node *nd, const struct grad *g)
{
	(void)g;
	node_grad(nd);
}

/* Gives up its first gradient after 0.5 s, and asks again. */
static void start_impatient(struct node *nd)
{
	node_grad(nd);
	node_after(nd, 0.5, 7);
}

static void lose_patience(struct node *nd, int token)
{
	assert_int_equal(token, 7);
	assert_near(node_now(nd), 0.5, 1e-12);
	node_cancel(nd);
	node_cancel(nd);
	node_grad(nd);
}

static const struct role impatient = {
	.start = start_impatient, .grad = ask_again, .timer = lose_patience,
};

/* Stops after its third gradient. */
static void stop_after_three(struct node *nd, const struct grad *g)
{
	(void)g;
	if (nd->ledger.gradients == 3)
		node_stop(nd);
	node_grad(nd);
}

static void start_computing(struct node *nd)
{
	node_grad(nd);
}

static const struct role leaver = { .start = start_computing, .grad = stop_after_three };

/* Never asks for anything after its first gradient. */
static void do_nothing(struct node *nd, const struct grad *g)
{
	(void)nd, (void)g;
}

static const struct role sleeper = { .start = start_computing, .grad = do_nothing };

static struct toy with_role(struct algo *algo, const struct role *role, int workers)
{
	struct toy t;

	toy_open(&t, "allreduce", workers, "sgd");
	*algo = (struct algo){ .plugin = { .name = "test" }, .worker = role };
	t.run.algo = algo;
	t.run.epochs = 0;
	t.run.gradients = 100;
	return t;
}

static void a_cancelled_gradient_never_comes(void **state)
{
	struct algo algo;
	struct toy t = with_role(&algo, &impatient, 1);

	t.run.gradients = 2;
	toy_run(&t);
	assert_near(t.result.time, 2.5, 1e-12);
	assert_int_equal(t.nodes[0].ledger.dropped, 2);         /* that one, and one at the end */
	assert_int_equal(t.nodes[0].ledger.gradients, 2);
	assert_near(t.nodes[0].ledger.compute, 2.5, 1e-12);
	toy_close(&t);
}

/* Cancelled 0.5 s after it began, of which 0.25 s were computing: the rest was handing over. */
static void a_cancelled_host_copy_is_accounted_for(void **state)
{
	struct algo algo;
	struct toy t = with_role(&algo, &impatient, 2);
	const struct ledger *l;

	t.sim.batch_s = 0.25;
	t.sim.host_copy_s = 0.5;
	t.run.gradients = 2;
	toy_run(&t);
	l = &t.nodes[0].ledger;
	assert_near(l->compute + l->comm + l->wait, t.result.time, 1e-12);
	assert_near(l->compute, 0.25 + 0.25, 1e-12);
	toy_close(&t);
}

static void workers_may_leave(void **state)
{
	struct algo algo;
	struct toy t = with_role(&algo, &leaver, 2);

	toy_run(&t);
	assert_int_equal(t.result.end, END_STOPPED);
	assert_int_equal(t.result.gradients, 6);
	assert_near(t.result.time, 3.0, 1e-12);
	toy_close(&t);
}

static void a_run_that_waits_in_vain_is_stalled(void **state)
{
	struct algo algo;
	struct toy t = with_role(&algo, &sleeper, 2);

	toy_run(&t);
	assert_int_equal(t.result.end, END_STALLED);
	assert_int_equal(t.result.gradients, 2);
	toy_close(&t);
}

/* All-reduce in two requests for node_grad_allreduce()'s one. */
struct adder {
	float *allreduced;
};

static void start_adding(struct node *nd)
{
	((struct adder *)nd->state)->allreduced = node_vec(nd);
	node_grad(nd);
}

static void add_gradient(struct node *nd, const struct grad *g)
{
	float *allreduced = ((struct adder *)nd->state)->allreduced;

	vec_copy(nd->dim, g->vec, allreduced);
	node_allreduce(nd, allreduced, nd->dim);
}

static void step_with_allreduce(struct node *nd, float *v, size_t n)
{
	(void)n;
	node_step(nd, v, 1.0f / (float)nd->workers);
	node_grad(nd);
}

static const struct role adder = {
	.state_size = sizeof(struct adder), .start = start_adding, .grad = add_gradient,
	.allreduce = step_with_allreduce,
};

/* One run that ends within a round, where handlers and all-reduces take their time. */
static void run_slowly(struct toy *t, int threads)
{
	t->threads = threads;
	t->run.epochs = 0;
	t->run.gradients = 100;
	toy_delay(t, "gamma:cv=0.5");
	toy_link(t, "measured:message_bytes=0/16,message_s=1/3,allreduce_bytes=8/16,"
		    "allreduce_s=2/6,handler_GBps=1e-9");
	toy_run(t);
}

static void a_gradient_into_an_allreduce_is_one_after_the_other(void **state)
{
	for (int threads = 0; threads < 2; threads++) {
		struct algo algo;
		struct toy one, two = with_role(&algo, &adder, 3);

		toy_open(&one, "allreduce", 3, "sgd");
		run_slowly(&one, threads);
		run_slowly(&two, threads);
		assert_true(one.result.time > 0 && one.result.time == two.result.time);
		assert_true(one.result.model == two.result.model);
		assert_int_equal(one.result.events, two.result.events);
		for (int i = 0; i < 3; i++)
			assert_memory_equal(&one.nodes[i].ledger, &two.nodes[i].ledger,
					    sizeof(struct ledger));
		toy_close(&one);
		toy_close(&two);
	}
}

struct peers {
	struct hook hook;
	int gathered, steps;
};

static void see_peers(struct hook *h, const struct event *ev)
{
	struct peers *p = (struct peers *)h;

	assert_int_equal(ev->node->rank, SERVER);
	if (ev->kind == EV_GATHER) {
		assert_within(ev->peer, 0, 2);
		p->gathered++;
	} else {
		assert_int_equal(ev->peer, NO_PEER);
		p->steps++;
	}
}

/* A step by the gradients of several workers belongs to none of them, and not to the server. */
static void a_gathered_step_has_no_peer(void **state)
{
	struct peers p = { .hook = { .mask = 1u << EV_STEP | 1u << EV_GATHER,
				     .event = see_peers } };
	struct toy t;

	toy_open(&t, "k-sync", 3, "sgd");
	t.run.hooks = &p.hook;
	toy_run(&t);
	assert_true(p.steps > 0 && p.gathered > p.steps);
	toy_close(&t);
}

static void start_knowing(struct node *nd)
{
	const struct blob *layers;
	const size_t n = node_layers(nd, &layers);

	assert_int_equal(nd->from, nd->rank);
	assert_int_equal(n, nd->x ? nd->run->pool->problem->nblobs : 0);
	assert_true(layers == (nd->x ? nd->run->pool->problem->blobs : NULL));
	assert_true(node_topology(nd) == nd->run->graph);
	node_grad(nd);
}

static const struct role knowing = { .start = start_knowing, .grad = ask_again };

/* With vectors and without, with a graph and without. */
static void a_node_knows_the_graph_and_the_layers(void **state)
{
	struct algo algo;

	for (int k = 0; k < 4; k++) {
		struct toy t = with_role(&algo, &knowing, 4);

		t.threads = k & 1;
		if (k & 2)
			toy_graph(&t, "ring");
		t.run.algo = &algo;
		toy_run(&t);
		assert_int_equal(t.result.gradients, 100);
		toy_close(&t);
	}
}

RUN_ALL(a_cancelled_gradient_never_comes, a_cancelled_host_copy_is_accounted_for, workers_may_leave,
	a_run_that_waits_in_vain_is_stalled, a_gradient_into_an_allreduce_is_one_after_the_other,
	a_gathered_step_has_no_peer, a_node_knows_the_graph_and_the_layers)
