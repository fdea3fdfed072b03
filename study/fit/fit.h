/*
 * fit.h - between the parts of `convoy delay fit`.
 *
 * A log is compared with runs of a model that have its workers and steps, in three numbers: the
 * Kolmogorov-Smirnov distance of the times, their lag-1 autocorrelation within a worker, and the
 * coefficient of variation between the workers' means.
 */
#ifndef STUDY_FIT_FIT_H
#define STUDY_FIT_FIT_H

#include "record/trace/steplog.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- chain.c: which steps are slow ---- */

/* Two states, fast and slow; ln seconds are normal around level[worker], when slow + depth. */
struct chain {
	size_t workers, steps;
	double *level;          /* [workers], owned */
	double depth;
	double variance[2];     /* fast, slow */
	double to_slow, to_fast;        /* probabilities from one step to the next */
	double *slow;           /* [workers][steps] probability of being slow, owned */
	double likelihood;      /* logarithm */
};

/* The likeliest of several starts, by expectation and maximisation. */
struct chain chain_fit(const struct steplog *l);
void chain_release(struct chain *c);

/* ---- estimate.c: parameters of a log ---- */

struct estimates {
	/* Of all times, and with the workers' means apart. */
	double mean, cv, static_cv, within_cv;
	/* With slow steps apart: base seconds of a fast step; false: there are none. */
	bool slow;
	double base, base_static_cv, noise_cv, factor, fast_s, slow_s;
	/* Of whole slow phases. */
	size_t phases;
	double slow_cv, depth, depth_cv;
	/* Of the workers' own variances, relative to base. */
	double var, var_cv, correlation;
};

struct estimates estimate(const struct steplog *l);

/* ---- models.c: what is compared ---- */

enum { FIT_MODELS = 6 };

struct fit_model {
	const char *name;
	char *delay;            /* as --delay has it; owned */
	double compute_s;
};

/* The models with the parameters of a log, the simplest first; how many. */
size_t fit_models(const struct steplog *l, struct fit_model model[FIT_MODELS]);
/* "gamma:... * markov:..." of a log with slow steps, around the estimated base; owned. */
char *fit_markov_text(const struct estimates *e);

void fit_models_release(struct fit_model *model, size_t n);

/* ---- outliers.c: workers far from the others ---- */

struct outlier {
	size_t worker;
	double seconds, factor; /* its mean; the same in means of the median worker */
	bool phases;            /* it is slow in phases, and fast between; false: always the same */
	struct estimates of;    /* of its own log, with phases */
};

struct outliers {
	struct outlier *v;      /* [n] by worker, owned */
	size_t n;
};

/* Workers whose means are far from the others' throughout the log. */
struct outliers fit_outliers(const struct steplog *l);

/* The log without these workers. */
struct steplog outliers_rest(const struct outliers *o, const struct steplog *l);

/* "3:1.5+5:0.8", as --slow has it, of those without phases; "" without any. The caller frees. */
char *outliers_slow(const struct outliers *o);

/*
 * "; 3: gamma:... * markov:...", clauses of --delay of those with phases, around compute_s; with
 * `all` also those of the others, "; 5: * static:...". "" without any. The caller frees.
 */
char *outliers_clauses(const struct outliers *o, double compute_s, bool all);

/* ---- compare.c ---- */

enum { FIT_RUNS = 99, FIT_QUANTILES = 2000 };

struct fit_range {
	double low, middle, high;       /* of FIT_RUNS runs of the model */
};

struct fit_numbers {
	double lag1, spread;
	double *quantile;       /* [FIT_QUANTILES] ascending, seconds; owned */
};

struct comparison {
	double ks, ks_most;     /* of the log, and the largest of a run, each with all runs */
	struct fit_range lag1, spread;
	struct fit_range *quantile;     /* [FIT_QUANTILES], owned */
	bool fits;              /* all three numbers of the log are such as the runs have */
};

struct fit_numbers fit_numbers(const struct steplog *l);

double fit_mean(const double *v, size_t n);

/* The largest difference of the distribution functions of n and of m values, both ascending. */
double fit_ks(const double *a, size_t n, const double *b, size_t m);

/* Runs the model under seeds from `seed` on. 0 or error(). */
int fit_compare(const struct steplog *l, const struct fit_numbers *own, const struct fit_model *m,
		uint64_t seed, struct comparison *c);
void comparison_release(struct comparison *c);

/* Of the first model that fits; of the one nearest to the log where none does. */
size_t fit_best(const struct fit_numbers *own, const struct comparison *c, size_t n);

/* A log as that model makes it: each worker computes without a pause. 0 or error(). */
int fit_simulate(const struct fit_model *m, size_t workers, size_t steps, uint64_t seed,
		 struct steplog *l);

/* ---- intervals.c ---- */

enum { FIT_REFITS = 39 };

struct fit_parameter {
	char *name;             /* "markov.factor", owned */
	double value, low, high;
};

struct fit_parameters {
	struct fit_parameter *v;        /* [n], owned */
	size_t n;
	int refits;             /* runs that the model could be fitted to again */
};

/* The parameters of a fitted model with 95 % intervals, by runs under seeds from `seed` on. */
int fit_intervals(const struct steplog *l, const struct fit_model *m, uint64_t seed,
		  struct fit_parameters *p);
void fit_parameters_release(struct fit_parameters *p);

/* ---- read.c, and what is said of a fit ---- */

/* Fewer steps show no memory. */
enum { FIT_FEWEST_STEPS = 20 };

struct fit {                    /* of a log */
	char *path;             /* as messages name the log; owned */
	const char *csv;        /* a file with its times that replay reads; NULL: there is none */
	bool traces;            /* of torch.profiler */
	struct steplog log;
	struct outliers outliers;
	struct steplog rest;    /* the log without them: what is fitted and compared */
	struct fit_numbers own; /* of the rest */
	struct fit_model model[FIT_MODELS];
	struct comparison of[FIT_MODELS];
	size_t n, best;
	struct fit_parameters parameters;       /* of the best; none where none were asked for */
	bool cut;               /* only the first steps are compared: so many */
	size_t compared;
};

struct fit_file {               /* of the cluster file that is written */
	const char *path, *cluster, *net;       /* the last two may be NULL */
	int64_t batch;
};

/*
 * Reads path and log from one CSV file or n traces, by what is in the files, without each worker's
 * first `skip` steps. 0 or error().
 */
int fit_read(struct fit *f, const char *const *paths, size_t n, size_t skip);

/* Writes a log as CSV. 0 or error(). */
int fit_write_csv(const struct steplog *l, const char *path);

void fit_print(const struct fit *f);
cJSON *fit_json(const struct fit *f);

/* file.c: the best model as a cluster file, with all else that `cluster` has. 0 or error(). */
int fit_write(const struct fit *f, const struct fit_file *to);

/* qq.c: quantiles of the models against those of the log; paths, or NULL after error(). */
cJSON *fit_plot(const struct fit *f, const char *dir, const char *name, const char *format);

#endif
