/*
 * values.h - several values of a setting, written as one text.
 *
 * Values are separated by commas. FROM..TO doubles from FROM up to TO (of seeds, it counts by one);
 * FROM..TO:STEP adds, FROM..TO:xFACTOR multiplies. Text after a comma belongs to the value before,
 * if that one has options ("d-psgd:overlap=true,...") and the text does not begin with a name that
 * the setting can have.
 */
#ifndef PLAN_SETTINGS_VALUES_H
#define PLAN_SETTINGS_VALUES_H

#include "plan/point.h"

enum { VALUES_MOST = 10000 };   /* in a range */

/*
 * Adds the canonical form of a value, which is taken over, to those seen. 0; -1: it is NULL, as it
 * was refused; or an error() that begins with `where`: it was seen before; `how` ends the message.
 */
int values_see(struct value_list *seen, char *value, const char *where, const char *name,
	       const char *how);

/*
 * *values <- the values as texts, which the caller releases; the setting accepts each, and no value
 * stands twice. 0; or an error() that begins with `where`, and an empty list.
 */
int values_parse(struct value_list *values, const char *key, const char *text, const char *where);

/* Writes the settings to DIR/settings.json; if there are none, deletes it. 0 or error(). */
int given_write(const char *dir, const struct grid_point *set);

/*
 * *set <- the settings of DIR/settings.json, as given_write() wrote them, which the caller frees;
 * NULL: there is no such file. 0, or error() if it has something else.
 */
int given_read(const char *dir, cJSON **set);

/* Number of characters of SCALE in the name of a folder, SCALE or SCALE+HASH. */
size_t given_scale(const char *name);

/*
 * The folders DIR/SCALE+HASH, of runs whose settings are not the spec's, in order of their names;
 * NULL-ended, path_list_free(). NULL: there is no DIR.
 */
char **given_folders(const char *dir, const char *scale);

#endif
