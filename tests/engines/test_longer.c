/* Finished runs made longer: every event, model and ledger is that of a run of that length. */
#include "algos/algos.h"
#include "core/base/mem.h"
#include "tests/support/brief.h"
#include "tests/support/check.h"
#include "tests/support/files.h"
#include "tests/support/ride.h"

#include <stdlib.h>
#include <unistd.h>

static char *path_in(const char *folder)
{
	return xasprintf("%s/checkpoint", folder);
}

/* Ends by its budget, and leaves a checkpoint; then the run of three epochs goes on from there. */
static void lengthen(const struct setting *s, const struct setting *shorter, const char *path,
		     const struct ride *whole)
{
	struct ride r, unkept;

	ride_open(&unkept, shorter, NULL);
	ride_run(&unkept, s->watch);
	unlink(path);
	ride_open(&r, shorter, path);
	r.saves.keep = INT64_MAX;
	ride_run(&r, s->watch);
	assert_true(r.toy.result.kept);
	rides_assert_same(&unkept, &r);
	assert_true(r.toy.result.gradients < whole->toy.result.gradients);
	assert_true(sim_saved(path, &r.saves, &whole->toy.run) > 0);
	ride_close(&unkept);
	ride_close(&r);
	ride_go_on(s, path, whole);
}

static void check_longer(const struct setting *s)
{
	char *folder = folder_new(), *path = path_in(folder);
	struct setting shorter = *s;
	struct ride whole;

	ride_open(&whole, s, NULL);
	ride_run(&whole, s->watch);
	shorter.epochs = 1.5;
	lengthen(s, &shorter, path, &whole);
	shorter.epochs = 0;
	shorter.gradients = 77;
	lengthen(s, &shorter, path, &whole);
	shorter.gradients = 0;
	shorter.seconds = whole.toy.result.time * 0.4;
	if (!s->faults)         /* of which a run has those until its last second */
		lengthen(s, &shorter, path, &whole);
	ride_close(&whole);
	free(path);
	folder_remove(folder);
}

static void every_algorithm_goes_on_for_longer(void **state)
{
	static const struct setting more[] = {
		{ .algo = "asgd", .codec = "qsgd", .watch = true, .cut = true },
		{ .algo = "hogwild:blocks=3,read_s=0.4,write_s=0.5" },
		{ .algo = "asgd", .link = "fair:latency_s=0.05,bandwidth_GBps=1e-6" },
		{ .algo = "easgd", .faults = "1:leave@3-5+0:leave@9.5-20,copy=old", .watch = true },
	};

	for (int i = 0; algo_table[i]; i++)
		check_longer(&(struct setting){
			.algo = brief_algo(algo_table[i]->name),
			.optim = brief_optim(algo_table[i]->name, NULL) });
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++)
		check_longer(&more[i]);
}

/* A checkpoint that is too large is not kept, and a longer run's is of no use to a shorter one. */
static void only_what_is_of_use_is_kept(void **state)
{
	const struct setting s = { .algo = "asgd" };
	struct setting shorter = s;
	char *folder = folder_new(), *path = path_in(folder);
	struct ride r, less;

	ride_open(&r, &s, path);
	r.saves.keep = RIDE_DIM;
	ride_run(&r, false);
	assert_false(r.toy.result.kept);
	assert_int_equal(access(path, F_OK), -1);
	ride_close(&r);
	ride_open(&r, &s, path);
	r.saves.keep = INT64_MAX;
	ride_run(&r, false);
	shorter.epochs = 1;
	ride_open(&less, &shorter, NULL);
	ride_run(&less, false);
	assert_int_equal(sim_saved(path, &r.saves, &less.toy.run), -1);
	r.saves.id = "another";
	assert_int_equal(sim_saved(path, &r.saves, &r.toy.run), -1);
	ride_close(&r);
	ride_close(&less);
	free(path);
	folder_remove(folder);
}

RUN_ALL(every_algorithm_goes_on_for_longer, only_what_is_of_use_is_kept)
