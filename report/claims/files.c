/* Reads the files that a spec names for its claims. */
#include "report/claims/files.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/word.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_NAME = 100 };

/* No folder, not hidden, and none of convoy's own. */
static bool is_file_name(const char *name)
{
	static const char *const own[] = { "baselines.json", "claims.json", "made.json",
					   "runs.json", "settings.json", "tuning.json" };

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (!strcmp(own[i], name))
			return false;
	return word_is_name(name) && word_ends(name, ".json") && strlen(name) <= LONGEST_NAME;
}

int claims_check_names(const cJSON *reads, const char *where)
{
	const cJSON *name;
	int i = 0;

	if (reads && !cJSON_IsArray(reads))
		return error("%.200s: reads must be a list of names of files", where);
	cJSON_ArrayForEach(name, reads) {
		if (!cJSON_IsString(name) || !is_file_name(name->valuestring))
			return error("%.200s: reads[%d] must be the name of a JSON file in the "
				     "folder of results, such as \"tune.json\", and none that "
				     "convoy writes there", where, i);
		i++;
	}
	return 0;
}

int claims_read_files(cJSON *spec, const char *folder)
{
	cJSON *files;
	const cJSON *name;
	int ret = 0;

	cJSON_DeleteItemFromObjectCaseSensitive(spec, "files");
	if (!json_get(spec, "reads"))
		return 0;
	files = cJSON_AddObjectToObject(spec, "files");
	cJSON_ArrayForEach(name, json_get(spec, "reads")) {
		char *path = xasprintf("%s/%s", folder, name->valuestring);
		const bool there = access(path, F_OK) == 0;
		cJSON *file = there ? json_load(path) : cJSON_CreateNull();

		if (file)
			cJSON_AddItemToObject(files, name->valuestring, file);
		else
			ret = -1;
		free(path);
	}
	return ret;
}

const char *claims_missing_file(const cJSON *spec)
{
	const cJSON *file;

	cJSON_ArrayForEach(file, json_get(spec, "files"))
		if (cJSON_IsNull(file))
			return file->string;
	return NULL;
}
