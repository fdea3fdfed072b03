/* Interface between models of links and the simulator. */
#ifndef SIM_LINK_LINK_H
#define SIM_LINK_LINK_H

#include "core/text/opt.h"

struct collective;
struct members;
struct wan_conf;

struct nic {                    /* one node's network interface */
	double out_free, in_free;       /* times at which each direction becomes idle, seconds */
	/* Random numbers are drawn at (seed, RNG_LINK, location, messages sent so far). */
	uint64_t seed, sent;
	uint32_t location;
	double spent, spent_at; /* bytes missing from a token bucket at that time */
};

/* Network between nodes, in seconds and bytes a second; a rate of 0 is unlimited. */
struct fabric {
	double latency_s, message_s;
	double nic;             /* of each NIC, each way */
	double core;            /* traffic between racks, or all traffic if there are none */
	int64_t rack;           /* workers of a rack; 0: no racks */
	double uplink;          /* of each rack, each way ... */
	double background;      /* ... and of it, traffic of other jobs */
	bool ring;              /* all-reduces are rings, whose times include other jobs' traffic */
	int64_t node, nics;    /* workers of a node, and the NICs that they share; 0: one each */
	double node_rate, node_latency_s;       /* from each worker to others of its node */
	const struct wan_conf *wan;     /* limits of flows between nodes; NULL: none */
};

/* Cost of messages from one location to another, if locations differ. */
struct wire {
	double latency_s;
	double out_message, in_message; /* seconds in the sender's NIC, in the receiver's */
	double out_rate, in_rate;       /* bytes a second; HUGE_VAL: takes no time */
	double line_rate;       /* of the sender while its token bucket lasts */
	const struct wan_conf *wan;     /* NULL: flows have no limits */
};

/*
 * End of a step in an all-reduce that is a ring of messages (allreduce.c); RING_NONE: it is no such
 * ring.
 */
enum ring_steps { RING_NONE, RING_PAIRS, RING_EAGER };
extern const char *const ring_steps_names[];    /* NULL-ended */

/*
 * A message leaves the sender's NIC, crosses the link, and enters the receiver's NIC. The engine
 * asks twice: when the message is sent, and again at the time at which it would be complete if the
 * receiver's NIC were idle. A link keeps the order of messages between two nodes, or says that it
 * does not (overtakes). `wire` is NULL if all locations have the link's settings. If messages share
 * a fabric (shares), the engine does not call send and receive.
 */
struct link {
	struct plugin plugin;
	/*
	 * Time at which bytes sent at `now` arrive if the receiver's NIC is idle; occupies `from`.
	 */
	double (*send)(const void *conf, struct nic *from, double now, size_t bytes,
		       const struct wire *wire);
	/*
	 * Time at which a message due at `due` is complete, after queueing for the receiver's NIC,
	 * which it occupies. NULL: `due`.
	 */
	double (*receive)(const void *conf, struct nic *to, double due, size_t bytes,
			  const struct wire *wire);
	/* All-reduces and gathers among members that are all ready. NULL: allreduce() has times. */
	struct collective (*collective)(const void *conf, const struct members *m);
	/*
	 * Instead of collective(): seconds of an all-reduce of `bytes`. A gather takes half that of
	 * n times the bytes, and a member sends what it does in a ring.
	 */
	double (*allreduce)(const void *conf, const struct members *m, size_t bytes);
	/* Seconds that a handler takes to read or write that number of floats. NULL: none. */
	double (*handle)(const void *conf, size_t floats);
	/* Seconds by which receiving a message delays a gradient in flight. NULL: none. */
	double (*receive_cost)(const void *conf, size_t bytes);
	/* 0, or error() when settings contradict each other. May be NULL. */
	int (*check)(const void *conf);
	/*
	 * True when a message may overtake another: then the engine restores the order. NULL: none
	 * may.
	 */
	bool (*overtakes)(const void *conf);
	/* End of a step, if all-reduces are rings of messages. NULL: they are not. */
	enum ring_steps (*stepwise)(const void *conf);
	/* The network between nodes. NULL: locations never differ. */
	struct fabric (*fabric)(const void *conf);
	/*
	 * Multiplies rates and the sizes in tables by a ratio, as link_scaled(): a net that is
	 * smaller by this ratio then has the same times. NULL: there are none.
	 */
	void (*scale)(void *conf, double ratio);
	bool shares;            /* messages share the fabric's lines, and do not use NICs */
};

extern const struct plugin *const link_table[]; /* NULL-ended */

/* Workers of a node of a link, which may be none; 1 where it has no nodes. */
static inline int link_node(const struct choice *link)
{
	const struct link *model = (const struct link *)link->plugin;
	const int64_t node = model && model->fabric ? model->fabric(link->conf).node : 1;

	return node > 1 ? (int)node : 1;
}

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

/* The fabric f with the settings of nodes. */
static inline struct fabric nodes_in(struct fabric f, const struct nodes_conf *c)
{
	f.node = c->node;
	f.nics = c->nics;
	f.node_rate = c->rate * 1e9;
	f.node_latency_s = c->latency_s;
	return f;
}

#endif
