/*
 * advise.h - `convoy advise`: from which value of a parameter on another algorithm is faster.
 *
 * A draw is a seed, and a value for each uncertain number. Every draw has its own break-even, found
 * by bisection; their spread is the interval of the answer.
 */
#ifndef STUDY_ADVISE_ADVISE_H
#define STUDY_ADVISE_ADVISE_H

#include "study/advise/uncertain.h"
#include "study/advise/vary.h"
#include "runner/worker_pool.h"

enum { ADVISE_FIRST, ADVISE_SECOND, ADVISE_ALGOS };

struct draw {
	uint64_t seed;
	double *z;              /* [uncertain.n] in standard deviations; owned */
	double *value;          /* [uncertain.n]; owned */
};

struct times {                  /* of both algorithms at a parameter's value in a draw */
	double x;
	double step_s[ADVISE_ALGOS];    /* seconds per step; NaN: no data */
	double gradients;       /* of a worker, while they were measured */
};

struct progress {               /* per step, of one algorithm */
	double value;
	size_t uncertain;       /* its index among the uncertain values; SIZE_MAX: it is certain */
};

enum { MEASURED_POINTS = 3, MEASURED_SEEDS = 3 };

/* What changes the times of long runs, and happens rarely. */
enum rare { RARE_SLOW_PERIODS, RARE_FAILURES, RARE_CHECKPOINTS, RARES };

struct measured {               /* progress per step of the second, over that of the first */
	char *net;              /* of the training runs; owned; NULL: it was not measured */
	double u[MEASURED_POINTS], log_progress[MEASURED_POINTS];       /* along the scale */
	double error;           /* standard error of log_progress, over the seeds */
	double wall_s;          /* that the runs took */
	size_t runs;
	size_t uncertain;       /* index of its uncertain factor; SIZE_MAX: none */
};

struct advise {
	struct vary vary;
	cJSON *algos;           /* texts of both; owned */
	cJSON *settings;        /* {key: text} of every run, uncertain numbers as given; owned */
	cJSON *every_setting;   /* {key: text} the same and those that are not given; owned */
	cJSON *assumed;         /* {key: source} of what the machine assumes; owned */
	struct uncertain_list uncertain;        /* of the settings in their order, then others */
	struct progress progress[ADVISE_ALGOS];
	bool progress_given;
	struct measured measured;
	size_t model_error;     /* its index among the uncertain values; SIZE_MAX: none */
	bool extrapolate, has_length;
	struct draw centre;     /* the first seed, and the mean of each uncertain value */
	size_t ndraws;
	struct draw *draw;      /* [ndraws], owned */
	const char *out;        /* folder of all results */
	struct pool_conf conf;

	/* What is found: */
	double *x;              /* [nx] values of the parameter; owned */
	size_t nx;
	char **no_data;         /* [nx] why there is no data, or NULL; owned */
	double (*rare)[RARES];  /* [nx] in a second, of all workers; owned */
	double faults_until;    /* seconds: those at given times are over; 0: there are none */
	double *each;           /* [nx] gradients of a worker that are measured; owned */
	struct times *grid;     /* [ndraws * nx], a row for each draw; owned */
	bool random;            /* draws differ */
};

const char *advise_algo(const struct advise *a, int which);

/* ---- question.c ---- */

struct question {               /* as the command line has it; NULL: not given */
	const char *between, *vary, *progress;
	double model_error;
	size_t points;
	const cJSON *set;       /* {setting: text} */
};

/* Reads the question into *a, which has its out, conf and extrapolate. 0 or error(). */
int advise_open(struct advise *a, const struct question *q);

/* Draws so many values of all that is uncertain. */
void advise_draw_all(struct advise *a, size_t n);

/* A draw whose z and values are 0. */
struct draw advise_draw_new(const struct advise *a, uint64_t seed);
void advise_draw_release(struct draw *draw);

/* After advise_open(), whatever came of it. */
void advise_release(struct advise *a);

/* ---- runs.c ---- */

struct cell {
	double x;
	size_t draw;
	struct times times;     /* found */
};

/* Makes the runs of n cells and reads their times. An exit code. */
int advise_run(const struct advise *a, struct cell *cell, size_t n);

/* The settings of such a run, without its algorithm and its length; the caller frees. */
cJSON *advise_settings(const struct advise *a, double x, const struct draw *draw);

/*
 * Fills a->no_data, a->rare, a->faults_until and a->each, notes the provenance, and says what the
 * machine assumes. 0, or error() where settings do not go together.
 */
int advise_look(struct advise *a);

/* log(time of the second / time of the first) with the progress and the errors of a draw. */
double advise_log_ratio(const struct advise *a, size_t draw, const struct times *t);

/* Seconds per step of an algorithm divided by its progress per step. */
double advise_useful_s(const struct advise *a, size_t draw, const struct times *t, int which);

/* ---- provenance.c ---- */

struct setup;

/* Fills a->every_setting and a->assumed from a run of the first algorithm. */
void provenance_note(struct advise *a, const struct setup *su);

/* "Simulated: workers=16 net=resnet50 ... seed=1..32"; the caller frees. */
char *provenance_text(const struct advise *a);

/* Adds what the answer is of. */
void provenance_add(const struct advise *a, cJSON *json);

/* ---- measure.c ---- */

/*
 * Measures the progress of both algorithms by training runs: `text` is "KEY=VALUE KEY=VALUE ...",
 * their settings. An exit code.
 */
int advise_measure(struct advise *a, const char *text);

/* Of the second algorithm, relative to the first, at a value of the parameter. */
double measured_progress(const struct advise *a, double x);

/* ---- search.c ---- */

struct crossing {               /* of one draw */
	double x, lo, hi;       /* where both are equal, and between which values for certain;
				 * -inf and inf: the second is always faster on the other side */
	size_t cell;            /* of the grid; SIZE_MAX: there is none */
	bool several;           /* one of more */
};

/* Fills a->grid; where draws do not differ, one is left. An exit code. */
int advise_grid(struct advise *a);

/* The rows of an allocated a->grid for the draws from `from` to before `to`. An exit code. */
int advise_fill(struct advise *a, size_t from, size_t to);

/* Fills crossing[a->ndraws]; an exit code. */
int advise_search(const struct advise *a, struct crossing *crossing);

/* ---- advice.c ---- */

struct band {
	double median, lo, hi;  /* of 90 % of the draws */
};

/* Fewer of each in a run may make it faster or slower than a long one. */
enum { ADVICE_RARE = 20 };

struct effect {                 /* of an uncertain value on the answer */
	size_t uncertain;
	double lo, hi;          /* break-even with the value one deviation lower and higher;
				 * infinite where it is outside the range */
	double share;           /* of the variance of log(second / first) */
};

struct advice {
	struct row {
		double x;
		struct band time[ADVISE_ALGOS];
		double p;       /* share of draws in which the second is faster */
		double measured_s;      /* of a run, on average, of the shorter ones */
		double rare[RARES];     /* that these have; NaN: there are none */
	} *row;                 /* [advise.nx], owned; those without data are NaN */
	struct crossing *crossing;      /* [advise.ndraws], owned */
	size_t inside, several; /* draws with a break-even in the range; with more than one */
	int direction;          /* 1: the second is faster above, -1: below, 0: no break-even */
	struct band even;       /* the break-even; infinite where it is outside the range */
	double lo, hi;          /* the range with data */
	struct effect *effect;  /* [neffects] largest share first, owned */
	size_t neffects;
	double rest;            /* share of the variance that no uncertain value explains */
	double at;              /* the parameter's value that the shares are of */
};

/* Fills *r from a->grid and the crossings, which are taken over. */
void advice_build(struct advice *r, const struct advise *a, struct crossing *crossing);
void advice_release(struct advice *r);

/*
 * Sets the break-even of those of crossing[a->ndraws] that have none in the range: on which side it
 * is depends on what is faster inside.
 */
void advice_set_outside(const struct advice *r, const struct advise *a, struct crossing *crossing);

/* Of x[n], which it sorts. Of counts one of these. */
double advice_median(double *x, size_t n, bool whole);

/* ---- sensitivity.c ---- */

/* Fills r->effect, but for its break-evens, and r->rest and r->at; none where draws are too few. */
void advice_sensitivity(struct advice *r, const struct advise *a);

/* ---- probe.c ---- */

/* Finds the break-evens of r->effect. An exit code. */
int advice_probe(struct advice *r, const struct advise *a);

/* ---- print.c, plot.c, tornado.c ---- */

void advice_print(const struct advice *r, const struct advise *a);
void advice_print_csv(const struct advice *r, const struct advise *a, FILE *out);
cJSON *advice_json(const struct advice *r, const struct advise *a);

/*
 * Draws the times into DIR/NAME.svg, .png or .pdf and, where there are effects, them into
 * DIR/NAME-sensitivity. The paths of what was drawn, or NULL after error().
 */
cJSON *advice_plot(const struct advice *r, const struct advise *a, const char *dir,
		   const char *name, const char *format);
cJSON *advice_plot_sensitivity(const struct advice *r, const struct advise *a, const char *dir,
			       const char *name, const char *format);

/* plot.c: the x axis of both; ticks of workers are at powers of two. */
void advice_put_log_axis(const struct advise *a, double lo, double hi, bool numbers, FILE *out);

/* In a script, a grey strip over the interval and a line at the break-even; none without one. */
void advice_put_even(const struct advice *r, FILE *out);

#endif
