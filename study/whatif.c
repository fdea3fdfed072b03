/* All combinations of the settings given to `convoy sim`: their plan, table, CSV and plot. */
#include "study/whatif.h"

#include "core/base/error.h"
#include "core/file/json.h"
#include "core/file/members.h"
#include "core/math/median.h"
#include "core/slow.h"
#include "core/text/opt_text.h"
#include "plan/resolve/setup.h"
#include "plan/settings/values.h"
#include "record/measure.h"
#include "report/plot/plot.h"
#include "report/text/escape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int whatif_values(struct grid_product *values, const cJSON *set)
{
	const cJSON *text;

	*values = (struct grid_product){ 0 };
	cJSON_ArrayForEach(text, set) {
		struct value_list list;
		const int ret = values_parse(&list, setting_name(text->string), text->valuestring,
					     "command line");

		if (ret == 0)
			product_put(values, text->string, &list);
		value_list_release(&list);
		if (ret < 0)
			return -1;
	}
	return 0;
}

/* ---- the plan ---- */

enum { TEST_LOSS = 1, TEST_ACCURACY = 2 };

/* What tells how good a model is in a test, or may tell it. */
static unsigned told_by_test(const struct setup *su)
{
	const struct dataset_type *data = (const struct dataset_type *)su->data.plugin;
	const struct plugin *problem = su->model.analytic.plugin;

	if (su->model.tokens || (problem && strcmp(problem->name, "quadratic") == 0))
		return TEST_LOSS;
	/* A model or samples of the user's have classes or not. */
	if (su->model.external || (data && data->vector && data->look))
		return TEST_LOSS | TEST_ACCURACY;
	return TEST_ACCURACY;
}

/* The measures asked for, else the usual ones: of links, devices, failures and training, if any. */
static struct texts shown_measures(char *const *columns, const struct plan *p)
{
	struct texts list = { 0 };
	bool fails = false, learns = false, communicates = false;
	bool used = false, counted = false, paid = false;       /* what of devices is known */
	unsigned told = 0;

	for (size_t i = 0; columns && columns[i]; i++)
		texts_put(&list, columns[i]);
	if (columns)
		return list;
	for (size_t i = 0; i < plan_own_runs(p); i++) {
		const struct setup *su = &p->runs[i].su;

		if (!su->in.timing) {
			learns = true;
			told |= told_by_test(su);
		}
		communicates |= strcmp(su->sim.link.plugin->name, "ideal") != 0;
		fails |= su->sim.restart.interval_s > 0.0;
		for (size_t k = 0; k < su->sim.nfaults; k++)
			fails |= su->sim.fault[k].kind == FAULT_LEAVE ||
				 su->sim.fault[k].kind == FAULT_FAIL;
		used |= su->peak > 0.0 && su->model.macs > 0;
		counted |= su->peak > 0.0 || su->in.gpus_per_worker > 1;
		paid |= strcmp(su->in.price, "none") != 0;
	}
	texts_put(&list, "time_per_epoch_s");
	texts_put(&list, "speedup");
	texts_put(&list, "wait_share");
	if (communicates)       /* an ideal link takes no time */
		texts_put(&list, "communication_share");
	texts_put(&list, "busiest_bytes_per_epoch");
	if (used)
		texts_put(&list, "mfu");
	if (counted || paid)
		texts_put(&list, "gpu_hours");
	if (paid)
		texts_put(&list, "cost");
	if (fails)
		texts_put(&list, "goodput");
	if (learns)
		texts_put(&list, "train_loss");
	if (told & TEST_LOSS)
		texts_put(&list, "test_loss");
	if (told & TEST_ACCURACY)
		texts_put(&list, "test_accuracy");
	return list;
}

/* The settings that span the grid, but for `except` and the seed, over which means are taken. */
static struct texts spanning_settings(const struct plan *p, const char *except)
{
	const struct grid_product *product = &p->spec.grid.v[0];
	struct texts keys = { 0 };

	for (size_t k = 0; k < product->n; k++) {
		const char *key = product->v[k].key;

		if (strcmp(key, "seed") != 0 && !(except && strcmp(key, except) == 0))
			texts_put(&keys, key);
	}
	return keys;
}

/* "Simulated: slow=0:10 timing=true": the settings that all combinations share. */
static char *whatif_title(const struct plan *p)
{
	char *title = xstrdup("Simulated"), *base = point_words(&p->spec.base);

	xappend(&title, *base ? ": " : "", base);
	free(base);
	return title;
}

int whatif_plan(struct plan *p, const struct grid_product *values, char *const *columns,
		const char *out)
{
	struct texts rows, values_of;
	char *title;
	size_t least = 0;

	if (plan_from_values(p, values, out) < 0)
		return -1;
	rows = spanning_settings(p, NULL);
	title = whatif_title(p);
	values_of = shown_measures(columns, p);
	if (!rows.n)
		texts_put(&rows, p->spec.grid.v[0].n ? "seed" : "algo");
	list_add(cJSON_AddArrayToObject(p->spec.json, "tables"),
		 OBJECT(j_text("name", "what-if"), j_text("title", title),
			j_texts("rows", rows.v, rows.n),
			j_texts("values", values_of.v, values_of.n)));
	texts_release(&rows);
	texts_release(&values_of);
	free(title);
	/* once, of the run whose workers have the fewest gradients */
	for (size_t i = 1; i < plan_own_runs(p); i++)
		if (length_each(&p->runs[i].su) < length_each(&p->runs[least].su))
			least = i;
	length_warn(&p->runs[least].su);
	return 0;
}

/* ---- the runs as CSV and as JSON ---- */

/* A run's value of a setting; a baseline has its own. */
static void csv_setting(const struct result *r, const char *key)
{
	char space[32];
	const char *text = result_text(r, key, space);

	escape_csv(text ? text : "", stdout);
}

static void csv_line(const struct result *r, const struct plan *p, const cJSON *columns)
{
	const struct grid_product *product = &p->spec.grid.v[0];
	const cJSON *column;

	for (size_t i = 0; i < product->n; i++) {
		csv_setting(r, product->v[i].key);
		putchar(',');
	}
	csv_setting(r, "status");
	cJSON_ArrayForEach(column, columns) {
		const double x = result_number(r, column->valuestring);

		putchar(',');
		if (!isnan(x))          /* inf: a loss that diverged, a target that was missed */
			printf("%.17g", x);
	}
	printf(",%d,", r->is_baseline);
	csv_setting(r, "remark");
	putchar('\n');
}

void whatif_print_csv(const struct outcome *o, const struct plan *p)
{
	const cJSON *columns = json_get(json_get(p->spec.json, "tables")->child, "values"), *item;
	const struct result *r = o->runs.v;

	for (size_t i = 0; i < p->spec.grid.v[0].n; i++) {
		const char *key = p->spec.grid.v[0].v[i].key;

		escape_csv(key, stdout);
		fputs(keys_have(columns, key) ? " (setting)," : ",", stdout);
	}
	fputs("status", stdout);
	cJSON_ArrayForEach(item, columns)
		printf(",%s", item->valuestring);
	puts(",is_baseline,remark");
	for (size_t i = 0; i < plan_own_runs(p); i++) {
		struct result none;

		if (p->runs[i].state == RUN_FINISHED) {
			csv_line(r++, p, columns);
			continue;
		}
		none = outcome_no_result(p, &p->runs[i]);
		csv_line(&none, p, columns);
		result_release(&none);
	}
	for (size_t i = 0; i < o->baselines.n; i++)
		csv_line(&o->baselines.v[i], p, columns);
}

cJSON *whatif_json(const struct outcome *o, const struct plan *p, const struct texts *paths)
{
	return OBJECT(j_json("runs", outcome_runs(o, p)),
		      j_json("baselines", results_json(&o->baselines, RESULT_BRIEF)),
		      j_texts("plots", paths->v, paths->n));
}

/* ---- measures without a value ---- */

/* What gives a run a value of a measure. */
static const char *measure_needs(const char *measure, bool timing)
{
	static const char *const needs[][2] = {
		{ "cost", "--price" },
		{ "gpu_hours", "--device, --gpus-per-worker or --price" },
		{ "mfu", "--device, and a net whose operations are known" },
		{ "tokens_per_s", "a net of tokens" },
		{ "goodput", "--faults" },
		{ "failures", "--faults" },
		{ "young_s", "--faults RANKS:fail@... and --recovery restart" },
		{ "daly_s", "--faults RANKS:fail@... and --recovery restart" },
		{ "goodput_expected", "--faults RANKS:fail@... and --recovery restart" },
		{ "checkpoints", "--recovery restart" },
		{ "checkpoint_s", "--recovery restart" },
		{ "lost_s", "--recovery restart" },
		{ "down_s", "--recovery restart" },
		{ "gap_mean", "--measures all" },
		{ "gap_max", "--measures all" },
	};

	if (timing && measure_learnt(measure))
		return "training, without --timing";
	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
		if (strcmp(measure, needs[i][0]) == 0)
			return needs[i][1];
	return NULL;
}

char *whatif_missing(const struct outcome *o, const struct plan *p)
{
	const cJSON *columns = json_get(json_get(p->spec.json, "tables")->child, "values"), *item;
	bool timing = true;
	char *all = NULL, *text;

	for (size_t i = 0; i < plan_own_runs(p); i++)
		timing = timing && p->runs[i].su.in.timing;
	cJSON_ArrayForEach(item, columns) {
		const char *needs = measure_needs(item->valuestring, timing);
		size_t i = 0;

		while (i < o->runs.n && isnan(result_number(&o->runs.v[i], item->valuestring)))
			i++;
		if (i == o->runs.n && needs)
			xappendf(&all, "; ", "%s (needs %s)", item->valuestring, needs);
	}
	text = all && o->runs.n ? xasprintf("no value in any run: %s", all) : NULL;
	free(all);
	return text;
}

/* ---- the plot ---- */

/* The number that a value of a setting is, of `slow` its factor; NaN: it is none. */
static double value_number(const char *key, const char *text)
{
	return strcmp(key, "slow") == 0 ? slow_factor(text) : text_number(text);
}

static bool values_are_numbers(const struct grid_axis *axis)
{
	for (size_t i = 0; i < axis->values.n; i++)
		if (!isfinite(value_number(axis->key, axis->values.v[i].text)))
			return false;
	return true;
}

/*
 * The first setting of several numbers, else of several numbers of one option, else the first one;
 * the seed only where it is alone.
 */
static const struct grid_axis *axis_of(const struct grid_product *product,
				       const struct results *runs)
{
	const struct grid_axis *first = NULL, *with_option = NULL;

	for (size_t k = 0; k < product->n; k++) {
		const struct grid_axis *a = &product->v[k];

		if (strcmp(a->key, "seed") == 0)
			continue;
		if (values_are_numbers(a))
			return a;
		if (!with_option) {
			scoped_by(selection_release) struct selection all =
				select_where(runs, NULL);
			char *option = words_option(&all, a->key);

			with_option = option ? a : NULL;
			free(option);
		}
		first = first ? first : a;
	}
	return with_option ? with_option : first ? first : product->v;
}

/* An entry of "plots" in a spec. */
static cJSON *plot_entry(const struct plan *p, const struct results *runs, const char *measure,
			 const char *name)
{
	const struct grid_axis *axis = axis_of(&p->spec.grid.v[0], runs);
	const size_t n = axis->values.n;
	const bool numbers = values_are_numbers(axis);
	bool powers = numbers;
	double *values = xcalloc(n, sizeof(*values));
	scoped char *title = whatif_title(p);
	double lo = HUGE_VAL, hi = 0.0;
	scoped_by(texts_release) struct texts series = spanning_settings(p, axis->key);

	/* powers: each number is at least twice the one below */
	for (size_t i = 0; i < n; i++)
		values[i] = value_number(axis->key, axis->values.v[i].text);
	sort_doubles(values, n);
	for (size_t i = 0; i < n; i++)
		powers = powers && values[i] > 0.0 &&
			 (i == 0 || values[i] >= 1.999 * values[i - 1]);
	free(values);
	for (size_t i = 0; i < runs->n; i++) {
		const double x = result_number(&runs->v[i], measure);

		lo = x < lo ? x : lo;
		hi = x > hi && isfinite(x) ? x : hi;
	}
	return OBJECT(j_text("name", name), j_text("title", title), j_text("from", "runs"),
		       j_text("x", numbers && strcmp(axis->key, "slow") == 0 ? "slow_factor"
									     : axis->key),
		       j_text("y", measure), j_texts("series", series.v, series.n),
		       j_if(numbers, j_bool("logx", powers)),
		       j_bool("logy", powers || plot_is_wide(lo, hi)));
}

int whatif_plot(const struct outcome *o, const struct plan *p, const char *measure,
		const struct whatif_file *to, struct texts *paths)
{
	struct selection all = select_where(&o->runs, NULL);
	const bool none = measure_learnt(measure) && select_diverged(&all) == (int)all.n;
	scoped_json cJSON *entry = plot_entry(p, &o->runs, measure, to->name);
	scoped_by(figure_release) struct figure f;
	bool drawn;
	int ret;

	selection_release(&all);
	drawn = figure_build(&f, entry, p->spec.json, &o->runs);
	f.form = to->form;
	if (drawn)
		ret = figure_write(&f, to->dir, to->format, paths);
	else
		ret = error("plot '%s': %s %s", to->path,
			    none ? "every run diverged, so none has" : "no run has a number for",
			    measure);
	return ret;
}
