/* Runs every combination of the settings given to `convoy sim` and prints a table of them. */
#include "cmd/sim/whatif.h"

#include "cmd/common.h"
#include "cmd/plot_path.h"
#include "core/base/error.h"
#include "core/text/word.h"
#include "plan/plan.h"
#include "plan/settings/length.h"
#include "plan/settings/values.h"
#include "record/measure.h"
#include "runner/plan_run.h"
#include "runner/results/outcome.h"
#include "runner/signals.h"

#include <stdio.h>

cJSON *whatif_values(const cJSON *set)
{
	cJSON *all = cJSON_CreateObject();
	const cJSON *text;

	cJSON_ArrayForEach(text, set) {
		cJSON *values = values_of(text->string, text->valuestring, "command line");

		if (!values) {
			cJSON_Delete(all);
			return NULL;
		}
		cJSON_AddItemToObject(all, text->string, values);
	}
	return all;
}

double whatif_combinations(const cJSON *values)
{
	double n = 1.0;
	const cJSON *list;

	cJSON_ArrayForEach(list, values)
		n *= cJSON_GetArraySize(list);
	return n;
}

int whatif_check(const struct whatif *w)
{
	if (w->json && w->csv)
		return error("--json and --csv are both given (expected one). Leave one out");
	if (w->json && w->columns)
		return error("--json and --values are both given (--json has every measure). Leave "
			     "one out");
	if (w->plot && plot_path_check(w->plot, PLOT_PATH_FIGURE) < 0)
		return -1;
	return measure_check("--plot-y", w->measure);
}

static void whatif_print_json(const struct outcome *o, const struct plan *p, const cJSON *paths)
{
	cJSON *json = cJSON_CreateObject(), *baselines;
	const cJSON *run;

	cJSON_AddItemToObject(json, "runs", outcome_runs(o, p));
	baselines = cJSON_AddArrayToObject(json, "baselines");
	cJSON_ArrayForEach(run, o->baselines)
		cJSON_AddItemToArray(baselines, run_brief(run));
	cJSON_AddItemToObject(json, "plots", cJSON_Duplicate(paths, true));
	json_print(json);
	cJSON_Delete(json);
}

static void whatif_print(const struct whatif *w, const struct outcome *o, const struct plan *p,
			 const cJSON *paths)
{
	const cJSON *path;

	if (w->json) {
		whatif_print_json(o, p, paths);
	} else if (w->csv) {
		whatif_print_csv(w, o, p);
	} else {
		outcome_print_tables(o->tables, TABLE_TEXT);
		cJSON_ArrayForEach(path, paths)
			printf("%s%s\n", path == paths->child ? "\n" : "", path->valuestring);
	}
}

static int show(const struct whatif *w, const struct plan *p)
{
	struct outcome o;
	cJSON *paths = cJSON_CreateArray();
	int ret = -1;

	if (outcome_read(&o, p) == 0 && outcome_mark(&o, p) == 0) {
		ret = w->plot ? whatif_plot(&o, p, w->measure, w->plot, paths) : 0;
		whatif_print(w, &o, p, paths);
	}
	outcome_release(&o);
	cJSON_Delete(paths);
	return ret;
}

static void name_missing(const struct plan *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->runs[i].state != RUN_FINISHED && p->runs[i].same_as == i)
			error("%s: no result", p->runs[i].label);
}

static int whatif_run_plan(const struct whatif *w, struct plan *p)
{
	struct pool_conf n = { .jobs = w->jobs, .threads = w->threads, .sim = w->sim,
			     .quiet = w->quiet,
			     .checkpoint_every = w->checkpoint_every, .resume = w->resume };
	int code, shown;

	if (w->dry_run) {
		plan_print(p, NULL, NULL, w->json);
		return plan_look_data(p) < 0 ? EXIT_BAD : EXIT_OK;
	}
	code = plan_run(p, &n);
	if (code != EXIT_OK)
		return code;
	shown = show(w, p);
	name_missing(p);
	if (signal_caught)
		return signals_exit_code();
	return plan_failed(p) || shown < 0 ? EXIT_BAD : EXIT_OK;
}

/* Once, of the run whose workers have the fewest gradients. */
static void warn_of_length(const struct plan *p)
{
	size_t least = 0;

	for (size_t i = 1; i < p->n - p->nbaselines; i++)
		if (length_each(&p->runs[i].su) < length_each(&p->runs[least].su))
			least = i;
	length_warn(&p->runs[least].su);
}

int whatif_run(const struct whatif *w)
{
	struct plan p;
	int code = EXIT_BAD;

	if (plan_from_values(&p, w->values, w->out) == 0) {
		whatif_describe(w, &p);
		warn_of_length(&p);
		code = whatif_run_plan(w, &p);
	}
	plan_release(&p);
	return code;
}
