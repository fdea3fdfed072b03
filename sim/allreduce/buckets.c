/*
 * buckets.c - all-reduces of gradients that begin while the rest of the gradient is computed.
 *
 * The backward pass computes the last layers first, so bucket 0 is the vector's end. Bucket k of a
 * member's gradient, which is ready at time e after C seconds of computing, is final at e - early_k
 * C; for the whole, early = 0. Buckets are added one after the other, each once all members have
 * it:
 *
 *     b_0 = r_0,  b_k = max(r_k, b_{k-1} + T_{k-1}),  the sum at b_last + T_last
 *
 * where r_k is the time at which the last member has bucket k, and T_k the time of its bytes by the
 * link's formula. If several buckets are in flight, each has its latencies (T of 0 bytes) for
 * itself, and an equal share of the network for the rest. If all-reduces are rings of messages, a
 * member sends its first piece of bucket k when it has that bucket, and has received all of the
 * buckets before (allreduce.c).
 */
#include "sim/world.h"

#include "core/codec.h"

#include <math.h>
#include <stdlib.h>

/*
 * Seconds that ZeRO's all-gathers of the model add to a step (Rajbhandari et al. 2020).
 *
 * A worker keeps and updates a share of the model. Stages 1 and 2 gather the whole model after the
 * update. Stage 3 gathers each bucket, of whole layers, before its layers' forward pass, and again
 * before their backward pass, the next one while the last is computed; on the network each follows
 * the other:
 *
 *     forward    from the last bucket, the first layers, to bucket 0
 *     backward   from bucket 0 on; the reduce-scatter of a bucket follows the gather of the next
 *
 * A pass over a bucket begins when it is gathered. The step takes longer by the time that passes
 * wait.
 */

struct zero {
	const struct sim *s;
	const struct group *g;
	double compute, net;    /* end of the passes so far; time at which the network is free */
};

static double zero_gather(const struct zero *z, int k)
{
	return sim_allreduce_share_time(z->s, z->g, z->s->allreduces.bucket[k].n * sizeof(float));
}

/* Seconds of the backward pass over bucket k. */
static double zero_backward(const struct sim *s, int k)
{
	const double forward = s->conf->forward > 0.0 ? s->conf->forward : 1.0 / 3.0;

	return (k ? s->allreduces.bucket[k - 1].early : 1.0 - forward) -
	       s->allreduces.bucket[k].early;
}

static void zero_forward_pass(struct zero *z, double seconds)
{
	const double share = z->s->conf->forward > 0.0 ? z->s->conf->forward : 1.0 / 3.0;

	for (int k = z->s->allreduces.nbuckets - 1; k >= 0; k--) {
		z->net += zero_gather(z, k);
		z->compute = fmax(z->compute, z->net) +
			     zero_backward(z->s, k) * seconds * share / (1.0 - share);
	}
}

static void zero_backward_pass(struct zero *z, double seconds)
{
	double gathered = fmax(z->net, z->compute) + zero_gather(z, 0);

	z->net = gathered;
	for (int k = 0; k < z->s->allreduces.nbuckets; k++) {
		const double begins = fmax(z->compute, gathered);

		if (k + 1 < z->s->allreduces.nbuckets)
			z->net = gathered = fmax(z->net, begins) + zero_gather(z, k + 1);
		z->compute = begins + zero_backward(z->s, k) * seconds;
		z->net = fmax(z->net, z->compute) + zero_gather(z, k);
	}
}

/* Seconds of the longest of the members' gradients. */
static double zero_seconds(const struct group *g)
{
	double most = 0.0;

	for (int i = 0; i < g->members; i++)
		most = fmax(most, sim_node(g->node[i])->rare->sum.ahead);
	return most;
}

/* Seconds of so many all-gathers of the whole model from `time` on. */
static double zero_gathers(const struct sim *s, const struct group *g, double time, int gathers)
{
	double seconds = 0.0;

	for (int i = 0; i < gathers; i++) {
		sim_allreduce_begins(g, time + seconds);
		seconds += sim_allreduce_share_time(s, g, s->run->dim * sizeof(float));
		sim_allreduce_made(g);
	}
	return seconds;
}

double zero_after(const struct sim *s, const struct group *g, double end)
{
	struct zero z = { .s = s, .g = g };
	const double seconds = zero_seconds(g);
	double alone = 0.0;

	if (s->conf->zero < 3 || s->allreduces.nbuckets == 0)
		return zero_gathers(s, g, end, s->conf->zero < 3 ? 1 : 2);
	zero_forward_pass(&z, seconds);
	zero_backward_pass(&z, seconds);
	/* Seconds of the all-reduce without gathers, for comparison. */
	for (int k = 0; k < s->allreduces.nbuckets; k++)
		alone = fmax(alone, (1.0 - s->allreduces.bucket[k].early) * seconds) +
			zero_gather(&z, k);
	zero_gathers(s, g, end, 2);     /* the bytes of both passes */
	return fmax(fmax(z.compute, z.net) - alone, 0.0);
}

/* Share of the backward pass after which the float `from`, and all after it, are final. */
static double done_at(const struct sim *s, size_t from)
{
	const struct backward *layer = s->conf->backward;
	size_t i = s->conf->nbackward;

	if (i == 0)
		return (double)(s->run->dim - from) / (double)s->run->dim;
	while (i > 1 && layer[i - 1].from > from)
		i--;
	return layer[i - 1].done;
}

/* A layer's passes need all of its model at once, so ZeRO's stage 3 has whole layers. */
size_t sim_bucket_from(const struct sim_conf *conf, size_t to)
{
	const size_t size = conf->bucket, from = to > size ? to - size : 0;
	const struct backward *layer = conf->backward;
	size_t i = conf->nbackward;

	if (conf->zero < 3 || i == 0)
		return from;
	while (i > 1 && layer[i - 1].from > from)
		i--;
	return i > 1 ? layer[i - 1].from : 0;
}

void sim_buckets_open(struct sim *s)
{
	const size_t dim = s->run->dim;
	const double forward = s->conf->forward > 0.0 ? s->conf->forward : 1.0 / 3.0;
	size_t to = dim;

	if (s->conf->bucket == 0 || !codec_keeps_floats(codec_of(s->run)))
		return;
	for (; to > 0; to = sim_bucket_from(s->conf, to))
		s->allreduces.nbuckets++;
	s->allreduces.bucket = arena_alloc(&s->arena, (size_t)s->allreduces.nbuckets,
					   sizeof(*s->allreduces.bucket));
	to = dim;
	for (int k = 0; k < s->allreduces.nbuckets; k++) {
		const size_t from = sim_bucket_from(s->conf, to);

		s->allreduces.bucket[k].n = to - from;
		s->allreduces.bucket[k].early = (1.0 - forward) * (1.0 - done_at(s, from));
		to = from;
	}
	s->allreduces.bucket[s->allreduces.nbuckets - 1].early = 0.0;
	s->allreduces.request = arena_alloc(&s->arena, (size_t)s->run->workers,
					    sizeof(*s->allreduces.request));
}

int sim_buckets_of(const struct sim *s, const struct sim_node *sn)
{
	return sn->rare->sum.ahead > 0.0 ? s->allreduces.nbuckets : 1;
}

/*
 * Collects the members' requests, of neighbours with equal ones the first alone, and returns their
 * number: in most rounds many members are at the same point.
 */
static int sim_buckets_requests(const struct sim *s, const struct group *g)
{
	struct sim_request *request = s->allreduces.request;
	int n = 0;

	for (int i = 0; i < g->members; i++) {
		const struct sim_allreduce *sum = &sim_node(g->node[i])->rare->sum;

		if (n && !(request[n - 1].asked < sum->asked || request[n - 1].asked > sum->asked ||
			   request[n - 1].ahead < sum->ahead || request[n - 1].ahead > sum->ahead))
			continue;
		request[n++] = (struct sim_request){ sum->asked, sum->ahead };
	}
	return n;
}

/* Time at which the last of n members has bucket k. */
static double sim_buckets_ready(const struct sim *s, int n, int k)
{
	const struct sim_request *request = s->allreduces.request;
	const double early = s->allreduces.bucket[k].early;
	double last = -HUGE_VAL;

	for (int i = 0; i < n; i++) {
		const double ready = request[i].asked - early * request[i].ahead;

		last = ready > last ? ready : last;
	}
	return last;
}

/* Seconds of an all-reduce, or with ZeRO of a reduce-scatter. */
static double sim_buckets_bytes_time(const struct sim *s, const struct group *g, size_t bytes)
{
	return s->conf->zero ? sim_allreduce_share_time(s, g, bytes)
			     : sim_allreduce_time(s, g, false, bytes);
}

static double sim_buckets_time(const struct sim *s, const struct group *g, int k)
{
	return sim_buckets_bytes_time(s, g, s->allreduces.bucket[k].n * codec_float_bytes(s->run));
}

static double sim_buckets_serial(const struct sim *s, const struct group *g)
{
	const struct sim_bucket *bucket = s->allreduces.bucket;
	const int n = sim_buckets_requests(s, g);
	double end = -HUGE_VAL, seconds = 0.0;

	for (int k = 0; k < s->allreduces.nbuckets; k++) {
		const double begins = fmax(end, sim_buckets_ready(s, n, k));

		sim_allreduce_begins(g, begins);
		if (k == 0 || bucket[k].n != bucket[k - 1].n || g->of.past)
			seconds = sim_buckets_time(s, g, k);
		sim_allreduce_made(g);
		end = begins + seconds;
	}
	return end;
}

struct flight_bucket {          /* seconds left of a bucket in flight */
	double latency;         /* of its latencies, which do not depend on others */
	double work;            /* of its bytes, if no other bucket used the network */
};

struct flight {                 /* buckets that are added at the same time */
	struct flight_bucket *bucket;   /* [n] */
	int n, most;
	double now;
};

/* Number of buckets that share the network: those whose latencies are over. */
static int flight_sharers(const struct flight *f)
{
	int n = 0;

	for (int i = 0; i < f->n; i++)
		n += !(f->bucket[i].latency > 0.0);
	return n;
}

static void flight_pass(struct flight *f, double seconds, int sharers)
{
	for (int i = 0; i < f->n; i++) {
		struct flight_bucket *b = &f->bucket[i];

		if (b->latency > 0.0)
			b->latency = fmax(b->latency - seconds, 0.0);
		else
			b->work = fmax(b->work - seconds / sharers, 0.0);
	}
	f->now += seconds;
}

/* Advances to that time, or until the latency of a bucket, or a bucket, is over. */
static void flight_on(struct flight *f, double until)
{
	const int sharers = flight_sharers(f);
	double least = HUGE_VAL;
	int which = 0;

	for (int i = 0; i < f->n; i++) {
		const struct flight_bucket *b = &f->bucket[i];
		const double left = b->latency > 0.0 ? b->latency : b->work * sharers;

		if (left < least) {
			least = left;
			which = i;
		}
	}
	if (f->now + least > until) {
		flight_pass(f, until - f->now, sharers);
		f->now = until;
	} else if (f->bucket[which].latency > 0.0) {
		flight_pass(f, least, sharers);
		f->bucket[which].latency = 0.0;
	} else {
		flight_pass(f, least, sharers);
		f->bucket[which] = f->bucket[--f->n];
	}
}

/*
 * End of an all-reduce in which bucket k begins when it is ready and fewer than in_flight are in
 * flight.
 */
static double sim_buckets_flights(const struct sim *s, const struct group *g)
{
	const int n = sim_buckets_requests(s, g);
	struct flight f = { .most = s->conf->in_flight, .now = sim_buckets_ready(s, n, 0) };

	f.bucket = xcalloc((size_t)s->allreduces.nbuckets, sizeof(*f.bucket));
	for (int k = 0; k < s->allreduces.nbuckets; k++) {
		const double ready = fmax(f.now, sim_buckets_ready(s, n, k));
		double latency, all;

		while (f.n && f.now < ready)
			flight_on(&f, ready);
		while (f.n == f.most)
			flight_on(&f, HUGE_VAL);
		f.now = fmax(f.now, ready);
		latency = sim_buckets_bytes_time(s, g, 0);
		sim_allreduce_begins(g, f.now);
		all = sim_buckets_time(s, g, k);
		sim_allreduce_made(g);
		latency = fmin(latency, all);
		f.bucket[f.n++] = (struct flight_bucket){ latency, all - latency };
	}
	while (f.n)
		flight_on(&f, HUGE_VAL);
	free(f.bucket);
	return f.now;
}

double sim_buckets_end(const struct sim *s, const struct group *g)
{
	const double end = s->conf->in_flight > 1 ? sim_buckets_flights(s, g)
						  : sim_buckets_serial(s, g);

	return s->conf->zero ? end + zero_after(s, g, end) : end;
}

/* ---- rings of messages ---- */

/* Share of a gradient's seconds that its last minibatch takes, whose backward pass overlaps. */
static double sim_buckets_last(const struct sim *s)
{
	return s->conf->last > 0.0 ? s->conf->last : 1.0;
}

/*
 * Pushes the event at which the next bucket is final; the last one is when the all-reduce is asked
 * for.
 */
static void await_next(struct sim *s, struct node *nd)
{
	const struct sim_node *sn = sim_node(nd);
	const int k = sn->rare->sum.ring.buckets;
	const double ends = sn->begun + sn->compute + sim_host_copy(s, nd);
	const double last = sn->compute * sim_buckets_last(s);

	if (k < s->allreduces.nbuckets - 1)
		heap_push(&s->heap, ends - s->allreduces.bucket[k].early * last, SIM_BUCKET,
			  nd->rank, NULL, sn->ticket);
}

void sim_buckets_begin(struct sim *s, struct node *nd)
{
	struct sim_node *sn = sim_node(nd);

	sn->rare->sum.ahead = nd->adds ? sn->compute * sim_buckets_last(s) : 0.0;
	if (s->allreduces.steps && sn->rare->sum.ahead > 0.0)
		await_next(s, nd);
}

bool sim_buckets_event(struct sim *s, struct node *nd, const struct sim_event *ev)
{
	if (sim_event_kind(ev) != SIM_BUCKET)
		return false;
	if (sim_node(nd)->computing && sim_node(nd)->ticket == ev->num) {
		ring_bucket(s, nd);
		await_next(s, nd);
	}
	return true;
}
