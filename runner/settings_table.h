/* A dry run's table of settings: each with its values, and where they come from. */
#ifndef RUNNER_SETTINGS_TABLE_H
#define RUNNER_SETTINGS_TABLE_H

#include "plan/plan.h"

/*
 * A line for each setting and source of n runs: of all settings, or of those that are not at their
 * plain default in some run.
 */
void settings_table_print(const struct setup *const *runs, size_t n, bool all);

/* Of a plan's runs, baselines left out: what is not at its plain default. */
void settings_table_of_plan(const struct plan *p);

#endif
