/* Locks of processes that hold, lose, take over and leave them, in a folder of their own. */
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/output.h"
#include "core/file/paths.h"
#include "runner/results/lease.h"
#include "tests/support/check.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64], result[80], *path;

static int lock_setup(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/convoy-lease.XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(result, sizeof(result), "%s/a.h5", folder);
	path = lease_path(result);
	setenv("CONVOY_HEARTBEAT", "1", 1);
	return 0;
}

static int lock_teardown(void **state)
{
	char *command = xasprintf("rm -rf '%s'", folder);

	(void)state;
	assert_int_equal(system(command), 0);
	free(command);
	free(path);
	return 0;
}

static enum lease_answer take(struct lease **l)
{
	struct lease_watch *w = lease_watch_new();
	const enum lease_answer answer = lease_take(l, path, "of a test\n", w);

	lease_watch_free(w);
	return answer;
}

/* A process that takes the lock, writes `held`, and then does that. */
static pid_t holder_start(void (*then)(struct lease *l))
{
	char *held = xasprintf("%s/held", folder);
	const pid_t pid = fork();
	struct lease *l;

	assert_true(pid >= 0);
	if (pid == 0) {
		if (take(&l) != LEASE_OURS || output_text(held, "") < 0)
			_exit(1);
		then(l);
		_exit(0);
	}
	for (int i = 0; i < 1000 && access(held, F_OK) != 0; i++)
		clock_sleep(0.01);
	assert_int_equal(access(held, F_OK), 0);
	unlink(held);
	free(held);
	return pid;
}

static void holder_dies(struct lease *l)
{
	(void)l;
}

static void holder_keeps(struct lease *l)
{
	lease_keep(l, 77, NULL);
	for (;;)
		pause();
}

static void holder_writes(struct lease *l)
{
	lease_keep(l, 77, NULL);
	raise(SIGSTOP);
	output_text(result, "by the first owner");
	pause();
}

/* Has ended within ten seconds; its status. */
static int holder_status(pid_t pid)
{
	int status = 0;

	for (int i = 0; i < 1000; i++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
		clock_sleep(0.01);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	fail();
	return -1;
}

static void one_owner_at_a_time(void **state)
{
	struct lease_owner owner, self = lease_self();
	struct lease *a, *b;

	(void)state;
	assert_int_equal(take(&a), LEASE_OURS);
	assert_false(lease_was_taken_over(a));
	assert_int_equal(take(&b), LEASE_THEIRS);
	assert_true(lease_read(path, &owner));
	assert_int_equal(owner.pid, getpid());
	assert_string_equal(owner.host, self.host);
	assert_string_equal(owner.text + owner.about, "of a test\n");
	assert_true(lease_same_machine(&owner, &self));
	lease_release(a);
	assert_int_not_equal(access(path, F_OK), 0);
	assert_int_equal(take(&b), LEASE_OURS);
	lease_release(b);
	/* Drafts of locks are gone, too. */
	assert_int_equal(rmdir(folder), 0);
	assert_int_equal(mkdir(folder, 0700), 0);
}

static void a_process_that_is_gone_loses_it_at_once(void **state)
{
	const pid_t pid = holder_start(holder_dies);
	struct lease *l;

	(void)state;
	assert_int_equal(holder_status(pid), 0);
	assert_int_equal(take(&l), LEASE_OURS);
	assert_true(lease_was_taken_over(l));
	lease_release(l);
}

/* Its number has gone to a process that began at another time. */
static void a_number_in_use_again_keeps_no_lock(void **state)
{
	struct lease_watch *w = lease_watch_new();
	struct lease_owner owner = lease_self();

	(void)state;
	assert_true(owner.start > 0);
	assert_false(lease_owner_has_ended(path, &owner, w));
	owner.start++;
	assert_true(lease_owner_has_ended(path, &owner, w));
	lease_watch_free(w);
}

/* Heartbeats keep the lock for longer than the limit. */
static void a_silent_process_loses_it_after_the_limit(void **state)
{
	const pid_t pid = holder_start(holder_keeps);
	struct lease_watch *w = lease_watch_new();
	struct lease *l;
	double began;

	(void)state;
	for (began = clock_s(); clock_s() - began < 2.5; clock_sleep(0.1))
		assert_false(lease_has_ended(path, w));
	assert_int_equal(lease_take(&l, path, "", w), LEASE_THEIRS);
	kill(pid, SIGSTOP);
	for (began = clock_s(); !lease_has_ended(path, w) && clock_s() - began < 10;)
		clock_sleep(0.05);
	assert_true(clock_s() - began > 0.8);
	assert_int_equal(lease_take(&l, path, "", w), LEASE_OURS);
	assert_true(lease_was_taken_over(l));
	/* The first owner wakes, finds this, and ends with its code. */
	kill(pid, SIGCONT);
	assert_int_equal(WEXITSTATUS(holder_status(pid)), 77);
	assert_true(lease_beat(l));
	lease_release(l);
	assert_int_not_equal(access(path, F_OK), 0);
	lease_watch_free(w);
}

/* A pause of the observer between two looks proves little: it may have slept with the owner. */
static void one_long_gap_between_looks_is_no_silence(void **state)
{
	const pid_t pid = holder_start(holder_keeps);
	struct lease_watch *w = lease_watch_new();

	(void)state;
	kill(pid, SIGSTOP);
	clock_sleep(0.2);
	assert_false(lease_has_ended(path, w));
	clock_sleep(1.5);
	assert_false(lease_has_ended(path, w));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	lease_watch_free(w);
}

/* It is stopped by then, and writes as soon as it runs again. */
static void a_lost_owner_writes_nothing(void **state)
{
	struct lease_watch *w = lease_watch_new();
	const pid_t pid = holder_start(holder_writes);
	struct lease *l;
	char *text;

	(void)state;
	while (lease_take(&l, path, "", w) != LEASE_OURS)
		clock_sleep(0.05);
	assert_int_equal(output_text(result, "by the second"), 0);
	lease_release(l);
	kill(pid, SIGCONT);
	assert_int_equal(WEXITSTATUS(holder_status(pid)), 77);
	text = file_read(result, NULL);
	assert_string_equal(text, "by the second");
	free(text);
	lease_watch_free(w);
}

enum { TAKERS = 6, ROUNDS = 20 };

/* A process that takes the lock once `begin` is closed, says whether it has it, and waits. */
static pid_t taker_start(const int *begin, const int *answers)
{
	const pid_t pid = fork();
	struct lease *l;
	char byte;

	assert_true(pid >= 0);
	if (pid)
		return pid;
	close(begin[1]);
	if (read(begin[0], &byte, 1) == 0)
		byte = take(&l) == LEASE_OURS;
	if (write(answers[1], &byte, 1) == 1)
		pause();
	_exit(1);
}

/* Those who find the lock of an ended owner at the same moment take it over one after another. */
static void one_of_several_takes_it_over(void **state)
{
	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		pid_t taker[TAKERS];
		int begin[2], answers[2], owners = 0;
		char byte;

		holder_status(holder_start(holder_dies));
		assert_int_equal(pipe(begin) + pipe(answers), 0);
		for (int i = 0; i < TAKERS; i++)
			taker[i] = taker_start(begin, answers);
		close(begin[0]);
		close(begin[1]);
		for (int i = 0; i < TAKERS; i++) {
			assert_int_equal(read(answers[0], &byte, 1), 1);
			owners += byte;
		}
		for (int i = 0; i < TAKERS; i++) {
			kill(taker[i], SIGKILL);
			waitpid(taker[i], NULL, 0);
		}
		close(answers[0]);
		close(answers[1]);
		unlink(path);
		assert_int_equal(owners, 1);
	}
}

static void a_release_leaves_the_lock_of_another(void **state)
{
	struct lease *l;

	(void)state;
	assert_int_equal(take(&l), LEASE_OURS);
	assert_int_equal(output_text(path, "convoy lock 1\nbeat 0000000000\nkey other\n"), 0);
	lease_release(l);
	assert_int_equal(access(path, F_OK), 0);
}

/* A lock that moves from run to run has heartbeats in each. */
static void a_moved_lock_is_kept(void **state)
{
	char *other = xasprintf("%s/.b.h5.lock", folder), *file = xasprintf("%s/b.h5", folder);
	struct lease_owner owner = { 0 };
	struct lease *l;

	(void)state;
	assert_int_equal(take(&l), LEASE_OURS);
	lease_keep(l, 77, NULL);
	assert_true(lease_move(l, other));
	lease_keep(l, 77, NULL);
	assert_true(lease_held(file));
	for (int i = 0; i < 1000 && owner.beat < 2; i++) {
		clock_sleep(0.01);
		assert_true(lease_read(other, &owner));
	}
	assert_int_equal(owner.beat, 2);
	lease_unkeep(l);
	assert_false(lease_held(file));
	lease_release(l);
	free_all(other, file);
}

/* From one path to another that is free; else it is released, and a lost one leaves no trace. */
static void a_lock_moves(void **state)
{
	char *other = xasprintf("%s/.b.h5.lock", folder);
	struct lease_owner owner;
	struct lease *a, *b;

	(void)state;
	assert_int_equal(take(&a), LEASE_OURS);
	assert_true(lease_move(a, other));
	assert_int_not_equal(access(path, F_OK), 0);
	assert_true(lease_read(other, &owner));
	assert_int_equal(owner.pid, getpid());
	assert_true(lease_beat(a));
	assert_int_equal(take(&b), LEASE_OURS);
	assert_false(lease_move(b, other));
	assert_int_not_equal(access(path, F_OK), 0);
	assert_int_equal(access(other, F_OK), 0);
	assert_int_equal(output_text(other, "convoy lock 1\nbeat 0000000000\nkey other\n"), 0);
	assert_false(lease_move(a, path));
	assert_int_not_equal(access(path, F_OK), 0);
	assert_int_equal(access(other, F_OK), 0);
	unlink(other);
	free(other);
}

/* A file without a whole text is a lock that is being written, for as long as any other. */
static void damaged_files_count_as_silent_owners(void **state)
{
	static const char *const texts[] = {
		"", "convoy lock 1\n", "another file\n", "convoy lock 1\nbeat 0000000000\nkey",
		"convoy lock 1\nbeat 0000000007\nkey 0\nlimit nan\nhost a\nmachine b\npid 5\n"
	};

	(void)state;
	setenv("CONVOY_HEARTBEAT", "7", 1);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct lease_owner owner;
		struct lease *l;

		assert_int_equal(output_text(path, texts[i]), 0);
		assert_int_equal(take(&l), LEASE_THEIRS);
		assert_true(lease_read(path, &owner));
		assert_string_equal(owner.text, "");
		assert_near(owner.limit_s, 90.0, 0.0);
		assert_int_equal(owner.pid, 0);
	}
}

RUN_WITH(lock_setup, lock_teardown, one_owner_at_a_time, a_process_that_is_gone_loses_it_at_once,
	 a_number_in_use_again_keeps_no_lock,
	 a_silent_process_loses_it_after_the_limit, one_long_gap_between_looks_is_no_silence,
	 a_lost_owner_writes_nothing, one_of_several_takes_it_over,
	 a_release_leaves_the_lock_of_another, a_moved_lock_is_kept, a_lock_moves,
	 damaged_files_count_as_silent_owners)
