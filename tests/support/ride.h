/* Simulated runs of the toy problem with checkpoints, and a digest of all their events. */
#ifndef TESTS_SUPPORT_RIDE_H
#define TESTS_SUPPORT_RIDE_H

#include "tests/support/toy.h"

#include <stdbool.h>

enum { RIDE_DIM = 5, RIDE_WORKERS = 6 };

struct setting {                /* settings of a run */
	const char *algo, *optim, *codec, *link;
	bool watch, cut;        /* cut: a server in three shards, all-reduces in three buckets */
	double epochs;          /* 0: three */
	int64_t gradients;      /* bounds, as of a run; 0: none */
	double seconds;
	const char *faults;     /* NULL: none */
};

struct witness {                /* hook that digests all events, across an interruption */
	struct hook hook;
	uint64_t seen;
	int64_t gradients, interrupt_at;        /* 0: never */
	volatile sig_atomic_t interrupted;
};

struct ride {                   /* a run, or one part of it */
	struct toy toy;
	struct choice codec;
	struct witness witness;
	struct checkpoint_conf saves;
};

/* Saves checkpoints to `path`, and resumes from the one there; path NULL: neither. */
void ride_open(struct ride *r, const struct setting *s, const char *path);
void ride_run(struct ride *r, bool watch);
void ride_close(struct ride *r);

/* Asserts that both had equal events, models and ledgers. */
void rides_assert_same(const struct ride *a, const struct ride *b);

/* Asserts that a run resumed from the checkpoint at `path` ends like the whole run. */
void ride_go_on(const struct setting *s, const char *path, const struct ride *whole);

#endif
