/*
 * experiments.h - `convoy list experiments`.
 */
#ifndef CMD_LIST_EXPERIMENTS_H
#define CMD_LIST_EXPERIMENTS_H

#include <cjson/cJSON.h>

/*
 * [{"name","brief","paper","figure","scales": [{"name","time","about"}]}]; null for
 * what a spec does not say. One that cannot be read is an error() and left out. The caller frees.
 */
cJSON *list_experiments(void);

/* That list for people. */
void list_experiments_print(const cJSON *list);

#endif
