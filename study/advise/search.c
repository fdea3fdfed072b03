/* The times of all draws at the grid's points, and each draw's break-even by bisection. */
#include "study/advise/advise.h"

#include "core/base/error.h"
#include "core/base/mem.h"

#include <math.h>
#include <stdlib.h>

enum { FEW = 2, ROUNDS = 40 };  /* draws that tell whether any differ; bisections at most */

static const double close_enough = 0.005;       /* of log x, or of the range */

/* ---- the grid ---- */

static bool search_same(const struct times *a, const struct times *b)
{
	for (int k = 0; k < ADVISE_ALGOS; k++)
		if (a->step_s[k] != b->step_s[k] && !(isnan(a->step_s[k]) && isnan(b->step_s[k])))
			return false;
	return true;
}

/* Whether the second draw is another run than the first. */
static bool search_differs(const struct advise *a)
{
	for (size_t i = 0; i < a->nx; i++)
		if (!search_same(&a->grid[i], &a->grid[a->nx + i]))
			return true;
	return a->uncertain.n > 0;
}

static struct times search_nothing(double x)
{
	return (struct times){ .x = x, .step_s = { (double)NAN, (double)NAN } };
}

int advise_fill(struct advise *a, size_t from, size_t to)
{
	struct cell *cell = xcalloc((to - from) * a->nx, sizeof(*cell));
	size_t n = 0;
	int code = EXIT_OK;

	for (size_t d = from; d < to; d++)
		for (size_t i = 0; i < a->nx; i++)
			if (!a->no_data[i])
				cell[n++] = (struct cell){ .x = a->x[i], .draw = d };
	if (n)
		code = advise_run(a, cell, n);
	n = 0;
	for (size_t d = from; d < to; d++)
		for (size_t i = 0; i < a->nx; i++)
			a->grid[d * a->nx + i] = a->no_data[i] ? search_nothing(a->x[i])
							       : cell[n++].times;
	free(cell);
	return code;
}

int advise_grid(struct advise *a)
{
	const size_t few = a->ndraws < FEW ? a->ndraws : FEW;
	int code;

	a->grid = xcalloc(a->ndraws * a->nx, sizeof(*a->grid));
	code = advise_fill(a, 0, few);
	a->random = code == EXIT_OK && few == FEW && search_differs(a);
	if (a->random && !a->conf.quiet)
		note("%zu draws of %zu points: %zu runs, and those of the bisection", a->ndraws,
		     a->nx, ADVISE_ALGOS * a->ndraws * a->nx);
	if (code == EXIT_OK && a->random && a->ndraws > few)
		code = advise_fill(a, few, a->ndraws);
	if (!a->random)
		for (; a->ndraws > 1; a->ndraws--)
			advise_draw_release(&a->draw[a->ndraws - 1]);
	return code;
}

/* ---- bisection ---- */

struct bisection {              /* of a draw: between a and b the ratio crosses 1 */
	double a, b, fa, fb;    /* positions on the scale, and log ratios there */
	double slope;           /* of the log ratio, over the grid's cell */
	double error;           /* of a log ratio, because runs end */
	bool done;
};

/* A run's start and end may each be off by a gradient of each worker. */
static double search_error(const struct times *t)
{
	return 2.0 / t->gradients;
}

/* The first two neighbours of the grid between which the ratio crosses 1. */
static void search_bracket(const struct advise *a, size_t draw, struct crossing *c,
			   struct bisection *b)
{
	const struct times *t = &a->grid[draw * a->nx];

	*c = (struct crossing){ .cell = SIZE_MAX };
	for (size_t i = 0; i + 1 < a->nx; i++) {
		const double fa = advise_log_ratio(a, draw, &t[i]);
		const double fb = advise_log_ratio(a, draw, &t[i + 1]);
		const double ua = vary_u(&a->vary, a->x[i]), ub = vary_u(&a->vary, a->x[i + 1]);

		if (isnan(fa) || isnan(fb) || (fa < 0.0) == (fb < 0.0))
			continue;
		if (c->cell != SIZE_MAX) {
			c->several = true;
			return;
		}
		c->cell = i;
		*b = (struct bisection){ ua, ub, fa, fb, (fb - fa) / (ub - ua),
					 search_error(&t[i]), false };
	}
}

static double search_middle(const struct advise *a, const struct bisection *b)
{
	return vary_x(&a->vary, 0.5 * (b->a + b->b));
}

static bool search_close(const struct advise *a, const struct bisection *b)
{
	const double x = search_middle(a, b), range = a->vary.log ? 1.0 : a->vary.hi - a->vary.lo;

	if (a->vary.kind->whole)
		return vary_x(&a->vary, b->b) - vary_x(&a->vary, b->a) < 1.5 ||
		       !(x > vary_x(&a->vary, b->a) && x < vary_x(&a->vary, b->b));
	return b->b - b->a <= close_enough * range;
}

static void search_step(const struct advise *a, struct bisection *b, const struct cell *cell)
{
	const double f = advise_log_ratio(a, cell->draw, &cell->times);
	const double u = vary_u(&a->vary, cell->x);

	if ((f < 0.0) == (b->fa < 0.0)) {
		b->a = u;
		b->fa = f;
	} else {
		b->b = u;
		b->fb = f;
	}
	b->error = search_error(&cell->times);
}

/* One round: the middle of each draw that is not done. */
static int search_round(const struct advise *a, const struct crossing *c, struct bisection *b,
			size_t *left)
{
	struct cell *cell = xcalloc(a->ndraws, sizeof(*cell));
	size_t n = 0;
	int code = EXIT_OK;

	for (size_t d = 0; d < a->ndraws; d++) {
		b[d].done = c[d].cell == SIZE_MAX || search_close(a, &b[d]);
		if (!b[d].done)
			cell[n++] = (struct cell){ .x = search_middle(a, &b[d]), .draw = d };
	}
	if (n)
		code = advise_run(a, cell, n);
	for (size_t i = 0; i < n && code == EXIT_OK; i++)
		search_step(a, &b[cell[i].draw], &cell[i]);
	*left = n;
	free(cell);
	return code;
}

/* The middle, and what the bisection and the end of the runs leave open. */
static void search_settle(const struct advise *a, const struct bisection *b, struct crossing *c)
{
	const double u = 0.5 * (b->a + b->b);
	const double open = fmax(0.5 * (b->b - b->a), fabs(b->error / b->slope));

	c->lo = fmax(a->vary.lo, vary_x(&a->vary, u - open));
	c->hi = fmin(a->vary.hi, vary_x(&a->vary, u + open));
	c->x = a->vary.kind->whole ? vary_x(&a->vary, b->b) : vary_x(&a->vary, u);
}

int advise_search(const struct advise *a, struct crossing *crossing)
{
	struct bisection *b = xcalloc(a->ndraws, sizeof(*b));
	size_t left = 1;
	int code = EXIT_OK;

	for (size_t d = 0; d < a->ndraws; d++)
		search_bracket(a, d, &crossing[d], &b[d]);
	for (int i = 0; i < ROUNDS && left && code == EXIT_OK; i++)
		code = search_round(a, crossing, b, &left);
	for (size_t d = 0; d < a->ndraws && code == EXIT_OK; d++)
		if (crossing[d].cell != SIZE_MAX)
			search_settle(a, &b[d], &crossing[d]);
	free(b);
	return code;
}
