/* Plots of several quantities: each has a panel of its own, with its own y axis. */
#include "plan/spec/spec.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool has_plot(const cJSON *plots, const char *name)
{
	const cJSON *plot;

	cJSON_ArrayForEach(plot, plots)
		if (strcmp(json_string(plot, "name"), name) == 0)
			return true;
	return false;
}

/* Takes name over. */
static cJSON *panel_of(const cJSON *plot, char *name, const cJSON *y)
{
	cJSON *panel = cJSON_Duplicate(plot, true);

	cJSON_ReplaceItemInObjectCaseSensitive(panel, "name", cJSON_CreateString(name));
	cJSON_ReplaceItemInObjectCaseSensitive(panel, "y", cJSON_Duplicate(y, true));
	free(name);
	return panel;
}

static int add_panels(cJSON *split, const cJSON *plots, const cJSON *plot, const char *path)
{
	const cJSON *list = json_get(plot, "y"), *y;
	int i = 0;

	if (list->child->next && json_get(plot, "ylabel"))
		return error("%s: plots: %s: 'ylabel' is of one quantity, and 'y' has several. "
			     "Leave it out: each has a plot of its own, with the name and the unit "
			     "of the measure", path, json_string(plot, "name"));
	cJSON_ArrayForEach(y, list) {
		char *name = list->child->next ? xasprintf("%s-%d", json_string(plot, "name"), ++i)
					       : xstrdup(json_string(plot, "name"));

		if (i && has_plot(plots, name)) {
			error("%s: plots: the name '%s' is taken, and a plot with several 'y' "
			      "needs it. Rename one of them", path, name);
			free(name);
			return -1;
		}
		cJSON_AddItemToArray(split, panel_of(plot, name, y));
	}
	return 0;
}

int spec_split_panels(cJSON *spec, const char *path)
{
	const cJSON *plots = json_get(spec, "plots"), *plot;
	cJSON *split = plots ? cJSON_CreateArray() : NULL;

	cJSON_ArrayForEach(plot, plots) {
		if (!cJSON_IsArray(json_get(plot, "y"))) {
			cJSON_AddItemToArray(split, cJSON_Duplicate(plot, true));
		} else if (add_panels(split, plots, plot, path) < 0) {
			cJSON_Delete(split);
			return -1;
		}
	}
	if (split)
		cJSON_ReplaceItemInObjectCaseSensitive(spec, "plots", split);
	return 0;
}
