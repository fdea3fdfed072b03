/* Nodes that fail at random times: when, and what then happens to their workers. */
#include "sim/faults/failing.h"

#include "core/math/rng.h"
#include "sim/world.h"

#include <math.h>
#include <stdio.h>

const struct fault *failing_law(const struct sim_conf *conf, int rank)
{
	for (size_t i = 0; i < conf->nfaults; i++) {
		const struct fault *f = &conf->fault[i];

		if (f->kind == FAULT_FAIL && rank >= f->rank &&
		    (rank <= f->peer || f->peer == FAULT_LAST_RANK))
			return f;
	}
	return NULL;
}

double failing_gap(const struct fault *law, uint64_t seed, int node, int64_t k)
{
	struct rng r;

	rng_at(&r, seed, RNG_FAULT, (uint32_t)node, (uint64_t)k);
	return -log(rng_uniform(&r)) * law->mtbf;
}

int failing_node(const struct sim_conf *conf, int rank)
{
	const struct link *link = (const struct link *)conf->link.plugin;
	int64_t size = 0;

	if (link->fabric)
		size = link->fabric(conf->link.conf).node;
	return size > 1 ? rank - rank % (int)size : rank;
}

bool failing_is_first(const struct sim_conf *conf, const struct fault *law, int rank)
{
	return rank == failing_node(conf, rank) || failing_law(conf, rank - 1) != law;
}

double failing_rate(const struct sim_conf *conf, int workers)
{
	double rate = 0.0;

	for (int rank = 0; rank < workers; rank++) {
		const struct fault *law = failing_law(conf, rank);

		rate += law && failing_is_first(conf, law, rank) ? 1.0 / law->mtbf : 0.0;
	}
	return rate;
}

/* ---- in a run ---- */

/* The event of such a fault, after those of the faults at given times. */
static int64_t fault_event(const struct sim *s, enum fault_end end)
{
	return ENDS * (int64_t)s->conf->nfaults + end;
}

/* The worker's next failure, if the run lasts so long. */
static void failing_push(struct sim *s, int rank)
{
	const double limit = s->run->seconds > 0.0 ? s->run->seconds : HUGE_VAL;
	struct failing *w = &s->failing[rank];
	const double at = s->now + failing_gap(w->law, s->run->seed, w->node, w->count);

	if (at <= limit)
		heap_push(&s->heap, at, SIM_FAULT, rank, NULL, fault_event(s, BEGINS));
}

void failing_open(struct sim *s)
{
	bool some = false;

	for (size_t i = 0; i < s->conf->nfaults; i++)
		some = some || s->conf->fault[i].kind == FAULT_FAIL;
	if (!some)
		return;
	s->failing = arena_alloc(&s->arena, (size_t)s->run->workers, sizeof(*s->failing));
	for (int i = 0; i < s->run->workers; i++) {
		struct failing *w = &s->failing[i];

		w->law = failing_law(s->conf, i);
		w->node = failing_node(s->conf, i);
		if (w->law)
			failing_push(s, i);
	}
}

/* True when nodes fail again and again, and no gradient is ever complete; or too often at all. */
static bool failing_for_ever(struct sim *s)
{
	enum { MOST = 1000, MOST_EVER = 1 << 20 };

	if (++s->failed_ever > MOST_EVER) {
		snprintf(s->fault, sizeof(s->fault), "workers failed %d times, and no more "
			 "failures are kept; give a longer mtbf_s or a shorter run", MOST_EVER);
		sim_stop(s, END_STALLED, s->now);
		return true;
	}
	if (s->gradients != s->failed_at) {
		s->failed_at = s->gradients;
		s->failed = 0;
	}
	if (++s->failed <= MOST * (int64_t)(s->run->workers + 1))
		return false;
	snprintf(s->fault, sizeof(s->fault), "workers failed %lld times, and none completed a "
		 "gradient in between", (long long)s->failed);
	sim_stop(s, END_STALLED, s->now);
	return true;
}

/* One that is away already is away for longer. */
void failing_begin(struct sim *s, struct node *nd)
{
	struct failing *w = &s->failing[nd->rank];
	const double over = s->now + w->law->detect + w->law->restart;

	if (s->stopping || failing_for_ever(s))
		return;
	w->count++;
	s->failures += failing_is_first(s->conf, w->law, nd->rank);
	failing_push(s, nd->rank);
	if (!sim_is_away(sim_node(nd)) || s->now >= w->now.to) {
		w->now = *w->law;
		w->now.kind = FAULT_LEAVE;
		w->now.rank = w->now.peer = nd->rank;
		w->now.from = s->now;
		w->now.to = over;
		fault_leave(s, nd, &w->now);
	}
	w->now.to = over;
	heap_push(&s->heap, over, SIM_FAULT, nd->rank, NULL, fault_event(s, IS_OVER));
}

bool failing_is_over(const struct sim *s, const struct node *nd)
{
	return s->now >= s->failing[nd->rank].now.to;
}
