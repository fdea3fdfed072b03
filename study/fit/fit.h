/*
 * fit.h - `convoy delay fit`: which delay model describes a log of step times.
 *
 * A log is compared with runs of a model that have its workers and steps, in four numbers: the
 * Kolmogorov-Smirnov distance of the times, their lag-1 autocorrelation within a worker, the
 * coefficient of variation between the workers' means, and the mean over steps of the slowest
 * worker's time, which is the step of an all-reduce.
 */
#ifndef STUDY_FIT_FIT_H
#define STUDY_FIT_FIT_H

#include "core/base/mem.h"
#include "record/trace/steplog.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- estimate.c: which steps of a log are slow, and its parameters ---- */

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

struct estimates {
	/* Moments of all times, and with the workers' means apart. */
	double mean, cv, static_cv, within_cv;
	double step;            /* mean seconds from a step to the next, waiting included */
	/* With slow steps apart: base seconds of a fast step; false: there are none. */
	bool slow;
	double base, base_static_cv, noise_cv, factor, fast_s, slow_s;
	/* Whole slow phases. */
	size_t phases;
	double slow_cv, depth, depth_cv;
	/* Workers' own variances, relative to base. */
	double var, var_cv, correlation;
};

struct estimates estimate(const struct steplog *l);

/*
 * [steps] weights of steps in means over time, of ranks that begin a step at once: the seconds of
 * the step before, which say nothing of the step's own noise, nor of a new draw. The sum is the
 * number of steps; the caller frees.
 */
double *fit_weights(const struct steplog *l);

/* The moments alone, over time. */
struct estimates fit_moments_over_time(const struct steplog *l);

/* [steps] seconds of each step of workers that wait for each other; NULL: they do not. Owned. */
double *fit_clock(const struct steplog *l);

/* ---- together.c: whether ranks are slow at the same time ---- */

struct fit_together {
	bool is;                /* they are, beyond chance, and enough to matter */
	size_t size;            /* in groups of so many ranks that follow each other */
	/* Mean of the pairs of a group, of ln seconds; the largest of logs with shifted ranks. */
	double correlation, chance;
	/* Of the model `rack`, where they are: its settings, and draws of all groups in the log. */
	double cv, every_s, draws;
};

struct fit_together fit_together(const struct steplog *l);

/* The settings of `rack` and t->draws <- of a log, in groups of t->size. */
void fit_racks(const struct steplog *l, struct fit_together *t);

/* "The ranks are slow together in groups of 4 ...", a sentence; NULL: not. The caller frees. */
char *together_words(const struct fit_together *t, size_t workers);

/* ---- models.c: the models ---- */

enum { FIT_MODELS = 7, FIT_PARAMETERS = 10 };

struct fit_parameter {
	const char *part, *key; /* "markov", "factor"; the first of a model is NULL, "compute_s" */
	int digits;             /* that are known */
	double value;
	double low, high;       /* a 95 % interval, once fit_intervals() has found it */
};

struct fit_model {
	const char *name;
	char *delay;            /* as --delay has it; owned */
	double compute_s;
	struct fit_parameter p[FIT_PARAMETERS];
	size_t n;
	int refits;             /* runs that the model could be fitted to again, for intervals */
	size_t together;        /* ranks that share a delay; then all ranks begin a step at once */
};

struct fit_phases {
	double cycles;          /* of a fast and a slow phase, in a step of mean length */
	double factor;          /* of a slow step */
	bool left_out;          /* so many in a slow step that models with phases say nothing */
};

/* The models with the parameters of a log, the simplest first; how many. */
size_t fit_models(const struct steplog *l, const struct fit_together *t,
		  struct fit_model model[FIT_MODELS], struct fit_phases *phases);
void fit_models_release(struct fit_model *model, size_t n);

/* The model `markov` of these estimates, without its text. */
struct fit_model fit_markov(const struct estimates *e);

/* "markov.factor"; the caller frees. */
char *fit_parameter_name(const struct fit_parameter *p);

/*
 * "gamma:cv=0.1 * markov:factor=2,...", the parameters as --delay has them, with a quarter of each
 * interval as "+-DEVIATION" for convoy advise, or without. The caller frees.
 */
char *fit_model_text(const struct fit_model *m, bool deviations);

/* ---- outlier.c: workers far from the others ---- */

struct outlier {
	size_t worker;
	double seconds, factor; /* its mean; the same in means of the median worker */
	bool phases;            /* it is slow in phases, and fast between; false: always the same */
	struct estimates of;    /* of its own log, with phases */
	bool throughout;        /* it also differs from the others between its phases */
	/* Means of its steps without phases in means of the median worker, with a 95 % interval. */
	double level, low, high;
	size_t bursts;          /* number of its phases, and steps in them */
	size_t burst_steps;
};

/* With fewer workers none counts as far from the others. */
enum { FIT_FEWEST_RANKS = 4 };

struct outliers {
	struct outlier *v;      /* [n] by worker, owned */
	size_t n;
};

/*
 * Workers whose means are far from the others' throughout the log, and those with more bursts than
 * equal workers have by chance.
 */
struct outliers fit_outliers(const struct steplog *l);

/* The log without these workers; the caller releases it. */
struct steplog outliers_rest(const struct outliers *o, const struct steplog *l);

/*
 * "rank 5 is slow in 3 bursts, 4 % of steps, 2.1 times", of o->v[i]; or "ranks 8 to 15 are slow
 * throughout, 1.2 times", of those after it, too, that are alike, as the ranks of a node are. *n <-
 * how many these are. The caller frees.
 */
char *outliers_words(const struct outliers *o, size_t i, size_t steps, size_t *n);

/*
 * "ranks 8 to 15 are slower than the others throughout, 1.2 times", where none is far from the
 * others; NULL: they differ by chance alone. The caller frees.
 */
char *slower_words(const struct steplog *l);

/* "3:1.5+5:0.8", as --slow has it, of those without phases; "" without any. The caller frees. */
char *outliers_slow(const struct outliers *o);

/*
 * "; 3: gamma:... * markov:...", clauses of --delay of those with phases, around compute_s; with
 * `all` also those of the others, "; 5: * static:...". "" without any. The caller frees.
 */
char *outliers_clauses(const struct outliers *o, double compute_s, bool all);

/* ---- burst.c: runs of slow steps ---- */

/* Burst: successive steps far above the worker's median, too many to be chance. */
struct burst {
	size_t worker, from, to;        /* steps from `from` to before `to` */
};

struct burst_list {
	struct burst *v;        /* [n] by worker and step, owned */
	size_t n;
};

struct burst_list bursts_find(const struct steplog *l);

/* own[workers] <- the worker has so many of these bursts that equal workers do not explain it. */
void bursts_own(const struct burst_list *b, size_t workers, bool *own);

/*
 * "rank 4 becomes slow after 150 of 300 steps, 2 times, and stays so", of ranks that are no
 * outliers; NULL: none, or bursts end in the log. The caller frees.
 */
char *lasting_words(const struct steplog *l, const struct outliers *o);

/* ---- models.c: their runs, compared with the log ---- */

enum { FIT_RUNS = 99, FIT_QUANTILES = 2000 };

struct fit_range {
	double low, middle, high;       /* of FIT_RUNS runs of the model */
};

struct fit_numbers {
	double lag1, spread, step;
	double *quantile;       /* [FIT_QUANTILES] ascending, seconds; owned */
};

struct fit_comparison {
	double ks, ks_most;     /* of the log, and the largest of a run, each with all runs */
	struct fit_range lag1, spread, step;
	struct fit_range *quantile;     /* [FIT_QUANTILES], owned */
	bool fits;              /* all four numbers of the log are such as the runs have */
};

struct fit_numbers fit_numbers(const struct steplog *l);

double fit_mean(const double *v, size_t n);

/* The caller frees. */
double *fit_copy(const double *v, size_t n);

/* Seconds of the slowest worker in step k, or of a slower one that was left out. */
double fit_step(const struct steplog *l, size_t k);

/* The largest difference of the distribution functions of n and of m values, both ascending. */
double fit_ks(const double *a, size_t n, const double *b, size_t m);

/* Runs the model under seeds from `seed` on. 0 or error(). */
int fit_compare(const struct steplog *l, const struct fit_numbers *own, const struct fit_model *m,
		uint64_t seed, struct fit_comparison *c);
void fit_comparison_release(struct fit_comparison *c);

/* Index of the first model that fits; of the one nearest to the log where none does. */
size_t fit_best(const struct fit_numbers *own, const struct fit_comparison *c, size_t n);

/*
 * A log as that model makes it, whose steps take `least` at least where that is given (steplog.h):
 * else each worker computes without a pause, unless ranks share a delay. 0 or error().
 */
int fit_simulate(const struct fit_model *m, size_t workers, size_t steps, const double *least,
		 uint64_t seed, struct steplog *l);

enum { FIT_REFITS = 39 };

/* Finds the intervals of the model's parameters, by runs under seeds from `seed` on. */
int fit_intervals(const struct steplog *l, struct fit_model *m, uint64_t seed);

/* ---- file.c: a log read, and its fit in files ---- */

/* Fewer steps show no memory. */
enum { FIT_FEWEST_STEPS = 20 };

struct fit {                    /* of a log */
	char *path;             /* as messages name the log; owned */
	const char *csv;        /* a file with its times that replay reads; NULL: there is none */
	bool traces;            /* of torch.profiler */
	struct steplog log;
	struct outliers outliers;
	struct fit_together together;   /* of the whole log */
	struct steplog rest;    /* the log without them: what is fitted and compared */
	struct fit_numbers own; /* of the rest */
	double step;            /* mean of the whole log's slowest rank: an all-reduce step */
	struct fit_model model[FIT_MODELS];
	struct fit_comparison of[FIT_MODELS];
	size_t n, best;
	struct fit_phases phases;
	bool intervals;         /* of the best model's parameters were asked for */
	bool cut;               /* only the first steps are compared: so many */
	size_t compared;
};

struct fit_file {               /* of the cluster file that is written */
	const char *path, *cluster, *net;       /* the last two may be NULL */
	int64_t batch;
};

/*
 * Reads path and log from one CSV file or n traces, by what is in the files, without each worker's
 * first `skip` steps. apart: workers did not wait for each other. 0 or error().
 */
int fit_read(struct fit *f, const char *const *paths, size_t n, size_t skip, bool apart);

/*
 * models.c: finds outliers, fits the models to the rest and compares them, with intervals where
 * f->intervals. 0 or error(); fit_release() either way.
 */
int fit_find(struct fit *f, uint64_t seed);
void fit_release(struct fit *f);

/* What describes the log: the best model, or the log itself where none fits and it has a file. */
struct fit_settings {           /* as options have them; owned */
	double compute_s;
	char *delay, *slow;     /* slow: "" without any */
};

/*
 * alone: as a cluster file has them. The factors of all ranks are in the delay, and none in `slow`;
 * the path of a log is whole.
 */
struct fit_settings fit_settings(const struct fit *f, bool alone);
void fit_settings_release(struct fit_settings *s);

/* True where these settings are a replay of the log. */
bool fit_replays(const struct fit *f);

/* Writes a log as CSV. 0 or error(). */
int fit_write_csv(const struct steplog *l, const char *path);

/* Cluster and net of the file, before the long fit: 0, or error() for one that there is not. */
int fit_write_check(const struct fit_file *to);

/* The best model as a cluster file, with all else that `cluster` has. 0 or error(). */
int fit_write(const struct fit *f, const struct fit_file *to);

/* Draws quantiles of the models against those of the log, and adds the paths. 0 or error(). */
int fit_plot(const struct fit *f, const char *dir, const char *name, const char *format,
	     struct texts *paths);

/* ---- map.c: ranks and steps ---- */

struct fit_map {
	size_t ranks, columns;  /* fields: of a few ranks or steps each where there are many */
	double *v;              /* [ranks][columns] mean seconds in medians of the log; owned */
	double median;          /* seconds */
	size_t workers, steps;  /* of the log */
};

struct fit_map fit_map(const struct steplog *l);
void fit_map_release(struct fit_map *m);

/* Draws the map as NAME-map, and adds the paths. 0 or error(). */
int fit_plot_map(const struct fit *f, const char *dir, const char *name, const char *format,
		 struct texts *paths);

#endif
