/* Shows an undisturbed run at the times of a job that goes back to checkpoints. */
#include "sim/faults/recovery.h"

#include "sim/faults/failing.h"

#include <math.h>

/* Failures before that time, of the clock. */
static void recovery_tell(struct recovery *r, const struct event *ev)
{
	struct timeline *t = &r->line;

	for (; t->told < t->nfailed && t->failed[t->told].from < ev->time; t->told++) {
		struct event failure = { .kind = EV_FAULT, .epoch = ev->epoch,
					 .gradients = ev->gradients,
					 .fault = &t->failed[t->told] };

		failure.time = failure.fault->from;
		run_emit(r->given, &failure);
		failure.time = fmin(failure.fault->to, t->until);
		failure.over = true;
		run_emit(r->given, &failure);
	}
}

static void recovery_show(struct hook *h, const struct event *ev)
{
	struct recovery *r = (struct recovery *)h;
	struct event shown = *ev;

	shown.time = timeline_at(&r->line, ev->time);
	shown.begun = timeline_at(&r->line, ev->begun);
	if (!isnan(ev->asked))
		shown.asked = timeline_at(&r->line, ev->asked);
	recovery_tell(r, &shown);
	run_emit(r->given, &shown);
}

int recovery_open(struct recovery *r, const struct sim_conf *conf, const struct run *run)
{
	*r = (struct recovery){ .hook = { .event = recovery_show }, .given = run, .run = *run };
	for (const struct hook *h = run->hooks; h; h = h->next)
		r->hook.mask |= h->mask;
	r->run.hooks = &r->hook;
	timeline_open(&r->line, conf, run, run->seconds);
	/* What is shown at the end itself is after all work, if by no more than this. */
	if (run->seconds > 0.0)
		r->run.seconds = nextafter(timeline_end(&r->line), HUGE_VAL);
	return timeline_check(&r->line);
}

void recovery_release(struct recovery *r)
{
	timeline_release(&r->line);
}

/* Where all nodes that fail do so at random: what the formulas say. */
static void recovery_reference(const struct timeline *t, int workers, struct run_goodput *sum)
{
	const struct restart *how = &t->conf->restart;
	const double rate = failing_rate(t->conf, workers);
	double repair = 0.0;

	for (int rank = 0; rank < workers; rank++) {
		const struct fault *law = failing_law(t->conf, rank);

		if (law && failing_is_first(t->conf, law, rank))
			repair += (law->detect + law->restart) / law->mtbf;
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
