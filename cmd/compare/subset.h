/* WHAT:KEY=VALUE,KEY=VALUE: those runs of a result that have these settings. */
#ifndef CMD_COMPARE_SUBSET_H
#define CMD_COMPARE_SUBSET_H

#include "record/result.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

struct subset {                 /* both owned */
	char *what;             /* a path, or the name of an experiment */
	cJSON *wanted;          /* {setting: text}, empty where all are meant */
};

/*
 * Reads the text; a path that is there is all of it. A comma parts settings, but for those of an
 * algorithm, a net and the like it stands between their options: such a setting is the last. 0, or
 * error() naming the setting.
 */
int subset_read(struct subset *p, const char *text);

/*
 * Leaves of the runs those that have the settings: in any notation of a number, and
 * with the options that are named. 0, or error() when there is none, with the nearest value.
 */
int subset_keep(const struct subset *p, struct results *runs);

/*
 * Whether a run's value of a setting is the one wanted: a number in any notation, a name with the
 * options that are named: "eamsgd:tau=10" of a run's "eamsgd:rho=0.1,tau=10".
 */
bool subset_value_agrees(const char *wanted, const char *own);

void subset_release(struct subset *p);

#endif
