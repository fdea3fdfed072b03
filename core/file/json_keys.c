/* Checks an object's keys, kinds and values against a table; writes the table as a schema. */
#include "core/file/json_keys.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"

#include <math.h>
#include <stdlib.h>

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

static bool is_amount(const cJSON *value)
{
	return cJSON_IsNumber(value) && isfinite(value->valuedouble) && value->valuedouble >= 0;
}

/* NULL, or what the value should have been. */
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
		return is_amount(value) ? NULL : "a number that is not negative";
	}
	BUG("key of no kind");
}

static int check_member(const cJSON *object, const struct json_key *key, const char *where)
{
	const cJSON *value = json_get(object, key->name);
	const char *fault = value ? fault_of(key->kind, value) : NULL;

	if (!value && key->required)
		return error("%s: '%s' is missing", where, key->name);
	return fault ? error("%s: '%s' must be %s", where, key->name, fault) : 0;
}

int json_check_members(const cJSON *object, const struct json_key *keys, const char *where)
{
	const char **names = json_key_names(keys);
	int rc = json_check_keys(object, names, where);

	free(names);
	for (; !rc && keys->name; keys++)
		rc = check_member(object, keys, where);
	return rc;
}
