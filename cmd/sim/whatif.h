/* Several combinations of settings, run as an experiment without a file. */
#ifndef CMD_SIM_WHATIF_H
#define CMD_SIM_WHATIF_H

#include "runner/launch/launch.h"
#include "runner/results/outcome.h"

struct whatif {
	const cJSON *values;    /* {setting: [text, ...]} */
	const char *out;        /* folder of all results */
	const char *plot;       /* FILE.svg, .png, .pdf or .tex; NULL: none */
	const char *measure;    /* on the plot's y axis */
	char *const *columns;   /* measures of the table, NULL-ended; NULL: the usual ones */
	int jobs, threads;      /* 0: chosen */
	struct launch sim;      /* as a pool_conf's */
	double checkpoint_every;
	bool resume, dry_run, json, csv, quiet;
};

/* The values of every setting of {setting: text}, or NULL after error(). The caller frees. */
cJSON *whatif_values(const cJSON *set);

/* How many combinations there are. */
double whatif_combinations(const cJSON *values);

/* 0 when w can be shown as it asks, else error(). */
int whatif_check(const struct whatif *w);

/* Makes the runs that are not finished and shows all. An exit code. */
int whatif_run(const struct whatif *w);

/* ---- whatif_show.c ---- */

/* The table that a plan's outcome shows, and a title, as "tables" of its spec. */
void whatif_describe(const struct whatif *w, struct plan *p);

void whatif_print_csv(const struct whatif *w, const struct outcome *o, const struct plan *p);

/* Adds the paths of what was drawn to `paths`. 0 or error(). */
int whatif_plot(const struct outcome *o, const struct plan *p, const char *measure,
		const char *path, cJSON *paths);

#endif
