/* A spec's "tune": its methods, a tuning run for each point and seed, and each method's choice. */
#include "plan/spec_tune.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/members.h"
#include "core/text/opt_text.h"
#include "core/text/word.h"
#include "record/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TUNING_RUNS = 10000 };      /* more are a mistake */

/* ---- methods ---- */

/* A setting of the point, of the base, or the default. */
static struct value tuning_value(const struct spec *s, const struct grid_point *point,
				 const char *key)
{
	const struct value *own = point_value(point, key);

	if (!own)
		own = point_value(&s->base, key);
	return own ? *own : (struct value){ (char *)(uintptr_t)opt_find(settings_opts, key)->def,
					    VALUE_TEXT };
}

/* Settings of what tells the point's method apart. The caller frees. */
static struct grid_point method_per(const struct spec *s, const struct grid_point *point)
{
	struct grid_point per = { 0 };

	for (size_t i = 0; i < s->tune->nper; i++) {
		const char *name = setting_name(s->tune->per[i]);

		point_put(&per, name, tuning_value(s, point, name));
	}
	if (s->tune->nper)
		return per;
	per = point_copy(point);
	point_drop(&per, "seed");
	return per;
}

/* 0, or error(): the method has a grid, none of whose settings is an axis of the spec's. */
static int method_check(const struct spec *s, const struct tuning_method *m,
			const struct grid_point *point)
{
	const struct spec_tune *tune = s->tune;

	if (!m->grid) {
		const char **known = xcalloc(tune->ngrids + 1, sizeof(*known));
		char *advice;

		for (size_t i = 0; i < tune->ngrids; i++)
			known[i] = tune->grids[i].method;
		advice = word_advice(m->name, known);
		error("%s: tune: grids: the method %s has no grid%s", s->path, m->name, advice);
		free_all(advice, known);
		return -1;
	}
	/* A grid may have variants of its method's name: of asgd, {"algo": ["asgd:x=1", ...]}. */
	for (size_t i = 0; i < m->grid->n; i++) {
		const char *key = m->grid->v[i].key;

		if (point_value(point, key) && (tune->common || !point_value(&m->per, key)))
			return error("%s: tune: %s is an axis of the grid too (a setting is tuned "
				     "or an axis). Take it out of one.", s->path, key);
	}
	return 0;
}

size_t tuning_meet(struct plan *p, const struct grid_point *point)
{
	const struct spec *s = &p->spec;
	const struct grid_point *budget = &s->tune->budget;
	struct tuning *t = p->tuning;
	struct grid_point per = method_per(s, point);
	struct tuning_method *m;
	struct value first, own;
	size_t i = 0;

	while (i < t->n && !points_equal(&t->methods[i].per, &per))
		i++;
	if (i == t->n) {
		m = &APPEND(t->methods, t->n);
		*m = (struct tuning_method){ .name = point_values_text(&per), .per = per,
					     .rest = point_copy(point) };
		/* Settings that neither tell methods apart nor are tuned. */
		point_drop(&m->rest, "seed");
		for (size_t k = 0; k < per.n; k++)
			point_drop(&m->rest, per.v[k].key);
		for (size_t k = 0; k < budget->n; k++) {
			point_drop(&m->rest, budget->v[k].key);
			point_put(&m->rest, budget->v[k].key, budget->v[k].value);
		}
		m->grid = spec_tune_grid(s->tune, m->name);
		return method_check(s, m, point) < 0 ? PLAN_NONE : i;
	}
	point_release(&per);
	m = &t->methods[i];
	/* Algorithms that one method has would all get what is chosen with the first. */
	if (point_value(&m->per, "algo") || point_value(budget, "algo"))
		return i;
	first = tuning_value(s, &m->rest, "algo");
	own = tuning_value(s, point, "algo");
	if (strcmp(first.text, own.text) == 0)
		return i;
	error("%s: tune: per: without algo, %s would have the settings that are chosen with %s. "
	      "Name algo in per, or one algorithm in the budget.", s->path, own.text, first.text);
	return PLAN_NONE;
}

/* ---- the choice ---- */

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

/*
 * The number that a value is or, with a name, that it has as an option: the value of "key=" in
 * "name:key=value,..." with that "name:".
 */
static bool value_number(const char *text, const char *name, const char *key, double *x)
{
	const char *item = text;
	scoped char *value = NULL;

	if (!name)
		return text_double(text, x);
	item = strncmp(text, name, strlen(name)) == 0 ? text + strlen(name) : NULL;
	while (item && strncmp(item, key, strlen(key)) != 0)
		item = (item = strchr(item, ',')) ? item + 1 : NULL;
	if (!item)
		return false;
	item += strlen(key);
	value = xasprintf("%.*s", (int)strcspn(item, ","), item);
	return text_double(value, x);
}

/* True when that is the least or the greatest of several; values without a number do not count. */
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
	APPEND(c->edges, c->nedges) = words;
}

/* Settings, and options of one as "outer_lr of algo". */
static void find_edges(struct tuning_choice *c, const struct grid_product *grid)
{
	for (size_t i = 0; i < c->chosen.n; i++) {
		const char *key = c->chosen.v[i].key, *text = c->chosen.v[i].value.text;
		const char *item =
			c->chosen.v[i].value.kind == VALUE_TEXT ? strchr(text, ':') : NULL;
		scoped char *name = item ? xasprintf("%.*s", (int)(++item - text), text) : NULL;
		const struct value_list *list = product_values(grid, key);

		if (is_edge(list, text, NULL, NULL))
			edge_add(c, xstrdup(key));
		for (; item; item = (item = strchr(item, ',')) ? item + 1 : NULL) {
			const int n = (int)strcspn(item, "=");
			scoped char *option = xasprintf("%.*s=", n, item);

			if (is_edge(list, text, name, option))
				edge_add(c, xasprintf("%.*s of %s", n, item, key));
		}
	}
}

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

static void tuning_choice_release(struct tuning_choice *c)
{
	for (size_t i = 0; c->scores && i < c->n; i++)
		free(c->scores[i].values);
	for (size_t i = 0; i < c->nedges; i++)
		free(c->edges[i]);
	free_all(c->scores, c->edges, c->reason);
	point_release(&c->chosen);
	*c = (struct tuning_choice){ 0 };
}

/*
 * Chooses for the methods whose tuning runs are finished; "tuning" of the spec's JSON, which claims
 * read, is what was chosen. 0, or error() where no run has the measure.
 */
static int tuning_choose(struct plan *p)
{
	struct tuning *t = p->tuning;
	int values = 0, made = 0;

	/* Made again: results stand in the order of the methods, whenever their runs were made. */
	for (size_t i = 0; i < t->n; i++)
		tuning_choice_release(&t->methods[i].choice);
	results_release(&t->results);
	for (size_t i = 0; i < t->n; i++) {
		struct tuning_method *m = &t->methods[i];
		bool ready = m->n > 0;

		for (size_t k = m->first; k < m->first + m->n; k++)
			ready &= t->plan.runs[k].state == RUN_FINISHED;
		if (!ready)
			continue;
		if (method_choose(p, m, &values) < 0)
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

/* ---- the runs of the experiment ---- */

/* Says of the tuned settings where their values come from. */
static void run_mark_tuned(struct planned *r, const char *source)
{
	for (size_t i = 0; i < r->extra.n; i++) {
		struct setting_source *src = setting_source_at(r->su.sources, r->extra.v[i].key);

		free(src->beyond);
		src->beyond = NULL;
		setting_source_is(src, xstrdup(source));
		src->used = true;
	}
}

int tuning_add(struct plan *p, struct grid_point point, size_t method)
{
	struct tuning_method *m = &p->tuning->methods[method];
	struct planned *r;

	m->used = true;
	if (plan_add(p, point, product_point(m->grid, 0), false) < 0)
		return -1;
	r = &p->runs[p->n - 1];
	r->method = method;
	r->tuned = r->open = true;
	run_mark_tuned(r, "to be tuned");
	return 0;
}

/* Resolves the open runs of the methods that are chosen, after a choice. 0 or error(). */
static int tuning_close(struct plan *p)
{
	if (tuning_choose(p) < 0)
		return -1;
	for (size_t i = 0; i < p->n; i++) {
		struct planned *r = &p->runs[i];
		const struct tuning_choice *c = &p->tuning->methods[r->method].choice;

		if (!r->open || !c->scores)
			continue;
		if (plan_again_with(p, r, point_copy(&c->chosen)) < 0)
			return -1;
		r->open = false;
		run_mark_tuned(r, "tuned");
	}
	return 0;
}

int tuning_check_measure(struct plan *p, const struct planned *r)
{
	const char *measure = p->spec.tune->measure;
	struct tuning *t = p->tuning;
	struct tuning_method *m = t->methods;
	const size_t at = (size_t)(r - t->plan.runs);
	const char *const names[] = { "test_loss", measure };
	struct result run;
	bool overflowed;
	size_t n;

	while (at < m->first || at >= m->first + m->n)
		m++;
	if (m->measured)
		return 0;
	if (result_load(&run, r->path, RESULT_WHOLE) < 0)
		return -1;
	m->measured = !isnan(result_number(&run, measure));
	/* True when a loss, or the measure, was too large for a number in the end. */
	overflowed = result_diverged(&run);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		overflowed |= result_column(&run, RESULT_EVAL, names[i], &n) &&
			      isnan(result_number(&run, names[i]));
	if (isnan(result_number(&run, "train_loss")))   /* timing only */
		overflowed = false;
	t->unmeasured = !m->measured && !overflowed;
	result_release(&run);
	if (!t->unmeasured)
		return 0;
	return error("%s: tune: the tuning run '%s' has no measure '%s'. Choose another.",
		     p->spec.path, r->label, measure);
}

/* 0, or error(): the tuning runs differ, have seeds of their own, and can have the measure. */
static int check_tuning_runs(struct plan *p)
{
	const struct plan *t = &p->tuning->plan;
	const char *measure = p->spec.tune->measure;

	for (size_t i = 0; i < p->tuning->n; i++) {
		/* Points of a method must make runs of their own. */
		const struct tuning_method *m = &p->tuning->methods[i];
		const struct planned *runs = p->tuning->plan.runs;

		for (size_t k = m->first; k < m->first + m->n; k++)
			if (runs[k].same_as != k && runs[k].same_as >= m->first)
				return error("%s: tune: '%s' and '%s' are the same run (each point "
					     "needs settings of its own). Take one out.",
					     p->spec.path, runs[runs[k].same_as].label,
					     runs[k].label);
	}
	for (size_t i = 0; i < plan_own_runs(p); i++)
		if (value_list_has(&p->spec.tune->seeds, setup_text(&p->runs[i].su, "seed")))
			return error("%s: tune: seeds: %s is a seed of the runs too (tuning needs "
				     "seeds of its own). Choose another.", p->spec.path,
				     setup_text(&p->runs[i].su, "seed"));
	for (size_t i = 0; i < t->n; i++)
		if (t->runs[i].su.in.timing && (measure_learnt(measure) || target_named(measure)))
			return error("%s: tune: timing-only runs have no measure '%s'. Take out "
				     "timing, or choose another measure.", p->spec.path, measure);
	for (size_t i = 0; i < t->n; i++)
		if (t->runs[i].state == RUN_FINISHED && tuning_check_measure(p, &t->runs[i]) < 0)
			return -1;
	return 0;
}

/* ---- what is of no use ---- */

/* Warns of a grid of no method, unless the command line changes what tells methods apart. */
static void warn_of_grid(const struct plan *p, const char *name)
{
	const struct tuning *t = p->tuning;
	scoped const char **known = xcalloc(t->n + 1, sizeof(*known));
	bool fine = false;

	for (size_t i = 0; i < t->n; i++) {
		known[i] = t->methods[i].name;
		fine = fine || strcmp(known[i], name) == 0;
		for (size_t k = 0; k < t->methods[i].per.n; k++)
			fine = fine || changes_has(&p->changes, t->methods[i].per.v[k].key);
	}
	if (!fine) {
		scoped char *advice = word_advice(name, known);

		warning("%s: tune: grids: no run is of the method '%s'%s", p->spec.path, name,
			advice);
	}
}

/* ---- the plan of tuning runs ---- */

int tuning_begin(struct plan *p)
{
	const struct spec *s = &p->spec;
	struct plan *t;

	if (!s->tune)
		return 0;
	if (entries_check_tuning(s) < 0)
		return -1;
	p->tuning = xcalloc(1, sizeof(*p->tuning));
	t = &p->tuning->plan;
	t->stage = TUNING_NAME;
	t->spec = (struct spec){ .path = xstrdup(s->path), .name = xstrdup(s->name),
				 .scale = xstrdup(s->scale), .base = point_copy(&s->base) };
	t->set = point_copy(&p->set);
	t->dir = xstrdup(p->dir);
	t->folder = xasprintf("%s/%s", p->dir, TUNING_NAME);
	return 0;
}

static int method_add_runs(struct plan *p, struct tuning_method *m)
{
	struct plan *t = &p->tuning->plan;
	const size_t points = product_size(m->grid);
	const struct value_list *seeds = &p->spec.tune->seeds;

	m->first = t->n;
	if (points > (MOST_TUNING_RUNS - t->n) / seeds->n)
		return error("%s: tune: more than %d runs", p->spec.path, MOST_TUNING_RUNS);
	for (size_t i = 0; i < points; i++)
		for (size_t k = 0; k < seeds->n; k++) {
			struct grid_point point = point_copy(&m->per);
			struct grid_point values = product_point(m->grid, i);

			for (size_t v = 0; v < values.n; v++) {
				point_drop(&point, values.v[v].key);
				point_put(&point, values.v[v].key, values.v[v].value);
			}
			point_release(&values);
			point_put(&point, "seed", seeds->v[k]);
			if (plan_add(t, point, point_copy(&m->rest), false) < 0)
				return -1;
		}
	m->n = t->n - m->first;
	return 0;
}

int tuning_plan(struct plan *p, bool again)
{
	struct tuning *t = p->tuning;

	for (size_t i = 0; i < t->n; i++)
		if (t->methods[i].used && method_add_runs(p, &t->methods[i]) < 0)
			return -1;
	plan_settle(&t->plan, again);
	if (check_tuning_runs(p) < 0)
		return -1;
	for (size_t i = 0; i < p->spec.tune->ngrids; i++)
		warn_of_grid(p, p->spec.tune->grids[i].method);
	if (t->plan.n && product_size(t->methods[0].grid) == 1)
		warning("%s: tune: the grid has one point: nothing is chosen", p->spec.path);
	t->plan.spec.json = tuning_report(p);
	return tuning_close(p);
}

int tuning_end(struct plan *p, bool again)
{
	const int ret = tuning_close(p);

	plan_settle(p, again);
	for (size_t i = 0; i < p->n; i++)
		if (p->runs[i].open)
			p->runs[i].state = RUN_FAILED;
	return ret;
}

void tuning_release(struct tuning *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n; i++) {
		free(t->methods[i].name);
		point_release(&t->methods[i].per);
		point_release(&t->methods[i].rest);
		tuning_choice_release(&t->methods[i].choice);
	}
	free(t->methods);
	results_release(&t->results);
	plan_release(&t->plan);
	free(t);
}
