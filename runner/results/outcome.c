/* Reads a plan's results, builds its tables with notes, and judges its claims. */
#include "runner/results/outcome.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/output.h"
#include "core/file/paths.h"
#include "plan/tuning.h"
#include "record/measure.h"
#include "report/claims/claims.h"
#include "report/claims/files.h"
#include "runner/results/unfailing.h"
#include "runner/signals.h"
#include "runner/single_run/divergence_cause.h"

#include <stdlib.h>
#include <string.h>

static cJSON *read_run(const struct planned *r)
{
	cJSON *run = result_read_timed(r->path);

	if (!run)
		return NULL;
	cJSON_AddItemToObject(run, "point", cJSON_Duplicate(r->point, true));
	return run;
}

/* All finished runs, by their index in the plan. */
static int read_each(cJSON **run, const struct plan *p)
{
	for (size_t i = 0; i < p->n; i++) {
		if (p->runs[i].state != RUN_FINISHED)
			continue;
		run[i] = read_run(&p->runs[i]);
		if (!run[i])
			return -1;
		tuned_add(run[i], p, &p->runs[i]);
	}
	return 0;
}

/* Baselines stay out of the runs: they are no points of the grid. */
static void sort_runs(struct outcome *o, const struct plan *p, cJSON **run)
{
	const size_t n = p->n - p->nbaselines;

	for (size_t i = 0; i < p->n; i++) {
		const size_t baseline = p->runs[i].baseline;

		if (run[i] && i < n)
			result_speedup(run[i], baseline == PLAN_NONE ? NULL : run[baseline]);
		if (run[i] && i >= n)
			cJSON_AddTrueToObject(run[i], "is_baseline");
		if (run[i])
			cJSON_AddItemToArray(i < n ? o->runs : o->baselines, run[i]);
	}
}

static int read_runs(struct outcome *o, const struct plan *p)
{
	cJSON **run = xcalloc(p->n, sizeof(*run));
	const int ret = read_each(run, p);

	o->runs = cJSON_CreateArray();
	o->baselines = cJSON_CreateArray();
	sort_runs(o, p, run);
	free(run);
	return ret;
}

static void table_note(cJSON *table, const char *text)
{
	cJSON *notes = json_get(table, "notes");

	if (!notes)
		notes = cJSON_AddArrayToObject(table, "notes");
	cJSON_AddItemToArray(notes, cJSON_CreateString(text));
}

static void add_note(cJSON *tables, const char *text)
{
	cJSON *table;

	cJSON_ArrayForEach(table, tables)
		table_note(table, text);
}

static bool has_speedups(const cJSON *table)
{
	const cJSON *head;

	cJSON_ArrayForEach(head, json_get(table, "heads")) {
		const cJSON *measure = json_get(head, "measure");

		if (cJSON_IsString(measure) && strcmp(measure->valuestring, "speedup") == 0)
			return true;
	}
	return false;
}

/* Below tables of speedups: over what they are, and those that more workers do not explain. */
static void add_speedup_notes(struct outcome *o, const struct plan *p)
{
	cJSON *notes = speedup_notes(o->runs, o->baselines), *table;
	char *baseline = plan_baseline_text(p);
	const cJSON *note;

	if (baseline)
		cJSON_InsertItemInArray(notes, 0, cJSON_CreateString(baseline));
	free(baseline);
	cJSON_ArrayForEach(table, o->tables)
		if (has_speedups(table))
			cJSON_ArrayForEach(note, notes)
				table_note(table, note->valuestring);
	cJSON_Delete(notes);
}

/* Of an experiment whose settings are its spec's. */
static bool is_by_spec(const struct plan *p)
{
	return *p->spec.name && !p->changes.settings;
}

/* The machine of an experiment whose spec names its cluster is the spec's, as its settings are. */
static void note_assumed(struct outcome *o, const struct plan *p)
{
	char *text = is_by_spec(p) && plan_names_machine(p) ? NULL : plan_assumed(p);

	if (text)
		add_note(o->tables, text);
	free(text);
}

static void add_remarks(struct outcome *o, const struct plan *p)
{
	char **remarks = plan_remarks(p);

	for (size_t i = 0; remarks[i] && !is_by_spec(p); i++)
		add_note(o->tables, remarks[i]);
	path_list_free(remarks);
}

/* The array is freed. */
static void add_notes_of(struct outcome *o, cJSON *notes)
{
	const cJSON *note;

	cJSON_ArrayForEach(note, notes)
		add_note(o->tables, note->valuestring);
	cJSON_Delete(notes);
}

static void add_divergences(struct outcome *o, const struct plan *p)
{
	cJSON *notes = cJSON_CreateArray();

	divergence_notes(notes, p, o->runs);
	add_notes_of(o, notes);
}

static void add_notes(struct outcome *o, const struct plan *p)
{
	char *text = tuning_text(p);

	if (text)
		add_note(o->tables, text);
	free(text);
	note_assumed(o, p);
	add_remarks(o, p);
	add_speedup_notes(o, p);
	add_notes_of(o, remark_notes(o->runs));
	add_divergences(o, p);
	text = unfailing_text(o->runs);
	if (text)
		add_note(o->tables, text);
	free(text);
	if (o->gap)
		add_note(o->tables, o->gap);
	if (!p->changes.settings)
		return;
	text = xasprintf("settings differ from the spec: %s", p->changes.settings);
	add_note(o->tables, text);
	free(text);
}

/* A part of the runs, or runs of another set-up, say nothing of a claim. */
static cJSON *outcome_unjudged(const cJSON *spec, const char *reason)
{
	cJSON *verdicts = cJSON_CreateArray();
	const cJSON *claim;

	cJSON_ArrayForEach(claim, json_get(spec, "claims")) {
		cJSON *verdict = claim_head(claim);

		cJSON_AddStringToObject(verdict, "verdict", "not evaluated");
		cJSON_AddNullToObject(verdict, "holds");
		cJSON_AddNullToObject(verdict, "shows");
		cJSON_AddStringToObject(verdict, "reason", reason);
		cJSON_AddItemToArray(verdicts, verdict);
	}
	return verdicts;
}

static void outcome_judge(struct outcome *o, const struct plan *p)
{
	if (claims_read_files(p->spec.json, p->dir) < 0)
		return;
	o->claims = claims_check(p->spec.json, o->runs, o->tables, p->spec.scale);
	if (signal_caught && outcome_claims_have(o, "error")) {
		note("interrupted while claims were judged: nothing is written; the same command "
		     "resumes");
		cJSON_Delete(o->claims);
		o->claims = NULL;
		return;
	}
	outcome_check_dates(o, p);
}

int outcome_read(struct outcome *o, const struct plan *p)
{
	*o = (struct outcome){ 0 };
	if (read_runs(o, p) < 0)
		return -1;
	o->tables = tables_build(p->spec.json, o->runs);
	tuned_add_table(o, p);
	o->gap = plan_gap(p);
	if (p->changes.settings)
		o->claims = outcome_unjudged(p->spec.json, "settings differ from the spec");
	else if (o->gap)
		o->claims = outcome_unjudged(p->spec.json, o->gap);
	else
		outcome_judge(o, p);
	add_notes(o, p);
	return o->tables && o->claims ? 0 : -1;
}

bool outcome_claims_have(const struct outcome *o, const char *key)
{
	const cJSON *claim;

	cJSON_ArrayForEach(claim, o->claims)
		if (json_get(claim, key))
			return true;
	return false;
}

void outcome_release(struct outcome *o)
{
	cJSON_Delete(o->runs);
	cJSON_Delete(o->baselines);
	cJSON_Delete(o->tables);
	cJSON_Delete(o->claims);
	cJSON_Delete(o->made);
	free(o->gap);
	*o = (struct outcome){ 0 };
}

void outcome_missing(const struct plan *p)
{
	enum { SHOWN = 8 };
	size_t missing = 0;

	if (p->changes.settings)
		note("settings differ from the spec: %s", p->changes.settings);
	if (p->left_out)
		note("points of the grid that --only leaves out: %zu", p->left_out);
	for (size_t i = 0; i < p->n; i++) {
		if (p->runs[i].same_as != i || p->runs[i].state == RUN_FINISHED)
			continue;
		if (missing++ < SHOWN)
			warning("no result yet: %s %s", p->spec.name, p->runs[i].label);
	}
	if (missing)
		note("%zu of %zu runs missing; 'convoy run' with the same settings makes them",
		     missing, missing + plan_count(p, RUN_FINISHED));
}

cJSON *run_brief(const cJSON *run)
{
	cJSON *brief = cJSON_CreateObject();
	const cJSON *item;

	cJSON_ArrayForEach(item, run)
		if (strcmp(item->string, "train") && strcmp(item->string, "nodes") &&
		    !measure_is_real(item->string))
			cJSON_AddItemToObject(brief, item->string, cJSON_Duplicate(item, true));
	cJSON_DeleteItemFromObjectCaseSensitive(json_get(brief, "eval"), "wall_s");
	return brief;
}

static cJSON *no_result(const struct plan *p, const struct planned *r)
{
	static const char *const null[] = {
		"end", "time_s", "epochs", "time_per_epoch_s", "speedup", "wait_share",
		"bytes_sent", "busiest_bytes", "staleness_mean", "staleness_max", "gap_mean",
		"gap_max", "norm_mean", "momentum_mean", "momentum_published_mean",
		"staleness_head_max", "spread", "fairness", "dropped",
		"train_loss", "test_loss", "test_accuracy", "file"
	};
	cJSON *run = cJSON_CreateObject();

	cJSON_AddStringToObject(run, "experiment", p->spec.name);
	cJSON_AddStringToObject(run, "scale", p->spec.scale);
	json_add_text(run, "hash", r->open ? NULL : r->su.hash);
	cJSON_AddStringToObject(run, "algo", r->su.algo.plugin->name);
	cJSON_AddNumberToObject(run, "workers", (double)r->su.num.workers);
	cJSON_AddNumberToObject(run, "seed", (double)r->su.in.seed);
	cJSON_AddStringToObject(run, "status", run_state_name[r->state]);
	for (size_t i = 0; i < sizeof(null) / sizeof(null[0]); i++)
		cJSON_AddNullToObject(run, null[i]);
	cJSON_AddItemToObject(run, "point", cJSON_Duplicate(r->point, true));
	return run;
}

cJSON *outcome_runs(const struct outcome *o, const struct plan *p)
{
	cJSON *runs = cJSON_CreateArray();
	const cJSON *run = o->runs->child;

	for (size_t i = 0; i < p->n - p->nbaselines; i++) {
		if (p->runs[i].state != RUN_FINISHED) {
			cJSON_AddItemToArray(runs, no_result(p, &p->runs[i]));
			continue;
		}
		cJSON_AddItemToArray(runs, run_brief(run));
		run = run->next;
	}
	return runs;
}

static int write_json(const cJSON *json, const char *dir, const char *name)
{
	char *path = xasprintf("%s/%s", dir, name);
	char *text = json_format(json, true);
	int ret;

	ret = output_text(path, text);
	free(text);
	free(path);
	return ret;
}

static int write_baselines(const struct outcome *o, const struct plan *p)
{
	cJSON *all = cJSON_CreateArray();
	const cJSON *run;
	int ret;

	cJSON_ArrayForEach(run, o->baselines)
		cJSON_AddItemToArray(all, run_brief(run));
	ret = all->child ? write_json(all, p->dir, "baselines.json") : 0;
	cJSON_Delete(all);
	return ret;
}

int outcome_write(struct outcome *o, const struct plan *p)
{
	char *dir = xasprintf("%s/tables", p->dir);
	cJSON *runs = outcome_runs(o, p);
	int ret = 0;

	if ((cJSON_GetArraySize(o->tables) > 0 &&
	     (dir_make(dir) < 0 || tables_write(o->tables, dir) < 0)) ||
	    write_json(o->claims, p->dir, "claims.json") < 0 ||
	    write_json(runs, p->dir, "runs.json") < 0 || write_baselines(o, p) < 0 ||
	    write_json(outcome_made(o), p->dir, "made.json") < 0 ||
	    (p->tuning && write_json(p->tuning->chosen, p->dir, "tuning.json") < 0) ||
	    outcome_mark(o, p) < 0)
		ret = -1;
	cJSON_Delete(runs);
	free(dir);
	return ret;
}

void json_print(const cJSON *json)
{
	output_json(json, stdout);
}

void outcome_print_tables(const cJSON *tables, enum table_format format)
{
	const cJSON *table;

	cJSON_ArrayForEach(table, tables) {
		if (table != tables->child && format != TABLE_JSON)
			putchar('\n');
		table_print(table, format, stdout);
	}
}
