/*
 * probe.h - little algorithms that the engine of real ranks runs to find out how long it takes.
 *
 * What is measured is what a run meets: the engine's loop, with its naps, and as many ranks as
 * the run has. All processes call these alike; figures are for process 0.
 */
#ifndef STUDY_CALIBRATE_PROBE_H
#define STUDY_CALIBRATE_PROBE_H

#include "core/run.h"
#include "core/watch.h"
#include "mpi/real.h"

struct probe {
	const struct real_conf *conf;
	struct run run;         /* problem, pool, batch, optimiser; workers: all ranks */
	enum watch_level measures;      /* of the run */
	/* Called now and then, on process 0; may be NULL. */
	void (*tick)(void *ctx);
	void *ctx;
};

struct times {                  /* seconds */
	double *v;              /* [n], owned */
	size_t n, capacity;
};

void times_release(struct times *t);

/* Seconds that process 0 took to get the batches of its gradients, from one to before another. */
struct fetching {
	int64_t from, end;      /* in */
	int64_t n;              /* gradients among them */
	double seconds;
};

/* Mean of the middle half: what neither luck nor a disturbance decides. NaN of nothing. */
double times_middle(struct times *t);

struct computing {
	int active;             /* the first workers, which compute */
	double seconds;         /* the probe ends at whichever comes first; 0: no bound ... */
	int64_t gradients;      /* ... of all workers together */
};

struct computed {
	struct times *periods;  /* from one gradient of a worker to its next, of all */
	struct times *steps;    /* of the optimiser alone */
	struct times *passes;   /* per float that a handler reads or writes after a gradient */
	struct fetching *fetching;      /* of process 0; n and seconds grow */
	int64_t gradients;      /* out: of this process */
};

/* Workers compute gradients and step. 0 or error(). */
int probe_compute(const struct probe *p, const struct computing *c, struct computed *to);

/* The same, and at each gradient they send the next worker their model, which averages. */
int probe_receiving(const struct probe *p, const struct computing *c, struct times *periods);

/*
 * times[n] of a message of floats[i] there or back, `rounds` of each, to the others in turn,
 * after a gradient.
 */
int probe_messages(const struct probe *p, const size_t *floats, size_t n, int rounds,
		   struct times *times);

/* times[n] of an all-reduce of floats[i] after gradients, from when the last worker asks. */
int probe_allreduces(const struct probe *p, const size_t *floats, size_t n, int rounds,
	       struct times *times);

#endif
