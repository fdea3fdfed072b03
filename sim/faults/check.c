/* Refuses faults that cannot happen, or would change nothing. */
#include "sim/sim.h"

#include "core/base/error.h"
#include "core/codec.h"
#include "core/text/word.h"

#include <math.h>
#include <stdlib.h>

static const char *const fault_name[] = {
	[FAULT_LEAVE] = "leave", [FAULT_STALL] = "stall", [FAULT_DROP] = "drop",
	[FAULT_FAIL] = "fail"
};

static int check_rank(const struct run *run, int rank)
{
	if (rank == SERVER && !run->algo->server)
		return error("faults: %s has no server", run->algo->plugin.name);
	if (rank != SERVER && (rank < 0 || rank >= run->workers))
		return error("faults: there is no rank %d among %d worker%s (ranks are 0 to %d)",
			     rank, run->workers, word_plural(run->workers), run->workers - 1);
	return 0;
}

static bool ranks_have(struct ranks ranks, int rank)
{
	for (int i = 0; i < ranks.n; i++)
		if (ranks_at(ranks, i) == rank)
			return true;
	return false;
}

static bool in_ring(const struct run *run, const struct fault *f)
{
	const int apart = abs(f->rank - f->peer);

	return apart == 1 || apart == run->workers - 1;
}

/* Checks a DROP in a run with all-reduces: these must be rings of messages that use the link. */
static int check_allreduce_link(const struct sim_conf *conf, const struct run *run,
			  const struct fault *f)
{
	const struct link *link = (const struct link *)conf->link.plugin;

	if (!link->stepwise || !link->stepwise(conf->link.conf))
		return error("faults: the all-reduces of %s take the time of a formula, whichever "
			     "link is down. Use --link nic:stepwise=pairs: a ring of messages",
			     run->algo->plugin.name);
	if (!in_ring(run, f))
		return error("faults: no message goes from %d to %d or back: the ring of "
			     "an all-reduce has links between consecutive ranks", f->rank, f->peer);
	return 0;
}

/* Refuses a DROP on a link that carries no messages in either direction. */
static int check_link(const struct sim_conf *conf, const struct run *run, const struct fault *f)
{
	const struct algo *algo = run->algo;

	if (check_rank(run, f->rank) < 0 || check_rank(run, f->peer) < 0)
		return -1;
	if (f->rank == f->peer)
		return error("faults: %d-%d is no link: its two ends are one", f->rank, f->peer);
	if (algo->shared)
		return error("faults: %s sends no messages", algo->plugin.name);
	if (algo->server && !algo->workers_send_to_workers && f->rank != SERVER &&
	    f->peer != SERVER)
		return error("faults: workers of %s send to the server alone: its links are "
			     "%d-server and %d-server", algo->plugin.name, f->rank, f->peer);
	if (!algo->server && !run->graph && algo->worker->allreduce)
		return check_allreduce_link(conf, run, f);
	if (run->graph && !ranks_have(topology_out(run->graph, f->rank), f->peer) &&
	    !ranks_have(topology_out(run->graph, f->peer), f->rank))
		return error("faults: ranks %d and %d are no neighbours in the graph: no message "
			     "goes from one to the other", f->rank, f->peer);
	return 0;
}

/* Checks that groups of the run can all-reduce without an absent worker. 0 or error(). */
static int check_group(const struct sim_conf *conf, const struct run *run)
{
	const struct link *link = (const struct link *)conf->link.plugin;
	const char *name = run->algo->plugin.name;

	if (link->stepwise && link->stepwise(conf->link.conf))
		return error("faults: an all-reduce of %s that is a ring of messages cannot "
			     "continue without a worker (expected one by formula). Leave stepwise "
			     "out of link", name);
	if (conf->zero)
		return error("faults: with zero = %d a worker that leaves takes its share of the "
			     "model with it (expected zero = 0). Leave zero out", conf->zero);
	if (codec_of(run) && codec_of(run)->stage)
		return error("faults: codec '%s' all-reduces in stages, which cannot continue "
			     "without a worker. Choose another codec",
			     codec_of(run)->plugin.name);
	return 0;
}

/* Checks a LEAVE or FAIL: can the run continue if others wait for what the worker was to add? */
static int check_leave(const struct sim_conf *conf, const struct run *run, const struct fault *f)
{
	const bool goes_on = isfinite(f->detect) || isfinite(f->to);     /* for a FAIL too */
	if (check_rank(run, f->rank) < 0)
		return -1;
	if (goes_on && run->algo->needs_all && run->algo->needs_all(run->algo_conf))
		return error("faults: %s needs all workers with these options (convoy show algo %s "
			     "says which). Leave these or the fault out",
			     run->algo->plugin.name, run->algo->plugin.name);
	if (goes_on && run->slice && run->algo->lockstep && run->algo->worker->back)
		return error("faults: the mean of %s without a worker would weigh its samples "
			     "wrongly where shares are unequal (expected shares = equal). Leave "
			     "shares out", run->algo->plugin.name);
	return goes_on && run->algo->worker->allreduce ? check_group(conf, run) : 0;
}

static int check_mtbf(const struct fault *f)
{
	if (f->mtbf > 0.0)
		return 0;
	return error("faults: mtbf_s = %g: the mean time between two failures of a node must be "
		     "more than 0", f->mtbf);
}

/* Checks a FAIL. */
static int check_failing(const struct sim_conf *conf, const struct run *run, const struct fault *f)
{
	if (check_leave(conf, run, f) < 0)
		return -1;
	if (f->peer != FAULT_LAST_RANK && check_rank(run, f->peer) < 0)
		return -1;
	if (check_mtbf(f) < 0)
		return -1;
	if (run->algo->worker->back)
		return 0;
	return error("faults: %s tolerates no worker failure, so failures at random times would "
		     "only end it (expected an algorithm that does: convoy list algos). Choose "
		     "another one, or give a failure at one time: RANK:leave@TIME",
		     run->algo->plugin.name);
}

static int check_span(const struct fault *f)
{
	if (f->from >= 0.0 && f->to > f->from)
		return 0;
	return error("faults: from %g to %g s: times must be 0 or more, and ascending", f->from,
		     f->to);
}

/* Checks a fault in a job that goes back to checkpoints when a worker fails, with any algorithm. */
static int check_restart(const struct run *run, const struct fault *f)
{
	if (f->kind != FAULT_LEAVE && f->kind != FAULT_FAIL)
		return error("faults: a %s does not go with recovery = restart, where the whole "
			     "job stops (expected leave and fail). Leave one of them out",
			     fault_name[f->kind]);
	if (f->kind == FAULT_LEAVE && !isfinite(f->to))
		return error("faults: worker %d leaves for good, and recovery = restart needs all "
			     "workers. Give the time at which it is back: %d:leave@FROM-TO",
			     f->rank, f->rank);
	if (check_rank(run, f->rank) < 0)
		return -1;
	if (f->kind == FAULT_LEAVE)
		return 0;
	if (f->peer != FAULT_LAST_RANK && check_rank(run, f->peer) < 0)
		return -1;
	return check_mtbf(f);
}

/* Refuses a `fetch` of nothing, or of too much. */
static int check_fetch(const struct sim_conf *conf, const struct run *run, const struct fault *f)
{
	const bool restart = conf->restart.interval_s > 0.0;

	if (!(f->fetch > 0.0))
		return 0;
	if (f->fetch < 0.01 || f->fetch > 1e6)
		return error("faults: fetch = %g times the model (expected 0.01 to 1e6)", f->fetch);
	if (f->fresh && !run->algo->shared && !restart)
		return 0;
	return error("faults: fetch = %g, but a worker that is back %s fetches nothing. Leave "
		     "fetch out", f->fetch, restart ? "at a checkpoint"
		     : f->fresh ? "at a shared model" : "with its old model");
}

static int check_one(const struct sim_conf *conf, const struct run *run, const struct fault *f)
{
	if (check_span(f) < 0 || check_fetch(conf, run, f) < 0)
		return -1;
	if (conf->restart.interval_s > 0.0)
		return check_restart(run, f);
	if (f->kind == FAULT_FAIL)
		return check_failing(conf, run, f);
	if (f->kind != FAULT_LEAVE && !isfinite(f->to))
		return error("faults: a %s must have an end: @FROM-TO", fault_name[f->kind]);
	if (f->kind == FAULT_DROP)
		return check_link(conf, run, f);
	return f->kind == FAULT_LEAVE ? check_leave(conf, run, f) : check_rank(run, f->rank);
}

/* True if a is a FAIL, and the worker of b is among its workers. */
static bool fails_too(const struct fault *a, const struct fault *b)
{
	const int last = b->kind == FAULT_FAIL ? b->peer : b->rank;

	if (a->kind != FAULT_FAIL || (b->kind != FAULT_FAIL && b->kind != FAULT_LEAVE))
		return false;
	return (a->peer == FAULT_LAST_RANK || b->rank <= a->peer) &&
	       (last == FAULT_LAST_RANK || last >= a->rank);
}

static bool same_target(const struct fault *a, const struct fault *b)
{
	return a->kind == b->kind && ((a->rank == b->rank && a->peer == b->peer) ||
				      (a->rank == b->peer && a->peer == b->rank));
}

/* Refuses fault n if it overlaps one of the n before it. */
static int check_overlap(const struct fault *fault, size_t n)
{
	const struct fault *f = &fault[n];

	for (size_t i = 0; i < n; i++)
		if (fails_too(&fault[i], f) || fails_too(f, &fault[i]))
			return error("faults: worker %d is in two faults, of which one is at "
				     "random times (expected one). Leave one of them out",
				     f->rank > fault[i].rank ? f->rank : fault[i].rank);
	for (size_t i = 0; i < n; i++)
		if (same_target(&fault[i], f) && f->from < fault[i].to && fault[i].from < f->to)
			return error("faults: the %s at %g s begins before the one at %g s is over",
				     fault_name[f->kind], fmax(f->from, fault[i].from),
				     fmin(f->from, fault[i].from));
	return 0;
}

/* Refuses a run that all workers leave; none can leave for ever twice, as that would overlap. */
static int check_left(const struct sim_conf *conf, const struct run *run)
{
	int64_t gone = 0;

	for (size_t i = 0; i < conf->nfaults; i++)
		gone += conf->fault[i].kind == FAULT_LEAVE && !isfinite(conf->fault[i].to);
	if (gone < run->workers)
		return 0;
	return error("faults: all workers (%d) leave for good: at least one must stay, or come "
		     "back", run->workers);
}

int faults_check(const struct sim_conf *conf, const struct run *run)
{
	for (size_t i = 0; i < conf->nfaults; i++)
		if (check_one(conf, run, &conf->fault[i]) < 0 ||
		    check_overlap(conf->fault, i) < 0)
			return -1;
	return conf->nfaults ? check_left(conf, run) : 0;
}
