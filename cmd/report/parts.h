/* The parts of `convoy report`. */
#ifndef CMD_REPORT_PARTS_H
#define CMD_REPORT_PARTS_H

#include "plan/plan.h"
#include "runner/results/outcome.h"

#include <cjson/cJSON.h>

/* ---- page.c: an experiment's outcome as a page of HTML ---- */

/*
 * Writes the page of the plan's outcome to the path. name: the experiment as it was given; set: the
 * settings that were, {key: text}. 0; above 0: so many pictures are missing; -1 after error().
 */
int report_page(const char *name, const struct plan *p, struct outcome *o,
		const cJSON *set, const char *path);

/* ---- paper_settings.c: settings that are not the paper's ---- */

/*
 * [{"setting","paper","here"}] of the settings that the scale "paper" of the spec has otherwise;
 * NULL when it has no such scale. The caller frees.
 */
cJSON *report_settings(const struct spec *s);

/* ---- plots.c: an experiment's plots, for its page ---- */

/*
 * Draws the plots that have something to draw into the plan's folder: [{"title","caption","svg"}],
 * "svg" left out after error() or a warning where one could not be drawn; so are all where their
 * folder cannot be written. The caller frees.
 */
cJSON *report_plots(const struct plan *p, const struct outcome *o);

/* ---- timeline.c: timelines of an experiment's algorithms, for its page ---- */

/*
 * Simulates the first gradients of one run of each algorithm, clocks alone, and draws them into
 * the plan's folder: [{"title","caption","svg"}], "svg" left out after error() or a warning where
 * it could not be drawn. Of several runs, one with a slow worker is taken. The caller frees.
 */
cJSON *report_timelines(const struct plan *p);

/* ---- md.c: kept results as pages of Markdown, an index and one a paper ---- */

/*
 * Writes OUT/experiments.md, which has every built-in experiment and the totals of the verdicts,
 * and OUT/experiments/PAPER.md: FOLDER/PAPER/README.md, then each experiment of the paper with
 * its question, command and scales, and the claims.json, plots and tables that are kept of it
 * in FOLDER/PAPER/NAME or NAME-VARIANT. Prints the paths. 0, or error() for what cannot be read or
 * written.
 */
int report_md(const char *folder, const char *out);

/* ---- again.c: kept results once more in the formats that are not kept ---- */

/*
 * Draws every plot under the folder again, from the NAME.json that lies in a folder "plots", else,
 * of a built-in experiment, from its runs.json or runs.json.gz, and prints the paths of the
 * pictures. Writes each table NAME.json of a folder "tables" as text, Markdown and CSV, too. 0 or
 * error().
 */
int report_again(const char *folder);

/* ---- kept.c: results kept in a folder, as FOLDER/PAPER/NAME or FOLDER/PAPER/NAME-VARIANT ---- */

/*
 * A parsed file, or PATH.gz where that is kept; NULL without either, or after error(), when *ret is
 * -1. Frees the path. kept_file(): of FOLDER/NAME/FILE.
 */
cJSON *kept_load(char *path, int *ret);
cJSON *kept_file(const char *folder, const char *name, const char *file, int *ret);

/*
 * ["PAPER/NAME", ...], sorted: the results of an experiment, of which names has all, NULL-ended.
 * The caller frees.
 */
cJSON *kept_results(const char *folder, char *const *names, const char *experiment);

/* ---- kept_claims.c: verdicts of kept results, judged again by the specs as they are now ---- */

/*
 * Rewrites FOLDER/PAPER/NAME/claims.json of every kept result, and prints the paths: from its
 * runs.json where that is kept; else the former verdict stays, except that a comparison of what
 * was learnt becomes undecided where nothing is known of its interval. 0 or error().
 */
int kept_claims_judge(const char *folder);

#endif
