/* Verdicts of kept results, judged again by the specs as they are now. */
#include "cmd/report/parts.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/output.h"
#include "core/file/paths.h"
#include "plan/plan.h"
#include "report/claims/claims.h"
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct kept {                   /* of one result */
	const char *folder, *name;
	const struct spec *spec;
	struct verdicts *former;        /* owned */
	cJSON *runs, *made;     /* owned; NULL: not kept */
	char *smoke;            /* claims_smoke() of the kept tables; owned */
};

/* ---- where the runs are not kept ---- */

static const struct verdict *former_of(const struct kept *k, const struct claim *claim)
{
	for (size_t i = 0; i < k->former->n; i++) {
		const char *says = k->former->v[i].of.says;

		if (!strcmp(says ? says : "", claim->says ? claim->says : ""))
			return &k->former->v[i];
	}
	return NULL;
}

/* Why a verdict without an interval decides nothing now; NULL: it does. */
static const char *doubt_of(const struct kept *k, const struct claim *c)
{
	const cJSON *base = k->spec->base;
	const bool timing = cJSON_IsTrue(json_get(base, "timing")) ||
			    !strcmp(json_word(base, "timing"), "true");
	const bool real = !strcmp(json_word(base, "engine"), "mpi");
	const bool learnt = claim_is_learnt(c) && !timing;

	if (claim_is_constructed(c) || (!learnt && !claim_is_timed(c, real)))
		return NULL;
	return learnt && k->smoke ? k->smoke :
			  "the former verdict has no interval, and its runs are not kept";
}

/* The former verdict on a claim that cannot be judged now. */
static void verdict_carry(struct verdict *v, const struct kept *k)
{
	const struct verdict *former = former_of(k, &v->of);
	const char *reason = NULL, *doubt;

	if (!former) {
		v->word = "not evaluated";
		v->reason = xstrdup("the kept results have no verdict on it");
		return;
	}
	v->word = former->word;
	v->by_means = former->by_means;
	v->former = former->former;
	if (!v->word) {                 /* of the format that had true, false and null alone */
		doubt = former->held ? doubt_of(k, &v->of) : NULL;
		v->former = true;
		v->word = !former->held ? "not evaluated" : !doubt ? former->held :
			  doubt == k->smoke ? "not evaluated" : "undecided";
		v->by_means = doubt ? former->held : v->by_means;
		reason = doubt ? doubt : former->held ?
			 "the former verdict; its runs are not kept" : "not evaluated at this scale";
	}
	reason = reason ? reason : former->reason;
	v->reason = reason ? xstrdup(reason) : NULL;
	v->error = former->error ? xstrdup(former->error) : NULL;
	v->warning = former->warning ? xstrdup(former->warning) : NULL;
	v->interval = cJSON_Duplicate(former->interval, true);
	v->shows = cJSON_Duplicate(former->shows, true);
}

/* ---- where they are ---- */

/* Whether the claim reads what runs.json leaves out. */
static bool reads_more(const struct claim *c)
{
	static const char *const words[] = { "train", "nodes", "wall_s", "gradient_wall_s",
					     "samples_per_wall_s", "gflop_per_wall_s", "tables" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (claim_reads(c, words[i]))
			return true;
	return false;
}

static struct verdicts *verdicts_of(const struct kept *k)
{
	const cJSON *spec = k->spec->json;
	cJSON *tables = cJSON_CreateArray();
	struct verdicts *all = k->runs ? claims_judge(spec, k->runs, tables,
						      json_word(k->runs->child, "scale")) :
					 verdicts_new(json_get(spec, "claims"));

	for (size_t i = 0; i < all->n; i++)
		if (!k->runs || reads_more(&all->v[i].of)) {
			verdict_clear(&all->v[i]);
			verdict_carry(&all->v[i], k);
		}
	cJSON_Delete(tables);
	return all;
}

/* ---- files ---- */

/* The best accuracy of the kept tables; NaN: they have none. */
static double best_accuracy(const struct kept *k, int *ret)
{
	const cJSON *entry, *row, *cell;
	double best = (double)NAN;

	cJSON_ArrayForEach(entry, json_get(k->spec->json, "tables")) {
		char *file = xasprintf("tables/%s.json", json_word(entry, "name"));
		cJSON *table = kept_file(k->folder, k->name, file, ret);

		cJSON_ArrayForEach(row, json_get(table, "rows")) {
			const cJSON *heads = json_get(table, "heads");
			const cJSON *head = heads ? heads->child : NULL;

			cJSON_ArrayForEach(cell, json_get(row, "cells")) {
				if (head && !strcmp(json_word(head, "measure"), "test_accuracy"))
					best = fmax(best, json_number(cell, "measured"));
				head = head ? head->next : NULL;
			}
		}
		cJSON_Delete(table);
		free(file);
	}
	return best;
}

static int write_claims(const struct kept *k)
{
	char *path = xasprintf("%s/%s/claims.json", k->folder, k->name), *text;
	struct verdicts *all = verdicts_of(k);
	cJSON *json;
	int ret;

	if (json_string(k->made, "made"))
		verdicts_check_dates(all, json_string(k->made, "made"), k->spec->path);
	json = verdicts_json(all);
	text = must_have(cJSON_Print(json), "a text");
	ret = output_text(path, text);
	if (ret == 0)
		puts(path);
	cJSON_Delete(json);
	verdicts_free(all);
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
	cJSON *tuning, *claims;
	int ret = 0;

	claims = kept_file(folder, name, "claims.json", &ret);
	k.former = verdicts_read(claims);
	k.runs = kept_file(folder, name, "runs.json", &ret);
	k.made = kept_file(folder, name, "made.json", &ret);
	k.smoke = claims_smoke(s->json, best_accuracy(&k, &ret));
	cJSON_DeleteItemFromObjectCaseSensitive(s->json, TUNING_NAME);
	tuning = kept_file(folder, name, TUNING_NAME ".json", &ret);
	if (tuning)
		cJSON_AddItemToObject(s->json, TUNING_NAME, tuning);
	if (ret == 0)
		ret = kept_read_files(&k);
	if (ret == 0 && (claims || k.runs))
		ret = write_claims(&k);
	cJSON_Delete(k.made);
	verdicts_free(k.former);
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
