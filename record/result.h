/*
 * result.h - a run as its result file, or a runs.json, has it: texts, settings, measures, curves.
 *
 *	struct result r;
 *
 *	if (result_load(&r, path, RESULT_WHOLE) == 0)
 *		printf("%s: %g\n", r.text[RESULT_ALGO], r.number[MEASURE_TIME]);
 *	result_release(&r);
 *
 * A key is the name of a setting or of a measure; '-' and '_' are the same in it.
 */
#ifndef RECORD_RESULT_H
#define RECORD_RESULT_H

#include "record/mark.h"
#include "record/measure.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Other numbers of a run, after the measures. */
enum {
	RESULT_WORKERS = MEASURE_COUNT, RESULT_SEED, RESULT_BATCH,
	RESULT_TEST_SAMPLES,    /* that the accuracy is of */
	RESULT_NUMBERS
};

enum result_text {
	RESULT_EXPERIMENT, RESULT_SCALE, RESULT_HASH, RESULT_ALGO, RESULT_STATUS, RESULT_END,
	RESULT_MODEL,           /* digest of the final one */
	RESULT_REMARK,          /* why it cannot be compared with others */
	RESULT_TRAINED_BY,      /* hash of the run in the same order that was trained instead */
	RESULT_TEST_CORRECT,    /* which test samples the final model gets right: correct_text() */
	RESULT_FILE, RESULT_COMPUTED_IN, RESULT_TUNED_BY,
	RESULT_BASELINE,        /* hash of the run that "speedup" is relative to */
	RESULT_TEXTS
};

enum result_part {
	RESULT_SETTINGS,        /* canonical, all of them */
	RESULT_ASSUMED,         /* settings left open: where each is from */
	RESULT_POINT,           /* of the grid, as the spec writes them */
	RESULT_TUNED,           /* what tuning chose */
	RESULT_PARTS
};

enum result_curve {
	RESULT_TRAIN, RESULT_EVAL, RESULT_NODES, RESULT_STALENESS, RESULT_GAP, RESULT_FAULTS,
	RESULT_CURVES
};

struct result_value {                  /* of a setting */
	char *key, *text;       /* a number with up to 15 digits; NULL: none of the three */
	enum value_kind { VALUE_TEXT, VALUE_NUMBER, VALUE_BOOL } kind;
	double number;          /* a number, or 0 and 1 */
};

struct result_values {
	struct result_value *v;        /* [n] */
	size_t n;
	bool there;
};

struct curve_column {
	char *name;
	double *v;              /* [n], NaN where there is none */
	size_t n;
};

struct curve {
	struct curve_column *column;    /* [n] */
	size_t n;
	bool there;
};

struct result {                         /* all owned */
	char *text[RESULT_TEXTS];       /* NULL: none */
	double number[RESULT_NUMBERS];  /* NaN: none */
	bool has_text[RESULT_TEXTS];    /* it is among the members, if only as null */
	bool has[RESULT_NUMBERS];
	struct result_values values[RESULT_PARTS];
	struct curve curve[RESULT_CURVES];
	bool is_baseline;
	struct result_mark said;        /* in its file */
	char *host;                     /* of the process that makes it; NULL: not known */
	int64_t pid;
};

struct results {
	struct result *v;       /* [n] */
	size_t n;
};

enum result_extent {
	RESULT_WHOLE,
	RESULT_TOTALS,          /* without the columns of nodes; what follows from them is there */
	RESULT_TIMED,           /* also what is of the real clock, and what was computed in */
	RESULT_SUMMARY,         /* which run it is, and the measures that its summary has */
	RESULT_GLANCE           /* of a run that may go on: no measures but CLOCK ones */
};

enum result_members {
	RESULT_ALL,
	RESULT_BRIEF,           /* without the long columns, "train" and "nodes", and without what
				 * is of the real clock, which differs every time */
	RESULT_SIMULATED        /* which run it is, its settings, and what does not follow from
				 * training or the real clock */
};

/* Reads a result file: 0, or error() and nothing to release. */
int result_load(struct result *r, const char *path, enum result_extent extent);

/*
 * Sizes of the model: floats, 2 x multiply-accumulates of a sample, and their ratio; 0 is unknown.
 * Then what a gradient, which is three forward passes, of so many real seconds means.
 */
void result_derive_model(struct result *r, double dim, double macs, double batch);
void result_derive_rates(struct result *r, double seconds);

/* Reads a run object; members that it lacks are not there. Everything is copied. */
void result_of_json(struct result *r, const cJSON *run);
struct results results_of_json(const cJSON *runs);

/*
 * The run object of --json: {"experiment","scale","hash","algo","workers","seed","status",
 * "end","time_s","epochs","time_per_epoch_s","speedup":null,"wait_share","bytes_sent",
 * "busiest_bytes","staleness_mean","train_loss","test_loss","test_accuracy","file",
 * "settings":{key:text}, "train":{column:[...]}, "eval":{...}, "nodes":{...}, "staleness":{...}}.
 * Also "gradients" and "events", and "faults":{...} where there were some. What has no
 * meaning is null. "test_correct" is the text of correct_text(), and "test_samples" the number of
 * test samples that accuracies are of, where those are known. The caller frees with cJSON_Delete().
 */
cJSON *result_json(const struct result *r, enum result_members members);
cJSON *results_json(const struct results *all, enum result_members members);

void result_release(struct result *r);
void results_release(struct results *all);

/* Takes the result over, at the end; borrowed until the next. */
struct result *results_add(struct results *all, const struct result *r);

/* The first result with that hash; NULL: there is none. */
const struct result *results_find(const struct results *all, const char *hash);

/* A member of the run, from now on: NaN is null; the text is copied, NULL is null. */
void result_set(struct result *r, int number, double x);
void result_say(struct result *r, enum result_text which, const char *text);

/* Adds the value of a setting, whose texts it takes over. */
void result_add_value(struct result *r, enum result_part part, struct result_value value);

/* A new column of n zeros; borrowed until the next one. */
struct curve_column *curve_add(struct curve *c, const char *name, size_t n);

/* The text of a setting as the file has it, or "". */
const char *result_setting(const struct result *r, const char *key);

/*
 * Names of the run's members, and after them names within its parts and curves: borrowed texts,
 * NULL after the last. The caller frees the list.
 */
const char **result_names(const struct result *r);

/* True when the run itself has a member of this name, not one of its parts and curves. */
bool result_has_name(const struct result *r, const char *name);

/* The value of this key, or NULL. */
const struct result_value *result_value(const struct result *r, enum result_part part,
					const char *key);

/* The rows of a column; NULL where there is none, or without rows. */
const double *result_column(const struct result *r, enum result_curve curve, const char *column,
			    size_t *n);

/* The last row of it; NaN when there is none. */
double result_last(const struct result *r, enum result_curve curve, const char *column);

/* "train", "eval", ...: the curve of this name; RESULT_CURVES: there is none. */
enum result_curve result_curve_named(const char *name);

/*
 * A setting or measure as text: as written in the grid, else canonical, else the run's own member.
 * NULL when there is none. A measure is formatted in `space`; all else is borrowed.
 */
const char *result_text(const struct result *r, const char *key, char space[32]);

/*
 * The same as a number: measure, "slow_factor", target, or setting. NaN when there is none,
 * HUGE_VAL for a target that was not met and for the losses of a run that diverged, -HUGE_VAL for
 * all else that it learnt.
 */
double result_number(const struct result *r, const char *key);

/* Values of all keys as one text, shown as labels (may be NULL) have them. The caller frees. */
char *result_label(const struct result *r, const cJSON *keys, const cJSON *labels);

/* True of a run that ended because a loss was not finite. */
bool result_diverged(const struct result *r);

/* The text is the status of the run. */
bool result_is(const struct result *r, const char *status);

/* ---- notes.c ---- */

/*
 * Sets "speedup", the baseline's time_per_epoch_s / the run's own, and "baseline", the hash of
 * that; both null without a baseline.
 */
void result_speedup(struct result *r, const struct result *baseline);

/*
 * Notes of the runs whose speedup is above their number of workers, a text for each reason; the
 * baselines are those of their hashes. NULL-ended, path_list_free().
 */
char **speedup_notes(const struct results *runs, const struct results *baselines);

/* Notes of the runs that cannot be compared with others, by their remark; path_list_free(). */
char **remark_notes(const struct results *runs);

/* "5 of 20 runs take their training from runs in the same order"; NULL: none. The caller frees. */
char *trained_text(const struct results *runs);

/*
 * "no failure happened in this run", "... in these 3 runs", "... in the 1 of 3 runs that could have
 * one", and the same of checkpoints; "a period of slow 1:2@500-600 begins after the end of this
 * run". NULL: none of it. The caller frees.
 */
char *absent_text(const struct results *runs);

#endif
