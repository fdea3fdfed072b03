/*
 * figure.c - from an entry of "plots" and runs to a figure: its axes, and its series of means over
 * seeds, with deviations, row by row of curves or a point for each configuration.
 */
#include "report/plot/plot.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/fields.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "core/math/median.h"
#include "core/text/opt.h"
#include "core/text/opt_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct source {                         /* one entry of "plots", being read */
	const char *name, *title, *x, *y, *from, *xlabel, *ylabel;
	const cJSON *logx;              /* NULL: not said */
	bool logy, shows_published, calculated;
	const cJSON *labels, *keys, *where;     /* keys of the series; may be NULL */
	const cJSON *published;         /* cells, or NULL */
	struct selection all;
	char *option;           /* of the setting on x, which is its number; owned, or NULL */
	bool labelled;          /* the settings on x have numbers as their labels */
	double *numbers;        /* [nnumbers] of the option, each once; owned */
	size_t nnumbers;
	double level;           /* where a run without that option is drawn now */
	const char *mixed;      /* a setting in which a line's runs differ, or NULL */
};

static struct source source_read(const cJSON *entry, const cJSON *spec)
{
	static const struct field members[] = {
		FIELD(LENT, struct source, name, "name"),
		FIELD(LENT, struct source, title, "title"),
		FIELD(LENT, struct source, x, "x"),
		FIELD(LENT, struct source, y, "y"),
		FIELD(LENT, struct source, from, "from"),
		FIELD(LENT, struct source, xlabel, "xlabel"),
		FIELD(LENT, struct source, ylabel, "ylabel"),
		FIELD(TREE, struct source, logx, "logx"),
		FIELD(BOOL, struct source, logy, "logy"),
		FIELD(BOOL, struct source, shows_published, "published"),
		FIELD(TREE, struct source, labels, "labels"),
		FIELD(TREE, struct source, keys, "series"),
		FIELD(TREE, struct source, where, "where"), { 0 }
	};
	struct source s = { 0 };

	/* Names need be given once: labels of the first table are also the plots'. */
	s.labels = json_get(cJSON_GetArrayItem(json_get(spec, "tables"), 0), "labels");
	fields_read(entry, members, &s);
	if (s.shows_published) {
		s.published = json_get(json_get(spec, "published"), "cells");
		s.calculated = json_is_true(json_get(spec, "published"), "calculated");
	}
	return s;
}

/* ---- words ---- */

void figure_add_word(struct figure *f, const char *word)
{
	APPEND(f->words, f->nwords) = xstrdup(word);
	f->worded = true;
}

size_t figure_word(struct figure *f, const char *word)
{
	size_t i = 0;

	while (i < f->nwords && strcmp(f->words[i], word) != 0)
		i++;
	if (i == f->nwords)
		figure_add_word(f, word);
	return i;
}

/* ---- points ---- */

static struct point *point_add(struct point **p, size_t *n)
{
	return &APPEND(*p, *n);
}

static double least_above(const double *y, size_t count, double above)
{
	double low = HUGE_VAL;

	for (size_t i = 0; i < count; i++)
		if (y[i] > above && y[i] < low)
			low = y[i];
	return low;
}

/*
 * Adds the mean of count values y at the mean of their x, when it has a position or is infinite; so
 * many of its runs diverged.
 */
static void mean_add(const struct figure *f, struct series *s, const double *x, const double *y,
		     size_t count, int diverged)
{
	struct spread sx = spread_of(x, count), sy = spread_of(y, count);
	const double dev = sy.n > 1 ? sy.dev : 0;
	struct point p = { sx.mean, sy.mean, sy.mean - dev, sy.mean + dev, diverged };

	if (!sx.n || sx.infinite || (f->logx && sx.mean <= 0))
		return;
	if (!sy.n && !f->curves)
		APPEND(s->missing, s->nmissing) = sx.mean;
	if (!sy.n)
		return;
	if (sy.infinite) {
		s->never = xrealloc(s->never, s->nnever + 1, sizeof(*s->never));
		s->lost = xrealloc(s->lost, s->nnever + 1, sizeof(*s->lost));
		s->lost[s->nnever] = diverged;
		s->never[s->nnever++] = sx.mean;
	}
	if (sy.infinite || (f->logy && sy.mean <= 0))
		return;
	s->fewest = s->n && s->fewest < sy.n ? s->fewest : sy.n;
	s->most = s->most > sy.n ? s->most : sy.n;
	/*
	 * A deviation ends where the measure does; on a log axis not below the least value that it
	 * can show.
	 */
	if (least_above(y, count, -HUGE_VAL) >= 0)
		figure_bound(f, &p.lo, &p.hi);
	if (f->logy && p.lo <= 0)
		p.lo = least_above(y, count, 0);
	p.lo = fmin(p.lo, p.y);
	p.hi = fmax(p.hi, p.y);
	*point_add(&s->p, &s->n) = p;
}

/* ---- curves: row i of the mean is the mean of the rows i ---- */

struct rows {                   /* of a run's curve; NaN: none in this row */
	const double *x, *y;
	size_t n;
};

/* The mean ends where the first of its curves does, for it would jump there. */
static void series_add_curves(const struct figure *f, struct series *out, const struct source *s,
			      const struct selection *g)
{
	const enum result_curve curve = result_curve_named(s->from);
	scoped struct rows *rows = xcalloc(g->n, sizeof(*rows));
	scoped double *x = xcalloc(g->n, sizeof(*x)), *y = xcalloc(g->n, sizeof(*y));
	size_t n = 0, longest = 0;

	for (size_t i = 0; i < g->n && curve < RESULT_CURVES; i++) {
		struct rows r;
		size_t ny, row = 0;

		r.x = result_column(g->run[i], curve, s->x, &r.n);
		r.y = result_column(g->run[i], curve, s->y, &ny);
		r.n = r.n < ny ? r.n : ny;
		while (row < r.n && (isnan(r.x[row]) || isnan(r.y[row])))
			row++;
		if (row < r.n)          /* it has a point at all */
			rows[n++] = r;
		if (row < r.n && r.n > longest)
			longest = r.n;
	}
	/* Rows in which no run has a number are skipped. */
	for (size_t row = 0; row < longest; row++) {
		size_t points = 0;

		for (size_t i = 0; i < n; i++)
			if (row < rows[i].n && !isnan(rows[i].x[row]) && !isnan(rows[i].y[row])) {
				x[points] = rows[i].x[row];
				y[points++] = rows[i].y[row];
			}
		if (points && points < n)
			break;
		mean_add(f, out, x, y, points, out->diverged);
	}
}

/* Published cells that are points of the run's curve. */
static void series_add_published(struct series *out, const struct source *s,
				 const struct result *run)
{
	const cJSON *cell;

	cJSON_ArrayForEach(cell, s->published) {
		const cJSON *x = key_find(cell, s->x), *y = key_find(cell, s->y);

		if (cJSON_IsNumber(x) && cJSON_IsNumber(y) && published_agrees(cell, run, s->x))
			*point_add(&out->pub, &out->npub) = (struct point){
				x->valuedouble, y->valuedouble, y->valuedouble, y->valuedouble, 0
			};
	}
}

/* ---- a point per configuration: runs that differ only in the seed are one ---- */

static bool runs_are_one(const struct result *a, const struct result *b)
{
	const struct result *pair[2] = { a, b };

	return !select_mixes(&(struct selection){ pair, 2 }, NULL);
}

/* The number that is the label of a run's setting on x; NaN when it has none. */
static double label_number(const struct source *s, const struct result *run)
{
	char space[32];
	const char *text = result_text(run, s->x, space);

	return text_number(text ? json_string(s->labels, text) : NULL);
}

/* Number of what is varied; else of a measure, which may have the same name. */
static double x_number(const struct source *s, const struct result *run)
{
	const struct result_value *v = result_value(run, RESULT_POINT, s->x);
	const double x = text_number(v ? v->text : NULL);

	return isnan(x) ? result_number(run, s->x) : x;
}

/* A run's position along the axis; a word is added to the figure's when new. */
static double position_of(struct figure *f, const struct source *s, const struct result *run)
{
	char space[32];
	const char *text, *label;

	if (s->option) {
		const double x = words_number(run, s->x, s->option);

		return isnan(x) ? s->level : x;
	}
	if (s->labelled)
		return label_number(s, run);
	if (!f->worded)
		return x_number(s, run);
	text = result_text(run, s->x, space);
	label = text ? json_string(s->labels, text) : NULL;
	return (double)figure_word(f, label ? label : text ? text : "-");
}

static int by_x(const void *a, const void *b)
{
	const struct point *p = a, *q = b;

	return (p->x > q->x) - (p->x < q->x);
}

/* A point per configuration, with what was published of it, in order of x. */
static void series_add_runs(struct figure *f, struct series *out, const struct source *s,
			    const struct selection *g)
{
	double *x = xcalloc(g->n, sizeof(*x)), *y = xcalloc(g->n, sizeof(*y));
	bool *done = xcalloc(g->n, sizeof(*done));
	scoped_by(selection_release) struct selection same = { xcalloc(g->n, sizeof(*same.run)),
							       0 };

	for (size_t i = 0; i < g->n; i++) {
		const cJSON *py, *px;

		if (done[i])
			continue;
		same.n = 0;
		for (size_t j = i; j < g->n; j++)
			if (!done[j] && runs_are_one(g->run[i], g->run[j])) {
				x[same.n] = position_of(f, s, g->run[j]);
				selection_add(&same, g->run[j]);
				done[j] = true;
			}
		select_numbers(&same, s->y, y);
		mean_add(f, out, x, y, same.n, select_diverged(&same));
		py = published_number(s->published, g->run[i], s->y);
		px = measure_known(s->x) ? published_number(s->published, g->run[i], s->x) : NULL;
		if (cJSON_IsNumber(py))
			*point_add(&out->pub, &out->npub) = (struct point){
				cJSON_IsNumber(px) ? px->valuedouble : x[0], py->valuedouble,
				py->valuedouble, py->valuedouble, 0
			};
	}
	if (out->n)
		qsort(out->p, out->n, sizeof(*out->p), by_x);
	sort_doubles(out->missing, out->nmissing);
	free_all(x, y, done);
}

/* ---- series ---- */

/* Runs at one x of a line differ in nothing but their seeds. */
static bool one_at_each_x(struct figure *f, const struct source *s, const struct selection *g)
{
	scoped double *x = xcalloc(g->n, sizeof(*x));
	bool one = true;

	for (size_t i = 0; i < g->n && one; i++) {
		size_t first = 0;

		x[i] = position_of(f, s, g->run[i]);
		while (x[first] < x[i] || x[first] > x[i])
			first++;
		one = runs_are_one(g->run[first], g->run[i]);
	}
	return one;
}

/* A setting that differs among the runs of a line, and that its x does not tell, or NULL. */
static const char *line_mixes(struct figure *f, const struct source *s, const struct selection *g)
{
	if (f->curves)
		return select_mixes(g, NULL);
	if (measure_known(s->x) || one_at_each_x(f, s, g))
		return NULL;
	return select_mixes(g, opt_same_key(s->x, "slow_factor") ? "slow" : s->x);
}

/* The algorithm of all runs, without its options, or NULL. The caller frees. */
static char *common_algo(const struct selection *g)
{
	char space[32], other[32];
	const char *first = result_text(g->run[0], "algo", space);

	for (size_t i = 0; i < g->n && first; i++) {
		const char *own = result_text(g->run[i], "algo", other);

		if (!own || !choice_same_name(own, first))
			first = NULL;
	}
	return first ? xasprintf("%.*s", (int)strcspn(first, ":"), first) : NULL;
}

static void series_release(struct series *s)
{
	free_all(s->label, s->title, s->algo, s->p, s->pub, s->never, s->lost, s->missing);
}

static void series_add(struct figure *f, struct source *s, const struct selection *g)
{
	struct series out = { .label = words_series(&s->all, g->run[0], s->keys, s->labels),
			      .algo = common_algo(g), .runs = (int)g->n,
			      .diverged = select_diverged(g) };
	const char *mixed = line_mixes(f, s, g);

	if (s->option) {
		/* "4 workers, tau 10": also what x leaves of its setting. */
		scoped char *rest = words_rest(&s->all, g->run[0], s->x, s->option);
		const char *label = json_string(s->labels, rest);

		xappend(&out.label, *rest ? ", " : "", label ? label : rest);
	}
	if (mixed) {
		s->mixed = mixed;
	} else if (f->curves) {
		series_add_curves(f, &out, s, g);
	} else if (!s->option || !isnan(words_number(g->run[0], s->x, s->option))) {
		series_add_runs(f, &out, s, g);
	} else {
		/* Runs without the option on x are level, at every number that others have. */
		for (size_t i = 0; i < s->nnumbers; i++) {
			s->level = s->numbers[i];
			series_add_runs(f, &out, s, g);
		}
	}
	if (f->curves && out.n)
		series_add_published(&out, s, g->run[0]);
	/* Curves of runs that diverged before their first row: the legend counts them. */
	if (out.n || out.nnever || (f->curves && !mixed && out.diverged)) {
		APPEND(f->series, f->n) = out;
		return;
	}
	series_release(&out);
}

/* A series of the runs whose keys have these values, or of each choice that x leaves of them. */
static void values_add(struct figure *f, struct source *s, char *const *texts, const char *values)
{
	scoped_by(selection_release) struct selection g = select_text(&s->all, texts, values);
	scoped_by(selection_release) struct selection own = { xcalloc(g.n, sizeof(*own.run)), 0 };
	bool *done = xcalloc(g.n, sizeof(*done));

	if (!s->option)
		series_add(f, s, &g);
	for (size_t i = 0; i < g.n && s->option; i++) {
		own.n = 0;
		for (size_t j = i; j < g.n; j++)
			if (!done[j] && words_same_rest(g.run[i], g.run[j], s->x, s->option)) {
				own.run[own.n++] = g.run[j];
				done[j] = true;
			}
		if (own.n)
			series_add(f, s, &own);
	}
	free(done);
}

/* ---- axes ---- */

/* Each number on x, of the option, the label or the setting, once. */
static void source_read_numbers(struct source *s)
{
	s->numbers = xcalloc(s->all.n + 1, sizeof(*s->numbers));
	for (size_t i = 0; i < s->all.n; i++) {
		const struct result *run = s->all.run[i];
		const double x = s->option ? words_number(run, s->x, s->option)
			       : s->labelled ? label_number(s, run) : x_number(s, run);
		size_t k = 0;

		s->numbers[s->nnumbers] = x;
		while (s->numbers[k] < x || s->numbers[k] > x)
			k++;
		s->nnumbers += k == s->nnumbers && !isnan(x);
	}
}

/*
 * Each number is at least 1.5 times the one before, on average, and their distances grow: 1, 2, 3
 * are no factors; of two, ten times. Sorts them.
 */
static bool are_spread(double *x, size_t n)
{
	double least = HUGE_VAL, most = 0;

	sort_doubles(x, n);
	for (size_t i = 1; i < n; i++) {
		least = fmin(least, x[i] - x[i - 1]);
		most = fmax(most, x[i] - x[i - 1]);
	}
	if (n < 3)
		return n == 2 && x[0] > 0 && x[1] >= 10 * x[0];
	return x[0] > 0 && x[n - 1] >= x[0] * pow(1.5, (double)n - 1) && most >= 2 * least;
}

static bool has_number(const cJSON *labels)
{
	const cJSON *label;

	cJSON_ArrayForEach(label, labels)
		if (isfinite(text_number(cJSON_GetStringValue(label))))
			return true;
	return false;
}

/* x is a number of every run, the label of a setting, an option of it, or else a word. */
static void axes_read(struct figure *f, struct source *s)
{
	bool numeric = true, labelled = true;

	f->name = s->name;
	f->title = s->title;
	f->xlabel = s->xlabel ? xstrdup(s->xlabel) : measure_label(s->x, s->labels);
	f->ylabel = s->ylabel ? xstrdup(s->ylabel) : measure_label(s->y, s->labels);
	f->yname = xstrdup(s->y);
	f->curves = strcmp(s->from, "runs") != 0;
	f->workers = opt_same_key(s->x, "workers");
	f->logx = cJSON_IsTrue(s->logx) && !plot_is_share(s->x);
	f->logy = s->logy && !plot_is_share(s->y);
	f->calculated = s->calculated;
	for (size_t i = 0; i < s->all.n; i++) {
		numeric = numeric && isfinite(x_number(s, s->all.run[i]));
		labelled = labelled && isfinite(label_number(s, s->all.run[i]));
	}
	if (f->curves || measure_known(s->x))
		return;
	s->labelled = labelled && !numeric;
	if (!numeric && !labelled)
		s->option = words_option(&s->all, s->x);
	f->worded = !numeric && !labelled && !s->option;
	if (f->worded) {
		f->logx = false;
		return;
	}
	source_read_numbers(s);
	if (!s->logx)
		f->logx = are_spread(s->numbers, s->nnumbers);
	/* the spec's words are of its labels, which these values lack */
	if (s->option && (!s->xlabel || has_number(s->labels))) {
		free(f->xlabel);
		f->xlabel = words_axis(&s->all, s->x, s->option);
	}
}

bool figure_build(struct figure *f, const cJSON *entry, const cJSON *spec,
		  const struct results *runs)
{
	struct source s = source_read(entry, spec);
	char **texts, **values;
	bool points = false;

	s.all = select_where(runs, s.where);
	texts = select_texts(&s.all, s.keys);
	values = select_distinct(&s.all, s.keys);
	*f = (struct figure){ 0 };
	axes_read(f, &s);
	for (char **value = values; *value; value++)
		values_add(f, &s, texts, *value);
	if (s.mixed)
		warning("plot '%s' mixes runs that differ in '%s', which is not its series: name "
			"it there, or in \"where\"; they are left out",
			f->name, s.mixed);
	figure_titles(f);
	path_list_free(texts);
	path_list_free(values);
	selection_release(&s.all);
	free_all(s.option, s.numbers);
	for (size_t i = 0; i < f->n; i++)
		points = points || f->series[i].n;
	return points;
}

void figure_release(struct figure *f)
{
	for (size_t i = 0; i < f->n; i++)
		series_release(&f->series[i]);
	for (size_t i = 0; i < f->nwords; i++)
		free(f->words[i]);
	free_all(f->words, f->series, f->xlabel, f->ylabel, f->yname);
}
