/*
 * step.c - what the recorder makes of steps: means and maxima of windows and of the
 * whole run, how gaps are spread, whose gradients were used, what was sent.
 */
#include "record/recorder.h"

#include "core/watch.h"

#include <math.h>
#include <stdlib.h>

/* Tallied by tenths of a decade: 10^(k/10) and more. A gap of 0 is at 10^-400, which is 0. */
enum { PER_DECADE = 10, OF_NOTHING = -400 * PER_DECADE };

static void record_step_see(struct seen *s, double x)
{
	if (!isfinite(x))
		return;
	s->max = s->n && s->max > x ? s->max : x;
	s->last = x;
	s->sum += x;
	s->n++;
}

static double seen_mean(const struct seen *s)
{
	return s->n ? s->sum / (double)s->n : (double)NAN;
}

static double seen_last(const struct seen *s)
{
	return s->n ? s->last : (double)NAN;
}

static double seen_max(const struct seen *s)
{
	return s->n ? s->max : (double)NAN;
}

static void see_all(struct recorder *r, enum seen_measure what, double x)
{
	record_step_see(&r->window[what], x);
	record_step_see(&r->whole[what], x);
}

static void tally_gap(struct recorder *r, double gap)
{
	if (isfinite(gap))
		tally_add(&r->gaps, gap > 0.0 ? (int64_t)floor(PER_DECADE * log10(gap)) :
						OF_NOTHING, 1);
}

/* Where there is a server, what went into its model counts, not what a worker does on its own. */
static bool record_step_counts(const struct recorder *r, const struct event *ev)
{
	if (ev->staleness < 0)
		return false;
	return !r->run->algo->server || ev->node->rank == SERVER;
}

bool record_is_gossip(const struct run *run)
{
	return !run->algo->server && !run->algo->lockstep && !run->algo->shared;
}

void record_read(struct recorder *r, const struct event *ev)
{
	r->read[ev->peer] = r->steps;
}

/*
 * Lian et al. 2018: the updates of any worker's model between a gradient's snapshot and its use.
 * Of one model, or of models that step together, these are the steps of the model itself.
 */
static int64_t global_staleness(const struct recorder *r, const struct event *ev)
{
	return record_is_gossip(r->run) ? r->steps - r->read[ev->peer] : ev->staleness;
}

void record_gradient(struct recorder *r, const struct event *ev)
{
	if (!record_step_counts(r, ev))
		return;
	tally_add(&r->staleness, ev->staleness, 1);
	see_all(r, SEEN_STALENESS, (double)ev->staleness);
	see_all(r, SEEN_GLOBAL, (double)global_staleness(r, ev));
	r->steps++;
	if (ev->peer >= 0 && ev->peer < r->run->workers)
		r->updates[ev->peer]++;
	if (!ev->measured)
		return;
	see_all(r, SEEN_GAP, ev->measured->gap);
	tally_gap(r, ev->measured->gap);
}

/* Of the gradient that ended the last row, this is the step: the row has its learning rate. */
static void record_row_rate(struct recorder *r, const struct event *ev)
{
	const struct column *gradients = &r->train[TRAIN_GRADIENTS];
	struct column *lr = &r->train[TRAIN_LR];

	if (lr->n > 0 && gradients->v.whole[gradients->n - 1] == ev->gradients)
		lr->v.real[lr->n - 1] = ev->lr;
}

void record_step(struct recorder *r, const struct event *ev)
{
	const struct measured *m = ev->measured;

	r->lr = ev->lr;
	record_row_rate(r, ev);
	record_gradient(r, ev);
	if (!m)
		return;
	see_all(r, SEEN_NORM, m->norm);
	see_all(r, SEEN_MOMENTUM, m->momentum);
	see_all(r, SEEN_PUBLISHED, m->published);
}

double record_bytes(const struct event *ev)
{
	int64_t gradients = 0, bytes = 0;

	for (int i = 0; i < ev->nnodes; i++) {
		gradients += ev->nodes[i].ledger.gradients;
		bytes += ev->nodes[i].ledger.bytes_sent;
	}
	return gradients ? (double)bytes : (double)NAN;
}

void record_head(struct recorder *r, const struct event *ev)
{
	record_step_see(&r->whole[SEEN_HEAD], (double)ev->staleness);
}

void record_window(struct recorder *r)
{
	static const struct {
		enum seen_measure what;
		int mean, max;          /* columns; 0: none */
	} all[] = {
		{ SEEN_STALENESS, TRAIN_STALENESS, TRAIN_STALENESS_MAX },
		{ SEEN_GAP, TRAIN_GAP, TRAIN_GAP_MAX },
		{ SEEN_NORM, TRAIN_NORM, TRAIN_NORM_MAX },
		{ SEEN_MOMENTUM, TRAIN_MOMENTUM, 0 },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct seen *s = &r->window[all[i].what];

		column_real(&r->train[all[i].mean], seen_mean(s));
		if (all[i].max)
			column_real(&r->train[all[i].max], seen_max(s));
		*s = (struct seen){ 0 };
	}
}

/* Jain's index: 1 when all are alike, 1 / n when one has all. NaN when none has any. */
static double record_step_fairness(const struct recorder *r)
{
	const int n = r->run->workers;
	double sum = 0.0, squares = 0.0;

	for (int i = 0; i < n; i++) {
		sum += (double)r->updates[i];
		squares += (double)r->updates[i] * (double)r->updates[i];
	}
	return squares > 0.0 ? sum * sum / (n * squares) : (double)NAN;
}

struct record_totals record_totals(const struct recorder *r)
{
	return (struct record_totals){
		.staleness_max = seen_max(&r->whole[SEEN_STALENESS]),
		.global_staleness_mean = seen_mean(&r->whole[SEEN_GLOBAL]),
		.global_staleness_max = seen_max(&r->whole[SEEN_GLOBAL]),
		.gap_mean = seen_mean(&r->whole[SEEN_GAP]),
		.gap_max = seen_max(&r->whole[SEEN_GAP]),
		.norm_mean = seen_mean(&r->whole[SEEN_NORM]),
		.momentum_mean = seen_last(&r->whole[SEEN_MOMENTUM]),
		.momentum_published_mean = seen_mean(&r->whole[SEEN_PUBLISHED]),
		.staleness_head_max = seen_max(&r->whole[SEEN_HEAD]),
		.fairness = record_step_fairness(r),
	};
}

void record_gaps(const struct recorder *r, struct column *at_least, struct column *count)
{
	struct column bins = { .integer = true };

	tally_columns(&r->gaps, &bins, count);
	for (size_t i = 0; i < bins.n; i++)
		column_real(at_least, pow(10.0, (double)bins.v.whole[i] / PER_DECADE));
	column_release(&bins);
}
