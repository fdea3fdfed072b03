/*
 * answer.h - an answer of `convoy advise`, or the runs of `convoy sim`: what is printed as JSON,
 * saved, and made into a page.
 */
#ifndef STUDY_ADVISE_ANSWER_H
#define STUDY_ADVISE_ANSWER_H

#include "study/advise/ranking.h"

enum answer_kind {
	ANSWER_AMONG,           /* algorithms ranked */
	ANSWER_BETWEEN,         /* the break-even of two */
	ANSWER_RUNS             /* of `convoy sim` */
};

struct answer_ranked {
	char *algo;
	struct ranked at;       /* without reasons, as it is ranked */
};

struct ranking {
	struct answer_ranked *v;        /* [n], first to the same loss first */
	size_t n;
};

struct answer_among {
	struct texts algos;
	char *sentence, *doubt;
	double epoch_samples;   /* NaN: not known */
	struct ranking ranking; /* with the settings as they are */
	struct {
		struct left_out {
			char *algo, *why;
		} *v;
		size_t n;
	} left_out;
	struct texts options;   /* best options of algorithms with several */
	struct texts gaps;
	struct {
		struct answer_point {           /* along a parameter, or on a map of two */
			double x[ADVISE_VARY];
			char *first;    /* algorithm; NULL: none can run */
			struct ranking ranking;
		} *v;
		size_t n;
	} points;
	struct {
		struct answer_change {          /* another algorithm is the first */
			double below, above;    /* neighbours among the values with a first */
			char *from, *to;
			bool from_lost, to_new; /* it is not ranked above, or below */
		} *v;
		size_t n;
	} changes;
};

struct answer_rows {
	struct answer_row {
		struct row at;          /* without .measured_s */
		char *no_data;          /* why; NULL: there is data */
	} *v;
	size_t n;
};

struct answer_between {
	char *algo[ADVISE_ALGOS];
	char *unit;             /* of the parameter; "": none */
	size_t inside;          /* draws with a break-even */
	bool crosses;           /* there is such a draw */
	struct band even;       /* the break-even, if there is one */
	int direction;          /* 1: the second is faster above, -1: below, 0: neither */
	double progress[ADVISE_ALGOS];
	struct answer_measured {
		char *net;              /* of the training runs; NULL: there were none */
		size_t runs;
		double error;
		struct {
			struct answer_progress {
				double x, progress;
			} *v;
			size_t n;
		} points;
	} measured;
	struct {
		struct answer_switch {          /* of an algorithm's all-reduce */
			char *algo, *library, *from, *to;
			double below, above, below_s, above_s;
			bool at_even;
		} *v;
		size_t n;
	} switches;
	struct answer_rows rows, finer;         /* finer: more, for a picture */
	struct {
		struct answer_effect {          /* of an uncertain value on the break-even */
			char *value;
			double low, high, even_low, even_high, share;
		} *v;
		size_t n;
	} effects;
	double rest;            /* share of the variance that no uncertain value explains */
	struct {
		struct uncertain *v;
		size_t n;
	} uncertain;
	double model_error;     /* NaN: none is assumed */
	struct texts gaps;      /* what the machine, and the runs' length, leave open */
};

enum { ANSWER_MEASURES = 10 };

/* "time_per_epoch_s", ...: the measures of a run that a page shows. */
extern const char *const answer_measures[ANSWER_MEASURES];

struct answer_run {
	struct grid_point point, settings, assumed;
	char *remark;           /* of a run that is hard to compare; NULL: none */
	double measure[ANSWER_MEASURES];        /* NaN: it has none */
};

struct answer {                 /* all owned; answer_release() */
	enum answer_kind kind;
	char *command;          /* that asked; NULL: not known */
	char *vary[ADVISE_VARY];        /* [nvary] parameters */
	size_t nvary;
	struct grid_point given, settings;      /* uncertain numbers as given */
	struct grid_point assumed;      /* sources of what the machine assumes */
	size_t draws;
	double seed;            /* the first */
	struct answer_among among;      /* by the kind one of these three */
	struct answer_between between;
	struct {
		struct answer_run *v;
		size_t n;
	} runs;
};

struct answer answer_of_among(const struct among *m);

/* NULL: the ranking does not have it. */
const struct ranked *ranked_find(const struct ranking *ranking, const char *algo);

/*
 * Adds where the progress per step of each algorithm is from: "diloco: SOURCE" with the settings as
 * they are, and "diloco at slow 5.6 to 10: SOURCE" where it is another one.
 */
void answer_sources(const struct answer *a, struct texts *lines);

/* "bandwidth 3.021 GB/s on: allreduce instead of ad-psgd": the i-th change; the caller frees. */
char *answer_change_text(const struct answer *a, size_t i);

/* Warns of a parameter on which no time depends: they are the same at both ends of its range. */
void answer_warn_unmoved(const struct answer *a);

struct answer answer_of_between(const struct break_even *r, const struct advise *a);

/* Prints a ranking at each point, or the rows of a break-even, as CSV. */
void answer_print_csv(const struct answer *a, FILE *out);

/* ---- answer_json.c ---- */

/* Not of ANSWER_RUNS; the caller frees. */
cJSON *answer_json(const struct answer *a);

/* Prints it as JSON, indented. */
void answer_print_json(const struct answer *a, FILE *out);

/* True for the JSON of an answer. */
bool answer_is(const cJSON *json);

/* Reads an answer; texts that this program does not know are left out. 0 or error("NAME: ..."). */
int answer_read(struct answer *a, const cJSON *json, const char *name);

void answer_release(struct answer *a);

#endif
