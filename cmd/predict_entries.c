/*
 * predict_entries.c - what is to be predicted: a list of algorithms, or an experiment's points.
 */
#include "cmd/predict.h"

#include "algos/algos.h"
#include "cmd/common.h"
#include "core/error.h"
#include "core/mem.h"
#include "core/node.h"

#include <stdlib.h>
#include <string.h>

static void add(struct entries *j, const char *name, cJSON *set)
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

static bool is_algo(const char *word, size_t length)
{
	const size_t n = strcspn(word, ":");

	for (const struct plugin *const *a = algo_table; *a; a++)
		if (n <= length && strlen((*a)->name) == n && strncmp((*a)->name, word, n) == 0)
			return true;
	return false;
}

/*
 * "allreduce,d-psgd:overlap=true,asgd" -> the algorithms, NULL-ended; commas between the options
 * of one are told from those between two by what follows. The caller frees all.
 */
static char **algos_split(const char *list)
{
	char **algos = xcalloc(strlen(list) + 2, sizeof(*algos));
	size_t n = 0;

	for (;;) {
		const size_t length = strcspn(list, ",");

		if (n && strchr(algos[n - 1], ':') && !is_algo(list, length)) {
			char *longer = xasprintf("%s,%.*s", algos[n - 1], (int)length, list);

			free(algos[n - 1]);
			algos[n - 1] = longer;
		} else {
			algos[n++] = xasprintf("%.*s", (int)length, list);
		}
		if (!list[length])
			return algos;
		list += length + 1;
	}
}

static void algos_free(char **algos)
{
	for (size_t i = 0; algos[i]; i++)
		free(algos[i]);
	free(algos);
}

void entries_of_flags(struct entries *j, const cJSON *given)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(given, "algo");
	char **algos = algos_split(list ? list->valuestring : "allreduce");

	*j = (struct entries){ 0 };
	for (size_t i = 0; algos[i]; i++) {
		cJSON *set = cJSON_Duplicate(given, true);

		set_text(set, "algo", algos[i]);
		add(j, algos[i], set);
	}
	algos_free(algos);
}

/* ---- an experiment ---- */

/*
 * What the command line gave, and what makes a simulated experiment's points real runs: the
 * machine is the cluster's, and gradients are computed.
 */
static cJSON *as_real(const cJSON *given)
{
	static const struct {
		const char *key, *value;
	} all[] = { { "engine", "mpi" }, { "timing", "false" }, { "samples", "0" },
		    { "link", "auto" }, { "handoff_s", "auto" }, { "update_s", "auto" },
		    { "allreduce", "whole" } };
	cJSON *set = cJSON_Duplicate(given, true);

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!cJSON_GetObjectItemCaseSensitive(set, all[i].key))
			cJSON_AddStringToObject(set, all[i].key, all[i].value);
	return set;
}

/* Not how often it is evaluated, unless that was given: evaluation is not what is timed. */
static bool belongs(const char *key, const cJSON *given)
{
	static const char *const watching[] = { "eval_every", "eval_samples", "stat_batches",
						"train_every" };

	for (size_t i = 0; i < sizeof(watching) / sizeof(watching[0]); i++)
		if (strcmp(key, watching[i]) == 0)
			return cJSON_HasObjectItem(given, key);
	return true;
}

/* A point's settings as they were given, and its workers. */
static cJSON *settings_of(const struct setup *su, const cJSON *given)
{
	cJSON *set = cJSON_CreateObject();

	for (const struct opt *o = settings_opts; o->name; o++) {
		char *text = opt_format(o, &su->in);

		if (text && *text && belongs(o->name, given))
			cJSON_AddStringToObject(set, o->name, text);
		free(text);
	}
	set_text(set, "workers", setup_text(su, "workers"));
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
		if (plan.runs[i].twin == i)
			add(j, *plan.runs[i].label ? plan.runs[i].label : plan.spec.name,
			    settings_of(&plan.runs[i].su, given));
	plan_release(&plan);
	cJSON_Delete(set);
	return ret;
}
