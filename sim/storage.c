/*
 * storage.c - workers wait for their samples, which a storage reads for one after the other.
 *
 * A storage has a rate. It reads minibatches in the order in which workers ask for them. A worker
 * has `ahead` minibatches read in advance: it asks for one more when it begins a gradient. A read
 * is computed when the worker needs it: by then all that was asked for earlier is known. So n
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

static const struct plugin none = { "none", "samples are there at once", NULL, NULL, 0 };
static const struct plugin shared = { "shared",
				      "samples come from a storage of a rate, which workers share",
				      NULL, storage_opts, sizeof(struct storage_conf) };

const struct plugin *const storage_table[] = { &none, &shared, NULL };

int storage_check(const struct choice *storage)
{
	const struct storage_conf *c = storage->conf;

	if (storage->plugin != &shared)
		return 0;
	if ((c->samples_per_s > 0.0) == (c->GBps > 0.0))
		return error("storage: a rate is either samples_per_s or GBps (expected one of "
			     "them, more than 0)");
	if ((c->GBps > 0.0) != (c->sample_bytes > 0.0))
		return error("storage: GBps and sample_bytes belong together. Give %s",
			     c->GBps > 0.0 ? "sample_bytes" : "GBps");
	return 0;
}

/* One storage: minibatches that were asked for, by time, and when those before are read. */
struct storage {
	struct heap asked;
	double free_at;
};

static const double unread = -1.0;      /* of a minibatch that its storage has not come to */

void storage_open(struct sim *s)
{
	const struct storage_conf *c = s->conf->storage.conf;
	const int workers = s->run->workers;

	if (s->conf->storage.plugin != &shared)
		return;
	s->sharers = c->workers ? (int)c->workers : workers;
	s->sample_s = c->samples_per_s > 0.0 ? 1.0 / c->samples_per_s
					     : c->sample_bytes / (c->GBps * 1e9);
	s->storages = (workers - 1) / s->sharers + 1;
	s->storage = arena_alloc(&s->arena, (size_t)s->storages, sizeof(*s->storage));
	for (int i = 0; i < workers; i++)
		s->priv[i].loaded = arena_alloc(&s->arena, (size_t)(c->ahead ? c->ahead : 1),
						sizeof(*s->priv[i].loaded));
}

void storage_close(struct sim *s)
{
	for (int i = 0; i < s->storages; i++)
		heap_release(&s->storage[i].asked);
}

/* The worker asks at that time for a minibatch; *loaded <- when it is read, some day. */
static void storage_ask(struct storage *of, const struct node *nd, double time, double *loaded)
{
	*loaded = unread;
	heap_push(&of->asked, time, SIM_READ, nd->rank, loaded, 0);
}

/* Reads what was asked for, in order, up to that minibatch. Nothing can be asked for before it. */
static double storage_read(const struct sim *s, struct storage *of, const double *loaded)
{
	struct sim_event ev;

	while (*loaded < 0.0 && heap_pop(&of->asked, &ev)) {
		const size_t samples = slice_size(s->run->slice, s->run->batch,
						  sim_event_node(&ev));

		of->free_at = fmax(of->free_at, ev.time) + (double)samples * s->sample_s;
		*(double *)ev.ptr = of->free_at;
	}
	return *loaded;
}

double storage_wait(struct sim *s, struct node *nd)
{
	const struct storage_conf *c = s->conf->storage.conf;
	struct sim_node *sn = sim_node(nd);
	struct storage *of;
	double *next, begin;

	if (nd->rank == SERVER)
		return 0.0;
	of = &s->storage[nd->rank / s->sharers];
	next = &sn->loaded[c->ahead ? sn->reads % c->ahead : 0];
	if (sn->reads == 0 || c->ahead == 0)
		for (int64_t k = 0; k < (c->ahead ? c->ahead : 1); k++)
			storage_ask(of, nd, sn->clock, &sn->loaded[k]);
	begin = fmax(sn->clock, storage_read(s, of, next));
	sn->reads++;
	if (c->ahead)
		storage_ask(of, nd, begin, next);
	return begin - sn->clock;
}
