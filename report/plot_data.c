/*
 * plot_data.c - from run objects to the points of a plot: means over seeds, with deviations.
 */
#include "report/plot.h"

#include "core/error.h"
#include "core/mem.h"
#include "report/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct source {                         /* one entry of "plots", being read */
	const cJSON *entry, *labels, *keys;     /* keys of the series; may be NULL */
	const cJSON *published;         /* cells, or NULL */
	const char *x, *y, *from;
	struct group all;
	const char *mixed;      /* a setting in which a line's runs differ, or NULL */
};

static const char *text_of(const cJSON *entry, const char *key)
{
	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(entry, key));
}

static struct point *add_point(struct point **p, size_t *n)
{
	*p = xrealloc(*p, *n + 1, sizeof(**p));
	return &(*p)[(*n)++];
}

/* The end of a deviation: on a log axis not below the least value, which has a place there. */
static double low_end(const struct figure *f, double low, const double *y, size_t count)
{
	double least = HUGE_VAL;

	if (!f->logy || low > 0)
		return low;
	for (size_t i = 0; i < count; i++)
		if (y[i] > 0 && y[i] < least)
			least = y[i];
	return least;
}

/* Adds the mean of count values y at the mean of their x, when it has a place or is infinite. */
static void add_mean(const struct figure *f, struct series *s, const double *x, const double *y,
		     size_t count)
{
	struct spread sx = spread_of(x, count), sy = spread_of(y, count);
	double dev = sy.n > 1 ? sy.dev : 0;

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
	*add_point(&s->p, &s->n) = (struct point){
		sx.mean, sy.mean, low_end(f, sy.mean - dev, y, count), sy.mean + dev
	};
}

/* ---- curves: row i of the mean is the mean of the rows i ---- */

static const cJSON *row_of(const struct source *s, const cJSON *run, const char *column)
{
	const cJSON *array = key_find(cJSON_GetObjectItemCaseSensitive(run, s->from), column);

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
		struct cursor first = { row_of(s, g->run[i], s->x), row_of(s, g->run[i], s->y) };
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

/*
 * The mean ends where the first of its curves does: it would jump there. Rows
 * in which no run has a number are passed over.
 */
static void curve_points(const struct figure *f, struct series *out, const struct source *s,
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

static void curve_published(struct series *out, const struct source *s, const cJSON *run)
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

/* The place of a text in the categories, added when new. */
static double category(struct figure *f, const struct source *s, const cJSON *run)
{
	char *text = run_text(run, s->x);
	const char *label = text ? cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(
					   s->labels, text)) :
				   NULL;
	int n = cJSON_GetArraySize(f->categories), i = 0;

	label = label ? label : text ? text : "-";
	while (i < n && strcmp(cJSON_GetArrayItem(f->categories, i)->valuestring, label) != 0)
		i++;
	if (i == n)
		cJSON_AddItemToArray(f->categories, cJSON_CreateString(label));
	free(text);
	return i;
}

static double x_of(struct figure *f, const struct source *s, const cJSON *run)
{
	return f->categories ? category(f, s, run) : run_number(run, s->x);
}

static bool same_but_seed(const cJSON *a, const cJSON *b)
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

static void run_points(struct figure *f, struct series *out, const struct source *s,
		       const struct group *g)
{
	double *x = xcalloc(g->n, sizeof(*x)), *y = xcalloc(g->n, sizeof(*y));
	bool *done = xcalloc(g->n, sizeof(*done));

	for (size_t i = 0; i < g->n; i++) {
		size_t n = 0;

		if (done[i])
			continue;
		for (size_t j = i; j < g->n; j++)
			if (!done[j] && same_but_seed(g->run[i], g->run[j])) {
				x[n] = x_of(f, s, g->run[j]);
				y[n++] = run_number(g->run[j], s->y);
				done[j] = true;
			}
		add_mean(f, out, x, y, n);
		run_published(out, s, g->run[i], x[0]);
	}
	if (out->n)
		qsort(out->p, out->n, sizeof(*out->p), by_x);
	free(x);
	free(y);
	free(done);
}

/* ---- the whole figure ---- */

/* x is a number for every run, or it is a list of words. */
static bool is_numeric(const struct source *s)
{
	if (measure_known(s->x))
		return true;
	for (size_t i = 0; i < s->all.n; i++)
		if (!isfinite(run_number(s->all.run[i], s->x)))
			return false;
	return true;
}

/* Runs at one x of a line differ in nothing but their seeds. */
static bool one_at_each_x(struct figure *f, const struct source *s, const struct group *g)
{
	double *x = xcalloc(g->n, sizeof(*x));
	bool one = true;

	for (size_t i = 0; i < g->n && one; i++) {
		size_t first = 0;

		x[i] = x_of(f, s, g->run[i]);
		while (x[first] < x[i] || x[first] > x[i])
			first++;
		one = same_but_seed(g->run[first], g->run[i]);
	}
	free(x);
	return one;
}

/* A setting that differs among the runs of a line, and that its x does not tell, or NULL. */
static const char *mixes(struct figure *f, const struct source *s, const struct group *g)
{
	if (f->curves)
		return group_mixes(g, NULL);
	if (measure_known(s->x) || one_at_each_x(f, s, g))
		return NULL;
	return group_mixes(g, key_equal(s->x, "slow_factor") ? "slow" : s->x);
}

static void add_series(struct figure *f, struct source *s, const char *values)
{
	struct group g = group_pick(&s->all, s->keys, values);
	struct series out = { .label = run_label(g.run[0], s->keys, s->labels) };
	const char *mixed = mixes(f, s, &g);

	if (mixed)
		s->mixed = mixed;
	else if (f->curves)
		curve_points(f, &out, s, &g);
	else
		run_points(f, &out, s, &g);
	if (f->curves && out.n)
		curve_published(&out, s, g.run[0]);
	group_release(&g);
	if (out.n || out.nnever) {
		f->series = xrealloc(f->series, f->n + 1, sizeof(*f->series));
		f->series[f->n++] = out;
		return;
	}
	free(out.label);
	free(out.p);
	free(out.pub);
}

static char *axis_label(const struct source *s, const char *key, const char *name)
{
	const char *own = text_of(s->entry, key);

	return own ? xstrdup(own) : measure_label(name, s->labels);
}

static void read_entry(struct figure *f, const struct source *s)
{
	f->name = text_of(s->entry, "name");
	f->title = text_of(s->entry, "title");
	f->xlabel = axis_label(s, "xlabel", s->x);
	f->ylabel = axis_label(s, "ylabel", s->y);
	f->curves = strcmp(s->from, "runs") != 0;
	f->logx = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(s->entry, "logx"));
	f->logy = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(s->entry, "logy"));
	if (!f->curves && !is_numeric(s)) {
		f->categories = cJSON_CreateArray();
		f->logx = false;
	}
}

/* The plot's own labels, or those of the first table, so that names need be given once. */
static const cJSON *labels_of(const cJSON *entry, const cJSON *spec)
{
	const cJSON *own = cJSON_GetObjectItemCaseSensitive(entry, "labels");
	const cJSON *tables = cJSON_GetObjectItemCaseSensitive(spec, "tables");

	if (own)
		return own;
	return cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(tables, 0), "labels");
}

static bool has_points(const struct figure *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->series[i].n)
			return true;
	return false;
}

bool figure_build(struct figure *f, const cJSON *entry, const cJSON *spec, const cJSON *runs)
{
	const cJSON *published = cJSON_GetObjectItemCaseSensitive(spec, "published");
	struct source s = {
		.entry = entry,
		.labels = labels_of(entry, spec),
		.keys = cJSON_GetObjectItemCaseSensitive(entry, "series"),
		.x = text_of(entry, "x"),
		.y = text_of(entry, "y"),
		.from = text_of(entry, "from"),
		.all = group_where(runs, cJSON_GetObjectItemCaseSensitive(entry, "where")),
	};
	cJSON *values = group_values(&s.all, s.keys);
	const cJSON *value;

	*f = (struct figure){ 0 };
	if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(entry, "published")))
		s.published = cJSON_GetObjectItemCaseSensitive(published, "cells");
	read_entry(f, &s);
	cJSON_ArrayForEach(value, values)
		add_series(f, &s, value->valuestring);
	if (s.mixed)
		warning("plot '%s' mixes runs that differ in '%s', which is not its series: name "
			"it there, or in \"where\"; they are left out",
			f->name, s.mixed);
	figure_titles(f);
	cJSON_Delete(values);
	group_release(&s.all);
	return has_points(f);
}

void figure_release(struct figure *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->series[i].label);
		free(f->series[i].title);
		free(f->series[i].p);
		free(f->series[i].pub);
		free(f->series[i].never);
	}
	free(f->series);
	free(f->xlabel);
	free(f->ylabel);
	cJSON_Delete(f->categories);
}
