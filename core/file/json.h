/*
 * json.h - reading JSON files with errors a user can act on.
 *
 * cJSON's parser is called only here: every message has file, line and column.
 */
#ifndef CORE_FILE_JSON_H
#define CORE_FILE_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>

/*
 * Parses a file; NULL after error("FILE:LINE:COLUMN: ..."). A key that occurs twice in an object is
 * an error too. The caller frees with cJSON_Delete().
 */
cJSON *json_load(const char *path);

/* cJSON_Delete() at the end of the block: scoped_json cJSON *json = json_load(path). */
#define scoped_json scoped_by(json_scoped)
void json_scoped(cJSON **json);

/* json_load() for a text; `name` stands for the file in messages. */
cJSON *json_parse(const char *text, const char *name);

/*
 * The tree as text, indented or on one line, never NULL; the caller frees with free(). A number
 * has 15 or 17 digits, which may be those of a double nearby; one that is not finite is null. A
 * byte that is not UTF-8 is a question mark.
 */
char *json_format(const cJSON *json, bool indented);

/*
 * Replaces finite numbers of the tree by the shortest texts that are read back to the same doubles,
 * which json_format() prints as they are; they are numbers no more.
 */
void json_print_exactly(cJSON *item);

/* Makes every text and key of the tree safe to show on a terminal, as utf8_make_printable(). */
void json_make_printable(cJSON *item);

/*
 * 0 when every key of the object is in the NULL-ended list, else error("WHERE: unknown key ...")
 * that also names the nearest known key.
 */
int json_check_keys(const cJSON *object, const char *const *known, const char *where);

/* Member of an object; NULL if there is no such member, or `object` is none. */
cJSON *json_get(const cJSON *object, const char *key);

/* A loop over the values of a member, a list or an object; over none if it is neither. */
#define json_each(value, object, key) cJSON_ArrayForEach(value, json_get(object, key))

/* Whether a member is true. */
bool json_is_true(const cJSON *object, const char *key);

/* Text of a member; if there is none, json_string() returns NULL and json_word() "". */
const char *json_string(const cJSON *object, const char *key);
const char *json_word(const cJSON *object, const char *key);

/* Number of a member; NaN if there is none. */
double json_number(const cJSON *object, const char *key);

/* object[key] <- the value; the key keeps its position. */
void json_put(cJSON *object, const char *key, cJSON *value);

/* object[key] <- the text, as the last member; json_set_owned() then frees the text. */
void json_set_text(cJSON *object, const char *key, const char *text);
void json_set_owned(cJSON *object, const char *key, char *text);

/*
 * Adds a name to a set of names, which is a JSON object whose keys are the names in order of first
 * appearance. Ignores an empty name.
 */
void json_names_add(cJSON *set, const char *name);

/* All names of an object, with ", " between; the caller frees. */
char *json_names_text(const cJSON *object);

/* A number; NaN is null, and the largest number stands for infinity, as in jq. */
cJSON *json_of_number(double x);

#endif
