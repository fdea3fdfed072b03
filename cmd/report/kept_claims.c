/* Verdicts of kept results, judged again by the specs as they are now. */
#include "cmd/report/parts.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/output.h"
#include "core/file/paths.h"
#include "plan/plan.h"
#include "report/claims/claims.h"
#include "report/claims/files.h"
#include "report/claims/rules.h"
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct kept {                   /* of one result */
	const char *folder, *name;
	const struct spec *spec;
	cJSON *claims, *runs, *made;    /* owned; NULL: not kept */
	char *smoke;            /* claim_smoke() of the kept tables; owned */
};

/* ---- where the runs are not kept ---- */

static const cJSON *former_of(const struct kept *k, const cJSON *claim)
{
	const cJSON *former;

	cJSON_ArrayForEach(former, k->claims)
		if (!strcmp(json_word(former, "says"), json_word(claim, "says")))
			return former;
	return NULL;
}

static void kept_claims_copy(cJSON *verdict, const cJSON *former, const char *key)
{
	if (json_get(former, key) && !json_get(verdict, key))
		cJSON_AddItemToObject(verdict, key, cJSON_Duplicate(json_get(former, key), true));
}

static bool is_timing(const struct spec *s)
{
	const cJSON *timing = json_get(s->base, "timing");

	return cJSON_IsTrue(timing) || !strcmp(json_word(s->base, "timing"), "true");
}

/* What a verdict without an interval is worth now. */
static const char *doubt_of(const struct kept *k, const cJSON *claim)
{
	const char *filter = json_word(claim, "jq");
	const bool learnt = claim_is_learnt(k->spec->json, filter) && !is_timing(k->spec);
	const bool timed = claim_is_timed(filter) ||
			   !strcmp(json_word(k->spec->base, "engine"), "mpi");

	if (!strcmp(json_word(claim, "kind"), "construction") || (!learnt && !timed))
		return NULL;
	return learnt && k->smoke ? k->smoke :
			  "the former verdict has no interval, and its runs are not kept";
}

static void kept_claims_set(cJSON *verdict, const char *word, const char *reason)
{
	cJSON_AddStringToObject(verdict, "verdict", word);
	if (reason)
		cJSON_AddStringToObject(verdict, "reason", reason);
}

/* A verdict of the format that had true, false and null alone. */
static void take_former(cJSON *verdict, const struct kept *k, const cJSON *claim,
			const cJSON *former)
{
	const cJSON *holds = json_get(former, "holds");
	const char *said = cJSON_IsTrue(holds) ? "holds" : "fails";
	const char *doubt = cJSON_IsBool(holds) ? doubt_of(k, claim) : NULL;

	cJSON_AddTrueToObject(verdict, "former");
	if (doubt) {
		cJSON_AddStringToObject(verdict, "by_means", said);
		kept_claims_set(verdict, doubt == k->smoke ? "not evaluated" : "undecided", doubt);
	} else if (cJSON_IsBool(holds)) {
		kept_claims_set(verdict, said, "the former verdict; its runs are not kept");
	} else {
		kept_claims_set(verdict, "not evaluated", "not evaluated at this scale");
	}
}

static cJSON *kept_claims_carried(const struct kept *k, const cJSON *claim)
{
	static const char *const kept[] = { "interval", "by_means", "former", "shows", "error",
					    "reason", "warning" };
	const cJSON *former = former_of(k, claim);
	cJSON *verdict = claim_head(claim), *taken = cJSON_CreateObject();

	if (former && !json_get(former, "verdict"))
		take_former(taken, k, claim, former);
	else if (!former)
		kept_claims_set(taken, "not evaluated", "the kept results have no verdict on it");
	kept_claims_copy(verdict, taken, "verdict");
	kept_claims_copy(verdict, former, "verdict");
	claim_add_holds(verdict);
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		kept_claims_copy(verdict, taken, kept[i]);
		kept_claims_copy(verdict, former, kept[i]);
	}
	cJSON_Delete(taken);
	return verdict;
}

/* ---- where they are ---- */

/* What runs.json leaves out. */
static bool reads_more(const cJSON *claim)
{
	static const char *const words[] = { "train", "nodes", "wall_s", "gradient_wall_s",
					     "samples_per_wall_s", "gflop_per_wall_s", "tables" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (claim_reads(json_word(claim, "jq"), words[i]) ||
		    claim_reads(json_word(claim, "shows"), words[i]))
			return true;
	return false;
}

static cJSON *verdicts_of(const struct kept *k)
{
	const cJSON *spec = k->spec->json, *claim, *now = NULL;
	cJSON *tables = cJSON_CreateArray(), *all = cJSON_CreateArray(), *judged = NULL;

	if (k->runs) {
		judged = claims_check(spec, k->runs, tables,
				      json_word(k->runs->child, "scale"));
		now = judged->child;
	}
	cJSON_ArrayForEach(claim, json_get(spec, "claims")) {
		cJSON_AddItemToArray(all, now && !reads_more(claim) ?
						  cJSON_Duplicate(now, true) :
						  kept_claims_carried(k, claim));
		now = now ? now->next : NULL;
	}
	cJSON_Delete(judged);
	cJSON_Delete(tables);
	return all;
}

/* ---- files ---- */

static void add_accuracies(cJSON *runs, const cJSON *table)
{
	const cJSON *row;

	cJSON_ArrayForEach(row, json_get(table, "rows")) {
		const cJSON *head = json_get(table, "heads"), *cell;

		head = head ? head->child : NULL;
		cJSON_ArrayForEach(cell, json_get(row, "cells")) {
			const cJSON *value = json_get(cell, "measured");

			if (head &&
			    !strcmp(json_word(head, "measure"), "test_accuracy") &&
			    cJSON_IsNumber(value)) {
				cJSON *run = cJSON_CreateObject();

				cJSON_AddNumberToObject(run, "test_accuracy", value->valuedouble);
				cJSON_AddItemToArray(runs, run);
			}
			head = head ? head->next : NULL;
		}
	}
}

/* The accuracies of the kept tables, as if each were a run's. */
static char *smoke_of(const struct kept *k, int *ret)
{
	cJSON *runs = cJSON_CreateArray();
	const cJSON *entry;
	char *smoke;

	cJSON_ArrayForEach(entry, json_get(k->spec->json, "tables")) {
		char *file = xasprintf("tables/%s.json", json_word(entry, "name"));
		cJSON *table = kept_file(k->folder, k->name, file, ret);

		add_accuracies(runs, table);
		cJSON_Delete(table);
		free(file);
	}
	smoke = claim_smoke(k->spec->json, runs);
	cJSON_Delete(runs);
	return smoke;
}

static int write_claims(const struct kept *k)
{
	char *path = xasprintf("%s/%s/claims.json", k->folder, k->name), *text;
	cJSON *verdicts = verdicts_of(k);
	int ret;

	if (json_string(k->made, "made"))
		claims_check_dates(verdicts, json_string(k->made, "made"), k->spec->path);
	text = must_have(cJSON_Print(verdicts), "a text");
	ret = output_text(path, text);
	if (ret == 0)
		puts(path);
	cJSON_Delete(verdicts);
	free(text);
	free(path);
	return ret;
}

static int kept_read_files(const struct kept *k)
{
	char *dir = xasprintf("%s/%s", k->folder, k->name);
	const int ret = claims_read_files(k->spec->json, dir);

	free(dir);
	return ret;
}

static int judge_result(const char *folder, const char *name, struct spec *s)
{
	struct kept k = { .folder = folder, .name = name, .spec = s };
	cJSON *tuning;
	int ret = 0;

	k.claims = kept_file(folder, name, "claims.json", &ret);
	k.runs = kept_file(folder, name, "runs.json", &ret);
	k.made = kept_file(folder, name, "made.json", &ret);
	k.smoke = smoke_of(&k, &ret);
	cJSON_DeleteItemFromObjectCaseSensitive(s->json, TUNING_NAME);
	tuning = kept_file(folder, name, TUNING_NAME ".json", &ret);
	if (tuning)
		cJSON_AddItemToObject(s->json, TUNING_NAME, tuning);
	if (ret == 0)
		ret = kept_read_files(&k);
	if (ret == 0 && (k.claims || k.runs))
		ret = write_claims(&k);
	cJSON_Delete(k.made);
	cJSON_Delete(k.claims);
	cJSON_Delete(k.runs);
	free(k.smoke);
	return ret;
}

static int judge_experiment(const char *folder, char *const *names, const char *name)
{
	cJSON *results = kept_results(folder, names, name);
	const cJSON *result;
	struct spec s;
	int ret = results->child ? spec_load(&s, name, NULL) : 0;

	if (ret == 0)
		cJSON_ArrayForEach(result, results)
			ret = judge_result(folder, result->valuestring, &s) < 0 ? -1 : ret;
	if (results->child)
		spec_release(&s);
	cJSON_Delete(results);
	return ret;
}

int kept_claims_judge(const char *folder)
{
	char **names = spec_names(NULL);
	int ret = access(folder, R_OK | X_OK) < 0 ?
			  error("%s: no such folder of results", folder) : 0;

	for (size_t i = 0; ret == 0 && names[i]; i++)
		ret = judge_experiment(folder, names, names[i]);
	path_list_free(names);
	return ret;
}
