/* Reads a plan's results, builds its tables with notes, judges its claims, and writes all of it. */
#include "runner/results/outcome.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/fields.h"
#include "core/file/json.h"
#include "core/file/members.h"
#include "core/file/output.h"
#include "core/file/paths.h"
#include "core/text/word.h"
#include "plan/spec_tune.h"
#include "record/environ.h"
#include "runner/results/folder.h"
#include "runner/signals.h"
#include "runner/single_run/simrun.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- runs ---- */

/* All finished runs, and then those of the baselines, which are no points of the grid. */
static int read_runs(struct outcome *o, const struct plan *p)
{
	const size_t n = plan_own_runs(p);
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

/* Below tables of speedups: over what they are, and those that more workers do not explain. */
static void add_speedup_notes(struct outcome *o, const struct plan *p)
{
	scoped_paths char **notes = speedup_notes(&o->runs, &o->baselines);
	char *baseline = plan_baseline_text(p);

	for (size_t i = 0; i < o->tables.n; i++) {
		struct table *t = &o->tables.v[i];
		size_t k = 0;

		while (k < t->nheads && strcmp(t->head[k].measure, "speedup") != 0)
			k++;
		if (k == t->nheads)
			continue;
		if (baseline)
			table_note(t, baseline);
		for (char **note = notes; *note; note++)
			table_note(t, *note);
	}
	free(baseline);
}

static bool has_diverged(const struct table *t)
{
	for (size_t i = 0; i < t->nrows; i++)
		for (size_t k = 0; k < t->nheads; k++)
			if (t->row[i].cell[k].diverged)
				return true;
	return false;
}

/* Below tables that have such runs. */
static void add_divergence_notes(struct outcome *o, const struct plan *p)
{
	scoped_paths char **notes = divergence_notes(p, &o->runs);

	for (size_t i = 0; i < o->tables.n; i++)
		for (char **note = notes; *note && has_diverged(&o->tables.v[i]); note++)
			table_note(&o->tables.v[i], *note);
}

static void add_notes(struct outcome *o, const struct plan *p)
{
	/* the settings, and so the machine that the spec names, are the spec's */
	const bool by_spec = *p->spec.name && !p->changes.settings;

	add_note_own(o, tuning_text(p));
	if (!by_spec || !plan_names_machine(p))
		add_note_own(o, plan_assumed(p));
	if (!by_spec)
		add_notes_own(o, plan_remarks(p, NULL));
	add_speedup_notes(o, p);
	add_notes_own(o, remark_notes(&o->runs));
	add_divergence_notes(o, p);
	add_note_own(o, absent_text(&o->runs));
	if (o->gap)
		add_note(o, o->gap);
	if (p->changes.settings)
		add_note_own(o, xasprintf("settings differ from the spec: %s",
					  p->changes.settings));
}

/* ---- claims ---- */

static void outcome_judge(struct outcome *o, const struct plan *p, bool again)
{
	bool dated = false;

	if (claims_read_files(p->spec.json, p->dir) < 0)
		return;
	o->claims = looks_judge(p->spec.json, &o->runs, &o->tables, p->spec.scale, p->looks);
	if (signal_caught && verdicts_failed(o->claims)) {
		note("interrupted while claims were judged: nothing is written; the same command "
		     "resumes");
		verdicts_free(o->claims);
		o->claims = NULL;
		return;
	}
	/* claims whose criterion was set after the first of the runs began */
	for (size_t i = 0; i < o->claims->n; i++)
		dated = dated || o->claims->v[i].of.criterion;
	if (dated && o->runs.n)
		verdicts_check_dates(o->claims, json_word(outcome_made(o), "made"),
				     again ? NULL : p->spec.path);
}

static int outcome_load(struct outcome *o, const struct plan *p, bool again)
{
	const struct tuning *t = p->tuning;

	*o = (struct outcome){ 0 };
	if (read_runs(o, p) < 0)
		return -1;
	o->tables = tables_build(p->spec.json, &o->runs);
	if (t && t->results.n) {        /* that of the tuning runs stands after the others */
		struct tables tuned = tables_build(t->plan.spec.json, &t->results);

		APPEND(o->tables.v, o->tables.n) = tuned.v[0];
		free(tuned.v);
	}
	o->gap = plan_gap(p);
	if (plan_lacks_own(p)) {        /* a part of the spec's runs says nothing of a claim */
		o->claims = verdicts_new(json_get(p->spec.json, "claims"));
		verdicts_leave_open(o->claims, o->gap);
	} else {
		outcome_judge(o, p, again);
	}
	if (o->claims && p->changes.settings)
		verdicts_mark_yours(o->claims);
	add_notes(o, p);
	return o->claims ? 0 : -1;
}

int outcome_read(struct outcome *o, const struct plan *p)
{
	return outcome_load(o, p, false);
}

int outcome_read_again(struct outcome *o, const struct plan *p)
{
	outcome_release(o);
	return outcome_load(o, p, true);
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
		if (measure_table[i].shown != SHOWN_OTHER)
			result_set(&r, i, (double)NAN);
	result_say(&r, RESULT_FILE, NULL);
	point_to_result(&planned->point, &r, RESULT_POINT);
	return r;
}

cJSON *outcome_runs(const struct outcome *o, const struct plan *p)
{
	cJSON *runs = cJSON_CreateArray();
	const struct result *r = o->runs.v;

	for (size_t i = 0; i < plan_own_runs(p); i++) {
		struct result none;

		if (p->runs[i].state == RUN_FINISHED) {
			list_add(runs, result_json(r++, RESULT_BRIEF));
			continue;
		}
		none = outcome_no_result(p, &p->runs[i]);
		list_add(runs, result_json(&none, RESULT_BRIEF));
		result_release(&none);
	}
	return runs;
}

/* ---- how the runs were made ---- */

/* Name of a fact, and its key in a result file. */
static const struct {
	const char *what, *key;
} made_facts[] = {
	{ "version", "version" }, { "commit", "commit" }, { "compiler", "compiler" },
	{ "HDF5", "hdf5" }, { "OpenBLAS", "openblas" }, { "oneDNN", "onednn" },
	{ "system", "system" }, { "machine", NULL },
};

enum { FACTS = sizeof(made_facts) / sizeof(made_facts[0]), MACHINE = FACTS - 1 };

/* Facts of all result files of the runs. */
struct made {
	struct value_list set[FACTS];   /* each different one once */
	char *first, *last;     /* when the first run began, and the last one ended; owned */
	double wall_s;          /* sum of what each took */
};

static void set_add(struct value_list *set, const char *text)
{
	if (*text && !value_list_has(set, text))
		value_list_add(set, (struct value){ (char *)(uintptr_t)text, VALUE_TEXT });
}

/* The part of a file's environment that is not listed above. */
struct run_made {
	const char *cpu, *began, *ended;
	int cpus;
	double wall_s;
};

static void made_add(struct made *m, const struct results *runs)
{
	static const struct field fields[] = {
		FIELD(LENT, struct run_made, cpu, "cpu"),
		FIELD(LENT, struct run_made, began, "started"),
		FIELD(LENT, struct run_made, ended, "ended"),
		FIELD(INT, struct run_made, cpus, "cpus"),
		FIELD(AMOUNT, struct run_made, wall_s, "wall_s"), { 0 }
	};

	for (size_t i = 0; i < runs->n; i++) {
		scoped_json cJSON *json = environ_read(runs->v[i].text[RESULT_FILE]);
		struct run_made run = { .cpu = "", .began = "", .ended = "" };
		char *machine;

		fields_read(json, fields, &run);
		machine = xasprintf("%s, %d processor%s", run.cpu, run.cpus,
				    word_plural(run.cpus));

		for (size_t k = 0; k < MACHINE; k++)
			set_add(&m->set[k], json_word(json, made_facts[k].key));
		if (*run.cpu)
			set_add(&m->set[MACHINE], machine);
		free(machine);
		if (!m->first || !*m->first || (*run.began && strcmp(run.began, m->first) < 0)) {
			free(m->first);
			m->first = xstrdup(run.began);
		}
		if (!m->last || strcmp(run.ended, m->last) > 0) {
			free(m->last);
			m->last = xstrdup(run.ended);
		}
		m->wall_s += run.wall_s;
	}
}

static cJSON *made_json(const struct outcome *o)
{
	const char *scale = o->runs.n ? o->runs.v[0].text[RESULT_SCALE] : NULL;
	struct value_list seeds = { 0 };
	struct made m = { 0 };
	char *text = xasprintf("%zu", o->runs.n);
	cJSON *facts = OBJECT(j_text("runs", text), j_text("scale", scale ? scale : ""));

	free(text);
	for (size_t i = 0; i < o->runs.n; i++) {
		text = xasprintf("%.0f", o->runs.v[i].number[RESULT_SEED]);
		set_add(&seeds, text);
		free(text);
	}
	made_add(&m, &o->runs);
	made_add(&m, &o->baselines);
	for (size_t k = 0; k <= FACTS; k++) {
		struct value_list *set = k ? &m.set[k - 1] : &seeds;

		text = value_list_text(set);
		if (set->n)
			ADD(facts, j_text(k ? made_facts[k - 1].what : "seeds", text));
		free(text);
		value_list_release(set);
	}
	text = xasprintf("%s to %s", m.first ? m.first : "", m.last ? m.last : "");
	ADD(facts, j_text("made", text));
	free(text);
	text = xasprintf("%.3g s, summed over the runs", m.wall_s);
	ADD(facts, j_text("wall time", text));
	free_all(text, m.first, m.last);
	return facts;
}

const cJSON *outcome_made(struct outcome *o)
{
	if (!o->made)
		o->made = made_json(o);
	return o->made;
}

/* ---- written ---- */

enum { SOON_MADE_S = 1 };       /* a run that took less is made again, should its file be lost */

/*
 * The number of files that were written again, or error(). Short runs are many: all their files
 * reach the disk at once.
 */
static int mark_runs(const struct results *runs, const char *const *hashes, size_t n)
{
	int all = 0;

	for (size_t i = 0; i < runs->n; i++) {
		const struct result *r = &runs->v[i];
		const double speedup = r->number[MEASURE_SPEEDUP];
		const struct result_mark m = {
			.is_baseline = bsearch(&r->text[RESULT_HASH], hashes, n, sizeof(*hashes),
					       texts_order),
			.baseline = isnan(speedup) ? NULL : r->text[RESULT_BASELINE],
			.speedup = speedup,
			.tuned = r->text[RESULT_TUNED_BY],
		};
		const int changed = mark_is_said(&m, &r->said) ? 0 :
			result_mark(r->text[RESULT_FILE], &m,
				    r->number[MEASURE_WALL] < SOON_MADE_S);

		if (changed < 0)
			return -1;
		all += changed;
	}
	return all;
}

int outcome_mark(const struct outcome *o, const struct plan *p)
{
	const size_t n = o->baselines.n;
	const char **hashes = xcalloc(n + 1, sizeof(*hashes));
	int runs, others;

	for (size_t i = 0; i < n; i++)
		hashes[i] = o->baselines.v[i].text[RESULT_HASH];
	qsort(hashes, n, sizeof(*hashes), texts_order);
	runs = mark_runs(&o->runs, hashes, n);
	others = runs < 0 ? -1 : mark_runs(&o->baselines, hashes, n);
	free(hashes);
	if (runs > 0 || others > 0)
		folder_sync(p->folder);
	return others < 0 ? -1 : 0;
}

static int write_json(const cJSON *json, const char *dir, const char *name)
{
	scoped char *path = xasprintf("%s/%s", dir, name);

	return output_json_file(path, json, "");
}

int outcome_write(struct outcome *o, const struct plan *p)
{
	scoped char *dir = xasprintf("%s/tables", p->dir);
	cJSON *runs = outcome_runs(o, p), *baselines = results_json(&o->baselines, RESULT_BRIEF);
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
	return ret;
}

void json_print_own(cJSON *json)
{
	output_json(json, stdout);
	cJSON_Delete(json);
}

void outcome_print_tables(const struct tables *tables, enum table_format format)
{
	size_t printed = 0;

	for (size_t i = 0; i < tables->n; i++) {
		const struct table *t = &tables->v[i];

		/* a table without runs belongs to another scale */
		if (!t->nrows && (format == TABLE_TEXT || format == TABLE_MARKDOWN))
			continue;
		if (printed++ && format != TABLE_JSON)
			putchar('\n');
		table_print(t, format, stdout);
	}
}
