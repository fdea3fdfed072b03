/* The kept plots of an experiment on the page of Markdown of its paper. */
#include "cmd/report/md_paper.h"

#include "cmd/report/parts.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "core/text/word.h"
#include "plan/plan.h"
#include "report/text/escape.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAGE_PLOTS = 8 };        /* pictures of a result on a page; a link leads to the others */

/* Whether DIR/NAME has such a file, or one that is packed. */
static bool has_file(const char *dir, const char *name)
{
	char *path = xasprintf("%s/%s", dir, name), *packed = xasprintf("%s.gz", path);
	const bool found = access(path, F_OK) == 0 || access(packed, F_OK) == 0;

	free(path);
	free(packed);
	return found;
}

static bool has_plot(const char *dir, const char *name, const char *suffix)
{
	char *file = xasprintf("plots/%s%s", name, suffix);
	const bool found = has_file(dir, file);

	free(file);
	return found;
}

/* {name: title} of the spec's plots that are kept, or that `report --plots` draws from runs. */
static void add_spec_plots(cJSON *plots, const struct spec *s, const char *dir)
{
	const bool runs = has_file(dir, "runs.json");
	const cJSON *plot;

	cJSON_ArrayForEach(plot, json_get(s->json, "plots")) {
		const char *name = json_word(plot, "name");

		if (runs || has_plot(dir, name, ".svg") || has_plot(dir, name, ".json"))
			json_set_text(plots, name, json_word(plot, "title"));
	}
}

static void add_tuning_plots(cJSON *plots, const char *dir)
{
	char *folder = xasprintf("%s/plots", dir), **paths = dir_list(folder, "");

	for (char **path = paths; path && *path; path++) {
		char *name = *path + strlen(folder) + 1;

		if (strncmp(name, TUNING_NAME, strlen(TUNING_NAME)) == 0 &&
		    (word_ends(name, ".svg") || word_ends(name, ".json"))) {
			*strrchr(name, '.') = '\0';
			json_set_text(plots, name, "");
		}
	}
	path_list_free(paths);
	free(folder);
}

/* The title is that of the kept numbers, else of the spec, else the name. */
static int put_plot(const struct page *p, const char *result, const cJSON *entry)
{
	const char *name = entry->string, *title = entry->valuestring;
	char *file = xasprintf("plots/%s.json", name);
	char *picture = xasprintf("%s/plots/%s.svg", result, name);
	char *way = report_md_way(p, picture);
	int ret = 0;
	cJSON *plot = kept_file(p->of->folder, result, file, &ret);

	if (plot)
		title = json_word(plot, "title");
	fputs("\n![", p->f);
	escape_markdown(*title ? title : name, p->f);
	fprintf(p->f, "](%s)\n", way);
	cJSON_Delete(plot);
	free(way);
	free(picture);
	free(file);
	return ret;
}

int report_md_plots(const struct page *p, const char *result, const struct spec *s)
{
	char *dir = xasprintf("%s/%s", p->of->folder, result);
	cJSON *plots = cJSON_CreateObject();
	const cJSON *plot;
	int shown = 0, ret = 0;

	add_spec_plots(plots, s, dir);
	add_tuning_plots(plots, dir);
	cJSON_ArrayForEach(plot, plots)
		if (shown < PAGE_PLOTS && has_plot(dir, plot->string, ".svg")) {
			shown++;
			ret = put_plot(p, result, plot) < 0 ? -1 : ret;
		}
	if (cJSON_GetArraySize(plots) > shown) {
		char *folder = xasprintf("%s/plots", result), *way = report_md_way(p, folder);

		fprintf(p->f, "\nMore plots: [%s](%s), drawn by `convoy report --plots`\n", folder,
			way);
		free(way);
		free(folder);
	}
	cJSON_Delete(plots);
	free(dir);
	return ret;
}
