/*
 * setup.h - one run, resolved: settings turned into plug-ins and numbers.
 *
 * What "auto" stands for is looked up, everything is checked, and the canonical
 * text of every setting is hashed; the hash names the result file.
 */
#ifndef PLAN_RESOLVE_SETUP_H
#define PLAN_RESOLVE_SETUP_H

#include "core/graph.h"
#include "core/optim.h"
#include "mpi/real.h"
#include "nets/backend.h"
#include "plan/compute/times.h"
#include "plan/resolve/model.h"
#include "plan/resolve/setting_source.h"
#include "plan/settings/settings.h"
#include "report/report.h"
#include "sim/sim.h"

struct setup {
	struct settings in;     /* as given; owned */
	struct autos num;
	struct choice algo, data, schedule, optim, codec;
	struct choice graph;    /* {0}: the algorithm has none */
	struct topology topology;       /* that graph of num.workers */
	const struct backend *backend;
	struct backend_conf backend_conf;
	struct model model;
	struct sim_conf sim;    /* its choices, clauses, delays, slow list, faults are owned */
	struct real_conf real;  /* engine mpi: borrows from sim */
	int ranks;              /* engine mpi: that the run has; 0: as many as its workers need */
	struct compute_times times;     /* compute_s, where it is more than a number */
	double *own;            /* [workers] factors of these on compute_s, owned; NULL: 1 each */
	struct slow *slow;
	int64_t *slice;         /* of a round (core/samples/slice.h), owned; NULL: equal ones */
	struct fault *fault;
	int64_t samples;        /* of an epoch; 0: known when the data set is open */
	char *cluster;          /* engine sim: its name, or "none"; owned */
	struct setting_source sources[SETTINGS_MOST];   /* by index of settings_opts */
	struct setting *canonical;  /* [ncanonical] every setting as text; owned */
	size_t ncanonical;
	char hash[17];
	char former[17];        /* the hash that it had before setup_former(), or the same */
	unsigned changes;       /* canonical.c: what tells the two apart, as bits */
};

/* Defaults. settings_apply() then applies settings to su->in. */
void setup_init(struct setup *su);

/* Resolves and checks su->in, by stages.c. 0 or error(); release in either case. */
int setup_resolve(struct setup *su);
void setup_release(struct setup *su);

/* Adds one setting and resolves the setup again. 0 or error(); release in either case. */
int setup_resolve_with(struct setup *su, const char *key, const char *text, const char *where);

/* Borrowed. */
const struct algo *setup_algo(const struct setup *su);

/*
 * The run as engines take it, without pool, hooks and the like; it borrows from su, which must not
 * move meanwhile.
 */
struct run setup_run(const struct setup *su);

/* The net for the shape of the data; NULL after error(). The caller frees with graph_free(). */
struct graph *setup_load_net(const struct setup *su);

/* True when the run computes gradients of a net over a data set. */
bool setup_needs_data(const struct setup *su);

/* Samples of the largest minibatch of a worker. */
size_t setup_most_batch(const struct setup *su);

/* 0, or error() when a minibatch of every worker does not fit into an epoch. */
int setup_check_samples(const struct setup *su, int64_t samples);

/* Engine mpi: the ranks that its workers, and their server, take. */
int setup_ranks(const struct setup *su);

/* 0, or error() when su->ranks is given and another number. */
int setup_check_ranks(const struct setup *su);

/* The canonical text of a setting. */
const char *setup_text(const struct setup *su, const char *key);

/* True of a setting that is left open. */
bool setup_is_auto(const char *text);

/* Reads a setting into num, unless it is "auto", which leaves what is there. 0 or error(). */
int setup_auto(struct setup *su, const char *key, const char *text);

/*
 * start.c: the model x[model.dim] in the file that `init` names, a result or llm.c's checkpoint;
 * the caller frees. NULL after error().
 */
float *setup_start(const struct setup *su);

/* canonical.c: fills canonical and hash of a resolved setup. 0. */
int setup_canonical(struct setup *su);

/*
 * The hash without the settings of the run's length: runs that are the same but in length have
 * it in common, unless the schedule goes by the length.
 */
void setup_lineage(const struct setup *su, bool former, char lineage[17]);

/*
 * What results of the same settings had, in words, when their hash was su->former; NULL: they mean
 * what they did. setup_lineage() with `former` gives what checkpoints of them have.
 */
const char *setup_former(const struct setup *su);

#endif
