/*
 * runs.h - finished runs in a folder of results, found by their settings.
 */
#ifndef CMD_LIST_RUNS_H
#define CMD_LIST_RUNS_H

#include "cmd/args.h"

/*
 * Prints the runs in the folder, and in those below, whose settings are those of the words of `a`
 * behind the first, KEY=VALUE each; json: as an array of objects. Files that cannot be read are
 * counted in a note. An exit code.
 */
int list_runs(const struct args *a, const char *folder, bool json);

#endif
