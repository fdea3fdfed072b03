/* Structs in a checkpoint's files, for the code that writes and reads them. */
#ifndef MPI_CHECKPOINT_CHECKPOINT_H
#define MPI_CHECKPOINT_CHECKPOINT_H

#include "mpi/state.h"

#include <stdint.h>

struct title {                  /* head of every file */
	char magic[24];
	char id[24];            /* id of the run */
	int64_t generation;
	uint64_t writer;        /* random number, equal in all files of a checkpoint */
	int32_t rank, size;
};

struct common {                 /* state of a process */
	double elapsed;
	int64_t known, counter;         /* counter: on process 0 */
	int32_t stopped_workers, padding;
	uint64_t at, used;              /* address and bytes of the process's hold */
};

struct saved {                  /* state of a node */
	struct ledger ledger;
	int64_t step, stamp_of_snapshot, index;
	int64_t allreduces, allreduced; /* not read: a resumed run counts its own */
	int64_t before, gathered, unsent;
	uint64_t draws, packed;
	double idle;            /* seconds since it became idle; HUGE_VAL: it is not idle */
	int32_t computing, adds, stopped, allreducing, coded, timers, messages, padding;
	uint64_t into;          /* vector of the gradient's all-reduce: offset in the hold */
	uint64_t v, n;          /* vector of its all-reduce: offset in the hold, and floats */
};

struct saved_timer {
	double left;            /* seconds */
	int64_t token;
};

/* Name of this process's file of a generation; the caller frees. */
char *checkpoint_file(const struct real *r, const char *path, int64_t generation);

/* Address of the hold in the checkpoint from which the run resumes; 0: unknown. */
uint64_t checkpoint_address(const struct real *r);

/* Head of a process's file, or of PATH itself with rank -1, as its last writer makes it. */
struct title checkpoint_title(const struct real *r, int64_t generation, int rank);

#endif
