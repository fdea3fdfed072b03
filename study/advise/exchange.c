/*
 * exchange.c - where runs do not show what a long one on a network that carries all would. Workers
 * that do not wait for the network exchange less on a slow one, and train on their own meanwhile:
 * what is known of their progress does not hold there. Workers that wait for the slowest only when
 * they are far ahead are faster at the start of a run.
 */
#include "study/advise/advise.h"

#include "core/base/context.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/node.h"
#include "plan/settings/settings.h"
#include "record/record.h"

#include <math.h>
#include <stdlib.h>

bool exchange_settings(const struct grid_point *settings, const char *algo,
		       struct grid_point *point)
{
	bool runs = false;
	struct setup su;

	context_mute();
	*point = point_copy(settings);
	point_put_last(point, "link", xstrdup("ideal"));
	setup_init(&su);
	if (settings_apply_point(&su.in, point, "command line") == 0 &&
	    settings_set(&su.in, "algo", algo, "command line") == 0 && setup_resolve(&su) == 0) {
		const struct algo *own = setup_algo(&su);

		/* workers of the others wait for each other, or have one model */
		runs = !own->lockstep && !own->shared && !own->worker->allreduce &&
		       su.num.workers > 1;
	}
	setup_release(&su);
	context_unmute();
	if (!runs)
		point_release(point);
	return runs;
}

double exchanges_of(const struct record_figures *f)
{
	return f->exchanges / f->gradients;
}

char *exchange_text(const char *algo, const char *counts, double ideal, const char *where,
		    bool ranked)
{
	return xasprintf("%s %s %s: it sends more than the network carries, and does not wait; "
			 "%s, instead of %.2g. Its workers train on their own meanwhile, so %s",
			 algo, ranked ? "may be overrated" : "is not ranked", where, counts, ideal,
			 ranked ? "the progress per step may not hold there"
				: "its progress per step is not known there. Give --progress if "
				  "you know it");
}

char *lead_text(const char *algo, const char *where)
{
	return xasprintf("%s may be overrated %s: its workers still got further ahead of the "
			 "slowest, as they cannot for long, so its times are of the start of a "
			 "run. Give --gradients or --seconds for a longer one, and --time-from",
			 algo, where);
}

/* Adds a warning of an algorithm whose times are of the start of a run. */
static void lead_find(const struct advise *a, int k, struct texts *lines)
{
	double lo = HUGE_VAL, hi = -HUGE_VAL;
	scoped char *values = NULL, *where = NULL;

	for (size_t i = 0; i < a->ndraws * a->nx; i++) {
		const struct step_times *t = &a->grid[i];

		lo = t->lead[k] > 0.0 ? fmin(lo, t->x) : lo;
		hi = t->lead[k] > 0.0 ? fmax(hi, t->x) : hi;
	}
	if (lo > hi)
		return;
	values = vary_text(a->vary[0].kind, lo, hi);
	where = xasprintf("at %s", values);
	texts_put_own(lines, lead_text(a->algo[k], where));
}

/* exchanges[ADVISE_ALGOS] <- those on an ideal network, 0 for who waits. An exit code. */
static int exchanges_ideal(const struct advise *a, double *exchanges)
{
	struct record_figures figure[ADVISE_ALGOS] = { 0 };
	int of[ADVISE_ALGOS], code = EXIT_OK;
	struct points points = { 0 };
	struct plan plan;

	for (int k = 0; k < ADVISE_ALGOS; k++) {
		struct grid_point base = advise_point(a, a->x[a->nx / 2], &a->centre, k), at;

		exchanges[k] = 0.0;
		if (exchange_settings(&base, a->algo[k], &at)) {
			of[points.n] = k;
			points_add(&points, at);
		}
		point_release(&base);
	}
	if (!points.n)
		return EXIT_OK;
	if (plan_from_points(&plan, NULL, &points, a->out) < 0)
		code = EXIT_BAD;
	else
		code = advise_figures(a, &plan, figure, NULL);
	for (size_t i = 0; i < plan.n && code == EXIT_OK; i++)
		exchanges[of[i]] = exchanges_of(&figure[i]);
	plan_release(&plan);
	return code;
}

int exchange_find(const struct advise *a, struct texts *lines)
{
	double ideal[ADVISE_ALGOS];
	const int code = exchanges_ideal(a, ideal);

	for (int k = 0; k < ADVISE_ALGOS && code == EXIT_OK; k++) {
		double lo = HUGE_VAL, hi = -HUGE_VAL, least = HUGE_VAL, at = 0.0;
		char *values, *where, *counts, *text;

		lead_find(a, k, lines);
		for (size_t i = 0; i < a->ndraws * a->nx; i++) {
			const struct step_times *t = &a->grid[i];

			if (!exchanges_are_rare(t->exchanges[k], ideal[k]))
				continue;
			lo = fmin(lo, t->x);
			hi = fmax(hi, t->x);
			at = t->exchanges[k] < least ? t->x : at;
			least = fmin(least, t->exchanges[k]);
		}
		if (lo > hi)
			continue;
		values = vary_text(a->vary[0].kind, lo, hi);
		where = xasprintf("at %s", values);
		free(values);
		values = vary_text(a->vary[0].kind, at, at);
		counts = xasprintf("%.2g messages arrive for each gradient at %s", least, values);
		text = exchange_text(a->algo[k], counts, ideal[k], where, true);
		texts_put_own(lines, text);
		free_all(counts, where, values);
	}
	return code;
}
