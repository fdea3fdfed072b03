/* What the files of a checkpoint hold, for who writes and who reads them. */
#ifndef MPI_CHECKPOINT_CHECKPOINT_H
#define MPI_CHECKPOINT_CHECKPOINT_H

#include "mpi/state.h"

#include <stdint.h>

struct title {                  /* of every file */
	char magic[24];
	char id[24];            /* of the run */
	int64_t generation;
	uint64_t writer;        /* random, one in all files of a checkpoint */
	int32_t rank, size;
};

struct common {                 /* of a process */
	double elapsed;
	int64_t known, counter;         /* counter: on process 0 */
	int32_t stopped_workers, padding;
	uint64_t at, used;              /* address and bytes of the hold */
};

struct saved {                  /* of a node */
	struct ledger ledger;
	int64_t step, stamp_of_snapshot, index, allreduces, allreduced;
	int64_t before, gathered, unsent;
	uint64_t draws, packed;
	double idle;            /* seconds since it began to be idle; HUGE_VAL: it is not */
	int32_t computing, adds, stopped, allreducing, coded, timers, messages, padding;
	uint64_t into;          /* the gradient's all-reduce: where in the hold */
	uint64_t v, n;          /* the all-reduce's vector: where in the hold, and how long */
};

struct saved_timer {
	double left;            /* seconds */
	int64_t token;
};

/* The file at `path` of this process, and of a generation; the caller frees. */
char *checkpoint_file(const struct real *r, const char *path, int64_t generation);

/* Where this process's nodes are in the checkpoint that the run goes on from; 0: not known. */
uint64_t checkpoint_address(const struct real *r);

/* How the file of that process begins, or of all: rank -1. By the last writer. */
struct title checkpoint_title(const struct real *r, int64_t generation, int rank);

#endif
