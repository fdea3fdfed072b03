/*
 * common.h - what several subcommands do.
 */
#ifndef CMD_COMMON_H
#define CMD_COMMON_H

#include "cmd/estimate.h"
#include "cmd/outcome.h"

/* The folder that was asked for, else $CONVOY_RESULTS, else "results". */
const char *results_folder(const char *out);

/*
 * Makes the folder, and removes what killed runs have left in it: part_clean(). 0, or error() when
 * nothing can be written there.
 */
int folder_prepare(const char *dir);

/* All that was written to the file system of the folder reaches the disk. */
void folder_sync(const char *dir);

/* 0 when the folder is there and can be written into, else error(). */
int folder_writable(const char *dir);

/* Prints the runs of a plan, what is done of them and, not NULL, what the others will take. */
void plan_print(const struct plan *p, const struct estimate *e, bool json);

/* One line per run object: point, time, speedup, loss, accuracy. */
void runs_print(const cJSON *runs);

/*
 * Draws the plots of the spec, or the one of that name, into the plan's folder;
 * the paths, or NULL after error().
 */
cJSON *draw_plots(const struct plan *p, const struct outcome *o, const char *name);

/* The same as PDF, next to what draw_plots() wrote. */
cJSON *draw_plots_pdf(const struct plan *p, const struct outcome *o, const char *name);

/* The same as PDF and as figures of LaTeX that include it. */
cJSON *draw_plots_tex(const struct plan *p, const struct outcome *o, const char *name);

#endif
