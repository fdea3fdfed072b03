/*
 * models.h - plug-ins of the simulator: delays of workers, links between them.
 */
#ifndef SIM_MODELS_H
#define SIM_MODELS_H

#include "core/opt.h"
#include "core/rng.h"

struct delay {
	struct plugin plugin;
	/* A factor on the base compute time, of mean 1, drawn from r. */
	double (*draw)(const void *conf, struct rng *r);
	int (*check)(const void *conf);         /* 0 or error(); may be NULL */
};

struct nic {                    /* one node's network card */
	double out_free, in_free;       /* when each direction is next idle, seconds */
};

struct link {
	struct plugin plugin;
	/* When `bytes` handed over at `now` have arrived whole; books both cards. */
	double (*deliver)(const void *conf, struct nic *from, struct nic *to, double now,
			  size_t bytes);
	/* Seconds of an all-reduce of `bytes` over n nodes that all are ready. */
	double (*allreduce)(const void *conf, int n, size_t bytes);
	int (*check)(const void *conf);
};

extern const struct plugin *const delay_table[];        /* NULL-ended */
extern const struct plugin *const link_table[];

#endif
