/* When a node's last message to each other node is due: none overtakes another. */
#ifndef SIM_LINK_ORDER_H
#define SIM_LINK_ORDER_H

#include <stddef.h>

struct order_slot {
	int to;                 /* location + 1; 0: free */
	double due;
};

struct order {                  /* a hash table, open addressing; zeroed is empty */
	struct order_slot *slot;
	size_t n, capacity;     /* capacity: a power of two, more than n */
};

/* The later of `due` and what the last message to that location is due at; keeps it. */
double order_keep(struct order *o, int to, double due);

void order_release(struct order *o);

#endif
