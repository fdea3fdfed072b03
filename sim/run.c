/* A simulated run from its beginning to its end. */
#include "sim/world.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/engine/engine.h"
#include "core/math/vec.h"
#include "sim/faults/recovery.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- limits: runs that would never end, or are too large ---- */

enum { DRAIN_ASKS = 1000 };     /* per node: an algorithm with more never ends */

_Static_assert(SIM_WORKERS_MOST == HEAP_NODE_MAX - 1, "the server is a node too");

int sim_check_workers(int64_t workers, int64_t shards)
{
	const int64_t most = SIM_WORKERS_MOST + 1 - (shards > 1 ? shards : 1);

	if (workers >= 1 && workers <= most)
		return 0;
	if (shards <= 1)
		return error("workers = %lld: the simulator accepts 1 to %lld", (long long)workers,
			     (long long)most);
	return error("workers = %lld: the simulator accepts 1 to %lld with %lld shards of a server",
		     (long long)workers, (long long)most, (long long)shards);
}

/*
 * Sets the bound on requests after the stop: messages in flight may be answered, and a node may
 * tell all others twice. An algorithm that asks for more than that would never end.
 */
void limit_asks(struct sim *s)
{
	const int64_t nodes = s->nnodes, under_way = s->post.asked - s->post.answered;

	s->post.most_asks = s->post.asked + 2 * under_way + (DRAIN_ASKS + 2 * nodes) * nodes;
}

void limit_is_passed(const struct sim *s)
{
	algo_mistake(s->run, "it still sends messages after the end");
}

/*
 * error() if, at the present pace, the run's virtual seconds take more than RUN_GRADIENTS_MOST
 * gradients, which would take months.
 */
int limit_pace(struct sim *s, double time)
{
	const double needed = (double)s->gradients * (s->run->seconds / time);

	s->pace_at = 2 * s->gradients;
	if (s->run->seconds <= 0.0 || !(time > 0.0) || needed <= RUN_GRADIENTS_MOST ||
	    (s->budget && (double)s->budget <= RUN_GRADIENTS_MOST))
		return 0;
	return error("%lld gradients took %g s of virtual time: %g s would take %.1g gradients, "
		     "and the simulator accepts %g; give fewer seconds or a longer compute_s",
		     (long long)s->gradients, time, s->run->seconds, needed, RUN_GRADIENTS_MOST);
}

/* error() if more gradients than this end at the same time than can be by chance. */
int limit_still(struct sim *s, double time)
{
	enum { STILL = 1000 };

	if (++s->still <= STILL * (int64_t)s->run->workers)
		return 0;
	return error("virtual time stands still at %g s: a gradient takes less than the clock can "
		     "tell; give a longer compute_s", time);
}

/* ---- stalled runs: the nodes that wait, and for what ---- */

/* Reason why no event is left: all workers have stopped, or one waits for ever. */
static enum end_reason stall_why(const struct sim *s)
{
	bool there = false;

	for (int i = 0; i < s->run->workers; i++) {
		if (sim_is_away(&s->priv[i]))
			continue;
		there = true;
		if (!s->priv[i].stopped)
			return END_STALLED;
	}
	return there ? END_STOPPED : END_STALLED;
}

/* text[size] <- the workers that are or were away. */
static void name_absent(const struct sim *s, char *text, size_t size)
{
	size_t n = 0;

	for (int i = 0; i < s->run->workers && n < size; i++) {
		const struct fault *f = s->faults->of[i].cause;

		if (!f)
			continue;
		n += (size_t)snprintf(text + n, size - n, "%sworker %d ", n ? ", " : "", i);
		if (n >= size)
			return;
		if (sim_is_away(&s->priv[i]))
			n += (size_t)snprintf(text + n, size - n, "left at %g s", f->from);
		else
			n += (size_t)snprintf(text + n, size - n, "was away from %g to %g s",
					      f->from, f->to);
	}
}

/*
 * result->waits <- the nodes that wait, and for what; result->fault <- the fault that caused it, if
 * any.
 */
static void stall_name(const struct sim *s, struct run_result *result)
{
	scoped enum waits *what = NULL;

	if (s->faults && s->faults->text[0]) {
		snprintf(result->fault, sizeof(result->fault), "%s", s->faults->text);
		return;
	}
	if (s->faults)
		name_absent(s, result->fault, sizeof(result->fault));
	what = xcalloc((size_t)s->nnodes, sizeof(*what));
	for (int i = 0; i < s->nnodes; i++)
		what[i] = sim_is_away(&s->priv[i]) ?
				  WAITS_AWAY :
				  stall_waits(&s->nodes[i], s->rare[i].sum.allreducing,
					      s->priv[i].stopped);
	stall_text(what, s->nnodes, s->run->workers, result->waits, sizeof(result->waits));
}

static int conf_check(const struct sim_conf *c, const struct run *run)
{
	if (sim_check_workers(run->workers, c->shards) < 0)
		return -1;
	if (!(c->batch_s > 0.0) || !isfinite(c->batch_s))
		return error("compute_s: a minibatch takes %g s (expected more than 0)",
			     c->batch_s);
	if (pace_check(&c->pace, run->workers) < 0)
		return -1;
	return run_check(run) < 0 ? -1 : faults_check(c, run);
}

/* Floats of the run's vectors, without optimiser states that no step has touched. */
static struct run_floats floats_of(const struct sim *s)
{
	struct run_floats f = s->floats;

	f.sent = s->post.packets.floats;
	for (int i = 0; i < s->nnodes; i++)
		if (s->nodes[i].ledger.steps == 0)
			f.all -= (double)optim_floats(s->run->optim, s->run->dim);
	return f;
}

/* Simulates one run. back: of a job that goes back to checkpoints, or NULL. */
static int run_once(const struct sim_conf *conf, const struct run *run, struct recovery *back,
		    struct run_result *result)
{
	const double began = clock_s();
	const float *model;
	struct sim s;
	bool failed;

	sim_begin(&s, conf, run, back ? &back->line : NULL);
	if (sim_pump(&s, INT64_MAX) < 0) {
		sim_close(&s);
		return -1;
	}
	sim_stop(&s, stall_why(&s), s.now);
	model = sim_model(&s);
	sim_mark(&s, s.stop_time, model);
	sim_emit(&s, EV_END, s.stop_time, model);
	*result = (struct run_result){
		.end = s.end, .time = s.stop_time, .epochs = sim_epoch(&s),
		.gradients = s.gradients, .model = vec_digest(s.run->dim, model),
		.events = s.events, .asked = s.asked, .under_way = s.under_way,
		.kept = s.saving.kept, .order = histories_end(&s), .floats = floats_of(&s),
		.loop_s = clock_s() - began - s.handler_s - s.pool_s - s.mark_s,
		.handler_s = s.handler_s, .pool_s = s.pool_s, .mark_s = s.mark_s,
		.data_s = s.run->pool ? pool_data_s(s.run->pool) : 0.0,
		.goodput.failures = s.faults ? s.faults->failures : 0,
	};
	if (s.end == END_STALLED)
		stall_name(&s, result);
	failed = pool_failed(run->pool);
	sim_close(&s);
	return failed ? -1 : 0;
}

static bool faults_lose_workers(const struct sim_conf *conf)
{
	for (size_t i = 0; i < conf->nfaults; i++)
		if (conf->fault[i].kind == FAULT_LEAVE || conf->fault[i].kind == FAULT_FAIL)
			return true;
	return false;
}

/* Sets the goodput: gradients a second over those of a run of equal length without faults. */
static int undisturbed_compare(const struct sim_conf *conf, const struct run *run,
			       struct run_result *result)
{
	struct sim_conf undisturbed = *conf;
	struct run timing = *run;
	struct run_result of;

	if (result->gradients == 0 || result->end == END_STALLED ||
	    result->end == END_INTERRUPTED)
		return 0;
	undisturbed.nfaults = 0;
	undisturbed.restart = (struct restart){ 0 };
	undisturbed.saves = NULL;
	timing.pool = NULL;
	timing.hooks = NULL;
	timing.watch = NULL;
	timing.mark_every = timing.epochs = timing.seconds = 0.0;
	timing.gradients = result->gradients;
	if (run_once(&undisturbed, &timing, NULL, &of) < 0)
		return -1;
	if (of.end == END_INTERRUPTED) {
		result->end = END_INTERRUPTED;
		return 0;
	}
	result->goodput.goodput = of.end == END_GRADIENTS ? of.time / result->time : 0.0;
	return 0;
}

static int run_recovering(const struct sim_conf *conf, const struct run *run,
			  struct run_result *result)
{
	struct recovery r;
	int ret = recovery_open(&r, conf, run);

	if (ret == 0)
		ret = run_once(conf, &r.run, &r, result);
	if (ret == 0)
		ret = recovery_result(&r, result);
	recovery_release(&r);
	/* Else an undisturbed run has the same compute times, so that its time is the work. */
	if (ret == 0 && pace_follows_clock(&conf->pace))
		ret = undisturbed_compare(conf, run, result);
	return ret;
}

int sim_run(const struct sim_conf *conf, const struct run *run, struct run_result *result)
{
	struct run_result ignored;

	result = result ? result : &ignored;
	if (conf_check(conf, run) < 0)
		return -1;
	if (conf->restart.interval_s > 0.0)
		return run_recovering(conf, run, result);
	if (run_once(conf, run, NULL, result) < 0)
		return -1;
	if (!faults_lose_workers(conf))
		return 0;
	result->goodput.save_s = result->goodput.lost_s = result->goodput.down_s = (double)NAN;
	return undisturbed_compare(conf, run, result);
}
