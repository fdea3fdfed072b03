/* The kinds of `convoy list` that are read from files. */
#ifndef CMD_LIST_LIST_H
#define CMD_LIST_LIST_H

#include "cmd/args.h"

#include <cjson/cJSON.h>

/* ---- experiments.c: `convoy list experiments` ---- */

/*
 * [{"name","brief","paper","figure","scales": [{"name","time","about"}]}]; null for
 * what a spec does not say. One that cannot be read is an error() and left out. The caller frees.
 */
cJSON *list_experiments(void);

/* That list for people. */
void list_experiments_print(const cJSON *list);

/* ---- runs.c: finished runs in a folder of results, found by their settings ---- */

/*
 * Prints the runs in the folder, and in those below, whose settings are those of the words of `a`
 * after the first, KEY=VALUE each; json: as an array of objects. Files that cannot be read are
 * counted in a note. An exit code.
 */
int list_runs(const struct args *a, const char *folder, bool json);

#endif
