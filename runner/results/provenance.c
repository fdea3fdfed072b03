/* Writes and reads the file that names the spec of a results' folder. */
#define _XOPEN_SOURCE 700         /* realpath() */
#include "runner/results/provenance.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/output.h"
#include "core/file/paths.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *file_of(const struct plan *p)
{
	return xasprintf("%s/spec.path", p->dir);
}

static bool is_built_in(const char *name)
{
	char **names = path_list("experiments");
	bool found = false;

	for (char **n = names; *n && !found; n++)
		found = strcmp(*n, name) == 0;
	path_list_free(names);
	return found;
}

int provenance_write(const struct plan *p)
{
	char *file, *path, *line;
	int ret = 0;

	path = is_built_in(p->spec.name) ? NULL : realpath(p->spec.path, NULL);
	if (!path)
		return 0;
	file = file_of(p);
	line = xasprintf("%s\n", path);
	ret = output_text(file, line);
	free(line);
	free(path);
	free(file);
	return ret;
}

/* The spec that a file names; NULL where there is no such file. The caller frees. */
static char *read_path(const char *file)
{
	char *path = access(file, R_OK) == 0 ? file_read(file, NULL) : NULL;

	if (path)
		path[strcspn(path, "\n")] = '\0';
	return path;
}

/* True of two files that can be read and do not say the same. */
static bool provenance_differ(const char *a, const char *b)
{
	char *x = access(a, R_OK) == 0 ? file_read(a, NULL) : NULL;
	char *y = x ? file_read(b, NULL) : NULL;
	const bool other = x && y && strcmp(x, y) != 0;

	free(x);
	free(y);
	return other;
}

void provenance_warn(const struct plan *p)
{
	char *file = file_of(p), *before = read_path(file);
	char *now = before ? realpath(p->spec.path, NULL) : NULL;

	if (now && strcmp(before, now) != 0 && provenance_differ(before, now))
		warning("%s has the tables and claims of %s, and those of %s replace them: give "
			"one another name, or another --out", p->dir, before, now);
	free(file);
	free(before);
	free(now);
}

/* The pattern that a path alone matches. The caller frees. */
static char *provenance_quoted(const char *path)
{
	char *text = xcalloc(2 * strlen(path) + 1, 1), *to = text;

	for (; *path; path++) {
		if (strchr("*?[\\", *path))
			*to++ = '\\';
		*to++ = *path;
	}
	return text;
}

static bool provenance_has(const cJSON *list, const char *text)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, list)
		if (strcmp(item->valuestring, text) == 0)
			return true;
	return false;
}

static void provenance_add(cJSON *list, const char *file)
{
	char *path = read_path(file);

	if (path && access(path, R_OK) < 0)
		note("%s: the spec %s is not there any more", file, path);
	else if (path && !provenance_has(list, path))
		cJSON_AddItemToArray(list, cJSON_CreateString(path));
	free(path);
}

/* OUT/NAME/SCALE, and OUT/PAPER/NAME/SCALE. */
cJSON *provenance_list(const char *out)
{
	static const char *const depth[] = { "*/*/spec.path", "*/*/*/spec.path" };
	cJSON *list = cJSON_CreateArray();
	char *begin = provenance_quoted(out);

	for (size_t i = 0; i < sizeof(depth) / sizeof(depth[0]); i++) {
		char *pattern = xasprintf("%s/%s", begin, depth[i]);
		glob_t found;

		if (glob(pattern, 0, NULL, &found) == 0)
			for (size_t k = 0; k < found.gl_pathc; k++)
				provenance_add(list, found.gl_pathv[k]);
		globfree(&found);
		free(pattern);
	}
	free(begin);
	return list;
}
