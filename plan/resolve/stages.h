/*
 * stages.h - the stages by which settings become a resolved run and its canonical form.
 *
 * Texts become su->in by settings_apply(), and these stages do the rest. A new stage names what it
 * reads and what it sets, and stands after those that set what it reads.
 */
#ifndef PLAN_RESOLVE_STAGES_H
#define PLAN_RESOLVE_STAGES_H

#include "plan/resolve/setup.h"

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
	PART_CANONICAL = 1 << 13        /* canonical, hash */
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
