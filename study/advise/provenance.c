/* What an answer is of: the program, the settings, seeds, what is uncertain and what is assumed. */
#include "study/advise/advise.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "plan/machine/machine.h"
#include "record/environ.h"

#include <string.h>

/* True of a setting that each run has of its own. */
static bool provenance_is_own(const struct advise *a, const char *key)
{
	static const char *const own[] = { "algo", "seed", "gradients", "time_from" };

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (strcmp(key, own[i]) == 0)
			return !json_get(a->settings, key);
	return a->vary.kind->setting && strcmp(key, a->vary.kind->name) == 0;
}

/* The settings without what is varied, as given: with their uncertain numbers. */
static void provenance_fill(const struct advise *a, const struct setup *su, cJSON *all)
{
	cJSON *varied = vary_apply(&a->vary, a->settings, a->vary.lo);
	const cJSON *text;

	for (size_t i = 0; i < su->ncanonical; i++)
		if (!json_get(varied, su->canonical[i].key))
			json_set_text(all, su->canonical[i].key, su->canonical[i].value);
	cJSON_ArrayForEach(text, a->settings)
		json_set_text(all, text->string, text->valuestring);
	for (const cJSON *next = NULL, *item = all->child; item; item = next) {
		next = item->next;
		if (provenance_is_own(a, item->string))
			cJSON_DeleteItemFromObjectCaseSensitive(all, item->string);
	}
	cJSON_Delete(varied);
}

void provenance_note(struct advise *a, const struct setup *su)
{
	a->every_setting = cJSON_CreateObject();
	provenance_fill(a, su, a->every_setting);
	a->assumed = assumed_json(su);
}

char *provenance_text(const struct advise *a)
{
	char *line = xstrdup("Simulated:");
	const unsigned long long first = a->centre.seed, last = first + a->ndraws - 1;
	const cJSON *text;

	cJSON_ArrayForEach(text, a->settings)
		if (!provenance_is_own(a, text->string) && strcmp(text->string, "timing") != 0)
			xappend_own(&line, " ",
				    xasprintf("%s=%s", text->string, text->valuestring));
	xappend_own(&line, " ", last > first ? xasprintf("seed=%llu..%llu", first, last)
					     : xasprintf("seed=%llu", first));
	return line;
}

static void provenance_add_program(cJSON *json)
{
	static const char *const names[] = { "version", "commit" };
	cJSON *facts = environ_facts();

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		cJSON_AddStringToObject(json, names[i], json_word(facts, names[i]));
	cJSON_Delete(facts);
}

void provenance_add(const struct advise *a, cJSON *json)
{
	cJSON *list;

	provenance_add_program(json);
	cJSON_AddItemToObject(json, "settings", cJSON_Duplicate(a->every_setting, true));
	cJSON_AddItemToObject(json, "assumed", cJSON_Duplicate(a->assumed, true));
	cJSON_AddNumberToObject(json, "seed", (double)a->centre.seed);
	list = cJSON_AddArrayToObject(json, "uncertain");
	for (size_t i = 0; i < a->uncertain.n; i++) {
		cJSON *value = cJSON_CreateObject();

		cJSON_AddStringToObject(value, "value", a->uncertain.v[i].name);
		cJSON_AddNumberToObject(value, "mean", a->uncertain.v[i].mean);
		cJSON_AddNumberToObject(value, "deviation", a->uncertain.v[i].sd);
		cJSON_AddItemToArray(list, value);
	}
	if (a->model_error == SIZE_MAX)
		cJSON_AddNullToObject(json, "model_error");
	else
		cJSON_AddNumberToObject(json, "model_error", a->uncertain.v[a->model_error].sd);
}
