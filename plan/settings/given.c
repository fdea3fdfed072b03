/* Writes and reads the settings of a command line as a file in the results' folder. */
#include "plan/settings/given.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/output.h"
#include "core/file/paths.h"
#include "plan/settings/settings.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DIGITS = 8 };                    /* of changes_suffix() */

static char *path_of(const char *dir)
{
	return xasprintf("%s/settings.json", dir);
}

int given_write(const char *dir, const struct grid_point *set)
{
	char *path = path_of(dir);
	cJSON *json = point_json(set);
	char *text = must_have(cJSON_Print(json), "settings");
	int ret = 0;

	if (set->n)
		ret = output_text(path, text);
	else
		unlink(path);
	cJSON_Delete(json);
	free(text);
	free(path);
	return ret;
}

/* Texts of settings that there are. */
static bool is_given(const cJSON *set)
{
	const cJSON *value;

	cJSON_ArrayForEach(value, set) {
		const struct opt *o = opt_find(settings_opts, value->string);

		if (!cJSON_IsString(value) || !o || strcmp(o->name, value->string) != 0)
			return false;
	}
	return cJSON_IsObject(set);
}

cJSON *given_read(const char *dir)
{
	char *path = path_of(dir);
	cJSON *set = access(path, F_OK) == 0 ? json_load(path) : NULL;

	if (set && !is_given(set)) {
		error("%s: settings and their texts are expected", path);
		cJSON_Delete(set);
		set = NULL;
	}
	free(path);
	return set;
}

/* SCALE+01234567 */
size_t given_scale(const char *name)
{
	const char *plus = strrchr(name, '+');

	if (plus && strspn(plus + 1, "0123456789abcdef") == DIGITS && !plus[1 + DIGITS])
		return (size_t)(plus - name);
	return strlen(name);
}

cJSON *given_folders(const char *dir, const char *scale)
{
	cJSON *folders = cJSON_CreateArray();
	char **paths = dir_list(dir, "");

	for (char **path = paths; path && *path; path++) {
		const char *name = *path + strlen(dir) + 1;
		const size_t n = given_scale(name);

		if (name[n] && n == strlen(scale) && strncmp(name, scale, n) == 0 &&
		    dir_exists(*path))
			cJSON_AddItemToArray(folders, cJSON_CreateString(*path));
	}
	path_list_free(paths);
	return folders;
}
