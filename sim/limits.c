/* What would never end, or is more than the simulator takes. */
#include "sim/world.h"

#include "core/base/error.h"

enum { DRAIN_ASKS = 1000 };     /* per node: more than that is an algorithm that never ends */

int sim_check_workers(int64_t workers, int64_t shards)
{
	const int64_t most = HEAP_NODE_MAX - (shards > 1 ? shards : 1);

	if (workers >= 1 && workers <= most)
		return 0;
	return error("workers = %lld: the simulator accepts 1 to %lld", (long long)workers,
		     (long long)most);
}

/*
 * What is under way at the end may be answered, and a node may tell all others twice; an
 * algorithm that goes on asking after that would never end.
 */
void limit_asks(struct sim *s)
{
	const int64_t nodes = s->nnodes, under_way = s->asked - s->answered;

	s->most_asks = s->asked + 2 * under_way + (DRAIN_ASKS + 2 * nodes) * nodes;
}

void limit_is_passed(const struct sim *s)
{
	BUG("%s: still sends messages after the end", s->run->algo->plugin.name);
}

/*
 * How many gradients the virtual seconds of the run take, if these go on as they began. More than
 * RUN_GRADIENTS_MOST would take months.
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

/* So many gradients at one time, a worker, are none that only happen to end together. */
int limit_still(struct sim *s, double time)
{
	enum { STILL = 1000 };

	if (++s->still <= STILL * (int64_t)s->run->workers)
		return 0;
	return error("virtual time stands still at %g s: a gradient takes less than the clock can "
		     "tell; give a longer compute_s", time);
}
