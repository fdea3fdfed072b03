/*
 * child.h - one process that computes an external problem. Private to nets/external/.
 */
#ifndef NETS_EXTERNAL_CHILD_H
#define NETS_EXTERNAL_CHILD_H

#include "nets/external/external.h"

#include <sys/types.h>

struct child;

/* A request and its answer. */
struct ask {
	int kind;               /* enum convoy_kind */
	uint64_t seed;
	int64_t n, first;
	enum split split;
	double loss;            /* answers */
	int64_t correct, count;
	double metric[METRICS_MOST];
};

/*
 * Starts the program and asks for its sizes. The thread that calls it must outlive the child. If
 * that or a later call fails, child_why() says so. child_end() ends and waits for the process, and
 * those of its group.
 */
struct child *child_start(const char *net, const struct external_name *name);
void child_end(struct child *c);

/* The cause of the failure in one line, or NULL: none; borrowed. */
const char *child_why(const struct child *c);

/* Shows details, such as a traceback, line by line, then error() with the cause. */
void child_show(const struct child *c);

/* Forgets a child of the process that this one was forked from: closes descriptors only. */
void child_forget(struct child *c);

const struct external_sizes *child_sizes(const struct child *c);

/* Note on the model for the user, in one line; NULL: none. */
const char *child_remark(const struct child *c);

/* Vectors in the memory that it shares: NULL before child_map(). */
struct shared_memory {
	float *x, *g, *stats;   /* [dim], [dim], [stats_dim] */
	int64_t *sample;        /* [EXTERNAL_BATCH_MOST] */
};
enum { EXTERNAL_BATCH_MOST = 1 << 24 };

/* Shares the memory. 0, or -1 with child_why(). Does nothing the second time. */
int child_map(struct child *c);
const struct shared_memory *child_memory(const struct child *c);

/* Sends the request and waits for its answer. 0, or -1 with child_why(). */
int child_ask(struct child *c, struct ask *ask);

/* sizes.c: the child that was asked for these sizes, if it is not in use; else a new one. */
struct child *sizes_first_child(const char *net, const struct external_name *name,
				uint64_t digest);

#endif
