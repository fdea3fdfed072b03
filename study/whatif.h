/* Several combinations of settings, run as an experiment without a file. */
#ifndef STUDY_WHATIF_H
#define STUDY_WHATIF_H

#include "core/base/mem.h"
#include "runner/results/outcome.h"

/* The values of every setting of {setting: text}. 0 or error(); product_release() either way. */
int whatif_values(struct grid_product *values, const cJSON *set);

/*
 * Plans all combinations, with the table that shows them; columns: its measures, NULL-ended, or
 * NULL for the usual ones. Warns where runs are short. 0 or error(); plan_release() either way.
 */
int whatif_plan(struct plan *p, const struct grid_product *values, char *const *columns,
		const char *out);

/* A line a run with the table's measures, on stdout. */
void whatif_print_csv(const struct outcome *o, const struct plan *p);

/*
 * "no value in any run: cost (needs --price)": of the table's measures, those to which a setting
 * would give one; NULL: none. The caller frees.
 */
char *whatif_missing(const struct outcome *o, const struct plan *p);

/* All runs, and the paths of plots; the caller frees. */
cJSON *whatif_json(const struct outcome *o, const struct plan *p, const struct texts *paths);

struct plot_form;

struct whatif_file {            /* of a plot: DIR/NAME.FORMAT */
	const char *path;       /* as given, for messages */
	const char *dir, *name, *format;
	const struct plot_form *form;   /* of PDF and TikZ; NULL: the usual */
};

/* Draws the measure, and adds the paths. 0 or error(). */
int whatif_plot(const struct outcome *o, const struct plan *p, const char *measure,
		const struct whatif_file *to, struct texts *paths);

#endif
