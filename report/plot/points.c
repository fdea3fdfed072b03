/*
 * points.c - the points of a series: means over seeds, with deviations, row by row of curves
 * or a point for each configuration.
 */
#include "report/plot/source.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "report/plot/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct point *add_point(struct point **p, size_t *n)
{
	*p = xrealloc(*p, *n + 1, sizeof(**p));
	return &(*p)[(*n)++];
}

static double plot_points_least(const double *y, size_t count, double above)
{
	double low = HUGE_VAL;

	for (size_t i = 0; i < count; i++)
		if (y[i] > above && y[i] < low)
			low = y[i];
	return low;
}

/*
 * A deviation ends where the measure does; on a log axis not below the least value that it
 * can show.
 */
static struct point point_of(const struct figure *f, double x, struct spread sy, const double *y,
			     size_t count)
{
	const double dev = sy.n > 1 ? sy.dev : 0;
	struct point p = { x, sy.mean, sy.mean - dev, sy.mean + dev };

	if (plot_points_least(y, count, -HUGE_VAL) >= 0)
		figure_bound(f, &p.lo, &p.hi);
	if (f->logy && p.lo <= 0)
		p.lo = plot_points_least(y, count, 0);
	p.lo = fmin(p.lo, p.y);
	p.hi = fmax(p.hi, p.y);
	return p;
}

/* Adds the mean of count values y at the mean of their x, when it has a position or is infinite. */
static void add_mean(const struct figure *f, struct series *s, const double *x, const double *y,
		     size_t count)
{
	struct spread sx = spread_of(x, count), sy = spread_of(y, count);

	if (!sy.n || !sx.n || sx.infinite || (f->logx && sx.mean <= 0))
		return;
	if (sy.infinite) {
		s->never = xrealloc(s->never, s->nnever + 1, sizeof(*s->never));
		s->never[s->nnever++] = sx.mean;
	}
	if (sy.infinite || (f->logy && sy.mean <= 0))
		return;
	s->fewest = s->n && s->fewest < sy.n ? s->fewest : sy.n;
	s->most = s->most > sy.n ? s->most : sy.n;
	*add_point(&s->p, &s->n) = point_of(f, sx.mean, sy, y, count);
}

/* ---- curves: row i of the mean is the mean of the rows i ---- */

static const cJSON *plot_points_row_of(const struct source *s, const cJSON *run, const char *column)
{
	const cJSON *array = key_find(json_get(run, s->from), column);

	return array ? array->child : NULL;
}

/* One run's curve, at one of its rows. */
struct cursor {
	const cJSON *x, *y;
};

static bool is_point(struct cursor c)
{
	return cJSON_IsNumber(c.x) && cJSON_IsNumber(c.y);
}

static struct cursor next_row(struct cursor c)
{
	return (struct cursor){ c.x ? c.x->next : NULL, c.y ? c.y->next : NULL };
}

/* Cursors at the first rows of the runs that have a point at all. */
static size_t open_cursors(const struct source *s, const struct group *g, struct cursor *all)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++) {
		struct cursor first = { plot_points_row_of(s, g->run[i], s->x),
					plot_points_row_of(s, g->run[i], s->y) };
		struct cursor c = first;

		while (c.x && c.y && !is_point(c))
			c = next_row(c);
		if (is_point(c))
			all[n++] = first;
	}
	return n;
}

/* How many of n curves have a point at their cursors, into x and y; moves the cursors on. */
static size_t take_row(struct cursor *c, size_t n, double *x, double *y)
{
	size_t points = 0;

	for (size_t i = 0; i < n; i++, c++) {
		if (is_point(*c)) {
			x[points] = c->x->valuedouble;
			y[points++] = c->y->valuedouble;
		}
		*c = next_row(*c);
	}
	return points;
}

static bool any_left(const struct cursor *c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (c[i].x && c[i].y)
			return true;
	return false;
}

/* Rows in which no run has a number are passed over. */
void source_curve(const struct figure *f, struct series *out, const struct source *s,
			 const struct group *g)
{
	struct cursor *c = xcalloc(g->n, sizeof(*c));
	double *x = xcalloc(g->n, sizeof(*x)), *y = xcalloc(g->n, sizeof(*y));
	size_t n = open_cursors(s, g, c);

	while (any_left(c, n)) {
		size_t points = take_row(c, n, x, y);

		if (points && points < n)
			break;
		add_mean(f, out, x, y, points);
	}
	free(c);
	free(x);
	free(y);
}

void source_published(struct series *out, const struct source *s, const cJSON *run)
{
	const cJSON *cell;

	cJSON_ArrayForEach(cell, s->published) {
		const cJSON *x = key_find(cell, s->x), *y = key_find(cell, s->y);

		if (cJSON_IsNumber(x) && cJSON_IsNumber(y) && published_matches(cell, run, s->x))
			*add_point(&out->pub, &out->npub) = (struct point){
				x->valuedouble, y->valuedouble, y->valuedouble, y->valuedouble
			};
	}
}

/* ---- a point per configuration: runs that differ only in the seed are one ---- */

static const char *plot_points_label_of(const struct source *s, const char *text)
{
	return text ? json_string(s->labels, text) :
		      NULL;
}

double source_labelled(const struct source *s, const cJSON *run)
{
	char *text = run_text(run, s->x), *end;
	const char *label = plot_points_label_of(s, text);
	const double x = label ? strtod(label, &end) : (double)NAN;
	const bool whole = label && end != label && !*end;

	free(text);
	return whole ? x : (double)NAN;
}

/* The index of a text in the categories, added when new. */
static double plot_points_category(struct figure *f, const struct source *s, const cJSON *run)
{
	char *text = run_text(run, s->x);
	const char *label = plot_points_label_of(s, text);
	const size_t i = figure_word(f, label ? label : text ? text : "-");

	free(text);
	return (double)i;
}

double source_x(struct figure *f, const struct source *s, const cJSON *run)
{
	if (s->option) {
		const double x = words_number(run, s->x, s->option);

		return isnan(x) ? s->level : x;
	}
	if (s->labelled)
		return source_labelled(s, run);
	return f->worded ? plot_points_category(f, s, run) : run_number(run, s->x);
}

bool source_same(const cJSON *a, const cJSON *b)
{
	const cJSON *pair[2] = { a, b };
	struct group g = { pair, 2 };

	return !group_mixes(&g, NULL);
}

/* The published point that belongs to these runs. */
static void run_published(struct series *out, const struct source *s, const cJSON *run, double x)
{
	const cJSON *y = published_find(s->published, run, s->y);
	const cJSON *own = measure_known(s->x) ? published_find(s->published, run, s->x) : NULL;

	if (!cJSON_IsNumber(y))
		return;
	*add_point(&out->pub, &out->npub) =
		(struct point){ cJSON_IsNumber(own) ? own->valuedouble : x, y->valuedouble,
				y->valuedouble, y->valuedouble };
}

static int by_x(const void *a, const void *b)
{
	const struct point *p = a, *q = b;

	return (p->x > q->x) - (p->x < q->x);
}

void source_runs(struct figure *f, struct series *out, const struct source *s,
		       const struct group *g)
{
	double *x = xcalloc(g->n, sizeof(*x)), *y = xcalloc(g->n, sizeof(*y));
	bool *done = xcalloc(g->n, sizeof(*done));
	struct group same = { xcalloc(g->n, sizeof(*same.run)), 0 };

	for (size_t i = 0; i < g->n; i++) {
		size_t n = 0;

		if (done[i])
			continue;
		for (size_t j = i; j < g->n; j++)
			if (!done[j] && source_same(g->run[i], g->run[j])) {
				x[n] = source_x(f, s, g->run[j]);
				same.run[n++] = g->run[j];
				done[j] = true;
			}
		same.n = n;
		group_numbers(&same, s->y, y);
		add_mean(f, out, x, y, n);
		run_published(out, s, g->run[i], x[0]);
	}
	if (out->n)
		qsort(out->p, out->n, sizeof(*out->p), by_x);
	free(x);
	free(y);
	free(done);
	group_release(&same);
}
