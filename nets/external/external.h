/*
 * external.h - problems that another process computes: `python:FILE[:FUNCTION,KEY=VALUE,...]` and
 * `exec:PROGRAM[,KEY=VALUE,...]`.
 *
 * Each compute thread has a process of its own, which speaks problem_protocol.h. Code of users is
 * started only as core/file/code.h says.
 */
#ifndef NETS_EXTERNAL_EXTERNAL_H
#define NETS_EXTERNAL_EXTERNAL_H

#include "core/problem.h"
#include "core/text/opt.h"

#include <sys/types.h>

/* Rows of `convoy list nets`. */
extern const struct plugin external_python, external_exec;

struct external_name {
	bool python;
	char *file;             /* relative to the working directory, or absolute; owned */
	char *function;         /* python; owned */
	char *args;             /* "KEY=VALUE,...", "" for none, without `pure`; owned */
	bool pure;              /* its gradients are functions of x and batch: they are checked */
};

struct external_sizes {
	size_t dim;             /* 0: not known */
	size_t nblobs;
	struct blob *blobs;     /* [nblobs] owned */
	int64_t n[2];           /* samples of each split */
	char *versions;         /* "python 3.11.2, numpy 1.24.2", owned; NULL: not known */
};

/* True for a net "python:..." or "exec:...". */
bool external_chosen(const char *net);

/* Parses a net that external_chosen(). 0 or error(); release in either case. */
int external_parse(struct external_name *name, const char *net);
void external_name_release(struct external_name *name);

/* *digest <- of the file, the function and the arguments. Starts nothing. 0 or error(). */
int external_digest(const struct external_name *name, uint64_t *digest);

/* 0 if this net may be started; else error(), which names it and its digest. */
int external_check_allowed(const char *net);

/* A running gradient is given up soon after stop() returns true. */
void external_stop_when(bool (*stop)(void));

/*
 * Sizes of the problem. If this process may start code, its program is asked; else they are what it
 * last answered, or dim is 0. 0 or error(), also if the net is not allowed to run. The caller
 * releases in either case.
 */
int external_sizes_of(struct external_sizes *sizes, const char *net);
void external_sizes_release(struct external_sizes *sizes);
void external_sizes_copy(struct external_sizes *to, const struct external_sizes *from);

/* Ends a program that was asked for sizes only. Call it before the process ends. */
void external_end(void);

/* The problem, of at least one process; NULL after error(). Freed by problem->ops->close(). */
struct problem *external_open(const char *net);

/* True once code of the user has failed in this process, after error(): no fault of the machine. */
bool external_code_failed(void);

/* Names and versions of what computes in the last problem opened, "": none was; borrowed. */
const char *external_versions(void);

/* ---- child.c: one process that computes ---- */

struct child;

/* What a request asks, and what its answer says. */
struct ask {
	int kind;               /* enum convoy_kind */
	uint64_t seed;
	int64_t n, first;
	enum split split;
	double loss;            /* answers */
	int64_t correct, count;
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
size_t child_stats_dim(const struct child *c);

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

/* guard.c: kills the process group at the end of this process, however that ends, if it is left. */
void external_guard(pid_t group);
void external_unguard(pid_t group);

/* sizes.c: the child that was asked for these sizes, if it is not in use; else a new one. */
struct child *sizes_first_child(const char *net, const struct external_name *name,
				uint64_t digest);

#endif
