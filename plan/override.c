/* How a command line overrides a spec. */
#include "plan/plan.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "plan/spec/spec.h"
#include "plan/tuning.h"

#include <stdlib.h>

static bool override_has_data(const cJSON *entry)
{
	const char *net = json_string(json_get(entry, "where"), "net");

	return !net || !model_is_analytic(net);
}

/* A title says which data set it was, when it is not the spec's. */
static void override_retitle(struct plan *p, const char *section)
{
	cJSON *entry;

	cJSON_ArrayForEach(entry, json_get(p->spec.json, section)) {
		cJSON *title = json_get(entry, "title");
		cJSON *name = json_get(entry, "name");

		if (override_has_data(entry))
			json_set_owned(entry, "title",
				       xasprintf("%s; data: %s",
						 cJSON_GetStringValue(title ? title : name),
						 p->changes.data));
	}
}

/* The settings of the command line: one value is of every run, several are an axis of the grid. */
static int lay_settings(struct plan *p, const cJSON *set)
{
	cJSON *one = cJSON_CreateObject();
	const int ret = plan_sweep(p, set, one);

	if (ret == 0)
		spec_set(&p->spec, one);
	cJSON_Delete(one);
	return ret;
}

int plan_override(struct plan *p, const struct plan_request *r)
{
	char *suffix;

	p->set = r->set ? cJSON_Duplicate(r->set, true) : NULL;
	if (changes_find(&p->changes, &p->spec, r->set) < 0)
		return -1;
	suffix = changes_suffix(&p->changes);
	p->dir = xasprintf("%s/%s/%s%s", r->out, p->spec.name, p->spec.scale, suffix);
	p->folder = xasprintf("%s/runs", p->dir);
	free(suffix);
	simulator_only_drop(&p->spec, r->set);
	if (tuning_leave_out(p, r->set) < 0 || lay_settings(p, r->set) < 0)
		return -1;
	if (p->changes.settings)
		cJSON_DeleteItemFromObjectCaseSensitive(p->spec.json, "published");
	plan_expand_words(p);
	if (p->changes.data) {
		override_retitle(p, "tables");
		override_retitle(p, "plots");
	}
	return 0;
}
