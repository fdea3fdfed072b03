/*
 * nic.c - latency and bandwidth, with NICs that send and receive one message at a time.
 *
 *     sender's NIC     |--- message + bytes/B ---|
 *     wire                        latency -->|
 *     receiver's NIC             |--- message + bytes/B ---|  later, if it is still receiving
 *
 * `message` is the gap of LogGP (Alexandrov et al. 1995). A half-duplex NIC uses one direction at a
 * time. Latency is drawn from Gamma(1 / jitter^2, jitter^2) times its mean. Each attempt to send a
 * message is lost with probability p; then the NIC sends it once more, and it arrives timeout_s
 * later. The fabric itself never blocks. If NICs differ, the receiver's begins with the first byte,
 * and is done with the last one at the earliest. Workers of a node share its NICs, and are
 * connected by links of their own.
 *
 * An all-reduce takes the time of sim/allreduce/collective.h, with the mean number of attempts,
 * 1 / (1 - p); or it is a ring of messages, if stepwise is set.
 */
#include "delays/law.h"
#include "sim/allreduce/collective.h"
#include "sim/link/link.h"
#include "sim/link/wan.h"

#include "core/base/error.h"
#include "core/math/rng.h"

#include <math.h>

enum duplex { DUPLEX_FULL, DUPLEX_HALF };

struct nic_conf {
	double latency_s, bandwidth;    /* bandwidth in GB/s = 1e9 bytes a second */
	double message_s, jitter, loss, timeout_s;
	int duplex;             /* enum duplex */
	struct collective_conf allreduce;
	int stepwise;           /* enum ring_steps */
	struct nodes_conf nodes;
	struct wan_conf wan;
};

/* Seconds for which a message keeps the sender's NIC busy. w NULL: all NICs are as in c. */
static double nic_out_s(const struct nic_conf *c, double bytes, const struct wire *w)
{
	return w ? w->out_message + bytes / w->out_rate
		 : c->message_s + bytes / (c->bandwidth * 1e9);
}

/* Seconds for which a message keeps the receiver's NIC busy. */
static double nic_in_s(const struct nic_conf *c, double bytes, const struct wire *w)
{
	return w ? w->in_message + bytes / w->in_rate : nic_out_s(c, bytes, NULL);
}

/*
 * Seconds of a flow with limits that begins at `start`: it starts slowly, and the sender's token
 * bucket pays for some of its bytes.
 */
static double nic_flow_s(struct nic *from, double start, double bytes, const struct wire *w)
{
	const double lag = wan_lag_s(w->wan, w->latency_s, w->out_rate, bytes);
	double tokens, seconds = bytes / w->out_rate;

	if (w->wan->burst > 0.0 && w->line_rate > w->out_rate) {
		from->spent = fmax(0.0, from->spent - w->out_rate * (start - from->spent_at));
		tokens = w->wan->burst - from->spent;
		seconds = fmax(bytes / w->line_rate, (bytes - tokens) / w->out_rate);
		from->spent = fmax(0.0, from->spent + bytes - w->out_rate * seconds);
		from->spent_at = start + seconds;
	}
	return w->out_message + seconds + lag;
}

/* Seconds by which a slower receiver's NIC is done later than the sender's, which was `busy`. */
static double nic_lag_s(const struct nic_conf *c, double bytes, const struct wire *w, double busy)
{
	return w ? fmax(0.0, nic_in_s(c, bytes, w) - busy) : 0.0;
}

/* Time at which the NIC can send, or receive: `direction` is its out_free, or in_free. */
static double nic_idle_from(const struct nic_conf *c, const struct nic *nic, double direction)
{
	return c->duplex == DUPLEX_HALF ? fmax(nic->out_free, nic->in_free) : direction;
}

static bool nic_overtakes(const void *conf)
{
	const struct nic_conf *c = conf;

	return c->jitter > 0.0 || c->loss > 0.0;
}

static double nic_send(const void *conf, struct nic *from, double now, size_t bytes,
		       const struct wire *w)
{
	const struct nic_conf *c = conf;
	const double start = fmax(now, nic_idle_from(c, from, from->out_free));
	const double busy = w && w->wan ? nic_flow_s(from, start, (double)bytes, w)
					: nic_out_s(c, (double)bytes, w);
	const double latency = w ? w->latency_s : c->latency_s;
	const double after = nic_lag_s(c, (double)bytes, w, busy);
	struct rng r;
	double lost;            /* attempts that fail before one arrives; geometric */

	from->out_free = start + busy;
	if (!nic_overtakes(c))
		return from->out_free + latency + after;
	rng_at(&r, from->seed, RNG_LINK, from->location, from->sent++);
	lost = c->loss > 0.0 ? floor(log(rng_uniform(&r)) / log(c->loss)) : 0.0;
	from->out_free += lost * busy;
	return from->out_free + lost * c->timeout_s + latency * law_gamma(c->jitter, &r) + after;
}

static double nic_receive(const void *conf, struct nic *to, double due, size_t bytes,
			  const struct wire *w)
{
	const struct nic_conf *c = conf;

	to->in_free = fmax(nic_idle_from(c, to, to->in_free) + nic_in_s(c, (double)bytes, w), due);
	return to->in_free;
}

/* Collective operations among members, with the mean number of attempts of a message. */
static struct collective nic_collective(const void *conf, const struct members *m)
{
	const struct nic_conf *c = conf;

	return (struct collective){
		.conf = &c->allreduce, .members = m,
		.latency = c->latency_s, .message = c->message_s,
		.rate = c->bandwidth * 1e9, .tries = 1.0 / (1.0 - c->loss), .again = c->timeout_s,
		.both = c->duplex == DUPLEX_HALF ? 2.0 : 1.0,
	};
}

static struct fabric nic_fabric(const void *conf)
{
	const struct nic_conf *c = conf;

	return nodes_in((struct fabric){ .latency_s = c->latency_s, .message_s = c->message_s,
					 .nic = c->bandwidth * 1e9,
					 .wan = wan_used(&c->wan) }, &c->nodes);
}

static enum ring_steps nic_stepwise(const void *conf)
{
	return (enum ring_steps)((const struct nic_conf *)conf)->stepwise;
}

static int nic_check(const void *conf)
{
	const struct nic_conf *c = conf;

	if (c->stepwise && c->allreduce.kind != COLLECTIVE_RING)
		return error("link model nic: stepwise needs collective=ring, not %s",
			     collective_names[c->allreduce.kind]);
	if (c->jitter > 0.0 && !(c->latency_s > 0.0))
		return error("link model nic: jitter = %g of latency_s = 0 is nothing: latency_s "
			     "must be more than 0, or jitter 0", c->jitter);
	if (wan_check(&c->wan, "nic", c->latency_s) < 0)
		return -1;
	return collective_check(&c->allreduce, "nic");
}

static void nic_scale(void *conf, double ratio)
{
	struct nic_conf *c = conf;

	c->bandwidth = link_scaled(c->bandwidth, ratio);
	c->nodes.rate = link_scaled(c->nodes.rate, ratio);
	table_scale(&c->allreduce.table, ratio);
	wan_scale(&c->wan, ratio);
}

static const char *const duplex_names[] = { "full", "half", NULL };

#define NIC_AT(type, field) OPT_AT(type, struct nic_conf, field)

static const struct opt nic_opts[] = {
	OPT_NUMBER(struct nic_conf, latency_s, "1e-5", "seconds from one end to the other",
		   "SECONDS", 0, 1e6),
	{ "bandwidth_GBps", NIC_AT(DOUBLE, bandwidth), "1",
	  "1e9 bytes a second through a NIC, each way", "GB/S", 1e-9, 1e9, NULL, 0 },
	{ "message_s", NIC_AT(DOUBLE, message_s), "0",
	  "seconds of a NIC per message, without its bytes", "SECONDS", 0, 1e6, NULL, OPT_ADDED },
	{ "duplex", NIC_AT(ENUM, duplex), "full", "whether a NIC sends and receives at once", NULL,
	  0, 0, duplex_names, OPT_ADDED },
	{ "jitter", NIC_AT(DOUBLE, jitter), "0",
	  "coefficient of variation of the latency: deviation / mean", "V", 0, 10, NULL,
	  OPT_ADDED },
	{ "loss", NIC_AT(DOUBLE, loss), "0", "probability that a message is lost, each time", "P",
	  0, 0.99, NULL, OPT_ADDED },
	{ "timeout_s", NIC_AT(DOUBLE, timeout_s), "0.2",
	  "seconds after which a lost message is sent again", "SECONDS", 0, 1e6, NULL, OPT_ADDED },
	COLLECTIVE_OPTS(struct nic_conf, allreduce),
	{ "stepwise", NIC_AT(ENUM, stepwise), "false",
	  "make an all-reduce of a ring's messages, which queue with others at the NICs; pairs, or "
	  "true: a step ends with its send and its receive, as in MPI and NCCL; eager: with its "
	  "receive",
	  NULL, 0, 0, ring_steps_names, OPT_ADDED },
	NODES_OPTS(struct nic_conf, nodes),
	COLLECTIVE_TABLE_OPTS(struct nic_conf, allreduce),
	WAN_OPTS(struct nic_conf, wan),
	WAN_BURST_OPT(struct nic_conf, wan),
	{ 0 }
};

const struct link link_nic = {
	.plugin = { .name = "nic",
		    .brief = "latency, bandwidth, and NICs that carry one message at a time",
		    .also = "ethernet, infiniband, tcp, alpha-beta, #=nic:bandwidth_GBps=*",
		    .cite = "Hockney 1994; Alexandrov et al. 1995; Thakur, Rabenseifner, Gropp "
			    "2005 and Patarasuk, Yuan 2009 for all-reduces", .opts = nic_opts,
		    .conf_size = sizeof(struct nic_conf) },
	.send = nic_send,
	.receive = nic_receive,
	.collective = nic_collective,
	.check = nic_check,
	.overtakes = nic_overtakes,
	.stepwise = nic_stepwise,
	.fabric = nic_fabric,
	.scale = nic_scale,
};
