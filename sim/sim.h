/*
 * sim.h - the engine in virtual time.
 *
 * A discrete-event simulation of workers, links and a server. Gradients are computed if run->pool
 * is set: a gradient's input is fixed when it begins, and its result is needed only when its
 * virtual time ends. So all gradients in flight are computed in parallel, and results are
 * bit-identical to those of one thread.
 */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include "core/run.h"
#include "delays/pace.h"
#include "sim/link/clauses.h"
#include "sim/link/link.h"

enum { SIM_WORKERS_MOST = (1 << 21) - 2 };      /* of a run; each shard of a server is one less */

struct backward {               /* a layer, in the order of the backward pass */
	size_t from;            /* offset of its floats in x; the next layer's are after them */
	double done;            /* share of the pass after which its gradient is final */
};

struct restart {                /* a failure takes the whole job back to its last checkpoint */
	double interval_s;      /* seconds of work between two; 0: workers fail one by one */
	double cost_s;          /* seconds for which all workers stop to save one */
};

#define SIM_MEMORY_RATE 10e9    /* bytes a second of a shared model, if the link has no rate */

struct sim_conf {
	double batch_s;         /* seconds that a worker computes on run->batch samples */
	double host_copy_s;     /* seconds of an exchange's host-device copy, if workers > 1 */
	double update_s;        /* seconds that the server spends on one step */
	bool random_update;     /* exponentially distributed, with that mean */
	int shards;             /* machines of the server; 0: one */
	int in_flight;          /* buckets that are all-reduced at the same time; 0: one */
	int zero;               /* ZeRO's stage; 0: gradients are all-reduced */
	size_t bucket;          /* floats of a bucket; 0: the whole gradient, when it is complete */
	const struct backward *backward;        /* [nbackward] `from` ascending, borrowed ... */
	size_t nbackward;       /* ... 0: the pass covers x evenly, from its end */
	double forward;         /* share of the forward pass in a gradient's seconds; 0: a third */
	double last;            /* share of its last minibatch, which overlaps; 0: all of it */
	bool overlap;           /* receive messages while computing */
	struct pace pace;       /* factors on batch_s */
	struct choice storage;  /* struct storage_conf: time to read samples; {0}: none */
	struct choice link;     /* struct link: time of messages */
	struct link_clauses own;        /* link settings of single nodes and pairs */
	const struct checkpoint_conf *saves;    /* NULL: the run has no checkpoints */
	const struct fault *fault;      /* [nfaults] in order of time; borrowed */
	size_t nfaults;
	struct restart restart;
	int nodes;              /* of each worker; 0: one, or a part of one */
	bool orders;            /* run_result.order is wanted of a timing-only run, too ... */
	bool spreads;           /* ... in which marks would measure the spread of models */
};

/*
 * Runs until the budget is spent and everything is delivered. Returns 0, or error() for an invalid
 * configuration. Hooks see the events of the run; *result (may be NULL) has a summary.
 */
int sim_run(const struct sim_conf *conf, const struct run *run, struct run_result *result);

/*
 * Gradients in the checkpoint at `path`, if a run with this id and build can resume from it within
 * run's budget; else -1, after a warning() if only the build differs.
 */
int64_t sim_saved(const char *path, const struct checkpoint_conf *saves, const struct run *run);

/* True if there is a checkpoint at `path`, of a run with that id. */
bool sim_saved_by(const char *path, const char *id);

/*
 * First float of the bucket that ends before the float `to`, both of a gradient in buckets. With
 * ZeRO's stage 3 a bucket has whole layers, of conf->bucket floats or more.
 */
size_t sim_bucket_from(const struct sim_conf *conf, size_t to);

/* 0, or error() for too many workers and shards of the server. */
int sim_check_workers(int64_t workers, int64_t shards);

/* 0, or error() when faults cannot happen in such a run, or would change nothing. */
int faults_check(const struct sim_conf *conf, const struct run *run);

#endif
