/* Simulated runs of the toy problem with checkpoints, and a witness of all their events. */
#include "tests/support/ride.h"

#include "algos/algos.h"
#include "core/base/hash.h"
#include "core/codec.h"
#include "core/file/checked.h"
#include "core/watch.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"

#include <unistd.h>

static uint64_t mix_double(uint64_t h, double x)
{
	return fnv(h, &x, sizeof(x));
}

static void witness_event(struct hook *hook, const struct event *ev)
{
	struct witness *w = (struct witness *)hook;
	uint64_t h = fnv_step(w->seen, ev->kind);

	h = mix_double(h, ev->time);
	h = mix_double(h, ev->epoch);
	h = mix_double(h, ev->loss);
	h = mix_double(h, ev->lr);
	h = fnv_step(h, (uint64_t)ev->gradients);
	h = fnv_step(h, (uint64_t)ev->staleness);
	if (ev->measured)
		h = fnv(h, ev->measured, sizeof(*ev->measured));
	if (ev->model)
		h = fnv(h, ev->model, RIDE_DIM * sizeof(float));
	w->seen = h;
	if (ev->kind != EV_GRAD)        /* in lockstep others show a worker's own rounds */
		return;
	w->gradients = ev->gradients;
	w->interrupted = w->interrupt_at && ev->gradients >= w->interrupt_at;
}

static void witness_save(void *ctx, struct checked *v)
{
	const struct witness *w = ctx;

	checked_put(v, &w->seen, sizeof(w->seen));
}

static void witness_load(void *ctx, struct checked *v)
{
	struct witness *w = ctx;

	checked_get(v, &w->seen, sizeof(w->seen));
}

void ride_open(struct ride *r, const struct setting *s, const char *path)
{
	*r = (struct ride){ .witness = { .hook = { .mask = ~0u, .event = witness_event },
					 .seen = FNV_START } };
	toy_open(&r->toy, s->algo, RIDE_WORKERS, s->optim ? s->optim : "sgd");
	toy_delay(&r->toy, "gamma:cv=0.5");
	toy_link(&r->toy, s->link ? s->link : "nic:latency_s=0.05,bandwidth_GBps=1e-6");
	assert_true(toy_faults(&r->toy, s->faults));
	r->toy.sim.update_s = 0.01;
	r->toy.sim.shards = s->cut ? 3 : 1;
	r->toy.sim.bucket = s->cut ? 2 : 0;
	r->toy.run.epochs = s->epochs > 0.0 ? s->epochs : 3;
	r->toy.run.gradients = s->gradients;
	r->toy.run.seconds = s->seconds;
	r->toy.run.mark_every = 0.5;
	r->toy.run.lr.base = 0.02;
	r->toy.run.interrupted = &r->witness.interrupted;
	if (s->codec) {
		assert_int_equal(choice_parse(&r->codec, codec_table, "codec", s->codec), 0);
		r->toy.run.codec = (const struct codec *)r->codec.plugin;
		r->toy.run.codec_conf = r->codec.conf;
	}
	r->saves = (struct checkpoint_conf){ .path = path, .id = s->algo, .build = "this",
				       .from = path && access(path, F_OK) == 0 ? path : NULL,
				       .save = witness_save,
				       .load = witness_load, .ctx = &r->witness };
	if (path)
		r->toy.sim.saves = &r->saves;
}

void ride_run(struct ride *r, bool watch)
{
	struct pool like = { .problem = r->toy.problem };
	struct run run = r->toy.run;

	run.pool = &like;
	r->toy.run.watch = watch_new(watch ? WATCH_ALL : WATCH_NONE, &run);
	r->toy.run.hooks = &r->witness.hook;
	toy_run(&r->toy);
	watch_free(r->toy.run.watch);
}

void ride_close(struct ride *r)
{
	toy_close(&r->toy);
	choice_release(&r->codec);
}

void rides_assert_same(const struct ride *a, const struct ride *b)
{
	const struct toy *s = &a->toy, *t = &b->toy;

	assert_true(s->result.time == t->result.time);
	assert_int_equal(s->result.end, t->result.end);
	assert_int_equal(s->result.events, t->result.events);
	assert_int_equal(s->result.gradients, t->result.gradients);
	assert_true(s->result.model && s->result.model == t->result.model);
	assert_true(s->result.order == t->result.order);
	for (int k = 0; k < s->nnodes; k++) {
		assert_memory_equal(s->xs[k], t->xs[k], RIDE_DIM * sizeof(float));
		assert_memory_equal(&s->nodes[k].ledger, &t->nodes[k].ledger,
				    sizeof(s->nodes[k].ledger));
	}
	assert_true(a->witness.seen == b->witness.seen);
}

void ride_go_on(const struct setting *s, const char *path, const struct ride *whole)
{
	struct ride r;

	ride_open(&r, s, path);
	capture_start();
	ride_run(&r, s->watch);
	capture_stop();
	assert_said("resuming from");
	rides_assert_same(whole, &r);
	ride_close(&r);
}
