/* The settings of a command line, kept with the results that they made. */
#ifndef PLAN_SETTINGS_GIVEN_H
#define PLAN_SETTINGS_GIVEN_H

#include "plan/point.h"

/* Writes the settings and their texts to DIR/settings.json; without any, takes that away. 0 or error(). */
int given_write(const char *dir, const struct grid_point *set);

/*
 * What DIR/settings.json says, as given_write() had it; NULL where there is none, or after
 * error() where it is no such thing. The caller frees.
 */
cJSON *given_read(const char *dir);

/* Characters of SCALE in a folder's name, which is SCALE or SCALE+HASH. */
size_t given_scale(const char *name);

/*
 * The folders DIR/SCALE+HASH, of runs whose settings are not the spec's: an array of paths in
 * order of their names. The caller frees.
 */
cJSON *given_folders(const char *dir, const char *scale);

#endif
