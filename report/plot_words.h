/*
 * plot_words.h - settings in the words of a legend, and plug-ins that differ in one number.
 */
#ifndef REPORT_PLOT_WORDS_H
#define REPORT_PLOT_WORDS_H

#include "report/measure.h"

/*
 * What tells a run's series from the others of the group: of each key the text in labels, else the
 * quantity with its value ("4 workers", "momentum -0.6"). The caller frees.
 */
char *words_series(const struct group *all, const cJSON *run, const cJSON *keys,
		   const cJSON *labels);

/*
 * "groups" for "groups:groups=1", "groups:groups=8": the one option in which the group's values of
 * a setting differ, where each is a number. The caller frees; NULL when there is none.
 */
char *words_option(const struct group *all, const char *key);

/* A run's number of that option; NaN when it has none. */
double words_number(const cJSON *run, const char *key, const char *option);

/* "nic bandwidth [GB/s]": the label of such an axis. The caller frees. */
char *words_axis(const cJSON *run, const char *key, const char *option);

#endif
