/* For which values of the settings that runs differ in something holds, in words. */
#include "plan/resolve/which_runs.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "plan/settings/settings.h"

#include <stdbool.h>
#include <stdlib.h>

enum { VALUES_MOST = 6 };       /* that are read easily */

/* {setting: {value: null}} of the runs of HOLDS, settings that one of them lacks left out. */
static cJSON *values_of_holding(const cJSON *const *points, const enum holds *is, size_t n)
{
	cJSON *sets = cJSON_CreateObject();
	bool first = true;

	for (size_t i = 0; i < n; i++) {
		const cJSON *value;
		cJSON *set, *next;

		if (is[i] != HOLDS)
			continue;
		if (first)
			cJSON_ArrayForEach(value, points[i])
				cJSON_AddObjectToObject(sets, value->string);
		first = false;
		for (set = sets->child; set; set = next) {
			char *text = json_text(json_get(points[i], set->string));

			next = set->next;
			if (!text)
				cJSON_Delete(cJSON_DetachItemViaPointer(sets, set));
			else if (!json_get(set, text))
				cJSON_AddNullToObject(set, text);
			free(text);
		}
	}
	return sets;
}

static bool is_in(const cJSON *sets, const cJSON *but, const cJSON *point)
{
	const cJSON *set;

	cJSON_ArrayForEach(set, sets) {
		char *text = set == but ? NULL : json_text(json_get(point, set->string));
		const bool found = set == but || (text && json_get(set, text));

		free(text);
		if (!found)
			return false;
	}
	return true;
}

/* Whether no run of HOLDS_NOT has such values; but: a setting that does not count, or NULL. */
static bool tells_apart(const cJSON *sets, const cJSON *but, const cJSON *const *points,
			const enum holds *is, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is[i] == HOLDS_NOT && is_in(sets, but, points[i]))
			return false;
	return true;
}

/* Leaves out what is not needed, from the last setting on. */
static void drop_needless(cJSON *sets, const cJSON *const *points, const enum holds *is, size_t n)
{
	for (int i = cJSON_GetArraySize(sets) - 1; i >= 0; i--)
		if (tells_apart(sets, cJSON_GetArrayItem(sets, i), points, is, n))
			cJSON_DeleteItemFromArray(sets, i);
}

/* NULL: too many values. The caller frees. */
static char *sets_text(const cJSON *sets)
{
	char *all = xstrdup("");
	const cJSON *set, *value;

	cJSON_ArrayForEach(set, sets) {
		char *list = NULL;

		if (cJSON_GetArraySize(set) > VALUES_MOST) {
			free(all);
			return NULL;
		}
		cJSON_ArrayForEach(value, set)
			xappend(&list, ",", value->string);
		xappend_own(&all, " ", xasprintf("%s=%s", set->string, list));
		free(list);
	}
	return all;
}

char *holds_where(const cJSON *const *points, const enum holds *is, size_t n)
{
	cJSON *sets;
	char *text = NULL;
	size_t i = 0;

	while (i < n && is[i] != HOLDS_NOT)
		i++;
	if (i == n)
		return xstrdup("");
	sets = values_of_holding(points, is, n);
	if (tells_apart(sets, NULL, points, is, n)) {
		drop_needless(sets, points, is, n);
		text = sets_text(sets);
	}
	cJSON_Delete(sets);
	return text;
}

char *holds_text(const cJSON *const *points, const enum holds *is, size_t n)
{
	char *where = holds_where(points, is, n);
	char *text = where ? xasprintf("%s%s", *where ? " with " : "", where) :
			     xstrdup(" in some of the runs");

	free(where);
	return text;
}
