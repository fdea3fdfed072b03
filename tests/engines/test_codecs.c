/* Runs whose gradients are packed: what goes over the wire, what it costs, what is learned. */
#include "algos/algos.h"
#include "core/math/vec.h"
#include "tests/support/brief.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/toy.h"

enum { HEADER = 24, DIM = 5 };

static struct choice codec;

static void choose(struct toy *t, const char *text)
{
	assert_int_equal(choice_parse(&codec, codec_table, "codec", text), 0);
	t->run.codec = (const struct codec *)codec.plugin;
	t->run.codec_conf = codec.conf;
}

static void open_with(struct toy *t, const char *algo, int workers, const char *text)
{
	toy_open(t, algo, workers, "sgd:momentum=0,weight_decay=0");
	choose(t, text);
}

static void close_all(struct toy *t)
{
	toy_close(t);
	choice_release(&codec);
}

/* Two words of means and one of bits: 12 bytes where floats take 20. */
static void messages_are_as_long_as_their_codes(void **state)
{
	struct toy t;

	open_with(&t, "asgd", 1, "onebit");
	t.run.epochs = 0;
	t.run.gradients = 4;
	toy_run(&t);
	assert_int_equal(t.nodes[0].ledger.messages, 4);
	assert_int_equal(t.nodes[0].ledger.bytes_sent, 4 * (HEADER + 12));
	assert_int_equal(t.nodes[1].ledger.bytes_received, 4 * (HEADER + 12));
	assert_int_equal(t.nodes[1].ledger.bytes_sent, 4 * (HEADER + 20));
	close_all(&t);
}

/* A byte takes 0.01 s. The gradient: 1 s; its codes: 0.36 s; the model: 0.44 s; then again. */
static void time_follows_the_bytes(void **state)
{
	struct toy t;

	open_with(&t, "asgd", 1, "onebit");
	toy_link(&t, "nic:latency_s=0,bandwidth_GBps=1e-7");
	t.run.epochs = 0;
	t.run.gradients = 2;
	toy_run(&t);
	assert_near(t.result.time, 1.0 + 0.36 + 0.44 + 1.0, 1e-9);
	close_all(&t);
}

/* Every worker sends its 12 bytes to the two others, in 2 steps of 0.5 s latency and 0.12 s. */
static void allreduces_gather_codes(void **state)
{
	struct toy t;

	open_with(&t, "allreduce", 3, "onebit");
	toy_link(&t, "nic:latency_s=0.5,bandwidth_GBps=1e-7");
	t.run.epochs = 0;
	t.run.gradients = 6;
	toy_run(&t);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(t.nodes[i].ledger.bytes_sent, 2 * 2 * 12);
		assert_int_equal(t.nodes[i].ledger.bytes_received, 2 * 2 * 12);
		assert_int_equal(t.nodes[i].ledger.messages, 2 * 2);
		assert_memory_equal(t.xs[i], t.xs[0], DIM * sizeof(float));
	}
	assert_near(t.result.time, 1.0 + 2.0 * (0.5 + 0.12) + 1.0, 1e-9);
	close_all(&t);
}

/* 5 halves in 3 words: each of 4 pieces takes 0.5 s of latency and 0.04 s. */
static void allreduces_add_halves(void **state)
{
	float v[2] = { 2049.0f, -1e6f };        /* 12 bits; too large */
	uint32_t codes[1];
	struct toy t;

	open_with(&t, "allreduce", 3, "fp16");
	toy_link(&t, "nic:latency_s=0.5,bandwidth_GBps=1e-7");
	t.run.epochs = 0;
	t.run.gradients = 6;
	toy_run(&t);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(t.nodes[i].ledger.bytes_sent, 2 * 16);
		assert_int_equal(t.nodes[i].ledger.bytes_received, 2 * 16);
		assert_int_equal(t.nodes[i].ledger.messages, 2 * 4);
		assert_memory_equal(t.xs[i], t.xs[0], DIM * sizeof(float));
	}
	assert_near(t.result.time, 1.0 + 4.0 * (0.5 + 0.04) + 1.0, 1e-9);
	t.run.pool = NULL;      /* it is freed */
	codec_round_sum(&t.run, 2, codes, v);
	assert_float_equal(v[0], 2048.0f, 0.0f);
	assert_float_equal(v[1], -65504.0f, 0.0f);
	choose(&t, "onebit");
	codec_round_sum(&t.run, 2, codes, v);
	assert_float_equal(v[0], 2048.0f, 0.0f);
	close_all(&t);
}

/* One step from g: x - lr C(g), also where the all-reduce is of a worker alone. */
static void a_worker_alone_packs_as_well(void **state)
{
	struct toy t;
	float g[DIM], x[DIM];
	double side[2] = { 0.0 }, n[2] = { 0.0 };

	open_with(&t, "allreduce", 1, "onebit");
	t.run.epochs = 0;
	t.run.gradients = 1;
	t.problem->ops->init(t.problem, t.run.seed, x);
	toy_run(&t);
	for (int i = 0; i < DIM; i++)
		g[i] = (x[i] - t.model[i]) / 0.1f;
	for (int i = 0; i < DIM; i++) {
		side[g[i] >= 0.0f] += (double)g[i];
		n[g[i] >= 0.0f] += 1.0;
	}
	for (int i = 0; i < DIM; i++)
		assert_near((double)g[i], side[g[i] >= 0.0f] / n[g[i] >= 0.0f], 1e-5);
	assert_int_equal(t.nodes[0].ledger.bytes_sent, 0);
	close_all(&t);
}

static uint64_t model_of(const char *algo, int workers, const char *text)
{
	struct toy t;
	uint64_t model;

	open_with(&t, algo, workers, text ? text : "none");
	if (!text)
		t.run.codec = NULL;
	toy_delay(&t, "gamma:cv=0.5");
	toy_run(&t);
	model = t.result.model;
	close_all(&t);
	return model;
}

/* Without a codec; with that of floats; with the largest of all, which are all. */
static void limit_cases_are_bit_identical(void **state)
{
	static const char *const algos[] = { "asgd", "allreduce" };

	for (int i = 0; i < 2; i++) {
		const uint64_t plain = model_of(algos[i], 3, NULL);

		assert_true(model_of(algos[i], 3, "none") == plain);
		assert_true(model_of(algos[i], 3, "topk:ratio=1") == plain);
		assert_false(model_of(algos[i], 3, "topk:ratio=0.5") == plain);
		assert_false(model_of(algos[i], 3, "fp16") == plain);
	}
}

static const char *const codecs[] = { "fp16", "bf16", "onebit", "terngrad", "qsgd",
				      "topk:ratio=0.2", "e3m0" };

enum { CODECS = sizeof(codecs) / sizeof(codecs[0]) };

static void assert_converges(const char *algo, int workers, const char *text)
{
	float best[DIM];
	struct toy t;
	double far;

	open_with(&t, algo, workers, text);
	assert_int_equal(choice_parse(&t.run.lr.schedule, schedule_table, "schedule", "cosine"), 0);
	t.run.epochs = t.run.lr.epochs = 40;
	t.run.lr.base = 0.05;
	toy_run(&t);
	toy_optimum(DIM, 256, best);
	far = vec_dist(DIM, t.model, best);
	if (!(far < 0.05))
		fail_msg("%s of %d with %s ends %g from the optimum", algo, workers, text, far);
	choice_release(&t.run.lr.schedule);
	close_all(&t);
}

static void every_codec_converges(void **state)
{
	for (int i = 0; i < CODECS; i++) {
		assert_converges("asgd", 1, codecs[i]);
		assert_converges("asgd", 4, codecs[i]);
		assert_converges("allreduce", 4, codecs[i]);
	}
}

/* The same clock, messages and bytes without gradients. */
static void timing_needs_no_gradients(void **state)
{
	static const char *const algos[] = { "asgd", "allreduce" };

	for (int i = 0; i < 2 * CODECS; i++) {
		struct toy learning, timing;
		struct choice first;

		open_with(&learning, algos[i % 2], 3, codecs[i / 2]);
		first = codec;
		codec = (struct choice){ 0 };
		open_with(&timing, algos[i % 2], 3, codecs[i / 2]);
		toy_link(&learning, "measured:message_bytes=4/400,message_s=0.1/0.5,"
				    "allreduce_bytes=4/400,allreduce_s=0.1/0.7,handler_GBps=1e-7");
		toy_link(&timing, "measured:message_bytes=4/400,message_s=0.1/0.5,"
				  "allreduce_bytes=4/400,allreduce_s=0.1/0.7,handler_GBps=1e-7");
		timing.threads = 0;
		toy_run(&learning);
		toy_run(&timing);
		assert_true(timing.result.time == learning.result.time);
		for (int k = 0; k < timing.nnodes; k++)
			assert_true(timing.nodes[k].ledger.bytes_sent ==
				    learning.nodes[k].ledger.bytes_sent);
		close_all(&timing);
		codec = first;
		close_all(&learning);
	}
}

static void assert_refused(const struct run *run, const char *why)
{
	capture_start();
	assert_int_equal(codec_check(run), -1);
	assert_said(why);
	capture_stop();
}

static void senseless_choices_are_refused(void **state)
{
	struct optim optim;
	struct toy t;

	open_with(&t, "d-psgd", 2, "fp16");
	assert_refused(&t.run, "d-psgd sends none");
	close_all(&t);
	open_with(&t, "sparseloco", 2, "fp16");
	assert_refused(&t.run, "sparseloco packs what it sends itself");
	close_all(&t);
	open_with(&t, "asgd", 2, "terngrad");
	optim = *t.run.optim;
	optim.needs_norms = true;
	assert_int_equal(codec_check(&t.run), 0);
	t.run.optim = &optim;
	assert_refused(&t.run, "changes the norms");
	choose(&t, "bf16");
	assert_int_equal(codec_check(&t.run), 0);
	close_all(&t);
}

static int64_t bytes_sent(const struct algo *algo, const char *text)
{
	struct toy t;
	int64_t bytes = 0;

	open_with(&t, brief_algo(algo->plugin.name), 4, text);
	assert_int_equal(choice_parse(&t.optim, optim_table, "optimiser",
				      brief_optim(algo->plugin.name, "sgd")), 0);
	t.run.optim = (const struct optim *)t.optim.plugin;
	t.run.optim_conf = t.optim.conf;
	t.run.algo = algo;
	t.threads = 0;
	toy_run(&t);
	for (int i = 0; i < t.nnodes; i++)
		bytes += t.nodes[i].ledger.bytes_sent;
	close_all(&t);
	return bytes;
}

/*
 * Only an algorithm that declares that it sends gradients, or has a codec of its own, has fewer
 * bytes to send.
 */
static void algorithms_say_whether_they_send_gradients(void **state)
{
	for (const struct plugin *const *p = algo_table; *p; p++) {
		struct algo algo = *(const struct algo *)*p;
		const bool says = algo.sends_gradients || algo.codec;

		algo.sends_gradients = true;
		algo.codec = NULL;
		if ((bytes_sent(&algo, "topk:ratio=0.2") < bytes_sent(&algo, "none")) != says)
			fail_msg("%s: sends_gradients is not %d", (*p)->name, says);
	}
}

RUN_ALL(messages_are_as_long_as_their_codes, time_follows_the_bytes, allreduces_gather_codes,
	allreduces_add_halves, a_worker_alone_packs_as_well, limit_cases_are_bit_identical,
	every_codec_converges, timing_needs_no_gradients, senseless_choices_are_refused,
	algorithms_say_whether_they_send_gradients)
