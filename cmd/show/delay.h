/* `convoy show delay TEXT`: how long compute times are, and how often. */
#ifndef CMD_SHOW_DELAY_H
#define CMD_SHOW_DELAY_H

#include "core/text/opt.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

enum { DELAY_QUANTILES = 7 };

struct delay_summary {          /* of the workers of one clause */
	char *ranks, *text;     /* owned */
	double mean, deviation; /* by formula; HUGE_VAL: infinite */
	double quantile[DELAY_QUANTILES];
	bool exact;             /* quantiles are by formula, and not of draws */
	double *draw;           /* [ndraws] ascending, owned */
	size_t ndraws;
};

/* The preset of that name, or NULL, silently. */
const struct plugin *show_delay_preset(const char *name);

/*
 * Prints mean, deviation and quantiles of what a text of --delay gives to each clause's workers,
 * of a preset its source as well; with plot draws a histogram into `file`, NAME.svg or .png (NULL:
 * a name of its own), with script and its data, and prints the paths. Exit code.
 */
int show_delay(const char *text, bool as_json, bool plot, const char *file);

/* delay_plot.c: the histogram of n >= 1 summaries; paths, or NULL after error(). */
cJSON *show_delay_plot(const struct delay_summary *s, size_t n, const char *dir, const char *name);

#endif
