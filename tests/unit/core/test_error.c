/* error(), warning(), note(), die() and bug(): their lines, exit codes and routines. */
#include "core/base/context.h"
#include "core/base/error.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs f in a child with its stderr in text; returns the child's status. */
static int run_child(void (*f)(void), char *text, size_t size)
{
	int fd[2], status;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(fd), 0);
	pid = fork();
	if (!pid) {
		dup2(fd[1], STDERR_FILENO);
		f();
		_exit(0);
	}
	close(fd[1]);
	n = read(fd[0], text, size - 1);
	text[n > 0 ? n : 0] = '\0';
	close(fd[0]);
	waitpid(pid, &status, 0);
	return status;
}

static void say_error(void)
{
	if (error("key '%s'", "a\nb\033[1m") != -1)
		_exit(99);
}

static void say_all(void)
{
	note("one");
	warning("two");
}

static void say_long(void)
{
	context_set("run");
	context_about("file");
	error("%03999d!", 0);
}

static void say_die(void)
{
	die("disk %d", 7);
}

static void say_bug(void)
{
	BUG("100%% wrong: %s", "%s");
}

static void test_error_is_one_harmless_line(void **state)
{
	char text[256];

	assert_int_equal(run_child(say_error, text, sizeof text), 0);
	assert_string_equal(text, "convoy: error: key 'a b [1m'\n");
}

static void test_warning_and_note(void **state)
{
	char text[256];

	assert_int_equal(run_child(say_all, text, sizeof text), 0);
	assert_non_null(strstr(text, "convoy: one\n"));
}

static void test_context_cuts_no_message(void **state)
{
	char text[8192];

	run_child(say_long, text, sizeof text);
	assert_non_null(strstr(text, "convoy: error: run: file: 000"));
	assert_non_null(strstr(text, "000!\n"));
}

static void test_die_exits_128(void **state)
{
	char text[256];
	int status;

	status = run_child(say_die, text, sizeof text);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), EXIT_DIE);
	assert_string_equal(text, "convoy: fatal: disk 7\n");
}

static void test_bug_aborts_and_says_where(void **state)
{
	char text[512];
	int status;

	status = run_child(say_bug, text, sizeof text);
	assert_true(WIFSIGNALED(status));
	assert_non_null(strstr(text, "test_error.c:"));
	assert_non_null(strstr(text, "100% wrong: %s\n"));
}

static void test_routine_is_replaced_and_restored(void **state)
{
	error_routine ours;

	capture_start();
	error("kept %d", 1);
	warning("kept %d", 2);
	assert_string_equal(capture_text(), "error: kept 1\nwarning: kept 2\n");
	ours = error_set_routine(NULL);
	assert_non_null(ours);
	assert_true(error_set_routine(ours) != ours);
	capture_stop();
}

static int own;         /* messages that a thread's own routine took */

static void take_own(enum severity sev, const char *fmt, va_list ap)
{
	if (sev == SEV_ERROR)
		own++;
	else
		error_pass_on(sev, fmt, ap);
}

static void *say_elsewhere(void *unused)
{
	error("elsewhere");
	return unused;
}

static void test_routine_of_a_thread(void **state)
{
	pthread_t other;

	own = 0;
	capture_start();
	error_set_thread_routine(take_own);
	error("here");
	warning("here");
	assert_int_equal(pthread_create(&other, NULL, say_elsewhere, NULL), 0);
	assert_int_equal(pthread_join(other, NULL), 0);
	error_set_thread_routine(NULL);
	error("again");
	assert_int_equal(own, 1);
	assert_string_equal(capture_text(),
			    "warning: here\nerror: elsewhere\nerror: again\n");
	capture_stop();
}

RUN_ALL(test_error_is_one_harmless_line, test_warning_and_note,
	test_context_cuts_no_message, test_die_exits_128,
	test_bug_aborts_and_says_where, test_routine_is_replaced_and_restored,
	test_routine_of_a_thread)
