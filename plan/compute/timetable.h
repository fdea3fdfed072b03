/*
 * timetable.h - measured compute times: batch to seconds, and what follows for other batches.
 *
 * Between two points the time is linear. Beyond the ends it goes on with the slope b of the
 * least-squares fit a + b * batch through all points. Below the first it does not exceed that fit's
 * gain: it is at least proportional to the batch. One point alone is proportional.
 */
#ifndef PLAN_COMPUTE_TIMETABLE_H
#define PLAN_COMPUTE_TIMETABLE_H

#include "core/text/opt.h"

#include <stdbool.h>

struct timetable {
	struct opt_doubles batch, seconds;      /* as many of both, owned; batches ascend */
};

/* Seconds of a minibatch = fixed + per_sample * batch. */
struct affine {
	double fixed, per_sample;
};

/* 0, or error() when there are none, or no such times; `where` begins the message. */
int timetable_check(const struct timetable *p, const char *where);

/*
 * Appends the lines "BATCH SECONDS" of a text file; '#' begins a comment. With a header (core/file/
 * csv.h), the columns batch and seconds, in any order and unit. 0 or error().
 */
int timetable_read(struct timetable *p, const char *path);

void timetable_add(struct timetable *p, double batch, double seconds);
void timetable_release(struct timetable *p);

/* The least-squares fit; of one point the line through 0. */
struct affine timetable_fit(const struct timetable *p);

/* Seconds of so many samples. */
double timetable_seconds(const struct timetable *p, double samples);

/* True when so many samples lie between the first point and the last. */
bool timetable_cover(const struct timetable *p, double samples);

#endif
