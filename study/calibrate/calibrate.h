/*
 * calibrate.h - how fast real ranks are, as a cluster file for the simulator.
 *
 * Little algorithms that the engine of real ranks runs find out how long it takes. So what is
 * measured is what a run meets: the engine's loop, with its naps, and as many ranks as the run has.
 * All processes call these alike; figures are for process 0.
 */
#ifndef STUDY_CALIBRATE_CALIBRATE_H
#define STUDY_CALIBRATE_CALIBRATE_H

#include "core/watch.h"
#include "plan/resolve/setup.h"

/* ---- probe.c ---- */

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
	size_t n;
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

/* At each gradient, workers also send the next one their model, which averages. 0 or error(). */
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

/* ---- calibrate.c ---- */

enum { SIZES_MAX = 16, LEVELS_MAX = 32 };

struct findings {               /* of process 0 */
	int ranks, threads;
	int workers;            /* of the ranks: as many compute at once */
	char *hosts;            /* a line each, owned; NULL: unknown */
	/* Seconds between gradients of one worker, `level[i]` of them computing at once. */
	int level[LEVELS_MAX];
	size_t levels;
	struct times periods[LEVELS_MAX];
	/*
	 * Batches of samples that a process had not used before, and of samples that it had: some
	 * data sets make a sample when it is first used.
	 */
	struct fetching first, known;
	int64_t epoch;          /* gradients of a worker */
	int64_t seen;           /* gradients of a worker of which every process knows the samples */
	struct times steps;     /* of the optimiser, while all compute */
	struct times passes;    /* of handlers, a float read or written */
	struct times receiving; /* as periods of the last level, with a message received in each */
	/* Messages and all-reduces by size; sizes 0: there is one rank. */
	size_t floats[SIZES_MAX], sizes;
	struct times messages[SIZES_MAX], allreduces[SIZES_MAX];
};

struct calibrate_conf {
	int threads;            /* of a rank */
	int workers;            /* 0: all ranks compute */
	double seconds;         /* of each measurement of gradients */
	int64_t rounds;         /* messages and all-reduces of each size, at most */
	bool quiet;
};

/*
 * Measures the ranks with the problem, which is open on each. An exit code; findings_release()
 * either way.
 */
int calibrate_measure(struct findings *f, const struct setup *su, const struct calibrate_conf *c,
		      const struct problem *problem);
void findings_release(struct findings *f);

/* Writes the cluster file whole. 0 or error(). */
int calibrate_write(struct findings *f, const struct setup *su, const char *path);

/* ---- figures of findings ---- */

double times_mean(const struct times *t);

/* The coefficient of variation. */
double times_cv(const struct times *t);

/* Seconds of a gradient of new samples beyond those of one of known samples; 0: not resolved. */
double findings_first_use(const struct findings *f);

/* 1e9 bytes a second of what handlers read and write, and receive during a gradient; 0: no cost. */
double findings_handler_rate(struct findings *f);
double findings_receive_rate(struct findings *f);

#endif
