/*
 * measure.h - what is measured of runs (measures.def), by which names and words, and how far a run
 * went until a curve met a bound.
 *
 * A key is the name of a setting or of a measure; '-' and '_' are the same in it. "metric:NAME"
 * is a number that the problem itself measures, a column of eval: the measure is its last row.
 * Where a section names keys, it may give one text or a list of them.
 */
#ifndef RECORD_MEASURE_H
#define RECORD_MEASURE_H

#include "core/math/statistics.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

enum measure_id {
#define MEASURE(id, ...) MEASURE_##id,
#define WORDS(...)
#include "record/measures.def"
#undef MEASURE
#undef WORDS
	MEASURE_COUNT
};

enum measure_source {
	MEASURED_SUMMARY, MEASURED_COUNT, MEASURED_RARE, MEASURED_RARE_COUNT, MEASURED_DERIVED,
	MEASURED_PAIRED, MEASURED_TOKENS, MEASURED_CLOCK
};

enum measure_range { RANGE_ANY, RANGE_POSITIVE, RANGE_SHARE, RANGE_LOSS, RANGE_SIGNED };

struct measure_info {           /* measures.def says what they mean */
	const char *name, *words, *unit;        /* "" for no unit */
	double lost;            /* of a run that diverged: HUGE_VAL, -HUGE_VAL; 0: what it had */
	enum measure_source source;
	enum { BETTER_LOW, BETTER_HIGH } better;
	enum measure_range range;
	enum { SHOWN_OTHER, SHOWN_LISTED, SHOWN_USUAL } shown;
	const char *last;       /* a dataset of the result file; "": none */
};

extern const struct measure_info measure_table[MEASURE_COUNT];

/* Their names, NULL-ended. */
extern const char *const measure_names[];

/* The measure of that name, or MEASURE_COUNT. */
enum measure_id measure_find(const char *name);

/* One of them, a target, or a metric. */
bool measure_known(const char *name);

/* True where more of it is better. */
bool measure_is_better_high(const char *name);

/* Range of a measure, a target or a column; RANGE_ANY where nothing is known. */
enum measure_range measure_range(const char *name);

/* True of what differs from seed to seed: targets, real times, what is learnt. */
bool measure_varies(const char *name);

/* True of those that are of the real clock: other runs at the same time change them. */
bool measure_is_real(const char *name);

/* "time_per_epoch_s" -> "time per epoch [s]", or what labels says. The caller frees. */
char *measure_label(const char *name, const cJSON *labels);

/*
 * Notes the currency of a run whose cost is read, for the label of the measure cost; "": none. Of
 * several currencies the label names none.
 */
void measure_currency(const char *currency);

/* "latency_s" -> "latency [s]": of a plug-in's option. The caller frees. */
char *option_label(const char *name);

/* The member of an object by key, or NULL. */
const cJSON *key_find(const cJSON *object, const char *key);

/* The i-th key of a section's text or list; NULL past the end. */
const char *keys_at(const cJSON *keys, int i);

/* True when that list has the key. */
bool keys_have(const cJSON *keys, const char *key);

/* Value of a run that diverged: measure_info.lost, and 0 of what is no measure. */
double measure_lost(const char *name);

/* True of losses, accuracies and the like, which a run that diverged has not. */
bool measure_learnt(const char *name);

/* 0, or error() that begins with the option and names the nearest measure. */
int measure_check_name(const char *option, const char *name);

/*
 * The measures of "time_s,wait_share", each checked: NULL-ended, path_list_free(). NULL after
 * error().
 */
char **measures_parse(const char *option, const char *text);

/* A JSON value as text; the caller frees; NULL for null, lists and objects. */
char *value_text(const cJSON *value);

struct bound {
	bool less, equal;       /* < or <=; <= or >= */
	double limit;
};

/* "<N", ">N", "<=N" or ">=N" with a finite number N and nothing else; false: not a bound. */
bool bound_parse(const char *text, struct bound *b);
bool bound_holds(const struct bound *b, double x);

/*
 * ---- targets: how far a run went until a curve met a bound: "time_to:test_accuracy>=0.8",
 * "epochs_to:train_loss<=0.5", "gradients_to:COLUMN>=VALUE" ----
 */

struct target {
	const char *axis;       /* the column that is asked for: "time_s", "epoch", "gradients" */
	const char *unit;       /* of its words: "time (s)" */
	char column[32];
	bool eval;              /* the column is of the run's eval, or else of its train */
	struct bound bound;
};

/* "time_to:" and the like; NULL past the last. */
const char *target_prefix(size_t i);

/* True when the name of a measure begins as a target does. */
bool target_named(const char *measure);

/* Fills *t; false: not a target. */
bool target_parse(const char *measure, struct target *t);

/* error() for a measure that begins as a target and is none. */
int target_error(const char *where, const char *key, const char *measure);

#endif
