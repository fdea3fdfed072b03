/* A recorder that a test feeds by hand, and access to the members of a run object. */
#ifndef TESTS_SUPPORT_PLAYED_H
#define TESTS_SUPPORT_PLAYED_H

#include "core/file/h5.h"
#include "report/report.h"

#include <stdint.h>

extern const struct record_info played_info;    /* hash "abc", a row of /train each half epoch */
extern const struct run played_run;             /* timing only */
extern const struct run_result played_result;   /* ended after 1.5 epochs and 12 s */

/* The k-th gradient, at epoch k / 4 and 2 k seconds, and its step: staleness k % 3, lr k / 10. */
void played_grad(struct hook *h, int64_t k, double loss);

/*
 * Opens a recorder and shows it six gradients with losses 1, 2, .. 6, marks after the 4th, after
 * the 6th and at the end, with 10 bytes a gradient, and the end of two workers and a server.
 */
struct recorder *play(const char *path, const struct run *run);
struct recorder *play_as(const char *path, const struct record_info *info, const struct run *run);

/* Plays into run.h5 of a new folder, closes and reads it; the caller removes *folder. */
cJSON *play_and_read(const struct run *run, const struct run_result *result, char **folder);

/* The result file as a run object; NULL after error(). */
cJSON *tree_read(const char *path);

/* Members of a run object: row i of a column, number of rows, a number (or NaN), a text. */
double tree_at(const cJSON *run, const char *group, const char *column, int i);
int tree_rows(const cJSON *run, const char *group, const char *column);
double tree_number(const cJSON *run, const char *name);
const char *tree_text(const cJSON *run, const char *name);

/* A whole file of a result or a trace, in memory, to be changed; h5_save() writes and closes it. */
hid_t played_open(const char *path);

/* Changes the layout version in the file of a result or a trace. */
void played_set_version(const char *path, int64_t version);

#endif
