/* Child processes: their ends, limits, streams and signals. */
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/file/h5.h"
#include "tests/support/check.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

static struct process_answer answer_of(const struct process_way *way,
				       const struct process_limits *limits)
{
	struct process p;

	assert_int_equal(process_start(&p, way), 0);
	return process_collect(&p, limits);
}

static struct process_answer answer_of_shell(const char *script, int err,
					     const struct process_limits *limits)
{
	char *words[] = { "sh", "-c", (char *)script, NULL };

	return answer_of(&(struct process_way){ .words = words, .out = PROCESS_PIPE, .err = err,
						.in = PROCESS_NULL, .group = true }, limits);
}

static int write_much(void *arg, int fd)
{
	const size_t n = *(const size_t *)arg;
	char *bytes = xcalloc(n, 1);
	int rc;

	memset(bytes, 'x', n);
	rc = process_write(fd, bytes, n);
	free(bytes);
	return rc ? 9 : 3;
}

static void test_answer_is_whole(void **state)
{
	size_t n = 1000000;
	struct process_answer a = answer_of(&(struct process_way){ .run = write_much, .arg = &n },
					    &(struct process_limits){ 0 });

	assert_int_equal(a.end, PROCESS_ENDED);
	assert_int_equal(process_exit_code(a.status), 3);
	assert_false(process_succeeded(a.status));
	assert_int_equal(a.n, n);
	assert_int_equal(strspn(a.text, "x"), n);
	free(a.text);
}

static void test_output_limit_kills(void **state)
{
	const struct process_limits limits = { .bytes = 5000 };
	struct process_answer a = answer_of_shell("yes", PROCESS_KEEP, &limits);

	assert_int_equal(a.end, PROCESS_LONG);
	assert_true(a.n <= limits.bytes);
	assert_int_equal(process_signal_of(a.status), SIGKILL);
	free(a.text);
}

/* Also its own child, which holds the pipe open. */
static void test_deadline_kills_the_group(void **state)
{
	const struct process_limits limits = { .seconds = 3 };
	const double end = clock_s() + 60;
	struct process_answer a;
	pid_t grandchild;

	process_adopt_orphans();
	a = answer_of_shell("sleep 600 & echo $!; wait", PROCESS_KEEP, &limits);
	assert_int_equal(a.end, PROCESS_LATE);
	grandchild = atoi(a.text);
	assert_true(grandchild > 0);
	free(a.text);
	while (process_reap_orphans() && clock_s() < end)
		clock_sleep(0.01);
	assert_int_equal(kill(grandchild, 0), -1);
	assert_int_equal(errno, ESRCH);
}

/* A child that has closed its pipe is not waited for without end. */
static void test_deadline_holds_after_the_pipe(void **state)
{
	const struct process_limits limits = { .seconds = 0.3 };
	struct process_answer a = answer_of_shell("exec >&-; exec sleep 600", PROCESS_KEEP,
						  &limits);

	assert_int_equal(a.end, PROCESS_LATE);
	free(a.text);
}

static bool third_time(void *arg)
{
	return ++*(int *)arg == 3;
}

static void test_tick_stops(void **state)
{
	int ticks = 0;
	const struct process_limits limits = { .tick = third_time, .arg = &ticks };
	struct process_answer a = answer_of_shell("sleep 600", PROCESS_KEEP, &limits);

	assert_int_equal(a.end, PROCESS_STOPPED);
	assert_int_equal(ticks, 3);
	free(a.text);
}

static void test_endings_have_a_text(void **state)
{
	struct process_answer a = answer_of_shell("kill -SEGV $$", PROCESS_KEEP,
						  &(struct process_limits){ 0 });
	char text[96];

	assert_int_equal(process_signal_of(a.status), SIGSEGV);
	assert_int_equal(process_exit_code(a.status), -1);
	process_ending(a.status, text);
	assert_string_equal(text, "killed by signal 11 (Segmentation fault)");
	free(a.text);
	a = answer_of_shell("echo why >&2; exit 7", PROCESS_PIPE, &(struct process_limits){ 0 });
	process_ending(a.status, text);
	assert_string_equal(text, "ended with exit code 7");
	assert_string_equal(a.text, "why\n");
	free(a.text);
	process_ending(-1, text);
	assert_string_equal(text, "ended in an unknown way");
}

static void test_what_cannot_start(void **state)
{
	char *none[] = { "no-such-program-of-ours", NULL }, *folder[] = { "/", NULL };
	char *true_[] = { "true", NULL };
	struct process p;

	assert_int_equal(process_start(&p, &(struct process_way){ .words = none }), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(p.pid, 0);
	assert_int_equal(process_start(&p, &(struct process_way){ .words = folder }), -1);
	assert_int_equal(errno, EACCES);
	assert_int_equal(process_start(&p, &(struct process_way){ .words = true_,
								  .dir = "/no/folder" }), -1);
	assert_int_equal(errno, ENOENT);
	assert_false(process_reap_orphans());
}

static volatile sig_atomic_t alarms;

static void count_alarm(int sig)
{
	(void)sig;
	alarms++;
}

/* A signal every 2 ms, without SA_RESTART, interrupts every call that waits. */
static void test_signals_interrupt_nothing(void **state)
{
	const struct itimerval often = { { 0, 2000 }, { 0, 2000 } }, never = { { 0 }, { 0 } };
	struct sigaction sa = { .sa_handler = count_alarm }, old;
	char *words[] = { "sleep", "0.05", NULL };
	size_t n = 300000;
	struct process_answer a;
	struct process p;

	sigemptyset(&sa.sa_mask);
	sigaction(SIGALRM, &sa, &old);
	setitimer(ITIMER_REAL, &often, NULL);
	a = answer_of_shell("sleep 0.05; head -c 100000 /dev/zero; sleep 0.05; exit 4",
			    PROCESS_KEEP, &(struct process_limits){ .seconds = 60 });
	assert_int_equal(process_exit_code(a.status), 4);
	assert_int_equal(a.n, 100000);
	free(a.text);
	a = answer_of(&(struct process_way){ .run = write_much, .arg = &n },
		      &(struct process_limits){ 0 });
	assert_int_equal(process_exit_code(a.status), 3);
	assert_int_equal(a.n, n);
	free(a.text);
	assert_int_equal(process_start(&p, &(struct process_way){ .words = words }), 0);
	assert_true(process_succeeded(process_wait(&p)));
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &old, NULL);
	assert_true(alarms > 10);
}

/* Its exit code is what this process wrote. */
static int read_code(void *arg, int fd)
{
	char code = 0;

	(void)arg;
	return read(fd, &code, 1) == 1 ? code : EXIT_BAD;
}

static void test_child_listens(void **state)
{
	struct process p;
	int status;

	assert_int_equal(process_start(&p, &(struct process_way){ .run = read_code,
								  .listens = true }), 0);
	assert_false(process_ended(&p, &status));
	assert_int_equal(process_write(p.fd, "\x2a", 1), 0);
	assert_int_equal(process_exit_code(process_wait(&p)), 42);
	assert_int_equal(p.fd, -1);
	assert_true(process_ended(&p, &status));
	assert_int_equal(status, -1);
}

static int start_sleeper(void *arg, int fd)
{
	char *words[] = { "sleep", "600", NULL };
	struct process p;

	(void)arg;
	if (process_start(&p, &(struct process_way){ .words = words, .end_signal = SIGTERM }))
		return EXIT_BAD;
	return process_write(fd, &p.pid, sizeof(p.pid)) ? EXIT_BAD : EXIT_OK;
}

static void test_child_ends_with_its_parent(void **state)
{
	struct process_answer a;
	const double end = clock_s() + 60;
	pid_t sleeper;

	process_adopt_orphans();
	a = answer_of(&(struct process_way){ .run = start_sleeper }, &(struct process_limits){ 0 });
	assert_true(process_succeeded(a.status));
	assert_int_equal(a.n, sizeof(sleeper));
	memcpy(&sleeper, a.text, sizeof(sleeper));
	free(a.text);
	while (process_reap_orphans() && clock_s() < end)
		clock_sleep(0.01);
	assert_int_equal(kill(sleeper, 0), -1);
	assert_int_equal(errno, ESRCH);
}

static int be_convoy(void *arg, int fd)
{
	prctl(PR_SET_NAME, "convoy");
	process_write(fd, "x", 1);
	return pause();
}

static void test_a_convoy_is_gone(void **state)
{
	struct process convoy;
	struct utsname here;
	char byte;
	pid_t pid;

	assert_int_equal(uname(&here), 0);
	assert_int_equal(process_start(&convoy, &(struct process_way){ .run = be_convoy }), 0);
	pid = convoy.pid;
	assert_int_equal(read(convoy.fd, &byte, 1), 1);
	assert_false(process_gone(here.nodename, pid));
	process_signal(&convoy, SIGKILL);
	process_wait(&convoy);
	assert_true(process_gone(here.nodename, pid));
	assert_false(process_gone("no.such.host", pid));
	assert_false(process_gone(NULL, pid));
}

enum { STARTERS = 8, STARTS = 150 };

static void *start_many(void *arg)
{
	char *words[] = { "sleep", "100", NULL };
	struct process *started = arg;

	for (int i = 0; i < STARTS; i++)
		process_start(&started[i], &(struct process_way){ .words = words });
	return NULL;
}

/* A start that waited for the end of another thread's program would take 100 s. */
static void test_threads_start_at_once(void **state)
{
	static struct process started[STARTERS][STARTS];
	pthread_t thread[STARTERS];
	const double began = clock_s();

	for (int i = 0; i < STARTERS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, start_many, started[i]), 0);
	for (int i = 0; i < STARTERS; i++)
		assert_int_equal(pthread_join(thread[i], NULL), 0);
	for (int i = 0; i < STARTERS * STARTS; i++) {
		assert_int_not_equal(started[i / STARTS][i % STARTS].pid, 0);
		process_signal(&started[i / STARTS][i % STARTS], SIGKILL);
		process_wait(&started[i / STARTS][i % STARTS]);
	}
	assert_true(clock_s() - began < 90);
}

/* The first child of this process after that one; 0: none. */
static pid_t child_after(pid_t after)
{
	char path[64], text[512];

	for (pid_t k = after + 1; k < after + 1000; k++) {
		FILE *in;
		int parent = 0;

		snprintf(path, sizeof(path), "/proc/%d/stat", (int)k);
		in = fopen(path, "r");
		if (in && fgets(text, sizeof(text), in) && strrchr(text, ')'))
			sscanf(strrchr(text, ')'), ") %*c %d", &parent);
		if (in)
			fclose(in);
		if (parent == (int)getpid())
			return k;
	}
	return 0;
}

/* Without its guard, this process goes on: a write to it does not end it by SIGPIPE. */
static void test_guard_may_die(void **state)
{
	char *words[] = { "sleep", "100", NULL };
	struct process p;
	pid_t guard;

	(void)state;
	assert_int_equal(process_start(&p, &(struct process_way){ .words = words, .group = true }),
			 0);
	process_guard(p.pid);
	guard = child_after(p.pid);
	assert_int_not_equal(guard, 0);
	kill(guard, SIGKILL);
	assert_int_equal(waitpid(guard, NULL, 0), guard);
	process_guard(p.pid);
	process_unguard(p.pid);
	process_unguard(p.pid);
	process_signal(&p, SIGKILL);
	process_wait(&p);
}

/* A file of HDF5 is no descriptor of a program that is started later. */
static void test_hdf5_files_are_not_inherited(void **state)
{
	char path[] = "/tmp/test_process.XXXXXX", script[] = "ls -l /proc/self/fd";
	const int fd = mkstemp(path);
	struct process_answer a;
	hid_t file;

	(void)state;
	close(fd);
	file = h5_create(path);
	assert_true(file >= 0);
	a = answer_of_shell(script, PROCESS_NULL, &(struct process_limits){ .seconds = 60 });
	assert_non_null(strstr(a.text, "pipe"));
	assert_null(strstr(a.text, path));
	free(a.text);
	H5Fclose(file);
	unlink(path);
}

/* The many starts come first, while a fork has few pages to copy, which sanitizers multiply. */
RUN_ALL(test_threads_start_at_once, test_answer_is_whole, test_output_limit_kills,
	test_deadline_kills_the_group, test_deadline_holds_after_the_pipe, test_tick_stops,
	test_endings_have_a_text, test_what_cannot_start, test_signals_interrupt_nothing,
	test_child_listens, test_child_ends_with_its_parent, test_a_convoy_is_gone,
	test_guard_may_die, test_hdf5_files_are_not_inherited)
