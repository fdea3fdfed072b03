/*
 * wan.h - limits of flows between nodes, which the link models nic and fair share.
 *
 * A flow of TCP sends at most a window in each RTT. With `streams` of them between two
 * nodes, latency L from one end to the other, and R = 2 L:
 *
 *     limit       streams min(flow_GBps, window_bytes / R)
 *     slow start  RTT k = 0, 1, ... carries streams slow_start_bytes 2^k bytes, evenly,
 *                 until this is the rate of the path (RFC 5681 without losses, RFC 6928)
 *     shaping     a NIC sends at most shaped_GBps, after the first burst_bytes (a token bucket)
 *
 * Rates by number of nodes: in an all-reduce over k nodes a NIC has the rate of a table, linear
 * between its entries, and that of the nearest entry beyond them.
 */
#ifndef SIM_LINK_WAN_H
#define SIM_LINK_WAN_H

#include "core/text/opt.h"

struct wan_conf {
	double flow;            /* GB/s of one stream; 0: no limit */
	double window;          /* bytes of a stream in an RTT; 0: no limit */
	int64_t streams;
	double slow_start;      /* bytes of a stream in the first RTT; 0: no slow start */
	double shaped, burst;   /* GB/s; bytes */
	struct opt_doubles nodes, rates;        /* pairs, numbers of nodes ascending; GB/s */
};

#define WAN_OPTS(conf, field)                                                                      \
	{ "flow_GBps", OPT_AT(DOUBLE, conf, field.flow), "0",                                      \
	  "1e9 bytes a second that one TCP stream between two nodes reaches; 0: no limit", "GB/S", \
	  0, 1e9, NULL, OPT_ADDED },                                                               \
	{ "window_bytes", OPT_AT(DOUBLE, conf, field.window), "0",                                 \
	  "most bytes of a stream under way: at most window_bytes / (2 latency_s); 0: no limit",   \
	  "BYTES", 0, 1e15, NULL, OPT_ADDED },                                                     \
	{ "streams", OPT_AT(INT, conf, field.streams), "1",                                        \
	  "TCP streams between two nodes, which share each message", "N", 1, 1 << 20, NULL,        \
	  OPT_ADDED },                                                                             \
	{ "slow_start_bytes", OPT_AT(DOUBLE, conf, field.slow_start), "0",                         \
	  "bytes of a stream in the first RTT, doubled in each; 14600 in Linux; 0: none",   \
	  "BYTES", 0, 1e15, NULL, OPT_ADDED },                                                     \
	{ "shaped_GBps", OPT_AT(DOUBLE, conf, field.shaped), "0",                                  \
	  "1e9 bytes a second to which a NIC's sending is shaped, as by tc; 0: no shaping",        \
	  "GB/S", 0, 1e9, NULL, OPT_ADDED },                                                       \
	{ "rate_nodes", OPT_AT(DOUBLES, conf, field.nodes), NULL,                                  \
	  "numbers of nodes, ascending, for which rate_GBps is given", "A/B/...", 1, 1 << 24,      \
	  NULL, OPT_ADDED },                                                                       \
	{ "rate_GBps", OPT_AT(DOUBLES, conf, field.rates), NULL,                                   \
	  "instead of bandwidth_GBps, in all-reduces over that many nodes", "A/B/...", 1e-9, 1e9,  \
	  NULL, OPT_ADDED }

#define WAN_BURST_OPT(conf, field)                                                                 \
	{ "burst_bytes", OPT_AT(DOUBLE, conf, field.burst), "0",                                   \
	  "size of the token bucket of shaped_GBps: bytes that an idle NIC sends unshaped",        \
	  "BYTES", 0, 1e15, NULL, OPT_ADDED }

/* w, or NULL if all settings have their defaults. */
const struct wan_conf *wan_used(const struct wan_conf *w);

/* 0, or error() when settings of the link model contradict each other. */
int wan_check(const struct wan_conf *w, const char *model, double latency_s);

/* Multiplies rates and sizes by a ratio, as struct link's scale(). */
void wan_scale(struct wan_conf *w, double ratio);

/* Most bytes a second from one node to another, `latency_s` away; HUGE_VAL: no limit. */
double wan_flow_rate(const struct wan_conf *w, double latency_s);

/* A NIC's rate to send, bytes a second, when its token bucket is empty. */
double wan_shaped(const struct wan_conf *w, double rate);

/* Bytes of all streams in the first RTT; HUGE_VAL: no slow start. */
double wan_window(const struct wan_conf *w);

/* Seconds by which slow start lengthens the transfer of `bytes` at `rate` bytes a second. */
double wan_lag_s(const struct wan_conf *w, double latency_s, double rate, double bytes);

/*
 * Seconds by which a bucket of `tokens` bytes shortens the transfer of `bytes` at `rate`, the
 * shaped one; `line`: the rate without shaping.
 */
double wan_burst_s(double tokens, double rate, double line, double bytes);

struct wan_past {               /* what the all-reduces of a group have left for the next one */
	double carried;         /* bytes of each connection since its slow start */
	double spent, spent_at; /* bytes missing from each token bucket, at that time */
	double carries;         /* bytes of a connection in the all-reduce that is asked about */
};

/* An all-reduce begins `now`: token buckets have been refilled until then. */
void wan_past_begin(struct wan_past *p, const struct wan_conf *w, double now);

/* The all-reduce whose time was asked for last is made. */
void wan_past_add(struct wan_past *p);

/* Rate of a NIC in an all-reduce over k nodes, relative to `rate` bytes a second. */
double wan_nodes_share(const struct wan_conf *w, int k, double rate);

/* True when k nodes are beyond the table's. */
bool wan_beyond(const struct wan_conf *w, int k);

#endif
