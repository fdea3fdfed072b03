/*
 * probe.c - the break-even with one uncertain value a deviation lower, or higher.
 *
 * All other values are at their medians. Each end of each value has its own runs and bisections,
 * with the first seeds of the answer, and so many of these that there are at most as many as draws.
 */
#include "study/advise/advise.h"

#include "core/base/error.h"
#include "core/base/mem.h"

#include <stdlib.h>

enum end { END_LOW, END_HIGH, ENDS };

struct probe {
	struct advise a;        /* the question with draws and a grid of its own */
	size_t seeds;           /* draws of each end: seeds within ends within effects */
};

static void probe_draw(struct probe *p, const struct advise *a, size_t uncertain, enum end end,
		       size_t seed)
{
	struct draw draw = advise_draw_new(a, a->centre.seed + seed);

	draw.z[uncertain] = end == END_LOW ? -1.0 : 1.0;
	for (size_t i = 0; i < a->uncertain.n; i++)
		draw.value[i] = uncertain_at(&a->uncertain.v[i], draw.z[i]);
	p->a.draw[p->a.ndraws++] = draw;
}

static void probe_open(struct probe *p, const struct advice *r, const struct advise *a)
{
	const size_t ends = ENDS * r->neffects, seeds = a->ndraws / ends;

	*p = (struct probe){ .a = *a, .seeds = seeds ? seeds : 1 };
	p->a.draw = xcalloc(ends * p->seeds, sizeof(*p->a.draw));
	p->a.grid = xcalloc(ends * p->seeds * a->nx, sizeof(*p->a.grid));
	p->a.ndraws = 0;
	for (size_t i = 0; i < r->neffects; i++)
		for (enum end end = END_LOW; end < ENDS; end++)
			for (size_t seed = 0; seed < p->seeds; seed++)
				probe_draw(p, a, r->effect[i].uncertain, end, seed);
}

static void probe_release(struct probe *p)
{
	for (size_t d = 0; d < p->a.ndraws; d++)
		advise_draw_release(&p->a.draw[d]);
	free(p->a.draw);
	free(p->a.grid);
}

/* The median over the seeds of an end. */
static double probe_even(const struct probe *p, const struct crossing *crossing)
{
	double *x = xcalloc(p->seeds, sizeof(*x)), median;

	for (size_t s = 0; s < p->seeds; s++)
		x[s] = crossing[s].x;
	median = advice_median(x, p->seeds, p->a.vary.kind->whole);
	free(x);
	return median;
}

int advice_probe(struct advice *r, const struct advise *a)
{
	struct crossing *crossing;
	struct probe p;
	int code;

	if (!r->neffects)
		return EXIT_OK;
	probe_open(&p, r, a);
	crossing = xcalloc(p.a.ndraws, sizeof(*crossing));
	code = advise_fill(&p.a, 0, p.a.ndraws);
	if (code == EXIT_OK)
		code = advise_search(&p.a, crossing);
	if (code == EXIT_OK)
		advice_set_outside(r, &p.a, crossing);
	for (size_t i = 0; i < r->neffects && code == EXIT_OK; i++) {
		r->effect[i].lo = probe_even(&p, crossing + ENDS * i * p.seeds);
		r->effect[i].hi = probe_even(&p, crossing + (ENDS * i + END_HIGH) * p.seeds);
	}
	free(crossing);
	probe_release(&p);
	return code;
}
