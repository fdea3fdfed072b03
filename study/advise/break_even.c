/*
 * break_even.c - finds the answer: the step times of all draws at the grid's points, each draw's
 * break-even by bisection, bands over the draws, and the share of each uncertain value in their
 * spread.
 *
 * Functions whose comment promises an exit code return EXIT_OK, or the code of runs that failed.
 */
#include "study/advise/advise.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/math/median.h"
#include "runner/results/folder.h"

#include <math.h>
#include <stdlib.h>

enum { FEW_DRAWS = 2, ROUNDS = 40 };  /* draws that tell whether any differ; bisections at most */

static const double close_enough_u = 0.005;     /* width: of log x, or as a share of the range */
static const double quantile_low = 0.05, quantile_high = 0.95;  /* an interval of 90 % */

/* ---- the grid ---- */

/* Fills the rows of an allocated a->grid for the draws in [from, to). An exit code. */
static int grid_fill(struct advise *a, size_t from, size_t to)
{
	scoped struct cell *cell = xcalloc((to - from) * a->nx, sizeof(*cell));
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
			a->grid[d * a->nx + i] =
				a->no_data[i] ? (struct step_times){ .x = a->x[i],
								.step_s = { (double)NAN,
									    (double)NAN } }
					      : cell[n++].times;
	return code;
}

/* Fills a->grid [ndraws][nx]; if draws do not differ, keeps one of them. An exit code. */
static int grid_find(struct advise *a)
{
	const size_t few = a->ndraws < FEW_DRAWS ? a->ndraws : FEW_DRAWS;
	int code;

	a->grid = xcalloc(a->ndraws * a->nx, sizeof(*a->grid));
	code = grid_fill(a, 0, few);
	/* draws differ if there are uncertain values, or if the first two have other times */
	a->random = code == EXIT_OK && few == FEW_DRAWS && a->uncertain.n > 0;
	for (size_t i = 0; code == EXIT_OK && few == FEW_DRAWS && i < a->nx; i++)
		for (int k = 0; k < ADVISE_ALGOS; k++) {
			const double x = a->grid[i].step_s[k], y = a->grid[a->nx + i].step_s[k];

			a->random |= x != y && !(isnan(x) && isnan(y));
		}
	if (a->random && !a->conf.quiet)
		note("%zu draws of %zu points: %zu runs, and those of the bisection", a->ndraws,
		     a->nx, ADVISE_ALGOS * a->ndraws * a->nx);
	if (code == EXIT_OK && a->random && a->ndraws > few)
		code = grid_fill(a, few, a->ndraws);
	if (!a->random)
		for (; a->ndraws > 1; a->ndraws--)
			advise_draw_release(&a->draw[a->ndraws - 1]);
	return code;
}

/* ---- bisection ---- */

struct bisection {              /* of a draw: the ratio of times crosses 1 between a and b */
	double a, b, fa;        /* positions as of vary_u(), and the log ratio at a */
	double slope;           /* of the log ratio, between the grid's points next to it */
	double error;           /* of a log ratio, because runs have a beginning and an end */
	bool done;
};

/* Relative error of a step time: start and end of a run may be off by a gradient of a worker. */
static double times_error(const struct step_times *t)
{
	return 2.0 / t->gradients;
}

/* -1, 1: the second, the first algorithm is faster by this log ratio; 0: they are equal. */
static int faster_by(double f)
{
	static const double rounding = 1e-9;

	return (f > rounding) - (f < -rounding);
}

/* True if both algorithms take equally long at a point, in all draws. */
static bool row_is_tied(const struct row *r)
{
	const double f = log(r->time[ADVISE_SECOND].median / r->time[ADVISE_FIRST].median);

	return fabs(r->p - 0.5) <= 0.0 && faster_by(f) == 0;
}

/*
 * Begins *b between the first two points of the grid between which the ratio crosses 1; at points
 * between them both are equal. Where they are equal up to an end of the range, nothing crosses.
 */
static void bisection_begin(const struct advise *a, size_t draw, struct crossing *c,
			    struct bisection *b)
{
	const struct step_times *t = &a->grid[draw * a->nx];

	size_t last = SIZE_MAX;         /* the last point where they differ */

	*c = (struct crossing){ .cell = SIZE_MAX };     /* none: *b stays as it is */
	for (size_t i = 0; i < a->nx; i++) {
		const double f = advise_log_ratio(a, draw, &t[i]);
		const double before = last == SIZE_MAX ? f : advise_log_ratio(a, draw, &t[last]);
		const double ua = vary_u(a->vary, a->x[last == SIZE_MAX ? i : last]);
		const double ub = vary_u(a->vary, a->x[i]);

		if (!isnan(f) && faster_by(f) == 0)
			continue;
		if (!isnan(f) && faster_by(before) != faster_by(f)) {
			if (c->cell != SIZE_MAX) {
				c->several = true;
				return;
			}
			c->cell = last;
			*b = (struct bisection){ ua, ub, before, (f - before) / (ub - ua),
						 times_error(&t[last]), false };
		}
		last = isnan(f) ? SIZE_MAX : i;
	}
}

static double bisection_middle(const struct advise *a, const struct bisection *b)
{
	return vary_x(&a->vary[0], 0.5 * (b->a + b->b));
}

/* True when a and b are close enough, or neighbours if x is a whole number. */
static bool bisection_is_close(const struct advise *a, const struct bisection *b)
{
	const struct vary *v = a->vary;
	const double x = bisection_middle(a, b), range = v->log ? 1.0 : v->hi - v->lo;

	if (a->vary[0].kind->whole)
		return vary_x(&a->vary[0], b->b) - vary_x(&a->vary[0], b->a) < 1.5 ||
		       !(x > vary_x(&a->vary[0], b->a) && x < vary_x(&a->vary[0], b->b));
	return b->b - b->a <= close_enough_u * range;
}

/* One round: runs at the middle of each bisection that is not done; *left of them. An exit code. */
static int bisection_round(const struct advise *a, const struct crossing *c, struct bisection *b,
			   size_t *left)
{
	scoped struct cell *cell = xcalloc(a->ndraws, sizeof(*cell));
	size_t n = 0;
	int code = EXIT_OK;

	for (size_t d = 0; d < a->ndraws; d++) {
		b[d].done = c[d].cell == SIZE_MAX || bisection_is_close(a, &b[d]);
		if (!b[d].done)
			cell[n++] = (struct cell){ .x = bisection_middle(a, &b[d]), .draw = d };
	}
	if (n)
		code = advise_run(a, cell, n);
	for (size_t i = 0; i < n && code == EXIT_OK; i++) {
		struct bisection *of = &b[cell[i].draw];
		const double f = advise_log_ratio(a, cell[i].draw, &cell[i].times);
		const double u = vary_u(&a->vary[0], cell[i].x);

		if ((f < 0.0) == (of->fa < 0.0)) {
			of->a = u;
			of->fa = f;
		} else {
			of->b = u;
		}
		of->error = times_error(&cell[i].times);
	}
	*left = n;
	return code;
}

/* Fills crossing[a->ndraws], but for draws without one: .cell is SIZE_MAX. An exit code. */
static int crossings_find(const struct advise *a, struct crossing *crossing)
{
	scoped struct bisection *b = xcalloc(a->ndraws, sizeof(*b));
	size_t left = 1;
	int code = EXIT_OK;

	for (size_t d = 0; d < a->ndraws; d++)
		bisection_begin(a, d, &crossing[d], &b[d]);
	for (int i = 0; i < ROUNDS && left && code == EXIT_OK; i++)
		code = bisection_round(a, crossing, b, &left);
	/* x is the middle; lo and hi allow for the width of the bisection, and the error of runs */
	for (size_t d = 0; d < a->ndraws && code == EXIT_OK; d++) {
		struct crossing *c = &crossing[d];
		const double u = 0.5 * (b[d].a + b[d].b);
		const double half = fmax(0.5 * (b[d].b - b[d].a), fabs(b[d].error / b[d].slope));

		if (c->cell == SIZE_MAX)
			continue;
		c->lo = fmax(a->vary[0].lo, vary_x(&a->vary[0], u - half));
		c->hi = fmin(a->vary[0].hi, vary_x(&a->vary[0], u + half));
		c->x = vary_x(&a->vary[0], a->vary[0].kind->whole ? b[d].b : u);
	}
	return code;
}

/* ---- bands over the draws ---- */

/*
 * The quantile q of x[n], which is ascending: linear between neighbours. Of whole numbers, and next
 * to an infinite one, it is the outer neighbour (above the median the higher), so that the interval
 * has at least its share of x.
 */
static double band_quantile(const double *x, size_t n, double q, bool whole)
{
	const double rank = q * (double)(n - 1), below = floor(rank), share = rank - below;
	const size_t i = (size_t)below;

	if (share <= 0.0 || i + 1 >= n)
		return x[i];
	if (whole || isinf(x[i]) || isinf(x[i + 1]))
		return q > 0.5 ? x[i + 1] : x[i];
	return x[i] + share * (x[i + 1] - x[i]);
}

/* Median and 90 % interval of x[n], which it sorts. */
static struct band band_of(double *x, size_t n, bool whole)
{
	sort_doubles(x, n);
	return (struct band){ band_quantile(x, n, 0.5, whole),
			      band_quantile(x, n, quantile_low, whole),
			      band_quantile(x, n, quantile_high, whole) };
}

/* Fills *row from the times of the draws t[0], t[stride], ... at its x; x[ndraws] is scratch. */
static void row_fill(struct row *row, const struct advise *a, const struct step_times *t,
		     size_t stride, double *x)
{
	double faster = 0.0, seconds = 0.0;

	for (int k = 0; k < ADVISE_ALGOS; k++) {
		for (size_t d = 0; d < a->ndraws; d++)
			x[d] = advise_useful_s(a, d, &t[d * stride], k);
		row->time[k] = band_of(x, a->ndraws, false);
	}
	for (size_t d = 0; d < a->ndraws; d++) {
		const struct step_times *own = &t[d * stride];
		const double f = advise_log_ratio(a, d, own);

		/* draws in which both take equally long count half */
		faster += 0.5 - 0.5 * faster_by(f);
		seconds += fmin(own->step_s[ADVISE_FIRST], own->step_s[ADVISE_SECOND]) *
			   own->gradients;
	}
	row->p = faster / (double)a->ndraws;
	row->measured_s = seconds / (double)a->ndraws;
}

static struct row row_empty(double x)
{
	const double unknown = (double)NAN;
	const struct band none = { unknown, unknown, unknown };

	return (struct row){ x, { none, none }, unknown, unknown, { unknown, unknown, unknown } };
}

char *break_even_tie(const struct row *const *row, size_t n, const char *parameter,
		     char *const algo[ADVISE_ALGOS])
{
	size_t from = 0, to = n;        /* those that differ */
	bool first = true, second = true;
	const struct row *tie;

	while (from < n && row_is_tied(row[from]))
		from++;
	while (to > from && row_is_tied(row[to - 1]))
		to--;
	for (size_t i = from; i < to; i++) {
		first &= row[i]->p <= 0.0;
		second &= row[i]->p >= 1.0;
	}
	if (from == to || first == second || (from > 0) == (to < n))
		return NULL;
	tie = from > 0 ? row[from - 1] : row[to];
	return xasprintf("equal at %s %.*g; %s is faster as soon as %s is %s %.*g", parameter,
			 vary_digits(tie->x), tie->x, algo[second ? ADVISE_SECOND : ADVISE_FIRST],
			 parameter, from > 0 ? "above" : "below", vary_digits(tie->x), tie->x);
}

char *band_text(struct band b)
{
	if (isnan(b.median))
		return xstrdup("no data");
	return b.hi > b.lo ? xasprintf("%.4g (%.4g to %.4g)", b.median, b.lo, b.hi)
			   : xasprintf("%.4g", b.median);
}

char *edge_text(double x, double lo, double hi, const char *unit)
{
	const char *where = !isinf(x) ? "" : x < 0.0 ? "below " : "above ";
	const double at = !isinf(x) ? x : x < 0.0 ? lo : hi;

	return xasprintf("%s%.*g%s%s", where, vary_digits(at), at, *unit ? " " : "", unit);
}

/* Fills r->row[nx], and r->lo and r->hi: the range of the parameter in which there are data. */
static void break_even_rows(struct break_even *r, const struct advise *a)
{
	scoped double *x = xcalloc(a->ndraws, sizeof(*x));

	r->row = xcalloc(a->nx, sizeof(*r->row));
	r->lo = r->hi = (double)NAN;
	for (size_t i = 0; i < a->nx; i++) {
		struct row *row = &r->row[i];

		*row = row_empty(a->x[i]);
		if (a->no_data[i])
			continue;
		r->lo = isnan(r->lo) ? a->x[i] : r->lo;
		r->hi = a->x[i];
		row_fill(row, a, &a->grid[i], a->nx, x);
		for (int k = 0; k < RARES; k++)
			if (a->rare[i][k] > 0.0)
				row->rare[k] = a->rare[i][k] * row->measured_s;
	}
}

/* ---- more rows for a picture ---- */

/* Adds a value between two points with data, unless it is one of the grid or of the list. */
static void finer_add(const struct advise *a, double *list, size_t *n, double x)
{
	size_t i = 0;

	if (!(x > a->x[0] && x < a->x[a->nx - 1]))
		return;
	while (i + 1 < a->nx && a->x[i + 1] <= x)
		i++;
	if (!(x > a->x[i]) || a->no_data[i] || a->no_data[i + 1])
		return;
	for (size_t k = 0; k < *n; k++)
		if (!(list[k] < x) && !(list[k] > x))
			return;
	list[(*n)++] = x;
}

int break_even_refine(struct break_even *r, const struct advise *a)
{
	enum { AROUND = 5 };            /* values in the interval of the break-even */
	const struct vary *v = &a->vary[0];
	scoped double *list = xcalloc(AROUND, sizeof(*list)), *x = NULL;
	scoped struct cell *cell = NULL;
	scoped struct step_times *times = NULL;
	size_t n = 0;
	int code = EXIT_OK;

	if (r->inside) {
		const double from = vary_u(v, fmax(r->even.lo, r->lo));
		const double to = vary_u(v, fmin(r->even.hi, r->hi));

		if (isfinite(r->even.median))
			finer_add(a, list, &n, r->even.median);
		for (int i = 0; i < AROUND - 1; i++)
			finer_add(a, list, &n, vary_x(v, from + (to - from) * i / (AROUND - 2)));
	}
	sort_doubles(list, n);
	cell = xcalloc(n * a->ndraws + 1, sizeof(*cell));
	times = xcalloc(n * a->ndraws + 1, sizeof(*times));
	x = xcalloc(a->ndraws, sizeof(*x));
	for (size_t i = 0; i < n * a->ndraws; i++)
		cell[i] = (struct cell){ .x = list[i % n], .draw = i / n };
	if (n)
		code = advise_run(a, cell, n * a->ndraws);
	for (size_t i = 0; i < n * a->ndraws; i++)
		times[i] = cell[i].times;
	r->finer = xcalloc(n + 1, sizeof(*r->finer));
	for (size_t i = 0; i < n && code == EXIT_OK; i++) {
		r->finer[i] = row_empty(list[i]);
		row_fill(&r->finer[i], a, &times[i], n, x);
	}
	r->nfiner = code == EXIT_OK ? n : 0;
	return code;
}

/* ---- the break-even ---- */

/*
 * True if the second algorithm is faster in a draw, at the first grid point that is not below x and
 * at which they differ.
 */
static bool second_is_faster(const struct advise *a, size_t draw, double x)
{
	size_t i = 0;

	while (a->x[i] < x)
		i++;
	while (i + 1 < a->nx &&
	       faster_by(advise_log_ratio(a, draw, &a->grid[draw * a->nx + i])) == 0)
		i++;
	return advise_log_ratio(a, draw, &a->grid[draw * a->nx + i]) < 0.0;
}

/*
 * Sets the break-even of draws that have none in the range to -inf or inf. If the second algorithm
 * is faster above break-evens (direction 1), and in all of the range, the break-even is below the
 * range: -inf; and so on.
 */
static void crossings_set_outside(const struct break_even *r, const struct advise *a,
				  struct crossing *crossing)
{
	for (size_t d = 0; d < a->ndraws; d++) {
		struct crossing *c = &crossing[d];
		const bool second = second_is_faster(a, d, r->lo);

		if (c->cell == SIZE_MAX)
			c->x = c->lo = c->hi = second == (r->direction > 0) ? -HUGE_VAL : HUGE_VAL;
	}
}

/* Sets r->direction, 1: the second is faster above the break-even, -1: below; and r->even. */
static void break_even_settle(struct break_even *r, const struct advise *a)
{
	double *x = xcalloc(3 * a->ndraws, sizeof(*x)), *lo = x + a->ndraws, *hi = lo + a->ndraws;
	const bool whole = a->vary[0].kind->whole;
	long above = 0;

	/* each draw with a crossing votes: the second is faster above it (+1) or below (-1) */
	for (size_t d = 0; d < a->ndraws; d++)
		if (r->crossing[d].cell != SIZE_MAX)
			above += second_is_faster(a, d, a->x[r->crossing[d].cell]) ? -1 : 1;
	r->direction = above >= 0 ? 1 : -1;
	crossings_set_outside(r, a, r->crossing);
	for (size_t d = 0; d < a->ndraws; d++) {
		x[d] = r->crossing[d].x;
		lo[d] = r->crossing[d].lo;
		hi[d] = r->crossing[d].hi;
	}
	r->even.median = band_of(x, a->ndraws, whole).median;
	r->even.lo = band_of(lo, a->ndraws, whole).lo;
	r->even.hi = band_of(hi, a->ndraws, whole).hi;
	free(x);
}

/* ---- the share of each uncertain value in the spread ---- */

/*
 * At the grid's point next to the break-even the draws' log ratios f are fitted by least squares:
 *
 *     f = c + sum of b_j z_j + rest
 *
 * where z_j is the deviation of value j in a draw. The z_j are independent with variance 1, so
 * b_j^2 is value j's part of the variance of f.
 */
struct spread_fit {
	size_t at;              /* index of the grid's point */
	size_t m;               /* unknowns: the constant, and a coefficient for each value */
	double *b;              /* [m]; owned */
};

/* The factor of the j-th unknown in a draw: 1 for the constant, else z. */
static double fit_regressor(const struct advise *a, size_t draw, size_t j)
{
	return j ? a->draw[draw].z[j - 1] : 1.0;
}

/* Sets f->b by the normal equations. */
static void fit_solve(struct spread_fit *f, const struct advise *a)
{
	const size_t width = f->m + 1;
	double *normal = xcalloc(f->m * width, sizeof(*normal));        /* [m][m + right side] */

	for (size_t d = 0; d < a->ndraws; d++) {
		const double y = advise_log_ratio(a, d, &a->grid[d * a->nx + f->at]);

		for (size_t i = 0; i < f->m; i++) {
			double *row = normal + i * width;

			for (size_t j = 0; j < f->m; j++)
				row[j] += fit_regressor(a, d, i) * fit_regressor(a, d, j);
			row[f->m] += fit_regressor(a, d, i) * y;
		}
	}
	/* Gauss-Jordan without pivoting: the matrix is symmetric and positive definite */
	for (size_t k = 0; k < f->m; k++)
		for (size_t i = 0; i < f->m; i++) {
			const double factor = normal[i * width + k] / normal[k * width + k];

			for (size_t j = k; j < width && i != k; j++)
				normal[i * width + j] -= factor * normal[k * width + j];
		}
	for (size_t k = 0; k < f->m; k++)
		f->b[k] = normal[k * width + f->m] / normal[k * width + k];
	free(normal);
}

/* Sample variance of what the fit leaves of the log ratios. */
static double fit_rest(const struct spread_fit *f, const struct advise *a)
{
	const double n = (double)a->ndraws;
	double sum = 0.0, squares = 0.0;

	for (size_t d = 0; d < a->ndraws; d++) {
		double y = advise_log_ratio(a, d, &a->grid[d * a->nx + f->at]);

		for (size_t j = 0; j < f->m; j++)
			y -= f->b[j] * fit_regressor(a, d, j);
		sum += y;
		squares += y * y;
	}
	return fmax(0.0, squares - sum * sum / n) / (n - (double)f->m);
}

/* For qsort(): the largest share first. */
static int effect_by_share(const void *a, const void *b)
{
	const struct effect *x = a, *y = b;

	return (x->share < y->share) - (x->share > y->share);
}

/* Fills r->effect without lo and hi, and r->rest; nothing if there are too few draws. */
static void break_even_effects(struct break_even *r, const struct advise *a)
{
	struct spread_fit f = { .at = SIZE_MAX, .m = a->uncertain.n + 1 };
	const double u = vary_u(&a->vary[0], fmin(fmax(r->even.median, r->lo), r->hi));
	double all, rest;

	if (!a->uncertain.n || a->ndraws < 2 * f.m + 2 || isinf(r->even.median))
		return;
	for (size_t i = 0; i < a->nx; i++)
		if (!a->no_data[i] && (f.at == SIZE_MAX || fabs(vary_u(&a->vary[0], a->x[i]) - u) <
						   fabs(vary_u(&a->vary[0], a->x[f.at]) - u)))
			f.at = i;
	f.b = xcalloc(f.m, sizeof(*f.b));
	fit_solve(&f, a);
	all = rest = fit_rest(&f, a);
	r->neffects = a->uncertain.n;
	r->effect = xcalloc(r->neffects, sizeof(*r->effect));
	for (size_t j = 0; j < r->neffects; j++) {
		const double part = f.b[j + 1] * f.b[j + 1];

		r->effect[j] = (struct effect){ .uncertain = j, .share = part };
		all += part;
	}
	for (size_t j = 0; j < r->neffects; j++)
		r->effect[j].share = all > 0.0 ? r->effect[j].share / all : 0.0;
	r->rest = all > 0.0 ? rest / all : 0.0;
	qsort(r->effect, r->neffects, sizeof(*r->effect), effect_by_share);
	free(f.b);
}

/* ---- the break-even with one uncertain value a deviation lower, or higher ---- */

enum end { END_LOW, END_HIGH, ENDS };

/*
 * Finds the break-evens lo and hi of each effect: its value is one deviation below or above the
 * median, all others are at their medians. For each of these ends there are runs and bisections
 * with the first seeds of the answer; in all at most as many draws as the answer had, but one seed
 * at least. An exit code.
 */
static int break_even_probe(struct break_even *r, const struct advise *a)
{
	const size_t ends = ENDS * r->neffects, most = ends ? a->ndraws / ends : 0;
	const size_t seeds = most ? most : 1;   /* of each end */
	struct advise probe = *a;       /* with other draws: [neffects][ENDS][seeds] */
	struct crossing *crossing;
	double *x;
	int code;

	if (!r->neffects)
		return EXIT_OK;
	probe.ndraws = ends * seeds;
	probe.draw = xcalloc(probe.ndraws, sizeof(*probe.draw));
	probe.grid = xcalloc(probe.ndraws * a->nx, sizeof(*probe.grid));
	crossing = xcalloc(probe.ndraws, sizeof(*crossing));
	x = xcalloc(seeds, sizeof(*x));
	for (size_t d = 0; d < probe.ndraws; d++) {
		struct draw *draw = &probe.draw[d];

		*draw = advise_draw_new(a, a->centre.seed + d % seeds);
		draw->z[r->effect[d / seeds / ENDS].uncertain] =
			d / seeds % ENDS == END_LOW ? -1.0 : 1.0;
		for (size_t i = 0; i < a->uncertain.n; i++)
			draw->value[i] = uncertain_at(&a->uncertain.v[i], draw->z[i]);
	}
	code = grid_fill(&probe, 0, probe.ndraws);
	if (code == EXIT_OK)
		code = crossings_find(&probe, crossing);
	if (code == EXIT_OK)
		crossings_set_outside(r, &probe, crossing);
	for (size_t e = 0; e < ends && code == EXIT_OK; e++) {
		struct effect *effect = &r->effect[e / ENDS];
		double even;

		for (size_t s = 0; s < seeds; s++)
			x[s] = crossing[e * seeds + s].x;
		even = band_of(x, seeds, a->vary[0].kind->whole).median;
		*(e % ENDS == END_LOW ? &effect->lo : &effect->hi) = even;
	}
	for (size_t d = 0; d < probe.ndraws; d++)
		advise_draw_release(&probe.draw[d]);
	free_all(probe.draw, probe.grid, crossing, x);
	return code;
}

/* Says what happens at given times that runs do not measure. */
static void break_even_find_untimely(struct break_even *r, const struct advise *a)
{
	struct delay_span measured = { 0.0, HUGE_VAL };

	for (size_t i = 0; i < a->nx * a->ndraws; i++) {
		const struct delay_span *own = &a->grid[i].measured;

		if (a->no_data[i % a->nx])
			continue;
		measured.from = fmax(measured.from, own->from);
		measured.until = fmin(measured.until, own->until);
	}
	advise_find_untimely(&a->timed, &measured, &r->gaps);
}

/* Says at which points runs are too short to have ADVISE_RARE events of a kind that is rare. */
static void break_even_find_rare(struct break_even *r, const struct advise *a)
{
	for (int k = 0; k < RARES; k++) {
		size_t few = 0, least = 0;      /* such points; the one with fewest events */

		for (size_t i = 0; i < a->nx; i++) {
			if (!(r->row[i].rare[k] < ADVISE_RARE))         /* enough, or NaN */
				continue;
			if (!few++ || r->row[i].rare[k] < r->row[least].rare[k])
				least = i;
		}
		if (few)        /* a->rare: events a second */
			texts_putf(&r->gaps, "%zu of %zu points have fewer than %d %s in a run "
				   "(%.2g at %s %.*g): times there, and a break-even near them, "
				   "may be biased. Give --seconds %.6g or more", few, a->nx,
				   ADVISE_RARE, rare_names[k], r->row[least].rare[k],
				   a->vary[0].kind->name, vary_digits(a->x[least]), a->x[least],
				   advise_rounded_up(ADVISE_RARE / a->rare[least][k]));
	}
}

/* ---- all of it ---- */

static int break_even_find_all(struct break_even *r, struct advise *a)
{
	int code = grid_find(a);

	if (code != EXIT_OK)
		return code;
	r->crossing = xcalloc(a->ndraws, sizeof(*r->crossing));
	code = crossings_find(a, r->crossing);
	if (code != EXIT_OK)
		return code;
	break_even_rows(r, a);
	for (size_t i = 0; i < a->limits.n; i++)
		texts_put(&r->gaps, a->limits.v[i]);
	break_even_find_rare(r, a);
	for (size_t d = 0; d < a->ndraws; d++) {
		r->inside += r->crossing[d].cell != SIZE_MAX;
		r->several += r->crossing[d].several;
	}
	if (r->inside) {
		break_even_settle(r, a);
		break_even_effects(r, a);
		code = break_even_probe(r, a);
	}
	if (code == EXIT_OK)
		code = exchange_find(a, &r->gaps);
	if (code == EXIT_OK) {
		break_even_find_untimely(r, a);
		break_even_switches(r, a);
	}
	return code;
}

int break_even_find(struct break_even *r, struct advise *a)
{
	int code;

	*r = (struct break_even){ 0 };
	if (folder_make(a->out) < 0)
		return EXIT_BAD;
	code = break_even_find_all(r, a);
	return known_save(a->known, false) < 0 && code == EXIT_OK ? EXIT_BAD : code;
}

void break_even_release(struct break_even *r)
{
	free_all(r->row, r->crossing, r->effect, r->change, r->finer);
	texts_release(&r->gaps);
	*r = (struct break_even){ 0 };
}
