/* Names of runs in a claim's figures. */
#ifndef REPORT_CLAIMS_NAMES_H
#define REPORT_CLAIMS_NAMES_H

#include <cjson/cJSON.h>
#include <stdbool.h>

/* The names, such as "algo=asgd workers=4 seed=1", in what a verdict shows and compares. Owned. */
cJSON *names_of(const cJSON *claim);

/*
 * The name without the settings that all of them have, and without its seed unless `seed`; another
 * text, or a name that would be empty, as it is. The caller frees.
 */
char *names_short(const cJSON *all, const char *name, bool seed);

#endif
