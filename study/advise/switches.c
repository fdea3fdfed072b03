/*
 * switches.c - values of the parameter at which a library of all-reduces, NCCL or Open MPI, takes
 * another algorithm: times may jump there, and a break-even lies in the jump or next to it.
 */
#include "study/advise/advise.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "plan/machine/machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HALVINGS = 24 };

/* Kind of an algorithm's all-reduces with the parameter at x; NULL: it has none. */
static const char *switch_kind_at(const struct advise *a, double x, int which)
{
	struct grid_point point = advise_point(a, x, &a->centre, which);
	struct setup su;
	const char *kind = NULL;

	setup_init(&su);
	if (settings_apply_point(&su.in, &point, "command line") == 0 && setup_resolve(&su) == 0)
		kind = allreduce_kind(&su);
	setup_release(&su);
	point_release(&point);
	return kind;
}

/* Narrows the switch between the values of *s, whose kinds are known. */
static void switch_narrow(const struct advise *a, struct kind_switch *s)
{
	const struct vary *v = &a->vary[0];

	for (int i = 0; i < HALVINGS; i++) {
		const double x = vary_x(v, 0.5 * (vary_u(v, s->below) + vary_u(v, s->above)));
		const char *kind;

		if (!(x > s->below && x < s->above) ||
		    s->above - s->below <= 1e-4 * fabs(s->above))
			return;
		kind = switch_kind_at(a, x, s->which);
		if (kind && strcmp(kind, s->from) == 0) {
			s->below = x;
		} else {
			s->above = x;
			s->to = kind ? kind : s->to;
		}
	}
}

/* The switches between neighbouring points of the grid that have data. */
static void switches_list(struct advice *r, const struct advise *a)
{
	for (size_t i = 0; i + 1 < a->nx; i++)
		for (int k = 0; k < ADVISE_ALGOS; k++) {
			const struct points_sum *one = &a->sum[i * ADVISE_ALGOS + (size_t)k];
			const struct points_sum *two = one + ADVISE_ALGOS;
			struct kind_switch s = { .which = k, .below = a->x[i],
						 .above = a->x[i + 1], .from = one->kind,
						 .to = two->kind, .library = two->library };

			if (a->no_data[i] || a->no_data[i + 1] || !one->library || !two->library ||
			    strcmp(one->kind, two->kind) == 0)
				continue;
			switch_narrow(a, &s);
			r->change = xrealloc(r->change, r->nchanges + 1, sizeof(*r->change));
			r->change[r->nchanges++] = s;
		}
}

int advice_switches(struct advice *r, const struct advise *a)
{
	struct cell *cell;
	int code = EXIT_OK;

	switches_list(r, a);
	cell = xcalloc(2 * r->nchanges + 1, sizeof(*cell));
	for (size_t i = 0; i < r->nchanges; i++) {
		cell[2 * i] = (struct cell){ .x = r->change[i].below };
		cell[2 * i + 1] = (struct cell){ .x = r->change[i].above };
	}
	if (r->nchanges)
		code = advise_run(a, cell, 2 * r->nchanges);
	for (size_t i = 0; i < r->nchanges && code == EXIT_OK; i++) {
		struct kind_switch *s = &r->change[i];

		s->below_s = advise_useful_s(a, 0, &cell[2 * i].times, s->which);
		s->above_s = advise_useful_s(a, 0, &cell[2 * i + 1].times, s->which);
		s->swaps = (advise_log_ratio(a, 0, &cell[2 * i].times) < 0.0) !=
			   (advise_log_ratio(a, 0, &cell[2 * i + 1].times) < 0.0);
		s->at_even = r->inside && r->even.lo <= s->above && r->even.hi >= s->below;
	}
	free(cell);
	return code;
}
