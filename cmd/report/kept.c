/* Results that are kept in a folder: FOLDER/PAPER/NAME or FOLDER/PAPER/NAME-VARIANT. */
#include "cmd/report/parts.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/paths.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

cJSON *kept_file(const char *folder, const char *name, const char *file, int *ret)
{
	char *path = xasprintf("%s/%s/%s", folder, name, file);
	cJSON *json = NULL;

	if (access(path, F_OK) == 0) {
		json = json_load(path);
		if (!json)
			*ret = -1;
	}
	free(path);
	return json;
}

/* ---- which results are an experiment's ---- */

/* How many bytes of a result's name are the experiment's: all, or up to a "-" after it; else 0. */
static size_t kept_match(const char *experiment, const char *result)
{
	const size_t n = strlen(experiment);

	return strncmp(experiment, result, n) == 0 && (!result[n] || result[n] == '-') ? n : 0;
}

/* The experiment whose name is the longest that matches. */
static bool is_result_of(char *const *names, const char *experiment, const char *result)
{
	const size_t n = kept_match(experiment, result);

	if (!n)
		return false;
	for (; *names; names++)
		if (kept_match(*names, result) > n)
			return false;
	return true;
}

cJSON *kept_results(const char *folder, char *const *names, const char *experiment)
{
	const int paper = (int)strcspn(experiment, "/");
	char *above = xasprintf("%s/%.*s", folder, paper, experiment);
	char **paths = dir_list(above, "");
	cJSON *list = cJSON_CreateArray();

	for (char **path = paths; path && *path; path++) {
		const char *name = *path + strlen(folder) + 1;

		if (is_result_of(names, experiment, name))
			cJSON_AddItemToArray(list, cJSON_CreateString(name));
	}
	path_list_free(paths);
	free(above);
	return list;
}
