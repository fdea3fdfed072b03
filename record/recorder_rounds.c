/*
 * recorder_rounds.c - the time per epoch, over whole rounds of each worker.
 *
 * A run ends with its last gradient: some workers are in the middle of a round then, and the
 * exchange of a round that is computed is still under way. So worker i counts from its first
 * request of a gradient, at a_i, to its last request that begins a round, at b_i, and with the g_i
 * gradients that were delivered to it meanwhile:
 *
 *     gradients a second = sum_i g_i / (b_i - a_i)
 *
 * A worker without a whole round counts by the gradients that it has computed in all.
 *
 * In lockstep, workers wait for each other, but a wait may take many rounds to reach all of them.
 * So the rounds r to s that all workers have ended count, with their G gradients, from the end of
 * the slowest worker's round r to that of the slowest worker's round s:
 *
 *     gradients a second = G / (max_i e_i(s) - max_i e_i(r))
 *
 * e_i(s) is the end of the round, its communication included, also where it comes after the run's
 * last gradient (EV_REFUSE). Of a server's workers no such exchange counts: they no longer meet the
 * messages of others there. With a warm-up, a_i and e_i(r) are after it.
 */
#include "record/recorder.h"

#include "core/base/mem.h"
#include "core/text/word.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Exchanges that end after the last gradient take as long as others. */
static bool rounds_end_later(const struct algo *algo)
{
	return algo->lockstep || (algo->round && !algo->server);
}

/* Workers that were away, or waited for what was, have no rate of their own. */
static bool rounds_were_faulty(const struct recorder *r)
{
	return r->faults[FAULT_TIME].n > 0;
}

bool rounds_are_common(const struct recorder *r)
{
	return r->run->algo->lockstep && !rounds_were_faulty(r);
}

/* A worker has ended its n-th round at that time, with so many gradients. */
static void ends_add(struct recorder *r, int64_t n, int64_t gradients, double time)
{
	struct ends *e = &r->at.ends;
	struct round_end *end;

	if (n - e->n > e->nahead) {
		e->ahead = xrealloc(e->ahead, (size_t)++e->nahead, sizeof(*e->ahead));
		e->ahead[e->nahead - 1] = (struct round_end){ 0 };
	}
	end = &e->ahead[n - e->n - 1];
	end->workers++;
	end->gradients += gradients;
	end->latest = fmax(end->latest, time);
	if (end->workers < r->run->workers)
		return;
	if (e->timed || (r->at.timed.begun && e->time >= r->at.timed.time)) {
		e->from = e->timed++ ? e->from : e->time;
		e->gradients += end->gradients;
	}
	e->time = end->latest;
	e->n++;
	memmove(e->ahead, e->ahead + 1, (size_t)--e->nahead * sizeof(*e->ahead));
}

void record_asked(struct recorder *r, const struct event *ev)
{
	struct rounds *w = ev->node && ev->node->rank >= 0 ? &r->rounds[ev->node->rank] : NULL;

	if (!w || isnan(ev->asked) ||
	    (ev->kind == EV_REFUSE && !rounds_end_later(r->run->algo)))
		return;
	if (w->delivered > w->counted) {
		w->n++;
		if (rounds_are_common(r))
			ends_add(r, w->n, w->delivered - w->counted, ev->asked);
		w->counted = w->delivered;
	} else if (!r->at.ends.n) {
		r->at.ends.time = fmax(r->at.ends.time, ev->asked);
	}
	/* A worker that is not timed yet when the run stops has no gradient that counts. */
	if (!r->at.timed.begun || ev->asked < r->at.timed.time || (r->stopped && !w->timed))
		return;
	if (!w->timed) {
		w->timed = 1;
		w->from = ev->asked;
		w->from_n = w->n;
		w->from_delivered = w->delivered;
	}
	w->to = ev->asked;
	w->to_delivered = w->delivered;
}

struct rounds_total {
	int64_t rounds;         /* that are timed */
	int64_t gradients;      /* in them */
	double rate;            /* gradients a second, of the workers' own */
	double from, to;        /* seconds */
};

static struct rounds_total rounds_total(const struct recorder *r)
{
	struct rounds_total t = { 0 };

	if (rounds_are_common(r))
		return (struct rounds_total){ .rounds = r->at.ends.timed * r->run->workers,
					      .gradients = r->at.ends.gradients,
					      .from = r->at.ends.from, .to = r->at.ends.time };
	for (int i = 0; i < r->run->workers; i++) {
		const struct rounds *w = &r->rounds[i];
		const int64_t g = w->to_delivered - w->from_delivered;

		if (g == 0)
			continue;
		t.rounds += w->n - w->from_n;
		t.gradients += g;
		t.rate += (double)g / (w->to - w->from);
		t.from = fmax(t.from, w->from);
		t.to = fmax(t.to, w->to);
	}
	return t;
}

/* As many as workers: in lockstep one round of all. */
static bool rounds_suffice(const struct recorder *r, const struct rounds_total *t)
{
	return t->rounds >= r->run->workers;
}

/* Gradients a second, over the whole run, of workers that have ended no whole round. */
static double rounds_unended_rate(const struct recorder *r, const struct run_result *result)
{
	int64_t gradients = 0;

	for (int i = 0; i < r->run->workers; i++)
		if (r->rounds[i].to_delivered == r->rounds[i].from_delivered)
			gradients += r->rounds[i].delivered;
	return gradients ? (double)gradients / result->time : 0.0;
}

double record_time_per_epoch(const struct recorder *r, const struct run_result *result)
{
	const struct rounds_total t = rounds_total(r);
	const bool lockstep = r->run->algo->lockstep;
	double seconds = 1.0, epochs = run_epochs(r->run, 1) *
				       (t.rate + (result ? rounds_unended_rate(r, result) : 0.0));

	if (!rounds_suffice(r, &t))
		return (double)NAN;
	if (lockstep) {
		seconds = t.to - t.from;
		epochs = run_epochs(r->run, t.gradients);
	} else if (rounds_were_faulty(r) && result) {
		seconds = result->time - r->at.timed.time;
		epochs = result->epochs - r->at.timed.epoch;
	}
	return epochs > 0.0 && isfinite(epochs) ? seconds / epochs : (double)NAN;
}

double record_after_end(const struct recorder *r, const struct run_result *result)
{
	double sum = 0.0;

	for (int i = 0; i < r->run->workers && rounds_end_later(r->run->algo); i++)
		sum += fmax(r->rounds[i].to - result->time, 0.0);
	return sum;
}

double record_wait_share(const struct recorder *r, const struct run_result *result)
{
	const struct ledger *t = &r->total;

	return record_ratio(fmax(t->wait, 0.0),
			    t->compute + t->comm + t->wait + record_after_end(r, result));
}

double record_lead_growth(const struct recorder *r)
{
	enum { FEW = 4 };       /* rounds that workers are apart by chance */
	static const double seen = 0.05;
	const struct algo *algo = r->run->algo;
	int64_t begin[2] = { INT64_MAX, 0 }, end[2] = { INT64_MAX, 0 }, most = 0, growth;

	if (rounds_were_faulty(r) ||
	    !(algo->lockstep ||
	      (algo->settles && isfinite(algo->settles(r->run->algo_conf, r->run->workers)))))
		return 0.0;
	for (int i = 0; i < r->run->workers; i++) {
		const struct rounds *w = &r->rounds[i];
		const int64_t from = w->timed ? w->from_n : w->n;

		begin[0] = from < begin[0] ? from : begin[0];
		begin[1] = from > begin[1] ? from : begin[1];
		end[0] = w->n < end[0] ? w->n : end[0];
		end[1] = w->n > end[1] ? w->n : end[1];
		most = w->n - from > most ? w->n - from : most;
	}
	growth = end[1] - end[0] - (begin[1] - begin[0]);
	return growth >= FEW && (double)growth > seen * (double)most
		       ? (double)growth / (double)most : 0.0;
}

/* ---- what a run did not do ---- */

#define OF_THE_START "shares of waiting are those of the start of a run"

bool remark_leads(const char *remark)
{
	return remark && strstr(remark, "times and " OF_THE_START);
}

/* "period=50", or NULL where a round is one gradient; the caller frees. */
static char *rounds_setting(const struct run *run)
{
	const char *name = run->algo->round;
	const struct opt *o = name ? opt_find(run->algo->plugin.opts, name) : NULL;
	scoped char *value = o ? opt_format(o, run->algo_conf) : NULL;

	return o ? xasprintf("%s=%s", name, value) : NULL;
}

static int64_t rounds_all(const struct recorder *r)
{
	int64_t n = 0;

	for (int i = 0; i < r->run->workers; i++)
		n += r->rounds[i].n;
	return n;
}

/* Of the server, where there is one. */
static int64_t rounds_steps(const struct recorder *r)
{
	const struct column *rank = &r->nodes[NODE_RANK], *steps = &r->nodes[NODE_STEPS];
	int64_t n = 0;

	for (size_t i = 0; i < steps->n; i++)
		if (!r->run->algo->server || rank->v.whole[i] == SERVER)
			n += steps->v.whole[i];
	return n;
}

double record_late(const struct recorder *r)
{
	const double late = (double)r->total.late;

	return late > 0.0 ? late / (late + (double)r->staleness.total) : 0.0;
}

/* Gradients of workers that the server left out. */
static double rounds_ignored(const struct recorder *r)
{
	const struct column *rank = &r->nodes[NODE_RANK], *dropped = &r->nodes[NODE_DROPPED];
	int64_t out = 0, all = 0;

	for (size_t i = 0; i < dropped->n; i++) {
		out += rank->v.whole[i] == SERVER ? dropped->v.whole[i] : 0;
		all += r->nodes[NODE_GRADIENTS].v.whole[i];
	}
	return all > 0 ? (double)out / (double)all : 0.0;
}

/*
 * "96 % of the messages ...", where workers send without waiting, and more than the network
 * carries; NULL: it does. The caller frees.
 */
static char *rounds_undelivered(const struct recorder *r, const struct run_result *result)
{
	enum { FEW = 4 };       /* messages of a worker that may be under way at the end */
	static const double much = 0.25;
	const double late = (double)result->under_way;

	if (!(late > much * (double)result->asked) || !(late > FEW * r->run->workers))
		return NULL;
	return xasprintf("%.0f %% of the messages had not arrived at the end: the network carries "
			 "less than the workers send, so the times lack communication",
			 100.0 * late / (double)result->asked);
}

/*
 * "97 % of what workers sent ..." and "50 % of the gradients ...", which the server left out of its
 * model; NULL: hardly any. The caller frees.
 */
static char *rounds_left_out(const struct recorder *r)
{
	static const double seen = 0.01, most = 0.5;
	const double late = record_late(r), ignored = rounds_ignored(r);

	if (late > most)
		return xasprintf("%.0f %% of what workers sent came too late for the server, which "
				 "left it out: workers do not wait for the network, and their "
				 "gradients are worth less than usual", 100.0 * late);
	if (ignored >= seen)
		return xasprintf("the server left %.0f %% of the gradients out of its model, but "
				 "epochs, time per epoch and what follows from it count them",
				 100.0 * ignored);
	return NULL;
}

bool exchanges_are_rare(double own, double ideal)
{
	static const double rare = 0.5;

	return own < rare * ideal;
}

/*
 * "0.02 messages arrived ...", where workers do not wait for the network, and exchange less on a
 * slow one; NULL: they exchange as they would on any. The caller frees.
 */
static char *rounds_exchange_rarely(const struct recorder *r, const struct run_result *result)
{
	enum { FEW = 8 };       /* messages of a worker, of which the last may be under way */
	const struct algo *algo = r->run->algo;
	const double ideal = algo->exchanges ? algo->exchanges(r->run->algo_conf) : 0.0;
	const double gradients = (double)result->gradients;
	const double own = record_ratio((double)(result->asked - result->under_way), gradients);

	if (r->run->workers < 2 || !result->asked || ideal * gradients < FEW * r->run->workers ||
	    !exchanges_are_rare(own, ideal))
		return NULL;
	return xasprintf("%.2g messages arrived for each gradient, instead of %.2g on a fast "
			 "network%s: workers do not wait for it, and trained on their own "
			 "meanwhile, so their gradients are worth less than usual", own, ideal,
			 rounds_were_faulty(r) ? " without faults" : "");
}

/* [workers] those of whom a fault was, and who may have computed less; the caller frees. */
static bool *rounds_faulted(const struct recorder *r)
{
	bool *faulted = xcalloc((size_t)r->run->workers, sizeof(*faulted));

	for (size_t i = 0; i < r->faults[FAULT_TIME].n; i++) {
		const int64_t rank = r->faults[FAULT_RANK].v.whole[i];

		if (rank >= 0 && rank < r->run->workers)
			faulted[rank] = true;
	}
	return faulted;
}

/*
 * "8 of 16 workers computed ...", where some wait for the network and others do not; NULL: all
 * wait alike. The caller frees.
 */
static char *rounds_uneven(const struct recorder *r)
{
	static const double much = 4.0, computing = 0.5;
	const struct column *rank = &r->nodes[NODE_RANK], *compute = &r->nodes[NODE_COMPUTE];
	const struct column *done = &r->nodes[NODE_GRADIENTS];
	const struct column *comm = &r->nodes[NODE_COMMUNICATE], *wait = &r->nodes[NODE_WAIT];
	double most = 0.0, least = HUGE_VAL, share, own;
	bool *faulted;
	int few = 0;

	if (r->run->algo->server || r->run->algo->lockstep)
		return NULL;
	faulted = rounds_faulted(r);
	/* gradients of those that compute all the time, and of those that wait most of it */
	for (size_t i = 0; i < rank->n; i++) {
		own = (double)done->v.whole[i];
		share = record_ratio(compute->v.real[i], compute->v.real[i] + comm->v.real[i] +
								 wait->v.real[i]);
		if (rank->v.whole[i] == SERVER || faulted[rank->v.whole[i]])
			continue;
		if (share > computing)
			most = fmax(most, own);
		else
			least = fmin(least, own);
	}
	for (size_t i = 0; i < rank->n; i++)
		few += rank->v.whole[i] != SERVER && !faulted[rank->v.whole[i]] &&
		       (double)done->v.whole[i] * much < most;
	free(faulted);
	if (!few || !(most > much * fmax(least, 1.0)))
		return NULL;
	return xasprintf("%d of %d workers waited for the network%s, and computed less than a "
			 "quarter of the gradients of others, which trained on their own "
			 "meanwhile: their gradients are worth less than usual", few,
			 r->run->workers, rounds_were_faulty(r) ? " or absent workers" : "");
}

/*
 * Late times have few digits left for short gradients: all are rounded alike, to up to 1e-3 of
 * them where they are 500 of the clock's steps. What is shorter than half a step takes no time.
 */
static char *rounds_are_coarse(const struct recorder *r, const struct run_result *result)
{
	const double each = r->total.compute / (double)result->gradients;
	const double step = nextafter(result->time, (double)INFINITY) - result->time;

	if (!(each > 0.5 * step) || each >= 1000.0 * step)
		return NULL;
	return xasprintf("a gradient takes %.2g s, and a time of %.2g s is exact to %.1g s only: "
			 "times and numbers of gradients are rounded. Let the run end sooner",
			 each, result->time, step);
}

/* True of a run whose failures leave no time for a step, however long it is. */
static bool rounds_are_hopeless(const struct recorder *r, const struct run_result *result)
{
	static const int64_t several = 10;

	return result && rounds_steps(r) == 0 && result->goodput.down_s > 0.0 &&
	       result->goodput.failures >= several;
}

char *record_remark(const struct recorder *r, const struct run_result *result)
{
	const struct rounds_total t = rounds_total(r);
	const struct algo *algo = r->run->algo;
	const int workers = r->run->workers;
	char *setting = rounds_setting(r->run), *text = NULL;
	char *of;

	if (rounds_are_hopeless(r, result)) {
		free(setting);
		return xasprintf("no step was made between %" PRId64 " failures: nodes fail too "
				 "often, and a longer run does not help", result->goodput.failures);
	}
	if (setting && !algo->server && rounds_all(r) == 0)
		xappendf(&text, "; ", "ended before its first outer step (%s)", setting);
	if (rounds_steps(r) == 0)
		xappend(&text, "; ", algo->server ? "the server made no step"
						  : "no step was made");
	if (workers > 1 && !algo->shared && r->total.bytes_sent == 0)
		xappend(&text, "; ", "no worker sent anything");
	of = setting && !text ? xasprintf(" (%s)", setting) : xstrdup("");
	if (!rounds_suffice(r, &t))
		xappendf(&text, "; ",
			 "too short to time: %" PRId64 " whole round%s in all for " "%d worker%s%s",
			 t.rounds, word_plural((double)t.rounds), workers,
			 word_plural((double)workers), of);
	free_all(of, setting);
	if (result)
		xappend_own(&text, "; ", rounds_undelivered(r, result));
	xappend_own(&text, "; ", rounds_left_out(r));
	if (result) {
		xappend_own(&text, "; ", rounds_exchange_rarely(r, result));
		xappend_own(&text, "; ", rounds_are_coarse(r, result));
	}
	xappend_own(&text, "; ", rounds_uneven(r));
	if (record_lead_growth(r) > 0.0)
		xappend_own(&text, "; ",
			    xasprintf("workers got further and further ahead of the slowest, which "
				      "%s bounds: %s" OF_THE_START ". Make it longer, or leave "
				      "its start out (time_from)",
				      algo->plugin.name, algo->lockstep ? "" : "times and "));
	return text;
}
