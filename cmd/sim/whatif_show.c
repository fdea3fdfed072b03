/* Combinations of settings as a table, as CSV, as a plot. */
#include "cmd/sim/whatif.h"

#include "cmd/plot_path.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/math/median.h"
#include "record/measure.h"
#include "report/plot/plot.h"
#include "report/plot/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const measures[] = { "time_per_epoch_s", "speedup", "wait_share",
					"busiest_bytes_per_epoch" };
static const char *const learnt[] = { "train_loss", "test_accuracy" };

enum { MEASURES = sizeof(measures) / sizeof(measures[0]) };
enum { LEARNT = sizeof(learnt) / sizeof(learnt[0]) };

static void whatif_show_add_text(cJSON *list, const char *text)
{
	cJSON_AddItemToArray(list, cJSON_CreateString(text));
}

static bool any_learns(const struct plan *p)
{
	for (size_t i = 0; i < p->n - p->nbaselines; i++)
		if (!p->runs[i].su.in.timing)
			return true;
	return false;
}

static bool whatif_show_fails(const struct sim_conf *conf)
{
	for (size_t i = 0; i < conf->nfaults; i++)
		if (conf->fault[i].kind == FAULT_FAIL)
			return true;
	return conf->restart.interval_s > 0.0;
}

static bool any_fails(const struct plan *p)
{
	for (size_t i = 0; i < p->n - p->nbaselines; i++)
		if (whatif_show_fails(&p->runs[i].su.sim))
			return true;
	return false;
}

/* Those asked for, else the usual ones: also of random failures and of training, if any. */
static cJSON *shown_measures(const struct whatif *w, const struct plan *p)
{
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; w->columns && w->columns[i]; i++)
		whatif_show_add_text(list, w->columns[i]);
	if (w->columns)
		return list;
	for (size_t i = 0; i < MEASURES; i++)
		whatif_show_add_text(list, measures[i]);
	if (any_fails(p))
		whatif_show_add_text(list, "goodput");
	for (size_t i = 0; i < LEARNT && any_learns(p); i++)
		whatif_show_add_text(list, learnt[i]);
	return list;
}

/* The settings that span the grid, but for `except` and the seed, over which means are taken. */
static cJSON *whatif_show_spanning(const struct plan *p, const char *except)
{
	const cJSON *product = p->spec.grid->child, *list;
	cJSON *keys = cJSON_CreateArray();

	cJSON_ArrayForEach(list, product)
		if (strcmp(list->string, "seed") != 0 &&
		    !(except && strcmp(list->string, except) == 0))
			whatif_show_add_text(keys, list->string);
	return keys;
}

/* "Simulated: slow=0:10 timing=true": what all combinations share. */
static char *whatif_show_title_of(const struct plan *p)
{
	char *title = xstrdup("Simulated");
	const cJSON *value;

	cJSON_ArrayForEach(value, p->spec.base)
		xappend_own(&title, value == p->spec.base->child ? ": " : " ",
			xasprintf("%s=%s", value->string, value->valuestring));
	return title;
}

void whatif_describe(const struct whatif *w, struct plan *p)
{
	cJSON *tables = cJSON_AddArrayToObject(p->spec.json, "tables");
	cJSON *table = cJSON_CreateObject(), *rows = whatif_show_spanning(p, NULL);
	char *title = whatif_show_title_of(p);

	if (!rows->child)
		whatif_show_add_text(rows, p->spec.grid->child->child ? "seed" : "algo");
	cJSON_AddStringToObject(table, "name", "what-if");
	cJSON_AddStringToObject(table, "title", title);
	cJSON_AddItemToObject(table, "rows", rows);
	cJSON_AddItemToObject(table, "values", shown_measures(w, p));
	cJSON_AddItemToArray(tables, table);
	free(title);
}

/* ---- CSV: a line a run ---- */

static void csv_field(const char *text)
{
	const bool quoted = strpbrk(text, ",\"\n");

	fputs(quoted ? "\"" : "", stdout);
	for (; *text; text++)
		printf(*text == '"' ? "\"%c" : "%c", *text);
	fputs(quoted ? "\"" : "", stdout);
}

/* A run's value of a setting; a baseline has its own. */
static void csv_setting(const cJSON *run, const char *key)
{
	char *text = run_text(run, key);

	csv_field(text ? text : "");
	free(text);
}

static void csv_line(const cJSON *run, const struct plan *p, const cJSON *columns)
{
	const cJSON *list, *column;

	cJSON_ArrayForEach(list, p->spec.grid->child) {
		csv_setting(run, list->string);
		putchar(',');
	}
	csv_setting(run, "status");
	cJSON_ArrayForEach(column, columns) {
		const double x = run_number(run, column->valuestring);

		putchar(',');
		if (isfinite(x))
			printf("%.17g", x);
	}
	printf(",%d,", cJSON_IsTrue(json_get(run, "is_baseline")));
	csv_setting(run, "remark");
	putchar('\n');
}

static void csv_head(const struct plan *p, const cJSON *columns)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, p->spec.grid->child) {
		csv_field(item->string);
		putchar(',');
	}
	fputs("status", stdout);
	cJSON_ArrayForEach(item, columns)
		printf(",%s", item->valuestring);
	puts(",is_baseline,remark");
}

void whatif_print_csv(const struct whatif *w, const struct outcome *o, const struct plan *p)
{
	cJSON *columns = shown_measures(w, p), *runs = outcome_runs(o, p);
	const cJSON *run;

	csv_head(p, columns);
	cJSON_ArrayForEach(run, runs)
		csv_line(run, p, columns);
	cJSON_ArrayForEach(run, o->baselines)
		csv_line(run, p, columns);
	cJSON_Delete(runs);
	cJSON_Delete(columns);
}

/* ---- the plot ---- */

static double whatif_show_number_of(const char *key, const char *text)
{
	char *end;
	const double x = strtod(text, &end);

	if (strcmp(key, "slow") == 0)
		return slow_factor(text);
	return end == text || *end ? (double)NAN : x;
}

static bool is_numeric(const cJSON *list)
{
	const cJSON *value;

	cJSON_ArrayForEach(value, list)
		if (!isfinite(whatif_show_number_of(list->string, value->valuestring)))
			return false;
	return true;
}

static bool has_numeric_option(const cJSON *list, const cJSON *runs)
{
	struct group all = group_where(runs, NULL);
	char *option = words_option(&all, list->string);

	free(option);
	group_release(&all);
	return option != NULL;
}

/*
 * The first setting of several numbers, else of several numbers of one option, else the first one;
 * the seed only where it is alone.
 */
static const cJSON *axis_of(const cJSON *product, const cJSON *runs)
{
	const cJSON *list, *first = NULL, *option = NULL;

	cJSON_ArrayForEach(list, product) {
		if (strcmp(list->string, "seed") == 0)
			continue;
		if (is_numeric(list))
			return list;
		if (!option && has_numeric_option(list, runs))
			option = list;
		first = first ? first : list;
	}
	return option ? option : first ? first : product->child;
}

/* Each number is at least twice the one below. */
static bool are_powers(const cJSON *list)
{
	const size_t n = (size_t)cJSON_GetArraySize(list);
	double *x = xcalloc(n, sizeof(*x));
	const cJSON *value;
	bool are = is_numeric(list);
	size_t k = 0;

	cJSON_ArrayForEach(value, list)
		x[k++] = whatif_show_number_of(list->string, value->valuestring);
	sort_doubles(x, n);
	for (size_t i = 0; i < n; i++)
		are = are && x[i] > 0.0 && (i == 0 || x[i] >= 1.999 * x[i - 1]);
	free(x);
	return are;
}

static bool are_wide(const cJSON *runs, const char *measure)
{
	double lo = HUGE_VAL, hi = 0.0;
	const cJSON *run;

	cJSON_ArrayForEach(run, runs) {
		const double x = run_number(run, measure);

		lo = x < lo ? x : lo;
		hi = x > hi && isfinite(x) ? x : hi;
	}
	return plot_is_wide(lo, hi);
}

/* As an entry of "plots" in a spec. */
static cJSON *plot_entry(const struct plan *p, const cJSON *runs, const char *measure,
			 const char *name)
{
	const cJSON *axis = axis_of(p->spec.grid->child, runs);
	cJSON *entry = cJSON_CreateObject(), *series = whatif_show_spanning(p, axis->string);
	char *title = whatif_show_title_of(p);
	const bool powers = are_powers(axis);

	cJSON_AddStringToObject(entry, "name", name);
	cJSON_AddStringToObject(entry, "title", title);
	cJSON_AddStringToObject(entry, "from", "runs");
	cJSON_AddStringToObject(entry, "x", strcmp(axis->string, "slow") == 0 && is_numeric(axis)
						    ? "slow_factor" : axis->string);
	cJSON_AddStringToObject(entry, "y", measure);
	cJSON_AddItemToObject(entry, "series", series);
	if (is_numeric(axis))
		cJSON_AddBoolToObject(entry, "logx", powers);
	cJSON_AddBoolToObject(entry, "logy", powers || are_wide(runs, measure));
	free(title);
	return entry;
}

int whatif_plot(const struct outcome *o, const struct plan *p, const char *measure,
		const char *path, cJSON *paths)
{
	struct group all = group_where(o->runs, NULL);
	const bool none = measure_learnt(measure) && group_diverged(&all) == (int)all.n;
	struct plot_path at;
	cJSON *entry, *written = NULL, *one;
	struct figure f;
	int ret = -1;

	group_release(&all);
	if (plot_path_split(path, PLOT_PATH_FIGURE, &at) < 0)
		return -1;
	entry = plot_entry(p, o->runs, measure, at.name);
	if (figure_build(&f, entry, p->spec.json, o->runs))
		written = figure_write(&f, at.dir, at.format);
	else
		error("plot '%s': %s %s", path,
		      none ? "every run diverged, so none has" : "no run has a number for",
		      measure);
	figure_release(&f);
	cJSON_Delete(entry);
	if (written)
		ret = 0;
	while ((one = cJSON_DetachItemFromArray(written, 0)))
		cJSON_AddItemToArray(paths, one);
	cJSON_Delete(written);
	return ret;
}
