/*
 * sim.h - the engine of virtual time.
 *
 * A discrete-event simulation of workers, links and a server. Gradients are
 * real when run->pool is set: a gradient's input is fixed when it begins and its
 * result is needed only when its virtual time ends, so all gradients in flight
 * are computed in parallel, with the bits of a serial run.
 */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include "core/run.h"
#include "delays/pace.h"
#include "sim/link/clauses.h"
#include "sim/link/link.h"

struct backward {               /* a layer, as the backward pass comes to it */
	size_t from;            /* where its floats begin in x; the next layer's are after them */
	double done;            /* share of the pass after which its gradient is final */
};

struct restart {                /* a failure takes the job back to its last checkpoint */
	double interval_s;      /* seconds of work between two; 0: workers fail one by one */
	double cost_s;          /* that all stop for while one is saved */
};

struct sim_conf {
	double batch_s;         /* seconds that a worker computes on run->batch samples */
	double host_copy_s;     /* seconds of a gradient's host-device copy, if workers > 1 */
	double update_s;        /* seconds that the server spends on one step */
	bool random_update;     /* exponentially distributed ones, of that mean */
	int shards;             /* machines that the server is; 0: one */
	int in_flight;          /* buckets that are added at once; 0: one */
	int zero;               /* ZeRO's stage; 0: gradients are all-reduced */
	size_t bucket;          /* floats of a gradient that are added at once; 0: all, after it */
	const struct backward *backward;        /* [nbackward] `from` ascending, borrowed ... */
	size_t nbackward;       /* ... 0: the pass goes evenly over x, from its end */
	double forward;         /* share of the forward pass in a gradient's seconds; 0: a third */
	bool overlap;           /* receive messages while computing */
	struct pace pace;       /* factors on batch_s */
	struct choice storage;  /* struct storage_conf: when samples are read; {0}: at once */
	struct choice link;     /* struct link: when a message arrives */
	struct link_clauses own;        /* what single nodes and pairs have of it */
	const struct checkpoint_conf *saves;    /* NULL: the run has no checkpoints */
	const struct fault *fault;      /* [nfaults] what goes wrong, by its beginning; borrowed */
	size_t nfaults;
	struct restart restart;
};

/*
 * Runs to the end of the budget and drains. Returns 0, or error() for a
 * configuration that makes no sense. The run's outcome is seen by its hooks
 * and summarised in *result (may be NULL).
 */
int sim_run(const struct sim_conf *conf, const struct run *run, struct run_result *result);

/*
 * Gradients of the checkpoint at `path`, if a run with these id and build and within run's budget
 * can go on from it; else -1, after a warning() where only the build differs.
 */
int64_t sim_saved(const char *path, const struct checkpoint_conf *saves, const struct run *run);

/* Whether there is a checkpoint at `path`, and its run has that id. */
bool sim_saved_by(const char *path, const char *id);

/* 0, or error() when so many workers, and shards of a server, are too many. */
int sim_check_workers(int64_t workers, int64_t shards);

/* 0, or error() when the faults cannot happen in such a run, or would change nothing. */
int faults_check(const struct sim_conf *conf, const struct run *run);

#endif
