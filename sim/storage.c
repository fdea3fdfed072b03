/*
 * storage.c - workers wait for their samples, which a shared disk reads for one after the other.
 *
 * A disk reads minibatches at its rate, in the order in which workers ask for them. A worker
 * has `ahead` minibatches read in advance: it asks for another one when it begins a gradient. The
 * time of a read is computed when the worker needs it: by then all earlier requests are known. So n
 * workers in lockstep, with b samples and C seconds of computing each, need
 *
 *     max(C, n b / rate) a step     and, if they read nothing in advance,     C + n b / rate
 */
#include "sim/storage.h"

#include "core/base/error.h"
#include "core/samples/slice.h"
#include "sim/world.h"

#include <math.h>

static const struct opt storage_opts[] = {
	OPT_NUMBER(struct storage_conf, samples_per_s, "0",
		   "samples that a storage reads in a second; 0: by GBps", "RATE", 0, 1e15),
	OPT_NUMBER(struct storage_conf, GBps, "0",
		   "1e9 bytes that a storage reads in a second; 0: by samples_per_s", "GB/S", 0,
		   1e9),
	OPT_NUMBER(struct storage_conf, sample_bytes, "0", "bytes of a sample, for GBps", "BYTES",
		   0, 1e15),
	OPT_NUMBER(struct storage_conf, workers, "0",
		   "workers that share a storage: ranks 0 to N-1, N to 2N-1, ...; 0: all", "N", 0,
		   1 << 24),
	OPT_NUMBER(struct storage_conf, ahead, "1",
		   "minibatches that a worker reads in advance; 0: it computes after reading", "N",
		   0, 1024),
	{ 0 }
};

static const struct plugin storage_none = { .name = "none", .brief = "samples are there at once" };
static const struct plugin storage_shared = {
	.name = "shared",
	.brief = "samples come from a storage of a rate, which workers share",
	.opts = storage_opts,
	.conf_size = sizeof(struct storage_conf),
};

const struct plugin *const storage_table[] = { &storage_none, &storage_shared, NULL };

int storage_check(const struct choice *storage)
{
	const struct storage_conf *c = storage->conf;

	if (storage->plugin != &storage_shared)
		return 0;
	if ((c->samples_per_s > 0.0) == (c->GBps > 0.0))
		return error("storage: a rate is either samples_per_s or GBps (expected one of "
			     "them, more than 0)");
	if ((c->GBps > 0.0) != (c->sample_bytes > 0.0))
		return error("storage: GBps and sample_bytes belong together. Give %s",
			     c->GBps > 0.0 ? "sample_bytes" : "GBps");
	return 0;
}

struct disk {
	struct heap asked;      /* minibatches asked for, by time */
	double free_at;         /* time at which all earlier ones are read */
};

struct sim_reader {     /* a worker */
	double *loaded;         /* [ahead, or 1] times at which minibatches are read, a ring */
	int64_t reads;          /* gradients that it has begun */
};

struct storage {
	struct sim_reader *reader;      /* [workers] */
	int disks, sharers;     /* number of disks; workers of each */
	double sample_s;        /* seconds of a disk for a sample */
	struct disk disk[];     /* [disks] */
};

static const double unread = -1.0;      /* time of a minibatch that is not read yet */

void storage_open(struct sim *s)
{
	const struct storage_conf *c = s->conf->storage.conf;
	const int workers = s->run->workers;
	struct storage *st;
	int sharers, disks;

	if (s->conf->storage.plugin != &storage_shared)
		return;
	sharers = c->workers ? (int)c->workers : workers;
	disks = (workers - 1) / sharers + 1;
	st = s->storage =
		arena_alloc(&s->arena, 1, sizeof(*st) + (size_t)disks * sizeof(st->disk[0]));
	st->disks = disks;
	st->sharers = sharers;
	st->sample_s =
		c->samples_per_s > 0.0 ? 1.0 / c->samples_per_s : c->sample_bytes / (c->GBps * 1e9);
	st->reader = arena_alloc(&s->arena, (size_t)workers, sizeof(*st->reader));
	for (int i = 0; i < workers; i++)
		st->reader[i].loaded = arena_alloc(&s->arena, (size_t)(c->ahead ? c->ahead : 1),
						   sizeof(*st->reader[i].loaded));
}

void storage_close(struct sim *s)
{
	for (int i = 0; s->storage && i < s->storage->disks; i++)
		heap_release(&s->storage->disk[i].asked);
}

/*
 * Asks for a minibatch at `time`; *loaded <- the time at which it is read, when that is computed.
 */
static void minibatch_ask(struct disk *of, const struct node *nd, double time, double *loaded)
{
	*loaded = unread;
	heap_push(&of->asked, time, SIM_READ, nd->rank, loaded, 0);
}

double storage_wait(struct sim *s, struct node *nd)
{
	const int64_t ahead = ((const struct storage_conf *)s->conf->storage.conf)->ahead;
	const double clock = sim_node(nd)->clock;
	struct storage *st = s->storage;
	struct sim_reader *r;
	struct disk *of;
	struct sim_event ev;
	double *next, begin;

	if (nd->rank == SERVER)
		return 0.0;
	r = &st->reader[nd->rank];
	of = &st->disk[nd->rank / st->sharers];
	next = &r->loaded[ahead ? r->reads % ahead : 0];
	if (r->reads == 0 || ahead == 0)
		for (int64_t k = 0; k < (ahead ? ahead : 1); k++)
			minibatch_ask(of, nd, clock, &r->loaded[k]);
	/* Reads minibatches in the order of requests; no earlier request can follow. */
	while (*next == unread && heap_pop(&of->asked, &ev)) {
		const size_t samples = slice_size(s->run->slice, s->run->batch,
						  sim_event_node(&ev));

		of->free_at = fmax(of->free_at, ev.time) + (double)samples * st->sample_s;
		*(double *)ev.ptr = of->free_at;
	}
	begin = fmax(clock, *next);
	r->reads++;
	if (ahead)
		minibatch_ask(of, nd, begin, next);
	return begin - clock;
}
