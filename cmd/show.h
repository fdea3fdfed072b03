/*
 * show.h - how `show` prints what is a file.
 */
#ifndef CMD_SHOW_H
#define CMD_SHOW_H

#include <cjson/cJSON.h>

/* An experiment: what it is, its scales with their numbers of runs, its settings. Exit code. */
int show_experiment(const char *path);

/* Any object: one member a line, lists of texts one a line, objects indented. */
void show_members(const cJSON *object);

#endif
