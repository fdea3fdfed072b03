/* Prints plans and finished runs as text or JSON, and draws an experiment's plots. */
#include "cmd/common.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/word.h"
#include "plan/machine/machine.h"
#include "plan/tuning.h"
#include "record/measure.h"
#include "report/plot/plot.h"
#include "runner/results/folder.h"
#include "runner/results/lock.h"
#include "runner/settings_table.h"
#include "runner/signals.h"
#include "runner/single_run/single.h"

#include <stdlib.h>
#include <string.h>

static void print_planned(const struct planned *r, const char *what)
{
	printf("%-16s  %-9s %s%s\n", r->open ? "-" : r->su.hash, run_state_name[r->state], r->label,
	       what);
}

static cJSON *planned_json(const struct planned *r)
{
	cJSON *run = cJSON_CreateObject();
	cJSON *settings = cJSON_AddObjectToObject(run, "settings");

	json_add_text(run, "hash", r->open ? NULL : r->su.hash);
	cJSON_AddStringToObject(run, "status", run_state_name[r->state]);
	json_add_text(run, "file", r->open ? NULL : r->path);
	cJSON_AddItemToObject(run, "point", cJSON_Duplicate(r->point, true));
	for (size_t i = 0; i < r->su.ncanonical; i++)
		cJSON_AddStringToObject(settings, r->su.canonical[i].key, r->su.canonical[i].value);
	cJSON_AddItemToObject(run, "assumed", assumed_json(&r->su));
	cJSON_AddItemToObject(run, "sources", setting_sources_json(r->su.sources));
	return run;
}

static cJSON *planned_list(const struct planned *r, size_t n)
{
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; i < n; i++)
		cJSON_AddItemToArray(list, planned_json(&r[i]));
	return list;
}

/* What settings are chosen by. The caller frees. */
static cJSON *tuning_json(const struct tuning *t, const struct estimate *e)
{
	cJSON *json = cJSON_CreateObject();

	if (e)
		cJSON_AddItemToObject(json, "estimate", estimate_json(e));
	cJSON_AddItemToObject(json, "runs", planned_list(t->plan.runs, t->plan.n));
	cJSON_AddItemToObject(json, "chosen", cJSON_Duplicate(t->chosen, true));
	return json;
}

static void plan_print_json(const struct plan *p, const struct estimate *e,
			    const struct estimate *tuning)
{
	const size_t n = p->n - p->nbaselines;
	cJSON *json = cJSON_CreateObject();

	if (*p->spec.name) {
		cJSON_AddStringToObject(json, "experiment", p->spec.name);
		cJSON_AddStringToObject(json, "scale", p->spec.scale);
	}
	if (e)
		cJSON_AddItemToObject(json, "estimate", estimate_json(e));
	if (p->tuning)
		cJSON_AddItemToObject(json, "tuning", tuning_json(p->tuning, tuning));
	cJSON_AddItemToObject(json, "runs", planned_list(p->runs, n));
	if (!*p->spec.name)
		cJSON_AddItemToObject(json, "baselines",
				      planned_list(&p->runs[n], p->nbaselines));
	else if (p->nbaselines)
		cJSON_AddItemToObject(json, "baseline", planned_json(&p->runs[n]));
	json_print(json);
	cJSON_Delete(json);
}

/* How many runs are to do, where, and for how long. */
static void plan_print_head(const struct plan *p, const struct estimate *e)
{
	char *takes = e ? estimate_text(e) : NULL;
	const size_t todo = plan_count(p, RUN_TODO);

	if (*p->spec.name)
		printf("%s, scale %s: ", p->spec.name, p->spec.scale);
	printf("%zu %s%srun%s to do, %zu finished, in %s\n", todo,
	       p->stage ? p->stage : "", p->stage ? " " : "", word_plural((double)todo),
	       plan_count(p, RUN_FINISHED), p->stage ? p->folder : p->dir);
	if (takes)
		printf("%s\n", takes);
	free(takes);
}

static void plan_print_runs(const struct plan *p)
{
	for (size_t i = 0; i < p->n; i++)
		print_planned(&p->runs[i], i >= p->n - p->nbaselines ? "  (baseline)" : "");
}

static void plan_print_tuning(const struct plan *p, const struct estimate *e)
{
	char *text = tuning_text(p);

	plan_print_head(&p->tuning->plan, e);
	plan_print_runs(&p->tuning->plan);
	if (text)
		printf("%s\n", text);
	putchar('\n');
	free(text);
}

void plan_print(const struct plan *p, const struct estimate *e, const struct estimate *tuning,
		bool json)
{
	if (json) {
		plan_print_json(p, e, tuning);
		return;
	}
	if (p->tuning)
		plan_print_tuning(p, tuning);
	plan_print_head(p, e);
	settings_table_of_plan(p);
	plan_print_runs(p);
}

static void print_number(const cJSON *run, const char *key, int width, const char *format)
{
	const cJSON *item = json_get(run, key);
	char text[64] = "-";

	if (cJSON_IsNumber(item))
		snprintf(text, sizeof(text), format, item->valuedouble);
	printf("  %*s", width, text);
}

static void print_point(const cJSON *run)
{
	const cJSON *value;

	cJSON_ArrayForEach(value, json_get(run, "point")) {
		char *text = json_text(value);

		printf("  %s=%s", value->string, text);
		free(text);
	}
	if (json_get(run, "remark"))
		printf("  (%s)", json_word(run, "remark"));
	putchar('\n');
}

void runs_print(const cJSON *runs)
{
	const cJSON *run;

	printf("%12s  %10s  %8s  %7s  %10s  %8s\n", "time [s]", "s/epoch", "speedup", "wait",
	       "train loss", "accuracy");
	cJSON_ArrayForEach(run, runs) {
		print_number(run, "time_s", 10, "%.4g");
		print_number(run, "time_per_epoch_s", 10, "%.4g");
		print_number(run, "speedup", 8, "%.3g");
		print_number(run, "wait_share", 7, "%.3f");
		print_number(run, "train_loss", 10, "%.4f");
		print_number(run, "test_accuracy", 8, "%.4f");
		print_point(run);
	}
}

/* The tuning of a plan that has chosen settings; else NULL. */
static const struct tuning *tuning_of(const struct plan *p)
{
	return p->tuning && p->tuning->results->child ? p->tuning : NULL;
}

cJSON *plots_of(const struct plan *p)
{
	const struct tuning *t = tuning_of(p);
	const cJSON *plots = json_get(p->spec.json, "plots"), *plot;
	cJSON *all = plots ? cJSON_Duplicate(plots, true) : cJSON_CreateArray();

	if (t)
		cJSON_ArrayForEach(plot, json_get(t->plan.spec.json, "plots"))
			cJSON_AddItemToArray(all, cJSON_Duplicate(plot, true));
	return all;
}

/* A copy of the spec with the plot of that name alone; NULL: with all. */
static cJSON *spec_of_plot(const cJSON *spec, const char *name)
{
	cJSON *copy = cJSON_Duplicate(spec, true);
	cJSON *plots = json_get(copy, "plots");

	for (int i = cJSON_GetArraySize(plots) - 1; name && i >= 0; i--) {
		const cJSON *own = json_get(cJSON_GetArrayItem(plots, i), "name");

		if (strcmp(own->valuestring, name) != 0)
			cJSON_DeleteItemFromArray(plots, i);
	}
	return copy;
}

/* Adds the paths of the plots of a spec's JSON; 0 or error(). */
static int draw_some(cJSON *paths, const cJSON *json, const cJSON *runs, const char *dir,
		     const char *name, const char *format)
{
	cJSON *spec = spec_of_plot(json, name), *some = plots_write(spec, runs, dir, format);
	cJSON *path;

	while (some && (path = cJSON_DetachItemFromArray(some, 0)))
		cJSON_AddItemToArray(paths, path);
	cJSON_Delete(spec);
	if (!some)
		return -1;
	cJSON_Delete(some);
	return 0;
}

/* Those that earlier runs made of the same plots in more parts, or in fewer. */
static void remove_others(const struct plan *p, const char *dir, const char *format)
{
	cJSON *plots = plots_of(p), *names = cJSON_CreateArray();
	const cJSON *plot;

	cJSON_ArrayForEach(plot, plots)
		cJSON_AddItemToArray(names, cJSON_CreateString(json_word(plot, "name")));
	plots_remove_others(dir, names, format);
	cJSON_Delete(names);
	cJSON_Delete(plots);
}

cJSON *draw_plots(const struct plan *p, const struct outcome *o, const char *name,
		  const char *format)
{
	const struct tuning *t = tuning_of(p);
	cJSON *paths = cJSON_CreateArray();
	struct result_lock lock;
	char *dir, *turn;
	int ret = 0;

	if (cJSON_GetArraySize(json_get(p->spec.json, "plots")) == 0 && !t)
		return paths;
	dir = xasprintf("%s/plots", p->dir);
	/* Of two that draw at once, one would list pictures while the other has removed them. */
	turn = xasprintf("%s/plots", p->folder);
	lock = result_lock(turn);
	if (folder_prepare(dir) < 0 ||
	    draw_some(paths, p->spec.json, o->runs, dir, name, format) < 0 ||
	    (t && draw_some(paths, t->plan.spec.json, t->results, dir, name, format) < 0))
		ret = -1;
	if (ret == 0 && !name && !signal_caught)
		remove_others(p, dir, format);
	result_unlock(&lock);
	if (signal_caught)
		note("interrupted: plots may be missing; the same command draws them");
	free(turn);
	free(dir);
	if (ret == 0)
		return paths;
	cJSON_Delete(paths);
	return NULL;
}

/* " (period=50)": after how many local steps they would have; "" where no option says so. */
static char *period_text(const struct choice *algo)
{
	static const char *const keys[] = { "period", "tau", "push" };

	for (size_t i = 0; algo->plugin->opts && i < sizeof(keys) / sizeof(keys[0]); i++) {
		const struct opt *o = opt_find(algo->plugin->opts, keys[i]);

		if (o) {
			char *value = opt_format(o, algo->conf);
			char *text = xasprintf(" (%s=%s)", o->name, value);

			free(value);
			return text;
		}
	}
	return xstrdup("");
}

/* Workers that share one memory send nothing in any case. */
static void note_silence(const struct setup *su, const cJSON *run)
{
	char *period;

	if (su->num.workers < 2 || setup_algo(su)->shared || run_number(run, "bytes_sent") != 0.0)
		return;
	period = period_text(&su->algo);
	note("no worker sent anything: the run ended before the first exchange%s. Make it longer, "
	     "or let the workers exchange more often", period);
	free(period);
}

int result_print(const struct setup *su, const char *path, bool json, bool quiet)
{
	const int code = single_print_result(path, json);
	cJSON *run = code == EXIT_OK && !quiet ? result_read(path) : NULL;

	if (run)
		note_silence(su, run);
	cJSON_Delete(run);
	return code;
}
