/* What goes wrong in a run: workers that leave, a server that stalls, links that drop. */
#ifndef CORE_FAULT_H
#define CORE_FAULT_H

#include <stdbool.h>

enum fault_kind {
	FAULT_LEAVE,            /* a worker is not there */
	FAULT_STALL,            /* the server handles nothing */
	FAULT_DROP,             /* a link carries nothing: what is sent over it waits */
	FAULT_FAIL              /* workers leave at random times: each time a LEAVE */
};

enum { FAULT_LAST_RANK = -3 };  /* as a FAIL's last rank: of all workers */

struct fault {
	enum fault_kind kind;
	int rank;               /* LEAVE: the worker's; DROP: one end, or SERVER; FAIL: the first */
	int peer;               /* DROP: the other end; FAIL: the last rank */
	double from, to;        /* seconds since the run began; HUGE_VAL: for good; not of a FAIL */
	bool fresh;             /* LEAVE, FAIL: back with another's model, not with its own */
	double detect;          /* LEAVE, FAIL: seconds until others know it; HUGE_VAL: never */
	double mtbf;            /* FAIL: mean seconds between two failures of a node */
	double restart;         /* FAIL: seconds from the detection until it is back */
};

#endif
