/* How `show` prints what is a file. */
#ifndef CMD_SHOW_SHOW_H
#define CMD_SHOW_SHOW_H

#include "core/text/opt.h"

#include <cjson/cJSON.h>

/* An experiment: what it is, its scales with their numbers of runs, its settings. Exit code. */
int show_experiment(const char *path);

/* A cluster: its words, every number with its unit and its source, what is not given. Exit code. */
int show_cluster(const char *path);

/* The published rates of a device of compute_table, as lines, or added to an object as "rates". */
void show_device(const struct plugin *p);
void show_device_json(cJSON *json, const struct plugin *p);

/* Any object: one member a line, lists of texts one a line, objects indented. */
void show_members(const cJSON *object);

#endif
