/* A simulated run from its beginning to its end. */
#include "sim/world.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/math/vec.h"
#include "sim/faults/recovery.h"

#include <math.h>

static int sim_run_check(const struct sim_conf *c, const struct run *run)
{
	if (sim_check_workers(run->workers, c->shards) < 0)
		return -1;
	if (!(c->batch_s > 0.0) || !isfinite(c->batch_s))
		return error("a minibatch takes %g s: must be more than 0", c->batch_s);
	if (pace_check(&c->pace, run->workers) < 0)
		return -1;
	return run_check(run) < 0 ? -1 : faults_check(c, run);
}

/* Shows the final model, and sums up a run that began at `began`. */
static void sim_run_finish(struct sim *s, double began, struct run_result *result)
{
	const float *model = sim_model(s);

	sim_mark(s, s->stop_time, model);
	sim_emit(s, EV_END, s->stop_time, model);
	*result = (struct run_result){
		.end = s->end, .time = s->stop_time, .epochs = sim_epoch(s),
		.gradients = s->gradients, .model = vec_digest(s->run->dim, model),
		.events = s->events, .kept = s->kept,
		.loop_s = clock_s() - began - s->handler_s - s->pool_s - s->mark_s,
		.handler_s = s->handler_s, .pool_s = s->pool_s, .mark_s = s->mark_s,
		.data_s = s->run->pool ? pool_data_s(s->run->pool) : 0.0,
		.goodput.failures = s->failures,
	};
	if (s->end == END_STALLED)
		stall_name(s, result);
}

/* back: of a job that goes back to checkpoints; NULL: it never does. */
static int sim_run_one(const struct sim_conf *conf, const struct run *run, struct recovery *back,
		       struct run_result *result)
{
	const double began = clock_s();
	struct sim s;
	bool failed;

	sim_begin(&s, conf, run, back ? &back->line : NULL);
	if (sim_pump(&s, INT64_MAX) < 0) {
		sim_close(&s);
		return -1;
	}
	sim_stop(&s, stall_why(&s), s.now);
	sim_run_finish(&s, began, result);
	failed = pool_failed(run->pool);
	sim_close(&s);
	return failed ? -1 : 0;
}

static int sim_run_recovering(const struct sim_conf *conf, const struct run *run,
			      struct run_result *result)
{
	struct recovery r;
	int ret = recovery_open(&r, conf, run);

	if (ret == 0)
		ret = sim_run_one(conf, &r.run, &r, result);
	if (ret == 0)
		ret = recovery_result(&r, result);
	recovery_release(&r);
	return ret;
}

static bool sim_run_loses_workers(const struct sim_conf *conf)
{
	for (size_t i = 0; i < conf->nfaults; i++)
		if (conf->fault[i].kind == FAULT_LEAVE || conf->fault[i].kind == FAULT_FAIL)
			return true;
	return false;
}

/* The share of the gradients a second that a run without faults has, as long as this one. */
static int sim_run_compare(const struct sim_conf *conf, const struct run *run,
			   struct run_result *result)
{
	struct sim_conf undisturbed = *conf;
	struct run timing = *run;
	struct run_result of;

	if (!sim_run_loses_workers(conf) || result->gradients == 0 ||
	    result->end == END_STALLED || result->end == END_INTERRUPTED)
		return 0;
	undisturbed.nfaults = 0;
	undisturbed.saves = NULL;
	timing.pool = NULL;
	timing.hooks = NULL;
	timing.watch = NULL;
	timing.mark_every = timing.epochs = timing.seconds = 0.0;
	timing.gradients = result->gradients;
	if (sim_run_one(&undisturbed, &timing, NULL, &of) < 0)
		return -1;
	if (of.end == END_INTERRUPTED) {
		result->end = END_INTERRUPTED;
		return 0;
	}
	result->goodput.save_s = result->goodput.lost_s = result->goodput.down_s = (double)NAN;
	result->goodput.goodput = of.end == END_GRADIENTS ? of.time / result->time : 0.0;
	return 0;
}

int sim_run(const struct sim_conf *conf, const struct run *run, struct run_result *result)
{
	struct run_result ignored;

	result = result ? result : &ignored;
	if (sim_run_check(conf, run) < 0)
		return -1;
	if (conf->restart.interval_s > 0.0)
		return sim_run_recovering(conf, run, result);
	if (sim_run_one(conf, run, NULL, result) < 0)
		return -1;
	return sim_run_compare(conf, run, result);
}
