/*
 * spec.h - an experiment's file: found, checked, and one of its scales applied.
 * The grammar is in docs/specs.md.
 */
#ifndef PLAN_SPEC_SPEC_H
#define PLAN_SPEC_SPEC_H

#include "core/file/json_keys.h"
#include "plan/point.h"

struct grid {
	struct grid_product *v;      /* [n] */
	size_t n;
};

/* Settings that are chosen for each method, on which values, by which measure. */
struct spec_tune {
	struct grid_product grid;    /* of all methods, or */
	struct method_grid {
		char *method;
		struct grid_product grid;
	} *grids;               /* [ngrids], a grid for each */
	size_t ngrids;
	bool common;            /* grid is given, not grids */
	const char **per;       /* [nper] settings whose values are the methods, as written, in the
				 * file's JSON; nper = 0: all axes */
	size_t nper;
	const char *measure;    /* borrowed; NULL: missing */
	const char *best;       /* of spec_tune_bests, borrowed; NULL: by the measure */
	struct value_list seeds;        /* n = 0: missing */
	struct grid_point budget;
	bool has_budget;
};

/* Settings of the runs of a spec, and of each of its scales; all owned. */
struct spec_part {
	struct grid_point base, baseline;
	struct grid grid;       /* at least one product, which may be empty */
	bool replaces;          /* the grid is a list: a scale's stands instead of the spec's */
	bool has_baseline;
	bool untuned;           /* "tune" is false */
	struct spec_tune *tune; /* NULL: nothing is said of it */
};

struct spec_scale {
	const char *name, *time;        /* borrowed; time NULL: not said */
	struct spec_part part;  /* the chosen scale's overrides the spec's */
};

struct spec {                   /* all owned */
	char *path, *name;      /* name: without folder and .json */
	char *title, *about, *paper, *figure;   /* in words; "" without; NULL: not of a file */
	char *scale;            /* "default" where the spec has no scales */
	const char *time;       /* that the scale takes, in words, borrowed; NULL: not said */
	struct spec_scale *scales;      /* [nscales] */
	size_t nscales;
	cJSON *json;            /* as in the file: tables, plots and claims for their readers; a
				 * plan of other settings changes it, and one that tunes adds what
				 * was chosen, "tuning" */
	struct grid_point base;
	struct grid grid;       /* at least one product */
	struct grid_point baseline;
	bool has_baseline;
	struct spec_tune *tune;      /* NULL: nothing is tuned */
};

/*
 * Finds, parses and checks a spec, and applies a scale; NULL: the spec's
 * own choice. 0 or error().
 */
int spec_load(struct spec *s, const char *name, const char *scale);

/* Loads it without "claims", whose filters take long to check. */
int spec_load_settings(struct spec *s, const char *name, const char *scale);

/* Reads JSON that is already parsed, which is taken over; path is for messages. */
int spec_from_json(struct spec *s, cJSON *json, const char *path, const char *scale);

void spec_release(struct spec *s);

/* Overrides base and grid by settings: a key of the grid is left with that one value. */
void spec_set(struct spec *s, const struct grid_point *set);

/* Every product of the grid has this list of a setting's values, which is copied. */
void spec_set_list(struct spec *s, const char *key, const struct value_list *values);

/* True when the products of a grid differ in their lists of a setting's values. */
bool grid_differs(const struct grid *grid, const char *key);
void grid_release(struct grid *g);

/* True of the scale that was chosen, and of the others of the spec. */
bool spec_has_scale(const struct spec *s, const char *name);

/*
 * Names of the built-in experiments, sorted, NULL-ended; scale: those alone that have it, and
 * those that cannot be read; NULL: all. The caller frees with path_list_free().
 */
char **spec_names(const char *scale);

/*
 * Takes out of the spec, where the command line has engine = mpi, what only the
 * simulator has and the command line does not give; one warning() names it all. A baseline that is
 * timing-only for itself computes, too.
 */
void simulator_only_drop(struct spec *s, const struct grid_point *set);

/* ---- spec_read.c ---- */

/* Keys of a spec, of one of its scales, and of "tune"; "highest" and "lowest", NULL-ended. */
extern const struct json_key spec_keys[], spec_scale_keys[], spec_tune_keys[];
extern const char *const spec_tune_bests[];

/* Reads what s->json says of runs, and checks all of it. 0, or error() naming the nearest key. */
int spec_read(struct spec *s);
void spec_part_release(struct spec_part *part);

/* ---- entries.c: tables and plots ---- */

/*
 * Gives tables and plots the spec's labels where they have none of their own for a word; plots of
 * several quantities y become as many, NAME-1, NAME-2, ..., each with its own y axis. 0 or error().
 */
int entries_prepare(cJSON *spec, const char *path);

/* True when a table, plot or claim has what the real clock says of a run: measure_is_real(). */
bool spec_is_real(const struct spec *s);

/* ---- `--only KEY=VALUE`: which points of a grid are meant; several are a line each ---- */

/*
 * True when the point has all the values; only NULL: every point has. A value that the grid does
 * not have as it is written stands for all with its name and options (setting_agrees()).
 */
bool point_filter_agrees(const struct spec *s, const struct grid_point *point, const char *only);

/* error() that no point has them, with the nearest of the grid's values or settings; -1. */
int point_filter_refuse(const struct spec *s, const char *only);

/* ---- "tune" ---- */

/*
 * Sets what the part says of tuning in what is there: both are taken over. Either may be NULL;
 * spec_tune_release() what is returned.
 */
struct spec_tune *spec_tune_lay(struct spec_tune *tune, struct spec_part *part);
void spec_tune_release(struct spec_tune *tune);

/* 0, or error(): whether all is there, and goes with the experiment's own grid. NULL is right. */
int spec_tune_check(const struct spec_tune *tune, const struct grid *of_spec, const char *path);

/* True when some method's grid has the setting. */
bool spec_tune_has(const struct spec_tune *tune, const char *setting);

/* Takes the setting out of all grids; true when none has any setting left. */
bool spec_tune_drop(struct spec_tune *tune, const char *setting);

/* The grid of a method; NULL: it has none. Borrowed. */
const struct grid_product *spec_tune_grid(const struct spec_tune *tune, const char *method);

/* True when the highest value of the measure is best. */
bool spec_tune_highest(const struct spec_tune *tune);

#endif
