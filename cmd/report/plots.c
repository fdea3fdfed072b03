/* Draws an experiment's plots and lists the files that its report shows. */
#include "cmd/report/parts.h"

#include "cmd/common.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "runner/results/outcome.h"

#include <stdlib.h>
#include <string.h>

static bool is_listed(const cJSON *paths, const char *dir, const char *name, const char *suffix)
{
	char *wanted = xasprintf("%s/plots/%s%s", dir, name, suffix);
	const cJSON *path;
	bool found = false;

	cJSON_ArrayForEach(path, paths)
		found = found || strcmp(path->valuestring, wanted) == 0;
	free(wanted);
	return found;
}

/* One that was not drawn has no "svg". */
static void add_plot(cJSON *list, const cJSON *plot, const char *dir, bool drawn)
{
	const char *name = json_word(plot, "name"), *title = json_word(plot, "title");
	cJSON *picture = cJSON_CreateObject();
	char *caption = xasprintf("plots/%s.gp draws it from plots/%s.dat", name, name);
	char *svg = xasprintf("%s/plots/%s.svg", dir, name);

	cJSON_AddStringToObject(picture, "title", *title ? title : name);
	cJSON_AddStringToObject(picture, "caption", caption);
	if (drawn)
		cJSON_AddStringToObject(picture, "svg", svg);
	cJSON_AddItemToArray(list, picture);
	free(caption);
	free(svg);
}

cJSON *report_plots(const struct plan *p, const struct outcome *o)
{
	cJSON *paths = draw_plots(p, o, NULL, "svg"), *list = cJSON_CreateArray();
	cJSON *plots = plots_of(p);
	const cJSON *plot;

	cJSON_ArrayForEach(plot, plots) {
		const char *name = json_word(plot, "name");

		if (!paths || is_listed(paths, p->dir, name, ".gp"))
			add_plot(list, plot, p->dir, is_listed(paths, p->dir, name, ".svg"));
	}
	cJSON_Delete(plots);
	cJSON_Delete(paths);
	return list;
}
