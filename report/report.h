/* From a run's events to a file, from files to tables, plots and verdicts. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "core/run.h"

#include <cjson/cJSON.h>
#include <stdio.h>

/* ---- record.c: the hook that writes one HDF5 file per run, as docs/results.md has it ---- */

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
	const struct setting *assumed;  /* [nassumed] settings left open: where each is from */
	size_t nassumed;
	int ranks;                      /* processes that the run has */
	int64_t macs;                   /* forward multiply-accumulates per sample */
	const char *computed_in;        /* f32 or bf16, whatever was asked for; "": nothing was */
	double train_every;             /* epochs between rows of the training curve */
	bool synced_later;              /* the caller has files reach the disk, many at once */
	bool saved_late;                /* PATH.part comes after some seconds, not at once */
	int64_t time_from;              /* gradients before time_per_epoch_s begins */
	int64_t test_samples;           /* evaluated at each mark; 0: all */
	int stat_batches;               /* that re-estimate batch-norm statistics; 0 counts as 1 */
	bool keep_model;                /* the final one is in the file */
};

struct recorder;

/*
 * Opens PATH.part and, unless saved_late, writes settings and environment; NULL after error().
 * Everything in info is copied; run, and its pool, must live until the close. Add
 * recorder_hook() to run->hooks before the engine starts.
 */
struct recorder *recorder_open(const char *path, const struct record_info *info,
			       const struct run *run);
struct hook *recorder_hook(struct recorder *r);

/* All that it has seen so far, as bytes that the caller frees; for recorder_restore(). */
void *recorder_state(const struct recorder *r, size_t *n);

/* A new recorder goes on where another was. 0, or error() for bytes of something else. */
int recorder_restore(struct recorder *r, const void *state, size_t n);

/*
 * Puts what it has seen so far at PATH.part, with status "interrupted", for the run may be killed
 * soon; nothing is saved in between any more. 0 or error().
 */
int recorder_cut(struct recorder *r);

/*
 * Writes the summary (status "done", "diverged", "stalled" or "interrupted") and
 * closes. The file ends at PATH unless the run was interrupted or stalled, then it
 * stays at PATH.part, whole and readable. NULL result: the run failed, PATH.part is
 * removed. Frees r. Returns 0, or error() when the file cannot be written; a
 * failure to save in between is only shown, and tried again here.
 */
int recorder_close(struct recorder *r, const struct run_result *result);

/*
 * interrupt.c: a killed run's file of status "running" becomes a whole one, "interrupted", with
 * the outcome of its last rows. 1, 0 when it has another status, or error().
 */
int result_interrupt(const char *path);

/* The same; also 0 when another process than this one wrote the file last. */
int result_interrupt_of(const char *path, pid_t writer);

/* ---- record/mark.c ---- */

struct result_mark {
	bool is_baseline;       /* other runs' speedups are relative to it */
	const char *baseline;   /* the hash of the run that its own is relative to; NULL: none */
	double speedup;
	const char *tuned;      /* settings that tuning chose, and how; NULL: none */
	bool synced_later;      /* the caller has the file reach the disk, with others */
};

/*
 * Has the finished file at path say so: /summary/is_baseline, /baseline, /speedup, /tuned. It is
 * written again where it does not yet: 1, else 0, or error().
 */
int result_mark(const char *path, const struct result_mark *m);

/* ---- result.c: reading them back ---- */

/*
 * The run object of --json: {"experiment","scale","hash","algo","workers","seed","status",
 * "end","time_s","epochs","time_per_epoch_s","speedup":null,"wait_share","bytes_sent",
 * "busiest_bytes","staleness_mean","train_loss","test_loss","test_accuracy","file",
 * "settings":{key:text}, "train":{column:[...]}, "eval":{...}, "nodes":{...}, "staleness":{...}}.
 * Also "gradients" and "events", and "faults":{...} where there were some. What has no
 * meaning is null. NULL after error() for a file that is not whole (its run was killed) or
 * not ours. The caller frees with cJSON_Delete().
 */
cJSON *result_read(const char *path);

/*
 * The same, and what is real and differs every time, as far as the file has it: "wall_s" of the
 * run, and a column of that name of its "train" and its "eval"; and what it was "computed_in".
 */
cJSON *result_read_timed(const char *path);

/*
 * What there is of a run that may still go on, PATH.part: identity, "file", "settings", "train",
 * "eval", "process" as by environ_process(), and what result_read_timed() adds. NULL after error().
 */
cJSON *result_glance(const char *path);

/*
 * NULL when path holds a whole result with that hash and status done or diverged; else what is
 * wrong with it, as in "'PATH' is damaged: its checksum is wrong". Prints nothing.
 */
const char *result_fault(const char *path, const char *hash);

/*
 * [dim] the final model that was kept in the file; NULL after error() when it is not there, or of
 * another size. The caller frees.
 */
float *result_model(const char *path, size_t dim);

/* True when path holds a whole result with that hash and status done or diverged. Silent. */
bool result_finished(const char *path, const char *hash);

/*
 * The same; of a file that is there and is no such result, a warning names the fault, and says that
 * the run will be repeated.
 */
bool result_usable(const char *path, const char *hash);

/* True when path holds some whole result, which its checksum tells without HDF5. Silent. */
bool result_is_whole(const char *path);

/* ---- aggregate.c: docs/specs.md says what tables, plots, published and claims mean ---- */

/*
 * Checks the sections "published", "tables", "plots" and "claims" of a spec: 0,
 * or error() naming the position, the key and the nearest choice.
 */
int report_check(const cJSON *spec, const char *path);

/* ---- table/table.c ---- */

/*
 * Built tables: [{"name","title","corner","rows_by","columns_by","columns":[..],
 * "heads":[{"value","group","measure","label"}],
 * "rows":[{"label","value","cells":[{"measured","deviation","n","runs","published",
 * "relative_error","holds"}]}],"notes":[..],"source"}].
 * A cell is the mean of the n of its runs that have a number. Of a target as in target.h,
 * "reached" says how many of them met it; where not all did, the mean is the largest number.
 * "holds" is there when a bound such as ">1000" was published, "diverged", how many of the runs
 * did, where some did: their losses are infinite. "value" and the ..._by are as the
 * grid has them, "label", "group" and "corner" in words.
 */
cJSON *tables_build(const cJSON *spec, const cJSON *runs);

enum table_format { TABLE_TEXT, TABLE_MARKDOWN, TABLE_CSV, TABLE_JSON, TABLE_LATEX,
		    TABLE_TEX };        /* the same again */
extern const char *const table_format_name[];   /* "text" "md" .., NULL-ended */

void table_print(const cJSON *table, enum table_format format, FILE *out);

/* Writes DIR/NAME.{txt,md,csv,json} for every table, aside and renamed; 0 or error(). */
int tables_write(const cJSON *tables, const char *dir);

/* ---- plot/plot.c ---- */

/*
 * Writes DIR/NAME.gp, NAME.dat and, through gnuplot, NAME.svg and NAME.png for
 * every plot of the spec that has data. Returns the paths written as a JSON
 * array, or NULL after error(). Without gnuplot: script and data, and a warning. With the format
 * "pdf" NAME.pdf too, with "tex" that and NAME.tex, a LaTeX figure with a caption and a label:
 * error() without gnuplot.
 */
cJSON *plots_write(const cJSON *spec, const cJSON *runs, const char *dir, const char *format);

/*
 * Draws a plot of the spec in letters, $COLUMNS wide (gnuplot's dumb terminal);
 * name NULL: all of them. 0 or error().
 */
int plots_term(const cJSON *spec, const cJSON *runs, const char *name, FILE *out);

/* ---- claims/claims.c ---- */

/*
 * Checks every claim: [{"says","kind","where","quote","criterion","quantity": as in the spec,
 * "verdict":"holds"|"fails"|"undecided"|"not evaluated", "holds":true|false|null,
 * "interval": what beats() and the like gave, "by_means": what the means alone would say,
 * "shows":any,"error":text,"reason":text}], absent where there is none but "holds" and "shows".
 * The filters see {"scale", "runs", "tables", "published", "tuning", "files"}; the last
 * three are the spec's, "files" as claims_read_files() put them there.
 * "reason" is why a claim neither holds nor fails though its filter did not fail.
 */
cJSON *claims_check(const cJSON *spec, const cJSON *runs, const cJSON *tables, const char *scale);
void claims_print(const cJSON *claims, FILE *out);

/* claims_print(), and how many hold by kind below. */
void claims_print_all(const cJSON *claims, FILE *out);

/* claims_print() in a format: JSON as claims_check() gives them, else a row a claim. */
void claims_print_as(const cJSON *claims, enum table_format format, FILE *out);

#endif
