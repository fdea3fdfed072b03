/* What a model of links between nodes offers to the simulator. */
#ifndef SIM_LINK_LINK_H
#define SIM_LINK_LINK_H

#include "core/text/opt.h"

struct members;

struct nic {                    /* one node's network interface */
	double out_free, in_free;       /* when each direction is next idle, seconds */
	/* Where its random numbers are: (seed, RNG_LINK, location, messages sent so far). */
	uint64_t seed, sent;
	uint32_t location;
};

/* What is between nodes, in seconds and bytes a second; rates of 0: as much as comes. */
struct fabric {
	double latency_s, message_s;
	double nic;             /* of each NIC, each way */
	double core;            /* what crosses from rack to rack, or all where there are none */
	int64_t rack;           /* workers of a rack; 0: no racks */
	double uplink;          /* of each rack, each way ... */
	double background;      /* ... and what other jobs send over it */
	bool ring;              /* all-reduces are rings, whose times count other jobs' traffic */
	int64_t node, nics;    /* workers of a node, and the NICs that they share; 0: one each */
	double node_rate, node_latency_s;       /* of each worker to others of its node */
};

/* Messages from one location to another, where locations differ. */
struct wire {
	double latency_s;
	double out_message, in_message; /* seconds of the sender's NIC, of the receiver's */
	double out_rate, in_rate;       /* bytes a second; HUGE_VAL: no time */
};

/*
 * By stepwise's choices: an all-reduce is no ring of messages, or its steps end so
 * (sim/allreduce/ring.c).
 */
enum ring_steps { RING_NONE, RING_PAIRS, RING_EAGER };
extern const char *const ring_steps_names[];    /* NULL-ended */

/*
 * A message leaves the sender's NIC, crosses, and enters the receiver's. The
 * engine asks twice: at the time of sending, and again at the time at which the
 * message would be whole if the receiver's NIC were idle. A link keeps the
 * order of messages between two nodes, or says that it does not. `wire` is NULL where all locations
 * are as the link's settings say. Where messages share a fabric, the engine does not call send
 * and receive.
 */
struct link {
	struct plugin plugin;
	/* When bytes sent at `now` are across, the receiver's NIC being idle; books `from`. */
	double (*send)(const void *conf, struct nic *from, double now, size_t bytes,
		       const struct wire *wire);
	/*
	 * When a message due at `due` is whole, queueing at the receiver's NIC; books `to`. NULL:
	 * at `due`.
	 */
	double (*receive)(const void *conf, struct nic *to, double due, size_t bytes,
			  const struct wire *wire);
	/* Seconds of an all-reduce of `bytes` over members that all are ready. */
	double (*allreduce)(const void *conf, const struct members *m, size_t bytes);
	/* Seconds that a handler takes to read or write so many floats. NULL: none. */
	double (*handle)(const void *conf, size_t floats);
	/* Seconds that a gradient in flight is held up by receiving a message. NULL: none. */
	double (*receive_cost)(const void *conf, size_t bytes);
	/* 0, or error() when settings do not go together. May be NULL. */
	int (*check)(const void *conf);
	/* Seconds until all have what each has. NULL: half an all-reduce of n times it. */
	double (*allgather)(const void *conf, const struct members *m, size_t bytes);
	/* True when send may let a message overtake another: the engine mends it. NULL: no. */
	bool (*overtakes)(const void *conf);
	/* Whether an all-reduce is a ring of messages, and when its steps end. NULL: it is not. */
	enum ring_steps (*stepwise)(const void *conf);
	/* What is between nodes. NULL: no two locations differ. */
	struct fabric (*fabric)(const void *conf);
	/*
	 * Multiplies rates and the sizes of tables by a ratio, as link_scaled() does: a net that
	 * is smaller by it then has the same times. NULL: there are none.
	 */
	void (*scale)(void *conf, double ratio);
	bool shares;            /* messages share the fabric's lines, and do not pass NICs */
};

extern const struct plugin *const link_table[]; /* NULL-ended */

/* ---- settings of nodes of several workers, which the link models nic and fair share ---- */

struct nodes_conf {
	int64_t node, nics;
	double rate, latency_s;         /* GB/s = 1e9 bytes a second */
};

#define NODES_OPTS(conf, field)                                                                    \
	{ "node", OPT_AT(INT, conf, field.node), "1",                                              \
	  "workers of a node, which share its NICs: ranks 0 to N-1, N to 2N-1, ...", "N", 1,       \
	  1 << 20, NULL, OPT_ADDED },                                                              \
	{ "nics", OPT_AT(INT, conf, field.nics), "1",                                            \
	  "NICs of a node; its workers are divided among them in order of ranks", "N", 1, 1 << 20, \
	  NULL, OPT_ADDED },                                                                       \
	{ "node_GBps", OPT_AT(DOUBLE, conf, field.rate), "0",                                      \
	  "1e9 bytes a second from a worker to others of its node, each way; 0: no time", "GB/S",  \
	  0, 1e9, NULL, OPT_ADDED },                                                               \
	{ "node_latency_s", OPT_AT(DOUBLE, conf, field.latency_s), "1e-6",                         \
	  "seconds from one worker to another of its node", "SECONDS", 0, 1e6, NULL, OPT_ADDED }

/* Fills in what a fabric has of nodes. */
static inline struct fabric nodes_in(struct fabric f, const struct nodes_conf *c)
{
	f.node = c->node;
	f.nics = c->nics;
	f.node_rate = c->rate * 1e9;
	f.node_latency_s = c->latency_s;
	return f;
}

#endif
