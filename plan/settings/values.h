/*
 * values.h - several values of a setting, written as one text.
 *
 * Values are separated by commas; FROM..TO doubles from FROM up to TO, and counts by one where it
 * is of seeds; FROM..TO:STEP adds, FROM..TO:xFACTOR multiplies. What follows a comma belongs to the
 * value before it where that has options ("d-psgd:overlap=true,...") and it begins with none of the
 * setting's names.
 */
#ifndef PLAN_SETTINGS_VALUES_H
#define PLAN_SETTINGS_VALUES_H

#include "plan/point.h"

enum { VALUES_MOST = 10000 };   /* in a range */

/*
 * *values <- the values as texts, each of which the setting takes, none twice, the caller's to
 * release. 0, or with an empty list an error() that begins with `where`.
 */
int values_parse(struct value_list *values, const char *key, const char *text, const char *where);

/* The values as a JSON list, which the caller frees; NULL after error(). */
cJSON *values_of(const char *key, const char *text, const char *where);

/* Writes the settings to DIR/settings.json; without any, takes that away. 0 or error(). */
int given_write(const char *dir, const struct grid_point *set);

/*
 * Settings of DIR/settings.json, as given_write() had them; NULL where there is none, or after
 * error() where it is no such thing. The caller frees.
 */
cJSON *given_read(const char *dir);

/* Characters of SCALE in a folder's name, which is SCALE or SCALE+HASH. */
size_t given_scale(const char *name);

/*
 * The folders DIR/SCALE+HASH, of runs whose settings are not the spec's, in order of their names;
 * NULL-ended, path_list_free(). NULL: there is no DIR.
 */
char **given_folders(const char *dir, const char *scale);

#endif
