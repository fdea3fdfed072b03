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

int given_write(const char *dir, const cJSON *set)
{
	char *path = path_of(dir), *text = cJSON_Print(set);
	int ret = 0;

	if (set && set->child && !text)
		die("out of memory");
	if (set && set->child)
		ret = output_text(path, text);
	else
		unlink(path);
	free(text);
	free(path);
	return ret;
}

/* Texts of settings that there are. */
static bool is_given(const cJSON *set)
{
	const cJSON *value;

	if (!cJSON_IsObject(set))
		return false;
	cJSON_ArrayForEach(value, set) {
		const struct opt *o = opt_find(settings_opts, value->string);

		if (!cJSON_IsString(value) || !o || strcmp(o->name, value->string) != 0)
			return false;
	}
	return true;
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

static bool is_changed(const char *name, const char *scale)
{
	const size_t n = given_scale(name);

	return name[n] && n == strlen(scale) && strncmp(name, scale, n) == 0;
}

cJSON *given_folders(const char *dir, const char *scale)
{
	cJSON *folders = cJSON_CreateArray();
	char **paths = dir_list(dir, "");

	for (char **path = paths; path && *path; path++)
		if (is_changed(*path + strlen(dir) + 1, scale) && dir_exists(*path))
			cJSON_AddItemToArray(folders, cJSON_CreateString(*path));
	path_list_free(paths);
	return folders;
}
