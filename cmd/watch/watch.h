/* Runs as they are seen from outside: their files, read while they are written. */
#ifndef CMD_WATCH_WATCH_H
#define CMD_WATCH_WATCH_H

#include "plan/plan.h"

#include <stdbool.h>
#include <stdio.h>

enum watch_state { WATCH_WAITING, WATCH_RUNNING, WATCH_ENDED, WATCH_BROKEN };

struct watched {                /* one run */
	char *path;             /* of the result; while it goes on PATH.part is there; owned */
	char *label;            /* "algo=asgd seed=1"; owned; NULL: as the file says */
	cJSON *run;             /* result_glance(), or NULL; owned */
	enum watch_state state;
	const char *status;     /* "waiting", "stopped", or as in the file; borrowed from run */
	double fraction;        /* of the bound that comes first; 0 where nothing is known */
	double age_s;           /* seconds since the file was written */
	int64_t stamp;          /* of the file that was read last, in nanoseconds */
};

struct watch {
	struct watched *runs;   /* [n], owned */
	size_t n;
};

/* What a terminal, or a file, can show. */
struct screen {
	int width, height;
	bool redraw;            /* lines are drawn over the old ones */
	bool colour, blocks;    /* blocks: UTF-8 */
	int drawn;              /* lines that stand there */
};

/* ---- runs.c ---- */

/* The runs of a plan, or those whose files lie in a folder and below; or one file. */
void watch_plan(struct watch *w, const struct plan *p);
void watch_folder(struct watch *w, const char *folder);
void watch_file(struct watch *w, const char *path);

/* Looks, and leaves those alone that go on. */
void watch_drop_ended(struct watch *w);

/* Reads again what has changed. */
void watch_look(struct watch *w);
size_t watch_count(const struct watch *w, enum watch_state state);
void watch_release(struct watch *w);

/* The last number of a curve's column; NaN when there is none. */
double watch_last(const cJSON *run, const char *curve, const char *column);

/* ---- draw.c ---- */

struct screen screen_of(FILE *out);

/*
 * "asgd, 4 workers, seed 1  running  42 %  epoch 2.1  loss 0.3 ..."; label_width 0:
 * as the label is; the caller frees.
 */
char *watch_line(const struct watched *r, int label_width);

/* Draws all runs, and of a single one its curve, over what was drawn before. */
void watch_draw(const struct watch *w, struct screen *s, FILE *out);

/* ---- curve.c ---- */

/* Draws accuracy, or else loss, against epochs; the lines it took. */
int watch_curve(const cJSON *run, const struct screen *s, FILE *out);

#endif
