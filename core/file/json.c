/* Parses and prints JSON; refuses duplicate and unknown keys with line and column. */
#include "core/file/json.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/textfile.h"
#include "core/text/utf8.h"
#include "core/text/word.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- validation: the first position where a text is not JSON, and the reason ---- */

/* Deepest nesting: specs need about ten, and recursion over a tree is safe up to here. */
enum { DEEPEST = 64 };

/* First position at which a text is not valid JSON, and the reason. */
struct json_fault {
	const char *at;         /* in the text; NULL: the text is valid */
	const char *why;
};

struct reader {
	const char *c;          /* next character to read */
	int depth;
	struct json_fault fault;
};

static bool read_value(struct reader *r);

static bool json_fail(struct reader *r, const char *at, const char *why)
{
	r->fault = (struct json_fault){ at, why };
	return false;
}

static const char *skip_space(const char *c)
{
	return c + strspn(c, " \t\r\n");
}

/* Consumes the character, if it is next after white space. */
static bool json_accept(struct reader *r, char c)
{
	r->c = skip_space(r->c);
	if (*r->c != c)
		return false;
	r->c++;
	return true;
}

/* Value of \uXXXX, at its u; moves past it. -1 after json_fail(). */
static int read_code(struct reader *r)
{
	char digits[5] = "";

	for (int i = 0; i < 4; i++) {
		digits[i] = r->c[i + 1];
		if (!isxdigit((unsigned char)digits[i])) {
			json_fail(r, r->c - 1, "\\u needs four hexadecimal digits");
			return -1;
		}
	}
	r->c += 5;
	return (int)strtol(digits, NULL, 16);
}

/* Reads the escape at the next backslash; a character beyond 16 bits takes two \\u. */
static bool read_escape(struct reader *r)
{
	static const char half[] = "half of a \\u pair, which is no character";
	const char *start = r->c++;
	int code, low;

	if (*r->c != 'u') {
		if (!*r->c || !strchr("\"\\/bfnrt", *r->c))
			return json_fail(r, start, "no such escape in a string");
		r->c++;
		return true;
	}
	code = read_code(r);
	if (code < 0)
		return false;
	if (code == 0)
		return json_fail(r, start, "\\u0000 cannot stand in a text");
	if (code < 0xd800 || code > 0xdfff)
		return true;
	if (code >= 0xdc00 || r->c[0] != '\\' || r->c[1] != 'u')
		return json_fail(r, start, half);
	r->c++;
	low = read_code(r);
	if (low >= 0 && (low < 0xdc00 || low > 0xdfff))
		return json_fail(r, start, half);
	return low >= 0;
}

static bool read_string(struct reader *r)
{
	const char *start = r->c++;

	while (*r->c != '"') {
		if (*r->c == '\\') {
			if (!read_escape(r))
				return false;
		} else if (!*r->c || *r->c == '\n') {
			return json_fail(r, start, "this string has no end on its line");
		} else if ((unsigned char)*r->c < ' ') {
			return json_fail(r, r->c, "a control character in a string");
		} else {
			r->c++;
		}
	}
	r->c++;
	return true;
}

static bool read_number(struct reader *r)
{
	/* The largest double as cJSON prints it: 15 digits round it up. */
	static const char largest[] = "1.79769313486232e+308";
	const char *start = r->c, *digits, *at;
	bool good;

	r->c += *r->c == '-';
	digits = r->c;
	r->c += *r->c == '0' ? 1 : strspn(r->c, "0123456789");
	good = r->c > digits && !isdigit((unsigned char)*r->c);
	if (good && *r->c == '.') {
		at = ++r->c;
		r->c += strspn(r->c, "0123456789");
		good = r->c > at;
	}
	if (good && (*r->c == 'e' || *r->c == 'E')) {
		r->c++;
		r->c += *r->c == '+' || *r->c == '-';
		at = r->c;
		r->c += strspn(r->c, "0123456789");
		good = r->c > at;
	}
	if (!good)
		return json_fail(r, start, "not a number as JSON writes it");
	if (!isfinite(strtod(start, NULL)) &&
	    ((size_t)(r->c - digits) != sizeof(largest) - 1 ||
	     memcmp(digits, largest, sizeof(largest) - 1) != 0))
		return json_fail(r, start, "the number is too large");
	return true;
}

static bool read_member(struct reader *r)
{
	r->c = skip_space(r->c);
	if (*r->c != '"')
		return json_fail(r, r->c, "expected a key in double quotes");
	if (!read_string(r))
		return false;
	if (!json_accept(r, ':'))
		return json_fail(r, r->c, "expected ':' after the key");
	return read_value(r);
}

/* Reads items between brackets, after the opening one. */
static bool read_items(struct reader *r, char close, bool (*item)(struct reader *r),
		       const char *expected)
{
	if (++r->depth > DEEPEST)
		return json_fail(r, r->c - 1, "nested too deeply");
	if (!json_accept(r, close)) {
		do {
			if (!item(r))
				return false;
		} while (json_accept(r, ','));
		if (!json_accept(r, close))
			return json_fail(r, r->c, expected);
	}
	r->depth--;
	return true;
}

static bool read_word(struct reader *r)
{
	static const char *const words[] = { "true", "false", "null" };

	for (int i = 0; i < 3; i++) {
		size_t n = strlen(words[i]);

		if (!strncmp(r->c, words[i], n) && !isalnum((unsigned char)r->c[n])) {
			r->c += n;
			return true;
		}
	}
	if (!*r->c)
		return json_fail(r, r->c, "the text ends too early");
	return json_fail(r, r->c,
			       "expected a value: text in double quotes, a number, true, false, "
			       "null, [ or {");
}

static bool read_value(struct reader *r)
{
	if (json_accept(r, '{'))
		return read_items(r, '}', read_member, "expected ',' or '}'");
	if (json_accept(r, '['))
		return read_items(r, ']', read_value, "expected ',' or ']'");
	if (*r->c == '"')
		return read_string(r);
	if (*r->c == '-' || isdigit((unsigned char)*r->c))
		return read_number(r);
	return read_word(r);
}

/*
 * Checks a text against RFC 8259, and against convoy's limits: the depth of nesting, and the range
 * of a double.
 */
static struct json_fault json_fault(const char *text)
{
	struct reader r = { .c = text };

	if (read_value(&r)) {
		r.c = skip_space(r.c);
		if (*r.c)
			json_fail(&r, r.c, "the JSON value ends before this");
	}
	return r.fault;
}

/* ---- trees ---- */

/* Most bytes of a file: 1000 times the largest net of the zoo. */
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

/* The n-th key (from 0) in the text: a string that is followed by a colon. */
static const char *nth_key(const char *text, size_t n)
{
	for (const char *c = text; *c; c++) {
		const char *start = c;

		if (*c != '"')
			continue;
		for (c++; *c && *c != '"'; c++)
			if (*c == '\\' && c[1])
				c++;
		if (!*c)
			break;
		if (*skip_space(c + 1) == ':' && !n--)
			return start;
	}
	return text;
}

struct key {
	const char *name;
	size_t order;           /* number among all keys of the text */
};

static int key_by_name(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	int c = strcmp(x->name, y->name);

	return c ? c : (x->order > y->order) - (x->order < y->order);
}

/*
 * Walks the tree in the order of the text and counts keys in *order; error() when two keys of an
 * object are equal.
 */
static int check_tree(const struct source *src, const cJSON *item, size_t *order)
{
	size_t n = 0, size = (size_t)cJSON_GetArraySize(item);
	scoped struct key *keys = xcalloc(size, sizeof *keys);
	const cJSON *child;
	int rc = 0;

	cJSON_ArrayForEach(child, item) {
		if (cJSON_IsObject(item))
			keys[n++] = (struct key){ child->string, (*order)++ };
		rc = rc ? rc : check_tree(src, child, order);
	}
	if (!rc && n)
		qsort(keys, n, sizeof *keys, key_by_name);
	for (size_t i = 1; i < n && !rc; i++) {
		scoped char *why = NULL;

		if (strcmp(keys[i - 1].name, keys[i].name) != 0)
			continue;
		why = xasprintf("the key \"%s\" stands here twice", keys[i].name);
		rc = error_at(src, nth_key(src->text, keys[i].order), why);
	}
	return rc;
}

char *json_format(const cJSON *json, bool indented)
{
	char *text = must_have(indented ? cJSON_Print(json) : cJSON_PrintUnformatted(json),
			       "JSON");

	utf8_make_valid(text);  /* paths may have bytes that are not UTF-8 */
	return text;
}

/* The least digits from 15 on that are read back to x; cJSON stops where they are nearly that. */
static char *number_text(double x)
{
	char text[32];
	int digits = DBL_DIG;
	double back;

	do {
		snprintf(text, sizeof(text), "%.*g", digits, x);
		back = strtod(text, NULL);
	} while (digits++ < DBL_DECIMAL_DIG && (back < x || back > x));
	return xstrdup(text);
}

void json_print_exactly(cJSON *item)
{
	const double x = item->valuedouble;
	cJSON *child;

	if (cJSON_IsNumber(item) && isfinite(x) && (x < item->valueint || x > item->valueint)) {
		item->type = (item->type & ~0xff) | cJSON_Raw;
		item->valuestring = number_text(x);
	}
	cJSON_ArrayForEach(child, item)
		json_print_exactly(child);
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

/*
 * Replaces numbers that cJSON read as infinite by the largest double, as jq does; json_fault() has
 * refused all other numbers that are not finite.
 */
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

void json_scoped(cJSON **json)
{
	cJSON_Delete(*json);
}

cJSON *json_load(const char *path)
{
	scoped char *text = textfile_read_most(path, LARGEST);

	return text ? json_parse(text, path) : NULL;
}

int json_check_keys(const cJSON *object, const char *const *known, const char *where)
{
	const cJSON *child;

	if (!cJSON_IsObject(object))
		return error("%s: must be an object in braces", where);
	cJSON_ArrayForEach(child, object) {
		const char *const *key = known;

		while (*key && strcmp(*key, child->string) != 0)
			key++;
		if (!*key)
			return word_unknown(where, "key", child->string, known);
	}
	return 0;
}

cJSON *json_get(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

bool json_is_true(const cJSON *object, const char *key)
{
	return cJSON_IsTrue(json_get(object, key));
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
