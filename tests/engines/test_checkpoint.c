/* Runs resumed from checkpoints: every event, model and ledger is that of an unbroken run. */
#include "algos/algos.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "tests/support/brief.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/files.h"
#include "tests/support/forged.h"
#include "tests/support/ride.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
		ride_go_on(s, path, &whole);
	}
	ride_close(&whole);
	free(path);
	folder_remove(folder);
}

static void every_algorithm_goes_on(void **state)
{
	for (int i = 0; algo_table[i]; i++) {
		struct setting s = { .algo = brief_algo(algo_table[i]->name),
				     .optim = brief_optim(algo_table[i]->name, NULL) };

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
		{ .algo = "ad-psgd:exchange=duplex", .link = "nic:bandwidth_GBps=1e-7",
		  .cut = true },
		{ .algo = "hogwild:blocks=3,read_s=0.4,write_s=0.5" },
		{ .algo = "asgd", .link = "fair:latency_s=0.05,bandwidth_GBps=1e-6" },
		{ .algo = "backup", .optim = "adam", .watch = true },
		{ .algo = "asgd", .codec = "qsgd", .cut = true },
		{ .algo = "allreduce", .link = "nic:bandwidth_GBps=1e-7,stepwise", .cut = true },
		{ .algo = "easgd", .faults = "1:leave@3-5+0:leave@9.5-20,copy=old", .watch = true },
		{ .algo = "asgd", .faults = "2:leave@4-6+server:stall@9-11+0-server:drop@15-19" },
	};
	int64_t moments[13] = { 0 };

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

	ride_open(&whole, &s, NULL);
	ride_run(&whole, true);
	capture_start();
	for (int64_t at = 5; at < whole.toy.result.gradients; at += 17)
		interrupt(&s, path, at);
	capture_stop();
	ride_go_on(&s, path, &whole);
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

	ride_open(&whole, &s, NULL);
	ride_run(&whole, false);
	ride_open(&r, &s, path);
	r.saves.every = 1e-9;
	ride_run(&r, false);
	rides_assert_same(&whole, &r);
	ride_close(&r);
	ride_go_on(&s, path, &whole);
	ride_close(&whole);
	free(path);
	folder_remove(folder);
}

/* A mark before the checkpoint shows the first failure, and one after it the second. */
static void failures_are_shown_once(void **state)
{
	const struct setting s = { .algo = "d-psgd", .epochs = 0.5,
				   .faults = "1:leave@1.5-2+2:leave@9.5-10" };
	char *folder = folder_new(), *path = path_in(folder);
	struct ride r[3];

	capture_start();
	for (int i = 0; i < 3; i++) {
		ride_open(&r[i], &s, i ? path : NULL);
		r[i].toy.sim.restart = (struct restart){ .interval_s = 2, .cost_s = 0.5 };
		r[i].toy.run.mark_every = 0.3;
		r[i].witness.hook.mask = 1u << EV_FAULT | 1u << EV_MARK;
		r[i].saves.every = i == 1 ? 1e-9 : 0.0;
		ride_run(&r[i], false);
	}
	capture_stop();
	assert_said("resuming from");
	assert_int_equal(r[0].toy.result.goodput.failures, 2);
	for (int i = 2; i >= 0; i--) {
		rides_assert_same(&r[0], &r[i]);
		ride_close(&r[i]);
	}
	free(path);
	folder_remove(folder);
}

/* A run that finds something else instead of its checkpoint says so and starts over. */
static void starts_over(const char *path, const char *id, const char *build, const char *says)
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
	assert_said(says);
	assert_said(": the run begins again");
	/* in one line */
	assert_true(strstr(capture_text(), ": the run begins again") <
		    strchr(strstr(capture_text(), says), '\n'));
	rides_assert_same(&whole, &r);
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

	interrupt(&s, path, 40);
	starts_over(path, "another", "this", "is of another run");
	starts_over(path, "asgd", "that", "is of another build");
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(rename(old, path), 0);
	flip_byte(path, 2000);
	starts_over(path, "asgd", "this", "is damaged: its checksum is wrong");
	assert_int_equal(truncate(path, 100), 0);
	starts_over(path, "asgd", "this", "is damaged: its checksum is wrong");
	interrupt(&other, path, 40);
	starts_over(path, "d-psgd", "this", "do not lead to where it was made");
	free(old);
	free(path);
	folder_remove(folder);
}

/* A run goes on with it, or begins again and is what it was. */
static void goes_on_from_damage(const struct setting *s, const char *path, const struct ride *whole)
{
	struct ride r;
	const char *said;

	ride_open(&r, s, path);
	capture_start();
	ride_run(&r, s->watch);
	capture_stop();
	said = capture_text();
	if (strstr(said, "the run begins again"))
		rides_assert_same(whole, &r);
	else
		assert_non_null(strstr(said, "resuming from"));
	ride_close(&r);
}

/* Its checksum says nothing of who wrote it: a checkpoint may hold anything. */
static void whatever_is_in_the_file(void **state)
{
	static const struct setting some[] = {
		{ .algo = "asgd", .watch = true },
		{ .algo = "ad-psgd", .optim = "closed-loop", .watch = true },
		{ .algo = "sgp", .watch = true, .epochs = 1 },
		{ .algo = "demo:side=2,top=2" },
		{ .algo = "allreduce", .codec = "topk" },
		{ .algo = "allreduce", .codec = "powersgd" },
		{ .algo = "dana" },
		{ .algo = "hogwild:blocks=3,read_s=0.4,write_s=0.5" },
		{ .algo = "noloco:period=3" },
	};
	enum { TITLE = 504 };   /* bytes */
	char *folder = folder_new(), *path = path_in(folder);
	struct rng rng;

	rng_at(&rng, 41, RNG_DATA, 0, 0);
	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
		struct ride whole;
		char *bytes, *other;
		size_t n;

		ride_open(&whole, &some[i], NULL);
		ride_run(&whole, some[i].watch);
		unlink(path);
		interrupt(&some[i], path, 40);
		bytes = file_read(path, &n);
		assert_non_null(bytes);
		other = xcalloc(n, 1);
		n -= sizeof(uint64_t);
		for (int k = forged_times(40); k; k--) {
			memcpy(other, bytes, n);
			forged_change(other + TITLE, n - TITLE, &rng);
			forged_write(path, other, n, NULL);
			goes_on_from_damage(&some[i], path, &whole);
		}
		free(other);
		free(bytes);
		ride_close(&whole);
	}
	free(path);
	folder_remove(folder);
}

RUN_ALL(every_algorithm_goes_on, from_any_moment, many_times, from_the_last_one_that_was_due,
	failures_are_shown_once, what_is_not_its_own_is_left,
	whatever_is_in_the_file)

