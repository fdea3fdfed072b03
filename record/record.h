/* From a run's events to its result file, and back. */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include "core/run.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* ---- recorder.c: the hook that writes one HDF5 file per run, as docs/results.md has it ---- */

struct setting {
	const char *key, *value;        /* canonical text, defaults included */
};

/* A copy of from[n], "" for a value that is NULL; settings_free() frees. */
struct setting *settings_copy(const struct setting *from, size_t n);
void settings_free(struct setting *s, size_t n);

struct result_mark;

struct record_figures {         /* of a whole run; NaN: it has none */
	double time_s, time_per_epoch_s, epochs, gradients;
	double wait_share;              /* of the workers' time */
	double bytes_sent;              /* by all nodes */
	double exchanges;               /* messages and all-reduces that arrived, and in time */
	double staleness;               /* mean, in steps */
	/* Growth of a bounded lead a round, where times are of the start of a run; else 0. */
	double lead;
	double train_loss, test_loss;   /* at the last evaluation */
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
	int64_t window;                 /* tokens of a sample; 0: samples are not of tokens */
	double peak;                    /* operations a second of a worker; 0: not known */
	const char *computed_in;        /* f32 or bf16, whatever was asked for; "": nothing was */
	double train_every;             /* epochs between rows of the training curve */
	bool synced_later;              /* the caller has files reach the disk, many at once */
	bool saved_late;                /* PATH.part comes after some seconds, not at once */
	int64_t time_from;              /* gradients before time_per_epoch_s begins */
	int64_t test_samples;           /* evaluated at each mark; 0: all */
	int stat_batches;               /* that re-estimate batch-norm statistics; 0 counts as 1 */
	bool keep_model;                /* the final one is in the file */
	/* Digest by which runs in the same order find what this one has learnt; NULL: none may. */
	const char *training;
	struct record_figures *figures; /* borrowed: filled instead of writing any file; or NULL */
	/* Borrowed, with its texts; its speedup follows from baseline_s, the baseline's time per
	 * epoch. NULL: nothing is known of other runs yet. */
	const struct result_mark *mark;
	double baseline_s;
};

/* recorder_rounds.c: a run's remark says that its figures have a lead; NULL: none. */
bool remark_leads(const char *remark);

/* recorder_rounds.c: so many exchanges, instead of those on an ideal network, are few; NaN: no. */
bool exchanges_are_rare(double own, double ideal);

struct recorder;
struct learnt;

/*
 * Opens PATH.part and, unless saved_late, writes settings and environment; NULL after error().
 * Everything in info is copied; run, and its pool, must live until the close. Add
 * recorder_hook() to run->hooks before the engine starts.
 */
struct recorder *recorder_open(const char *path, const struct record_info *info,
			       const struct run *run);
struct hook *recorder_hook(struct recorder *r);

/*
 * recorder_state.c: all that it has seen so far, as bytes that the caller frees; for
 * recorder_restore().
 */
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

/* ---- result_file.c: reading them back; into a struct: result.h ---- */

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
 * the run will be repeated. Silent where it could not be read: result_check_replaces().
 */
bool result_usable(const char *path, const char *hash);

/* error() for a file at path that could not be read, for want of permission or the like; else 0. */
int result_check_replaces(const char *path);

/*
 * True when path holds some result that was written to its end; its checksum is compared when it is
 * read. Silent.
 */
bool result_is_written(const char *path);

/*
 * learnt_file.c: all that the run in this file has learnt, of so many nodes, for runs of the same
 * training and order (record_info.training, run_result.order). NULL, silently, where it is not
 * there, or is of others. The caller frees with learnt_free().
 */
struct learnt *learnt_read(const char *path, const char *training, uint64_t order, int nodes);

struct run_cost {
	double wall_s;          /* seconds of the wall clock, for all of it */
	int64_t gradients;
	int64_t macs;           /* of a sample's forward pass; 0: the file does not say */
	int64_t threads;        /* of each rank */
	bool shown;             /* it computed nothing: its training is another run's */
};

/*
 * The texts of these settings (NULL-ended names) of a whole result, {name: text}, and what it took.
 * The caller frees. NULL, silently, for a file that is none.
 */
cJSON *result_cost(const char *path, const char *const *keys, struct run_cost *cost);

#endif
