/*
 * convoy/problem_protocol.h - the protocol by which convoy trains a model of another program.
 *
 * convoy starts the program (`--net exec:PROGRAM`), once for each compute thread, with a stream
 * socket as descriptor 3 and a shared memory file as descriptor 4. convoy sends a request, the
 * program does the work and sends one answer, until the socket is closed; then the program ends.
 * Vectors are not sent: they lie in the shared memory. docs/problem-protocol.md describes all of
 * it; docs/examples/least_squares.c is a complete program.
 *
 * Numbers are in the byte order of the machine. Records have no padding. This header is C99 and
 * C++, includes nothing of convoy's, and may be copied into other projects.
 */
#ifndef CONVOY_PROBLEM_PROTOCOL_H
#define CONVOY_PROBLEM_PROTOCOL_H

#include <stdint.h>

#define CONVOY_PROTOCOL_VERSION 1

enum {
	CONVOY_SOCKET_FD = 3,           /* requests and answers */
	CONVOY_MEMORY_FD = 4,           /* the shared memory; its size is known at CONVOY_MAP */
	CONVOY_TEXT_MOST = 1 << 16      /* most bytes of a text after an answer */
};

enum convoy_kind {
	CONVOY_DESCRIBE = 1,    /* answer: sizes, followed by the blobs */
	CONVOY_MAP,             /* map the memory; sent once, before the requests below */
	CONVOY_INIT,            /* x <- the first model, a function of the seed */
	CONVOY_GRAD,            /* loss, g <- mean loss of the batch at x, and its gradient */
	CONVOY_STATS,           /* stats <- batch-norm statistics of the batch at x */
	CONVOY_SCORE            /* losses and correct answers of samples first .. first + n - 1 */
};

enum convoy_split { CONVOY_TRAIN, CONVOY_TEST };

struct convoy_request {         /* 64 bytes; a member that its kind does not name is 0 */
	uint32_t kind;          /* enum convoy_kind */
	uint32_t version;       /* DESCRIBE: CONVOY_PROTOCOL_VERSION of convoy */
	uint64_t number;        /* counts requests; the answer repeats it */
	uint64_t seed;          /* INIT, GRAD: all random numbers follow from it */
	int64_t n;              /* GRAD, STATS: samples of the batch; SCORE: samples */
	int64_t first;          /* SCORE */
	uint32_t split;         /* SCORE: enum convoy_split */
	uint32_t reserved;
	uint64_t spare[2];
};

/*
 * MAP is followed by this record: where the vectors begin in the memory, in bytes, each at a
 * multiple of 4096.
 */
struct convoy_layout {          /* 64 bytes */
	uint64_t size;          /* of the memory */
	uint64_t x;             /* float[dim]: the model; to be read only, but by INIT */
	uint64_t g;             /* float[dim]: written by GRAD */
	uint64_t stats;         /* float[stats_dim]: written by STATS, read by SCORE */
	uint64_t sample;        /* int64_t[n]: GRAD, STATS: indices of training samples */
	uint64_t spare[3];
};

enum convoy_status {
	CONVOY_OK,
	CONVOY_FAILED           /* the text says why, in one line: the run ends with it */
};

struct convoy_answer {          /* 64 bytes */
	uint32_t kind;          /* of the request */
	uint32_t status;        /* enum convoy_status */
	uint64_t number;        /* of the request */
	double loss;            /* GRAD: mean over the batch; SCORE: sum over the samples */
	int64_t correct;        /* SCORE: correct answers; -1: there are no classes */
	int64_t n;              /* SCORE: what the sum is over: samples, or tokens of a text */
	uint64_t text;          /* bytes of text that follow, at most CONVOY_TEXT_MOST */
	uint64_t spare[2];
};

/*
 * An OK answer to DESCRIBE is followed by this record, its blobs and metrics, and the text: the
 * names and versions of what computes, for the result file ("python 3.11.2, numpy 1.24.2"), and in
 * a second line, if there is one, what the user should know of the model.
 */
struct convoy_sizes {           /* 64 bytes */
	uint32_t version;       /* CONVOY_PROTOCOL_VERSION that the program was written for */
	uint32_t flags;         /* 0 */
	uint64_t dim;           /* floats of x: at least 1 */
	uint64_t stats_dim;     /* floats of batch-norm statistics; 0: none, and no STATS comes */
	int64_t n_train;        /* samples: at least 1 */
	int64_t n_test;         /* may be 0 */
	uint64_t blobs;         /* 0: all of x is one blob, named x */
	uint64_t metrics;       /* numbers that SCORE gives with the loss: at most 16 */
	uint64_t labels;        /* of each sample, which the n of SCORE counts; 0: any number */
};

struct convoy_blob {            /* 128 bytes: a named part of x; parts follow one another */
	char name[64];          /* ends with a 0 */
	uint64_t count;         /* floats */
	int64_t shape[4];       /* its product is count */
	uint32_t rank;          /* dimensions, 0 to 4 */
	uint32_t flags;         /* enum convoy_blob_flag, added */
	uint64_t spare[2];
};

enum convoy_blob_flag {
	CONVOY_NO_DECAY = 1     /* weight decay does not apply, as to biases */
};

/*
 * Metrics follow the blobs. An OK answer to SCORE of a program with metrics is followed by a double
 * for each, its sum over the samples, in this order.
 */
struct convoy_metric {          /* 64 bytes */
	char name[64];          /* ends with a 0; letters, digits and '_', at most 24 */
};

#endif
