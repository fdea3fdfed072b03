/* JSON objects from typed values, and the check of their members by a table of keys. */
#include "core/file/members.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/json_keys.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- keys of a file that a user writes ---- */

const char **json_key_names(const struct json_key *keys)
{
	const char **names;
	size_t n = 0;

	while (keys[n].name)
		n++;
	names = xcalloc(n + 1, sizeof(*names));
	for (size_t i = 0; i < n; i++)
		names[i] = keys[i].name;
	return names;
}

static bool is_lines(const cJSON *value)
{
	const cJSON *line;

	if (!cJSON_IsArray(value))
		return false;
	cJSON_ArrayForEach(line, value)
		if (!cJSON_IsString(line))
			return false;
	return true;
}

/* Expected kind of value, if this value is of another kind; else NULL. */
static const char *fault_of(enum json_kind kind, const cJSON *value)
{
	switch (kind) {
	case JSON_OWN:
		return NULL;
	case JSON_TEXT:
		return cJSON_IsString(value) ? NULL : "a text";
	case JSON_LINES:
		return is_lines(value) ? NULL : "a list of texts";
	case JSON_TEXTS:
		return cJSON_IsString(value) || is_lines(value) ? NULL :
								  "a text or a list of texts";
	case JSON_BOOL:
		return cJSON_IsBool(value) ? NULL : "true or false";
	case JSON_AMOUNT:
		return cJSON_IsNumber(value) && isfinite(value->valuedouble) &&
				       value->valuedouble >= 0
			       ? NULL : "a number that is not negative";
	}
	BUG("key of no kind");
}

int json_check_members(const cJSON *object, const struct json_key *keys, const char *where)
{
	const char **names = json_key_names(keys);
	int rc = json_check_keys(object, names, where);

	free(names);
	for (; !rc && keys->name; keys++) {
		const cJSON *value = json_get(object, keys->name);
		const char *fault = value ? fault_of(keys->kind, value) : NULL;

		if (!value && keys->required)
			rc = error("%s: '%s' is missing", where, keys->name);
		else if (fault)
			rc = error("%s: '%s' must be %s", where, keys->name, fault);
	}
	return rc;
}

/* ---- values ---- */

struct member j_measured(const char *key, double x)
{
	char text[32];

	snprintf(text, sizeof(text), "%.5g", x);
	return j_json(key, cJSON_CreateRaw(text));
}

struct member j_wide(const char *key, double x)
{
	return j_json(key, json_of_number(x));
}

static cJSON *member_value(const struct member *m)
{
	cJSON *list;

	switch (m->kind) {
	case MEMBER_NULL:
		return cJSON_CreateNull();
	case MEMBER_NUMBER:
		return cJSON_CreateNumber(m->v.number);
	case MEMBER_TEXT:
		return cJSON_CreateString(m->v.text);
	case MEMBER_BOOL:
		return cJSON_CreateBool(m->v.is);
	case MEMBER_NUMBERS:
		list = cJSON_CreateArray();
		for (size_t i = 0; i < m->n; i++)
			list_add(list, cJSON_CreateNumber(m->v.numbers[i]));
		return list;
	case MEMBER_WIDE:
		list = cJSON_CreateArray();
		for (size_t i = 0; i < m->n; i++)
			list_add(list, json_of_number(m->v.numbers[i]));
		return list;
	case MEMBER_TEXTS:
		list = cJSON_CreateArray();
		for (size_t i = 0; i < m->n && (m->n < SIZE_MAX || m->v.texts[i]); i++)
			list_add(list, cJSON_CreateString(m->v.texts[i]));
		return list;
	case MEMBER_JSON:
		return m->v.json;
	case MEMBER_NONE:
		break;
	}
	BUG("member of no kind");
}

cJSON *members_add(cJSON *object, size_t n, const struct member *m)
{
	for (; n > 0; n--, m++)
		if (m->kind != MEMBER_NONE)
			cJSON_AddItemToObject(object, m->key, member_value(m));
	return object;
}

cJSON *list_add(cJSON *list, cJSON *value)
{
	cJSON_AddItemToArray(list, value ? value : cJSON_CreateNull());
	return list;
}
