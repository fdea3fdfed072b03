/*
 * run.c - a simulated run from its beginning to its end.
 */
#include "sim/world.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/math/vec.h"

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
	};
	if (s->end == END_STALLED)
		stall_name(s, result);
}

int sim_run(const struct sim_conf *conf, const struct run *run, struct run_result *result)
{
	const double began = clock_s();
	struct run_result ignored;
	struct sim s;
	bool failed;

	if (sim_run_check(conf, run) < 0)
		return -1;
	sim_begin(&s, conf, run);
	if (sim_pump(&s, INT64_MAX) < 0) {
		sim_close(&s);
		return -1;
	}
	sim_stop(&s, stall_why(&s), s.now);
	sim_run_finish(&s, began, result ? result : &ignored);
	failed = pool_failed(run->pool);
	sim_close(&s);
	return failed ? -1 : 0;
}
