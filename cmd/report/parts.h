/* The parts of `convoy report`. */
#ifndef CMD_REPORT_PARTS_H
#define CMD_REPORT_PARTS_H

#include "plan/plan.h"
#include "report/claims/scales.h"
#include "report/page/page.h"
#include "runner/results/outcome.h"

#include <cjson/cJSON.h>
#include <stdio.h>

/* ---- page.c: an experiment's outcome as a page of HTML ---- */

/*
 * Writes the page of the plan's outcome to the path. name: the experiment as it was given; set: the
 * settings that were, {key: text}. 0; above 0: so many pictures are missing; -1 after error().
 */
int report_page(const char *name, const struct plan *p, struct outcome *o, const cJSON *set,
		const char *path);

/*
 * The settings that the scale "paper" of the spec has otherwise; NULL when it has no such scale.
 * report_settings_free().
 */
struct page_setting *report_settings(const struct spec *s);
void report_settings_free(struct page_setting *all);

/* ---- md.c: kept results as pages of Markdown, an index and two a paper ---- */

struct pages {                  /* what is written, and where */
	const char *folder, *out;       /* of the kept results; of the pages */
	char *const *names;             /* of all experiments */
};

struct sheet {                  /* a page in memory */
	FILE *f;
	char *text;             /* size bytes once f is closed */
	size_t size;
};

void sheet_open(struct sheet *sheet);

/*
 * Closes the page and frees its text; before, when ret is 0, writes it to the file and prints the
 * path. ret, or -1 after error().
 */
int sheet_write(struct sheet *sheet, const char *path, int ret);

/* "PAPER.md#PAPEREXPERIMENT", where both pages of a paper have the experiment. */
void put_anchor(const char *name, FILE *f);

/*
 * Writes OUT/experiments.md, which has every built-in experiment and the totals of the verdicts,
 * and OUT/experiments/PAPER.md: of each experiment of the paper its question, and the plots,
 * tables and claims.json that are kept of it in FOLDER/PAPER/NAME or NAME-VARIANT. Scales,
 * settings, notes and intervals are in OUT/experiments/settings/PAPER.md. Prints the paths. 0, or
 * error() for what cannot be read or written.
 */
int report_md(const char *folder, const char *out);

/*
 * Writes DIR/PAPER.md and DIR/settings/PAPER.md, of the experiments from the first on that are of
 * the same paper. 0, or -1 after error().
 */
int report_md_paper(const struct pages *of, char *const *first, const char *dir);

/* ---- index.c ---- */

/* Writes OUT/experiments.md and prints its path. 0, or -1 after error(). */
int report_index(const struct pages *of);

/* ---- kept.c: results kept in a folder, as FOLDER/PAPER/NAME or FOLDER/PAPER/NAME-VARIANT ---- */

/*
 * The parsed FOLDER/NAME/FILE, or FILE.gz where that is kept; NULL without either, or after
 * error(), when *ret is -1.
 */
cJSON *kept_file(const char *folder, const char *name, const char *file, int *ret);

struct kept_made {              /* owned texts of made.json */
	bool there;             /* the file is */
	char *scale, *made;     /* when; NULL: it does not say */
	char *runs, *wall, *version, *commit, *machine;
};

/* How FOLDER/NAME was made; kept_made_release(). *ret as in kept_file(). */
struct kept_made kept_made(const char *folder, const char *name, int *ret);
void kept_made_release(struct kept_made *made);

/* The scale and the verdicts of FOLDER/RESULT; `of` is owned. 0, or -1 after error(). */
int kept_verdicts(const char *folder, const cJSON *spec, const char *experiment,
		  const char *result, struct scale_verdicts *of);

/*
 * "PAPER/NAME" of the results of an experiment, sorted, NULL-ended; names has all experiments.
 * path_list_free().
 */
char **kept_results(const char *folder, char *const *names, const char *experiment);

/*
 * Rewrites FOLDER/PAPER/NAME/claims.json of every kept result, and prints the paths: from its
 * runs.json where that is kept; else the former verdict stays, except that a comparison of what
 * was learnt becomes undecided where nothing is known of its interval. 0 or error().
 */
int kept_claims_judge(const char *folder);

/*
 * Draws every plot under the folder again, from the NAME.json that lies in a folder "plots", else,
 * of a built-in experiment, from its runs.json or runs.json.gz, and prints the paths of the
 * pictures. Writes each table NAME.json of a folder "tables" as text, Markdown and CSV, too. 0 or
 * error().
 */
int report_again(const char *folder);

#endif
