/* Structs to JSON objects, and back, by a table of their members. */
#include "core/file/fields.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/members.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct list {
	char *v;
	size_t n;
};

static struct list list_at(const struct field *f, const char *from)
{
	struct list list = { .n = *(const size_t *)(const void *)(from + f->count) };

	memcpy(&list.v, from + f->at, sizeof(list.v));
	return list;
}

static struct member edge_member(const char *key, double x)
{
	if (isinf(x))
		return j_text(key, x < 0.0 ? "below" : "above");
	return j_number(key, x);
}

static cJSON *list_json(const struct field *f, struct list list)
{
	cJSON *json = cJSON_CreateArray();

	for (size_t i = 0; i < list.n; i++)
		list_add(json, fields_add(cJSON_CreateObject(), f->of, list.v + i * f->size));
	return json;
}

static struct member field_member(const struct field *f, const char *from)
{
	const void *at = from + f->at;

	switch (f->kind) {
	case FIELD_AMOUNT:
	case FIELD_NUMBER:
		return j_number(f->key, *(const double *)at);
	case FIELD_MAYBE:
		return j_if(!isnan(*(const double *)at), j_number(f->key, *(const double *)at));
	case FIELD_EDGE:
		return edge_member(f->key, *(const double *)at);
	case FIELD_INT:
		return j_number(f->key, *(const int *)at);
	case FIELD_COUNT:
		return j_number(f->key, (double)*(const size_t *)at);
	case FIELD_BOOL:
		return j_bool(f->key, *(const bool *)at);
	case FIELD_WORD:
	case FIELD_TEXT:
		return j_text(f->key, *(char *const *)at);
	case FIELD_TREE:
		return j_if(*(cJSON *const *)at,
			    j_json(f->key, cJSON_Duplicate(*(cJSON *const *)at, true)));
	case FIELD_LENT:
	case FIELD_NOTE:
		return j_if(*(char *const *)at, j_text(f->key, *(char *const *)at));
	case FIELD_TEXTS:
		return j_texts(f->key, ((const struct texts *)at)->v,
			       ((const struct texts *)at)->n);
	case FIELD_CHOICE:
		return j_text(f->key, f->names[*(const int *)at]);
	case FIELD_STRUCT:
		return j_json(f->key, fields_add(cJSON_CreateObject(), f->of, at));
	case FIELD_SOME:
		if (!list_at(f, from).n)
			return j_if(false, j_null(f->key));
		/* fall through */
	case FIELD_LIST:
		return j_json(f->key, list_json(f, list_at(f, from)));
	}
	BUG("field of no kind");
}

cJSON *fields_add(cJSON *object, const struct field *fields, const void *from)
{
	for (; fields->key; fields++) {
		const struct member m = field_member(fields, from);

		members_add(object, 1, &m);
	}
	return object;
}

/* ---- back ---- */

static void texts_read(const cJSON *json, struct texts *texts)
{
	const cJSON *item;

	*texts = (struct texts){ 0 };
	if (cJSON_IsArray(json))
		cJSON_ArrayForEach(item, json)
			texts_put(texts, cJSON_IsString(item) ? item->valuestring : "");
}

static void list_read(const cJSON *json, const struct field *f, char *into)
{
	struct list list = { 0 };
	const cJSON *item;

	if (cJSON_IsArray(json) && json->child) {
		list.v = xcalloc((size_t)cJSON_GetArraySize(json), f->size);
		cJSON_ArrayForEach(item, json)
			fields_read(item, f->of, list.v + f->size * list.n++);
	}
	memcpy(into + f->at, &list.v, sizeof(list.v));
	*(size_t *)(void *)(into + f->count) = list.n;
}

static size_t count_of(const cJSON *json)
{
	const double x = cJSON_IsNumber(json) ? json->valuedouble : 0.0;

	return x >= 1.0 && x <= (double)INT32_MAX ? (size_t)x : 0;
}

void fields_read(const cJSON *object, const struct field *fields, void *into)
{
	for (const struct field *f = fields; f->key; f++) {
		const cJSON *json = cJSON_IsObject(object) ? json_get(object, f->key) : NULL;
		const char *text = cJSON_IsString(json) ? json->valuestring : NULL;
		void *at = (char *)into + f->at;

		switch (f->kind) {
		case FIELD_EDGE:
		case FIELD_MAYBE:
		case FIELD_NUMBER:
			*(double *)at = cJSON_IsNumber(json) ? json->valuedouble : (double)NAN;
			if (f->kind == FIELD_EDGE && text && strcmp(text, "below") == 0)
				*(double *)at = -HUGE_VAL;
			if (f->kind == FIELD_EDGE && text && strcmp(text, "above") == 0)
				*(double *)at = HUGE_VAL;
			break;
		case FIELD_AMOUNT:
			if (cJSON_IsNumber(json))
				*(double *)at = json->valuedouble;
			break;
		case FIELD_INT:
			*(int *)at = (int)count_of(json);
			break;
		case FIELD_COUNT:
			*(size_t *)at = count_of(json);
			break;
		case FIELD_BOOL:
			*(bool *)at = cJSON_IsTrue(json);
			break;
		case FIELD_WORD:
			text = text ? text : "";
			/* fall through */
		case FIELD_TEXT:
		case FIELD_NOTE:
			*(char **)at = text ? xstrdup(text) : NULL;
			break;
		case FIELD_LENT:
			if (text)
				*(const char **)at = text;
			break;
		case FIELD_TREE:
			if (json)
				*(const cJSON **)at = json;
			break;
		case FIELD_TEXTS:
			texts_read(json, at);
			break;
		case FIELD_CHOICE:
			*(int *)at = 0;
			while (f->names[*(int *)at + 1] &&
			       (!text || strcmp(f->names[*(int *)at], text) != 0))
				++*(int *)at;
			break;
		case FIELD_STRUCT:
			fields_read(json, f->of, at);
			break;
		case FIELD_LIST:
		case FIELD_SOME:
			list_read(json, f, into);
			break;
		}
	}
}

void fields_release(const struct field *fields, void *of)
{
	for (const struct field *f = fields; f->key; f++) {
		void *at = (char *)of + f->at;

		switch (f->kind) {
		case FIELD_WORD:
		case FIELD_TEXT:
		case FIELD_NOTE:
			free(*(char **)at);
			break;
		case FIELD_TEXTS:
			texts_release(at);
			break;
		case FIELD_STRUCT:
			fields_release(f->of, at);
			break;
		case FIELD_LIST:
		case FIELD_SOME:
			for (size_t i = 0; i < list_at(f, of).n; i++)
				fields_release(f->of, list_at(f, of).v + i * f->size);
			free(list_at(f, of).v);
			break;
		default:
			break;
		}
	}
}
