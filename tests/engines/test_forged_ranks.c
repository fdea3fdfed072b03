/*
 * Checkpoints of ranks that have the account's checksum, and odd numbers outside of the nodes'
 * memory: a run goes on, or ends with an error. One rank, in this process.
 */
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/checked.h"
#include "core/file/paths.h"
#include "mpi/checkpoint/checkpoint.h"
#include "runner/single_run/simrun.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/folder.h"
#include "tests/support/forged.h"
#include "tests/support/quoted.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 40, LONGER = 60 };       /* gradients of a run, and of one that goes on from it */

static unsigned char key[CHECKED_KEY];

struct forged {                 /* a run's checkpoint */
	const char *settings;
	char *path;             /* of the result */
	char *index, *file;     /* the checkpoint's files: its index, and the rank's own */
	char *of_index, *bytes; /* [in_index + 8], [n + 8] what they were, with their checksums */
	size_t in_index, n;
	size_t node;            /* offset of the worker's struct saved */
};

static enum run_end train(const struct forged *f, int64_t gradients)
{
	cJSON *json = quoted_json(f->settings);
	struct run_context context = { .experiment = "", .scale = "", .path = f->path, .threads = 1,
				       .resume = true, .alone = true, .keep = 1 << 20 };
	enum run_end end;
	struct setup su;

	cJSON_AddNumberToObject(json, "gradients", (double)gradients);
	setup_init(&su);
	assert_int_equal(settings_apply(&su.in, json, "test"), 0);
	su.ranks = 1;
	assert_int_equal(setup_resolve(&su), 0);
	capture_start();
	end = simrun(&su, NULL, &context);
	capture_stop();
	setup_release(&su);
	cJSON_Delete(json);
	return end;
}

static void forged_open(struct forged *f, const char *settings)
{
	struct common common;

	*f = (struct forged){ .settings = settings, .path = xasprintf("%s/run.h5", folder) };
	f->index = xasprintf("%s.checkpoint", f->path);
	f->file = xasprintf("%s.%d.0", f->index, FIRST);
	assert_int_equal(train(f, FIRST), RUN_END_DONE);
	f->of_index = file_read(f->index, &f->in_index);
	f->bytes = file_read(f->file, &f->n);
	assert_non_null(f->of_index);
	assert_non_null(f->bytes);
	f->in_index -= sizeof(uint64_t);
	f->n -= sizeof(uint64_t);
	memcpy(&common, f->bytes + sizeof(struct title), sizeof(common));
	f->node = sizeof(struct title) + sizeof(common) + common.used;
}

static void forged_close(struct forged *f)
{
	free_all(f->path, f->index, f->file, f->of_index, f->bytes);
}

/* Goes on from the checkpoint with these bytes. */
static enum run_end go_on(const struct forged *f, const char *bytes)
{
	forged_write(f->index, f->of_index, f->in_index, key);
	forged_write(f->file, bytes, f->n, key);
	return train(f, LONGER);
}

/* Goes on from the checkpoint with another number of 64 bits there. */
static enum run_end go_on_with(const struct forged *f, size_t at, int64_t x)
{
	char *bytes = xcalloc(f->n, 1);
	enum run_end end;

	memcpy(bytes, f->bytes, f->n);
	memcpy(bytes + at, &x, sizeof(x));
	end = go_on(f, bytes);
	free(bytes);
	return end;
}

static const char lockstep[] = "{ 'engine': 'mpi', 'algo': 'allreduce', 'workers': 1, 'lr': 0.01,"
			       "  'net': 'quadratic', 'eval_every': 0.3, 'allreduce': 'ring' }";

static void numbers_of_a_node(void **state)
{
	struct forged f;

	forged_open(&f, lockstep);
	assert_int_equal(go_on(&f, f.bytes), RUN_END_DONE);
	assert_int_equal(go_on_with(&f, f.node + offsetof(struct saved, stamp_of_snapshot),
				    INT64_MAX), RUN_END_FAILED);
	assert_said("is damaged");
	assert_int_equal(go_on_with(&f, f.node + offsetof(struct saved, ledger.gradients),
				    INT64_MAX), RUN_END_FAILED);
	assert_said("is damaged");
	/* more than its part of the budget, so that it would deliver no gradient any more */
	assert_int_equal(go_on_with(&f, f.node + offsetof(struct saved, ledger.gradients),
				    LONGER + 1), RUN_END_FAILED);
	assert_said("stalled");
	/* an all-reduce that was never asked for, and would be waited for */
	assert_int_equal(go_on_with(&f, f.node + offsetof(struct saved, allreduced), 1000),
			 RUN_END_DONE);
	forged_close(&f);
}

/* The evaluation after so many gradients is in the file; the next one is due after 9 or 10 more. */
static size_t find_mark(const struct forged *f, int64_t gradients)
{
	size_t at = f->node + sizeof(struct saved);

	while (at + sizeof(gradients) < f->n &&
	       (f->bytes[at - 1] != 1 || memcmp(f->bytes + at, &gradients, sizeof(gradients)) != 0))
		at++;
	assert_true(at + sizeof(gradients) < f->n);
	return at;
}

static void an_evaluation_that_was_not_due(void **state)
{
	struct forged f;

	forged_open(&f, lockstep);
	assert_int_equal(go_on_with(&f, find_mark(&f, 39), 48), RUN_END_DONE);
	assert_int_equal(go_on_with(&f, find_mark(&f, 39), 10), RUN_END_FAILED);
	assert_said("is damaged");
	forged_close(&f);
}

/* Offset of the recorder's state, which ends the file after its size. */
static size_t find_record(const struct forged *f)
{
	uint64_t size = 0;
	size_t at = f->n - sizeof(size);

	while (at > f->node && (!size || at + sizeof(size) + size != f->n))
		memcpy(&size, f->bytes + --at, sizeof(size));
	assert_true(at > f->node);
	return at + sizeof(size);
}

/* What cannot be read comes after a gradient that the run was computing. */
static void a_gradient_in_flight(void **state)
{
	struct saved saved;
	struct forged f;

	forged_open(&f, "{ 'engine': 'mpi', 'algo': 'd-psgd', 'workers': 1, 'lr': 0.01,"
		    "  'net': 'quadratic' }");
	memcpy(&saved, f.bytes + f.node, sizeof(saved));
	assert_int_equal(saved.computing, 1);
	assert_int_equal(go_on_with(&f, find_record(&f), -1), RUN_END_FAILED);
	assert_said("is of another version");
	forged_close(&f);
}

/* The server's node, whose struct saved comes after the worker's, is in this process, too. */
static void any_number(void **state)
{
	struct forged f;
	struct rng r;
	char *bytes;

	forged_open(&f, "{ 'engine': 'mpi', 'algo': 'asgd', 'workers': 1, 'lr': 0.01,"
		    "  'net': 'quadratic', 'server': 'shared' }");
	bytes = xcalloc(f.n, 1);
	rng_at(&r, 43, RNG_DATA, 2, 0);
	for (int k = forged_times(6); k; k--) {
		memcpy(bytes, f.bytes, f.n);
		forged_change(bytes + f.node, f.n - f.node, &r);
		if (go_on(&f, bytes) == RUN_END_FAILED)
			assert_said("error: ");
	}
	free(bytes);
	forged_close(&f);
}

int main(void)
{
	static const CMUnitTestFunction tests[] = { numbers_of_a_node,
						    an_evaluation_that_was_not_due,
						    a_gradient_in_flight, any_number };
	int code;

	if (!real_version())
		return 77;
	if (real_begin() < 0 || real_key(key) <= 0)
		return EXIT_FAILURE;
	code = check_run(folder_open, folder_close, "numbers_of_a_node,"
			 "an_evaluation_that_was_not_due,a_gradient_in_flight,any_number", tests,
			 sizeof(tests) / sizeof(tests[0]));
	real_end(code);
	return code;
}
