/*
 * verify.h - runs of the simulator whose mean has a closed form.
 *
 * A case is repeated under seeds of its own, which are independent; their mean has a confidence
 * interval by Student's t.
 */
#ifndef STUDY_VERIFY_H
#define STUDY_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum verify_measure {
	STEP_TIME,              /* seconds of so many gradients */
	SERVER_TIME             /* seconds from a gradient's end to the worker's next beginning */
};

struct verify_case {
	const char *name;
	const char *law;        /* the closed form, as text */
	const char *settings;   /* "key=value key=value", over those that all cases share */
	enum verify_measure measure;
	int64_t warmup, gradients;      /* of all workers: left out, and then measured */
	int64_t per;            /* gradients of a step; 0: one */
	bool random;            /* else the simulator's answer is exact but for rounding */
	bool random_update;     /* the server's updates take exponentially distributed times */
	double exact;           /* the mean by the law */
	double limit;           /* of the law as workers grow without bound; 0: none is shown */
};
struct verified {
	const struct verify_case *of;
	double mean;
	double half;            /* of the 99 % confidence interval; 0: a case without chance */
	bool holds;
};

struct verify_cases {
	struct verify_case *v;  /* [n], owned */
	size_t n;
};

/* All built-in cases. */
struct verify_cases verify_cases(void);

/* Runs the case under seeds from `seed` on. 0 or error(). */
int verify_run(const struct verify_case *c, uint64_t seed, struct verified *v);

/* ---- closed forms ---- */

/*
 * Mean seconds at the server of a closed queue: n workers compute for exponential times of mean
 * compute_s, one server updates for update_s each, constant or exponential (Takacs 1962,
 * M/G/1//n: "machine repairman").
 */
double exact_closed_queue(int n, double compute_s, double update_s, bool random_update);

/* The sum of 1/i, i in (from, to]; for (n - k, n] that is the k-th smallest of n exponentials. */
double exact_harmonic(int from, int to);

/*
 * Mean seconds between the gradients of a worker that is fast and slow for exponential times: a
 * fast gradient takes 1 s, a slow one `factor`, times a gamma variate of mean 1 and coefficient of
 * variation cv. Which begin slow is a chain of two states.
 */
double exact_modulated(double fast_s, double slow_s, double factor, double cv);

/*
 * Mean seconds of a round of n such workers, cv 0, that wait for each other: how many begin it
 * slow is a chain of n + 1 states. 1 <= n <= 16.
 */
double exact_modulated_barrier(int n, double fast_s, double slow_s, double factor);

/*
 * Mean seconds between the gradients of a worker with slow phases of any smooth law of lengths,
 * many gradients long: a cycle of fast_s + slow_s by the mean number that begin in it. A gradient
 * that is under way at a change is half over, on average.
 */
double exact_phases(double fast_s, double slow_s, double factor);

#endif
