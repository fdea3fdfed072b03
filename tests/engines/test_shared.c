/* A model that all workers share, in virtual time: torn reads, clocks, limit cases, every end. */
#include "tests/support/check.h"
#include "tests/support/toy.h"

enum { DIM = 5, SAMPLES = 256, BATCH = 4, FRONT = DIM / 2 };

static const char plain[] = "sgd:momentum=0,weight_decay=0";

/* After a step by the worker's k-th gradient at x. */
static void step(const struct problem *p, int rank, int64_t k, const float *x, float *moved)
{
	struct sampler s = { .seed = 3, .samples = SAMPLES, .workers = 2, .size = BATCH };
	float g[DIM];
	struct job j = { .kind = JOB_GRAD, .x = x, .rank = rank, .index = k, .out = g };

	job_run(p, &s, NULL, &j);
	for (int i = 0; i < DIM; i++)
		moved[i] = x[i] - 0.1f * (1.0f * g[i] + 0.0f * x[i]);
}

struct steps {
	struct hook hook;
	int64_t staleness[8];
	int n;
};

static void note_step(struct hook *h, const struct event *ev)
{
	struct steps *s = (struct steps *)h;

	assert_true(s->n < 8);
	s->staleness[s->n++] = ev->staleness;
}

/*
 * Two blocks, read 0.2 s apart and written 0.4 s apart; gradients take 1 s, and e.g. 1.7 s:
 *
 *     worker 0   reads 0, 0.2   computes 0.4 - 1.4   writes 1.4, 1.8   reads 2.2, 2.4   - 3.6
 *     worker 1   reads 0, 0.2   computes 0.4 - 2.1   writes 2.1, 2.5   reads 2.9, 3.1
 *
 * So worker 0's second model has worker 1's step in its front, and not in its back. After
 * 1.5 s, worker 1 writes at 1.9 and 2.3, in time for both; after 1.9 s for none.
 */
static void two_at_a_time(struct toy *t, const struct slow *slow)
{
	toy_open(t, "hogwild:blocks=2,read_s=0.4,write_s=0.8", 2, plain);
	t->sim.pace.slow = slow;
	t->sim.pace.nslow = 1;
	t->run.epochs = 0;
	t->run.gradients = 3;
}

static void second_model_by_hand(double seconds, bool front, bool back, int64_t late)
{
	const struct slow slow = { .rank = 1, .factor = seconds };
	struct steps steps = { .hook = { .mask = 1u << EV_STEP, .event = note_step } };
	float x[DIM], both[DIM], torn[DIM], a[DIM], b[DIM], c[DIM];
	struct toy t;

	two_at_a_time(&t, &slow);
	t.run.hooks = &steps.hook;
	toy_run(&t);
	t.problem->ops->init(t.problem, 3, x);
	step(t.problem, 0, 0, x, a);
	step(t.problem, 1, 0, x, b);
	for (int i = 0; i < DIM; i++) {
		both[i] = a[i] + (b[i] - x[i]);
		torn[i] = (i < FRONT ? front : back) ? both[i] : a[i];
	}
	step(t.problem, 0, 1, torn, c);
	for (int i = 0; i < DIM; i++)
		x[i] = (i < FRONT ? front : back) ? c[i] : both[i] + (c[i] - torn[i]);
	assert_memory_equal(t.model, x, sizeof(x));
	for (int k = 0; k < 2; k++)
		assert_memory_equal(t.xs[k], x, sizeof(x));
	assert_int_equal(steps.n, 3);
	assert_int_equal(steps.staleness[0], 0);
	assert_int_equal(steps.staleness[1], 1);
	assert_int_equal(steps.staleness[2], late);
	toy_close(&t);
}

static void models_are_torn_where_passes_meet(void **state)
{
	second_model_by_hand(1.5, true, true, 0);
	second_model_by_hand(1.7, true, false, 0);
	second_model_by_hand(1.9, false, false, 1);
}

static void clocks_by_hand(void **state)
{
	for (int threads = 0; threads <= 2; threads++) {
		const struct slow slow = { .rank = 1, .factor = 1.7 };
		struct toy t;

		two_at_a_time(&t, &slow);
		t.threads = threads;
		toy_run(&t);
		assert_near(t.result.time, 3.6, 1e-12);
		for (int k = 0; k < 2; k++) {
			assert_near(t.nodes[k].ledger.compute, 3.6, 1e-12);
			assert_int_equal(t.nodes[k].ledger.steps, 2 - k);
			assert_int_equal(t.nodes[k].ledger.dropped, 1);
			assert_int_equal(t.nodes[k].ledger.bytes_sent, 0);
		}
		toy_close(&t);
	}
}

/* 40 and 80 bytes are touched, at 10 GB/s; or in 0.5 and 1 s, by a link of 80 B/s for handlers. */
static void passes_take_what_the_memory_gives(void **state)
{
	struct toy t;

	toy_open(&t, "hogwild", 1, plain);
	t.run.epochs = 0;
	t.run.gradients = 3;
	toy_run(&t);
	assert_near(t.result.time, 3.0 + 3 * 4e-9 + 2 * 8e-9, 1e-14);
	toy_close(&t);

	toy_open(&t, "hogwild", 1, plain);
	toy_link(&t, "measured:handler_GBps=8e-8");
	t.run.epochs = 0;
	t.run.gradients = 3;
	toy_run(&t);
	assert_near(t.result.time, 3.0 + 3 * 0.5 + 2 * 1.0, 1e-9);
	toy_close(&t);
}

/* Whatever the rule keeps, and counts. */
static void alone_it_is_serial(void **state)
{
	static const char *const rules[] = { "sgd", "sgd:nesterov=false", "adam", "lars", "lamb" };

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		struct toy a, b;

		toy_open(&a, "hogwild:blocks=3,read_s=0.3,write_s=0.5", 1, rules[i]);
		toy_open(&b, "allreduce", 1, rules[i]);
		toy_run(&a);
		toy_run(&b);
		assert_memory_equal(a.model, b.model, DIM * sizeof(float));
		toy_close(&a);
		toy_close(&b);
	}
}

/* Passes without a length: each finds the others' steps whole, as at a server. */
static void passes_in_no_time_are_asgd(void **state)
{
	struct toy a, b;

	toy_open(&a, "hogwild:read_s=0,write_s=0", 5, plain);
	toy_open(&b, "asgd", 5, plain);
	toy_delay(&a, "gamma:cv=0.5");
	toy_delay(&b, "gamma:cv=0.5");
	toy_run(&a);
	toy_run(&b);
	for (int i = 0; i < DIM; i++)
		assert_near((double)a.model[i], (double)b.model[i], 1e-5);
	assert_true(a.result.time == b.result.time);
	toy_close(&a);
	toy_close(&b);
}

static struct toy rough(int threads)
{
	struct toy t;

	toy_open(&t, "hogwild:blocks=4,read_s=0.1,write_s=0.3", 6, plain);
	toy_delay(&t, "gamma:cv=0.5");
	t.threads = threads;
	t.run.epochs = 0;
	return t;
}

/* Half written steps are written; who was half way through reading is dropped. */
static void it_ends_from_any_budget(void **state)
{
	for (int k = 1; k <= 40; k++) {
		struct toy t = rough(1 + k % 2);
		int64_t steps = 0;

		if (k <= 20)
			t.run.gradients = k;
		else
			t.run.seconds = 0.17 * (k - 20);
		toy_run(&t);
		for (int i = 0; i < 6; i++) {
			const struct ledger *l = &t.nodes[i].ledger;

			steps += l->steps;
			assert_near(l->compute + l->comm + l->wait, t.result.time, 1e-9);
		}
		assert_int_equal(steps, t.result.gradients);
		toy_close(&t);
	}
}

/* The number of threads is none of a run's business, where models are torn. */
static void threads_do_not_matter(void **state)
{
	struct toy a = rough(1), b = rough(2);

	a.run.gradients = b.run.gradients = 300;
	toy_run(&a);
	toy_run(&b);
	assert_memory_equal(a.model, b.model, DIM * sizeof(float));
	toy_close(&a);
	toy_close(&b);
}

RUN_ALL(models_are_torn_where_passes_meet, clocks_by_hand, passes_take_what_the_memory_gives,
	alone_it_is_serial, passes_in_no_time_are_asgd, it_ends_from_any_budget,
	threads_do_not_matter)
