/* Fills the pages of a ranking and of a break-even. */
#include "cmd/answer_parts.h"

#include "cmd/plot_path.h"
#include "core/base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char measure_next[] =
	"Seconds of a minibatch on your machine, before communication, and the bandwidth that an "
	"all-reduce reaches (convoy calibrate).";

static char *interval_text(double value, double lo, double hi)
{
	return hi > lo ? xasprintf("%.3g (%.3g to %.3g)", value, lo, hi)
		       : xasprintf("%.4g", value);
}

/* True when a logarithmic axis shows these ascending values better. */
static bool is_wide(const double *x, size_t n)
{
	return x[0] > 0.0 && x[n - 1] >= 4.0 * x[0];
}

/* "bandwidth [GB/s]": a parameter with its unit; borrowed. */
static const char *axis_of(const char *parameter)
{
	const struct vary_kind *k = vary_kind_of(parameter);

	return k ? k->axis : parameter;
}

static void put_csv(const void *answer, FILE *out)
{
	answer_print_csv(answer, out);
}

static void put_json(const void *answer, FILE *out)
{
	answer_print_json(answer, out);
}

int chart_draw(const struct chart *c, const struct answer *a, const char *plot,
	       struct texts *paths)
{
	struct plot_path at;

	if (plot_path_split(plot, PLOT_PATH_NUMBERS, &at) < 0)
		return -1;
	return chart_write(c, &(struct plot_parts){ .name = at.name, .ctx = a, .csv = put_csv,
						    .json = put_json }, at.dir, at.format, paths);
}

/* ---- a ranking ---- */

static void among_table(struct answer_page *p, const struct answer *a)
{
	static const char *const heads[] = { "algorithm", "to the same loss [s]", "ratio",
					     "P(first)", "step [s]", "epoch [s]",
					     "progress per step", "epoch costs",
					     "same loss costs" };
	enum { WITH_COST = sizeof(heads) / sizeof(heads[0]), WITHOUT = WITH_COST - 2 };
	const struct ranking *ranking = &a->among.ranking;
	const bool priced = ranking->n && !isnan(ranking->v[0].at.epoch_cost);
	char *epoch = epoch_samples_text(&a->assumed, a->among.epoch_samples);
	const size_t columns = priced ? WITH_COST : WITHOUT;
	char *cell[WITH_COST];

	p->table_title = xstrdup("Ranking");
	p->table = grid_new();
	for (size_t i = 0; i < columns; i++)
		cell[i] = xstrdup(heads[i]);
	grid_row_own(p->table, cell, columns);
	for (size_t i = 0; i < ranking->n && i < ANSWER_ROWS; i++) {
		const struct answer_ranked *r = &ranking->v[i];
		const struct ranked *at = &r->at;
		const struct relative_progress *own = &at->progress;
		char *progress = interval_text(own->value, own->lo, own->hi);

		cell[0] = xstrdup(r->algo);
		cell[1] = interval_text(at->same.median, at->same.lo, at->same.hi);
		cell[2] = among_ratio_text(at->same.median / ranking->v[0].at.same.median);
		cell[3] = among_p_text(at->p);
		cell[4] = xasprintf("%.4g", at->step_s);
		cell[5] = isnan(at->epoch_s) ? xstrdup("-") : xasprintf("%.4g", at->epoch_s);
		cell[6] = xasprintf("%s, %s%s%s", progress, progress_kind_names[own->kind],
				    own->capped ? " *" : "", own->far ? " !" : "");
		free(progress);
		if (priced) {
			cell[7] = cost_text(&a->given, at->epoch_cost);
			cell[8] = cost_text(&a->given, at->same_cost);
		}
		grid_row_own(p->table, cell, columns);
	}
	if (epoch)
		texts_putf(&p->table_notes, "In this table %s.", epoch);
	free(epoch);
	if (priced)
		texts_put(&p->table_notes, "Same loss costs: until the loss that "
			  "all-reduce has after an epoch.");
	texts_put(&p->table_notes,
		  "To the same loss: the time of a step, divided by the progress per step relative "
		  "to all-reduce. In parentheses: 95 % intervals of the progress, 90 % of the "
		  "times. P(first): that it is the first, or within 1 % of the first. "
		  "* A mean above 1 whose interval holds 1 counts as 1, and so do all kept ones in "
		  "P(first). ! Extrapolated from rounds of another length.");
}

static bool chart_has(const struct chart *c, const char *name)
{
	for (size_t i = 0; i < c->nseries; i++)
		if (strcmp(c->series[i].name, name) == 0)
			return true;
	return false;
}

/* Says, in the title too, which ranked algorithms the chart has not. */
static void among_series_note(struct chart *c, const struct answer_among *m)
{
	scoped char *others = NULL;

	for (size_t i = 0; i < m->ranking.n; i++)
		if (!chart_has(c, m->ranking.v[i].algo))
			xappend(&others, ", ", m->ranking.v[i].algo);
	if (others) {
		c->without = xasprintf("%zu of %zu algorithms, without %s", c->nseries,
				       m->ranking.n, others);
		xappend(&c->title, "; ", c->without);
	}
}

/*
 * Series of n points: of all-reduce, which times refer to, with `all`; of all winners along
 * parameters; then, with `all`, of the next algorithms.
 */
static void among_series(struct chart *c, const struct answer_among *m, bool all, size_t n)
{
	for (size_t i = 0; i < m->ranking.n && all; i++)
		if (m->ranking.v[i].at.progress.kind == PROGRESS_BASE)
			series_add(c, m->ranking.v[i].algo, n);
	for (size_t i = 0; i < m->points.n; i++)
		if (m->points.v[i].first && *m->points.v[i].first)
			series_add(c, m->points.v[i].first, n);
	for (size_t i = 0; i < m->ranking.n && all; i++)
		series_add(c, m->ranking.v[i].algo, n);
	if (all)
		among_series_note(c, m);
}

static int by_bar(const void *a, const void *b)
{
	const struct chart_series *x = a, *y = b;

	return (x->y[0] > y->y[0]) - (x->y[0] < y->y[0]);
}

static void among_bars(struct chart *c, const struct answer_among *m)
{
	c->kind = CHART_BARS;
	c->title = xstrdup("Time to the same loss, with 90 % intervals");
	c->xlabel = xstrdup("seconds per step of all-reduce");
	among_series(c, m, true, 1);
	for (size_t i = 0; i < c->nseries; i++) {
		const struct ranked *r = ranked_find(&m->ranking, c->series[i].name);

		c->series[i].y[0] = r->same.median;
		c->series[i].lo[0] = r->same.lo;
		c->series[i].hi[0] = r->same.hi;
	}
	qsort(c->series, c->nseries, sizeof(*c->series), by_bar);
}

static bool times_coincide(double one, double two)
{
	static const double close = 0.015;

	return fabs(log(one / two)) < close;
}

/*
 * True when two lines of times one[n] and two[n] at positions u[n], ascending, are one to the eye
 * for a tenth of their length. NaN: there is no time.
 */
static bool lines_coincide(size_t n, const double *u, const double *one, const double *two)
{
	static const double part = 0.1;
	double length = 0.0;

	for (size_t i = 0; i + 1 < n; i++)
		if (times_coincide(one[i], two[i]) && times_coincide(one[i + 1], two[i + 1]))
			length += u[i + 1] - u[i];
	return length > part * (u[n - 1] - u[0]);
}

/* Dashes lines that lie on an earlier one, and names it. */
static void among_dash(struct chart *c)
{
	scoped double *u = xcalloc(c->n, sizeof(*u));

	for (size_t i = 0; i < c->n; i++)
		u[i] = c->logx ? log(c->x[i]) : c->x[i];
	for (size_t k = c->nseries; k-- > 0;)
		for (size_t j = 0; j < k && !c->series[k].dashed; j++)
			if (lines_coincide(c->n, u, c->series[j].y, c->series[k].y)) {
				c->series[k].dashed = true;
				xappendf(&c->series[k].name, "", " (dashed: on that of %s)",
					 c->series[j].name);
			}
}

static void among_lines(struct chart *c, const struct answer *a)
{
	const struct answer_among *m = &a->among;
	const size_t n = m->points.n;
	double lo, hi;

	c->kind = CHART_LINES;
	c->title = xstrdup("Time to the same loss; dashed: another algorithm becomes the first");
	c->xlabel = xstrdup(axis_of(a->vary[0]));
	c->ylabel = xstrdup("time to the same loss [s per step of all-reduce]");
	c->x = xcalloc(n, sizeof(*c->x));
	c->n = n;
	among_series(c, m, true, n);
	for (size_t i = 0; i < n; i++) {
		c->x[i] = m->points.v[i].x[0];
		for (size_t k = 0; k < c->nseries; k++) {
			const struct ranked *r = ranked_find(&m->points.v[i].ranking,
							     c->series[k].name);

			c->series[k].y[i] = r ? r->same.median : (double)NAN;
		}
	}
	c->logx = is_wide(c->x, n);
	among_dash(c);
	chart_y_range(c, &lo, &hi);
	c->logy = lo > 0.0 && hi > 6.0 * lo;
	c->mark = xcalloc(m->changes.n + 1, sizeof(*c->mark));
	for (; c->nmarks < m->changes.n; c->nmarks++)
		c->mark[c->nmarks] = m->changes.v[c->nmarks].above;
}

/* True where an algorithm that is ranked at another point is not ranked. */
static bool point_is_partial(const struct answer_among *m, const struct answer_point *point)
{
	for (size_t i = 0; i < m->points.n; i++) {
		const struct ranking *other = &m->points.v[i].ranking;

		for (size_t k = 0; k < other->n; k++)
			if (!ranked_find(&point->ranking, other->v[k].algo))
				return true;
	}
	return false;
}

static void among_map(struct chart *c, const struct answer *a)
{
	const struct answer_among *m = &a->among;
	const size_t n = m->points.n;

	c->kind = CHART_MAP;
	c->title = xasprintf("First to the same loss, by %s and %s", a->vary[0], a->vary[1]);
	c->xlabel = xstrdup(axis_of(a->vary[0]));
	c->ylabel = xstrdup(axis_of(a->vary[1]));
	c->x = xcalloc(n, sizeof(*c->x));
	c->up = xcalloc(n, sizeof(*c->up));
	c->winner = xcalloc(n, sizeof(*c->winner));
	c->marked = xcalloc(n, sizeof(*c->marked));
	among_series(c, m, false, 1);
	for (size_t i = 0; i < n; i++) {
		const struct answer_point *point = &m->points.v[i];

		if (!(point->x[0] > m->points.v[0].x[0]))
			c->up[c->nup++] = point->x[1];
		if (c->nup == 1)
			c->x[c->n++] = point->x[0];
		c->winner[i] = CHART_SERIES;
		c->marked[i] = point_is_partial(m, point) ? '*' : '\0';
		for (size_t k = 0; k < c->nseries; k++)
			if (point->first && strcmp(c->series[k].name, point->first) == 0)
				c->winner[i] = k;
	}
	if (c->n * c->nup != n || c->n < 2 || c->nup < 2) {
		chart_release(c);
		return;
	}
	c->logx = is_wide(c->x, c->n);
	c->logy = is_wide(c->up, c->nup);
}

struct chart chart_of_among(const struct answer *a)
{
	struct chart c = { .strip_lo = (double)NAN, .strip_hi = (double)NAN };

	if (a->nvary == 1)
		among_lines(&c, a);
	else if (a->nvary == 2)
		among_map(&c, a);
	else
		among_bars(&c, &a->among);
	c.workers = a->nvary && strcmp(a->vary[0], "workers") == 0;
	return c;
}

static void among_next(struct answer_page *p, const struct answer_among *m)
{
	const struct answer_ranked *first = &m->ranking.v[0];
	const struct answer_ranked *second = m->ranking.n > 1 ? &m->ranking.v[1] : NULL;
	const bool base = first->at.progress.kind == PROGRESS_BASE;

	if (!base || (second && second->at.progress.kind != PROGRESS_GIVEN))
		texts_putf(&p->next, "The progress per step of %s: train it and allreduce on a "
			   "small model of yours with several seeds (convoy sim --out DIR), then "
			   "ask with --progress-from DIR.",
			   base && second ? second->algo : first->algo);
	texts_put(&p->next, measure_next);
	for (size_t i = 0; i < m->gaps.n; i++)
		texts_put(&p->limits, m->gaps.v[i]);
}

void page_of_among(struct answer_page *p, const struct answer *a, const char *path)
{
	const struct answer_among *m = &a->among;
	scoped_by(point_release) struct grid_point settings = answer_means(a);
	scoped char *given = given_text(a);
	struct chart chart = chart_of_among(a);
	struct texts sources = { 0 };

	p->title = xstrdup("Which algorithm is the first to the same loss?");
	p->question = xasprintf("%zu algorithms, with %s.", m->algos.n, given);
	p->answer = xstrdup(m->sentence);
	p->doubt = xstrdup(m->doubt);
	among_table(p, a);
	for (size_t i = 0; i < m->options.n; i++)
		texts_putf(&p->table_notes, "Best options here, %s.", m->options.v[i]);
	for (size_t i = 0; i < m->left_out.n; i++)
		texts_putf(&p->table_notes, "Left out, %s: %s", m->left_out.v[i].algo,
			   m->left_out.v[i].why);
	for (size_t i = 0; i < m->changes.n; i++) {
		scoped char *change = answer_change_text(a, i);

		texts_putf(&p->table_notes, "From %s.", change);
	}
	for (size_t i = 0; chart.marked && i < m->points.n; i++)
		if (chart.marked[i]) {
			xappend(&chart.title, "; ", "*: an algorithm is not ranked there, see "
				"below");
			break;
		}
	page_add_chart(p, chart);
	for (size_t i = 0; i < 2 && i < m->ranking.n; i++)
		page_add_gantt(p, &settings, m->ranking.v[i].algo, path);
	answer_sources(a, &sources);
	for (size_t i = 0; i < sources.n; i++)
		texts_putf(&p->sources, "progress of %s", sources.v[i]);
	texts_release(&sources);
	among_next(p, m);
}

/* ---- a break-even ---- */

static void between_answer(struct answer_page *p, const struct answer *a)
{
	const struct answer_between *b = &a->between;
	const char *one = b->algo[ADVISE_FIRST], *two = b->algo[ADVISE_SECOND];
	const struct row **row = xcalloc(b->rows.n + 1, sizeof(*row));  /* [n] with data */
	size_t n = 0;

	for (size_t i = 0; i < b->rows.n; i++)
		if (!isnan(b->rows.v[i].at.p))
			row[n++] = &b->rows.v[i].at;
	if (n && b->crosses) {
		const double from = row[0]->x, to = row[n - 1]->x;
		scoped char *at = edge_text(b->even.median, from, to, b->unit);
		scoped char *lo = edge_text(b->even.lo, from, to, b->unit);
		scoped char *hi = edge_text(b->even.hi, from, to, b->unit);
		scoped char *draws = a->draws > 1 ? xasprintf("90 %% of %zu draws", a->draws)
						  : xstrdup("only the length of runs is uncertain");

		/* infinite: most draws have no break-even in the range */
		if (isinf(b->even.median))
			p->answer = xasprintf("There is no break-even in the range in %zu of %zu "
					      "draws: %s is faster.", a->draws - b->inside,
					      a->draws, (b->even.median > 0.0) == (b->direction > 0)
								? one : two);
		else
			p->answer = xasprintf("%s is faster than %s %s %s %s.", two, one,
					      !b->direction	 ? "neither"
					      : b->direction > 0 ? "above" : "below",
					      a->vary[0], at);
		p->doubt = xasprintf("The break-even is between %s and %s (%s)%s", lo, hi, draws,
				     isnan(b->model_error)
					     ? "; no error of the simulator is in it." : ".");
	} else {
		scoped char *tie = break_even_tie(row, n, a->vary[0], b->algo);

		p->answer = tie ? xasprintf("There is no break-even in the range: %s.", tie)
				: xasprintf("There is no break-even in the range: %s is faster.",
					    b->rows.v[b->rows.n - 1].at.p > 0.5 ? two : one);
	}
	free(row);
	for (size_t i = 0; i < b->switches.n; i++) {
		const struct answer_switch *s = &b->switches.v[i];

		xappendf(&p->doubt, " ", "%s's all-reduce changes from %s to %s at %s %.*g%s%s, "
			 "where a step of %s jumps from %.4g s to %.4g s.", s->library, s->from,
			 s->to, a->vary[0], vary_digits(s->above), s->above, *b->unit ? " " : "",
			 b->unit, s->algo, s->below_s, s->above_s);
		/* said once of a switch that both algorithms have */
		if (i + 1 < b->switches.n && s[1].below <= s->below && s[1].below >= s->below)
			continue;
		if (s->at_even || (b->crosses && switch_is_near(b->even.median, s->above,
								s->below_s, s->above_s)))
			xappendf(&p->doubt, " ", "The break-even lies %s this switch: it depends "
				 "on %s's choice.", s->at_even ? "at" : "next to", s->library);
	}
	for (size_t i = 0; i < b->gaps.n; i++)
		texts_put(&p->limits, b->gaps.v[i]);
}

struct chart chart_of_between(const struct answer *a)
{
	const struct answer_between *b = &a->between;
	const size_t n = b->rows.n + b->finer.n;
	const bool marked = b->crosses && isfinite(b->even.median);
	struct chart c = {
		.kind = CHART_LINES, .n = n, .x = xcalloc(n + 1, sizeof(*c.x)),
		.title = xasprintf("Time to the same loss%s%s",
				   marked ? "; dashed: the break-even, grey: its interval" : "",
				   a->draws > 1 ? "; bands: 90 % of the draws" : ""),
		.xlabel = xstrdup(axis_of(a->vary[0])),
		.ylabel = xstrdup("time to the same loss [s per step]"),
		.lower_title = xasprintf("P(%s is faster)", b->algo[ADVISE_SECOND]),
		.lower = xcalloc(n + 1, sizeof(*c.lower)),
		.strip_lo = (double)NAN, .strip_hi = (double)NAN,
		.workers = strcmp(a->vary[0], "workers") == 0,
	};
	double lo, hi;

	for (int k = 0; k < ADVISE_ALGOS; k++)
		series_add(&c, b->algo[k], n);
	for (size_t i = 0, k = 0, f = 0; i < n; i++) {          /* both lists ascend */
		const bool finer = k == b->rows.n ||
				   (f < b->finer.n && b->finer.v[f].at.x < b->rows.v[k].at.x);
		const struct row *row = finer ? &b->finer.v[f++].at : &b->rows.v[k++].at;

		c.x[i] = row->x;
		c.lower[i] = row->p;
		for (size_t s = 0; s < c.nseries; s++) {
			c.series[s].y[i] = row->time[s].median;
			c.series[s].lo[i] = row->time[s].lo;
			c.series[s].hi[i] = row->time[s].hi;
		}
	}
	chart_y_range(&c, &lo, &hi);
	c.logx = is_wide(c.x, n);
	c.logy = lo > 0.0 && hi > 6.0 * lo;
	if (marked) {
		c.mark = xcalloc(1, sizeof(*c.mark));
		c.mark[c.nmarks++] = b->even.median;
		c.strip_lo = fmax(b->even.lo, c.x[0]);
		c.strip_hi = fmin(b->even.hi, c.x[n - 1]);
	}
	return c;
}

void page_of_between(struct answer_page *p, const struct answer *a, const char *path)
{
	const struct answer_between *b = &a->between;
	const char *one = b->algo[ADVISE_FIRST], *two = b->algo[ADVISE_SECOND];
	struct grid_point settings = answer_means(a);
	char *cell[4], *given = given_text(a);

	p->title = xasprintf("When is %s faster than %s?", two, one);
	p->question = xasprintf("Along %s, with %s.", a->vary[0], given);
	between_answer(p, a);
	page_add_chart(p, chart_of_between(a));
	p->table_title = xstrdup("Time to the same loss");
	p->table = grid_new();
	cell[0] = *b->unit ? xasprintf("%s [%s]", a->vary[0], b->unit) : xstrdup(a->vary[0]);
	cell[1] = xasprintf("%s [s]", one);
	cell[2] = xasprintf("%s [s]", two);
	cell[3] = xasprintf("P(%s is faster)", two);
	grid_row_own(p->table, cell, 4);
	for (size_t i = 0; i < b->rows.n && i < ANSWER_ROWS; i++) {
		const struct row *row = &b->rows.v[i].at;

		cell[0] = vary_row_text(row->x, i ? b->rows.v[i - 1].at.x : (double)NAN);
		cell[1] = band_text(row->time[ADVISE_FIRST]);
		cell[2] = band_text(row->time[ADVISE_SECOND]);
		cell[3] = isnan(row->p) ? xstrdup("no data") : xasprintf("%.3g", row->p);
		grid_row_own(p->table, cell, 4);
	}
	texts_put(&p->table_notes, "Seconds of a step, divided by the progress per step.");
	if (a->draws > 1)
		texts_put(&p->table_notes, "In parentheses: 90 % of the draws.");
	if (isfinite(b->progress[ADVISE_FIRST]) && isfinite(b->progress[ADVISE_SECOND])) {
		scoped char *value = xasprintf("%s %.4g, %s %.4g", one, b->progress[ADVISE_FIRST],
					       two, b->progress[ADVISE_SECOND]);

		answer_fact_add(p, "progress per step", value,
				b->measured.net ? "and that of training runs of a small net"
						: NULL);
	}
	page_add_gantt(p, &settings, one, path);
	page_add_gantt(p, &settings, two, path);
	for (size_t i = 0; i < b->effects.n; i++)
		texts_putf(&p->next, "%s: %.0f %% of the variance of the answer",
			   b->effects.v[i].value, 100.0 * b->effects.v[i].share);
	if (!b->crosses)
		texts_put(&p->next, "Nothing for this answer: without a break-even in the range, "
				    "no value shifts one.");
	else if (!p->next.n)
		texts_put(&p->next, "Give what is uncertain as VALUE+-DEVIATION: then the answer "
				    "names what to measure next.");
	point_release(&settings);
	free(given);
}
