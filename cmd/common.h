/* Prints plans and runs, reads finished runs and draws plots, for several commands. */
#ifndef CMD_COMMON_H
#define CMD_COMMON_H

#include "cmd/args.h"
#include "cmd/opts.h"
#include "core/base/mem.h"
#include "runner/estimate/estimate.h"
#include "runner/results/outcome.h"

/*
 * Prints the runs of a plan, its tuning runs before them, what is done of them and, not NULL, what
 * the others will take.
 */
void plan_print(const struct plan *p, const struct estimate *e, const struct estimate *tuning,
		bool json);

/*
 * The result in a file, of a run with these settings; a note where its workers never exchanged
 * anything. An exit code.
 */
int result_print(const struct setup *su, const char *path, bool json, bool quiet);

/* One line per run object: point, time, speedup, loss, accuracy. */
void runs_print(const struct results *runs);

/* A line for each of the paths; `before` stands before the first. */
void paths_print(const struct texts *paths, const char *before);

struct plot_form;

/* The i-th entry of "plots", those of the tuning runs after them; NULL past the last. */
const cJSON *plot_at(const struct plan *p, size_t i);

/*
 * Draws these plots, or the one of that name, into the plan's folder, in the formats of
 * plot_write(), by `form` (NULL: as usual), and adds the paths. Without a name, what earlier runs
 * drew of the same plots in more parts, or in fewer, is removed. 0 or error().
 */
int draw_plots(const struct plan *p, const struct outcome *o, const char *name,
	       const char *format, const struct plot_form *form, struct texts *paths);

/*
 * In a rank, called by all alike: 0 where the settings and the options are those of rank 0, but for
 * options that each rank may have of its own; else -1, after error() of one of them.
 */
int ranks_check_same(const struct args *a, const struct setup *su);

/* The length of KEY in "KEY=...", 0: it does not begin so. */
size_t key_length(const char *text);

/* ---- the flags that table, plot and claims share: which finished runs ---- */

struct finished {               /* first member of a command's conf */
	char *scale, *out, *only;
};

#define FINISHED_OPTS EXPERIMENT_OPTS(struct finished), OUT_OPT(struct finished)

/* Without settings: the last results, whatever their settings; or the last of the spec's own. */
enum finished_which { FINISHED_LAST, FINISHED_UNCHANGED };

/*
 * Reads the finished runs of the experiment that the command line names, and warns of those that
 * are missing. Calls show() and gives its exit code. Of an experiment without settings it takes
 * what latest_find() finds.
 */
int finished_show(const struct args *a, enum finished_which which,
		  int (*show)(const struct plan *p, const struct outcome *o, const void *conf));

#endif
