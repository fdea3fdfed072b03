/* Reads a plan's results, builds its tables with notes, judges its claims, and writes all of it. */
#include "runner/results/outcome.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/members.h"
#include "core/file/output.h"
#include "core/file/paths.h"
#include "core/text/word.h"
#include "plan/tuning.h"
#include "record/environ.h"
#include "report/claims/claims.h"
#include "runner/results/folder.h"
#include "runner/signals.h"
#include "runner/single_run/divergence_cause.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- runs ---- */

/* All finished runs, and then those of the baselines, which are no points of the grid. */
static int read_runs(struct outcome *o, const struct plan *p)
{
	const size_t n = p->n - p->nbaselines;
	size_t *at = xcalloc(p->n + 1, sizeof(*at));    /* of a baseline in o->baselines, from 1 */
	size_t k = 0;

	for (size_t i = 0; i < p->n; i++) {
		const struct planned *planned = &p->runs[i];
		struct results *into = i < n ? &o->runs : &o->baselines;
		struct result r;
		char *tuned;

		if (planned->state != RUN_FINISHED)
			continue;
		if (result_load(&r, planned->path, RESULT_TIMED) < 0) {
			free(at);
			return -1;
		}
		point_to_result(&planned->point, &r, RESULT_POINT);
		tuned = tuning_text_of(p, planned);
		if (tuned) {
			point_to_result(&planned->extra, &r, RESULT_TUNED);
			result_say(&r, RESULT_TUNED_BY, tuned);
		}
		free(tuned);
		r.is_baseline = i >= n;
		results_add(into, &r);
		at[i] = into->n;
	}
	for (size_t i = 0; i < n; i++) {
		const size_t baseline = p->runs[i].baseline;

		if (p->runs[i].state == RUN_FINISHED)
			result_speedup(&o->runs.v[k++], baseline == PLAN_NONE || !at[baseline] ?
				       NULL : &o->baselines.v[at[baseline] - 1]);
	}
	free(at);
	return 0;
}

/* ---- notes below the tables ---- */

static void add_note(struct outcome *o, const char *text)
{
	for (size_t i = 0; i < o->tables.n; i++)
		table_note(&o->tables.v[i], text);
}

/* The text is freed; NULL: none. */
static void add_note_own(struct outcome *o, char *text)
{
	if (text)
		add_note(o, text);
	free(text);
}

static void add_notes_own(struct outcome *o, char **notes)
{
	for (char **note = notes; *note; note++)
		add_note(o, *note);
	path_list_free(notes);
}

static bool table_has_speedups(const struct table *t)
{
	for (size_t k = 0; k < t->nheads; k++)
		if (strcmp(t->head[k].measure, measure_table[MEASURE_SPEEDUP].name) == 0)
			return true;
	return false;
}

/* Below tables of speedups: over what they are, and those that more workers do not explain. */
static void add_speedup_notes(struct outcome *o, const struct plan *p)
{
	char **notes = speedup_notes(&o->runs, &o->baselines);
	char *baseline = plan_baseline_text(p);

	for (size_t i = 0; i < o->tables.n; i++) {
		if (!table_has_speedups(&o->tables.v[i]))
			continue;
		if (baseline)
			table_note(&o->tables.v[i], baseline);
		for (char **note = notes; *note; note++)
			table_note(&o->tables.v[i], *note);
	}
	free(baseline);
	path_list_free(notes);
}

static void add_notes(struct outcome *o, const struct plan *p)
{
	/* the settings, and so the machine that the spec names, are the spec's */
	const bool by_spec = *p->spec.name && !p->changes.settings;

	add_note_own(o, tuning_text(p));
	if (!by_spec || !plan_names_machine(p))
		add_note_own(o, plan_assumed(p));
	if (!by_spec)
		add_notes_own(o, plan_remarks(p));
	add_speedup_notes(o, p);
	add_notes_own(o, remark_notes(&o->runs));
	add_notes_own(o, divergence_notes(p, &o->runs));
	add_note_own(o, unfailing_text(&o->runs));
	if (o->gap)
		add_note(o, o->gap);
	if (p->changes.settings)
		add_note_own(o, xasprintf("settings differ from the spec: %s",
					  p->changes.settings));
}

/* The table of the tuning runs stands after the others, where there are any that chose. */
static void add_tuned_table(struct outcome *o, const struct plan *p)
{
	const struct tuning *t = p->tuning;
	struct tables tables;

	if (!t || !t->results.n)
		return;
	tables = tables_build(t->plan.spec.json, &t->results);
	o->tables.v = xrealloc(o->tables.v, o->tables.n + 1, sizeof(*o->tables.v));
	o->tables.v[o->tables.n++] = tables.v[0];
	free(tables.v);
}

/* ---- claims ---- */

static void outcome_judge(struct outcome *o, const struct plan *p)
{
	if (claims_read_files(p->spec.json, p->dir) < 0)
		return;
	o->claims = claims_judge(p->spec.json, &o->runs, &o->tables, p->spec.scale);
	if (signal_caught && verdicts_failed(o->claims)) {
		note("interrupted while claims were judged: nothing is written; the same command "
		     "resumes");
		verdicts_free(o->claims);
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
	o->tables = tables_build(p->spec.json, &o->runs);
	add_tuned_table(o, p);
	o->gap = plan_gap(p);
	if (p->changes.settings || o->gap) {    /* they say nothing of a claim */
		o->claims = verdicts_new(json_get(p->spec.json, "claims"));
		verdicts_leave_open(o->claims, p->changes.settings ?
					       "settings differ from the spec" : o->gap);
	} else {
		outcome_judge(o, p);
	}
	add_notes(o, p);
	return o->claims ? 0 : -1;
}

void outcome_release(struct outcome *o)
{
	results_release(&o->runs);
	results_release(&o->baselines);
	tables_release(&o->tables);
	verdicts_free(o->claims);
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

struct result outcome_no_result(const struct plan *p, const struct planned *planned)
{
	struct result r;

	result_of_json(&r, NULL);
	result_say(&r, RESULT_EXPERIMENT, p->spec.name);
	result_say(&r, RESULT_SCALE, p->spec.scale);
	result_say(&r, RESULT_HASH, planned->open ? NULL : planned->su.hash);
	result_say(&r, RESULT_ALGO, planned->su.algo.plugin->name);
	result_set(&r, RESULT_WORKERS, (double)planned->su.num.workers);
	result_set(&r, RESULT_SEED, (double)planned->su.in.seed);
	result_say(&r, RESULT_STATUS, run_state_name[planned->state]);
	result_say(&r, RESULT_END, NULL);
	for (int i = 0; i < MEASURE_COUNT; i++)
		if (measure_table[i].place != PLACE_OTHER)
			result_set(&r, i, (double)NAN);
	result_say(&r, RESULT_FILE, NULL);
	point_to_result(&planned->point, &r, RESULT_POINT);
	return r;
}

cJSON *outcome_runs(const struct outcome *o, const struct plan *p)
{
	cJSON *runs = cJSON_CreateArray();
	const struct result *r = o->runs.v;

	for (size_t i = 0; i < p->n - p->nbaselines; i++) {
		struct result none;

		if (p->runs[i].state == RUN_FINISHED) {
			list_add(runs, result_json(r++, true));
			continue;
		}
		none = outcome_no_result(p, &p->runs[i]);
		list_add(runs, result_json(&none, true));
		result_release(&none);
	}
	return runs;
}

/* ---- how the runs were made ---- */

/* Adds the set to the facts, if there is anything in it, and frees it. */
static void add_set(cJSON *facts, const char *what, cJSON *set)
{
	char *text = json_names_text(set);

	if (*text)
		cJSON_AddStringToObject(facts, what, text);
	free(text);
	cJSON_Delete(set);
}

/* What the result files say of their making, one by one. */
static cJSON *environments(const struct outcome *o)
{
	cJSON *all = cJSON_CreateArray();

	for (size_t i = 0; i < o->runs.n; i++)
		list_add(all, environ_read(o->runs.v[i].text[RESULT_FILE]));
	for (size_t i = 0; i < o->baselines.n; i++)
		list_add(all, environ_read(o->baselines.v[i].text[RESULT_FILE]));
	return all;
}

static void add_values(cJSON *facts, const char *what, const cJSON *all, const char *key)
{
	cJSON *set = cJSON_CreateObject();
	const cJSON *one;

	cJSON_ArrayForEach(one, all)
		json_names_add(set, json_word(one, key));
	add_set(facts, what, set);
}

static void add_machine(cJSON *facts, const cJSON *all)
{
	cJSON *set = cJSON_CreateObject();
	const cJSON *one;

	cJSON_ArrayForEach(one, all) {
		const cJSON *cpus = json_get(one, "cpus");
		const int n = cJSON_IsNumber(cpus) ? cpus->valueint : 0;
		char *text = xasprintf("%s, %d processor%s", json_word(one, "cpu"), n,
				       word_plural(n));

		if (*json_word(one, "cpu"))
			json_names_add(set, text);
		free(text);
	}
	add_set(facts, "machine", set);
}

/* From the first run's beginning to the last one's end, and the sum of what each took. */
static void add_times(cJSON *facts, const cJSON *all)
{
	const char *first = "", *last = "";
	const cJSON *one;
	double wall = 0;
	char *text;

	cJSON_ArrayForEach(one, all) {
		const char *began = json_word(one, "started"),
			   *ended = json_word(one, "ended");

		first = !*first || (*began && strcmp(began, first) < 0) ? began : first;
		last = strcmp(ended, last) > 0 ? ended : last;
		if (cJSON_IsNumber(json_get(one, "wall_s")))
			wall += json_get(one, "wall_s")->valuedouble;
	}
	text = xasprintf("%s to %s", first, last);
	json_set_owned(facts, "made", text);
	text = xasprintf("%.3g s, summed over the runs", wall);
	json_set_owned(facts, "wall time", text);
}

static void add_runs(cJSON *facts, const struct outcome *o)
{
	cJSON *seeds = cJSON_CreateObject();
	const char *scale = o->runs.n ? o->runs.v[0].text[RESULT_SCALE] : NULL;
	char *text;

	for (size_t i = 0; i < o->runs.n; i++) {
		text = xasprintf("%.0f", o->runs.v[i].number[RESULT_SEED]);
		json_names_add(seeds, text);
		free(text);
	}
	text = xasprintf("%zu", o->runs.n);
	json_set_owned(facts, "runs", text);
	json_set_text(facts, "scale", scale ? scale : "");
	add_set(facts, "seeds", seeds);
}

static cJSON *made_of(const struct outcome *o)
{
	static const char *const plain[][2] = {
		{ "version", "version" }, { "commit", "commit" }, { "compiler", "compiler" },
		{ "HDF5", "hdf5" }, { "OpenBLAS", "openblas" }, { "oneDNN", "onednn" },
		{ "system", "system" },
	};
	cJSON *facts = cJSON_CreateObject(), *all = environments(o);

	add_runs(facts, o);
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		add_values(facts, plain[i][0], all, plain[i][1]);
	add_machine(facts, all);
	add_times(facts, all);
	cJSON_Delete(all);
	return facts;
}

const cJSON *outcome_made(struct outcome *o)
{
	if (!o->made)
		o->made = made_of(o);
	return o->made;
}

void outcome_check_dates(struct outcome *o, const struct plan *p)
{
	bool dated = false;

	for (size_t i = 0; i < o->claims->n; i++)
		dated = dated || o->claims->v[i].of.criterion;
	if (dated && o->runs.n)
		verdicts_check_dates(o->claims, json_word(outcome_made(o), "made"), p->spec.path);
}

/* ---- written ---- */

static int hashes_order(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Hashes of the baselines in order; the caller frees the array. */
static const char **baseline_hashes(const struct results *baselines)
{
	const char **hashes = xcalloc(baselines->n + 1, sizeof(*hashes));

	for (size_t i = 0; i < baselines->n; i++)
		hashes[i] = baselines->v[i].text[RESULT_HASH];
	qsort(hashes, baselines->n, sizeof(*hashes), hashes_order);
	return hashes;
}

/*
 * The number of files that were written again, or error(). Timing-only runs are many and short: all
 * their files reach the disk at once.
 */
static int mark_runs(const struct results *runs, const char *const *hashes, size_t n)
{
	int all = 0;

	for (size_t i = 0; i < runs->n; i++) {
		const struct result *r = &runs->v[i];
		const double speedup = r->number[MEASURE_SPEEDUP];
		const struct result_mark m = {
			.is_baseline = bsearch(&r->text[RESULT_HASH], hashes, n, sizeof(*hashes),
					       hashes_order),
			.baseline = isnan(speedup) ? NULL : r->text[RESULT_BASELINE],
			.speedup = speedup,
			.tuned = r->text[RESULT_TUNED_BY],
			.synced_later = strcmp(result_setting(r, "timing"), "true") == 0,
		};
		const int changed = m.is_baseline || m.baseline || m.tuned ?
			result_mark(r->text[RESULT_FILE], &m) : 0;

		if (changed < 0)
			return -1;
		all += changed;
	}
	return all;
}

int outcome_mark(const struct outcome *o, const struct plan *p)
{
	const char **hashes = baseline_hashes(&o->baselines);
	const int runs = mark_runs(&o->runs, hashes, o->baselines.n);
	const int others = runs < 0 ? -1 : mark_runs(&o->baselines, hashes, o->baselines.n);

	free(hashes);
	if (runs > 0 || others > 0)
		folder_sync(p->folder);
	return others < 0 ? -1 : 0;
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

int outcome_write(struct outcome *o, const struct plan *p)
{
	char *dir = xasprintf("%s/tables", p->dir);
	cJSON *runs = outcome_runs(o, p), *baselines = results_json(&o->baselines, true);
	cJSON *claims = verdicts_json(o->claims);
	int ret = 0;

	if ((o->tables.n && (dir_make(dir) < 0 || tables_write(&o->tables, dir) < 0)) ||
	    write_json(claims, p->dir, "claims.json") < 0 ||
	    write_json(runs, p->dir, "runs.json") < 0 ||
	    (baselines->child && write_json(baselines, p->dir, "baselines.json") < 0) ||
	    write_json(outcome_made(o), p->dir, "made.json") < 0 ||
	    (p->tuning && write_json(json_get(p->spec.json, TUNING_NAME), p->dir,
				     TUNING_NAME ".json") < 0) ||
	    outcome_mark(o, p) < 0)
		ret = -1;
	cJSON_Delete(claims);
	cJSON_Delete(runs);
	cJSON_Delete(baselines);
	free(dir);
	return ret;
}

void json_print(const cJSON *json)
{
	output_json(json, stdout);
}

void json_print_own(cJSON *json)
{
	json_print(json);
	cJSON_Delete(json);
}

void outcome_print_tables(const struct tables *tables, enum table_format format)
{
	for (size_t i = 0; i < tables->n; i++) {
		if (i && format != TABLE_JSON)
			putchar('\n');
		table_print(&tables->v[i], format, stdout);
	}
}
