/*
 * delay.h - how compute times vary: models as plug-ins, and who computes by which.
 *
 * The text of --delay, as a grammar:
 *
 *     delays = clause { ";" clause }
 *     clause = [ who ":" ] [ "*" ] model { "*" model }
 *     who    = "all" | span { "," span }
 *     span   = RANK | RANK "-" RANK
 *     model  = NAME [ ":" KEY "=" VALUE { "," KEY "=" VALUE } ] | PRESET
 *
 * A worker has the models of the last clause that names it, multiplied; a clause that begins
 * with "*" multiplies onto what the worker has so far. A worker that no clause names has the
 * factor 1. A backslash before ";", "*" or "," makes it a part of a value. A preset's name
 * stands for its product of models.
 */
#ifndef DELAYS_DELAY_H
#define DELAYS_DELAY_H

#include "core/math/rng.h"
#include "core/text/opt.h"
#include "core/text/ranks.h"

/* What a model need not compute again for the same worker: never more than a shortcut. */
struct delay_memo {
	bool set;
	int64_t at;             /* which draw this is of */
	double value, other;
};

struct delay_at {               /* all that a factor is a function of */
	uint64_t seed;
	int rank;
	int64_t index;          /* of the worker's gradient */
	double time;            /* at which the gradient begins, seconds since the run began */
	int part;               /* of the worker's product: no two parts share draws */
	struct delay_memo *memo;        /* of this worker and part; NULL: none */
};

enum delay_stream {             /* draws of a part that are not one per gradient */
	DELAY_GRADIENT, DELAY_MACHINE, DELAY_SOJOURN, DELAY_RACK, DELAY_DEPTH, DELAY_WORKER
};

/* Moves r to the index-th draw of a stream of that part. */
void delay_rng(struct rng *r, const struct delay_at *at, enum delay_stream stream, int rank,
	       int64_t index);

/* What draw() gives a worker for the whole run. */
static inline double delay_machine(const struct delay_at *at, const void *conf,
				   double (*draw)(const void *conf, struct rng *r))
{
	struct rng r;
	double machine;

	if (at->memo && at->memo->set)
		return at->memo->value;
	delay_rng(&r, at, DELAY_MACHINE, at->rank, 0);
	machine = draw(conf, &r);
	if (at->memo)
		*at->memo = (struct delay_memo){ .set = true, .value = machine };
	return machine;
}

struct delay_moments {
	double mean, deviation; /* deviation: HUGE_VAL where there is none */
};

/*
 * Reads the numbers of a file, of which there is at least one, into the empty list *to; in a file
 * that tells workers apart those of one rank, -1: of all. DELAY_STEPS: of a log of step times the
 * number of workers, then the seconds of each one's steps. 0 or error().
 */
enum { DELAY_STEPS = -2 };
typedef int delay_reader(const char *path, int rank, struct opt_doubles *to);

struct delay {                  /* plug-in: factors on the base compute time */
	struct plugin plugin;
	/* Of a preset, which has nothing else: the product of models that its name stands for. */
	const char *stands_for;
	/*
	 * A factor drawn from r; where `at` is set, that of any worker at any moment. NULL:
	 * quantile() of a uniform deviate.
	 */
	double (*draw)(const void *conf, struct rng *r);
	/* The factor of one worker's gradient. NULL: draw() at (seed, rank, index). */
	double (*at)(const void *conf, const struct delay_at *at);
	bool caches;            /* at() has a use for a memo */
	struct delay_moments (*moments)(const void *conf);      /* of draw() */
	/* The mean of one worker's factors, where workers differ for good. NULL: that of draw(). */
	double (*mean)(const void *conf, const struct delay_at *at);
	/*
	 * "NAME:KEY=VALUE,..." of the model that, multiplied by *factor, gives all workers what
	 * this one has for the whole run; NULL: of none. The caller frees. Where there is a mean().
	 */
	char *(*alone)(const void *conf, const struct delay_at *at, double *factor);
	/*
	 * Mean seconds from one slow period of a worker to its next; 0: none come and go. NULL: the
	 * model has none.
	 */
	double (*cycle_s)(const void *conf);
	/* The least x with P(draw() <= x) >= p. NULL: no simple formula is known. */
	double (*quantile)(const void *conf, double p);
	/* Reads what the settings name; 0, or error() that begins with `where`. May be NULL. */
	int (*open)(void *conf, delay_reader *read, const char *where);
	/* 0, or such an error() for settings that do not go together. May be NULL. */
	int (*check)(const void *conf, const char *where);
	/* Frees what open() made, if it did. May be NULL. */
	void (*close)(void *conf);
	/* What open() read, borrowed: a part of what the run is. May be NULL. */
	struct opt_doubles (*contents)(const void *conf);
};

struct delay_clause {
	struct rank_list who;       /* none: all workers */
	bool onto;              /* multiplies onto the clauses before */
	struct choice *model;   /* [nmodels], owned */
	size_t nmodels;
};

enum { DELAY_AHEAD = 7 };

/* A worker's next factors, drawn together in a fifth of the time. A line of the cache. */
struct delay_ahead {
	int64_t from;           /* index of the first, -1: none are drawn */
	double factor[DELAY_AHEAD];
};

struct delays {
	struct delay_clause *clause;    /* [n], owned */
	size_t n;
	int workers, parts;     /* parts: the most factors that a worker may have */
	bool caches;            /* some model does */
	bool ahead_of_time;     /* no model has at(), and workers are few: all is drawn ahead */
	bool begun;             /* a factor was asked for, of a run of this seed: */
	uint64_t seed;
	struct delay_memo *memo;        /* [workers][parts] with caches, else NULL; owned */
	struct delay_ahead *ahead;      /* [workers] if ahead_of_time, else NULL; owned */
};

extern const struct plugin *const delay_table[];        /* NULL-ended */

/* draw() of a chosen model, or its quantile() of a uniform deviate. */
double delay_draw(const struct choice *model, struct rng *r);

/*
 * Parses a text against a table of struct delay for so many workers, and opens every model; read
 * NULL: models that need it are refused. The caller frees with delays_free(). NULL after error()
 * that names the clause, the model, the key and the nearest choice.
 */
struct delays *delays_new(const struct plugin *const *table, const char *text, int workers,
			  delay_reader *read);

/* The text with every value, defaults included: it parses to the same. The caller frees. */
char *delays_format(const struct delays *d);

/* Whether some worker may have other models, or for the whole run other times, than another. */
bool delays_differ(const struct delays *d);

/*
 * What one worker has in runs of that seed, as a text that gives it to all, such as "gamma:cv=0.1".
 * The caller frees.
 */
char *delays_format_worker(const struct delays *d, uint64_t seed, int rank);

/* "all", "3", "4-7,9": the workers of a clause. The caller frees. */
char *delay_ranks(const struct delay_clause *c);

void delays_free(struct delays *d);

/* What is multiplied for a worker, in order: model[0 ..], borrowed; NULL: only how many. */
size_t delays_models(const struct delays *d, int rank, const struct choice **model);

/*
 * The mean of a worker's factors, as far as it is known beforehand: what clauses give it and what
 * models draw once for each worker; not what comes and goes.
 */
double delays_mean(const struct delays *d, uint64_t seed, int rank);

/*
 * Slow periods of all workers together that begin in a second, on average; of each worker's models
 * the one with the fewest counts. 0: there are none.
 */
double delays_slow_periods(const struct delays *d);

/* The factor of a worker's index-th gradient, which begins at that time. */
double delays_factor(struct delays *d, uint64_t seed, int rank, int64_t index, double time);

#endif
