/*
 * plan_lay.c - what a command line lays over a spec.
 */
#include "cmd/plan.h"

#include "cmd/simulated.h"
#include "cmd/values.h"
#include "core/mem.h"

#include <stdlib.h>
#include <string.h>

/* Every title says which data set it was, when it is not the spec's. */
static void retitle(struct plan *p)
{
	cJSON *tables = cJSON_GetObjectItemCaseSensitive(p->spec.json, "tables"), *table;

	cJSON_ArrayForEach(table, tables) {
		cJSON *title = cJSON_GetObjectItemCaseSensitive(table, "title");
		cJSON *name = cJSON_GetObjectItemCaseSensitive(table, "name");
		char *text = xasprintf("%s; data: %s", cJSON_GetStringValue(title ? title : name),
				       p->changes.data);

		cJSON_DeleteItemFromObjectCaseSensitive(table, "title");
		cJSON_AddStringToObject(table, "title", text);
		free(text);
	}
}

/* Several seeds ("1,2,3", "1..5") are a list of the grid. 0 or error(). */
static int lay_seeds(struct spec *s, const char *text)
{
	cJSON *texts = values_of("seed", text, "command line"), *seeds;
	const cJSON *seed;

	if (!texts)
		return -1;
	seeds = cJSON_CreateArray();
	cJSON_ArrayForEach(seed, texts)
		cJSON_AddItemToArray(seeds, cJSON_CreateNumber(strtod(seed->valuestring, NULL)));
	spec_set_seeds(s, seeds);
	cJSON_Delete(seeds);
	cJSON_Delete(texts);
	return 0;
}

/* The settings of the command line, each with the one value of every run, or with seeds. */
static int lay_settings(struct spec *s, const cJSON *set)
{
	const char *seed = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(set, "seed"));
	cJSON *rest;
	int ret;

	if (!seed || (!strchr(seed, ',') && !strstr(seed, ".."))) {
		spec_set(s, set);
		return 0;
	}
	rest = cJSON_Duplicate(set, true);
	cJSON_DeleteItemFromObjectCaseSensitive(rest, "seed");
	spec_set(s, rest);
	ret = lay_seeds(s, seed);
	cJSON_Delete(rest);
	return ret;
}

int plan_lay(struct plan *p, const struct plan_request *r)
{
	char *suffix;

	p->set = r->set ? cJSON_Duplicate(r->set, true) : NULL;
	if (changes_find(&p->changes, &p->spec, r->set) < 0)
		return -1;
	suffix = changes_suffix(&p->changes);
	p->dir = xasprintf("%s/%s/%s%s", r->out, p->spec.name, p->spec.scale, suffix);
	p->folder = xasprintf("%s/runs", p->dir);
	free(suffix);
	simulated_drop(&p->spec, r->set);
	if (lay_settings(&p->spec, r->set) < 0)
		return -1;
	if (p->changes.settings)
		cJSON_DeleteItemFromObjectCaseSensitive(p->spec.json, "published");
	plan_expand_words(p);
	if (p->changes.data)
		retitle(p);
	return 0;
}
