/* Kept results once more in the formats that are not kept: plots drawn, tables printed. */
#include "cmd/report/parts.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "core/text/utf8.h"
#include "core/text/word.h"
#include "report/plot/plot.h"
#include "report/report.h"
#include "report/table/table.h"
#include "core/file/output.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEEPEST = 8 };           /* folders within folders */

/* Draws a figure that is whole, and prints the path of its SVG. 1, or -1 after error(). */
static int figure_draw(const struct figure *f, const char *dir)
{
	cJSON *paths = figure_write(f, dir, "svg");
	const cJSON *path;

	if (!paths)
		return -1;
	cJSON_ArrayForEach(path, paths)
		if (word_ends(path->valuestring, ".svg"))
			utf8_puts(path->valuestring);
	cJSON_Delete(paths);
	return 1;
}

static int draw_plot_file(const char *dir, const char *path)
{
	cJSON *json = json_load(path);
	struct figure f;
	int ret;

	if (!json)
		return -1;
	ret = figure_load(&f, json, path) == 0 ? figure_draw(&f, dir) : -1;
	figure_release(&f);
	cJSON_Delete(json);
	return ret;
}

/* Draws those plots of the built-in experiment of kept runs whose numbers no file in dir has. */
static int draw_runs(const char *dir, const cJSON *runs)
{
	const char *name = json_word(runs->child, "experiment");
	char **names = spec_names(NULL);
	struct spec s;
	const cJSON *entry;
	size_t i = 0;
	int drawn = 0;

	while (names[i] && strcmp(names[i], name) != 0)
		i++;
	if (names[i] && spec_load_settings(&s, name, json_string(runs->child, "scale")) == 0) {
		cJSON_ArrayForEach(entry, json_get(s.json, "plots")) {
			char *path = xasprintf("%s/%s.json", dir, json_word(entry, "name"));
			struct figure f;
			int some = 0;

			if (drawn >= 0 && access(path, F_OK) != 0) {
				if (figure_build(&f, entry, s.json, runs))
					some = figure_draw(&f, dir);
				figure_release(&f);
			}
			drawn = some < 0 ? -1 : drawn + some;
			free(path);
		}
		spec_release(&s);
	} else if (names[i]) {
		drawn = -1;
	}
	path_list_free(names);
	return drawn;
}

/* Writes a table that is whole as text, Markdown and CSV. 0 or error(). */
static int print_table_file(const char *path)
{
	static const struct {
		const char *suffix;
		enum table_format format;
	} files[] = { { "txt", TABLE_TEXT }, { "md", TABLE_MARKDOWN }, { "csv", TABLE_CSV } };
	cJSON *table = json_load(path);
	int ret = table ? 0 : -1;

	if (table && !table_is_whole(table))
		ret = error("%s: not a whole table: heads, rows of as many cells and notes are "
			    "expected. Write it again with 'convoy run'.", path);
	for (size_t i = 0; ret == 0 && i < sizeof(files) / sizeof(files[0]); i++) {
		char *own = xasprintf("%.*s.%s", (int)(strlen(path) - strlen(".json")), path,
				      files[i].suffix);
		char *text = NULL;
		size_t n = 0;
		FILE *out = xmemstream(&text, &n);

		table_print_kept(table, files[i].format, out);
		xmemclose(out);
		ret = output_write(own, text, n);
		free(text);
		free(own);
	}
	cJSON_Delete(table);
	return ret;
}

/* Plots that were drawn there and below, or -1. */
static int draw_folder(const char *dir, int depth)
{
	const bool plots = !strcmp(path_base(dir), "plots");
	const bool tables = !strcmp(path_base(dir), "tables");
	char **paths;
	cJSON *runs;
	int drawn = 0;

	if (depth == DEEPEST)
		return 0;
	paths = dir_list(dir, "");
	if (!paths)
		return error("cannot read the folder '%s'", dir);
	for (char **path = paths; *path && drawn >= 0; path++) {
		const bool numbers = word_ends(*path, ".json");
		struct stat st;
		int some = 0;

		if (lstat(*path, &st) == 0)
			some = S_ISDIR(st.st_mode) ? draw_folder(*path, depth + 1) :
			       plots && numbers	   ? draw_plot_file(dir, *path) :
			       tables && numbers   ? print_table_file(*path) :
						     0;
		drawn = some < 0 ? -1 : drawn + some;
	}
	path_list_free(paths);
	runs = drawn < 0 ? NULL : kept_load(xasprintf("%s/runs.json", dir), &drawn);
	if (runs) {
		char *own = xasprintf("%s/plots", dir);
		const int some = draw_runs(own, runs);

		drawn = some < 0 ? -1 : drawn + some;
		free(own);
		cJSON_Delete(runs);
	}
	return drawn;
}

int report_again(const char *folder)
{
	const int drawn = draw_folder(folder, 0);

	if (drawn == 0)
		return error("%s: no plots there (expected PAPER/NAME/plots/*.json, or runs.json)",
			     folder);
	return drawn < 0 ? -1 : 0;
}
