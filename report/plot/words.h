/* Settings in the words of a legend, and plug-ins that differ in one number. */
#ifndef REPORT_PLOT_WORDS_H
#define REPORT_PLOT_WORDS_H

#include "record/measure.h"

/*
 * What tells a run's series from the others of the group: of each key the text in labels, else the
 * quantity with its value ("4 workers", "momentum -0.6"). The caller frees.
 */
char *words_series(const struct group *all, const cJSON *run, const cJSON *keys,
		   const cJSON *labels);

/*
 * "groups" for "groups:groups=1", "groups:groups=8": the option that makes an axis of a setting's
 * values in the group: numbers, two or more of one plug-in where each value has one, else three or
 * more, and more than values without. The caller frees; NULL when there is none.
 */
char *words_option(const struct group *all, const char *key);

/* A run's number of that option; NaN when it has none. */
double words_number(const cJSON *run, const char *key, const char *option);

/* Whether the setting of two runs differs in that option at most. */
bool words_same_rest(const cJSON *a, const cJSON *b, const char *key, const char *option);

/* The setting but for that option, as in words_series(); "" where all runs have the same. */
char *words_rest(const struct group *all, const cJSON *run, const char *key, const char *option);

/* "nic bandwidth [GB/s]": the label of such an axis. The caller frees. */
char *words_axis(const struct group *all, const char *key, const char *option);

#endif
