/* What schemas are made of. */
#include "cmd/schema/schema.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/opt_text.h"

#include <math.h>
#include <stdlib.h>

/* Numbers as text: 12, 1e6, 50k, inf; and what "$NAME" of a net and "auto" are not. */
#define NUMBER_PATTERN "^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?$"
#define WHOLE_PATTERN "^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+|[kMG])?$"

cJSON *schema_text(const char *json)
{
	cJSON *made = json_parse(json, "schema");

	if (!made)
		BUG("schema: %s", json);
	return made;
}

cJSON *schema_ref(const char *def)
{
	char *path = xasprintf("#/$defs/%s", def);
	cJSON *made = cJSON_CreateObject();

	cJSON_AddStringToObject(made, "$ref", path);
	free(path);
	return made;
}

cJSON *schema_list(cJSON *items, int least)
{
	cJSON *made = cJSON_CreateObject();

	cJSON_AddStringToObject(made, "type", "array");
	cJSON_AddItemToObject(made, "items", items);
	if (least)
		cJSON_AddNumberToObject(made, "minItems", least);
	return made;
}

cJSON *schema_either(cJSON *a, cJSON *b)
{
	cJSON *made = cJSON_CreateObject(), *any = cJSON_AddArrayToObject(made, "anyOf");

	cJSON_AddItemToArray(any, a);
	cJSON_AddItemToArray(any, b);
	return made;
}

cJSON *schema_words(const char *const *words)
{
	cJSON *made = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(made, "enum");

	for (; *words; words++)
		cJSON_AddItemToArray(list, cJSON_CreateString(*words));
	return made;
}

cJSON *schema_begins(const char *const *words, const char *tail)
{
	cJSON *made = cJSON_CreateObject();
	char *any = NULL, *pattern;

	for (size_t i = 0; words[i]; i++)
		xappend(&any, "|", words[i]);
	pattern = xasprintf("^(%s)%s", any ? any : "", tail);
	cJSON_AddStringToObject(made, "type", "string");
	cJSON_AddStringToObject(made, "pattern", pattern);
	free(pattern);
	free(any);
	return made;
}

static void add_bounds(cJSON *schema, const struct opt *o)
{
	if (!opt_bounded(o))
		return;
	if (!isinf(o->min))
		cJSON_AddNumberToObject(schema, "minimum", o->min);
	if (!isinf(o->max))
		cJSON_AddNumberToObject(schema, "maximum", o->max);
}

static cJSON *schema_parts_number(const struct opt *o)
{
	const bool whole = opt_is_whole(o);
	cJSON *value = schema_text(whole ? "{\"type\": \"integer\"}" : "{\"type\": \"number\"}");
	cJSON *text =
		schema_text(whole ? "{\"type\": \"string\", \"pattern\": \"" WHOLE_PATTERN "\"}" :
				    "{\"type\": \"string\", \"pattern\": \"" NUMBER_PATTERN
				    "|^[-+]?[iI][nN][fF]([iI][nN][iI][tT][yY])?$\"}");

	add_bounds(value, o);
	return schema_either(value, text);
}

/* A choice that is a number, such as 1, may also be written as one. */
static cJSON *schema_parts_choice(const struct opt *o)
{
	cJSON *made = schema_words(o->choices), *list = cJSON_GetObjectItem(made, "enum");

	for (size_t i = 0; o->choices[i]; i++) {
		double value;

		if (text_double(o->choices[i], &value))
			cJSON_AddItemToArray(list, cJSON_CreateNumber(value));
	}
	return made;
}

static cJSON *type_of(const struct opt *o)
{
	switch (o->type) {
	case OPT_BOOL:
		return schema_text("{\"enum\": [true, false, \"true\", \"false\", \"yes\", "
				   "\"no\", \"on\", \"off\", \"1\", \"0\", 1, 0]}");
	case OPT_INT:
	case OPT_INT32:
	case OPT_DOUBLE:
		return schema_parts_number(o);
	case OPT_ENUM:
		return schema_parts_choice(o);
	case OPT_STRING:
	case OPT_DOUBLES:
		return schema_text("{\"type\": [\"string\", \"number\", \"boolean\"]}");
	}
	BUG("option %s has no type", o->name);
}

/* The default as JSON: of its type where that has one. */
static cJSON *default_of(const struct opt *o)
{
	double value;
	bool yes;

	if (o->type == OPT_BOOL && text_bool(o->def, &yes))
		return cJSON_CreateBool(yes);
	if ((opt_is_whole(o) || o->type == OPT_DOUBLE) && text_double(o->def, &value) &&
	    isfinite(value))
		return cJSON_CreateNumber(value);
	return cJSON_CreateString(o->def);
}

cJSON *schema_opt(const struct opt *o)
{
	cJSON *made = type_of(o);

	if (o->help)
		cJSON_AddStringToObject(made, "description", o->help);
	if (o->def)
		cJSON_AddItemToObject(made, "default", default_of(o));
	return made;
}

static cJSON *schema_parts_kind_of(const struct json_key *key)
{
	static const char lines[] = "{\"type\": \"array\", \"items\": {\"type\": \"string\"}}";

	switch (key->kind) {
	case JSON_TEXT:
		return schema_text("{\"type\": \"string\"}");
	case JSON_LINES:
		return schema_text(lines);
	case JSON_TEXTS:
		return schema_either(schema_text("{\"type\": \"string\"}"), schema_text(lines));
	case JSON_BOOL:
		return schema_text("{\"type\": \"boolean\"}");
	case JSON_AMOUNT:
		return schema_text("{\"type\": \"number\", \"minimum\": 0}");
	case JSON_OWN:
		break;
	}
	BUG("key %s has no kind", key->name);
}

cJSON *schema_object(const struct json_key *keys)
{
	cJSON *made = schema_text("{\"type\": \"object\", \"additionalProperties\": false}");
	cJSON *required = cJSON_CreateArray();
	cJSON *properties = cJSON_AddObjectToObject(made, "properties");

	for (; keys->name; keys++) {
		cJSON *value = keys->def ? schema_ref(keys->def) : schema_parts_kind_of(keys);

		cJSON_AddStringToObject(value, "description", keys->help);
		cJSON_AddItemToObject(properties, keys->name, value);
		if (keys->required)
			cJSON_AddItemToArray(required, cJSON_CreateString(keys->name));
	}
	cJSON_AddItemToObject(made, "required", required);
	return made;
}

cJSON *schema_root(const char *title, cJSON *object, cJSON *defs)
{
	cJSON *made = cJSON_CreateObject();

	cJSON_AddStringToObject(made, "$schema", "https://json-schema.org/draft/2020-12/schema");
	cJSON_AddStringToObject(made, "title", title);
	while (object->child) {
		cJSON *item = cJSON_DetachItemViaPointer(object, object->child);
		char *key = xstrdup(item->string);

		cJSON_AddItemToObject(made, key, item);
		free(key);
	}
	cJSON_Delete(object);
	cJSON_AddItemToObject(made, "$defs", defs);
	return made;
}
