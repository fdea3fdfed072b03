/* Chooses how many runs of a plan are made at once, and with how many threads each. */
#include "runner/jobs.h"

#include "plan/machine/batch_system.h"
#include "runner/single_run/single.h"

int jobs_choose(const struct plan *p, struct pool_conf *n)
{
	const int cores = single_threads(0), of_rank = batch_threads(0, 1);
	size_t todo = plan_count(p, RUN_TODO);
	const bool asked = n->threads > 0;
	const int ranks = n->sim.ranks > 1 ? n->sim.ranks : 1;

	if (cores < 0 || of_rank < 0)
		return -1;
	if (spec_is_real(&p->spec) && !plan_is_timing(p))
		n->jobs = 1;
	if (!n->jobs)
		n->jobs = plan_is_timing(p) ? cores : 1;
	if ((size_t)n->jobs > todo && todo > 0)
		n->jobs = (int)todo;
	if (!asked)     /* of each rank, or of all that computes */
		n->threads = plan_is_real(p) ? of_rank : cores / n->jobs / ranks;
	if (n->threads < 1)
		n->threads = 1;
	return 0;
}
