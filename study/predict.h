/* Runs of the same settings in both engines, and how far the simulator is off. */
#ifndef STUDY_PREDICT_H
#define STUDY_PREDICT_H

#include "plan/point.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PREDICT_ROUNDS = 100 };   /* at most */

struct predict_conf {           /* the flags */
	char *out, *hostfile, *hosts, *plot, *scale, *only;
	int64_t ranks, threads, rounds;
	double settle, within;
	bool json, quiet;
};

struct entry {                  /* a row to be */
	char *name;             /* the algorithm, or a point's label; owned */
	struct grid_point set;  /* its settings; owned */
};

struct entries {
	struct entry *v;        /* [n], owned */
	size_t n;
};

/* The given settings once for each algorithm of their list. 0 or error(). */
int entries_of_flags(struct entries *j, const cJSON *given);

/* The points of an experiment with the given settings, which override its own. 0 or error(). */
int entries_of_experiment(struct entries *j, const struct predict_conf *c, const char *experiment,
			  const cJSON *given);
void entries_release(struct entries *j);

struct prediction {
	const char *name, *algo;        /* of its entry, which lives longer; as given */
	int workers, ranks;
	/* Seconds per epoch, of each round so far. */
	double predicted[PREDICT_ROUNDS], measured[PREDICT_ROUNDS];
	size_t rounds;
	int64_t diverged;               /* gradients after which the real run did; 0: never */
};

/*
 * Judges all entries, then runs them in turns: a machine that grows slower does so for all. Fills
 * the first *n of p[entries->n]. An exit code.
 */
int predict_all(const struct predict_conf *c, const struct entries *entries, struct prediction *p,
		size_t *n);

struct estimate_95 {            /* NaN: of nothing; half: of the 95 % interval, NaN of one */
	double mean, half;
};

/* Means of the rounds, by Student's distribution. */
struct estimate_95 prediction_predicted(const struct prediction *p);
struct estimate_95 prediction_measured(const struct prediction *p);

/* measured = 100 %: how far the prediction is off; NaN where the real run diverged. */
struct estimate_95 prediction_off(const struct prediction *p);

/* Both times agree only if the whole interval of their difference is within so many percent. */
#define PREDICT_WITHIN 25.0

/* A sentence; `within` replaces PREDICT_WITHIN unless it is 0. The caller frees. */
char *prediction_verdict(const struct prediction *p, double within);

/* "diverged after 12 gradients; lower --lr", of a row whose real run did; the caller frees. */
char *prediction_failure(const struct prediction *p);

/* Draws both times of every row that has both into DIR/NAME.svg, .png, .pdf, .tex or .tikz. */
int predictions_plot(const struct prediction *p, size_t n, const char *dir, const char *name,
		     const char *format);

#endif
