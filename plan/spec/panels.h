/* Plots of several quantities: each has a panel of its own. */
#ifndef PLAN_SPEC_PANELS_H
#define PLAN_SPEC_PANELS_H

#include <cjson/cJSON.h>

/*
 * Puts as many plots as "y" names measures for each plot of a checked spec: NAME-1, NAME-2, ... 0,
 * or error() where a plot has such a name already.
 */
int spec_split_panels(cJSON *spec, const char *path);

#endif
