/* The runs of an experiment at a scale, resolved, and what is done of them. */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include "core/samples/dataset.h"
#include "plan/machine/cluster.h"
#include "plan/resolve/setup.h"
#include "plan/spec/spec.h"
#include "report/claims/looks.h"

#include <stdint.h>

enum run_state { RUN_TODO, RUN_FINISHED, RUN_FAILED, RUN_CUT };
extern const char *const run_state_name[];      /* "planned" "finished" "failed" "interrupted" */

#define PLAN_NONE SIZE_MAX       /* no run */
#define TUNING_NAME "tuning"     /* of the folder, the table and the plot of tuning runs */

struct tuning;

struct planned {
	struct setup su;
	struct grid_point point;        /* the grid's values as written; owned */
	uint64_t digest;        /* of the point: point_digest() */
	struct grid_point extra;        /* settings that override the point: those tuning chose, or
					 * that a tuning run has besides; owned */
	char *label;            /* "algo=asgd seed=1"; owned */
	char *path;             /* of the result file; owned */
	enum run_state state;
	size_t same_as;         /* the first run of the same hash: itself, as a rule */
	size_t baseline;        /* the run that its speedup is relative to; PLAN_NONE */
	struct dataset *data;   /* borrowed from the plan; NULL: needs none, or not opened */
	size_t method;          /* whose settings are tuned: in the plan's tuning */
	bool tuned;             /* extra is its method's */
	bool open;              /* its tuned settings are not chosen yet: it cannot be run */
	bool added;             /* a seed that the spec does not have: p->looks */
};

/* Differences of a plan's runs from the spec's set-up; texts are owned, NULL: nothing. */
struct changes {
	char *settings;         /* "workers=4 lr=0.05" */
	uint64_t keys;          /* these settings, a bit each, by index of settings_opts */
	char *data;             /* another data set, without the folder of its files */
};

struct plan {
	struct spec spec;
	struct changes changes; /* by the command line */
	struct grid_point set;  /* the settings of the command line, owned */
	struct grid_product swept;      /* those of them with several values; owned */
	char *dir;              /* OUT/EXPERIMENT/SCALE, or SCALE+HASH with changed settings */
	char *folder;           /* of the result files */
	struct planned *runs;   /* [n]; the baselines are the last ones */
	size_t n, nbaselines;
	bool quick_compute_s, quick_delay;      /* baselines have the quickest worker's alone */
	size_t left_out;        /* points of the grid that `only` left out */
	struct tuning *tuning;  /* owned; NULL: nothing is tuned (spec_tune.h) */
	struct looks *looks;    /* owned; looks at its claims, with the seeds added; NULL: none */
	const char *stage;      /* "tuning": these runs only choose settings; else NULL */
	struct shared_data {
		char *text;
		struct dataset *data;
	} *shared;              /* [nshared] data sets that runs share */
	size_t nshared;
	struct clusters clusters;       /* that its runs have: each is read once for all of them */
};

/* Number of the runs that are no baselines: the first ones. */
static inline size_t plan_own_runs(const struct plan *p)
{
	return p->n - p->nbaselines;
}

struct plan_request {
	const char *experiment; /* name or path */
	const char *scale;      /* NULL: the default one */
	const cJSON *set;       /* {setting: text} that overrides all others; may be NULL */
	const char *only;       /* "KEY=VALUE": these points of the grid alone; NULL: all */
	const char *out;        /* folder of all results */
	bool again;             /* finished runs are to do once more */
};

/*
 * Expands and resolves; looks which runs are finished. Where settings differ
 * from the spec's, its published cells are dropped: they are of another set-up.
 * 0 or error(); release in either case.
 */
int plan_make(struct plan *p, const struct plan_request *r);
void plan_release(struct plan *p);

/*
 * Finished, at `path` or next to it, with the settings' former hash (setup_former()): the path of
 * that result, which the caller frees; NULL: there is none, or no former hash.
 */
char *plan_former_result(const struct setup *su, const char *path);

/* Warns of such a result, which is not used. */
void plan_warn_of_former(const struct setup *su, const char *path);

/*
 * Warns of a finished result of an external problem that has read another file of the same name
 * than the problem reads now. True if it has.
 */
bool plan_warn_of_file(const struct setup *su, const char *path);

/*
 * The product of the settings' values, without an experiment: results
 * are those of `convoy sim`, in OUT/sim. Each run has a baseline: one worker of the same
 * settings, alone, in a timing-only run; PLAN_NONE where one worker cannot have them.
 */
int plan_from_values(struct plan *p, const struct grid_product *values, const char *out);

/*
 * A run at each of the points, which are taken over and override the base (NULL: none), and no
 * baselines; results are as above.
 */
int plan_from_points(struct plan *p, const struct grid_point *base, struct points *points,
		     const char *out);

/*
 * Adds a run at a point, and settings that override it, which are both taken over; 0, or error(),
 * which `muted` does not show.
 */
int plan_add(struct plan *p, struct grid_point point, struct grid_point extra, bool muted);

/* Resolves a run again, with other settings that override its point, which are taken over. */
int plan_again_with(struct plan *p, struct planned *r, struct grid_point extra);

/*
 * Adds the runs of seeds that p->looks has got since, before the baselines, and looks which are
 * finished. 0 or error().
 */
int plan_extend(struct plan *p);

/* The spec's own runs that have no result, those that were left out among them. */
size_t plan_lacks_own(const struct plan *p);

/* Takes added runs for which `drop` is true out of the plan, and their seeds out of p->looks. */
void plan_drop_added(struct plan *p, bool (*drop)(const struct planned *r));

/* Looks which runs are the same, which are finished; again: finished ones are to do once more. */
void plan_settle(struct plan *p, bool again);

/* "slow-worker: algo=asgd seed=1", the former where there is one. The caller frees. */
char *plan_title(const struct plan *p, const struct planned *r);

/* Runs in that state, runs of the same settings counted once. */
size_t plan_count(const struct plan *p, enum run_state state);

/* "n of m runs missing", those left out included, or NULL. The caller frees. */
char *plan_gap(const struct plan *p);

/* Assumptions of its runs' machines, baselines left out, in a line; NULL: none. */
char *plan_assumed(const struct plan *p);

/* remarks() of the runs that are no baselines. The caller frees with path_list_free(). */
char **plan_remarks(const struct plan *p, size_t *machine);

/* True when that is all of clusters that the settings name. */
bool plan_names_machine(const struct plan *p);

/*
 * Opens the data sets of the runs to do, each once, and checks that batches fit. 0, or -1 after
 * error(): the runs that cannot have theirs have failed.
 */
int plan_open_data(struct plan *p);

/* True when some run goes to real ranks. */
bool plan_is_real(const struct plan *p);

/* True when no run to do computes gradients. */
bool plan_is_timing(const struct plan *p);

/*
 * Looks for the files of a run's data, after what stands on stdout. 0, also where it reads none;
 * -1 after error() naming a file that is missing, and how to get it.
 */
int setup_look_data(const struct setup *su);

/* Looks for the data of all runs to do, each data set once. */
int plan_look_data(const struct plan *p);

/* ---- override.c: another set-up than the spec's ---- */

/* Overrides the spec by the request's settings, and finds the folder of what comes of it. */
int plan_override(struct plan *p, const struct plan_request *r);

/* True when a setting is among them. */
bool changes_has(const struct changes *c, const char *setting);

void changes_release(struct changes *c);

/* "workers=4 data=cifar10": the settings and the data set; NULL: none. The caller frees. */
char *changes_text(const struct changes *c);

/*
 * A data set in the words of a title, "cifar10:crop=false", if it is not the spec's; else NULL. The
 * caller frees.
 */
char *other_data(const struct spec *s, const char *data);

/* ---- entries.c: tables and plots, for the settings that runs have ---- */

/* 0, or error() where a table or plot of the spec has the name of those of tuning runs. */
int entries_check_tuning(const struct spec *s);

/* Has tables and plots show the values of a setting that the command line gives. */
void entries_fit(const struct plan *p, const char *setting, const struct value_list *values);

/* Their titles, in a spec, say which data set it was, when it is not the spec's. */
void entries_name_data(cJSON *spec, const char *data);

/*
 * {setting} in the titles, labels and notes of tables and plots becomes what the runs have; notes
 * without one are left out where settings were changed.
 */
void entries_expand_words(const struct spec *s, bool changed);

/* ---- the runs that speedups are relative to ---- */

/* Says what the baselines' one worker is, where workers differ; NULL: they do not. Owned. */
char *plan_baseline_text(const struct plan *p);

/* ---- metrics.c: metrics that the plan asks for ---- */

/*
 * 0, or error() if the measure is a metric, or a target of one, that no run's model has. Models
 * whose metrics are not known, because their code may not be started, may have any.
 */
int plan_check_metric(const struct plan *p, const char *measure);

/* plan_check_metric() of what the spec's tables, plots and claims name. */
int plan_check_metrics(const struct plan *p);

#endif
