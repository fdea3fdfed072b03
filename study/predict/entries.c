/* What is to be predicted: a list of algorithms, or an experiment's points. */
#include "study/predict/predict.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "plan/settings/values.h"
#include "runner/results/folder.h"

#include <stdlib.h>
#include <string.h>

static void predict_entries_add(struct entries *j, const char *name, cJSON *set)
{
	j->v = xrealloc(j->v, j->n + 1, sizeof(*j->v));
	j->v[j->n++] = (struct entry){ xstrdup(name), set };
}

void entries_release(struct entries *j)
{
	for (size_t i = 0; i < j->n; i++) {
		free(j->v[i].name);
		cJSON_Delete(j->v[i].set);
	}
	free(j->v);
	*j = (struct entries){ 0 };
}

/* ---- a list of algorithms ---- */

int entries_of_flags(struct entries *j, const cJSON *given)
{
	const cJSON *list = json_get(given, "algo"), *algo;
	cJSON *algos = values_of("algo", list ? list->valuestring : "allreduce", "command line");

	*j = (struct entries){ 0 };
	cJSON_ArrayForEach(algo, algos) {
		cJSON *set = cJSON_Duplicate(given, true);

		json_set_text(set, "algo", algo->valuestring);
		predict_entries_add(j, algo->valuestring, set);
	}
	cJSON_Delete(algos);
	return algos ? 0 : -1;
}

/* ---- an experiment ---- */

/*
 * What the command line gave without the cluster, which is of the simulated runs, and what makes an
 * experiment's points real runs: gradients are computed.
 */
static cJSON *as_real(const cJSON *given)
{
	static const struct {
		const char *key, *value;
	} all[] = { { "engine", "mpi" }, { "timing", "false" }, { "samples", "0" },
		    { "link", "auto" }, { "host_copy_s", "auto" }, { "update_s", "auto" },
		    { "shards", "1" }, { "sim_bucket", "0" }, { "allreduce", "whole" } };
	cJSON *set = cJSON_Duplicate(given, true);

	cJSON_DeleteItemFromObjectCaseSensitive(set, "cluster");
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!json_get(set, all[i].key))
			cJSON_AddStringToObject(set, all[i].key, all[i].value);
	return set;
}

/* Not how often it is evaluated, unless that was given: evaluation is not what is timed. */
static bool predict_entries_belongs(const char *key, const cJSON *given)
{
	static const char *const watching[] = { "eval_every", "eval_samples", "stat_batches",
						"train_every" };

	for (size_t i = 0; i < sizeof(watching) / sizeof(watching[0]); i++)
		if (strcmp(key, watching[i]) == 0)
			return cJSON_HasObjectItem(given, key);
	return true;
}

/* A point's settings as they were given, and its workers. */
static cJSON *predict_entries_settings_of(const struct setup *su, const cJSON *given)
{
	cJSON *set = cJSON_CreateObject();

	for (const struct opt *o = settings_opts; o->name; o++) {
		char *text = opt_format(o, &su->in);

		if (text && *text && predict_entries_belongs(o->name, given))
			cJSON_AddStringToObject(set, o->name, text);
		free(text);
	}
	json_set_text(set, "workers", setup_text(su, "workers"));
	json_set_text(set, "cluster", json_string(given, "cluster"));
	return set;
}

int entries_of_experiment(struct entries *j, const struct predict_conf *c, const char *experiment,
		       const cJSON *given)
{
	cJSON *set = as_real(given);
	const struct plan_request request = { .experiment = experiment, .scale = c->scale,
					      .only = c->only, .set = set,
					      .out = results_folder(c->out) };
	struct plan plan;
	const int ret = plan_make(&plan, &request);

	*j = (struct entries){ 0 };
	for (size_t i = 0; ret == 0 && i < plan.n; i++)
		if (plan.runs[i].same_as == i)
			predict_entries_add(
				j, *plan.runs[i].label ? plan.runs[i].label : plan.spec.name,
				predict_entries_settings_of(&plan.runs[i].su, given));
	plan_release(&plan);
	cJSON_Delete(set);
	return ret;
}
