/* A recorder goes on only from a state that a recorder can have. */
#include "core/base/mem.h"
#include "record/recorder.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/folder.h"
#include "tests/support/played.h"

#include <stdlib.h>

static struct recorder *open_in_folder(const char *name)
{
	char *path = xasprintf("%s/%s.h5", folder, name);
	struct recorder *r = recorder_open(path, &played_info, &played_run);

	assert_non_null(r);
	free(path);
	return r;
}

/* A recorder that has seen five gradients of two workers: worker 1 has asked for one more. */
static struct recorder *seen_five(const char *name)
{
	struct recorder *r = open_in_folder(name);

	for (int k = 1; k <= 5; k++)
		played_grad(recorder_hook(r), k, k);
	return r;
}

/* Another recorder goes on from the first one's state, up to its end; closes both. */
static int go_on(struct recorder *from)
{
	struct recorder *r = open_in_folder("next");
	size_t n;
	void *state = recorder_state(from, &n);
	int ret;

	capture_start();
	ret = recorder_restore(r, state, n);
	for (int k = 6; k <= 12; k++)
		played_grad(recorder_hook(r), k, k);
	capture_stop();
	recorder_close(r, NULL);
	recorder_close(from, NULL);
	free(state);
	return ret;
}

static void a_state_is_restored(void **state)
{
	struct recorder *r = seen_five("one");

	assert_int_equal(r->at.ends.nahead, 1);
	assert_int_equal(r->at.ends.ahead[0].workers, 1);
	assert_int_equal(go_on(r), 0);
}

/* A round that a worker has ended would be before all that are remembered. */
static void rounds_that_no_worker_has_ended(void **state)
{
	struct recorder *r = seen_five("one");

	for (int i = 0; i < played_run.workers; i++)
		r->rounds[i].n = r->at.ends.n;
	assert_int_equal(go_on(r), -1);
	assert_said("what a checkpoint says of the results is damaged");
}

/* Sums over all workers would overflow. */
static void counts_beyond_all_runs(void **state)
{
	struct recorder *r = seen_five("one");

	r->at.ends.timed = INT64_C(1) << 52;
	assert_int_equal(go_on(r), -1);
}

/* Ranks' gradients arrive in another order each time; doubles added one by one would differ. */
static void means_in_any_order(void **state)
{
	static const double loss[] = { 1000.1, 0.1, 0.2, 0.3, 0.7 };
	struct recorder *up = open_in_folder("up"), *down = open_in_folder("down");

	for (int k = 1; k <= 5; k++) {
		played_grad(recorder_hook(up), k, loss[k - 1]);
		played_grad(recorder_hook(down), k, loss[5 - k]);
	}
	assert_true(sum_value(&up->at.eval_loss.sum) == sum_value(&down->at.eval_loss.sum));
	recorder_close(up, NULL);
	recorder_close(down, NULL);
}

RUN_WITH(folder_open, folder_close, a_state_is_restored, rounds_that_no_worker_has_ended,
	 counts_beyond_all_runs, means_in_any_order)
