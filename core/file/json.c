/* Parses and prints JSON; refuses duplicate and unknown keys with line and column. */
#include "core/file/json.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/textfile.h"
#include "core/text/utf8.h"
#include "core/text/word.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a file: the largest net of the zoo has a thousandth of that. */
static const size_t LARGEST = (size_t)64 << 20;

struct source {
	const char *text, *name;
};

/* error("NAME:LINE:COLUMN: why"); columns count characters of UTF-8 from 1. */
static int error_at(const struct source *src, const char *at, const char *why)
{
	int line = 1, column = 1;

	for (const char *c = src->text; c < at; c++) {
		if (*c == '\n') {
			line++;
			column = 1;
		} else if (((unsigned char)*c & 0xc0) != 0x80) {
			column++;
		}
	}
	return error("%s:%d:%d: %s", src->name, line, column, why);
}

/* After the string that begins at its opening quote. */
static const char *skip_string(const char *c)
{
	for (c++; *c && *c != '"'; c++)
		if (*c == '\\' && c[1])
			c++;
	return *c ? c + 1 : c;
}

static const char *skip_space(const char *c)
{
	return c + strspn(c, " \t\r\n");
}

/* The n-th (from 0) string of the text that is a key: a colon follows it. */
static const char *nth_key(const char *text, size_t n)
{
	for (const char *c = text; *c;) {
		const char *end;

		if (*c != '"') {
			c++;
			continue;
		}
		end = skip_string(c);
		if (*skip_space(end) == ':' && !n--)
			return c;
		c = end;
	}
	return text;
}

struct key {
	const char *name;
	size_t order;           /* among all keys of the text */
};

static int by_name(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	int c = strcmp(x->name, y->name);

	return c ? c : (x->order > y->order) - (x->order < y->order);
}

static int json_twice(const struct source *src, const struct key *key)
{
	char *why = xasprintf("the key \"%s\" stands here twice", key->name);

	error_at(src, nth_key(src->text, key->order), why);
	free(why);
	return -1;
}

/* Sorts the object's keys; error() when two are the same. */
static int check_duplicates(const struct source *src, struct key *keys, size_t n)
{
	qsort(keys, n, sizeof *keys, by_name);
	for (size_t i = 1; i < n; i++)
		if (!strcmp(keys[i - 1].name, keys[i].name))
			return json_twice(src, &keys[i]);
	return 0;
}

/* Walks the tree in the order of the text, so that *order numbers its keys. */
static int check_tree(const struct source *src, const cJSON *item, size_t *order)
{
	size_t n = 0, size = (size_t)cJSON_GetArraySize(item);
	struct key *keys = xcalloc(size, sizeof *keys);
	const cJSON *child;
	int rc = 0;

	cJSON_ArrayForEach(child, item) {
		if (cJSON_IsObject(item))
			keys[n++] = (struct key){ child->string, (*order)++ };
		rc = rc ? rc : check_tree(src, child, order);
	}
	if (!rc && n)
		rc = check_duplicates(src, keys, n);
	free(keys);
	return rc;
}

char *json_format(const cJSON *json, bool indented)
{
	char *text = must_have(indented ? cJSON_Print(json) : cJSON_PrintUnformatted(json),
			       "JSON");

	utf8_make_valid(text);  /* paths are bytes */
	return text;
}

void json_make_printable(cJSON *item)
{
	cJSON *child;

	if (item->string)
		utf8_make_printable(item->string);
	if (cJSON_IsString(item))
		utf8_make_printable(item->valuestring);
	cJSON_ArrayForEach(child, item)
		json_make_printable(child);
}

/* What overflowed is the largest number again: json_fault() lets no other pass. */
static void bound_numbers(cJSON *item)
{
	cJSON *child;

	if (cJSON_IsNumber(item) && isinf(item->valuedouble))
		cJSON_SetNumberHelper(item, copysign(DBL_MAX, item->valuedouble));
	cJSON_ArrayForEach(child, item)
		bound_numbers(child);
}

cJSON *json_parse(const char *text, const char *name)
{
	struct source src = { text, name };
	struct json_fault fault = json_fault(text);
	size_t order = 0;
	cJSON *tree;

	if (fault.at) {
		error_at(&src, fault.at, fault.why);
		return NULL;
	}
	tree = cJSON_Parse(text);
	if (!tree) {
		error("%s: not JSON", name);
		return NULL;
	}
	json_make_printable(tree);
	if (check_tree(&src, tree, &order)) {
		cJSON_Delete(tree);
		return NULL;
	}
	bound_numbers(tree);
	return tree;
}

cJSON *json_load(const char *path)
{
	char *text = textfile_read_most(path, LARGEST);
	cJSON *tree = text ? json_parse(text, path) : NULL;

	free(text);
	return tree;
}

static bool is_known(const char *key, const char *const *known)
{
	for (; *known; known++)
		if (!strcmp(*known, key))
			return true;
	return false;
}

int json_check_keys(const cJSON *object, const char *const *known, const char *where)
{
	const cJSON *child;

	if (!cJSON_IsObject(object))
		return error("%s: must be an object in braces", where);
	cJSON_ArrayForEach(child, object)
		if (!is_known(child->string, known))
			return word_unknown(where, "key", child->string, known);
	return 0;
}

cJSON *json_get(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

const char *json_string(const cJSON *object, const char *key)
{
	return cJSON_GetStringValue(json_get(object, key));
}

const char *json_word(const cJSON *object, const char *key)
{
	const char *text = json_string(object, key);

	return text ? text : "";
}

double json_number(const cJSON *object, const char *key)
{
	const cJSON *item = json_get(object, key);

	return cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
}

void json_put(cJSON *object, const char *key, cJSON *value)
{
	if (json_get(object, key))
		cJSON_ReplaceItemInObjectCaseSensitive(object, key, value);
	else
		cJSON_AddItemToObject(object, key, value);
}

void json_add_text(cJSON *object, const char *key, const char *text)
{
	cJSON_AddItemToObject(object, key, text ? cJSON_CreateString(text) : cJSON_CreateNull());
}

void json_set_text(cJSON *object, const char *key, const char *text)
{
	cJSON_DeleteItemFromObjectCaseSensitive(object, key);
	cJSON_AddStringToObject(object, key, text);
}

void json_set_owned(cJSON *object, const char *key, char *text)
{
	json_set_text(object, key, text);
	free(text);
}

void json_names_add(cJSON *set, const char *name)
{
	if (*name && !json_get(set, name))
		cJSON_AddNullToObject(set, name);
}

char *json_names_text(const cJSON *object)
{
	char *all = xstrdup("");
	const cJSON *item;

	cJSON_ArrayForEach(item, object)
		xappend(&all, ", ", item->string);
	return all;
}

cJSON *json_of_number(double x)
{
	return isnan(x) ? cJSON_CreateNull() : cJSON_CreateNumber(fmax(fmin(x, DBL_MAX), -DBL_MAX));
}
