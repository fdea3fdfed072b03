/* Plots of kept results, drawn again from their numbers. */
#include "cmd/report/parts.h"

#include "core/base/error.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "core/text/utf8.h"
#include "core/text/word.h"
#include "report/plot/plot.h"

#include <string.h>
#include <sys/stat.h>

enum { DEEPEST = 8 };           /* folders within folders */

static void print_pictures(const cJSON *paths)
{
	const cJSON *path;

	cJSON_ArrayForEach(path, paths)
		if (word_ends(path->valuestring, ".svg"))
			utf8_puts(path->valuestring);
}

static int draw_file(const char *dir, const char *path)
{
	cJSON *json = json_load(path), *paths = NULL;
	struct figure f;

	if (!json)
		return -1;
	if (figure_load(&f, json, path) == 0)
		paths = figure_write(&f, dir, "svg");
	print_pictures(paths);
	figure_release(&f);
	cJSON_Delete(json);
	if (!paths)
		return -1;
	cJSON_Delete(paths);
	return 1;
}

/* Plots that were drawn there and below, or -1. */
static int draw_folder(const char *dir, int depth)
{
	const char *slash = strrchr(dir, '/');
	const bool plots = !strcmp(slash ? slash + 1 : dir, "plots");
	char **paths;
	int drawn = 0;

	if (depth == DEEPEST)
		return 0;
	paths = dir_list(dir, "");
	if (!paths)
		return error("cannot read the folder '%s'", dir);
	for (char **path = paths; *path && drawn >= 0; path++) {
		struct stat st;
		int some = 0;

		if (lstat(*path, &st) == 0)
			some = S_ISDIR(st.st_mode) ? draw_folder(*path, depth + 1) :
			       plots && word_ends(*path, ".json") ? draw_file(dir, *path) : 0;
		drawn = some < 0 ? -1 : drawn + some;
	}
	path_list_free(paths);
	return drawn;
}

int report_again(const char *folder)
{
	const int drawn = draw_folder(folder, 0);

	if (drawn == 0)
		return error("%s: no plots there (expected PAPER/NAME/plots/*.json)", folder);
	return drawn < 0 ? -1 : 0;
}
