/*
 * external.h - problems that another process computes: `python:FILE[:FUNCTION][,KEY=VALUE]...` and
 * `exec:PROGRAM[,KEY=VALUE]...`.
 *
 * Each compute thread has a process of its own, which speaks problem_protocol.h. Code of users is
 * started only as core/file/code.h says.
 */
#ifndef NETS_EXTERNAL_EXTERNAL_H
#define NETS_EXTERNAL_EXTERNAL_H

#include "core/problem.h"
#include "core/text/opt.h"

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
	size_t stats_dim;       /* floats of batch-norm statistics */
	size_t nblobs;
	struct blob *blobs;     /* [nblobs] owned */
	int64_t n[2];           /* samples of each split */
	int64_t labels;         /* of each sample, which a score counts; 0: any number */
	int metrics;            /* numbers of a score, with the loss ... */
	char metric[METRICS_MOST][METRIC_KEY];  /* ... and their keys */
	char *versions;         /* "python 3.11.2, numpy 1.24.2", owned; NULL: not known */
};

/* True for a net "python:..." or "exec:...", or one of these words alone. */
bool external_chosen(const char *net);

/* The interpreter: CONVOY_PYTHON, else python3; borrowed. */
const char *external_interpreter(void);

/* Parses a net that external_chosen(). 0 or error(); release in either case. */
int external_parse(struct external_name *name, const char *net);
void external_name_release(struct external_name *name);

/*
 * *digest <- of the file, the modules in its folder that it imports, the function and the
 * arguments. Starts nothing. 0 or error().
 */
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

/*
 * Name of a file that a problem read when it was made and that has changed since: both texts are
 * those of external_sizes.versions. NULL: there is none. The caller frees.
 */
char *external_file_changed(const char *was, const char *is);

/* Ends a program that was asked for its sizes and is not used. Call it before the process ends. */
void external_end(void);

/* The problem, of at least one process; NULL after error(). Freed by problem->ops->close(). */
struct problem *external_open(const char *net);

/* Facts that the processes of all ranks must have in common. */
enum external_part {
	EXTERNAL_SIZES, EXTERNAL_BLOBS, EXTERNAL_MODEL, EXTERNAL_GRADIENT, EXTERNAL_SCORE,
	EXTERNAL_PARTS
};

/*
 * part[] <- digests of these, for the first model of the seed. Of an impure problem, those of
 * gradient and score are 0. 0 or error().
 */
int external_identity(const struct problem *p, uint64_t seed, uint64_t part[EXTERNAL_PARTS]);

/* The end of a message about a part that differs, with what to do: "the first model. Draw ...". */
const char *external_part_text(enum external_part part);

/* True once code of the user has failed in this process, after error(): no fault of the machine. */
bool external_code_failed(void);

/* Names and versions of what computes in the last problem opened, "": none was; borrowed. */
const char *external_versions(void);

#endif
