/* The kept plots of an experiment on the page of Markdown of its paper. */
#include "cmd/report/md_paper.h"

#include "cmd/report/parts.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "plan/plan.h"
#include "report/text/escape.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAGE_PLOTS = 8 };        /* pictures of a result on a page; the others are counted */

static void add_spec_plots(cJSON *names, const struct spec *s, const char *dir)
{
	const cJSON *plot;

	cJSON_ArrayForEach(plot, json_get(s->json, "plots")) {
		char *path = xasprintf("%s/%s.svg", dir, json_word(plot, "name"));

		if (access(path, F_OK) == 0)
			json_names_add(names, json_word(plot, "name"));
		free(path);
	}
}

static void add_tuning_plots(cJSON *names, const char *dir)
{
	char **paths = dir_list(dir, ".svg");

	for (char **path = paths; path && *path; path++) {
		const char *base = path_base(*path);

		if (strncmp(base, TUNING_NAME, strlen(TUNING_NAME)) == 0) {
			(*path)[strlen(*path) - strlen(".svg")] = '\0';
			json_names_add(names, base);
		}
	}
	path_list_free(paths);
}

static int put_plot(const struct page *p, const char *result, const char *name)
{
	char *file = xasprintf("plots/%s.json", name);
	char *picture = xasprintf("%s/plots/%s.svg", result, name);
	char *way = report_md_way(p, picture);
	int ret = 0;
	cJSON *plot = kept_file(p->of->folder, result, file, &ret);
	const char *title = json_word(plot, "title");

	fputs("\n![", p->f);
	escape_markdown(*title ? title : name, p->f);
	fprintf(p->f, "](%s)\n", way);
	cJSON_Delete(plot);
	free(way);
	free(picture);
	free(file);
	return ret;
}

static void put_rest(const struct page *p, const char *result, int rest)
{
	char *folder = xasprintf("%s/plots", result), *way = report_md_way(p, folder);

	fprintf(p->f, "\n%d more plot%s: [%s](%s)\n", rest, rest == 1 ? "" : "s", folder, way);
	free(way);
	free(folder);
}

int report_md_plots(const struct page *p, const char *result, const struct spec *s)
{
	char *dir = xasprintf("%s/%s/plots", p->of->folder, result);
	cJSON *names = cJSON_CreateObject();
	const cJSON *name;
	int n = 0, ret = 0;

	add_spec_plots(names, s, dir);
	add_tuning_plots(names, dir);
	cJSON_ArrayForEach(name, names)
		if (n++ < PAGE_PLOTS && put_plot(p, result, name->string) < 0)
			ret = -1;
	if (n > PAGE_PLOTS)
		put_rest(p, result, n - PAGE_PLOTS);
	cJSON_Delete(names);
	free(dir);
	return ret;
}
