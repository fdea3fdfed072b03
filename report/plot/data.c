/* An entry of "plots" and run objects: its axes and its series. */
#include "report/plot/source.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/opt.h"
#include "report/plot/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static bool is_labelled(const struct source *s)
{
	for (size_t i = 0; i < s->all.n; i++)
		if (!isfinite(source_labelled(s, s->all.run[i])))
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

		x[i] = source_x(f, s, g->run[i]);
		while (x[first] < x[i] || x[first] > x[i])
			first++;
		one = source_same(g->run[first], g->run[i]);
	}
	free(x);
	return one;
}

/* A setting that differs among the runs of a line, and that its x does not tell, or NULL. */
static const char *plot_data_mixes(struct figure *f, const struct source *s, const struct group *g)
{
	if (f->curves)
		return group_mixes(g, NULL);
	if (measure_known(s->x) || one_at_each_x(f, s, g))
		return NULL;
	return group_mixes(g, opt_same_key(s->x, "slow_factor") ? "slow" : s->x);
}

/* The algorithm of all runs of a group, without its options, or NULL. The caller frees. */
static char *plot_data_algo_of(const struct group *g)
{
	char *first = run_text(g->run[0], "algo");

	for (size_t i = 0; i < g->n && first; i++) {
		char *own = run_text(g->run[i], "algo");
		const size_t n = strcspn(first, ":");
		const bool same = own && strcspn(own, ":") == n && !strncmp(own, first, n);

		if (same)
			first[n] = 0;
		if (!same) {
			free(first);
			first = NULL;
		}
		free(own);
	}
	return first;
}

static void release_series(struct series *s)
{
	free(s->label);
	free(s->title);
	free(s->algo);
	free(s->p);
	free(s->pub);
	free(s->never);
}

/* "4 workers, tau 10": the series' own words, and those of what x leaves of its setting. */
static char *plot_data_label_of(const struct source *s, const struct group *g)
{
	char *own = words_series(&s->all, g->run[0], s->keys, s->labels), *rest, *both;

	if (!s->option)
		return own;
	rest = words_rest(&s->all, g->run[0], s->x, s->option);
	both = xasprintf("%s%s%s", own, *own && *rest ? ", " : "", rest);
	free(own);
	free(rest);
	return both;
}

/* Points of runs; those without the option on x are level, at every number that others have. */
static void add_points(struct figure *f, struct series *out, struct source *s,
		       const struct group *g)
{
	if (!s->option || !isnan(words_number(g->run[0], s->x, s->option))) {
		source_runs(f, out, s, g);
		return;
	}
	for (size_t i = 0; i < s->nnumbers; i++) {
		s->level = s->numbers[i];
		source_runs(f, out, s, g);
	}
}

static void add_series(struct figure *f, struct source *s, const struct group *g)
{
	struct series out = { .label = plot_data_label_of(s, g), .algo = plot_data_algo_of(g),
			      .runs = (int)g->n, .diverged = group_diverged(g) };
	const char *mixed = plot_data_mixes(f, s, g);

	if (mixed)
		s->mixed = mixed;
	else if (f->curves)
		source_curve(f, &out, s, g);
	else
		add_points(f, &out, s, g);
	if (f->curves && out.n)
		source_published(&out, s, g->run[0]);
	if (out.n || out.nnever) {
		f->series = xrealloc(f->series, f->n + 1, sizeof(*f->series));
		f->series[f->n++] = out;
		return;
	}
	release_series(&out);
}

/* A series of each choice that x leaves of its setting. */
static void add_rests(struct figure *f, struct source *s, const struct group *g)
{
	struct group own = { xcalloc(g->n, sizeof(*own.run)), 0 };
	bool *done = xcalloc(g->n, sizeof(*done));

	for (size_t i = 0; i < g->n; i++) {
		own.n = 0;
		for (size_t j = i; j < g->n; j++)
			if (!done[j] && words_same_rest(g->run[i], g->run[j], s->x, s->option)) {
				own.run[own.n++] = g->run[j];
				done[j] = true;
			}
		if (own.n)
			add_series(f, s, &own);
	}
	free(done);
	group_release(&own);
}

static void plot_data_add_values(struct figure *f, struct source *s, const char *values)
{
	struct group g = group_pick(&s->all, s->keys, values);

	if (s->option)
		add_rests(f, s, &g);
	else
		add_series(f, s, &g);
	group_release(&g);
}

static char *axis_label(const struct source *s, const char *key, const char *name)
{
	const char *own = json_string(s->entry, key);

	return own ? xstrdup(own) : measure_label(name, s->labels);
}

/* Each number of the option once. */
static void read_numbers(struct source *s)
{
	s->numbers = xcalloc(s->all.n + 1, sizeof(*s->numbers));
	for (size_t i = 0; i < s->all.n; i++) {
		const double x = words_number(s->all.run[i], s->x, s->option);
		size_t k = 0;

		s->numbers[s->nnumbers] = x;
		while (s->numbers[k] < x || s->numbers[k] > x)
			k++;
		s->nnumbers += k == s->nnumbers && !isnan(x);
	}
}

/* Each number is at least 1.5 times the one before, on average; of two, ten times. */
static bool are_spread(const double *x, size_t n)
{
	double low = HUGE_VAL, high = 0;

	for (size_t i = 0; i < n; i++) {
		low = fmin(low, x[i]);
		high = fmax(high, x[i]);
	}
	return low > 0 && high / low >= (n > 2 ? pow(1.5, (double)n - 1) : 10);
}

/* Numbers of a setting's option on x. */
static void read_option(struct figure *f, struct source *s)
{
	s->option = words_option(&s->all, s->x);
	if (!s->option)
		return;
	read_numbers(s);
	if (!cJSON_HasObjectItem(s->entry, "logx"))
		f->logx = are_spread(s->numbers, s->nnumbers);
	if (!json_string(s->entry, "xlabel")) {
		free(f->xlabel);
		f->xlabel = words_axis(&s->all, s->x, s->option);
	}
}

static void read_entry(struct figure *f, struct source *s)
{
	f->name = json_string(s->entry, "name");
	f->title = json_string(s->entry, "title");
	f->xlabel = axis_label(s, "xlabel", s->x);
	f->ylabel = axis_label(s, "ylabel", s->y);
	f->yname = xstrdup(s->y);
	f->curves = strcmp(s->from, "runs") != 0;
	f->workers = opt_same_key(s->x, "workers");
	f->logx = cJSON_IsTrue(json_get(s->entry, "logx")) && !plot_is_share(s->x);
	f->logy = cJSON_IsTrue(json_get(s->entry, "logy")) && !plot_is_share(s->y);
	if (f->curves || is_numeric(s))
		return;
	read_option(f, s);
	s->labelled = !s->option && is_labelled(s);
	if (!s->option && !s->labelled) {
		f->worded = true;
		f->logx = false;
	}
}

/* The plot's own labels, or those of the first table, so that names need be given once. */
static const cJSON *labels_of(const cJSON *entry, const cJSON *spec)
{
	const cJSON *own = json_get(entry, "labels");
	const cJSON *tables = json_get(spec, "tables");

	if (own)
		return own;
	return json_get(cJSON_GetArrayItem(tables, 0), "labels");
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
	const cJSON *published = json_get(spec, "published");
	struct source s = {
		.entry = entry,
		.labels = labels_of(entry, spec),
		.keys = json_get(entry, "series"),
		.x = json_string(entry, "x"),
		.y = json_string(entry, "y"),
		.from = json_string(entry, "from"),
		.all = group_where(runs, json_get(entry, "where")),
	};
	cJSON *values = group_values(&s.all, s.keys);
	const cJSON *value;

	*f = (struct figure){ 0 };
	if (cJSON_IsTrue(json_get(entry, "published")))
		s.published = json_get(published, "cells");
	read_entry(f, &s);
	cJSON_ArrayForEach(value, values)
		plot_data_add_values(f, &s, value->valuestring);
	if (s.mixed)
		warning("plot '%s' mixes runs that differ in '%s', which is not its series: name "
			"it there, or in \"where\"; they are left out",
			f->name, s.mixed);
	figure_titles(f);
	cJSON_Delete(values);
	group_release(&s.all);
	free(s.option);
	free(s.numbers);
	return has_points(f);
}

void figure_add_word(struct figure *f, const char *word)
{
	f->words = xrealloc(f->words, f->nwords + 1, sizeof(*f->words));
	f->words[f->nwords++] = xstrdup(word);
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

void figure_release(struct figure *f)
{
	for (size_t i = 0; i < f->n; i++)
		release_series(&f->series[i]);
	free(f->series);
	free(f->xlabel);
	free(f->ylabel);
	free(f->yname);
	for (size_t i = 0; i < f->nwords; i++)
		free(f->words[i]);
	free(f->words);
}
