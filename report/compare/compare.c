/*
 * compare.c - two results side by side: settings that differ, measures, and whether seeds explain
 * the difference.
 */
#include "report/compare/compare.h"

#include "core/file/members.h"
#include "core/file/output.h"
#include "report/text/escape.h"
#include "report/text/grid.h"
#include "report/text/say.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- which settings tell runs apart ---- */

/* The value that all runs have of a setting, or NULL. */
static const char *setting_shared(const struct results *runs, const char *key)
{
	const char *first = result_setting(&runs->v[0], key);

	for (size_t i = 1; i < runs->n; i++)
		if (strcmp(result_setting(&runs->v[i], key), first) != 0)
			return NULL;
	return first;
}

/* Lists a setting that differs between the two, or, in `within`, one that differs in either. */
static void setting_compare(struct comparison *c, const struct compared *a,
			    const struct compared *b, const char *key, struct texts *within)
{
	const char *va = setting_shared(a->runs, key), *vb = setting_shared(b->runs, key);

	if (!strcmp(key, "seed") || (va && vb && !strcmp(va, vb)))
		return;
	if (!va || !vb) {
		texts_put(within, key);
		return;
	}
	APPEND(c->setting, c->nsettings) = (struct setting_pair){ xstrdup(key), xstrdup(va),
								 xstrdup(vb) };
}

/* Compares all settings of the first runs of both; returns names of those that differ within. */
static struct texts settings_compare(struct comparison *c, const struct compared *a,
				     const struct compared *b)
{
	const struct result *first = &a->runs->v[0];
	const struct result_values *own = &first->values[RESULT_SETTINGS],
				   *others = &b->runs->v[0].values[RESULT_SETTINGS];
	struct texts within = { 0 };

	for (size_t i = 0; i < own->n; i++)
		setting_compare(c, a, b, own->v[i].key, &within);
	for (size_t i = 0; i < others->n; i++)
		if (!result_value(first, RESULT_SETTINGS, others->v[i].key))
			setting_compare(c, a, b, others->v[i].key, &within);
	return within;
}

/* "algo=asgd workers=4": a run's values of these settings. The caller frees. */
static char *run_name(const struct result *r, const struct texts *keys)
{
	char *name = xstrdup("");

	for (size_t i = 0; i < keys->n; i++)
		xappendf(&name, " ", "%s=%s", keys->v[i], result_setting(r, keys->v[i]));
	return name;
}

/* ---- runs that differ only in the seed ---- */

struct alike {
	char *name;
	struct selection runs;
	bool paired;
};

struct alikes {
	struct alike *v;        /* [n] in order of appearance */
	size_t n;
};

static struct alike *alike_find(const struct alikes *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++)
		if (strcmp(all->v[i].name, name) == 0)
			return &all->v[i];
	return NULL;
}

static struct alikes alikes_of(const struct results *runs, const struct texts *within)
{
	struct alikes all = { xcalloc(runs->n + 1, sizeof(*all.v)), 0 };

	for (size_t i = 0; i < runs->n; i++) {
		char *name = run_name(&runs->v[i], within);
		struct alike *a = alike_find(&all, name);

		if (a) {
			free(name);
		} else {
			a = &all.v[all.n++];
			a->name = name;
			a->runs.run = xcalloc(runs->n, sizeof(struct result *));
		}
		selection_add(&a->runs, &runs->v[i]);
	}
	return all;
}

static void alikes_release(struct alikes *all)
{
	for (size_t i = 0; i < all->n; i++) {
		free(all->v[i].name);
		selection_release(&all->v[i].runs);
	}
	free(all->v);
}

/* The only one of them without a partner, or NULL. */
static struct alike *alike_alone(const struct alikes *all)
{
	struct alike *alone = NULL;

	for (size_t i = 0; i < all->n; i++) {
		if (all->v[i].paired)
			continue;
		if (alone)
			return NULL;
		alone = &all->v[i];
	}
	return alone;
}

/* ---- measures ---- */

static struct table_cell side_of(const struct selection *runs, const char *measure)
{
	const struct spread s = select_spread(runs, measure);
	struct target target;

	return (struct table_cell){ s.mean, s.dev, s.n, (int)runs->n, select_diverged(runs),
			      .reached = target_parse(measure, &target) ? s.n - s.infinite : -1,
			      .relative_error = (double)NAN, .holds = -1 };
}

/* Where runs diverged, a difference is that of other work: no interval tells of it. */
static struct measure_pair measures_compare(const char *measure, const struct table_cell *a,
					    const struct table_cell *b)
{
	const bool finite = isfinite(a->mean) && isfinite(b->mean);
	const double other = is_equal_rounded(a->mean, b->mean) ? a->mean : b->mean;
	const struct spread sa = { a->mean, a->deviation, a->n, !isfinite(a->mean) };
	const struct spread sb = { other, b->deviation, b->n, !isfinite(b->mean) };

	return (struct measure_pair){
		measure, *a, *b,
		.difference = finite ? other - a->mean : (double)NAN,
		.ratio = finite && fpclassify(a->mean) != FP_ZERO ? other / a->mean : (double)NAN,
		.interval = a->diverged || b->diverged
				    ? (struct interval){ (double)NAN, (double)NAN }
				    : welch_interval(&sa, &sb, 0.05)
	};
}

/* The name is taken over. */
static void pair_add(struct comparison *c, char *name, struct alike *a, struct alike *b,
		     const char *const *measures)
{
	struct run_pair pair = { .runs = name };

	a->paired = b->paired = true;
	for (; *measures; measures++) {
		const struct table_cell sa = side_of(&a->runs, *measures);
		const struct table_cell sb = side_of(&b->runs, *measures);

		if (!sa.n && !sb.n)
			continue;
		APPEND(pair.measure, pair.n) = measures_compare(*measures, &sa, &sb);
	}
	APPEND(c->pair, c->npairs) = pair;
}

/* "a algo=asgd, b algo=ssp": in what two runs differ. */
static char *differing_name(const struct result *a, const struct result *b,
			    const struct texts *within)
{
	struct texts differing = { 0 };
	char *na, *nb, *both;

	for (size_t i = 0; i < within->n; i++)
		if (strcmp(result_setting(a, within->v[i]), result_setting(b, within->v[i])) != 0)
			texts_put(&differing, within->v[i]);
	na = run_name(a, &differing);
	nb = run_name(b, &differing);
	both = xasprintf("a %s, b %s", na, nb);
	texts_release(&differing);
	free_all(na, nb);
	return both;
}

static struct texts names_left(const struct alikes *all)
{
	struct texts names = { 0 };

	for (size_t i = 0; i < all->n; i++)
		if (!all->v[i].paired)
			texts_put(&names, all->v[i].name);
	return names;
}

struct comparison results_compare(const struct compared *a, const struct compared *b,
				  const char *const *measures)
{
	const char *usual[MEASURE_COUNT + 1] = { NULL };
	size_t n = 0;
	struct comparison c = { .a = a->name, .b = b->name };
	scoped_by(texts_release) struct texts within = settings_compare(&c, a, b);
	struct alikes as = alikes_of(a->runs, &within), bs = alikes_of(b->runs, &within);
	struct alike *last_a, *last_b;

	for (const struct measure_info *m = measure_table; m < measure_table + MEASURE_COUNT; m++)
		if (m->shown == SHOWN_USUAL)
			usual[n++] = m->name;
	measures = measures ? measures : usual;
	for (size_t i = 0; i < as.n; i++) {
		struct alike *other = alike_find(&bs, as.v[i].name);

		if (other)
			pair_add(&c, xstrdup(other->name), &as.v[i], other, measures);
	}
	last_a = alike_alone(&as);
	last_b = alike_alone(&bs);
	if (last_a && last_b)
		pair_add(&c, differing_name(last_a->runs.run[0], last_b->runs.run[0], &within),
			 last_a, last_b, measures);
	c.only_a = names_left(&as);
	c.only_b = names_left(&bs);
	c.apart = (last_a && last_b) || c.only_a.n || c.only_b.n;
	alikes_release(&as);
	alikes_release(&bs);
	return c;
}

void compare_release(struct comparison *c)
{
	for (size_t i = 0; i < c->nsettings; i++)
		free_all(c->setting[i].setting, c->setting[i].a, c->setting[i].b);
	for (size_t i = 0; i < c->npairs; i++)
		free_all(c->pair[i].runs, c->pair[i].measure);
	free_all(c->setting, c->pair);
	texts_release(&c->only_a);
	texts_release(&c->only_b);
	*c = (struct comparison){ 0 };
}

/* ---- JSON and CSV ---- */

static bool is_beyond_seeds(const struct measure_pair *m)
{
	return m->interval.low > 0 || m->interval.high < 0;
}

static cJSON *side_json(const struct table_cell *c)
{
	return OBJECT(j_wide("mean", c->mean),
		      j_wide("deviation", c->deviation), j_number("n", c->n),
		      j_number("runs", c->runs),
		      j_if(c->reached >= 0, j_number("reached", c->reached)),
		      j_if(c->diverged, j_number("diverged", c->diverged)));
}

static cJSON *measure_pair_json(const struct measure_pair *m)
{
	const double ends[] = { m->interval.low, m->interval.high };
	scoped char *label = measure_label(m->measure, NULL);

	return OBJECT(j_text("measure", m->measure), j_text("label", label),
			     j_json("a", side_json(&m->a)), j_json("b", side_json(&m->b)),
			     j_wide("difference", m->difference), j_wide("ratio", m->ratio),
			     j_wides("interval", ends, 2),
			     isnan(m->interval.low) ? j_null("beyond_seeds") :
						      j_bool("beyond_seeds", is_beyond_seeds(m)));
}

cJSON *comparison_json(const struct comparison *c)
{
	cJSON *settings = cJSON_CreateArray(), *pairs = cJSON_CreateArray();

	for (size_t i = 0; i < c->nsettings; i++)
		list_add(settings, OBJECT(j_text("setting", c->setting[i].setting),
					  j_text("a", c->setting[i].a),
					  j_text("b", c->setting[i].b)));
	for (size_t i = 0; i < c->npairs; i++) {
		cJSON *measures = cJSON_CreateArray();

		for (size_t k = 0; k < c->pair[i].n; k++)
			list_add(measures, measure_pair_json(&c->pair[i].measure[k]));
		list_add(pairs, OBJECT(j_text("runs", c->pair[i].runs),
				       j_json("measures", measures)));
	}
	return OBJECT(j_text("a", c->a), j_text("b", c->b), j_json("settings", settings),
		      j_json("pairs", pairs), j_texts("only_a", c->only_a.v, c->only_a.n),
		      j_texts("only_b", c->only_b.v, c->only_b.n));
}

static void print_csv(const struct comparison *c, FILE *out)
{
	fputs("runs,measure,a_measured,a_deviation,a_n,b_measured,b_deviation,b_n,difference,ratio,"
	      "interval_low,interval_high,beyond_seeds,a_diverged,b_diverged\n", out);
	for (size_t i = 0; i < c->npairs; i++)
		for (size_t k = 0; k < c->pair[i].n; k++) {
			const struct measure_pair *m = &c->pair[i].measure[k];
			const struct table_cell *sides[] = { &m->a, &m->b };

			escape_csv(c->pair[i].runs, out);
			csv_text(m->measure, out);
			for (int s = 0; s < 2; s++) {
				csv_number(sides[s]->mean, out);
				csv_number(sides[s]->deviation, out);
				csv_number(sides[s]->n, out);
			}
			csv_number(m->difference, out);
			csv_number(m->ratio, out);
			csv_number(m->interval.low, out);
			csv_number(m->interval.high, out);
			csv_text(isnan(m->interval.low) ? "" : is_beyond_seeds(m) ? "true" :
				 "false", out);
			for (int s = 0; s < 2; s++)
				csv_number(sides[s]->diverged ? sides[s]->diverged : (double)NAN,
					   out);
			putc('\n', out);
		}
}

/* ---- text ---- */

static void format_number(double x, char out[64])
{
	if (isfinite(x))
		number_format(x, (double)NAN, out);
	else
		strcpy(out, isnan(x) ? "-" : "∞");
}

/* "1.220 ± 0.030 (3)", "∞ (2 of 6 diverged)"; the caller frees. */
static char *side_text(const struct table_cell *c)
{
	char *lost = lost_text(c), *n = xasprintf("%d", c->n), *text;
	struct cell_text w;

	measured_text(c->mean, c->deviation, (double)NAN, &w);
	if (!*lost && !*w.spread)
		text = xstrdup(w.number);
	else
		text = xasprintf("%s%s%s (%s)", w.number, *w.spread ? " " : "", w.spread,
				 *lost ? lost : n);
	free_all(lost, n);
	return text;
}

static void measure_row_add(struct text_grid *rows, const char *runs, const struct measure_pair *m)
{
	char *label = measure_label(m->measure, NULL), *a = side_text(&m->a), *b = side_text(&m->b);
	char *interval, difference[64], ratio[64], low[64], high[64];

	format_number(m->interval.low, low);
	format_number(m->interval.high, high);
	if (isnan(m->interval.low))
		interval = xstrdup(m->a.diverged || m->b.diverged ? "diverged" : "-");
	else
		interval = xasprintf("%s (%s to %s)", is_beyond_seeds(m) ? "yes" : "no", low, high);
	format_number(m->difference, difference);
	format_number(m->ratio, ratio);
	if (runs)
		grid_row(rows, runs, label, a, b, difference, ratio, interval, NULL);
	else
		grid_row(rows, label, a, b, difference, ratio, interval, NULL);
	free_all(label, a, b, interval);
}

static void print_measures(const struct comparison *c, enum table_format format, FILE *out)
{
	const bool many = c->npairs > 1;
	scoped_grid struct text_grid *rows = grid_new();

	if (many)
		grid_row(rows, "runs", "measure", "a", "b", "difference", "ratio", "beyond seeds",
			 NULL);
	else
		grid_row(rows, "measure", "a", "b", "difference", "ratio", "beyond seeds", NULL);
	for (size_t i = 0; i < c->npairs; i++)
		for (size_t k = 0; k < c->pair[i].n; k++)
			measure_row_add(rows, many ? c->pair[i].runs : NULL,
					&c->pair[i].measure[k]);
	grid_print(rows, format, out);
}

static void print_settings(const struct comparison *c, enum table_format format, FILE *out)
{
	scoped_grid struct text_grid *rows = grid_new();

	grid_row(rows, "setting", "a", "b", NULL);
	for (size_t i = 0; i < c->nsettings; i++)
		grid_row(rows, c->setting[i].setting, c->setting[i].a, c->setting[i].b, NULL);
	if (c->nsettings)
		grid_print(rows, format, out);
	else
		say_line(c->apart ? "Settings differ between some of the runs; their names say "
				    "which." : "The settings are the same.", 0, 2, out);
}

static bool any_diverged(const struct comparison *c)
{
	for (size_t i = 0; i < c->npairs; i++)
		for (size_t k = 0; k < c->pair[i].n; k++)
			if (c->pair[i].measure[k].a.diverged || c->pair[i].measure[k].b.diverged)
				return true;
	return false;
}

static void print_text(const struct comparison *c, enum table_format format, FILE *out)
{
	fprintf(out, "a: %s\n", c->a);
	fprintf(out, "%sb: %s\n\n", format == TABLE_MARKDOWN ? "\n" : "", c->b);
	print_settings(c, format, out);
	putc('\n', out);
	if (c->npairs)
		print_measures(c, format, out);
	else
		fputs("No run of a has a partner in b.\n", out);
	for (size_t i = 0; i < c->only_a.n; i++)
		fprintf(out, "only in a: %s\n", c->only_a.v[i]);
	for (size_t i = 0; i < c->only_b.n; i++)
		fprintf(out, "only in b: %s\n", c->only_b.v[i]);
	putc('\n', out);
	say_line("Differences are b - a. \"beyond seeds\": Welch's 95 % interval of the difference "
		 "of means leaves out 0; it needs two seeds of each.", 0, 2, out);
	if (!any_diverged(c))
		return;
	putc('\n', out);
	say_line("Losses of runs that diverged count as infinite, and no difference to them is "
		 "called one beyond seeds.", 0, 2, out);
}

void compare_print(const struct comparison *c, enum table_format format, FILE *out)
{
	cJSON *json;

	switch (format) {
	case TABLE_JSON:
		json = comparison_json(c);
		output_json(json, out);
		cJSON_Delete(json);
		break;
	case TABLE_CSV:
		print_csv(c, out);
		break;
	case TABLE_LATEX:
	case TABLE_TEX:
		print_measures(c, format, out);
		break;
	case TABLE_TEXT:
	case TABLE_MARKDOWN:
		print_text(c, format, out);
		break;
	}
}
