/*
 * ranking.h - `convoy advise --among`: several algorithms ranked by the time to the same loss.
 *
 * The time to the same loss is the time of a step divided by the progress per step, which is
 * relative to all-reduce. Times are simulated; progress is given, measured in runs of the user, or
 * taken from runs that are kept (evidence.def).
 */
#ifndef STUDY_ADVISE_RANKING_H
#define STUDY_ADVISE_RANKING_H

#include "study/advise/advise.h"

/* ---- progress.c, evidence.c: where the progress of an algorithm is from ---- */

enum progress_kind {
	PROGRESS_BASE,          /* all-reduce, which all others are relative to */
	PROGRESS_GIVEN,
	PROGRESS_OWN,           /* in training runs of the user */
	PROGRESS_KEPT,          /* in runs that are kept */
	PROGRESS_ASSUMED        /* 1, as nothing is known */
};

extern const char *const progress_kind_names[];         /* NULL ends them */

enum progress_error {           /* of kept runs */
	PROGRESS_SEEDS,         /* few of them */
	PROGRESS_SET_UP,        /* another net and data: those of an experiment err together */
	PROGRESS_WORKERS,       /* another number: the options of an algorithm err together */
	PROGRESS_ROUNDS,        /* of another length: those of an experiment err together */
	PROGRESS_ERRORS
};

struct relative_progress {
	double value, lo, hi;   /* lo and hi: 95 %; all equal: it is certain, or not known */
	enum progress_kind kind;
	char *source;           /* "survey/all-algorithms: ..."; owned; equal ones err together */
	/* Of kept runs alone: */
	const char *experiment; /* they are from; static */
	double half[PROGRESS_ERRORS];   /* half-widths of 95 % of log(progress); rounds: signed */
	double round, own_round;        /* gradients: length of its rounds, and in the source */
	double workers;         /* asked for */
	bool capped;            /* a mean above 1 that may as well be 1, and so counts as 1 */
	bool far;               /* extrapolated to another length of rounds, by more than a half */
};

/* The source; of kept runs also what differs, and the interval that is wider for it. Owned. */
char *relative_progress_source(const struct relative_progress *p);

/* The caller frees its source. */
struct relative_progress relative_progress_copy(const struct relative_progress *p);

/* True for all-reduce, which the progress of all others is relative to. */
bool progress_is_base(const char *algo);

struct kept_setting {           /* by which kept runs are chosen */
	double workers;
	double slow;            /* the slowest worker: 0: as fast as others, 1: as slow as there */
};

struct kept_setting kept_setting_of(const struct setup *su);

/*
 * Fills p[i] of the algorithms that `wanted` marks, and of all-reduce: progress in kept runs, of
 * one experiment for all that are compared, where one has them. Releases nothing of p before.
 */
void progress_kept(char *const *algo, const bool *wanted, size_t n,
		   const struct kept_setting *setting, struct relative_progress *p);

/*
 * Of the algorithms, from training runs in a folder: p[n] are filled where it has runs of both the
 * algorithm and all-reduce with the same net, data, batch, workers and seed. 0 or error().
 */
int progress_own(const char *folder, char *const *algo, size_t n, struct relative_progress *p);

/*
 * "NAME=VALUE,NAME=VALUE": NAME is one of algo[n] or its name without options, VALUE a number or
 * V+-U. 0 or error().
 */
int progress_given(const char *text, char *const *algo, size_t n, struct relative_progress *p);

/* ---- ranking.c: runs, ranking, winners along parameters ---- */

/* A candidate that does not go with them is ranked without. */
enum { WITHOUT_CODEC = 1, WITHOUT_SHARDS = 2, WITHOUT_GRAPH = 4 };

struct candidate {
	char *algo;
	struct relative_progress progress;      /* given, own or base: the same at all points */
	char *error_name;       /* "model error of ALGO", by which its errors are drawn */
	size_t family;          /* the first candidate of the same algorithm */
	unsigned without;       /* WITHOUT_ bits: settings that it does not go with */
};

struct ranked {                 /* a candidate at a point */
	bool known;
	char *why;              /* it cannot run there, or failed; owned; NULL: it can */
	char *beyond;           /* measured tables that it leaves there; owned; NULL: none */
	struct relative_progress progress;
	bool one_server;        /* all gradients go through one machine */
	double step_s;          /* median of the draws */
	double epoch_s;         /* NaN: the data set's size is not known */
	double second_cost;     /* of all workers; NaN: there is no price */
	double epoch_cost;      /* of all workers; NaN: no price, or as epoch_s */
	double same_cost;       /* until the loss of all-reduce after an epoch; NaN: likewise */
	double bytes;           /* sent by all workers in a step; NaN: not known */
	struct band same;       /* seconds to the same loss, for one step of all-reduce */
	double p;               /* to be the first, or within 1 % of it; NaN: one is ranked */
	double exchanges;       /* for each gradient, fewest of the draws; NaN: not known */
	double ideal;           /* the same on an ideal network; 0: it waits for any */
	bool starved;           /* these are so few that its progress is not known */
	bool leads;             /* its times are of the start of a run */
};

struct among_point {
	double x[ADVISE_VARY];
	struct ranked *of;      /* [n]; owned */
	size_t best;            /* first to the same loss, or one of several that are equally fast;
				 * SIZE_MAX: none is known */
	size_t quickest;        /* by steps */
	double regret;          /* time of the best over that of the first of a draw, at most, in
				 * 95 % of the draws */
};

struct winner_change {          /* between values of the first parameter */
	double below, above;    /* neighbours but for values at which none is ranked */
	size_t from, to;
	bool from_lost, to_new; /* it is not ranked above, or below */
};

struct among {
	struct advise a;
	struct candidate *c;    /* [n]; owned */
	size_t n;
	struct among_point here;        /* with the settings as they are */
	struct among_point *point;      /* [npoints]: along the parameter, or [ny][nx]; owned */
	size_t npoints, nx, ny;
	struct delay_span timed, measured;      /* what happens at given times, and what all see */
	double epoch_samples;   /* NaN: not known */
	double model_error;     /* deviation of the ratio of two times; 0: none is assumed */
	struct texts gaps;      /* what the runs are too short for, and who is not ranked or tied */
	struct winner_change *change;   /* [nchanges]; owned */
	size_t nchanges;
};

enum { AMONG_DRAWS = 400 };

struct among_question {
	struct question q;      /* .vary, .points, .set */
	const char *among;      /* NULL: a dozen */
	const char *progress, *progress_from;
	size_t draws;
};

/* Reads the question, and makes all runs. An exit code; among_release() either way. */
int among_find(struct among *m, const struct among_question *q);
void among_release(struct among *m);

/* True of the first at a point, which has one, and of those that are as fast in all draws. */
bool ranked_is_first(const struct among_point *p, size_t c);

/* Indices of the candidates that are ranked, the first to the same loss first; caller frees. */
size_t *among_order(const struct among *m, const struct among_point *p, size_t *n);

/* True when the winners at two points, which have one, differ. */
bool among_winners_differ(const struct among_point *p, const struct among_point *q);

/* "$2.5": an amount in the currency of the question's price, "-" for NaN; the caller frees. */
char *cost_text(const struct grid_point *settings, double amount);

/* ---- candidates.c: the algorithms of the question, and whether they can run at a point ---- */

/*
 * Fills m->c[m->n] from a text, with a/b/c in options expanded; NULL: a dozen of different kinds. 0
 * or error().
 */
int among_read_candidates(struct among *m, const char *text);

/* Finds which settings candidates can only run without. */
void among_find_without(struct among *m);

/* "streaming-diloco": the text without options; the caller frees. */
char *algo_family(const char *algo);

/* A candidate's settings at a point, or NULL, as they are, in a draw; the caller releases. */
struct grid_point among_settings(const struct among *m, size_t c, const double *x, size_t draw);

struct candidate_facts {         /* of a candidate at a point */
	char *why;              /* it cannot run there; owned; NULL: it can */
	char *beyond;           /* which measured tables it leaves; owned; NULL: none */
	struct kept_setting kept;       /* by which its kept runs are chosen */
	double least;           /* gradients of a worker that it needs */
	bool one_server;        /* it has a server, which is one machine */
	/* library that chooses its all-reduce, and its choice; NULL: none */
	const char *library, *kind;
};

/* Resolves a candidate at a point; the caller releases. */
struct candidate_facts candidate_facts(const struct advise *a, const struct grid_point *settings,
				       const char *algo);
void candidate_facts_release(struct candidate_facts *l);

/* ---- ranking_gaps.c: what is left open, in words ---- */

/* "allreduce, asgd and easgd", which are the first at a point; NULL: one is, or none. Owned. */
char *among_equals(const struct among *m, const struct among_point *p);

/* Adds to m->gaps where several candidates are equally fast. */
void among_find_ties(struct among *m);

/* Adds to m->gaps where candidates have no data, or are not ranked. */
void among_find_unranked(struct among *m);

/* Adds to m->gaps what the ranking does not know of the codec, and who is ranked without it. */
void among_find_codec(struct among *m);

/* Adds to m->gaps that kept progress is that of other graphs. */
void among_find_graph(struct among *m);

/* Adds to m->gaps whose server is what a step waits for, as it is one machine. */
void among_find_servers(struct among *m);

/* Why a candidate is not ranked at a point; NULL: it is. The caller frees. */
char *ranked_why(const struct ranked *r);

/*
 * Mark of a field of a map: '*' where a candidate that is ranked at another point is not ranked,
 * '=' where several are equally fast, else ' '.
 */
char among_mark(const struct among *m, const struct among_point *p);

/* Adds "ad-psgd: WHY" for each candidate that is ranked at some points, and at others not. */
void among_list_partial(const struct among *m, struct texts *lines);

/*
 * Adds where a library takes another all-reduce: along one parameter, of candidates that are the
 * first on one side of a change; on a map, of those that are the first somewhere.
 */
void among_find_switches(struct among *m);

/* ---- ranking_answer.c: the answer in words ---- */

/* The answer in one sentence, and its doubt in another; the caller frees. */
char *among_sentence(const struct among *m);
char *among_doubt(const struct among *m);

/* "an epoch has 50000 samples (as many as data set shapes has)"; NULL: not known. Owned. */
char *epoch_samples_text(const struct grid_point *assumed, double samples);

/* "1.32", "3427": three digits or more, and no power of ten; the caller frees. */
char *among_ratio_text(double ratio);

/* A probability, with four digits where two would make it 1, "-" for NaN; the caller frees. */
char *among_p_text(double p);

/* "diloco: period=25 of 10, 25, 50": the best options of each algorithm with several. */
void among_recommend(const struct among *m, struct texts *lines);

#endif
