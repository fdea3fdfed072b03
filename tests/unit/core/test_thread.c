/* Threads handle no signals but those of their own faults; what they start handles all. */
#include "core/base/process.h"
#include "core/base/thread.h"
#include "tests/support/check.h"

#include <signal.h>

static bool blocks(int sig)
{
	sigset_t now;

	assert_int_equal(pthread_sigmask(SIG_BLOCK, NULL, &now), 0);
	return sigismember(&now, sig);
}

static int blocks_interrupts(void *arg, int fd)
{
	(void)arg;
	(void)fd;
	return blocks(SIGINT);
}

/* seen[]: SIGINT, SIGUSR2, SIGSEGV in the thread, and SIGINT in its child. */
static void *look(void *arg)
{
	const struct process_way way = { .run = blocks_interrupts, .in = -1, .out = -1, .err = -1 };
	bool *seen = arg;
	struct process child;

	seen[0] = blocks(SIGINT);
	seen[1] = blocks(SIGUSR2);
	seen[2] = blocks(SIGSEGV);
	assert_int_equal(process_start(&child, &way), 0);
	seen[3] = process_exit_code(process_wait(&child)) != 0;
	return NULL;
}

static void blocked(void **state)
{
	bool seen[4] = { false };
	pthread_t thread;

	assert_int_equal(thread_start(&thread, look, seen), 0);
	pthread_join(thread, NULL);
	assert_true(seen[0]);
	assert_true(seen[1]);
	assert_false(seen[2]);
	assert_false(seen[3]);
	assert_false(blocks(SIGINT));
}

RUN_ALL(blocked)
