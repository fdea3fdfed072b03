/* Collects name, title and scales of every experiment and prints them as a list. */
#include "cmd/list/list.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "core/text/wrap.h"

#include <stdio.h>
#include <stdlib.h>

static cJSON *scales_of(const cJSON *spec)
{
	cJSON *list = cJSON_CreateArray();
	const cJSON *scale;

	cJSON_ArrayForEach(scale, json_get(spec, "scales")) {
		cJSON *item = cJSON_CreateObject();

		cJSON_AddStringToObject(item, "name", scale->string);
		json_add_text(item, "time", json_string(scale, "time"));
		json_add_text(item, "about", json_string(scale, "about"));
		cJSON_AddItemToArray(list, item);
	}
	return list;
}

static void add_experiment(cJSON *list, const char *name)
{
	char *path = path_find("experiments", name);
	cJSON *spec = path ? json_load(path) : NULL;
	cJSON *item = cJSON_CreateObject();

	cJSON_AddStringToObject(item, "name", name);
	json_add_text(item, "brief", json_string(spec, "title"));
	json_add_text(item, "paper", json_string(spec, "paper"));
	json_add_text(item, "figure", json_string(spec, "figure"));
	cJSON_AddItemToObject(item, "scales", scales_of(spec));
	if (spec)
		cJSON_AddItemToArray(list, item);
	else
		cJSON_Delete(item);
	cJSON_Delete(spec);
	free(path);
}

cJSON *list_experiments(void)
{
	char **names = path_list("experiments");
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; names[i]; i++)
		add_experiment(list, names[i]);
	path_list_free(names);
	return list;
}

/* "smoke (20 s), laptop (40 min), paper" in an indented line. */
static void print_scales(const cJSON *scales)
{
	char *line = xstrdup("scales:");
	const cJSON *scale;

	cJSON_ArrayForEach(scale, scales) {
		const char *time = json_string(scale, "time");

		xappend_own(&line, scale == scales->child ? " " : ", ",
			xasprintf("%s%s%s%s", json_string(scale, "name"), time ? " (" : "",
				  time ? time : "", time ? ")" : ""));
	}
	if (scales->child) {
		printf("    ");
		wrap_print(line, 4, 12, HELP_COLUMNS, stdout);
	}
	free(line);
}

void list_experiments_print(const cJSON *list)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, list) {
		const char *paper = json_string(item, "paper"),
			   *figure = json_string(item, "figure");

		printf("%s\n    ", json_string(item, "name"));
		wrap_print(json_string(item, "brief") ? json_string(item, "brief") : "", 4, 4,
			   HELP_COLUMNS, stdout);
		if (paper || figure) {
			char *source = xasprintf("%s%s%s", paper ? paper : "",
						 paper && figure ? ", " : "",
						 figure ? figure : "");

			printf("    ");
			wrap_print(source, 4, 4, HELP_COLUMNS, stdout);
			free(source);
		}
		print_scales(json_get(item, "scales"));
	}
}
