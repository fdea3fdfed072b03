/*
 * advise.h - `convoy advise`: from which value of a parameter on another algorithm is faster.
 *
 * A draw is a seed, and a value for each uncertain number. Every draw has its own break-even, found
 * by bisection; their spread is the interval of the answer.
 */
#ifndef STUDY_ADVISE_ADVISE_H
#define STUDY_ADVISE_ADVISE_H

#include "core/base/mem.h"
#include "delays/delay.h"
#include "runner/plan_run.h"
#include "study/advise/known.h"

#include <cjson/cJSON.h>
#include <stdio.h>

/* ---- uncertain.c: numbers V+-U of a text, and the values drawn for them ---- */

/*
 * Drawn values are log-normal with mean V and standard deviation U, so they are above 0. A value is
 * a function of its name and the seed.
 */
struct uncertain {
	char *name;             /* "compute_s", "link.bandwidth_GBps"; owned */
	double mean, sd;        /* of a value with a unit, in the unit of its quantity */
};

struct uncertain_list {
	struct uncertain *v;    /* [n], owned */
	size_t n;
};

/* Appends a number of that name; a name that is taken gets a number after it. */
void uncertain_add(struct uncertain_list *l, const char *name, double mean, double sd);

/*
 * Appends the numbers V+-U, V±U and V+-P% of a text, in their order; each may have units, as in
 * 500ms+-50us, 500+-50ms and 25Gb/s+-10%. `name` is that of the text: a
 * number after "KEY=" is called NAME.KEY, and the second of a list NAME.KEY[2]. If that name is
 * taken, ranks and model of the number follow: "NAME of 0: static". 0, or error() for one that is
 * not above 0 or not larger than its uncertainty.
 */
int uncertain_find(struct uncertain_list *l, const char *name, const char *text);

/* The text with values[0], values[1], ... in the stead of these numbers. The caller frees. */
char *uncertain_fill(const char *name, const char *text, const double *values);

/*
 * progress.c: *value <- the progress per step that is given as V or V+-U; its uncertainty is
 * appended to l under that name. Messages begin with `what`. 0 or error().
 */
int progress_read(struct uncertain_list *l, const char *name, const char *what, const char *text,
		  double *value);

/* The value at z standard deviations of its logarithm above the median. */
double uncertain_at(const struct uncertain *u, double z);

/* The z that is drawn for a seed. */
double uncertain_draw(const struct uncertain *u, uint64_t seed);

void uncertain_release(struct uncertain_list *l);

/* ---- question.c: the parameter, and the question that the command line asks ---- */

struct vary_kind {
	const char *name, *unit;        /* unit: "" where there is none */
	const char *axis;               /* label of a plot */
	const char *shadows;            /* the uncertain value that it replaces; NULL: none */
	double least, most;             /* its bounds */
	bool whole;                     /* a count */
	bool setting;                   /* it is the setting of that name */
	const char *option;             /* of the link that it is; NULL: none */
	/* Sets settings of the point, from those that the run has without it. */
	void (*set)(const struct grid_point *settings, double x, struct grid_point *point);
};

/* The parameter of that name; NULL: there is none. */
const struct vary_kind *vary_kind_of(const char *name);

/* "bandwidth [GB/s]", "slow": the head of its column; the caller frees. */
char *vary_head(const struct vary_kind *k);

/* Significant digits of a value in a text: 4, or all before its point. */
int vary_digits(double x);

/* A value of a table, with digits that tell it from the one before; NaN: none. The caller frees. */
char *vary_row_text(double x, double before);

/* "bandwidth 1.25 to 12.5 GB/s", "slow 2": its value or values; the caller frees. */
char *vary_text(const struct vary_kind *k, double lo, double hi);

enum { ADVISE_VARY = 2 };       /* most parameters */

struct vary_span {              /* of points at which something holds; zeroed: of none */
	double lo[ADVISE_VARY], hi[ADVISE_VARY];
	size_t n;               /* points */
};

void vary_span_add(struct vary_span *s, const double *x);

/*
 * "at slow 10", "within slow 4 to 10, bandwidth 0.1 to 1 GB/s": by the parameters along which it is
 * shorter than the span of all points, or by all where it is nowhere. The caller frees.
 */
char *vary_span_text(const struct vary_span *s, const struct vary_span *all,
		     const struct vary_kind *const *kind, size_t n);

struct vary {
	const struct vary_kind *kind;
	double lo, hi;
	bool log;                       /* points are equally spaced in log x */
	double node;                    /* workers of a machine: more than one are filled; or 1 */
};

/* Along the scale: x of a position and the position of x. Of a count, x is whole. */
double vary_x(const struct vary *v, double u);
double vary_u(const struct vary *v, double x);

/* At most so many values from LO to HI, *n of them, each once; the caller frees. */
double *vary_values(const struct vary *v, size_t points, size_t *n);

/* The settings with the parameter at x; the caller releases. */
struct grid_point vary_apply(const struct vary *v, const struct grid_point *settings, double x);

enum { ADVISE_FIRST, ADVISE_SECOND, ADVISE_ALGOS };

struct draw {
	uint64_t seed;
	double *z;              /* [uncertain.n] in standard deviations; owned */
	double *value;          /* [uncertain.n]; owned */
};

struct step_times {                  /* of both algorithms at a parameter's value in a draw */
	double x;
	double step_s[ADVISE_ALGOS];    /* seconds per step; NaN: no data */
	double gradients;       /* of a worker, while they were measured */
	double exchanges[ADVISE_ALGOS]; /* for each gradient; NaN: not known */
	double lead[ADVISE_ALGOS];      /* of struct record_figures */
	struct delay_span measured;     /* what both measure, seconds since runs began */
};

struct progress {               /* per step, of one algorithm */
	double value;
	size_t uncertain;       /* its index among the uncertain values; SIZE_MAX: it is certain */
};

struct points_sum {             /* all-reduces of an algorithm at a point of the grid */
	const char *library;    /* "NCCL", "Open MPI"; NULL: no library chooses their kind */
	const char *kind;       /* "ring", "double-tree"; not NULL if there is a library */
};

enum { MEASURED_POINTS = 3, MEASURED_SEEDS = 3 };

/* Events that change the times of long runs, and happen rarely. */
enum rare { RARE_SLOW_PERIODS, RARE_FAILURES, RARE_CHECKPOINTS, RARES };

struct measured {               /* progress per step of the second, over that of the first */
	char *net;              /* of the training runs; owned; NULL: it was not measured */
	double u[MEASURED_POINTS], log_progress[MEASURED_POINTS];       /* along the scale */
	double error;           /* standard error of log_progress, over the seeds */
	double wall_s;          /* that the runs took */
	size_t runs;
	size_t uncertain;       /* index of its uncertain factor; SIZE_MAX: none */
};

struct advise {                 /* a question, and what was found on the way to its answer */
	struct vary vary[ADVISE_VARY];  /* [nvary]; with two algorithms one */
	size_t nvary;
	uint64_t seed;          /* the first */
	char *algo[ADVISE_ALGOS];       /* owned */
	bool link_of_cluster;           /* the link is not given, but that of the cluster */
	struct grid_point settings;     /* of every run, uncertain numbers as given; owned */
	struct grid_point every_setting;        /* the same and those that are not given; owned */
	struct grid_point assumed;      /* sources of what the machine assumes; owned */
	char *assumed_line;     /* the same of all runs, with values; owned; NULL: nothing */
	struct texts limits;    /* what the machine leaves open: plan_remarks() */
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
	struct known *known;    /* runs that were made before; owned */
	struct pool_conf conf;

	/* Found: */
	double *x;              /* [nx] values of the parameter; owned */
	size_t nx;
	char **no_data;         /* [nx] why there is no data, or NULL; owned */
	double (*rare)[RARES];  /* [nx] in a second, of all workers; owned */
	struct points_sum *sum; /* [nx * ADVISE_ALGOS] */
	struct delay_span timed;        /* faults, slow periods and delays at given times */
	double *each;           /* [nx] gradients of a worker that are measured; owned */
	struct step_times *grid;     /* [ndraws * nx], a row for each draw; owned */
	bool random;            /* draws differ */
};

struct question {               /* as the command line has it; NULL: not given */
	const char *between, *progress;
	const char *vary;               /* a line each */
	double model_error;
	size_t points;
	const cJSON *set;       /* {setting: text} */
};

/* Reads the question into *a, which has its out, conf and extrapolate. 0 or error(). */
int advise_open(struct advise *a, const struct question *q);

/*
 * Reads parameters, settings and what is uncertain, for a question about several algorithms, of
 * which `algo` is one. 0 or error().
 */
int advise_open_among(struct advise *a, const struct question *q, const char *algo);

/* Draws so many values of all that is uncertain. */
void advise_draw_all(struct advise *a, size_t n);

/* A draw whose z and values are 0. */
struct draw advise_draw_new(const struct advise *a, uint64_t seed);
void advise_draw_release(struct draw *draw);

/* Fills a->every_setting and a->assumed from a run of the first algorithm. */
struct setup;
void advise_note_settings(struct advise *a, const struct setup *su);

/* Addition of --vary share to a delay without a model of it, and why; NULL: none. Static. */
const char *advise_share_delay(const struct advise *a);

/* "Simulated: workers=16 net=resnet50 ... seed=1..32"; the caller frees. */
char *advise_provenance(const struct advise *a);

/* After advise_open(), whatever came of it. */
void advise_release(struct advise *a);

/* Releases the points a->x and what is known of each. */
void advise_forget_points(struct advise *a);

/* ---- rounds.c: how often an algorithm exchanges, and its first steps ---- */

struct algo_text {              /* an algorithm with all its options */
	char *full;             /* owned; NULL: it is none */
	double round;           /* gradients of a worker between exchanges; 1: no such option */
	const char *option;     /* "period"; NULL: none */
	double first;           /* gradients of a worker until its steps are those of later */
	double settles;         /* ... until all wait for slower ones; 0: at once, or not known */
};

/* workers: those of the run that `settles` is of. */
struct algo_text algo_text_read(const char *text, int workers);

/* All-reduces until those of a codec are as small as later. */
double codec_first_allreduces(const char *text);

/* ---- runs.c: the timing-only runs, and the training runs that measure progress ---- */

struct cell {
	double x;
	size_t draw;
	struct step_times times;     /* found */
};

/* Makes the runs of n cells and reads their times. An exit code. */
int advise_run(const struct advise *a, struct cell *cell, size_t n);

/* The settings of the run of an algorithm with the parameter at x; the caller releases. */
struct grid_point advise_point(const struct advise *a, double x, const struct draw *draw,
			       int which);

/* The settings with what a draw has for uncertain numbers, and its seed; the caller releases. */
struct grid_point advise_settings(const struct advise *a, const struct draw *draw);

/*
 * Gradients of a worker in a run with these settings, until its steps take as long and send as much
 * as those of a long run; 0: from the start.
 */
double advise_first_steps(const struct grid_point *point);

/*
 * Gives a run with an algorithm its length, unless the question does: `least` gradients of a worker
 * at least and whole rounds, after a warm-up that its first steps are in.
 */
void advise_length(const struct advise *a, struct grid_point *point, double least);

/* Why the rounds of a setup are longer than advise_length() makes runs; owned; NULL: they fit. */
char *advise_overlong(const struct advise *a, const struct setup *su);

/* Rates of rare events, in a second, of all workers; 0: there are none. */
extern const char *const rare_names[RARES];
void advise_rare(const struct setup *su, double rare[RARES]);

/* From the first to the last of what faults, slow and delay set for given times. */
struct delay_span advise_timed(const struct setup *su);

/* Narrows *all to what a run measures, seconds since it began. */
void advise_narrow(const struct advise *a, const struct planned *r, const struct record_figures *f,
		   struct delay_span *all);

/* Adds a line for each end at which `timed` is not in what runs measure. */
void advise_find_untimely(const struct delay_span *timed, const struct delay_span *measured,
			  struct texts *lines);

/* 1.05 x, rounded up to two digits: --seconds to recommend when x seconds just suffice. */
double advise_rounded_up(double x);

/* Measured tables that a run leaves: all-reduces, compute times. The caller frees; NULL: none. */
char *advise_beyond(const struct setup *su);

/* Gradients of a worker, so that the run has enough of events that are rare. */
double advise_least(const struct setup *su);

/*
 * Fills figure[p->n]: of known runs, of those with a file, and of runs made now. With why[p->n]
 * runs may fail, and it gets the reasons, which the caller frees. An exit code.
 */
int advise_figures(const struct advise *a, struct plan *p, struct record_figures *figure,
		   char **why);

/*
 * Adds both sides of each switch of the library's all-reduce to the points a->x, fills a->no_data,
 * a->rare, a->sum, a->timed, a->each, a->every_setting and a->assumed, and notes the machine. 0, or
 * error() where settings do not go together.
 */
int advise_look(struct advise *a);

/* Fills in a->assumed_line and a->limits of a plan's runs, and says what else is to be said. */
void advise_note_machine(struct advise *a, const struct plan *p);

/* log(time of the second / time of the first) with the progress and the errors of a draw. */
double advise_log_ratio(const struct advise *a, size_t draw, const struct step_times *t);

/* Seconds per step of an algorithm divided by its progress per step. */
double advise_useful_s(const struct advise *a, size_t draw, const struct step_times *t, int which);

/*
 * Measures the progress of both algorithms by training runs: `text` is "KEY=VALUE KEY=VALUE ...",
 * their settings. An exit code.
 */
int advise_measure(struct advise *a, const char *text);

/* ---- exchange.c: algorithms that exchange less where the network is slow ---- */

/*
 * Fills *point with the settings of the algorithm's run on an ideal network, without a length; the
 * caller releases. False, and *point is empty: its workers wait for the network.
 */
bool exchange_settings(const struct grid_point *settings, const char *algo,
		       struct grid_point *point);

/* Messages and all-reduces that arrived, for each gradient; NaN: not known. */
double exchanges_of(const struct record_figures *f);

/*
 * The warning in words; `where` is "at bandwidth 0.05 to 0.1 GB/s", `counts` "0.04 messages arrive
 * for each gradient at bandwidth 0.05 GB/s", `ranked`: with that progress. The caller frees.
 */
char *exchange_text(const char *algo, const char *counts, double ideal, const char *where,
		    bool ranked);

/* The warning that times of an algorithm are of the start of its runs; the caller frees. */
char *lead_text(const char *algo, const char *where);

/* Adds a warning for each of both algorithms that needs one, from a->grid. An exit code. */
int exchange_find(const struct advise *a, struct texts *lines);

/* ---- break_even.c: the grid, the bisection, and the answer ---- */

struct band {
	double median, lo, hi;  /* of 90 % of the draws */
};

/* Fewer of each in a run may make it faster or slower than a long one. */
enum { ADVISE_RARE = 20 };

struct crossing {               /* of one draw */
	double x, lo, hi;       /* where both are equal, and between which values for certain;
				 * -inf and inf: the second is always faster on the other side */
	size_t cell;            /* of the grid; SIZE_MAX: there is none */
	bool several;           /* one of more */
};

struct kind_switch {            /* between values of the parameter, of an algorithm's all-reduces */
	int which;              /* algorithm */
	const char *library, *from, *to;
	double below, above;    /* values next to each other, by 0.01 % or as whole numbers */
	double below_s, above_s;        /* time to the same loss there, in the first draw ... */
	double step_below_s, step_above_s;      /* ... and of a step */
	bool at_even;           /* the break-even lies between them, and swaps */
	bool swaps;             /* another algorithm is faster above, in the first draw */
};

struct effect {                 /* of an uncertain value on the answer */
	size_t uncertain;
	double lo, hi;          /* break-even with the value one deviation lower and higher;
				 * infinite where it is outside the range */
	double share;           /* of the variance of log(second / first) */
};

struct break_even {             /* an answer */
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
	struct kind_switch *change;     /* [nchanges] along the range; owned */
	size_t nchanges;
	struct texts gaps;      /* what the machine leaves open, and runs do not measure */
	struct row *finer;      /* [nfiner] more rows for a picture, by x, without .rare; owned */
	size_t nfiner;
};

/*
 * "equal at slow 1; ad-psgd is faster as soon as slow is above 1", for rows row[n] without a
 * break-even, which are equal at one end and differ in one direction elsewhere; NULL: they do not.
 * The caller frees.
 */
char *break_even_tie(const struct row *const *row, size_t n, const char *parameter,
		     char *const algo[ADVISE_ALGOS]);

/* "1.25 (1.1 to 1.4)", "1.25" of no width, or "no data"; the caller frees. */
char *band_text(struct band b);

/*
 * A value of the parameter: "1.25 GB/s". An infinite x lies outside the range from lo to hi: "below
 * 0.1 GB/s", "above 100 GB/s". The caller frees.
 */
char *edge_text(double x, double lo, double hi, const char *unit);

/* Makes all runs and fills *r. An exit code; break_even_release() either way. */
int break_even_find(struct break_even *r, struct advise *a);
void break_even_release(struct break_even *r);

/*
 * Makes runs at more values of the parameter, next to break-evens, for a->finer. An exit code.
 */
int break_even_refine(struct break_even *r, const struct advise *a);

/* ---- switches.c: where a library takes another all-reduce ---- */

/*
 * Both sides of each switch between two of a->x, which has been looked at: x[2 * ADVISE_ALGOS for
 * each of them], in any order. Returns their number.
 */
size_t switches_narrowed(const struct advise *a, double *x);

/*
 * True of a break-even so near to a switch, whose times on both sides are so different, that it
 * depends on the library's choice.
 */
bool switch_is_near(double even, double above, double below_s, double above_s);

/* Finds r->change, from r->even and the points on both sides. */
void break_even_switches(struct break_even *r, const struct advise *a);

/* ---- between_plot.c: the picture of effects ---- */

/* Ending of the name of the plot of effects. */
#define ADVISE_SECOND_PLOT "-sensitivity"

/*
 * Draws the effects into DIR/NAME-sensitivity.svg, .png or .pdf, where there are any, and adds the
 * paths of what was drawn. 0 or error().
 */
int break_even_plot(const struct break_even *r, const struct advise *a, const char *dir,
		    const char *name, const char *format, struct texts *paths);

#endif
