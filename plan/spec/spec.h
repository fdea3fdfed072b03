/*
 * spec.h - an experiment's file: found, checked, and one of its scales applied.
 * The grammar is in docs/specs.md.
 */
#ifndef PLAN_SPEC_SPEC_H
#define PLAN_SPEC_SPEC_H

#include "core/file/json_keys.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

struct spec {                   /* all owned */
	char *path, *name;      /* name: without folder and .json */
	char *scale;            /* "default" where the spec has no scales */
	cJSON *json;            /* as in the file; a plan of other settings changes it, and one
				 * that tunes adds what was chosen, "tuning" */
	cJSON *base;            /* {setting: value} */
	cJSON *grid;            /* [{setting: [value, ...]}, ...], at least one object */
	cJSON *baseline;        /* {setting: value}, or NULL */
	cJSON *tune;            /* as spec_tune_keys have it, or NULL */
};

/*
 * Finds, parses and checks a spec, and applies a scale; NULL: the spec's
 * own choice. 0 or error().
 */
int spec_load(struct spec *s, const char *name, const char *scale);

/* The same without "claims", whose filters take long to check. */
int spec_load_settings(struct spec *s, const char *name, const char *scale);

/* The same for JSON that is already parsed, which is taken over; path is for messages. */
int spec_from_json(struct spec *s, cJSON *json, const char *path, const char *scale);

/* A copy of an object of settings under the settings' own names. The caller frees. */
cJSON *spec_copy(const cJSON *object);

/* Overrides base and grid by settings: a key of the grid is left with that one value. */
void spec_set(struct spec *s, const cJSON *set);

/* True when a table or plot shows what the real clock says of a run: measure_is_real(). */
bool spec_is_real(const struct spec *s);

/* Every product of the grid has this list of a setting's values, which is copied. */
void spec_set_list(struct spec *s, const char *key, const cJSON *values);

/* True when a grid is a list whose products differ in their lists of a setting's values. */
bool spec_grid_differs(const cJSON *grid, const char *key);

void spec_release(struct spec *s);

/*
 * Names of the built-in experiments, sorted, NULL-ended; scale: those alone that have it, and
 * those that cannot be read; NULL: all. The caller frees with path_list_free().
 */
char **spec_names(const char *scale);

/* spec_check.c: what a spec may say, and one of its scales. */
extern const struct json_key spec_keys[], spec_scale_keys[];

/* spec_check.c: 0, or error() naming file, section and nearest key. */
int spec_check(const cJSON *json, const char *path);

/* spec_check.c: {setting: [value, ...]}, and {setting: value}. 0 or error(). */
int spec_check_product(const cJSON *product, const char *where);
int spec_check_object(const cJSON *object, const char *where);

/*
 * panels.c: puts as many plots as "y" names measures for each plot of a checked spec: NAME-1,
 * NAME-2, ... 0, or error() where a plot has such a name already.
 */
int spec_split_panels(cJSON *spec, const char *path);

/* ---- `--only KEY=VALUE`: which points of a grid are meant; several are a line each ---- */

/* Whether the point ({setting: value}) has all the values; only NULL: every point has. */
bool point_filter_agrees(const cJSON *point, const char *only);

/* error() that no point has them, with the nearest of the grid's values or settings; -1. */
int point_filter_matches_none(const struct spec *s, const char *only);

/*
 * simulator_only.c: where the command line's settings, {setting: text}, have engine = mpi, takes
 * out of the spec what only the simulator has and the command line does not give; one warning()
 * names it all. A baseline that is timing-only for itself computes, too.
 */
void simulator_only_drop(struct spec *s, const cJSON *set);

#endif
