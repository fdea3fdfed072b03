/* How an experiment's runs were made: seeds, versions, machines, dates. */
#include "runner/results/outcome.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/word.h"
#include "record/environ.h"
#include "report/claims/rules.h"

#include <stdlib.h>
#include <string.h>

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
	const cJSON *run;

	cJSON_ArrayForEach(run, o->runs)
		cJSON_AddItemToArray(all, environ_read(json_word(run, "file")));
	cJSON_ArrayForEach(run, o->baselines)
		cJSON_AddItemToArray(all, environ_read(json_word(run, "file")));
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
	const cJSON *run;
	char *text;

	cJSON_ArrayForEach(run, o->runs) {
		text = xasprintf("%.0f", cJSON_GetNumberValue(json_get(run, "seed")));
		json_names_add(seeds, text);
		free(text);
	}
	text = xasprintf("%d", cJSON_GetArraySize(o->runs));
	json_set_owned(facts, "runs", text);
	json_set_text(facts, "scale", json_word(o->runs->child, "scale"));
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
	if (!outcome_claims_have(o, "criterion") || !o->runs->child)
		return;
	claims_check_dates(o->claims, json_word(outcome_made(o), "made"), p->spec.path);
}
