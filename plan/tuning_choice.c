/* The best point of each method's grid, and what is said of it. */
#include "plan/tuning.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/members.h"
#include "core/text/opt_text.h"
#include "record/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void tuning_choice_release(struct tuning_choice *c)
{
	for (size_t i = 0; c->scores && i < c->n; i++)
		free(c->scores[i].values);
	for (size_t i = 0; i < c->nedges; i++)
		free(c->edges[i]);
	free(c->scores);
	free(c->edges);
	free(c->reason);
	point_release(&c->chosen);
	*c = (struct tuning_choice){ 0 };
}

/* ---- results ---- */

static bool method_is_ready(const struct tuning *t, const struct tuning_method *m)
{
	for (size_t i = m->first; i < m->first + m->n; i++)
		if (t->plan.runs[i].state != RUN_FINISHED)
			return false;
	return m->n > 0;
}

/* The measure of n runs; a point is lost where one of them is. */
static struct tuning_score score_of(const struct result *run, size_t n,
				    const struct spec_tune *tune)
{
	struct tuning_score score = { .values = xcalloc(n, sizeof(*score.values)) };
	struct spread s;

	for (size_t i = 0; i < n; i++, run++) {
		score.values[i] = result_number(run, tune->measure);
		score.diverged += result_diverged(run);
	}
	s = spread_of(score.values, n);
	score.mean = s.mean;
	score.n = s.n;
	score.badness = spec_tune_highest(tune) ? -s.mean : s.mean;
	if (score.diverged || s.n < (int)n || !isfinite(s.mean))
		score.badness = HUGE_VAL;
	return score;
}

/* ---- the edge of a grid ---- */

/* The value of "key=", an option in "name:key=value,..." with that "name:", as a number. */
static bool option_number(const char *text, const char *name, const char *key, double *x)
{
	const char *item = strncmp(text, name, strlen(name)) == 0 ? text + strlen(name) : NULL;
	char *value;
	bool is;

	while (item && strncmp(item, key, strlen(key)) != 0)
		item = (item = strchr(item, ',')) ? item + 1 : NULL;
	if (!item)
		return false;
	item += strlen(key);
	value = xasprintf("%.*s", (int)strcspn(item, ","), item);
	is = text_double(value, x);
	free(value);
	return is;
}

/* The number that a value is or, with a name, that it has as an option. */
static bool value_number(const char *text, const char *name, const char *key, double *x)
{
	return name ? option_number(text, name, key, x) : text_double(text, x);
}

/* Whether that is the least or the greatest of several; values without a number do not count. */
static bool is_edge(const struct value_list *list, const char *text, const char *name,
		    const char *key)
{
	double own, other;
	bool above = false, below = false;

	if (!value_number(text, name, key, &own))
		return false;
	for (size_t i = 0; i < list->n; i++)
		if (value_number(list->v[i].text, name, key, &other)) {
			above = above || other > own;
			below = below || other < own;
		}
	return above != below;
}

static void edge_add(struct tuning_choice *c, char *words)
{
	c->edges = xrealloc(c->edges, c->nedges + 1, sizeof(*c->edges));
	c->edges[c->nedges++] = words;
}

/* Settings, and options of one as "outer_lr of algo". */
static void find_edges(struct tuning_choice *c, const struct grid_product *grid)
{
	for (size_t i = 0; i < c->chosen.n; i++) {
		const char *key = c->chosen.v[i].key, *text = c->chosen.v[i].value.text;
		const char *item =
			c->chosen.v[i].value.kind == VALUE_TEXT ? strchr(text, ':') : NULL;
		char *name = item ? xasprintf("%.*s", (int)(++item - text), text) : NULL;
		const struct value_list *list = product_values(grid, key);

		if (is_edge(list, text, NULL, NULL))
			edge_add(c, xstrdup(key));
		for (; item; item = (item = strchr(item, ',')) ? item + 1 : NULL) {
			const int n = (int)strcspn(item, "=");
			char *option = xasprintf("%.*s=", n, item);

			if (is_edge(list, text, name, option))
				edge_add(c, xasprintf("%.*s of %s", n, item, key));
			free(option);
		}
		free(name);
	}
}

/* ---- the choice ---- */

/* 0, or -1 after error(); *values <- how many of the method's runs have the measure. */
static int method_choose(struct plan *p, struct tuning_method *m, int *values)
{
	struct tuning_choice *c = &m->choice;
	const size_t n = product_size(m->grid), seeds = m->n / n;
	struct results *all = &p->tuning->results;
	const size_t first = all->n;
	double least = HUGE_VAL, most = -HUGE_VAL;
	size_t equal = 0;

	for (size_t i = m->first; i < m->first + m->n; i++) {
		const struct planned *planned = &p->tuning->plan.runs[i];
		struct result run;

		if (result_load(&run, planned->path, RESULT_WHOLE) < 0)
			return -1;
		point_to_result(&planned->point, &run, RESULT_POINT);
		results_add(all, &run);
	}
	*c = (struct tuning_choice){ .scores = xcalloc(n, sizeof(*c->scores)), .n = n,
				     .nseeds = seeds };
	for (size_t i = 0; i < n; i++) {
		const struct tuning_score s = score_of(&all->v[first + i * seeds], seeds,
						       p->spec.tune);

		c->scores[i] = s;
		if (s.badness < least) {
			c->best = i;
			equal = 0;
		}
		least = fmin(least, s.badness);
		equal += s.badness <= least;
		most = fmax(most, s.badness);
		*values += s.n;
	}
	c->chosen = product_point(m->grid, c->best);
	find_edges(c, m->grid);
	if (n > 1 && isinf(least))
		c->reason = xstrdup("every point diverged, or has no value");
	else if (n > 1 && least >= most)
		c->reason = xstrdup("all points are equal");
	else if (n > 1 && equal > 1)
		c->reason = xasprintf("%zu points are equally good", equal);
	return 0;
}

int tuning_choose(struct plan *p)
{
	struct tuning *t = p->tuning;
	int values = 0, made = 0;

	/* Made again: results stand in the order of the methods, whenever their runs were made. */
	for (size_t i = 0; i < t->n; i++)
		tuning_choice_release(&t->methods[i].choice);
	results_release(&t->results);
	for (size_t i = 0; i < t->n; i++) {
		if (!method_is_ready(t, &t->methods[i]))
			continue;
		if (method_choose(p, &t->methods[i], &values) < 0)
			return -1;
		made++;
	}
	if (made && !values)
		return error("%s: tune: no tuning run has the measure '%s'. Choose another.",
			     p->spec.path, p->spec.tune->measure);
	cJSON_DeleteItemFromObjectCaseSensitive(p->spec.json, TUNING_NAME);
	ADD(p->spec.json, j_json(TUNING_NAME, tuning_json(p)));
	return 0;
}

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
		struct grid_point settings = product_point(m->grid, i);
		cJSON *values = cJSON_CreateArray();

		for (size_t k = 0; k < c->nseeds; k++)
			list_add(values, json_of_number(s->values[k]));
		list_add(points, OBJECT(j_json("settings", point_json(&settings)),
					j_json("values", values),
					j_json("mean", json_of_number(s->mean)),
					j_number("n", s->n), j_number("diverged", s->diverged)));
		point_release(&settings);
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
		char *values = value_list_text(&grid->v[i].values);

		xappend_own(&all, "; ", xasprintf("%s %s", grid->v[i].key, values));
		free(values);
	}
	return all;
}

/* "test accuracy (highest), seeds 101, epochs=2"; the caller frees. */
static char *how_text(const struct spec_tune *tune)
{
	char *measure = measure_label(tune->measure, NULL);
	char *seeds = value_list_text(&tune->seeds), *budget = point_words(&tune->budget);
	char *all = xasprintf("%s (%s), seed%s %s%s%s", measure, best_word(tune),
			      tune->seeds.n > 1 ? "s" : "", seeds, *budget ? ", " : "", budget);

	free(measure);
	free(seeds);
	free(budget);
	return all;
}

/* "lr=0.4 (lr at the edge of the grid)"; the caller frees. */
static char *chosen_text(const struct tuning_choice *c)
{
	char *all = point_words(&c->chosen), *edges = xstrdup("");

	for (size_t i = 0; i < c->nedges; i++)
		xappend(&edges, ", ", c->edges[i]);
	if (c->reason)
		xappend_own(&all, " ", xasprintf("(the first: %s)", c->reason));
	else if (c->nedges)
		xappend_own(&all, " ", xasprintf("(%s at the edge of the grid)", edges));
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
		char *chosen, *words;

		if (!m->choice.scores)
			continue;
		for (size_t k = i + 1; k < t->n && !next; k++)
			next = t->methods[k].choice.scores ? &t->methods[k] : NULL;
		chosen = chosen_text(&m->choice);
		words = grid_text(m->grid);
		xappend_own(&text, "; ",
			    xasprintf("%s%s%s", m->name, *m->name ? ": " : "", chosen));
		alike++;
		if (!next || !products_equal(m->grid, next->grid)) {
			if (with_grids && *words)
				xappend(&text, alike > 1 ? ", each of " : " of ", words);
			alike = 0;
		}
		free(chosen);
		free(words);
	}
	return text;
}

char *tuning_text(const struct plan *p)
{
	const struct spec_tune *tune = p->spec.tune;
	char *grid, *how, *methods, *text;
	size_t i = 0;

	while (p->tuning && i < p->tuning->n && !p->tuning->methods[i].choice.scores)
		i++;
	if (!p->tuning || i == p->tuning->n)
		return NULL;
	grid = tune->common ? grid_text(&tune->grid) : xstrdup("");
	how = how_text(tune);
	methods = methods_text(p->tuning, !tune->common);
	text = xasprintf("tuned by %s%s%s. %s", how, tune->common ? ", over " : "", grid, methods);
	free(grid);
	free(how);
	free(methods);
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
	free(chosen);
	free(grid);
	free(how);
	return text;
}
