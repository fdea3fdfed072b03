/*
 * check.h - `convoy check`: are the gradients right?
 *
 * A batch goes through the double-precision reference and through every backend,
 * and their answers are compared: gradients blob by blob, the loss, batch-norm
 * statistics and the logits of evaluation.
 */
#ifndef STUDY_CHECK_CHECK_H
#define STUDY_CHECK_CHECK_H

#include "nets/backend.h"
#include "nets/reference/reference.h"
#include "runner/progress.h"

/* Results of one backend; compared in float. */
struct net_answer {
	double loss;
	float *grad;                    /* [dim] */
	float *stats;                   /* [stats_dim] */
	float *logits;                  /* [n][classes], of evaluation with the reference's stats */
};

/* One column of the table: one computation compared with another. */
struct comparison {
	char who[32], against[32];
	double tolerance;               /* of loss, stats and logits; and of the gradient's ... */
	double tolerance_grad;          /* ... errors, whole and blobs; infinite: cannot tell */
	double *blobs;                  /* [nblobs], owned; NaN: not looked at */
	double whole;                   /* of the gradient as one vector */
	/*
	 * The part of the gradient that f32's rounding may change, measured where an error is over
	 * its tolerance: as blobs, owned, and as whole; else 0.
	 */
	double *rounding, rounding_whole;
	double loss, stats, logits;     /* NaN: not looked at, as is whole */
};

enum { COMPARISONS = 12 };

struct check {
	struct graph *graph;            /* owned, as is all below */
	size_t n;
	uint64_t seed;
	int threads;
	bool full, exported;
	float *x, *images;
	double *xd, *imagesd;           /* the same values */
	int32_t *labels;
	uint64_t *use;                  /* addresses of the dropout masks */
	struct carried carried;         /* random numbers, of a net with memory: as many rows as
					   the net's own, or as its smaller window */
	struct reference_memory memory; /* the same values */
	struct dataset *data;           /* NULL: random images */
	bool has_reference;             /* it was asked ... */
	double *grad, *stats;           /* ... its answers in double */
	struct net_answer reference;        /* and in float */
	const float *stats_used;        /* by the evaluation: of the first to answer; borrowed */
	struct comparison comparisons[COMPARISONS];
	int ncomparisons;
	double more_passes;             /* of the reference, as check_work() counts: unforeseen */
	struct progress progress;
};

/* ---- case.c ---- */

/*
 * The case: n random images, or the first ones of c->data. side 0: the
 * net's own input, or one small enough to end soon, unless c->full; then its memory has no more
 * rows than its window, unless c->exported. 0 or error().
 */
int check_open(struct check *c, const char *net, int64_t side, size_t n);
void check_close(struct check *c);

/*
 * 0 if the reference's passes fit into memory, with c->threads lowered to as many as do; or
 * error().
 */
int check_fits(struct check *c);

/*
 * Runs work(arg) on so many threads to its end, and shows meanwhile how much of the reference's
 * work for this check is done.
 */
void check_work(struct check *c, int threads, void *(*work)(void *arg), void *arg);

/* An export: a gradient without dropout, and the losses of so many steps of SGD. */
struct check_export {
	const char *path;
	const struct backend *backend;  /* NULL: the first that runs the net */
	enum precision precision;
	size_t steps;
	double lr;
};

/* 0 or error(). */
int check_export(const struct check *c, const struct check_export *e);

/* A backend's context for the batch, with its memory; NULL after error(). */
void *check_context(const struct check *c, const struct backend *b,
		    const struct backend_conf *conf);

/* The values in double; the caller frees. */
double *check_widen(const float *v, size_t n);

/* ---- differences.c ---- */

/*
 * The reference's gradient compared with central differences of its loss: along random directions
 * through all parameters, and for each blob (or, unless full, as many as take a few seconds) along
 * a direction in it and at one coordinate.
 */
void check_differences(struct check *c);

/* The reference's passes forward that they are worth, if none has to be taken again. */
double check_difference_passes(const struct check *c);

/* ---- backends.c: the reference and all backends, compared ---- */

/* The Euclidean norm of v[n]. */
double floats_norm(const float *v, size_t n);

/* The reference; every backend against it and the others. 0 or error(). */
void check_reference(struct check *c);
int check_backends(struct check *c);

/* Logits of the batch. */
size_t check_logits(const struct check *c);

/*
 * One backend in f32: against the reference, if it was asked, and the first backend and its
 * answer, if that is not NULL. *a <- its answer, for net_answer_release(). 0 or error().
 */
int check_backend(struct check *c, const struct backend *b, const struct net_answer *first,
		  struct net_answer *a);
void net_answer_release(struct net_answer *a);

/* The next column, every error NaN, both tolerances the same. */
struct comparison *check_add(struct check *c, const char *who, const char *against,
			     double tolerance);

/* Errors besides those of the blobs. */
enum check_other { OTHER_WHOLE, OTHER_LOSS, OTHER_STATISTICS, OTHER_LOGITS, OTHERS };

double comparison_other(const struct comparison *k, enum check_other i);

/* Tolerances, with what rounding may do. */
double comparison_other_tolerance(const struct comparison *k, enum check_other i);
double comparison_blob_tolerance(const struct comparison *k, size_t b);

/* NaN, not looked at, is fine. */
bool error_is_fine(double error, double tolerance);

/* Nothing is out of tolerance. */
bool comparison_holds(const struct comparison *k, size_t nblobs);
bool check_holds(const struct check *c);

#endif
