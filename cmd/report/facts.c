/* Collects how an experiment was made: machines, times, settings unlike the paper's. */
#include "cmd/report/parts.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/word.h"
#include "plan/settings/settings.h"
#include "plan/spec/tune.h"
#include "report/record/environ.h"

#include <stdlib.h>
#include <string.h>

/* ---- a set of texts, in order of appearance: the keys of an object ---- */

static void set_add(cJSON *set, const char *text)
{
	if (*text && !json_get(set, text))
		cJSON_AddNullToObject(set, text);
}

/* All of them, joined; the caller frees. */
static char *set_text(const cJSON *set)
{
	char *all = xstrdup("");
	const cJSON *item;

	cJSON_ArrayForEach(item, set)
		xappend(&all, ", ", item->string);
	return all;
}

/* Adds the set to the facts, if there is anything in it, and frees it. */
static void add_set(cJSON *facts, const char *what, cJSON *set)
{
	char *text = set_text(set);

	if (*text)
		cJSON_AddStringToObject(facts, what, text);
	free(text);
	cJSON_Delete(set);
}

/* ---- provenance ---- */

/* What the result files say of their making, one by one. */
static cJSON *report_facts_environments(const struct outcome *o)
{
	cJSON *all = cJSON_CreateArray();
	const cJSON *run;

	cJSON_ArrayForEach(run, o->runs)
		cJSON_AddItemToArray(all, environ_read(json_string_or_empty(run, "file")));
	cJSON_ArrayForEach(run, o->baselines)
		cJSON_AddItemToArray(all, environ_read(json_string_or_empty(run, "file")));
	return all;
}

static void report_facts_add_values(cJSON *facts, const char *what, const cJSON *all,
				    const char *key)
{
	cJSON *set = cJSON_CreateObject();
	const cJSON *one;

	cJSON_ArrayForEach(one, all)
		set_add(set, json_string_or_empty(one, key));
	add_set(facts, what, set);
}

static void add_machine(cJSON *facts, const cJSON *all)
{
	cJSON *set = cJSON_CreateObject();
	const cJSON *one;

	cJSON_ArrayForEach(one, all) {
		const cJSON *cpus = json_get(one, "cpus");
		const int n = cJSON_IsNumber(cpus) ? cpus->valueint : 0;
		char *text = xasprintf("%s, %d processor%s", json_string_or_empty(one, "cpu"), n,
				       word_plural(n));

		if (*json_string_or_empty(one, "cpu"))
			set_add(set, text);
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
		const char *began = json_string_or_empty(one, "started"),
			   *ended = json_string_or_empty(one, "ended");

		first = !*first || (*began && strcmp(began, first) < 0) ? began : first;
		last = strcmp(ended, last) > 0 ? ended : last;
		if (cJSON_IsNumber(json_get(one, "wall_s")))
			wall += json_get(one, "wall_s")->valuedouble;
	}
	text = xasprintf("%s to %s", first, last);
	cJSON_AddStringToObject(facts, "made", text);
	free(text);
	text = xasprintf("%.3g s, summed over the runs", wall);
	cJSON_AddStringToObject(facts, "wall time", text);
	free(text);
}

static void add_runs(cJSON *facts, const struct outcome *o)
{
	cJSON *seeds = cJSON_CreateObject();
	const cJSON *run;
	char *text;

	cJSON_ArrayForEach(run, o->runs) {
		text = xasprintf("%.0f", cJSON_GetNumberValue(json_get(run, "seed")));
		set_add(seeds, text);
		free(text);
	}
	text = xasprintf("%d", cJSON_GetArraySize(o->runs));
	cJSON_AddStringToObject(facts, "runs", text);
	free(text);
	add_set(facts, "seeds", seeds);
}

cJSON *report_facts(const struct outcome *o)
{
	static const char *const plain[][2] = {
		{ "version", "version" }, { "commit", "commit" }, { "compiler", "compiler" },
		{ "HDF5", "hdf5" }, { "OpenBLAS", "openblas" }, { "oneDNN", "onednn" },
		{ "system", "system" },
	};
	cJSON *facts = cJSON_CreateObject(), *all = report_facts_environments(o);

	add_runs(facts, o);
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		report_facts_add_values(facts, plain[i][0], all, plain[i][1]);
	add_machine(facts, all);
	add_times(facts, all);
	cJSON_Delete(all);
	return facts;
}

/* ---- settings compared with the paper's ---- */

/* All values of a setting in the products of a grid, or an empty text. The caller frees. */
static char *grid_text(const struct spec *s, const char *key)
{
	cJSON *set = cJSON_CreateObject();
	const cJSON *product, *value;
	char *text;

	cJSON_ArrayForEach(product, s->grid)
		cJSON_ArrayForEach(value, json_get(product, key)) {
			text = json_text(value);
			set_add(set, text);
			free(text);
		}
	text = set_text(set);
	cJSON_Delete(set);
	return text;
}

/* As the spec has it, with its scale applied; else the default. The caller frees. */
static char *setting_text(const struct spec *s, const char *key)
{
	char *text = grid_text(s, key);
	const char *usual = opt_find(settings_opts, key)->def;

	if (*text)
		return text;
	free(text);
	if (spec_tune_has(s->tune, key))
		return xstrdup("tuned");
	if (json_get(s->base, key))
		return json_text(json_get(s->base, key));
	return xstrdup(usual ? usual : "");
}

static cJSON *report_facts_differences(const struct spec *paper, const struct spec *here)
{
	cJSON *list = cJSON_CreateArray();

	for (const struct opt *o = settings_opts; o->name; o++) {
		char *theirs = setting_text(paper, o->name), *ours = setting_text(here, o->name);

		if (strcmp(theirs, ours) != 0) {
			cJSON *entry = cJSON_CreateObject();

			cJSON_AddStringToObject(entry, "setting", o->name);
			cJSON_AddStringToObject(entry, "paper", theirs);
			cJSON_AddStringToObject(entry, "here", ours);
			cJSON_AddItemToArray(list, entry);
		}
		free(theirs);
		free(ours);
	}
	return list;
}

cJSON *report_settings(const struct spec *s)
{
	struct spec paper;
	cJSON *list;

	if (!json_get(json_get(s->json, "scales"), "paper") ||
	    spec_load_settings(&paper, s->path, "paper") < 0)
		return NULL;
	list = report_facts_differences(&paper, s);
	spec_release(&paper);
	return list;
}
