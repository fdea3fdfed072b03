/*
 * measured.c - messages and all-reduces with times measured by size.
 *
 *     T(bytes)      one message between idle nodes: linear between measured sizes, beyond the
 *                   last one with the slope of the last two
 *     latency       T at the smallest size;  NIC: T(bytes) - latency, one message at a time,
 *                   as in link nic
 *     all-reduce    R(bytes) was measured with `ranks` nodes. For n nodes (an extrapolation), R is
 *                   split over the ring's 2 (n - 1) steps, each of latency and bytes/n: R at the
 *                   smallest size counts as latencies, the rest as bytes.
 *     handlers      copying and averaging vectors takes a node floats read or written / rate
 *     receive_GBps  if ranks have no free core, receiving during a gradient delays it by
 *                   bytes / rate
 */
#include "core/base/error.h"
#include "sim/allreduce/collective.h"
#include "sim/link/link.h"

struct measured_conf {
	struct size_table message, allreduce;
	int64_t ranks;
	double handler_GBps, receive_GBps;      /* 0: no time */
};

/* Seconds of the bytes, without latency. */
static double measured_wire(const struct measured_conf *c, size_t bytes)
{
	const double s = table_at(&c->message, (double)bytes) - c->message.seconds.v[0];

	return s > 0.0 ? s : 0.0;
}

static double measured_send(const void *conf, struct nic *from, double now, size_t bytes,
			    const struct wire *wire)
{
	const struct measured_conf *c = conf;
	const double start = now > from->out_free ? now : from->out_free;

	(void)wire;
	from->out_free = start + measured_wire(c, bytes);
	return from->out_free + c->message.seconds.v[0];
}

static double measured_receive(const void *conf, struct nic *to, double due, size_t bytes,
			       const struct wire *wire)
{
	const double queued = to->in_free + measured_wire(conf, bytes);

	(void)wire;
	to->in_free = queued > due ? queued : due;
	return to->in_free;
}

static double measured_allreduce(const void *conf, const struct members *m, size_t bytes)
{
	const struct measured_conf *c = conf;

	return table_allreduce(&c->allreduce, c->ranks, m->n, (double)bytes);
}

static double measured_handle(const void *conf, size_t floats)
{
	const struct measured_conf *c = conf;
	const double bytes = (double)floats * sizeof(float);

	return c->handler_GBps > 0.0 ? bytes / (c->handler_GBps * 1e9) : 0.0;
}

static double measured_receive_cost(const void *conf, size_t bytes)
{
	const struct measured_conf *c = conf;

	return c->receive_GBps > 0.0 ? (double)bytes / (c->receive_GBps * 1e9) : 0.0;
}

/* True if no time was measured: nothing would take any. */
static bool measured_is_empty(const struct measured_conf *c)
{
	double all = c->handler_GBps + c->receive_GBps;

	for (size_t i = 0; i < c->message.seconds.n; i++)
		all += c->message.seconds.v[i];
	for (size_t i = 0; i < c->allreduce.seconds.n; i++)
		all += c->allreduce.seconds.v[i];
	return !(all > 0.0);
}

static int measured_check(const void *conf)
{
	const struct measured_conf *c = conf;

	if (measured_is_empty(c))
		return error("link model measured: it has no measured time (expected message_bytes "
			     "and message_s, or allreduce_bytes and allreduce_s). Give --cluster "
			     "FILE, from 'convoy calibrate', or another link");
	if (table_check(&c->message, "measured", "message") < 0)
		return -1;
	return table_check(&c->allreduce, "measured", "allreduce");
}

#define MEASURED_AT(type, field) OPT_AT(type, struct measured_conf, field)

static void measured_scale(void *conf, double ratio)
{
	struct measured_conf *c = conf;

	c->handler_GBps = link_scaled(c->handler_GBps, ratio);
	c->receive_GBps = link_scaled(c->receive_GBps, ratio);
	table_scale(&c->message, ratio);
	table_scale(&c->allreduce, ratio);
}

static const struct opt measured_opts[] = {
	{ "message_bytes", MEASURED_AT(DOUBLES, message.bytes), "0", "sizes of messages, ascending",
	  "A/B/...", 0, 1e15, NULL, 0 },
	{ "message_s", MEASURED_AT(DOUBLES, message.seconds), "0",
	  "seconds of a message of each size", "A/B/...", 0, 1e6, NULL, 0 },
	{ "allreduce_bytes", MEASURED_AT(DOUBLES, allreduce.bytes), "0",
	  "sizes of vectors that are all-reduced, ascending", "A/B/...", 0, 1e15, NULL, 0 },
	{ "allreduce_s", MEASURED_AT(DOUBLES, allreduce.seconds), "0",
	  "seconds of an all-reduce of each size", "A/B/...", 0, 1e6, NULL, 0 },
	OPT_NUMBER(struct measured_conf, ranks, "2",
		   "nodes that the all-reduces were measured with", "N", 2, 1 << 20),
	OPT_NUMBER(struct measured_conf, handler_GBps, "0",
		   "1e9 bytes a second that handlers read and write; 0: no time", "GB/S", 0, 1e9),
	OPT_NUMBER(struct measured_conf, receive_GBps, "0",
		   "1e9 received bytes per second of delay of a gradient in flight; 0: none",
		   "GB/S", 0, 1e9),
	{ 0 }
};

const struct link link_measured = {
	.plugin = { .name = "measured",
		    .brief = "messages and all-reduces by their size, as 'convoy calibrate' "
			     "found them; bytes and messages of these are counted as a ring's",
		    .cite = "Patarasuk, Yuan 2009 for other numbers of nodes",
		    .opts = measured_opts, .conf_size = sizeof(struct measured_conf) },
	.send = measured_send,
	.receive = measured_receive,
	.allreduce = measured_allreduce,
	.handle = measured_handle,
	.receive_cost = measured_receive_cost,
	.check = measured_check,
	.scale = measured_scale,
};
