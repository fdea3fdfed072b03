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
#include "plan/settings/settings.h"
#include "record/record.h"
#include "sim/sim.h"

/* ---- where the value of a setting comes from, and the rules for those that are omitted ---- */

enum from {
	FROM_DEFAULT,           /* what settings_opts says */
	FROM_GIVEN, FROM_ALGORITHM, FROM_NET, FROM_DATA, FROM_BUILD, FROM_BOUNDS, FROM_WORKERS,
	FROM_RANKS, FROM_ENGINE, FROM_MACHINE, FROM_DEVICE, FROM_CLUSTER,
	FROM_NEUTRAL            /* as FROM_CLUSTER, but no cluster says it */
};

/* Source of the value of an omitted setting when it is not its plain default. */
struct default_rule {
	const char *key;        /* a setting may have several rules; NULL ends the table */
	enum from from;
	const char *by;         /* the settings that decide, separated by spaces */
	const char *rule;
};

extern const struct default_rule default_rules[];

/* The rule by which a setting's value is from there; NULL: there is none. */
const struct default_rule *default_rule_find(const char *key, enum from from);

struct setting_source {
	enum from from;
	char *source;           /* "cluster power8-edr", owned; NULL: from says it all */
	char *beyond;           /* from what the value is extrapolated, owned; NULL: it is not */
	char *name;             /* both in words, owned; NULL: neither */
	char *value;            /* as the source has it, owned; NULL: the canonical text */
	bool named;             /* from the cluster that the settings name */
	bool used;              /* the run's times depend on it */
	const char *unused;     /* why the run does not depend on what is given; NULL: it does */
};

/* Marks what is given as such. `all` is [SETTINGS_MOST], by index of settings_opts. */
void setting_sources_begin(struct setting_source *all, const struct settings *in);

/* Source of a setting. */
struct setting_source *setting_source_at(struct setting_source *all, const char *key);

/* The value of that omitted setting is by a rule of the table. */
void setting_source_set(struct setting_source *all, const char *key, enum from from);

/* Sets the source, which is taken over. */
void setting_source_is(struct setting_source *src, char *source);

/*
 * The value is extrapolated, and the run depends on it. Takes over from what, and the value as a
 * line names it; NULL: the canonical text.
 */
void setting_source_extrapolated(struct setting_source *src, char *beyond, char *value);

/*
 * "given", "default", "from algorithm", "from cluster power8-edr", without what a comma in the
 * source adds. The caller frees.
 */
char *setting_source_text(const struct setting_source *src);

/* "from cluster", of a rule. The caller frees. */
char *from_text(enum from from);

/* {setting: text} of all settings. The caller frees. */
cJSON *setting_sources_json(const struct setting_source *all);

/* ---- the run ---- */

struct setup {
	struct settings in;     /* as given; owned */
	const char *none;       /* data or backend, if given as "none", which is its default then */
	struct autos num;
	struct choice algo, data, partition, schedule, optim, codec;
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
	struct clusters *clusters;      /* while it is resolved: those that were read for other
					 * runs, borrowed; NULL: it is alone */
	char *measured;         /* with what else its time of the net was; NULL: as here; owned */
	bool buckets;           /* on this machine all-reduces of gradients overlap the backward
				 * pass, if the algorithm has any */
	double peak;            /* operations a second of a worker's devices; 0: not known */
	double memory;          /* bytes of a worker's devices; 0: not known */
	char *link_text;        /* of the link as given, where workers of several devices change it;
				 * owned */
	bool nccl_assumed;      /* all-reduces are NCCL's: the link leaves them open */
	struct setting_source sources[SETTINGS_MOST];   /* by index of settings_opts */
	struct setting *canonical;  /* [ncanonical] every setting as text; owned */
	size_t ncanonical;
	char hash[17];
	char former[17];        /* the hash that it had before setup_former(), or the same */
	unsigned changes;       /* canonical.c: what tells the two apart, as bits */
};

/* Samples of a worker's gradient: of all minibatches that it is the mean of. */
static inline int64_t setup_batch(const struct setup *su)
{
	return su->in.batch * su->in.accumulate;
}

/* True when the user gave that setting. */
bool setting_is_given(const struct setup *su, const char *key);

/* Defaults. settings_apply() then applies settings to su->in. */
void setup_init(struct setup *su);

/* Resolves and checks su->in, by stages.c. 0 or error(); release in either case. */
int setup_resolve(struct setup *su);
void setup_release(struct setup *su);

/* Adds one setting and resolves the setup again. 0 or error(); release in either case. */
int setup_resolve_with(struct setup *su, const char *key, const char *text, const char *where);

/* Choice of a setting, borrowed; NULL: it chooses no plug-in of its own. */
static inline struct choice *setting_choice_in(const struct setup *su, const struct opt *o)
{
	const size_t at = setting_facts(o)->choice;

	return at ? (struct choice *)((char *)(uintptr_t)su + at) : NULL;
}

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

/* Samples of the largest gradient of a worker, and of the largest minibatch. */
size_t setup_most_batch(const struct setup *su);
size_t setup_most_minibatch(const struct setup *su);

/* 0, or error() when a minibatch of every worker does not fit into an epoch. */
int setup_check_samples(const struct setup *su, int64_t samples);

/* Engine mpi: the ranks that its workers, and their server, take. */
int setup_ranks(const struct setup *su);

/* 0, or error() when su->ranks is given and another number. */
int setup_check_ranks(const struct setup *su);

/* The canonical text of a setting. */
const char *setup_text(const struct setup *su, const char *key);

/* {setting: text} of all settings. The caller frees. */
cJSON *setup_settings_json(const struct setup *su);

/* True of a setting that is left open. */
bool setup_is_auto(const char *text);

/* Reads a setting into num, unless it is "auto", which leaves what is there. 0 or error(). */
int setup_auto(struct setup *su, const char *key, const char *text);

/*
 * The model x[model.dim] in the file that `init` names, a result or llm.c's checkpoint;
 * the caller frees. NULL after error().
 */
float *setup_start(const struct setup *su);

/*
 * Lines "DIGEST\tKEY = VALUE\n" of all settings, then of the hash: where the digests are equal, so
 * is what the setting says, in its files too. The caller frees.
 */
char *setup_identity(const struct setup *su);

/* canonical.c: fills canonical and hash of a resolved setup. 0. */
int setup_canonical(struct setup *su);

/*
 * The hash without the settings of the run's length: runs that are the same but in length have
 * it in common, unless the schedule goes by the length.
 */
void setup_lineage(const struct setup *su, bool former, char lineage[17]);

/*
 * A hash of what a simulated run learns with, without settings that change times alone: runs that
 * have it in common, and the same order of events (run_result.order), learn the same by the same
 * program. 0: what the run learns depends on times, or it learns nothing.
 */
uint64_t setup_training(const struct setup *su);

/*
 * Meaning that results of the same settings had, when their hash was su->former; NULL: they mean
 * what they did. setup_lineage() with `former` gives what checkpoints of them have.
 */
const char *setup_former(const struct setup *su);

/* A number of the link, such as "jitter"; 0: it has none of that name. */
double setup_link_number(const struct setup *su, const char *key);

/*
 * Epochs of a timing-only run that was given no length: 1, or enough for many workers, and on to
 * the end of a round of all.
 */
double length_enough(const struct setup *su);

/* Gradients of each worker; infinite where the start does not matter, or is unknown. */
double length_each(const struct setup *su);

/*
 * 0, or error() when a simulated run has more than RUN_GRADIENTS_MOST gradients; samples: of an
 * epoch, 0: unknown.
 */
int length_check(const struct setup *su, int64_t samples);

/* Warns when that is few. */
void length_warn(const struct setup *su);

enum part {                     /* of a struct setup, as stages set it */
	PART_SETTINGS = 1,      /* in, and which of it is given */
	PART_PLUGINS = 1 << 1,  /* algo, data, schedule, optim, codec */
	PART_BACKEND = 1 << 2,
	PART_MODEL = 1 << 3,
	PART_MACHINE = 1 << 4,  /* num but epochs and warmup_from; link, delays, cluster, real */
	PART_WARMUP = 1 << 5,
	PART_SAMPLES = 1 << 6,
	PART_LENGTH = 1 << 7,   /* num.epochs */
	PART_SHARES = 1 << 8,   /* slow, slice */
	PART_FAULTS = 1 << 9,
	PART_GRAPH = 1 << 10,
	PART_ENGINES = 1 << 11, /* the rest of sim and real */
	PART_CHECKED = 1 << 12,
	PART_GAIN = 1 << 13,    /* the outer learning rate in algo.conf */
	PART_CANONICAL = 1 << 14        /* canonical, hash */
};

struct stage {
	const char *name;       /* NULL ends a table */
	int (*run)(struct setup *su);   /* 0 or error() */
	unsigned needs, sets;   /* sums of enum part */
};

extern const struct stage setup_stages[];

/* The first stage that needs what no stage before it sets; NULL: none. */
const struct stage *stages_unmet(const struct stage *stages);

/* Runs the stages, up to the first that fails. 0 or error(). */
int stages_walk(const struct stage *stages, struct setup *su);

#endif
