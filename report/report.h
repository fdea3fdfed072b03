/*
 * report.h - from a run's events to a file, from files to tables, plots and verdicts.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "core/run.h"

#include <cjson/cJSON.h>
#include <stdio.h>

/* ---- record.c: the hook that writes one HDF5 file per run; docs/results.md is its contract ---- */

struct setting {
	const char *key, *value;        /* canonical text, defaults included */
};

struct record_info {
	const char *experiment;         /* "" for a run from flags */
	const char *scale;
	const char *hash;               /* of the canonical settings */
	const char *spec;               /* resolved settings as JSON text */
	const struct setting *settings; /* [nsettings] */
	size_t nsettings;
	int argc;
	char **argv;
	double train_every;             /* epochs between rows of the training curve */
	int64_t test_samples;           /* evaluated at each mark; 0: all */
	int stat_batches;               /* training batches that re-estimate batch-norm statistics */
};

struct recorder;

/*
 * Opens PATH.part and writes settings and environment; NULL after error().
 * Everything in info is copied. Add recorder_hook() to run->hooks before the engine starts.
 */
struct recorder *recorder_open(const char *path, const struct record_info *info,
			       const struct run *run);
struct hook *recorder_hook(struct recorder *r);

/*
 * Writes the summary (status "done", "diverged", or "interrupted") and closes.
 * PATH.part is renamed to PATH unless the run was interrupted, then it stays,
 * whole and readable. NULL result: the run failed, PATH.part is removed. Frees r.
 */
int recorder_close(struct recorder *r, const struct run_result *result);

/* ---- result.c: reading them back ---- */

/*
 * The run object of --json: {"experiment","scale","hash","algo","workers","seed","status",
 * "end","time_s","epochs","time_per_epoch_s","speedup":null,"wait_share","bytes_sent",
 * "staleness_mean","train_loss","test_loss","test_accuracy","file",
 * "settings":{key:text}, "train":{column:[...]}, "eval":{...}, "nodes":{...}, "staleness":{...}}.
 * What has no meaning is null. NULL after error() for a file that is not whole or
 * not ours. The caller frees with cJSON_Delete().
 */
cJSON *result_read(const char *path);

/* True when path holds a whole result with that hash and status done or diverged. Silent. */
bool result_finished(const char *path, const char *hash);

/* ---- aggregate.c: docs/specs.md says what tables, plots, published and claims mean ---- */

/* 0, or error() naming key and nearest choice, for the sections "published", "tables", "plots", "claims" of a spec. */
int report_check(const cJSON *spec, const char *path);

/* Fills "speedup" of every run object: baseline time_per_epoch_s / its own (baseline NULL: null). */
void result_speedups(cJSON *runs, const cJSON *baseline);

/* ---- table.c ---- */

/* Built tables: [{"name","title","columns":[..],"rows":[{"label","cells":[{"measured","deviation","n","published","relative_error"}]}],"notes":[..],"source"}]. */
cJSON *tables_build(const cJSON *spec, const cJSON *runs);

enum table_format { TABLE_TEXT, TABLE_MARKDOWN, TABLE_CSV, TABLE_JSON };
extern const char *const table_format_name[];   /* "text" "md" "csv" "json", NULL-ended */

void table_print(const cJSON *table, enum table_format format, FILE *out);

/* Writes DIR/NAME.{txt,md,csv,json} for every table, aside and renamed; 0 or error(). */
int tables_write(const cJSON *tables, const char *dir);

/* ---- plot.c ---- */

/*
 * Writes DIR/NAME.gp, NAME.dat and, through gnuplot, NAME.svg and NAME.png for
 * every plot of the spec that has data. Returns the paths written as a JSON
 * array, or NULL after error(). Without gnuplot: script and data, and a warning.
 */
cJSON *plots_write(const cJSON *spec, const cJSON *runs, const char *dir);

/* Draws a plot of the spec as text (gnuplot's dumb terminal); name NULL: all of them. 0 or error(). */
int plots_term(const cJSON *spec, const cJSON *runs, const char *name, FILE *out);

/* ---- claims.c ---- */

/*
 * Checks every claim: [{"says","where","holds":true|false|null,"shows":any,"error":text|absent}].
 * The filters see {"scale", "runs", "tables", "published"}.
 */
cJSON *claims_check(const cJSON *spec, const cJSON *runs, const cJSON *tables, const char *scale);
void claims_print(const cJSON *claims, FILE *out);

#endif
