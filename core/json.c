#include "core/json.h"

#include "core/error.h"
#include "core/mem.h"
#include "core/paths.h"
#include "core/word.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Specs need about ten; recursion over a tree is safe to here. */
enum { DEEPEST = 64 };

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

/* Behind the string that begins at its opening quote. */
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

/* Refuses brackets deeper than DEEPEST before the parser recurses into them. */
static int check_depth(const struct source *src)
{
	int depth = 0;

	for (const char *c = src->text; *c;) {
		if (*c == '"') {
			c = skip_string(c);
			continue;
		}
		depth += (*c == '{' || *c == '[') - (*c == '}' || *c == ']');
		if (depth > DEEPEST)
			return error_at(src, c, "nested too deeply");
		c++;
	}
	return 0;
}

static int syntax_error(const struct source *src, const char *at)
{
	unsigned char c;
	char *why;

	at = skip_space(at);
	c = (unsigned char)*at;
	if (!c)
		why = xstrdup("not valid JSON: the text ends too early");
	else if (c == '"')
		why = xstrdup("not valid JSON: a string is not closed, or stands in a wrong place");
	else if (c < 128)
		why = xasprintf("not valid JSON: unexpected '%c'", c);
	else
		why = xstrdup("not valid JSON: unexpected character");
	error_at(src, at, why);
	free(why);
	return -1;
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

static int twice(const struct source *src, const struct key *key)
{
	char *why = xasprintf("the key \"%s\" stands here twice", key->name);

	error_at(src, nth_key(src->text, key->order), why);
	free(why);
	return -1;
}

/* Sorts the object's keys; error() when two are the same. */
static int check_twins(const struct source *src, struct key *keys, size_t n)
{
	qsort(keys, n, sizeof *keys, by_name);
	for (size_t i = 1; i < n; i++)
		if (!strcmp(keys[i - 1].name, keys[i].name))
			return twice(src, &keys[i]);
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
		rc = check_twins(src, keys, n);
	free(keys);
	return rc;
}

/* A number that no double holds reads as infinity, which JSON cannot write. */
static bool all_finite(const cJSON *item)
{
	const cJSON *child;

	if (cJSON_IsNumber(item))
		return isfinite(item->valuedouble);
	cJSON_ArrayForEach(child, item)
		if (!all_finite(child))
			return false;
	return true;
}

static int check(const struct source *src, const cJSON *tree)
{
	size_t order = 0;

	if (check_tree(src, tree, &order))
		return -1;
	return all_finite(tree) ? 0 : error("%s: a number is too large", src->name);
}

cJSON *json_parse(const char *text, const char *name)
{
	struct source src = { text, name };
	const char *end = text;
	cJSON *tree;

	if (check_depth(&src))
		return NULL;
	tree = cJSON_ParseWithOpts(text, &end, true);
	if (!tree) {
		syntax_error(&src, end);
		return NULL;
	}
	if (check(&src, tree)) {
		cJSON_Delete(tree);
		return NULL;
	}
	return tree;
}

cJSON *json_load(const char *path)
{
	size_t size;
	char *text = file_read(path, &size);
	cJSON *tree = NULL;

	if (!text)
		return NULL;
	if (strlen(text) == size)
		tree = json_parse(text, path);
	else
		error_at(&(struct source){ text, path }, text + strlen(text),
			 "not valid JSON: a zero byte");
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
	char *advice;

	if (!cJSON_IsObject(object))
		return error("%s: must be an object in braces", where);
	cJSON_ArrayForEach(child, object) {
		if (is_known(child->string, known))
			continue;
		advice = word_advice(child->string, known);
		error("%s: unknown key '%s'%s", where, child->string, advice);
		free(advice);
		return -1;
	}
	return 0;
}
