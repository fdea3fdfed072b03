/*
 * delay.h - delay models: factors by which compute times vary, as plug-ins, and the workers that
 * have them.
 *
 * The text of --delay, as a grammar:
 *
 *     delays = clause { ";" clause }
 *     clause = [ who ":" ] [ "*" ] model { "*" model }
 *     who    = "all" | span { "," span }
 *     span   = RANK | RANK "-" RANK
 *     model  = NAME [ ":" KEY "=" VALUE { "," KEY "=" VALUE } ] | PRESET
 *
 * A worker has the models of the last clause that names it, multiplied; a clause that begins with
 * "*" is multiplied by the worker's models so far. A worker that no clause names has the factor 1.
 * A backslash before ";", "*" or "," makes it a part of a value. A preset is a name for a product
 * of models.
 */
#ifndef DELAYS_DELAY_H
#define DELAYS_DELAY_H

#include "core/math/rng.h"
#include "core/text/opt.h"
#include "core/text/ranks.h"

/* Values that a model may cache for a worker; they never change a result. */
struct delay_memo {
	bool set;
	int64_t at;             /* draw to which the values belong */
	double value, other;
};

struct delay_at {               /* all arguments that a factor depends on */
	uint64_t seed;
	int rank;
	int64_t index;          /* of the worker's gradient */
	double time;            /* seconds since the run began, at which the gradient begins */
	int part;               /* model within the worker's product: no two share random numbers */
	struct delay_memo *memo;        /* of this worker and part; NULL: none */
};

enum delay_stream {             /* streams of random numbers of a part */
	DELAY_GRADIENT, DELAY_MACHINE, DELAY_SOJOURN, DELAY_RACK, DELAY_DEPTH, DELAY_WORKER
};

/* Moves r to the index-th random number of a stream of the part at->part, for `rank`. */
void delay_rng(struct rng *r, const struct delay_at *at, enum delay_stream stream, int rank,
	       int64_t index);

/*
 * Row for the int64_t `size` of a conf, the workers of a machine; and the arguments of the first of
 * them, whose draws they share.
 */
#define DELAY_SIZE_OPT(conf)                                                                       \
	{ "size", OPT_AT(INT, conf, size), "1",                                                    \
	  "workers of a machine, which share its draws: ranks 0 to N-1, N to 2N-1, ...", "N", 1,   \
	  1 << 24, NULL, OPT_ADDED }

static inline struct delay_at delay_at_machine(const struct delay_at *at, int64_t size)
{
	struct delay_at machine = *at;

	machine.rank -= (int)(at->rank % size);
	return machine;
}

/* A factor drawn once for the worker, which it keeps for the whole run. */
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
	double mean, deviation; /* deviation: HUGE_VAL if it does not exist */
};

/*
 * Reads the numbers of a file, at least one, into the empty list *to. From a file with a column of
 * ranks, it reads those of `rank`, -1: all. DELAY_STEPS: from a log of step times, reads the number
 * of workers, then each worker's seconds. 0 or error().
 */
enum { DELAY_STEPS = -2 };
typedef int delay_reader(const char *path, int rank, struct opt_doubles *to);

struct delay_span {             /* seconds; from > until: at no time */
	double from;            /* the first change; infinite: the only one, at `until` */
	double until;           /* the last change */
};

struct delay {                  /* plug-in: factors on the base compute time */
	struct plugin plugin;
	/* A preset: the product of models for which its name stands. NULL: a model. */
	const char *stands_for;
	/*
	 * A factor drawn from r. If at() is set: a factor of a random worker at a random time.
	 * NULL: quantile() of a uniform deviate.
	 */
	double (*draw)(const void *conf, struct rng *r);
	/* Factor of one worker's gradient. NULL: draw() at (seed, rank, index). */
	double (*at)(const void *conf, const struct delay_at *at);
	bool caches;            /* at() uses a memo */
	struct delay_moments (*moments)(const void *conf);      /* of draw() */
	/* Mean of one worker's factors, if workers differ permanently. NULL: that of draw(). */
	double (*mean)(const void *conf, const struct delay_at *at);
	/*
	 * "NAME:KEY=VALUE,..." of the model that, multiplied by *factor, gives to all workers the
	 * distribution that this one has for the whole run; NULL: there is none. The caller frees.
	 * Set if mean() is.
	 */
	char *(*alone)(const void *conf, const struct delay_at *at, double *factor);
	/*
	 * Mean seconds from one slow period of a worker to its next; 0: slow periods never begin or
	 * end. NULL: the model has none.
	 */
	double (*cycle_s)(const void *conf);
	/* When the factor changes, if that is at times that are given. NULL: it never is. */
	struct delay_span (*span)(const void *conf);
	/* Smallest x with P(draw() <= x) >= p. NULL: no simple formula is known. */
	double (*quantile)(const void *conf, double p);
	/*
	 * Reads the file that the settings name; 0, or error() that begins with `where`. May be
	 * NULL.
	 */
	int (*open)(void *conf, delay_reader *read, const char *where);
	/* 0, or error() that begins with `where`, for contradictory settings. May be NULL. */
	int (*check)(const void *conf, const char *where);
	/*
	 * Offset in conf of a struct opt_doubles, owned: numbers that open() read, which are part
	 * of the settings of a run. 0: none.
	 */
	size_t read_at;
};

/* Numbers that a model's open() read, borrowed; n = 0: none. */
static inline struct opt_doubles delay_read(const struct choice *model)
{
	const size_t at = ((const struct delay *)model->plugin)->read_at;

	return at ? *(const struct opt_doubles *)((const char *)model->conf + at)
		  : (struct opt_doubles){ 0 };
}

struct delay_clause {
	struct rank_list who;       /* none: all workers */
	bool onto;              /* multiplied by the clauses before; else replaces them */
	struct choice *model;   /* [nmodels], owned */
	size_t nmodels;
};

enum { DELAY_AHEAD = 15 };

/* The next factors of a worker, drawn together, which is five times faster. Two cache lines. */
struct delay_ahead {
	int64_t from;           /* index of the first, -1: none are cached */
	double factor[DELAY_AHEAD];
};

struct delays {
	struct delay_clause *clause;    /* [n], owned */
	size_t n;
	int workers, parts;     /* parts: most models in a worker's product */
	bool caches;            /* some model uses memos */
	bool ahead_of_time;     /* no model has at(), and few workers: factors are drawn ahead */
	bool begun;             /* a factor was asked for, with this seed: */
	uint64_t seed;
	struct delay_memo *memo;        /* [workers][parts] with caches, else NULL; owned */
	struct delay_ahead *ahead;      /* [workers] if ahead_of_time, else NULL; owned */
};

extern const struct plugin *const delay_table[];        /* NULL-ended */

/* A factor drawn by a model: draw(), or quantile() of a uniform deviate. */
double delay_draw(const struct choice *model, struct rng *r);

/*
 * Parses a text against a table of struct delay for `workers`, and opens every model; read
 * NULL: models with a file are refused. The caller frees with delays_free(). NULL after error()
 * that names the clause, the model, the key and the nearest choice.
 */
struct delays *delays_new(const struct plugin *const *table, const char *text, int workers,
			  delay_reader *read);

/* The same where `node` workers share a machine: what presets draw for a machine, they share. */
struct delays *delays_new_on_nodes(const struct plugin *const *table, const char *text, int workers,
				   int node, delay_reader *read);

/* Canonical text with every value, defaults included. The caller frees. */
char *delays_format(const struct delays *d);

/* True when workers may have different models, or permanently different times. */
bool delays_differ(const struct delays *d);

/*
 * Text that gives to all workers the models of one worker, with its own permanent draws for that
 * seed, such as "gamma:cv=0.1". The caller frees.
 */
char *delays_format_worker(const struct delays *d, uint64_t seed, int rank);

/* "all", "3", "4-7,9": the workers of a clause. The caller frees. */
char *delay_ranks(const struct delay_clause *c);

void delays_free(struct delays *d);

/*
 * Number of models that are multiplied for a worker; *model <- them, in order, borrowed, unless
 * NULL.
 */
size_t delays_models(const struct delays *d, int rank, const struct choice **model);

/*
 * Mean of a worker's factors, as far as it is known before the run: from its clauses, and from
 * draws made once for each worker, but not from states that change.
 */
double delays_mean(const struct delays *d, uint64_t seed, int rank);

/*
 * Slow periods of all workers together that begin in a second, on average; each worker counts with
 * its model of the longest cycle. 0: there are none.
 */
double delays_slow_periods(const struct delays *d);

/* False: no factor depends on when its gradient begins. */
bool delays_follow_clock(const struct delays *d);

/* From the first to the last change at a given time, of all workers. */
struct delay_span delays_span(const struct delays *d);

/* Factor of a worker's index-th gradient, which begins at `time`, seconds. */
double delays_factor(struct delays *d, uint64_t seed, int rank, int64_t index, double time);

#endif
