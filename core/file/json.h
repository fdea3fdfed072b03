/*
 * json.h - reading JSON files with errors a user can act on.
 *
 * The one door to cJSON's parser: every message has file, line and column.
 */
#ifndef CORE_FILE_JSON_H
#define CORE_FILE_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>

/*
 * Parses a file; NULL after error("FILE:LINE:COLUMN: ..."). A key that stands
 * twice in an object is an error too. The caller frees with cJSON_Delete().
 */
cJSON *json_load(const char *path);

/* The same for text; `name` stands for the file in messages. */
cJSON *json_parse(const char *text, const char *name);

/*
 * The tree as text, indented or on one line, never NULL; the caller frees with free(). A number
 * that is not finite is null; a byte that is not UTF-8 is a question mark.
 */
char *json_format(const cJSON *json, bool indented);

/* Makes every text and key of the tree safe to show on a terminal, as utf8_make_printable(). */
void json_make_printable(cJSON *item);

/*
 * 0 when every key of the object is in the NULL-ended list, else
 * error("WHERE: unknown key ...") with the nearest.
 */
int json_check_keys(const cJSON *object, const char *const *known, const char *where);

/* The member of an object; NULL where there is none, or no object. */
cJSON *json_get(const cJSON *object, const char *key);

/* The text of a member; NULL, or "", where there is none. */
const char *json_string(const cJSON *object, const char *key);
const char *json_word(const cJSON *object, const char *key);

/* The number of a member; NaN where there is none. */
double json_number(const cJSON *object, const char *key);

/* object[key] <- the value; the key keeps its position. */
void json_put(cJSON *object, const char *key, cJSON *value);

/* object[key] <- the text; NULL is null. */
void json_add_text(cJSON *object, const char *key, const char *text);

/* The text instead of what object[key] is, at its end; json_set_owned() frees the text. */
void json_set_text(cJSON *object, const char *key, const char *text);
void json_set_owned(cJSON *object, const char *key, char *text);

/* A set of texts, in order of appearance, is the names of an object. Empty ones are left out. */
void json_names_add(cJSON *set, const char *name);

/* All names of an object, with ", " between; the caller frees. */
char *json_names_text(const cJSON *object);

/* A number; NaN is null, and the largest number stands for infinity, as in jq. */
cJSON *json_of_number(double x);

/* The first position where a text is not JSON, and why. */
struct json_fault {
	const char *at;         /* in the text; NULL: the text is JSON */
	const char *why;
};

/* Judges the text by RFC 8259, nesting by recursion, numbers by what a double holds. */
struct json_fault json_fault(const char *text);

#endif
