/* Choices of a spec's "tune": as JSON, in words, and the table and plots of tuning runs. */
#include "plan/spec_tune.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/members.h"
#include "core/text/opt_text.h"
#include "record/measure.h"

#include <stdlib.h>
#include <string.h>

static const char *best_word(const struct spec_tune *tune)
{
	return spec_tune_bests[spec_tune_highest(tune) ? 0 : 1];
}

static cJSON *choice_json(const struct spec_tune *tune, const struct tuning_method *m)
{
	const struct tuning_choice *c = &m->choice;
	cJSON *points = cJSON_CreateArray();

	for (size_t i = 0; i < c->n; i++) {
		const struct tuning_score *s = &c->scores[i];
		scoped_by(point_release) struct grid_point settings = product_point(m->grid, i);

		list_add(points, OBJECT(j_json("settings", point_json(&settings)),
					j_wides("values", s->values, c->nseeds),
					j_wide("mean", s->mean),
					j_number("n", s->n), j_number("diverged", s->diverged)));
	}
	return OBJECT(j_text("method", m->name), j_json("per", point_json(&m->per)),
		      j_json("grid", product_json(m->grid)), j_text("measure", tune->measure),
		      j_json("seeds", value_list_json(&tune->seeds)),
		      j_if(tune->has_budget, j_json("budget", tune->has_budget
						    ? point_json(&tune->budget) : NULL)),
		      j_text("best", best_word(tune)), j_json("points", points),
		      j_json("chosen", point_json(&c->chosen)),
		      j_texts("edge", c->edges, c->nedges),
		      j_if(c->reason, j_text("reason", c->reason)));
}

cJSON *tuning_json(const struct plan *p)
{
	cJSON *all = cJSON_CreateArray();

	for (size_t i = 0; i < p->tuning->n; i++)
		if (p->tuning->methods[i].choice.scores)
			list_add(all, choice_json(p->spec.tune, &p->tuning->methods[i]));
	return all;
}

/* ---- in words ---- */

/* "lr 0.05, 0.1, 0.2"; the caller frees. */
static char *grid_text(const struct grid_product *grid)
{
	char *all = xstrdup("");

	for (size_t i = 0; i < grid->n; i++) {
		scoped char *values = value_list_text(&grid->v[i].values);

		xappendf(&all, "; ", "%s %s", grid->v[i].key, values);
	}
	return all;
}

/* "test accuracy (highest), seeds 101, epochs=2"; the caller frees. */
static char *how_text(const struct spec_tune *tune)
{
	scoped char *measure = measure_label(tune->measure, NULL);
	scoped char *seeds = value_list_text(&tune->seeds), *budget = point_words(&tune->budget);

	return xasprintf("%s (%s), seed%s %s%s%s", measure, best_word(tune),
			      tune->seeds.n > 1 ? "s" : "", seeds, *budget ? ", " : "", budget);
}

/* "lr=0.4 (lr at the edge of the grid)"; the caller frees. */
static char *chosen_text(const struct tuning_choice *c)
{
	char *all = point_words(&c->chosen), *edges = xstrdup("");

	for (size_t i = 0; i < c->nedges; i++)
		xappend(&edges, ", ", c->edges[i]);
	if (c->reason)
		xappendf(&all, " ", "(the first: %s)", c->reason);
	else if (c->nedges)
		xappendf(&all, " ", "(%s at the edge of the grid)", edges);
	free(edges);
	return all;
}

/* Methods in their order; a grid stands once, after the last of the methods that share it. */
static char *methods_text(const struct tuning *t, bool with_grids)
{
	char *text = xstrdup("");
	int alike = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct tuning_method *m = &t->methods[i], *next = NULL;
		scoped char *chosen = NULL, *words = NULL;

		if (!m->choice.scores)
			continue;
		for (size_t k = i + 1; k < t->n && !next; k++)
			next = t->methods[k].choice.scores ? &t->methods[k] : NULL;
		chosen = chosen_text(&m->choice);
		words = grid_text(m->grid);
		xappendf(&text, "; ", "%s%s%s", m->name, *m->name ? ": " : "", chosen);
		alike++;
		if (!next || !products_equal(m->grid, next->grid)) {
			if (with_grids && *words)
				xappend(&text, alike > 1 ? ", each of " : " of ", words);
			alike = 0;
		}
	}
	return text;
}

/* "42 choices, 33 at the edge of the grid (tuning.json)"; the caller frees. */
static char *counts_text(const struct tuning *t, size_t chosen)
{
	size_t edges = 0, none = 0;
	char *text = xasprintf("%zu choices", chosen);

	for (size_t i = 0; i < t->n; i++) {
		const struct tuning_choice *c = &t->methods[i].choice;

		none += c->scores && c->reason;
		edges += c->scores && !c->reason && c->nedges;
	}
	if (edges)
		xappendf(&text, ", ", "%zu at the edge of the grid", edges);
	if (none)
		xappendf(&text, ", ", "%zu without a point better than the others", none);
	xappend(&text, " ", "(" TUNING_NAME ".json)");
	return text;
}

char *tuning_text(const struct plan *p)
{
	enum { FEW = 6 };
	const struct spec_tune *tune = p->spec.tune;
	char *grid, *how, *methods, *text;
	size_t chosen = 0;

	for (size_t i = 0; p->tuning && i < p->tuning->n; i++)
		chosen += p->tuning->methods[i].choice.scores != NULL;
	if (!chosen)
		return NULL;
	grid = tune->common ? grid_text(&tune->grid) : xstrdup("");
	how = how_text(tune);
	methods = chosen > FEW ? counts_text(p->tuning, chosen) :
				 methods_text(p->tuning, !tune->common);
	text = xasprintf("tuned by %s%s%s. %s", how, tune->common ? ", over " : "", grid, methods);
	free_all(grid, how, methods);
	return text;
}

char *tuning_text_of(const struct plan *p, const struct planned *r)
{
	const struct tuning_method *m = r->tuned ? &p->tuning->methods[r->method] : NULL;
	char *chosen, *how, *grid, *text;

	if (!m || !m->choice.scores)
		return NULL;
	chosen = chosen_text(&m->choice);
	how = how_text(p->spec.tune);
	grid = grid_text(m->grid);
	text = xasprintf("%s of %s, by %s", chosen, grid, how);
	free_all(chosen, grid, how);
	return text;
}

/* ---- the table and the plots ---- */

enum { LINES_MOST = 16 }; /* of a plot; more methods have more plots */

static void names_add(struct texts *list, const char *key)
{
	if (!texts_have(list, key))
		texts_put(list, key);
}

/* The settings that tell methods apart and those that are tuned, without `except`. */
static struct texts settings_shown(const struct tuning *t, const char *except)
{
	struct texts list = { 0 };

	for (size_t i = 0; i < t->n; i++)
		for (size_t k = 0; k < t->methods[i].per.n; k++)
			if (strcmp(t->methods[i].per.v[k].key, except) != 0)
				names_add(&list, t->methods[i].per.v[k].key);
	for (size_t i = 0; i < t->n; i++)
		for (size_t k = 0; k < t->methods[i].grid->n; k++)
			if (strcmp(t->methods[i].grid->v[k].key, except) != 0)
				names_add(&list, t->methods[i].grid->v[k].key);
	return list;
}

/* True when all methods' values of the setting are numbers above 0, for a logarithmic axis. */
static bool is_positive(const struct tuning *t, const char *setting)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct value_list *values = product_values(t->methods[i].grid, setting);

		for (size_t k = 0; values && k < values->n; k++)
			if (!(text_number(values->v[k].text) > 0))
				return false;
	}
	return true;
}

/* A method's value of the first setting that tells methods apart. */
static const char *first_value(const struct tuning_method *m)
{
	return m->per.n ? m->per.v[0].value.text : "";
}

/* Values of the first setting that a plot shows each, in order; `n` of them, the caller frees. */
static struct grid_axis *parts_of(const struct tuning *t, const char *x, size_t *n)
{
	struct grid_axis *parts = NULL;
	size_t lines = 0;

	*n = 0;
	for (size_t i = 0; i < t->n; i++) {
		const struct tuning_method *m = &t->methods[i];
		const struct value_list *variants;
		bool fresh = m->used && m->per.n;
		size_t more = 0;

		for (size_t k = 0; k < i; k++)
			fresh &= !t->methods[k].used ||
				 strcmp(first_value(&t->methods[k]), first_value(m)) != 0;
		if (!fresh)
			continue;
		variants = product_values(m->grid, m->per.v[0].key);
		/* A line for each combination of the settings but x. */
		for (size_t k = 0; k < t->n; k++) {
			const struct tuning_method *other = &t->methods[k];
			const struct value_list *points = product_values(other->grid, x);

			if (other->used && strcmp(first_value(other), first_value(m)) == 0)
				more += product_size(other->grid) / (points ? points->n : 1);
		}
		if (!*n || lines + more > LINES_MOST) {
			APPEND(parts, *n) = (struct grid_axis){ .key = m->per.v[0].key };
			lines = 0;
		}
		/* The method's own grid may put variants in the value's stead. */
		if (!variants)
			value_list_add(&parts[*n - 1].values, m->per.v[0].value);
		for (size_t k = 0; variants && k < variants->n; k++)
			value_list_add(&parts[*n - 1].values, variants->v[k]);
		lines += more;
	}
	return parts;
}

/* Letters of NAME where all values are NAME or NAME:...; 0: they differ. */
static int common_name(const struct value_list *values)
{
	const char *first = values->v[0].text;

	for (size_t i = 1; i < values->n; i++)
		if (!choice_same_name(values->v[i].text, first))
			return 0;
	return (int)strcspn(first, ":");
}

/* The i-th of n plots, which shows methods of these values; NULL: all. */
static cJSON *plot_of(const struct plan *p, const char *x, size_t i, size_t n,
		      const struct grid_axis *shown)
{
	/* Labels of lines leave out an algorithm that all have. */
	const int algo = shown && strcmp(shown->key, "algo") == 0 ? common_name(&shown->values) : 0;
	scoped char *name = shown ? xasprintf(TUNING_NAME "-%zu", i + 1) : xstrdup(TUNING_NAME);
	scoped char *title = shown ? xasprintf("Tuning runs (%zu of %zu)%s%.*s", i + 1, n,
					       algo ? ": " : "", algo, shown->values.v[0].text) :
				     xstrdup("Tuning runs");
	struct texts series = settings_shown(p->tuning, x);
	cJSON *plot = OBJECT(j_text("name", name), j_text("title", title), j_text("from", "runs"),
			     j_text("y", p->spec.tune->measure),
			     j_if(series.n, j_texts("series", series.v, series.n)), j_text("x", x),
			     j_bool("logx", is_positive(p->tuning, x)));

	texts_release(&series);
	if (shown)
		ADD(plot, j_json("where", OBJECT(j_json(shown->key,
							value_list_json(&shown->values)))));
	return plot;
}

cJSON *tuning_report(const struct plan *p)
{
	const struct tuning *t = p->tuning;
	const cJSON *tables = json_get(p->spec.json, "tables");
	const cJSON *labels = json_get(tables ? tables->child : NULL, "labels");
	cJSON *plots = cJSON_CreateArray();
	scoped_by(texts_release) struct texts rows = settings_shown(t, "");
	struct grid_axis *parts;
	const char *x;
	size_t n, first = 0;

	while (!t->methods[first].grid->n)
		first++;
	x = t->methods[first].grid->v[0].key;
	parts = parts_of(t, x, &n);
	for (size_t i = 0; i < (n > 1 ? n : 1); i++)
		list_add(plots, plot_of(p, x, i, n, n > 1 ? &parts[i] : NULL));
	for (size_t i = 0; i < n; i++)
		value_list_release(&parts[i].values);
	free(parts);
	return OBJECT(j_json("tables", list_add(cJSON_CreateArray(), OBJECT(
			      j_text("name", TUNING_NAME), j_text("title", "Tuning runs"),
			      j_texts("rows", rows.v, rows.n),
			      j_text("values", p->spec.tune->measure),
			      j_if(labels, j_json("labels", cJSON_Duplicate(labels, true)))))),
		      j_json("plots", plots));
}
