/*
 * folder.h - the folders that results are written into: which one, one process at a time, the one
 * written last, and of which spec its results are.
 */
#ifndef RUNNER_RESULTS_FOLDER_H
#define RUNNER_RESULTS_FOLDER_H

#include "plan/plan.h"
#include "runner/results/lease.h"

#include <stdbool.h>

/* The folder that was asked for, else $CONVOY_RESULTS, else "results". */
const char *results_folder(const char *out);

/* Makes a folder of results. 0, or error() when nothing can be written there. */
int folder_make(const char *dir);

/*
 * folder_make(), and removes what killed runs have left in it: temporary_clean(). 0 or error().
 */
int folder_prepare(const char *dir);

/* All that was written to the file system of the folder reaches the disk. */
void folder_sync(const char *dir);

/* 0 when the folder is there and can be written into, else error(). */
int folder_writable(const char *dir);

/* ---- one process at a time makes a result ---- */

struct result_lock {
	struct lease *lease;    /* NULL: none */
	bool waited;            /* another process had it before */
	bool taken_over;        /* from a process that has ended without releasing it */
};

/*
 * Takes the lock (lease.h) of the file at that path, for this process. While another process has
 * it, waits, and says so. Without a lock: where none can be written, where this process or the one
 * that started it as a rank has it already, and after a signal (signal_caught). If another process
 * takes it over since this one was suspended, this process ends with an error().
 */
struct result_lock result_lock(const char *path);

/* Takes the lock without waiting. False: another process has it. */
bool result_lock_try(const char *path, struct result_lock *lock);

/* The process that started this one, as a rank, has the lock, with that lease_key(). */
void parents_lock_keep(const char *path, const char *key);

void result_unlock(struct result_lock *lock);

/* ---- the folders that hold an experiment's results, and the one written last ---- */

struct last {                   /* what a request borrows; latest_release() frees */
	char *scale;
	cJSON *set;             /* {setting: text} of its command line; NULL: none */
};

/*
 * Fills a request without settings, from the folders OUT/NAME/SCALE and OUT/NAME/SCALE+HASH that
 * have results. With a scale: its own folder, else the last of its others; without: the last of
 * all. `unchanged`: those alone whose settings are the spec's. A note names the folder where it is
 * not the request's own; where there is none, the request stays. 0, or error() about the spec,
 * or the settings that the folder is of.
 */
int latest_find(struct last *l, struct plan_request *request, bool unchanged);
void latest_release(struct last *l);

/* error(): the plan has no finished run; and the folders in OUT where its experiment has some. */
void latest_error(const struct plan *p, const char *out);

/* ---- which spec the results in a folder are of, where its name alone does not find it ---- */

/* Writes where a spec is that is not built in to spec.path in its folder. 0 or error(). */
int provenance_write(const struct plan *p);

/* Warns where that folder says another spec, which is still there and says something else. */
void provenance_warn(const struct plan *p);

/*
 * Paths of the specs that the folders of results in OUT say, each once; note()s those that are not
 * there any more. NULL-ended, path_list_free().
 */
char **provenance_list(const char *out);

#endif
