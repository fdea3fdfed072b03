/* How long claims are decided for, what that may take, and what came of it, in words. */
#include "cmd/decide_opts.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/units.h"
#include "core/text/word.h"
#include "report/claims/looks.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

/* Whether some look can have so many seeds. */
static bool is_look(int64_t seeds)
{
	bool is = false;

	for (int i = 0; i < LOOKS; i++)
		is = is || look_seeds[i] == seeds;
	return is;
}

int decide_options(struct decide_conf *c, int64_t max_seeds, const char *budget)
{
	const char *at = budget;

	if (max_seeds && !is_look(max_seeds))
		return error("--max-seeds %" PRId64 ": looks have 3, 4, 6, 8, 12, 16, 24, 32, 48 "
			     "or 64 seeds; give one of these", max_seeds);
	c->most = (int)max_seeds;
	c->budget_s = HUGE_VAL;
	if (at && (!unit_parse(&at, QUANTITY_TIME, &c->budget_s) || *at || !(c->budget_s > 0)))
		return error("--budget %s: expected a time above 0, such as 90s, 20min or 2h",
			     budget);
	return 0;
}

/* ---- messages ---- */

/* Why no claim waits for a look; the caller frees. */
static char *why_none_waits(const struct deciding *d)
{
	const struct looks *plan = d->plan->looks;
	size_t used = 0, closed = 0;

	for (size_t i = 0; i < d->outcome.claims->n; i++) {
		const struct claim_looks *l = d->outcome.claims->v[i].looks;

		used += l && !claim_looks_decided(l) && !l->closed && l->n == l->plan.n;
		closed += l && !claim_looks_decided(l) && l->closed;
	}
	if (!used && closed)
		return xasprintf("no undecided claim is expected to be decided by the planned "
				 "looks, up to %d seeds", plan->most);
	if (!used)
		return xstrdup("no undecided claim can be decided by more seeds");
	return xasprintf("%zu undecided claim%s used all looks, which were planned up to %d seeds; "
			 "another --out plans more", used, used == 1 ? " has" : "s have",
			 plan->most);
}

int decide_print_plan(struct plan *p, const struct decide_conf *c, bool json)
{
	struct deciding d;
	scoped char *text = NULL;
	int ret = 0;

	if (!json_get(p->spec.json, "claims")) {
		text = xstrdup("it has no claims");
	} else if (plan_count(p, RUN_FINISHED) == 0 || plan_left(p)) {
		text = xasprintf("at most %zu more runs; which claims are undecided is known when "
				 "the experiment's own runs are finished",
				 decide_bound(p, c));
	} else {
		ret = decide_begin(&d, p, c, true);
		if (ret == 0) {
			const struct decide_forecast f = decide_forecast(&d, c);
			scoped char *time = decide_time_text(f.seconds);

			text = !f.claims ? why_none_waits(&d) :
				xasprintf("%zu undecided claim%s, at most %zu more run%s%s; "
					  "expected %.0f", f.claims,
					  word_plural((double)f.claims), f.runs,
					  word_plural((double)f.runs), time, f.expected);
		}
		decide_end(&d);
	}
	if (text && json)
		note("%s: --decide: %s", p->spec.name, text);
	else if (text)
		printf("\nTo decide its claims: %s.\n", text);
	return ret;
}

void decide_say(const struct deciding *d)
{
	size_t undecided = 0, n = 0;

	for (size_t i = 0; i < d->outcome.claims->n; i++) {
		const struct verdict *v = &d->outcome.claims->v[i];

		n += v->looks != NULL;
		undecided += v->word && !strcmp(v->word, "undecided");
	}
	if (!n) {
		note("%s: no claim compares groups of runs: more seeds decide nothing",
		     d->plan->spec.name);
	} else if (!d->open) {
		scoped char *why = why_none_waits(d);

		note("%s: %s", d->plan->spec.name, why);
	} else {
		note("%s: of %zu undecided claim%s %zu %s decided with %zu more run%s; undecided "
		     "in all: %zu",
		     d->plan->spec.name, d->open, word_plural((double)d->open), d->decided,
		     d->decided == 1 ? "is" : "are", d->runs, word_plural((double)d->runs),
		     undecided);
	}
}

