/* What every algorithm makes of workers that leave and come back. */
#include "algos/algos.h"
#include "core/math/vec.h"
#include "sim/storage.h"
#include "tests/support/brief.h"
#include "tests/support/check.h"
#include "tests/support/script.h"
#include "tests/support/toy.h"

#include <stdio.h>
#include <string.h>

enum { DIM = 5, SAMPLES = 256 };

static void open_faulty(struct toy *t, const char *algo, const char *optim, const char *text)
{
	toy_open(t, algo, 4, optim);
	assert_true(toy_faults(t, text));
}

static const struct algo *algo_at(int i)
{
	return (const struct algo *)algo_table[i];
}

static bool tolerates(int i)
{
	return algo_at(i)->facts.tolerates != NULL;
}

static void facts_are_the_code(void **state)
{
	for (int i = 0; algo_table[i]; i++) {
		const struct algo *a = algo_at(i);
		const struct role *giver = a->server ? a->server : a->worker;

		assert_int_equal(tolerates(i), a->worker->back != NULL);
		if (tolerates(i) && !a->shared)
			assert_non_null(giver->fetch);
	}
}

/*
 * Of the server or a neighbour, whatever the worker had (1, 2). Some ask for more before they
 * compute. What joins an all-reduce is compared in test_membership.c.
 */
static void a_fresh_model_is_where_gradients_are(void **state)
{
	const float fresh[2] = { 5.0f, 7.0f };

	for (int i = 0; algo_table[i]; i++) {
		const struct algo *a = algo_at(i);
		const struct asked *asked;
		struct script s;

		if (!tolerates(i) || a->shared || a->worker->allreduce)
			continue;
		script_open(&s, brief_algo(algo_table[i]->name), 4, 1, 0.5, 1.0f, 2.0f);
		while (script_next(&s)->what)
			;
		s.nd.role->back(&s.nd, &(struct msg){ .tag = 1, .from = a->server ? SERVER : 0,
						      .stamp = 9, .vec = fresh, .n = 2 });
		do
			asked = script_next(&s);
		while (asked->what && asked->what != ASK_GRAD);
		if (vec_dist(2, asked->what ? asked->vec : s.nd.x, fresh) > 0.0)
			fail_msg("%s goes on from its own model", algo_table[i]->name);
		script_close(&s);
	}
}

static void rough(struct toy *t, uint64_t seed)
{
	toy_delay(t, "gamma:cv=0.5");
	toy_link(t, "nic:latency_s=0.05,bandwidth_GBps=1e-6");
	t->sim.update_s = 0.01;
	t->run.lr.base = 0.005;
	t->run.seed = seed;
	if (t->run.graph)
		toy_graph(t, t->run.algo->graph);
}

static void open_rough(struct toy *t, int i, const char *text, uint64_t seed)
{
	open_faulty(t, brief_algo(algo_table[i]->name), brief_optim(algo_table[i]->name, "sgd"),
		    text);
	rough(t, seed);
}

static const char *const comings[] = {
	"3:leave@5-9", "3:leave@5-9,copy=old",
	"3:leave@10-10.1+2:leave@12-12.01,copy=old+3:leave@12.1-12.2+1:leave@14-15,copy=old",
	"0:leave@0-0.001+0:leave@0.01-3,copy=old+0:leave@3.4-3.5+0:leave@3.51-3.6,copy=old",
	"3:leave@5-9,detect_s=0.5+2:leave@8.5-9.5,detect_s=1,copy=old",
	("0:leave@3-12,detect_s=0.2+1:leave@4-6,detect_s=1+2:leave@4.5-5,detect_s=0,copy=old+"
	 "3:leave@4.7-8,detect_s=3"),
};
enum { COMINGS = sizeof(comings) / sizeof(comings[0]) };

/* Rounds of Decoupled DiLoCo in which four equal workers, of which one may leave, merge. */
static int64_t rounds_of(const char *algo, const char *faults)
{
	int64_t rounds;
	struct toy t;

	toy_open(&t, algo, 4, "sgd");
	if (faults)
		assert_true(toy_faults(&t, faults));
	t.run.epochs = 0;
	t.run.seconds = 200;
	toy_run(&t);
	rounds = t.nodes[4].step;
	toy_close(&t);
	return rounds;
}

/*
 * A worker that returns sends its fragments with the others', and opens no rounds of its own; with
 * its own count of steps it opens one for each of theirs.
 */
static void returning_workers_share_rounds(void **state)
{
	static const char common[] = "decoupled-diloco:period=8,fragments=2";
	const int64_t rounds = rounds_of(common, NULL);

	assert_within(rounds, 45, 50);
	for (int from = 10; from < 14; from++) {
		char leaves[32];

		snprintf(leaves, sizeof(leaves), "3:leave@%d-19.7", from);
		assert_within(rounds_of(common, leaves), rounds - 1, rounds + 1);
		snprintf(leaves, sizeof(leaves), "3:leave@%d-21.7", from);
		assert_within(rounds_of(common, leaves), rounds - 1, rounds + 1);
	}
	assert_true(rounds_of("decoupled-diloco:period=8,fragments=2,rejoin=own",
			      "3:leave@10-21.7") > rounds * 3 / 2);
}

/* A worker that comes back continues, or the run ends with the reason. */
static void coming_back_is_tolerated_or_named(void **state)
{
	for (int i = 0; algo_table[i]; i++)
		for (int k = 0; k < COMINGS; k++) {
			struct toy t;

			open_rough(&t, i, comings[k], (uint64_t)(3 + k));
			toy_run(&t);
			if (tolerates(i)) {
				assert_int_equal(t.result.end, END_EPOCHS);
				assert_int_equal(t.result.gradients, 64);
				assert_true(t.nodes[3].ledger.gradients > 5);
			} else {
				assert_int_equal(t.result.end, END_STALLED);
				assert_non_null(strstr(t.result.fault, " left at "));
				assert_non_null(strstr(t.result.fault, algo_table[i]->name));
			}
			toy_close(&t);
		}
}

/*
 * A word takes 0.3 s each way. What the worker sends as it begins, or with its first gradient, is
 * answered when it is back, and computes or has asked again: it goes on with one gradient.
 */
static void answers_may_come_late(void **state)
{
	static const char *const texts[] = { "0:leave@0.1-0.2,copy=old",
					     "0:leave@1.1-1.2,copy=old" };

	for (int i = 0; algo_table[i]; i++)
		for (int k = 0; tolerates(i) && k < 2; k++) {
			struct toy t;

			open_faulty(&t, brief_algo(algo_table[i]->name),
				    brief_optim(algo_table[i]->name, "sgd"), texts[k]);
			toy_link(&t, "nic:latency_s=0.3");
			t.sim.shards = 2;
			t.run.lr.base = 0.005;
			toy_run(&t);
			assert_int_equal(t.result.end, END_EPOCHS);
			assert_true(t.nodes[0].ledger.gradients > 5);
			toy_close(&t);
		}
}

/* For good: some go on, of the others all wait; no run hangs. */
static void leaving_for_good_ends(void **state)
{
	for (int i = 0; algo_table[i]; i++)
		for (int rank = 0; rank < 4; rank++) {
			char text[32];
			struct toy t;

			snprintf(text, sizeof(text), "%d:leave@5.5", rank);
			open_rough(&t, i, text, 3);
			toy_run(&t);
			if (t.result.end == END_STALLED)
				assert_non_null(strstr(t.result.fault, "left at 5.5 s"));
			else
				assert_int_equal(t.result.end, END_EPOCHS);
			assert_true(t.nodes[rank].ledger.gradients < 10);
			toy_close(&t);
		}
}

static void as_long_as_enough_are_there(void **state)
{
	static const struct {
		const char *algo, *faults;
		enum end_reason end;
	} all[] = {
		{ "k-sync:k=3", "3:leave@5", END_EPOCHS },
		{ "k-sync:k=3", "3:leave@5+2:leave@7", END_STALLED },
		{ "backup:b=2", "3:leave@5+2:leave@7", END_EPOCHS },
		{ "backup:b=1", "3:leave@5+2:leave@7", END_STALLED },
		{ "k-async:k=4", "3:leave@5", END_STALLED },
		{ "ssp:bound=inf", "3:leave@5", END_EPOCHS },
		{ "ssp:bound=3", "3:leave@5", END_STALLED },
		{ "easgd:tau=2,form=sync", "3:leave@5", END_STALLED },
		{ "easgd:tau=2,form=sync", "3:leave@5-7", END_EPOCHS },
		{ "easgd:tau=2,form=sync", "3:leave@5-7,copy=old", END_EPOCHS },
		{ "groups:groups=2", "3:leave@5-7", END_EPOCHS },
		{ "decoupled-diloco:period=2,fragments=2,delay=0,quorum=0", "3:leave@5-7",
		  END_EPOCHS },
		{ "decoupled-diloco:period=2,fragments=2,delay=0,quorum=0",
		  "3:leave@5-7,copy=old", END_EPOCHS },
		{ "decoupled-diloco:period=2,fragments=2,delay=0,quorum=0", "3:leave@5",
		  END_STALLED },
		{ "decoupled-diloco:period=2,fragments=2,delay=1,quorum=0", "3:leave@5",
		  END_EPOCHS },
		{ "ringmaster:threshold=2,stop=true", "3:leave@5-7,copy=old", END_EPOCHS },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct toy t;

		open_faulty(&t, all[i].algo, "sgd", all[i].faults);
		rough(&t, 3);
		toy_run(&t);
		assert_int_equal(t.result.end, all[i].end);
		if (all[i].end == END_STALLED) {
			assert_non_null(strstr(t.result.fault, "worker 3 left at 5 s"));
			assert_non_null(strstr(t.result.waits, "the server waits"));
		}
		toy_close(&t);
	}
}

static void threads_and_timing_do_not_matter(void **state)
{
	for (int i = 0; algo_table[i]; i++) {
		struct toy t[3];

		for (int k = 0; k < 3; k++) {
			open_rough(&t[k], i, "3:leave@5-9+1:leave@11-12,copy=old+2:leave@14", 3);
			t[k].threads = k;
			toy_run(&t[k]);
		}
		assert_true(t[0].result.time == t[1].result.time);
		assert_true(t[0].result.events == t[1].result.events);
		assert_true(t[1].result.time == t[2].result.time);
		assert_memory_equal(t[1].model, t[2].model, DIM * sizeof(float));
		for (int k = 0; k < 3; k++)
			toy_close(&t[k]);
	}
}

static void survivors_converge(void **state)
{
	struct choice schedule = { 0 };
	float best[DIM];

	toy_optimum(DIM, SAMPLES, best);
	assert_int_equal(choice_parse(&schedule, schedule_table, "schedule", "poly"), 0);
	for (int i = 0; algo_table[i]; i++)
		for (int k = 0; tolerates(i) && k < 2; k++) {
			struct toy t;

			open_faulty(&t, brief_algo(algo_table[i]->name),
				    brief_optim(algo_table[i]->name,
						"sgd:momentum=0.5,weight_decay=0"),
				    k ? "3:leave@100-300" : "3:leave@100-300,copy=old");
			t.run.lr = (struct stepsize){ .base = 0.02, .schedule = schedule,
						      .epochs = 60 };
			t.run.epochs = 60;
			toy_run(&t);
			assert_int_equal(t.result.end, END_EPOCHS);
			if (vec_dist(DIM, t.model, best) >= 0.05)
				fail_msg("%s is far from the optimum", algo_table[i]->name);
			toy_close(&t);
		}
	choice_release(&schedule);
}

/* A minibatch of 4 samples is read in 4 s; each worker has a storage, and 30.5 s are in a stall. */
static void books_all_time(const char *algo, const char *link, const char *faults)
{
	struct toy t;

	open_faulty(&t, algo, "sgd", faults);
	toy_link(&t, link);
	toy_delay(&t, "gamma:cv=0.5");
	assert_int_equal(choice_parse(&t.sim.storage, storage_table, "storage",
				      "shared:samples_per_s=1,workers=1,ahead=0"), 0);
	t.threads = 0;
	t.run.epochs = 0;
	t.run.seconds = 30.5;
	toy_run(&t);
	assert_int_equal(t.result.end, END_SECONDS);
	for (int i = 0; i < t.nnodes; i++) {
		const struct ledger *l = &t.nodes[i].ledger;

		assert_near(l->compute + l->comm + l->wait, 30.5, 1e-9);
	}
	choice_release(&t.sim.storage);
	toy_close(&t);
}

/* Of gradients too that do not complete, while a worker waits for their samples. */
static void waiting_for_samples_is_booked(void **state)
{
	static const char leaves[] = "1:leave@2-7+2:leave@12";
	static const char receives[] = "measured:message_bytes=4/400,message_s=0.1/0.5,"
				       "handler_GBps=4e-7,receive_GBps=2e-7";
	static const char slow[] = "nic:latency_s=0.05,bandwidth_GBps=1e-6";

	books_all_time("asgd", "ideal", "none");
	books_all_time("asgd", slow, leaves);
	books_all_time("asgd", receives, "none");
	books_all_time("k-sync:k=2", slow, "none");
	books_all_time("backup", slow, "none");
	books_all_time("ad-psgd", receives, "none");
	books_all_time("hogwild:blocks=3,read_s=0.4,write_s=0.5", "ideal", leaves);
	books_all_time("allreduce", "ideal", "1:leave@2-7,detect_s=1");
}

RUN_ALL(facts_are_the_code, a_fresh_model_is_where_gradients_are,
	returning_workers_share_rounds, coming_back_is_tolerated_or_named,
	answers_may_come_late, leaving_for_good_ends, as_long_as_enough_are_there,
	threads_and_timing_do_not_matter, survivors_converge, waiting_for_samples_is_booked)
