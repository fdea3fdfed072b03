/* The ranking of several algorithms in sentences. */
#include "study/advise/ranking.h"

#include "core/base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t among_find_algo(const struct among *m, const char *algo)
{
	for (size_t c = 0; c < m->n; c++)
		if (strcmp(m->c[c].algo, algo) == 0)
			return c;
	return SIZE_MAX;
}

char *among_ratio_text(double ratio)
{
	return ratio < 100.0 ? xasprintf("%.3g", ratio) : xasprintf("%.0f", ratio);
}

/* "1.32 times as fast as allreduce", "3 % faster than allreduce"; the caller frees. */
static char *faster_text(double ratio, const char *than)
{
	char *text = NULL;

	if (ratio < 1.001)
		return xasprintf("less than 0.1 %% faster than %s", than);
	if (ratio < 1.1)
		return xasprintf("%.1f %% faster than %s", 100.0 * (ratio - 1.0), than);
	xappend_own(&text, "", among_ratio_text(ratio));
	xappendf(&text, "", " times as fast as %s", than);
	return text;
}

/* Candidate that is most often the first or close to it; of equals, that of the shortest median. */
static size_t among_likeliest(const struct among *m)
{
	const struct among_point *p = &m->here;
	size_t likeliest = p->best;

	for (size_t c = 0; c < m->n; c++)
		if (p->of[c].known && p->of[c].p > p->of[likeliest].p)
			likeliest = c;
	return likeliest;
}

/* "ad-psgd, whose progress per step is not known here"; NULL: all that run are ranked. Owned. */
static char *among_open(const struct among *m)
{
	char *text = NULL;

	for (size_t c = 0; c < m->n; c++) {
		const struct ranked *r = &m->here.of[c];

		if (!r->known && !r->why)
			xappend_own(&text, "; ", xasprintf(
				"%s, %s", m->c[c].algo,
				r->beyond ? "of which there are no data here"
					  : "whose progress per step is not known here"));
	}
	return text;
}

char *among_sentence(const struct among *m)
{
	const struct among_point *p = &m->here;
	char *open = among_open(m);
	size_t n, *order = among_order(m, p, &n);
	const size_t base = among_find_algo(m, "allreduce");
	const bool has_base = base != SIZE_MAX && p->of[base].known && order[0] != base;
	const size_t other = has_base ? base : n > 1 ? order[1] : order[0];
	const bool likeliest = among_likeliest(m) == order[0];
	char *faster = faster_text(p->of[other].same.median / p->of[order[0]].same.median,
				   m->c[other].algo);
	char *text, *names = among_equals(m, p);
	int at = 0;

	if (names)
		text = xasprintf("%s are equally fast to the same loss", names);
	else if (n > 1)
		text = xasprintf("%s %s%s, %s", m->c[order[0]].algo,
				 likeliest ? "is the first to the same loss"
					   : "has the shortest median time to the same loss",
				 open ? " of those that are ranked" : "", faster);
	else if (open)
		text = xasprintf("Only %s is ranked, so none is known to be the first; not "
				 "ranked: %s", m->c[order[0]].algo, open);
	else
		text = xasprintf("%s is the only algorithm that can run", m->c[order[0]].algo);
	if (!names && has_base && n > 2 && order[1] != base)
		xappendf(&text, "", "; %s is the next", m->c[order[1]].algo);
	for (size_t k = 0; k < m->a.nvary; k++) {
		const char *key = m->a.vary[k].kind->name;

		if (m->a.vary[k].kind->setting)
			xappendf(&text, "", "%s%s=%s", at++ ? ", " : " (ranked at ", key,
				 point_text(&m->a.settings, key));
	}
	xappend(&text, "", at ? ")." : ".");
	free_all(open, faster, names, order);
	return text;
}

/* "the intervals of the progress per step, and ...": what differs; NULL: nothing. Owned. */
static char *among_uncertain(const struct among *m)
{
	const bool last = m->model_error > 0.0;
	char *text = NULL;

	for (size_t c = 0; c < m->n && !text; c++)
		if (m->here.of[c].known &&
		    m->here.of[c].progress.hi > m->here.of[c].progress.lo)
			text = xstrdup("the intervals of the progress per step");
	if (m->a.ndraws > 1)
		xappend(&text, last ? ", " : " and ", "the draws of what is uncertain");
	if (last)
		xappendf(&text, " and ", "an error of the simulator of %.3g %%",
			 100.0 * m->model_error);
	return text;
}

/* Adds which kept runs are compared, if they are of several experiments: "diloco from A, ...". */
static void xappend_mixed(char **text, const struct among *m)
{
	scoped char *list = NULL;
	const char *first = NULL;
	bool mixed = false;

	for (size_t c = 0; c < m->n; c++) {
		const struct relative_progress *own = &m->here.of[c].progress;

		if (!m->here.of[c].known || own->kind != PROGRESS_KEPT)
			continue;
		mixed |= first && strcmp(first, own->experiment) != 0;
		first = first ? first : own->experiment;
		if (m->c[c].family == c)
			xappendf(&list, ", ", "%.*s from %s", (int)strcspn(m->c[c].algo, ":"),
				 m->c[c].algo, own->experiment);
	}
	if (mixed)
		xappendf(text, " ", "Kept runs of different set-ups are compared, so their errors "
			 "are independent: %s.", list);
}

char *among_p_text(double p)
{
	if (isnan(p))
		return xstrdup("-");
	return p > 0.99 && p < 1.0 ? xasprintf("%.4g", p) : xasprintf("%.2g", p);
}

char *among_doubt(const struct among *m)
{
	const struct among_point *p = &m->here;
	const struct relative_progress *own = &p->of[p->best].progress;
	const size_t likeliest = among_likeliest(m);
	static const double sure = 0.9, notable = 0.999;
	char *by = among_uncertain(m), *first = among_p_text(p->of[p->best].p), *text = NULL;

	if (isnan(p->of[p->best].p))
		text = xstrdup("It is compared with no other, so it has no P(first).");
	else if (by)
		text = xasprintf("%sP = %s that it is the first, or within 1 %% of it, by %s%s.",
				 p->of[p->best].p < sure ? "This is not decided: " : "", first, by,
				 m->model_error > 0.0 ? ""
						      : "; no error of the simulator is in it");
	if (by && p->of[p->best].p < sure)
		xappendf(&text, " ", "In 95 %% of the draws it takes at most %.4g times as long "
			 "as the first.", p->regret);
	free_all(first, by);
	if (own->kind == PROGRESS_ASSUMED)
		xappendf(&text, " ", "Its progress per step is not known: 1 is assumed.");
	else if (own->kind == PROGRESS_KEPT)
		xappendf(&text, " ", "Its progress per step is from small runs of another "
			 "set-up%s%s.", own->far ? " with rounds of another length" : "",
			 own->capped ? ", and is not credited above 1" : "");
	xappend_mixed(&text, m);
	if (p->of[p->quickest].step_s < notable * p->of[p->best].step_s)
		xappendf(&text, " ", "By the time of a step alone, %s is the fastest.",
			 m->c[p->quickest].algo);
	if (likeliest != p->best)
		xappendf(&text, " ", "%s is the first more often: P = %.2g.",
			 m->c[likeliest].algo, p->of[likeliest].p);
	return text ? text : xstrdup("No figure is given as uncertain, and no error of the "
				     "simulator is in it.");
}

char *epoch_samples_text(const struct grid_point *assumed, double samples)
{
	const char *why = point_text(assumed, "samples");

	return isnan(samples) ? NULL
			      : xasprintf("an epoch has %.10g samples%s%s%s", samples,
					  why ? " (" : "", why ? why : "", why ? ")" : "");
}

static const char *options_of(const char *algo)
{
	const char *colon = strchr(algo, ':');

	return colon ? colon + 1 : "defaults";
}

/* Candidates of a family with the same time as the best, by the same source of progress. */
static size_t family_ties(const struct among *m, size_t family, size_t best)
{
	static const double close = 1e-3;
	const struct relative_progress *own = &m->here.of[best].progress;
	size_t n = 0;

	for (size_t c = family; c < m->n; c++) {
		const struct ranked *r = &m->here.of[c];

		n += m->c[c].family == family && c != best && r->known &&
		     strcmp(r->progress.source, own->source) == 0 &&
		     r->same.median < (1.0 + close) * m->here.of[best].same.median;
	}
	return n;
}

static double round_of(const char *text)
{
	const struct algo_text algo = algo_text_read(text, 1);

	free(algo.full);
	return algo.round;
}

/* True when some of the family have shorter rounds than the best, and none has longer ones. */
static bool is_longest(const struct among *m, size_t family, size_t best)
{
	const double own = round_of(m->c[best].algo);
	bool shorter = false;

	for (size_t c = family; c < m->n; c++) {
		const double other = m->c[c].family == family ? round_of(m->c[c].algo) : own;

		if (other > own)
			return false;
		shorter |= other < own;
	}
	return shorter;
}

void among_recommend(const struct among *m, struct texts *lines)
{
	for (size_t f = 0; f < m->n; f++) {
		size_t best = SIZE_MAX, n = 0;
		char *all = NULL, *line, *family;

		if (m->c[f].family != f)
			continue;
		for (size_t c = f; c < m->n; c++) {
			if (m->c[c].family != f)
				continue;
			n++;
			xappend(&all, "; ", options_of(m->c[c].algo));
			if (m->here.of[c].known &&
			    (best == SIZE_MAX || m->here.of[c].same.median <
							 m->here.of[best].same.median))
				best = c;
		}
		if (n > 1 && best != SIZE_MAX) {
			family = algo_family(m->c[f].algo);
			line = xasprintf("%s: %s (of %s)%s%s%s", family,
					 options_of(m->c[best].algo), all,
					 family_ties(m, f, best)
						 ? "; others take as long, and nothing known tells "
						   "their progress apart" : "",
					 is_longest(m, f, best)
						 ? "; longer rounds may be faster: none was tried"
						 : "",
					 m->here.of[best].progress.far
						 ? "; its progress was not measured with rounds of "
						   "this length" : "");
			texts_put_own(lines, line);
			free(family);
		}
		free(all);
	}
}
