/* The numbers of a cluster's file, each with its unit and its source. */
#ifndef PLAN_MACHINE_CLUSTER_NUMBERS_H
#define PLAN_MACHINE_CLUSTER_NUMBERS_H

#include "plan/machine/cluster.h"

struct cluster_number {
	char *name;             /* "workers", "seconds_per_sample.vgg", "link.latency_s"; owned */
	char *value;            /* as the file has it; owned */
	const char *unit;       /* "" for words and counts */
	const char *source;     /* NULL: the file has none */
};

struct cluster_numbers {
	struct cluster_number *v;       /* [n], owned */
	size_t n;
};

/* What the file says, and no default; the words of the models too. The texts live in c->file. */
struct cluster_numbers cluster_numbers(const struct cluster *c);
void cluster_numbers_free(struct cluster_numbers *all);

/* 0 when `sources` is missing, or has a text for numbers of the file alone, else error(). */
int cluster_check_sources(const struct cluster *c, const char *path);

#endif
