/* Limits of memory, and bounds on it; sanitizers take more themselves: tests/CMakeLists.txt. */
#include "core/base/process.h"
#include "core/file/paths.h"
#include "core/pool/pool.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/toy.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* From now on the process has so many more bytes of address space. */
static void limit_memory(size_t more)
{
	FILE *f = fopen("/proc/self/statm", "r");
	struct rlimit limit;
	size_t pages;

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%zu", &pages), 1);
	fclose(f);
	limit.rlim_cur = limit.rlim_max = pages * (size_t)sysconf(_SC_PAGESIZE) + more;
	assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
}

/* In a process of its own: memory for the stacks of a few threads alone. */
static int open_without_memory(void *arg, int fd)
{
	struct problem *problem = toy_new(1, 8);
	const struct sampler sampler = { .samples = 8, .workers = 1, .size = 1 };

	(void)arg, (void)fd;
	limit_memory(40 << 20);
	capture_start();
	if (pool_threads(problem, &sampler, 4000))
		return 1;
	return strstr(capture_text(), "error: cannot start compute thread ") ? 0 : 2;
}

/* An error of the caller's, not the end of the process; and the threads that began end. */
static void a_pool_that_cannot_be_had_is_an_error(void **state)
{
	const struct process_way way = { .run = open_without_memory };
	struct process p;

	assert_int_equal(process_start(&p, &way), 0);
	assert_int_equal(process_exit_code(process_wait(&p)), 0);
}

/* What has no end takes no more memory than a file may have. */
static void an_endless_file_takes_what_a_file_may_have(void **state)
{
	enum { MOST = 64 << 20, MOST_KIB = 110 << 10 };
	struct rusage before, after;

	capture_start();
	getrusage(RUSAGE_SELF, &before);
	assert_null(file_read_most("/dev/zero", MOST, NULL));
	getrusage(RUSAGE_SELF, &after);
	assert_said("larger than 64 MiB");
	assert_true(after.ru_maxrss - before.ru_maxrss < MOST_KIB);
	capture_stop();
}

RUN_ALL(a_pool_that_cannot_be_had_is_an_error, an_endless_file_takes_what_a_file_may_have)
