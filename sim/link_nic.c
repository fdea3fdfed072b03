/*
 * link_nic.c - latency and bandwidth, with cards that send and receive one message at a time.
 *
 *     sender's card    |--- bytes/B ---|
 *     wire              latency -->|
 *     receiver's card              |--- bytes/B ---|  later, if it is still receiving
 *
 * Full duplex; the fabric itself never blocks. All-reduce is the ring (Patarasuk,
 * Yuan 2009): 2 (n - 1) steps, each latency + (bytes/n) / B.
 */
#include "sim/models.h"

struct nic_conf {
	double latency_s, bandwidth;    /* seconds; GB/s = 1e9 bytes a second */
};

static double wire(const struct nic_conf *c, double bytes)
{
	return bytes / (c->bandwidth * 1e9);
}

static double nic_send(const void *conf, struct nic *from, double now, size_t bytes)
{
	const struct nic_conf *c = conf;
	const double start = now > from->out_free ? now : from->out_free;

	from->out_free = start + wire(c, (double)bytes);
	return from->out_free + c->latency_s;
}

static double nic_receive(const void *conf, struct nic *to, double due, size_t bytes)
{
	const double queued = to->in_free + wire(conf, (double)bytes);

	to->in_free = queued > due ? queued : due;
	return to->in_free;
}

static double nic_allreduce(const void *conf, int n, size_t bytes)
{
	const struct nic_conf *c = conf;

	return 2.0 * (n - 1) * (c->latency_s + wire(c, (double)bytes / n));
}

static const struct opt nic_opts[] = {
	{ "latency_s", OPT_DOUBLE, offsetof(struct nic_conf, latency_s), "1e-5",
	  "seconds from one end to the other", "SECONDS", 0, 1e6, NULL, 0 },
	{ "bandwidth_GBps", OPT_DOUBLE, offsetof(struct nic_conf, bandwidth), "1",
	  "1e9 bytes a second through a card, each way", "GB/S", 1e-9, 1e9, NULL, 0 },
	{ 0 }
};

extern const struct link link_nic;
const struct link link_nic = {
	{ "nic", "latency, bandwidth, and network cards that are busy one message at a time",
	  "Hockney 1994; Patarasuk, Yuan 2009 for the ring", nic_opts, sizeof(struct nic_conf) },
	nic_send, nic_receive, nic_allreduce, NULL, NULL, NULL
};
