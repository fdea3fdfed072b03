/* Runs put aside and taken up again: every event, model and ledger is that of an unbroken run. */
#include "algos/algos.h"
#include "core/codec.h"
#include "core/hash.h"
#include "core/mem.h"
#include "core/vault.h"
#include "core/watch.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/files.h"
#include "tests/support/toy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DIM = 5, WORKERS = 6 };

struct setting {                /* what a run is made with */
	const char *algo, *optim, *codec, *link;
	bool watch, cut;        /* cut: a server in three shards, sums in three buckets */
	double epochs;          /* 0: three */
	const char *faults;     /* NULL: none */
};

struct witness {                /* of all events, across an interruption */
	struct hook hook;
	uint64_t seen;
	int64_t gradients, interrupt_at;        /* 0: never */
	volatile sig_atomic_t interrupted;
};

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
		h = fnv(h, ev->model, DIM * sizeof(float));
	w->seen = h;
	w->gradients = ev->gradients;
	w->interrupted = w->interrupt_at && ev->gradients >= w->interrupt_at;
}

static void witness_save(void *ctx, struct vault *v)
{
	const struct witness *w = ctx;

	vault_put(v, &w->seen, sizeof(w->seen));
}

static void witness_load(void *ctx, struct vault *v)
{
	struct witness *w = ctx;

	vault_get(v, &w->seen, sizeof(w->seen));
}

struct ride {                   /* one run, or one part of it */
	struct toy toy;
	struct choice codec;
	struct witness witness;
	struct sim_saves saves;
};

/* path NULL: not put aside. */
static void ride_open(struct ride *r, const struct setting *s, const char *path)
{
	*r = (struct ride){ .witness = { .hook = { .mask = ~0u, .event = witness_event },
					 .seen = FNV_START } };
	toy_open(&r->toy, s->algo, WORKERS, s->optim ? s->optim : "sgd");
	toy_delay(&r->toy, "gamma:cv=0.5");
	toy_link(&r->toy, s->link ? s->link : "nic:latency_s=0.05,bandwidth_GBps=1e-6");
	assert_true(toy_faults(&r->toy, s->faults));
	r->toy.sim.update_s = 0.01;
	r->toy.sim.shards = s->cut ? 3 : 1;
	r->toy.sim.bucket = s->cut ? 2 : 0;
	r->toy.run.epochs = s->epochs > 0.0 ? s->epochs : 3;
	r->toy.run.mark_every = 0.5;
	r->toy.run.lr.base = 0.02;
	r->toy.run.interrupted = &r->witness.interrupted;
	if (s->codec) {
		assert_int_equal(choice_parse(&r->codec, codec_table, "codec", s->codec), 0);
		r->toy.run.codec = (const struct codec *)r->codec.plugin;
		r->toy.run.codec_conf = r->codec.conf;
	}
	r->saves = (struct sim_saves){ .path = path, .id = s->algo, .build = "this",
				       .resume = true, .save = witness_save,
				       .load = witness_load, .ctx = &r->witness };
	if (path)
		r->toy.sim.saves = &r->saves;
}

static void ride_run(struct ride *r, bool watch)
{
	struct pool like = { .problem = r->toy.problem };
	struct run run = r->toy.run;

	run.pool = &like;
	r->toy.run.watch = watch_new(watch ? WATCH_ALL : WATCH_NONE, &run);
	r->toy.run.hooks = &r->witness.hook;
	toy_run(&r->toy);
	watch_free(r->toy.run.watch);
}

static void ride_close(struct ride *r)
{
	toy_close(&r->toy);
	choice_release(&r->codec);
}

static void assert_same(const struct ride *a, const struct ride *b)
{
	const struct toy *s = &a->toy, *t = &b->toy;

	assert_true(s->result.time == t->result.time);
	assert_int_equal(s->result.end, t->result.end);
	assert_int_equal(s->result.events, t->result.events);
	assert_int_equal(s->result.gradients, t->result.gradients);
	assert_true(s->result.model && s->result.model == t->result.model);
	for (int k = 0; k < s->nnodes; k++) {
		assert_memory_equal(s->xs[k], t->xs[k], DIM * sizeof(float));
		assert_memory_equal(&s->nodes[k].ledger, &t->nodes[k].ledger,
				    sizeof(s->nodes[k].ledger));
	}
	assert_true(a->witness.seen == b->witness.seen);
}

static char *path_in(const char *folder)
{
	return xasprintf("%s/checkpoint", folder);
}

/* Up to so many gradients; what is left is a checkpoint. */
static void interrupt(const struct setting *s, const char *path, int64_t at)
{
	struct ride r;

	ride_open(&r, s, path);
	r.witness.interrupt_at = at;
	ride_run(&r, s->watch);
	assert_int_equal(r.toy.result.end, END_INTERRUPTED);
	assert_int_equal(r.toy.result.gradients, at);
	assert_int_equal(access(path, R_OK), 0);
	ride_close(&r);
}

static void go_on(const struct setting *s, const char *path, const struct ride *whole)
{
	struct ride r;

	ride_open(&r, s, path);
	capture_start();
	ride_run(&r, s->watch);
	capture_stop();
	assert_non_null(strstr(capture_text(), "going on from"));
	assert_same(whole, &r);
	ride_close(&r);
}

/* Interrupted at each of these moments, one run after the other from the beginning. */
static void check(const struct setting *s, const int64_t *moments)
{
	char *folder = folder_new(), *path = path_in(folder);
	struct ride whole;

	ride_open(&whole, s, NULL);
	ride_run(&whole, s->watch);
	for (size_t i = 0; moments[i]; i++) {
		unlink(path);
		interrupt(s, path, moments[i]);
		go_on(s, path, &whole);
	}
	ride_close(&whole);
	free(path);
	folder_remove(folder);
}

static void every_algorithm_goes_on(void **state)
{
	(void)state;
	for (int i = 0; algo_table[i]; i++) {
		struct setting s = { .algo = algo_table[i]->name };

		check(&s, (const int64_t[]){ 77, 0 });
		s.watch = true;
		check(&s, (const int64_t[]){ 50, 0 });
	}
}

static void from_any_moment(void **state)
{
	static const struct setting some[] = {
		{ .algo = "asgd", .codec = "qsgd" },
		{ .algo = "allreduce", .codec = "topk", .watch = true },
		{ .algo = "ad-psgd", .optim = "closed-loop" },
		{ .algo = "hogwild:blocks=3,read_s=0.4,write_s=0.5" },
		{ .algo = "asgd", .link = "fair:latency_s=0.05,bandwidth_GBps=1e-6" },
		{ .algo = "backup", .optim = "adam", .watch = true },
		{ .algo = "asgd", .codec = "qsgd", .cut = true },
		{ .algo = "allreduce", .link = "nic:bandwidth_GBps=1e-7,stepwise", .cut = true },
		{ .algo = "easgd", .faults = "1:leave@3-5+0:leave@9.5-20,copy=old", .watch = true },
		{ .algo = "asgd", .faults = "2:leave@4-6+server:stall@9-11+0-server:drop@15-19" },
	};
	int64_t moments[13] = { 0 };

	(void)state;
	for (int k = 0; k < 12; k++)
		moments[k] = 1 + 15 * k;
	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++)
		check(&some[i], moments);
}

/* Again and again, until the run is over. */
static void many_times(void **state)
{
	const struct setting s = { .algo = "asgd", .watch = true };
	char *folder = folder_new(), *path = path_in(folder);
	struct ride whole;

	(void)state;
	ride_open(&whole, &s, NULL);
	ride_run(&whole, true);
	capture_start();
	for (int64_t at = 5; at < whole.toy.result.gradients; at += 17)
		interrupt(&s, path, at);
	capture_stop();
	go_on(&s, path, &whole);
	ride_close(&whole);
	free(path);
	folder_remove(folder);
}

/* Killed: the run goes on from the last checkpoint that was due, which is at every event here. */
static void from_the_last_one_that_was_due(void **state)
{
	const struct setting s = { .algo = "d-psgd", .epochs = 0.5 };
	char *folder = folder_new(), *path = path_in(folder);
	struct ride whole, r;

	(void)state;
	ride_open(&whole, &s, NULL);
	ride_run(&whole, false);
	ride_open(&r, &s, path);
	r.saves.every_s = 1e-9;
	ride_run(&r, false);
	assert_same(&whole, &r);
	ride_close(&r);
	go_on(&s, path, &whole);
	ride_close(&whole);
	free(path);
	folder_remove(folder);
}

/* A run that finds something else in the place of its checkpoint says so and begins anew. */
static void begins_anew(const char *path, const char *id, const char *build, const char *says)
{
	const struct setting s = { .algo = "asgd" };
	struct ride whole, r;

	ride_open(&whole, &s, NULL);
	ride_run(&whole, false);
	ride_open(&r, &s, path);
	r.saves.id = id;
	r.saves.build = build;
	capture_start();
	ride_run(&r, false);
	capture_stop();
	assert_non_null(strstr(capture_text(), says));
	assert_non_null(strstr(capture_text(), "the run begins anew"));
	assert_same(&whole, &r);
	ride_close(&r);
	ride_close(&whole);
}

static void flip_byte(const char *path, long at)
{
	FILE *f = fopen(path, "r+b");
	int c;

	assert_non_null(f);
	fseek(f, at, SEEK_SET);
	c = fgetc(f);
	fseek(f, at, SEEK_SET);
	fputc(c ^ 1, f);
	fclose(f);
}

static void what_is_not_its_own_is_left(void **state)
{
	const struct setting s = { .algo = "asgd" }, other = { .algo = "d-psgd" };
	char *folder = folder_new(), *path = path_in(folder), *old = xasprintf("%s.old", path);

	(void)state;
	interrupt(&s, path, 40);
	begins_anew(path, "another", "this", "is of another run");
	begins_anew(path, "asgd", "that", "is of another build");
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(rename(old, path), 0);
	flip_byte(path, 2000);
	begins_anew(path, "asgd", "this", "is damaged: its checksum is wrong");
	assert_int_equal(truncate(path, 100), 0);
	begins_anew(path, "asgd", "this", "is damaged: its checksum is wrong");
	interrupt(&other, path, 40);
	begins_anew(path, "d-psgd", "this", "do not lead to where it was made");
	free(old);
	free(path);
	folder_remove(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_algorithm_goes_on), cmocka_unit_test(from_any_moment),
		cmocka_unit_test(many_times),
		cmocka_unit_test(from_the_last_one_that_was_due),
		cmocka_unit_test(what_is_not_its_own_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
