/* What a spec says of tuning: which settings, on which values, by which measure. */
#ifndef PLAN_SPEC_TUNE_H
#define PLAN_SPEC_TUNE_H

#include "core/file/json_keys.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

extern const struct json_key spec_tune_keys[];

/* "highest" and "lowest", NULL-ended: which value of the measure is best. */
extern const char *const spec_tune_bests[];

/* 0, or error(): "tune" of a spec or of a scale, which need not have all keys. NULL is right. */
int spec_tune_check(const cJSON *tune, const char *where);

/*
 * 0, or error(): the same with a scale's applied, which needs them, for the experiment's own grid:
 * a list of products. NULL is right.
 */
int spec_tune_check_whole(const cJSON *tune, const cJSON *of_spec, const char *path);

/*
 * Sets the keys of `over` in `tune`, which is taken over, under the settings' own names; false
 * takes it away. Either may be NULL; the caller frees what is returned.
 */
cJSON *spec_tune_lay(cJSON *tune, const cJSON *over);

/* True when some method's grid has the setting. */
bool spec_tune_has(const cJSON *tune, const char *setting);

/* Takes the setting out of all grids; true when none has any setting left. */
bool spec_tune_drop(cJSON *tune, const char *setting);

/* {setting: [value, ...]} of a method; NULL: it has none. Borrowed. */
const cJSON *spec_tune_grid(const cJSON *tune, const char *method);

/* True when the highest value of the measure is best. */
bool spec_tune_highest(const cJSON *tune);

#endif
