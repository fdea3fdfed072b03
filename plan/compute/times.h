/*
 * times.h - compute times of workers: the grammar of the setting compute_s.
 *
 *     compute_s = SECONDS | clause { ";" clause }
 *     clause    = [ who ":" ] time
 *     who       = span { "," span }
 *     span      = RANK | RANK "-" RANK
 *     time      = SECONDS | "table:" KEY "=" VALUE { "," KEY "=" VALUE } | DEVICE
 *
 * A clause without ranks stands first, for all workers that no other clause names. SECONDS are
 * those of a minibatch of the setting batch.
 */
#ifndef PLAN_COMPUTE_TIMES_H
#define PLAN_COMPUTE_TIMES_H

#include "core/text/opt.h"
#include "core/text/ranks.h"

/*
 * Measured compute times: batch to seconds, and what follows for other batches. Between two points
 * the time is linear. Beyond the ends it goes on with the slope b of the least-squares fit
 * a + b * batch through all points. Below the first it does not exceed that fit's gain: it is at
 * least proportional to the batch. One point alone is proportional.
 */
struct timetable {
	struct opt_doubles batch, seconds;      /* as many of both, owned; batches ascend */
};

/* Seconds of a minibatch = fixed + per_sample * batch. */
struct affine {
	double fixed, per_sample;
};

void timetable_add(struct timetable *p, double batch, double seconds);
void timetable_release(struct timetable *p);

/* The least-squares fit; of one point the line through 0. */
struct affine timetable_fit(const struct timetable *p);

/* A published training rate of a net on a device. */
struct device_rate {
	const char *net;        /* NULL ends the list */
	double batch;           /* samples of a minibatch; 0: not published */
	double samples_s;       /* of one device */
	const char *source;
};

/* A published training rate of transformers on a device. */
struct token_rate {
	double params;          /* 0 ends the list */
	int gpus;               /* that it was measured on, together */
	double tokens_s;        /* of one device */
};

struct device_peak {
	double flops;           /* a second, dense, in bf16 */
	const struct token_rate *tokens;        /* by params, ascending; NULL: none is published */
	const char *source;     /* of .flops, in words */
	double memory;          /* bytes; 0: not known */
};

struct compute_kind {
	struct plugin plugin;   /* its cite names the source of all rates */
	const struct device_rate *rate; /* NULL: a table, whose settings have the points */
	const struct device_peak *peak; /* NULL: the setting device does not have it */
};

/* Source of rates of transformers, with what they are of. */
extern const char device_tokens_source[];

extern const struct device_peak device_peak_a100, device_peak_h100, device_peak_h200,
	device_peak_b200, device_peak_l40s, device_peak_rtx4090, device_peak_mi300x;

/* The device of that name that has a peak, or NULL after error() that begins with `where`. */
const struct compute_kind *device_find(const char *name, const char *where);

/*
 * The published rate of the size nearest to so many parameters; NULL: none is within a factor of
 * two.
 */
const struct token_rate *device_token_rate(const struct compute_kind *device, double params);

/* Share of the peak that such a rate is, by 6 operations for each parameter and token. */
double device_rate_mfu(const struct compute_kind *device, const struct token_rate *rate);

extern const struct plugin *const compute_table[];      /* NULL-ended */

/* True when a rate of that net is published for it, so that its name alone is a compute time. */
bool compute_kind_has_net(const struct compute_kind *kind, const char *net);

struct times_clause {
	struct rank_list who;       /* none: all workers */
	double seconds;         /* of a minibatch; 0: the kind's */
	struct choice kind;     /* struct compute_kind */
	struct timetable points;
};

struct compute_times {
	struct times_clause *clause;    /* [n], owned; n = 0: one number says it all */
	size_t n;
	double batch;           /* samples that SECONDS are of */
};

/* True of a text that is more than a number. */
bool compute_times_has_clauses(const char *text);

/*
 * Parses such a text for so many workers with minibatches of `batch` samples of a net (NULL: one
 * that is not built in). A run of one worker has no others: clauses of other ranks are left out.
 * 0 or error(); release in either case.
 */
int compute_times_parse(struct compute_times *t, const char *text, int workers, int64_t batch,
			const char *net);
void compute_times_release(struct compute_times *t);

/* True when a time is a device's. */
bool compute_times_have_device(const struct compute_times *t);

/* Seconds that a worker computes on so many samples. */
double compute_times_seconds(const struct compute_times *t, int rank, double samples);

/*
 * Workers whose times are of no measured batch: "0-7: batch 16 is outside the measured 32 to
 * 1024", or NULL. They are those of the setting batch and of the workers' slices of a round
 * (core/samples/slice.h; NULL: equal ones). The caller frees.
 */
char *compute_times_beyond(const struct compute_times *t, int workers, const int64_t *slice);

/* With tables as batches and seconds: reads back to the same. The caller frees. */
char *compute_times_format(const struct compute_times *t);

/* One worker's time as text, without ranks; t->n is not 0. */
char *compute_times_format_worker(const struct compute_times *t, int rank);

/* The hash h, and what the clauses' points say. */
uint64_t compute_times_hash(uint64_t h, const struct compute_times *t);

#endif
