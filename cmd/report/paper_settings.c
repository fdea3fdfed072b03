/* Settings of an experiment that are not those of the paper. */
#include "cmd/report/parts.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "plan/settings/settings.h"
#include "plan/spec/tune.h"

#include <stdlib.h>
#include <string.h>

/* What a run has whose product of the grid lacks the setting. The caller frees. */
static char *usual_text(const struct spec *s, const char *key)
{
	const char *usual = opt_find(settings_opts, key)->def;

	if (spec_tune_has(s->tune, key))
		return xstrdup("tuned");
	if (json_get(s->base, key))
		return json_text(json_get(s->base, key));
	return xstrdup(usual ? usual : "");
}

static void add_owned(cJSON *set, char *text)
{
	json_names_add(set, text);
	free(text);
}

/* All values of a setting, as the spec has it with its scale applied. The caller frees. */
static char *setting_text(const struct spec *s, const char *key)
{
	cJSON *set = cJSON_CreateObject();
	const cJSON *product, *value;
	char *text;

	cJSON_ArrayForEach(product, s->grid)
		if (!json_get(product, key))
			add_owned(set, usual_text(s, key));
	cJSON_ArrayForEach(product, s->grid)
		cJSON_ArrayForEach(value, json_get(product, key))
			add_owned(set, json_text(value));
	text = json_names_text(set);
	cJSON_Delete(set);
	return text;
}

static cJSON *differences_of(const struct spec *paper, const struct spec *here)
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
	list = differences_of(&paper, s);
	spec_release(&paper);
	return list;
}
