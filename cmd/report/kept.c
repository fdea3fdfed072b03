/* Results that are kept in a folder: FOLDER/PAPER/NAME or FOLDER/PAPER/NAME-VARIANT. */
#include "cmd/report/parts.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "data/read.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes of an unpacked file; runs.json of the largest experiment has 2 MB. */
static const size_t KEPT_MOST = (size_t)1 << 28;

cJSON *kept_load(char *path, int *ret)
{
	struct bytes text = { 0 };
	cJSON *json = NULL;

	if (access(path, F_OK) == 0) {
		json = json_load(path);
		*ret = json ? *ret : -1;
	} else {
		xappend(&path, "", ".gz");
		if (access(path, F_OK) == 0) {
			if (data_read(path, KEPT_MOST, &text) == 0) {
				text.at = xrealloc(text.at, text.n + 1, 1);
				text.at[text.n] = '\0';
				json = json_parse((const char *)text.at, path);
			}
			*ret = json ? *ret : -1;
		}
	}
	free(text.at);
	free(path);
	return json;
}

cJSON *kept_file(const char *folder, const char *name, const char *file, int *ret)
{
	return kept_load(xasprintf("%s/%s/%s", folder, name, file), ret);
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
