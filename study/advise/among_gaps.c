/*
 * among_gaps.c - what a ranking leaves open: where candidates have no data or are not ranked, and
 * where a library of all-reduces takes another one.
 */
#include "study/advise/among.h"

#include "core/base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "with these settings, and at bandwidth 0.1 to 1"; the caller frees. */
static char *gap_where(const struct among *m, const struct candidate_gap *gap)
{
	const char *name = m->a.nvary ? m->a.vary[0].kind->name : "";
	char *where = gap->here ? xstrdup("with these settings") : NULL;

	if (gap->lo < gap->hi)
		xappend_own(&where, ", and ", xasprintf("%s %s %.4g to %.4g",
							m->a.nvary > 1 ? "within" : "at", name,
							gap->lo, gap->hi));
	else if (gap->lo <= gap->hi)
		xappend_own(&where, ", and ", xasprintf("at %s %.4g", name, gap->lo));
	return where;
}

/* Says where a candidate is not ranked, as its workers hardly exchange models. */
static void among_find_starved(struct among *m, size_t c)
{
	struct candidate_gap gap = { .here = m->here.of[c].starved, .lo = HUGE_VAL,
				     .hi = -HUGE_VAL };
	double least = gap.here ? m->here.of[c].exchanges : HUGE_VAL;
	char *text, *where;

	for (size_t i = 0; i < m->npoints; i++) {
		const struct ranked *r = &m->point[i].of[c];

		if (!r->starved)
			continue;
		gap.lo = fmin(gap.lo, m->point[i].x[0]);
		gap.hi = fmax(gap.hi, m->point[i].x[0]);
		least = fmin(least, r->exchanges);
	}
	where = gap_where(m, &gap);
	if (where) {
		text = exchange_text(m->c[c].algo, least, m->c[c].exchanges, where,
				     m->c[c].progress.kind == PROGRESS_GIVEN);
		texts_put(&m->gaps, text);
		free(text);
	}
	free(where);
}

void among_find_unranked(struct among *m)
{
	for (size_t c = 0; c < m->n; c++) {
		if (m->c[c].beyond.text) {
			char *where = gap_where(m, &m->c[c].beyond);
			char *text = xasprintf("no data of %s %s: %s. Give --extrapolate to rank "
					       "it nevertheless", m->c[c].algo, where,
					       m->c[c].beyond.text);

			texts_put(&m->gaps, text);
			free(text);
			free(where);
		}
		among_find_starved(m, c);
	}
}

/* ---- where a library takes another all-reduce ---- */

enum { HALVINGS = 24 };

static struct candidate_facts candidate_facts_at(const struct among *m, size_t c, double x)
{
	struct grid_point at = among_settings(m, &x, 0);
	const struct candidate_facts facts = candidate_facts(&at, m->c[c].algo);

	point_release(&at);
	return facts;
}

/* Narrows [*below, *above], at whose ends the kinds of all-reduce differ, to 0.01 %. */
static void kind_narrow(const struct among *m, size_t c, const char *kind, double *below,
			double *above)
{
	const struct vary *v = &m->a.vary[0];

	for (int i = 0; i < HALVINGS; i++) {
		const double x = vary_x(v, 0.5 * (vary_u(v, *below) + vary_u(v, *above)));
		struct candidate_facts facts;

		if (!(x > *below && x < *above) || *above - *below <= 1e-4 * fabs(*above))
			return;
		facts = candidate_facts_at(m, c, x);
		*(facts.kind && strcmp(facts.kind, kind) == 0 ? below : above) = x;
		candidate_facts_release(&facts);
	}
}

/* "The first algorithm changes at this switch ...", or "" where it does not; borrowed. */
static const char *change_at(const struct among *m, double below, double above)
{
	static const double near = 1.25;
	const char *text = "";

	for (size_t i = 0; i < m->nchanges; i++) {
		const struct winner_change *w = &m->change[i];

		if (w->below <= above && w->above >= below)
			return " The first algorithm changes at this switch: it depends on the "
			       "library's choice.";
		if (w->below <= above * near && w->above * near >= below)
			text = " The first algorithm changes next to this switch: it depends on "
			       "the library's choice.";
	}
	return text;
}

/* Says between points i and i + 1 where the library of candidate c takes another all-reduce. */
static void among_find_switch(struct among *m, size_t i, size_t c)
{
	const struct vary_kind *k = m->a.vary[0].kind;
	double below = m->point[i].x[0], above = m->point[i + 1].x[0];
	struct candidate_facts one = candidate_facts_at(m, c, below);
	struct candidate_facts two = candidate_facts_at(m, c, above);

	if (one.library && two.library && strcmp(one.kind, two.kind) != 0) {
		char *text;

		kind_narrow(m, c, one.kind, &below, &above);
		text = xasprintf("%s's all-reduce of %s changes from %s to %s %s %s %.4g%s%s.%s",
				 one.library, m->c[c].algo, one.kind, two.kind,
				 k->whole ? "from" : "at", k->name, above, *k->unit ? " " : "",
				 k->unit, change_at(m, below, above));
		texts_put(&m->gaps, text);
		free(text);
	}
	candidate_facts_release(&one);
	candidate_facts_release(&two);
}

void among_find_switches(struct among *m)
{
	for (size_t c = 0; c < m->n; c++) {
		bool changes = false;

		for (size_t k = 0; k < m->nchanges; k++)
			changes |= m->change[k].from == c || m->change[k].to == c;
		for (size_t i = 0; i + 1 < m->npoints && changes; i++)
			among_find_switch(m, i, c);
	}
}
