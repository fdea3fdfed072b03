/* JSON objects from typed values, and typed values from JSON objects by a table. */
#include "core/file/members.h"

#include "core/base/error.h"
#include "core/file/json.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct member j_digits(const char *key, double x, int digits)
{
	char text[32];

	snprintf(text, sizeof(text), "%.*g", digits, x);
	return j_json(key, cJSON_CreateRaw(text));
}

static cJSON *member_texts(const struct member *m)
{
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; i < m->n && (m->n < SIZE_MAX || m->v.texts[i]); i++)
		cJSON_AddItemToArray(list, cJSON_CreateString(m->v.texts[i]));
	return list;
}

static cJSON *member_numbers(const struct member *m)
{
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; i < m->n; i++)
		cJSON_AddItemToArray(list, cJSON_CreateNumber(m->v.numbers[i]));
	return list;
}

static cJSON *member_value(const struct member *m)
{
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
		return member_numbers(m);
	case MEMBER_TEXTS:
		return member_texts(m);
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

void members_read(const cJSON *object, const struct member_field *fields, void *into)
{
	for (; fields->key; fields++) {
		const cJSON *value = json_get(object, fields->key);
		void *to = (char *)into + fields->at;

		if (!value)
			continue;
		if (fields->kind == JSON_TEXT)
			*(const char **)to = value->valuestring;
		else if (fields->kind == JSON_BOOL)
			*(bool *)to = cJSON_IsTrue(value);
		else if (fields->kind == JSON_AMOUNT)
			*(double *)to = value->valuedouble;
		else
			*(const cJSON **)to = value;
	}
}
