/* Shows an undisturbed run at the times of a job that goes back to checkpoints. */
#include "sim/faults/recovery.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "sim/faults/faults.h"

#include <math.h>
#include <stdlib.h>

/* ---- times at which a job that goes back to checkpoints makes its steps ---- */

enum {
	MOST_TRIES = 100000,    /* failures between two stops */
	MOST_FAILURES = 1 << 20,        /* of a run */
	MOST_STOPS = 1 << 22
};

static const char often_redone[] = "it fails again before the work since its last checkpoint is "
				   "done again. Choose another interval_s";
static const char often_down[] = "it fails again before it has restarted. Give a longer mtbf_s, or "
				 "a shorter detect_s and restart_s";
static const char often_saved[] = "it fails again before a checkpoint is saved. Give a smaller "
				  "cost_s or a longer mtbf_s";
static const char too_many_stops[] = "no more checkpoints and failures are kept. Choose a longer "
				     "interval_s or fewer gradients";
static const char too_many_failures[] = "no more failures are kept. Give a longer mtbf_s or fewer "
					"gradients";

/* Notes why the job can never finish; the first reason counts. */
static void timeline_despair(struct timeline *t, const char *why)
{
	t->hopeless = t->hopeless ? t->hopeless : why;
}

/* ---- the next failures ---- */

static void timeline_await(struct timeline *t, double from, int rank, int64_t count)
{
	const struct fault *law = failing_law(t->conf, rank);
	const double gap =
		failing_gap(t->conf, law, t->seed, failing_node(t->conf, rank), count);

	heap_push(&t->failures, from + gap, SIM_FAULT, rank, NULL, count);
}

/* Pushes the first failures of all nodes. Failures at given times have numbers below 0. */
static void timeline_await_all(struct timeline *t, int workers)
{
	for (size_t i = 0; i < t->conf->nfaults; i++)
		if (t->conf->fault[i].kind == FAULT_LEAVE)
			heap_push(&t->failures, t->conf->fault[i].from, SIM_FAULT,
				  t->conf->fault[i].rank, NULL, -1 - (int64_t)i);
	for (int rank = 0; rank < workers; rank++) {
		const struct fault *law = failing_law(t->conf, rank);

		if (law && failing_is_first(t->conf, law, rank))
			timeline_await(t, 0.0, rank, 0);
	}
}

static double timeline_next(const struct timeline *t)
{
	const struct sim_event *next = heap_next(&t->failures);

	return next ? next->time : HUGE_VAL;
}

/* Takes the next failure; returns the time at which that node could be back. */
static double timeline_fail(struct timeline *t)
{
	const struct fault *law;
	struct sim_event ev;
	double over;
	int rank;

	heap_pop(&t->failures, &ev);
	rank = sim_event_node(&ev);
	if (ev.num < 0) {
		law = &t->conf->fault[-1 - ev.num];
		over = law->to;
	} else {
		law = failing_law(t->conf, rank);
		over = ev.time + law->detect + law->restart;
		timeline_await(t, ev.time, rank, ev.num + 1);
	}
	t->failed = xgrown(t->failed, t->nfailed, sizeof(*t->failed));
	t->so_far.failures++;
	t->failed[t->nfailed++] = (struct fault){ .kind = FAULT_LEAVE, .rank = rank, .peer = rank,
						  .from = ev.time, .to = over };
	if (t->nfailed == MOST_FAILURES)
		timeline_despair(t, too_many_failures);
	return over;
}

/* ---- stops ---- */

static void timeline_open(struct timeline *t, const struct sim_conf *conf, const struct run *run,
			  double seconds)
{
	*t = (struct timeline){ .conf = conf, .seed = run->seed, .end = HUGE_VAL,
				.until = seconds > 0.0 ? seconds : HUGE_VAL };
	timeline_await_all(t, run->workers);
}

/* Frees what timeline_open() allocated. */
static void timeline_release(struct timeline *t)
{
	heap_release(&t->failures);
	free(t->stop);
	free(t->failed);
}

/* Notes a stop: after so much work the clock continues at `clock`. */
static void timeline_stop(struct timeline *t, double work, double clock)
{
	t->stop = xgrown(t->stop, t->n, sizeof(*t->stop));
	t->stop[t->n++] = (struct timeline_stop){ work, clock - work, t->so_far };
	t->work = work;
	t->clock = clock;
	t->tries = 0;
	if (t->n == MOST_STOPS)
		timeline_despair(t, too_many_stops);
}

/*
 * Handles the next failure, and all until the job has repeated the `lost` seconds of work since the
 * last checkpoint: returns that time. t->end <- the work done, if the run ends before.
 */
static double timeline_redo(struct timeline *t, double lost)
{
	double ready = timeline_next(t);

	do {
		const double failed = timeline_next(t), begun = fmax(ready, failed);

		ready = fmax(ready, timeline_fail(t));
		t->so_far.down_s += fmin(ready, t->until) - fmin(begun, t->until);
		if (++t->tries == MOST_TRIES)
			timeline_despair(t, timeline_next(t) < ready ? often_down
					    : t->saving		     ? often_saved
								     : often_redone);
	} while (timeline_next(t) < fmin(ready + lost, t->until) && !t->hopeless);
	if (ready + lost > t->until)
		t->end = t->saved + fmax(t->until - ready, 0.0);
	return ready + lost;
}

/* A node fails while the job works: the work since the last checkpoint is repeated. */
static void timeline_lose(struct timeline *t)
{
	const double work = t->work + (timeline_next(t) - t->clock);

	timeline_stop(t, work, timeline_redo(t, work - t->saved));
}

/* Saves a checkpoint when so much work is done, with repeats if nodes fail meanwhile. */
static void timeline_save(struct timeline *t, double work)
{
	const double cost = t->conf->restart.cost_s;
	double begun = t->clock + (work - t->work);

	t->saving = true;
	while (timeline_next(t) < fmin(begun + cost, t->until) && !t->hopeless)
		begun = timeline_redo(t, work - t->saved);
	t->saving = false;
	if (t->hopeless)
		return;
	if (begun + cost > t->until && begun <= t->until)
		t->end = work;
	t->so_far.save_s += fmin(begun + cost, t->until) - fmin(begun, t->until);
	t->so_far.saves += begun + cost <= t->until;
	timeline_stop(t, work, begun + cost);
	t->saved = work;
}

/* Finds the next stop, or the work done at the end. */
static void timeline_go_on(struct timeline *t)
{
	const double work = t->saved + t->conf->restart.interval_s;
	const double due = t->clock + (work - t->work), failure = timeline_next(t);

	if (fmin(due, failure) >= t->until)
		t->end = t->work + (t->until - t->clock);
	else if (failure < due)
		timeline_lose(t);
	else
		timeline_save(t, work);
}

static bool timeline_is_known(const struct timeline *t)
{
	return t->end < HUGE_VAL || t->hopeless;
}

/* Work that is done, and not lost, at the end of a run with a bound in seconds. */
static double timeline_end(struct timeline *t)
{
	while (!timeline_is_known(t))
		timeline_go_on(t);
	return t->end;
}

int timeline_check(const struct timeline *t)
{
	const double failed = t->nfailed ? t->failed[t->nfailed - 1].from : 0.0;

	if (!t->hopeless)
		return 0;
	return error("recovery: after %lld failures and %lld checkpoints the job has done %g s of "
		     "work in %g s (expected an interval_s that is short against the time between "
		     "failures and long against a step, and a cost_s that is shorter): %s",
		     (long long)t->so_far.failures, (long long)t->so_far.saves, t->saved,
		     fmax(t->clock, failed), t->hopeless);
}

/* The last stop at less than so much work, or NULL. */
static const struct timeline_stop *timeline_before(const struct timeline *t, double work)
{
	size_t first = 0, last = t->n;

	while (first < last) {
		const size_t middle = first + (last - first) / 2;

		if (t->stop[middle].work < work)
			first = middle + 1;
		else
			last = middle;
	}
	return first ? &t->stop[first - 1] : NULL;
}

double timeline_at(struct timeline *t, double work)
{
	const struct timeline_stop *stop;

	while (t->work < work && !timeline_is_known(t))
		timeline_go_on(t);
	if (work > t->end)
		return t->until;
	stop = timeline_before(t, work);
	return stop ? fmin(work + stop->shift, t->until) : work;
}

/* Cost of the run's failures and checkpoints at the moment when so much work is done. */
static struct run_goodput timeline_goodput(struct timeline *t, double work)
{
	const double clock = timeline_at(t, work);
	const struct timeline_stop *stop = timeline_before(t, work);
	struct run_goodput sum = { 0 };

	if (work > t->end)
		sum = t->so_far;
	else if (stop)
		sum = stop->so_far;
	work = fmin(work, t->end);
	sum.lost_s = fmax(clock - work - sum.save_s - sum.down_s, 0.0);
	sum.goodput = clock > 0.0 ? work / clock : 0.0;
	return sum;
}

static void pause_show(struct recovery *r, const struct event *next, double from, double to)
{
	struct event pause = { .kind = EV_PAUSE, .epoch = next->epoch,
			       .gradients = next->gradients, .begun = from, .time = to };

	r->paused++;
	if (to > from)
		run_emit(r->given, &pause);
}

/* Stops before the event `next` of the undisturbed run; the end comes in one, too. */
static void pauses_show(struct recovery *r, const struct event *next)
{
	struct timeline *t = &r->line;

	while (r->paused < t->n && t->stop[r->paused].work < next->time) {
		const struct timeline_stop *stop = &t->stop[r->paused];
		const double shift = r->paused ? stop[-1].shift : 0.0;

		pause_show(r, next, stop->work + shift, fmin(stop->work + stop->shift, t->until));
	}
	if (next->time > t->end && !r->ended) {
		r->ended = true;
		pause_show(r, next, timeline_at(t, t->end), t->until);
	}
}

static void recovery_show(struct hook *h, const struct event *ev)
{
	struct recovery *r = (struct recovery *)h;
	struct timeline *t = &r->line;
	struct event shown = *ev;

	shown.time = timeline_at(&r->line, ev->time);
	shown.begun = timeline_at(&r->line, ev->begun);
	if (!isnan(ev->asked))
		shown.asked = timeline_at(&r->line, ev->asked);
	pauses_show(r, ev);
	/* Failures before that time are shown first. */
	for (; t->told < t->nfailed && t->failed[t->told].from < shown.time; t->told++) {
		struct event failure = { .kind = EV_FAULT,
					 .epoch = shown.epoch,
					 .gradients = shown.gradients,
					 .fault = &t->failed[t->told] };

		failure.time = failure.fault->from;
		run_emit(r->given, &failure);
		failure.time = fmin(failure.fault->to, t->until);
		failure.over = true;
		run_emit(r->given, &failure);
	}
	run_emit(r->given, &shown);
}

int recovery_open(struct recovery *r, const struct sim_conf *conf, const struct run *run)
{
	*r = (struct recovery){ .hook = { .event = recovery_show }, .given = run, .run = *run };
	for (const struct hook *h = run->hooks; h; h = h->next)
		r->hook.mask |= h->mask;
	r->run.hooks = &r->hook;
	timeline_open(&r->line, conf, run, run->seconds);
	/*
	 * Events at the very end are shown after all work: the smallest possible amount of time
	 * later.
	 */
	if (run->seconds > 0.0)
		r->run.seconds = nextafter(timeline_end(&r->line), HUGE_VAL);
	return timeline_check(&r->line);
}

void recovery_release(struct recovery *r)
{
	timeline_release(&r->line);
}

/* Young's, Daly's and the expected values, if all nodes that fail do so at random. */
static void recovery_reference(const struct timeline *t, int workers, struct run_goodput *sum)
{
	const struct restart *how = &t->conf->restart;
	const double rate = failing_rate(t->conf, workers);
	double repair = 0.0;

	for (int rank = 0; rank < workers; rank++) {
		const struct fault *law = failing_law(t->conf, rank);

		if (law && failing_is_first(t->conf, law, rank))
			repair += (law->detect + law->restart) / failing_mtbf(t->conf, law);
	}
	for (size_t i = 0; i < t->conf->nfaults; i++)
		if (t->conf->fault[i].kind != FAULT_FAIL)
			return;
	if (!(rate > 0.0))
		return;
	sum->young_s = recovery_young(how->cost_s, 1.0 / rate);
	sum->daly_s = recovery_daly(how->cost_s, 1.0 / rate);
	sum->expected = recovery_expected(how->interval_s, how->cost_s, repair / rate, 1.0 / rate);
}

int recovery_result(struct recovery *r, struct run_result *result)
{
	result->goodput = timeline_goodput(&r->line, result->time);
	result->time = timeline_at(&r->line, result->time);
	recovery_reference(&r->line, r->given->workers, &result->goodput);
	return timeline_check(&r->line);
}

/* ---- closed forms ---- */

double recovery_young(double cost, double mtbf)
{
	return sqrt(2.0 * cost * mtbf);
}

double recovery_daly(double cost, double mtbf)
{
	const double x = sqrt(cost / (2.0 * mtbf));

	if (cost >= 2.0 * mtbf)
		return mtbf;
	return recovery_young(cost, mtbf) * (1.0 + x / 3.0 + x * x / 9.0) - cost;
}

double recovery_expected(double interval, double cost, double repair, double mtbf)
{
	return interval / (mtbf * exp(repair / mtbf) * expm1((interval + cost) / mtbf));
}
