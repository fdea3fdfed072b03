/* Faults of a run: workers that leave, a server that stalls, links that drop. */
#ifndef CORE_FAULT_H
#define CORE_FAULT_H

#include <stdbool.h>

enum fault_kind {
	FAULT_LEAVE,            /* a worker is away */
	FAULT_STALL,            /* the server handles no event */
	FAULT_DROP,             /* a link carries nothing: messages over it wait */
	FAULT_FAIL              /* workers fail at random times; each failure is a LEAVE */
};

enum { FAULT_LAST_RANK = -3 };  /* as the last rank of a FAIL: all workers */

struct fault {
	enum fault_kind kind;
	int rank;               /* LEAVE: the worker's; DROP: one end, or SERVER; FAIL: the first */
	int peer;               /* DROP: the other end; FAIL: the last rank */
	double from, to;        /* seconds since the run began; HUGE_VAL: for ever; not of a FAIL */
	bool fresh;             /* LEAVE, FAIL: it returns with another node's model ... */
	double fetch;           /* ... in a message of so many models; 0: as the algorithm sends */
	double detect;          /* LEAVE, FAIL: seconds until others detect it; HUGE_VAL: never */
	double mtbf;            /* FAIL: mean seconds between two failures of a node */
	double restart;         /* FAIL: seconds from the detection until the worker returns */
};

#endif
