/* Jobs that go back to checkpoints: times by hand, the best interval, what is refused. */
#include "plan/settings/faults.h"
#include "sim/faults/recovery.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/toy.h"

#include <stdlib.h>

enum { DIM = 5, WORKERS = 3 };

/* Rounds of three gradients take 1 s each. */
static void open_job(struct toy *t, const char *text, double interval, double cost, int64_t rounds)
{
	toy_open(t, "allreduce", WORKERS, "sgd");
	assert_true(toy_faults(t, text));
	t->sim.restart = (struct restart){ .interval_s = interval, .cost_s = cost };
	t->run.epochs = 0;
	t->run.gradients = WORKERS * rounds;
}

static struct run_result result_of(const char *text, double interval, double cost, int64_t rounds,
				   double seconds)
{
	struct run_result result;
	struct toy t;

	open_job(&t, text, interval, cost, rounds);
	t.run.seconds = seconds;
	t.threads = 0;
	toy_run(&t);
	result = t.result;
	toy_close(&t);
	return result;
}

static double time_of(const char *text, double interval, double cost, int64_t rounds)
{
	return result_of(text, interval, cost, rounds, 0).time;
}

static void cost_is(const struct run_result *r, double work, int64_t failures, int64_t saves,
		    double save_s, double lost_s, double down_s)
{
	assert_near(r->goodput.goodput, work / r->time, 1e-12);
	assert_int_equal(r->goodput.failures, failures);
	assert_int_equal(r->goodput.saves, saves);
	assert_near(r->goodput.save_s, save_s, 1e-9);
	assert_near(r->goodput.lost_s, lost_s, 1e-9);
	assert_near(r->goodput.down_s, down_s, 1e-9);
	assert_near(work + save_s + lost_s + down_s, r->time, 1e-9);
}

/*
 * Checkpoints are saved from 10 to 11 s and from 21 to 22 s. Worker 1 fails at 24.5 s, with 22.5 s
 * of work done, and is back at 26 s: the 2.5 s since the checkpoint are done again by 28.5 s.
 */
static const char fails_once[] = "1:leave@24.5-26";

static void a_failure_by_hand(void **state)
{
	static const double time[][2] = { { 10, 10 }, { 11, 12 }, { 20, 21 }, { 21, 23 },
					  { 22, 24 }, { 23, 29 }, { 30, 36 }, { 31, 38 } };
	const struct run_result r = result_of(fails_once, 10, 1, 31, 0);

	for (size_t i = 0; i < sizeof(time) / sizeof(time[0]); i++)
		assert_near(time_of(fails_once, 10, 1, (int64_t)time[i][0]), time[i][1], 1e-9);
	cost_is(&r, 31, 1, 3, 3, 2.5, 1.5);
}

/* The first checkpoint is not saved in one try: all is done again until 22 s, and saved then. */
static void while_a_checkpoint_is_saved(void **state)
{
	const struct run_result r = result_of("1:leave@10.5-12", 10, 1, 11, 0);

	assert_near(r.time, 24, 1e-9);
	cost_is(&r, 11, 1, 1, 1, 10.5, 1.5);
}

/* The second one fails while the first is away, and the third while work is done again. */
static void while_the_job_comes_back(void **state)
{
	static const char text[] = "0:leave@5-7+1:leave@6-9+2:leave@11-12";
	const struct run_result r = result_of(text, 100, 1, 6, 0);

	assert_near(r.time, 18, 1e-9);
	cost_is(&r, 6, 3, 0, 0, 7, 5);
}

static void checkpoints_alone_cost_time(void **state)
{
	assert_near(time_of("none", 10, 0.5, 10), 10, 1e-9);
	assert_near(time_of("none", 10, 0.5, 35), 36.5, 1e-9);
	assert_near(time_of("none", 10, 0, 35), 35, 1e-9);
}

/* At 27 s one of the 2.5 s is done again, and 21 rounds are left of 22; at 24.5 s none is lost. */
static void what_is_lost_at_the_end_does_not_count(void **state)
{
	const struct run_result lost = result_of(fails_once, 10, 1, 99, 27);
	const struct run_result all = result_of(fails_once, 10, 1, 99, 24.5);
	const struct run_result down = result_of(fails_once, 10, 1, 99, 25);
	const struct run_result saving = result_of(fails_once, 10, 1, 99, 10.5);

	assert_int_equal(lost.end, END_SECONDS);
	assert_int_equal(lost.gradients, 21 * WORKERS);
	cost_is(&lost, 21, 1, 2, 2, 2.5, 1.5);
	assert_int_equal(all.gradients, 22 * WORKERS);
	cost_is(&all, 22.5, 0, 2, 2, 0, 0);
	assert_int_equal(down.gradients, 20 * WORKERS);
	cost_is(&down, 20, 1, 2, 2, 2.5, 0.5);
	assert_int_equal(saving.gradients, 10 * WORKERS);
	cost_is(&saving, 10, 0, 0, 0.5, 0, 0);
}

struct seen {
	struct hook hook;
	double last, fails, over;       /* times of the last gradient, and of the failure */
};

static void see(struct hook *h, const struct event *ev)
{
	struct seen *s = (struct seen *)h;

	assert_true(ev->time >= s->last || ev->kind == EV_FAULT);
	if (ev->kind == EV_GRAD)
		s->last = ev->time;
	else if (ev->over)
		s->over = ev->time;
	else
		s->fails = ev->time;
}

/* It computes what it would without failures, later; and says when it failed. */
static void the_model_is_that_of_an_undisturbed_run(void **state)
{
	struct seen seen = { .hook = { .mask = 1u << EV_GRAD | 1u << EV_FAULT, .event = see } };
	struct toy t[2];

	for (int i = 0; i < 2; i++) {
		open_job(&t[i], i ? fails_once : "none", i ? 10 : 0, 1, 31);
		t[i].run.hooks = i ? &seen.hook : NULL;
		toy_run(&t[i]);
	}
	assert_memory_equal(t[0].model, t[1].model, DIM * sizeof(float));
	assert_near(t[0].result.time, 31, 1e-9);
	assert_near(seen.last, 38, 1e-9);
	assert_near(seen.fails, 24.5, 1e-9);
	assert_near(seen.over, 26, 1e-9);
	assert_near(t[1].nodes[0].ledger.compute, 31, 1e-9);
	assert_near(t[1].nodes[0].ledger.wait, 7, 1e-9);
	toy_close(&t[0]);
	toy_close(&t[1]);
}

/* Daly 2006: checkpoints of 5 min; M = 24 h, 6 h, 15 min give 117, 57, 9.1 min. */
static void formulas_as_published(void **state)
{
	assert_near(recovery_daly(5, 24 * 60), 117, 0.5);
	assert_near(recovery_daly(5, 6 * 60), 57, 0.5);
	assert_near(recovery_daly(5, 15), 9.1, 0.05);
	assert_near(recovery_daly(40, 15), 15, 0);
	assert_near(recovery_young(10, 500), 100, 1e-12);
	/* Of planner's example: M = 3.09 h, 60 s and 10 min. */
	assert_near(recovery_expected(recovery_young(60, 11124), 60, 600, 11124), 0.853, 0.0015);
}

/* The same failures, and intervals around Daly's: both others cost more. */
static void daly_is_best(void **state)
{
	const char *text = "all:fail@mtbf_s=1500,detect_s=5,restart_s=15";
	const double best = recovery_daly(10, 500);
	double goodput[3];

	for (int i = 0; i < 3; i++) {
		const double interval = best * (i == 0 ? 0.4 : i == 1 ? 1 : 2.5);
		const struct run_result r = result_of(text, interval, 10, 200000, 0);

		goodput[i] = r.goodput.goodput;
		assert_near(r.goodput.expected, goodput[i], 0.04);
		assert_near(r.goodput.daly_s, best, 1e-9);
		assert_near(r.goodput.young_s, 100, 1e-9);
	}
	assert_true(goodput[1] > goodput[0] && goodput[1] > goodput[2]);
}

/* Ten rounds of three, ten of two until it is back at 20 s, 14 of three: 90 gradients. */
static void goodput_of_workers_that_fail_one_by_one(void **state)
{
	struct toy t;

	open_job(&t, "2:leave@10.5-20,detect_s=0.5", 0, 0, 30);
	t.threads = 0;
	toy_run(&t);
	assert_true(t.result.time == 34);
	assert_near(t.result.goodput.goodput, 30.0 / 34, 1e-12);
	assert_int_equal(t.result.goodput.failures, 1);
	toy_close(&t);
	open_job(&t, "none", 0, 0, 30);
	toy_run(&t);
	assert_true(t.result.goodput.goodput == 0.0);
	toy_close(&t);
}

struct stops {                  /* a hook that interrupts what comes after the run */
	struct hook hook;
	volatile sig_atomic_t interrupted;
};

static void interrupt_at_end(struct hook *h, const struct event *ev)
{
	(void)ev;
	((struct stops *)h)->interrupted = 1;
}

/* The run that it is compared with does not end: it must not count as finished. */
static void no_goodput_when_interrupted(void **state)
{
	struct stops stops = { .hook = { .mask = 1u << EV_END, .event = interrupt_at_end } };
	struct toy t;

	open_job(&t, "2:leave@10.5-20,detect_s=0.5", 0, 0, 30);
	t.threads = 0;
	t.run.hooks = &stops.hook;
	t.run.interrupted = &stops.interrupted;
	toy_run(&t);
	assert_int_equal(t.result.end, END_INTERRUPTED);
	assert_int_equal(t.result.gradients, 30 * WORKERS);
	toy_close(&t);
}

static void refused(const char *text, const char *because)
{
	struct toy t;

	open_job(&t, "none", 10, 1, 10);
	capture_start();
	if (toy_faults(&t, text))
		assert_int_equal(sim_run(&t.sim, &t.run, NULL), -1);
	capture_stop();
	assert_said(because);
	toy_close(&t);
}

/* Failures come all the time while a checkpoint is saved: it ends, with its reason. */
static void a_checkpoint_that_is_never_saved(void **state)
{
	struct toy t;

	open_job(&t, "all:fail@mtbf_s=100,restart_s=1", 0.5, 3000, 10);
	t.threads = 0;
	capture_start();
	assert_int_equal(sim_run(&t.sim, &t.run, NULL), -1);
	capture_stop();
	assert_said("it fails again before a checkpoint is saved");
	toy_close(&t);
}

static void setting_refused(const char *text, const char *because)
{
	struct restart r;

	capture_start();
	assert_int_equal(restart_parse(text, &r), -1);
	capture_stop();
	assert_said(because);
}

static void setting_is(const char *text, const char *canonical)
{
	struct restart r;
	char *is;

	assert_int_equal(restart_parse(text, &r), 0);
	is = restart_format(&r);
	assert_string_equal(is, canonical);
	free(is);
}

static void the_impossible_is_refused(void **state)
{
	static const char grammar[] = "expected continue, or restart:interval_s=S";

	refused("1:leave@5", "worker 1 leaves for good");
	refused("0-1:drop@1-2", "a drop does not go with recovery = restart");
	refused("3:leave@5-6", "no rank 3 among 3 workers");
	refused("2-3:fail@mtbf_s=5", "no rank 3 among 3 workers");
	refused("all:fail@mtbf_s=0", "must be more than 0");
	refused("all:fail@mtbf_s=0.5", "Choose another interval_s");
	setting_refused("restart", grammar);
	setting_refused("restart:interval_s=0",
			"interval_s must be a number of seconds, more than 0");
	setting_refused("restart:interval_s=-1", "more than 0, not '-1'");
	setting_refused("restart:interval_s=5,cost_s=-1",
			"cost_s must be a number of seconds, at least 0");
	setting_refused("restart:interval_s=5,cost_s=1,x", grammar);
	setting_refused("restart:cost_s=1", grammar);
	setting_refused("elastic", grammar);
	setting_refused("restrt:interval_s=5", "did you mean 'restart'?");
	setting_refused("restart:interval=5", "did you mean 'interval_s'?");
	setting_is("continue", "continue");
	setting_is("restart:interval_s=6e2", "restart:interval_s=600,cost_s=0");
	setting_is("restart:interval_s=60,cost_s=1.50", "restart:interval_s=60,cost_s=1.5");
}

RUN_ALL(a_failure_by_hand, while_a_checkpoint_is_saved, while_the_job_comes_back,
	checkpoints_alone_cost_time, what_is_lost_at_the_end_does_not_count,
	the_model_is_that_of_an_undisturbed_run, formulas_as_published, daly_is_best,
	goodput_of_workers_that_fail_one_by_one, no_goodput_when_interrupted,
	the_impossible_is_refused, a_checkpoint_that_is_never_saved)
