/*
 * fault.h - what goes wrong in a run: workers that leave, a server that stalls, links that drop.
 */
#ifndef CORE_FAULT_H
#define CORE_FAULT_H

#include <stdbool.h>

enum fault_kind {
	FAULT_LEAVE,            /* a worker is not there */
	FAULT_STALL,            /* the server handles nothing */
	FAULT_DROP              /* a link carries nothing: what is sent over it waits */
};

struct fault {
	enum fault_kind kind;
	int rank;               /* LEAVE: the worker's rank; DROP: one end, a rank or SERVER */
	int peer;               /* DROP: the other end */
	double from, to;        /* seconds since the run began; HUGE_VAL: for good */
	bool fresh;             /* LEAVE: it comes back with another's model, not with its own */
};

#endif
