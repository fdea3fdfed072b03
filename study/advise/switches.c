/*
 * switches.c - values of the parameter at which a library of all-reduces, NCCL or Open MPI, takes
 * another algorithm: times may jump there, and a break-even lies in the jump or next to it.
 */
#include "study/advise/advise.h"

#include "core/base/mem.h"
#include "plan/machine/machine.h"

#include <math.h>
#include <string.h>

enum { HALVINGS = 24 };

/* Kind of an algorithm's all-reduces with the parameter at x; NULL: it has none. */
static const char *switch_kind_at(const struct advise *a, double x, int which)
{
	scoped_by(point_release) struct grid_point point = advise_point(a, x, &a->centre, which);
	scoped_by(setup_release) struct setup su;
	const char *kind = NULL;

	setup_init(&su);
	if (settings_apply_point(&su.in, &point, "command line") == 0 && setup_resolve(&su) == 0)
		kind = allreduce_kind(&su);
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

/* Whether an algorithm's all-reduces differ between the i-th and the next point; *s <- how. */
static bool switch_between(const struct advise *a, size_t i, int which, struct kind_switch *s)
{
	const struct points_sum *one = &a->sum[i * ADVISE_ALGOS + (size_t)which];
	const struct points_sum *two = one + ADVISE_ALGOS;

	*s = (struct kind_switch){ .which = which, .below = a->x[i], .above = a->x[i + 1],
				   .from = one->kind, .to = two->kind, .library = two->library };
	return !a->no_data[i] && !a->no_data[i + 1] && one->library && two->library &&
	       strcmp(one->kind, two->kind) != 0;
}

size_t switches_narrowed(const struct advise *a, double *x)
{
	struct kind_switch s;
	size_t n = 0;

	for (size_t i = 0; i + 1 < a->nx; i++)
		for (int k = 0; k < ADVISE_ALGOS; k++)
			if (switch_between(a, i, k, &s)) {
				switch_narrow(a, &s);
				x[n++] = s.below;
				x[n++] = s.above;
			}
	return n;
}

bool switch_is_near(double even, double above, double below_s, double above_s)
{
	static const double jump = 1.05, close = 1.25;

	return isfinite(even) && fabs(log(above_s / below_s)) > log(jump) &&
	       fabs(log(even / above)) < log(close);
}

void break_even_switches(struct break_even *r, const struct advise *a)
{
	struct kind_switch s;

	for (size_t i = 0; i + 1 < a->nx; i++)
		for (int k = 0; k < ADVISE_ALGOS; k++) {
			const struct step_times *at = &a->grid[i];

			if (!switch_between(a, i, k, &s))
				continue;
			s.below_s = advise_useful_s(a, 0, &at[0], k);
			s.above_s = advise_useful_s(a, 0, &at[1], k);
			s.step_below_s = at[0].step_s[k];
			s.step_above_s = at[1].step_s[k];
			s.swaps = (advise_log_ratio(a, 0, &at[0]) < 0.0) !=
				  (advise_log_ratio(a, 0, &at[1]) < 0.0);
			s.at_even = r->inside && s.swaps && r->even.median >= s.below &&
				    r->even.median <= s.above;
			APPEND(r->change, r->nchanges) = s;
		}
}
