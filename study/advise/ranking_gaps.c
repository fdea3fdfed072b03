/*
 * ranking_gaps.c - what a ranking leaves open: where candidates have no data or are not ranked, and
 * where a library of all-reduces takes another one.
 */
#include "study/advise/ranking.h"

#include "core/base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct gap {                    /* where something holds of a candidate */
	bool here;              /* with the settings as they are */
	struct vary_span at;
};

/* "with these settings, and at bandwidth 0.1 to 1"; NULL: nowhere. The caller frees. */
static char *gap_where(const struct among *m, const struct gap *gap)
{
	const struct vary_kind *kind[ADVISE_VARY] = { NULL };
	char *where = gap->here ? xstrdup("with these settings") : NULL;
	struct vary_span all = { .n = 0 };

	for (size_t i = 0; i < m->npoints; i++)
		vary_span_add(&all, m->point[i].x);
	for (size_t k = 0; k < m->a.nvary; k++)
		kind[k] = m->a.vary[k].kind;
	if (gap->at.n)
		xappend_own(&where, ", and ", vary_span_text(&gap->at, &all, kind, m->a.nvary));
	return where;
}

/* ---- ties ---- */

char *among_equals(const struct among *m, const struct among_point *p)
{
	size_t n = 0, k = 0;
	char *names = NULL;

	for (size_t c = 0; c < m->n && p->best != SIZE_MAX; c++)
		n += ranked_is_first(p, c);
	for (size_t c = 0; c < m->n && n > 1; c++)
		if (ranked_is_first(p, c))
			xappend(&names, ++k < n ? ", " : " and ", m->c[c].algo);
	return names;
}

/* Says where those that are tied at point i are: in the points after it, or in all of a map. */
static void ties_put(struct among *m, char **names, size_t i)
{
	const bool map = m->a.nvary > 1;
	struct gap gap = { .here = false };
	scoped char *tied = xstrdup(names[i]), *where = NULL;
	size_t n = 0;

	for (size_t k = i; k < m->npoints && (map || names[k]); k++) {
		if (!names[k] || strcmp(names[k], tied) != 0) {
			if (!map)
				break;
			continue;
		}
		vary_span_add(&gap.at, m->point[k].x);
		free(names[k]);
		names[k] = NULL;
		n++;
	}
	where = map ? xasprintf("in %zu of %zu fields of the map", n, m->npoints)
		    : gap_where(m, &gap);
	texts_putf(&m->gaps, "%s are equally fast %s", tied, where);
}

void among_find_ties(struct among *m)
{
	scoped char **names = xcalloc(m->npoints + 1, sizeof(*names));

	for (size_t i = 0; i < m->npoints; i++)
		names[i] = among_equals(m, &m->point[i]);
	for (size_t i = 0; i < m->npoints; i++)
		if (names[i])
			ties_put(m, names, i);
}

/*
 * "0.13 messages arrive for each gradient with these settings, and 0.014 at bandwidth 1.25 GB/s":
 * with the settings as they are, and at the point with the fewest, NULL: none. The caller frees.
 */
static char *starved_counts(const struct among *m, const struct ranked *own,
			    const struct among_point *p, size_t c)
{
	char *counts = NULL, *at = NULL;

	if (own->starved)
		counts = xasprintf("%.2g messages arrive for each gradient%s", own->exchanges,
				   p ? " with these settings" : "");
	for (size_t k = 0; k < m->a.nvary && p; k++) {
		scoped char *values = vary_text(m->a.vary[k].kind, p->x[k], p->x[k]);

		xappend(&at, ", ", values);
	}
	if (p)
		xappendf(&counts, ", and ", "%.2g%s at %s", p->of[c].exchanges,
			 own->starved ? "" : " messages arrive for each gradient", at);
	free(at);
	return counts;
}

/* Says where a candidate is not ranked, as its workers hardly exchange models. */
static void among_find_starved(struct among *m, size_t c)
{
	const struct ranked *own = &m->here.of[c];
	struct gap gap = { .here = own->starved };
	const struct among_point *least = NULL;
	char *text, *where, *counts;

	for (size_t i = 0; i < m->npoints; i++) {
		const struct ranked *r = &m->point[i].of[c];

		if (!r->starved)
			continue;
		vary_span_add(&gap.at, m->point[i].x);
		if (!least || r->exchanges < least->of[c].exchanges)
			least = &m->point[i];
	}
	where = gap_where(m, &gap);
	if (where) {
		counts = starved_counts(m, own, least, c);
		text = exchange_text(m->c[c].algo, counts,
				     least ? least->of[c].ideal : own->ideal, where,
				     m->c[c].progress.kind == PROGRESS_GIVEN);
		texts_put_own(&m->gaps, text);
		free(counts);
	}
	free(where);
}

/* Says where a candidate leaves measured tables. */
static void among_find_beyond(struct among *m, size_t c)
{
	const char *why = m->here.of[c].beyond;
	struct gap gap = { .here = why };
	scoped char *where = NULL;

	for (size_t i = 0; i < m->npoints; i++) {
		if (!m->point[i].of[c].beyond)
			continue;
		vary_span_add(&gap.at, m->point[i].x);
		why = why ? why : m->point[i].of[c].beyond;
	}
	if (!why)
		return;
	where = gap_where(m, &gap);
	texts_putf(&m->gaps, "no data of %s %s: %s. Give --extrapolate to rank it nevertheless",
		   m->c[c].algo, where, why);
}

/* Says at which points a candidate cannot run, or failed. */
static void among_find_failed(struct among *m, size_t c)
{
	struct gap gap = { .here = false };
	const char *why = NULL;
	scoped char *where = NULL;
	size_t n = 0;

	for (size_t i = 0; i < m->npoints; i++) {
		if (!m->point[i].of[c].why)
			continue;
		vary_span_add(&gap.at, m->point[i].x);
		why = why ? why : m->point[i].of[c].why;
		n++;
	}
	/* one that fails everywhere is left out altogether */
	if (!n || (n == m->npoints && m->here.of[c].why))
		return;
	where = gap_where(m, &gap);
	texts_putf(&m->gaps, "%s is not ranked %s: %s", m->c[c].algo, where, why);
}

char *ranked_why(const struct ranked *r)
{
	if (r->known)
		return NULL;
	if (r->why)
		return xstrdup(r->why);
	return r->beyond ? xasprintf("no data: %s", r->beyond)
			 : xstrdup("it sends more than the network carries, and does not wait");
}

static bool candidate_is_ranked(const struct among *m, size_t c)
{
	for (size_t i = 0; i < m->npoints; i++)
		if (m->point[i].of[c].known)
			return true;
	return false;
}

char among_mark(const struct among *m, const struct among_point *p)
{
	char *equals = among_equals(m, p), mark = equals ? '=' : ' ';

	free(equals);
	for (size_t c = 0; c < m->n; c++)
		if (!p->of[c].known && candidate_is_ranked(m, c))
			mark = '*';
	return mark;
}

void among_list_partial(const struct among *m, struct texts *lines)
{
	for (size_t c = 0; c < m->n; c++) {
		scoped char *why = NULL;

		for (size_t i = 0; i < m->npoints && !why && candidate_is_ranked(m, c); i++)
			why = ranked_why(&m->point[i].of[c]);
		if (why)
			texts_putf(lines, "%s: %s", m->c[c].algo, why);
	}
}

static void among_find_leads(struct among *m, size_t c)
{
	struct gap gap = { .here = m->here.of[c].leads };
	scoped char *where = NULL;

	for (size_t i = 0; i < m->npoints; i++)
		if (m->point[i].of[c].leads)
			vary_span_add(&gap.at, m->point[i].x);
	where = gap_where(m, &gap);
	if (where)
		texts_put_own(&m->gaps, lead_text(m->c[c].algo, where));
}

void among_find_unranked(struct among *m)
{
	for (size_t c = 0; c < m->n; c++) {
		among_find_failed(m, c);
		among_find_beyond(m, c);
		among_find_starved(m, c);
		among_find_leads(m, c);
	}
}

void among_find_codec(struct among *m)
{
	const char *codec = point_text(&m->a.settings, "codec");
	scoped char *bare = NULL;
	bool known = true;

	for (size_t c = 0; c < m->n; c++) {
		const enum progress_kind kind = m->here.of[c].progress.kind;

		if (m->c[c].without & WITHOUT_CODEC)
			xappend(&bare, ", ", m->c[c].algo);
		if (m->here.of[c].known)
			known &= kind != PROGRESS_KEPT && kind != PROGRESS_ASSUMED;
	}
	if (bare)
		texts_putf(&m->gaps, "ranked without codec %s, which they do not go with: %s",
			   codec, bare);
	if (codec && strcmp(codec, "none") != 0 && !known)
		texts_putf(&m->gaps, "kept runs have no codec, and allreduce counts as 1 with it, "
			   "too: what %s costs in progress is in no time to the same loss. Give "
			   "--progress", codec);
}

void among_find_graph(struct among *m)
{
	const char *graph = point_text(&m->a.settings, "graph");
	bool kept = false;

	for (size_t c = 0; c < m->n; c++) {
		const struct ranked *r = &m->here.of[c];

		kept |= r->known && r->progress.kind == PROGRESS_KEPT &&
			!(m->c[c].without & WITHOUT_GRAPH);
	}
	if (graph && kept)
		texts_putf(&m->gaps, "kept runs have each algorithm's default graph: what %s "
			   "changes in progress is in no time to the same loss. Give --progress",
			   graph);
}

void among_find_servers(struct among *m)
{
	static const double notable = 2.0;
	const struct among_point *p = &m->here;
	scoped char *names = NULL;

	for (size_t c = 0; c < m->n; c++)
		if (p->of[c].known && p->of[c].one_server &&
		    p->of[c].step_s > notable * p->of[p->quickest].step_s)
			xappend(&names, ", ", m->c[c].algo);
	if (names)
		/* of workers with several devices, it has as many NICs as one of them */
		texts_putf(&m->gaps, "all gradients go through one server%s: %s. "
			   "--shards N divides it among N machines",
			   point_text(&m->a.settings, "gpus_per_worker") ? "" : " with one NIC",
			   names);
}

/* ---- where a library takes another all-reduce ---- */

enum { HALVINGS = 24 };

static struct candidate_facts candidate_facts_at(const struct among *m, size_t c, const double *x)
{
	scoped_by(point_release) struct grid_point at = among_settings(m, c, x, 0);

	return candidate_facts(&m->a, &at, m->c[c].algo);
}

/* Narrows the k-th values of two points, whose kinds of all-reduce differ, to 0.01 %. */
static void kind_narrow(const struct among *m, size_t c, const char *kind, size_t k, double *below,
			double *above)
{
	const struct vary *v = &m->a.vary[k];

	for (int i = 0; i < HALVINGS; i++) {
		double at[ADVISE_VARY];
		const double x = vary_x(v, 0.5 * (vary_u(v, below[k]) + vary_u(v, above[k])));
		struct candidate_facts facts;

		if (!(x > below[k] && x < above[k]) ||
		    above[k] - below[k] <= 1e-4 * fabs(above[k]))
			return;
		memcpy(at, below, sizeof(at));
		at[k] = x;
		facts = candidate_facts_at(m, c, at);
		*(facts.kind && strcmp(facts.kind, kind) == 0 ? &below[k] : &above[k]) = x;
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
	double below[ADVISE_VARY] = { m->point[i].x[0] };
	double above[ADVISE_VARY] = { m->point[i + 1].x[0] };
	struct candidate_facts one = candidate_facts_at(m, c, below);
	scoped_by(candidate_facts_release) struct candidate_facts two =
		candidate_facts_at(m, c, above);

	if (one.library && two.library && strcmp(one.kind, two.kind) != 0) {
		kind_narrow(m, c, one.kind, 0, below, above);
		texts_putf(&m->gaps, "%s's all-reduce of %s changes from %s to %s %s %s "
			   "%.*g%s%s.%s", one.library, m->c[c].algo, one.kind, two.kind,
			   k->whole ? "from" : "at", k->name, vary_digits(*above), *above,
			   *k->unit ? " " : "", k->unit, change_at(m, *below, *above));
	}
	candidate_facts_release(&one);
}

/* ---- the same on a map ---- */

struct map_switch {             /* of a candidate, along one of the parameters of a map */
	const char *library, *from, *to;
	double lo, hi;          /* its values along that parameter ... */
	double other_lo, other_hi;      /* ... and those of the other one */
	size_t n, changes;      /* lines of the map that have it, and where the first changes */
};

enum { MAP_SWITCHES = 16 };

/* Notes a switch between two points of the map that are next to each other along k. */
static void map_switch_add(const struct among *m, size_t c, size_t k, const struct among_point *p,
			   const struct among_point *q, const struct candidate_facts *one,
			   const struct candidate_facts *two, struct map_switch *s)
{
	double below[ADVISE_VARY], above[ADVISE_VARY];
	size_t i = 0;

	while (s[i].n && (strcmp(s[i].from, one->kind) != 0 || strcmp(s[i].to, two->kind) != 0))
		if (++i == MAP_SWITCHES)
			return;
	memcpy(below, p->x, sizeof(below));
	memcpy(above, q->x, sizeof(above));
	kind_narrow(m, c, one->kind, k, below, above);
	if (!s[i].n)
		s[i] = (struct map_switch){ one->library, one->kind, two->kind, HUGE_VAL,
					    -HUGE_VAL, HUGE_VAL, -HUGE_VAL, 0, 0 };
	s[i].lo = fmin(s[i].lo, above[k]);
	s[i].hi = fmax(s[i].hi, above[k]);
	s[i].other_lo = fmin(s[i].other_lo, p->x[1 - k]);
	s[i].other_hi = fmax(s[i].other_hi, p->x[1 - k]);
	s[i].n++;
	s[i].changes += p->best != q->best && (p->best == c || q->best == c);
}

/* Says where the all-reduce of a candidate switches along parameter k; false: nowhere. */
static bool map_find_switches(struct among *m, size_t c, size_t k, const struct candidate_facts *at)
{
	const struct vary_kind *own = m->a.vary[k].kind, *other = m->a.vary[1 - k].kind;
	const size_t step = k ? m->nx : 1, lines = k ? m->nx : m->ny;
	struct map_switch s[MAP_SWITCHES] = { 0 };
	size_t i;

	for (i = 0; i < m->npoints; i++) {
		const size_t next = i + step;

		if ((k ? next >= m->npoints : next % m->nx == 0) || !at[i].library ||
		    !at[next].library || strcmp(at[i].kind, at[next].kind) == 0)
			continue;
		map_switch_add(m, c, k, &m->point[i], &m->point[next], &at[i], &at[next], s);
	}
	for (i = 0; i < MAP_SWITCHES && s[i].n; i++) {
		scoped char *values = vary_text(own, s[i].lo, s[i].hi);
		scoped char *others = vary_text(other, s[i].other_lo, s[i].other_hi);
		char *text = xasprintf(
			"%s's all-reduce of %s changes from %s to %s %s %s, with %s.", s[i].library,
			m->c[c].algo, s[i].from, s[i].to, own->whole ? "from" : "at", values,
			others);

		if (s[i].changes)
			xappendf(&text, " ", "The first algorithm changes there in %zu of %zu %s "
				 "of the map: it depends on the library's choice.", s[i].changes,
				 lines, k ? "columns" : "rows");
		texts_put_own(&m->gaps, text);
	}
	return i > 0;
}

/* Finds the switches of the candidates that are the first somewhere on the map. */
static void map_find_all_switches(struct among *m)
{
	scoped struct candidate_facts *at = xcalloc(m->npoints, sizeof(*at));

	for (size_t c = 0; c < m->n; c++) {
		bool first = false;

		for (size_t i = 0; i < m->npoints; i++)
			first |= m->point[i].best == c;
		for (size_t i = 0; i < m->npoints && first; i++)
			at[i] = candidate_facts_at(m, c, m->point[i].x);
		if (first && !map_find_switches(m, c, 0, at))
			map_find_switches(m, c, 1, at);
		for (size_t i = 0; i < m->npoints && first; i++)
			candidate_facts_release(&at[i]);
	}
}

/* ---- where the first algorithm changes because other kept runs count ---- */

static void among_find_other_runs(struct among *m)
{
	const struct vary_kind *k = m->a.vary[0].kind;

	for (size_t i = 0; i + 1 < m->npoints; i++) {
		const struct among_point *p = &m->point[i], *q = p + 1;
		char *all = NULL;

		for (size_t c = 0; c < m->n && among_winners_differ(p, q); c++) {
			const char *one = p->of[c].progress.experiment;
			const char *two = q->of[c].progress.experiment;

			if ((c == p->best || c == q->best) && p->of[c].known && q->of[c].known &&
			    one && two && strcmp(one, two) != 0)
				xappendf(&all, ", ", "of %s those of %s instead of %s",
					 m->c[c].algo, two, one);
		}
		if (!all)
			continue;
		texts_putf(&m->gaps, "The first algorithm changes at %s %.*g%s%s, where other kept "
			   "runs begin to count: %s. It may not be the cluster that changes it: "
			   "give --progress", k->name, vary_digits(q->x[0]), q->x[0],
			   *k->unit ? " " : "", k->unit, all);
		free(all);
	}
}

void among_find_switches(struct among *m)
{
	if (m->a.nvary > 1) {
		map_find_all_switches(m);
		return;
	}
	among_find_other_runs(m);
	for (size_t c = 0; c < m->n; c++) {
		bool changes = false;

		for (size_t k = 0; k < m->nchanges; k++)
			changes |= m->change[k].from == c || m->change[k].to == c;
		for (size_t i = 0; i + 1 < m->npoints && changes; i++)
			among_find_switch(m, i, c);
	}
}
