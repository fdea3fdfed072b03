/* The announcements of every launcher, as they were recorded. */
#include "runner/launch/launcher.h"
#include "tests/support/check.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is handed on of these bytes; the ending is filled. */
static const char *pass(const char *library, const char *bytes, struct ending *e)
{
	static char handed[4096];
	struct output_stream s = { .rules = &launcher_find(library)->output, .ending = e };
	int ends[2];

	*e = (struct ending){ .rank = -1 };
	memset(handed, 0, sizeof(handed));
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], bytes, strlen(bytes)), strlen(bytes));
	close(ends[1]);
	s.fd = ends[0];
	s.to = fmemopen(handed, sizeof(handed) - 1, "w");
	output_stream_finish(&s);
	fclose(s.to);
	return handed;
}

#define DASHES "----------------------------------------\n"
#define BAR "========================================\n"
#define HYDRA_TITLE "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n"

static void test_open_mpi_4(void **state)
{
	static const char slots[] = DASHES "There are not enough slots available\n" DASHES;
	struct ending e;

	assert_string_equal(pass("Open MPI v4.1.4",
				 "a line\n" DASHES
				 "Primary job  terminated normally, but 1 process returned\n"
				 "a non-zero exit code.\n" DASHES DASHES
				 "mpirun noticed that process rank 1 with PID 0 on node box exited "
				 "on signal 9 (Killed).\n" DASHES "the end",
				 &e),
			    "a line\nthe end");
	assert_int_equal(e.rank, 1);
	assert_int_equal(e.signal, 9);
	assert_string_equal(e.host, "box");

	/* Others are the user's to read. */
	assert_string_equal(pass("Open MPI v4.1.4", slots, &e), slots);
	assert_string_equal(pass("Open MPI v4.1.4", "mpirun: Forwarding signal 10 to job\nx\n", &e),
			    "x\n");
}

static void test_open_mpi_5(void **state)
{
	struct ending e;

	assert_string_equal(pass("Open MPI v5.0.7",
				 DASHES "prterun noticed that process rank 12 with PID 16722 on "
				 "node box exited on\nsignal 11 (Segmentation fault).\n" DASHES,
				 &e),
			    "");
	assert_int_equal(e.rank, 12);
	assert_int_equal(e.signal, 11);
	assert_string_equal(pass("Open MPI v5.0.7",
				 DASHES "prterun detected that one or more processes exited with "
				 "non-zero status,\nthus causing the job to be terminated.\n"
				 DASHES,
				 &e),
			    "");
	assert_int_equal(e.killed, 0);
}

static void test_mpich(void **state)
{
	struct ending e;

	assert_string_equal(pass("MPICH 4.0.2",
				 "out\n\nput\n\n" BAR HYDRA_TITLE
				 "=   PID 9198 RUNNING AT box\n=   EXIT CODE: 9\n"
				 "=   CLEANING UP REMAINING PROCESSES\n"
				 "=   YOU CAN IGNORE THE BELOW CLEANUP MESSAGES\n" BAR
				 "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal "
				 "9)\nThis typically refers to a problem with your application.\n"
				 "Please see the FAQ page for debugging suggestions\n",
				 &e),
			    "out\n\nput\n");
	assert_int_equal(e.rank, -1);
	assert_int_equal(e.signal, 9);
}

/* Hydra of Intel MPI kills the other ranks, and announces them as well. */
static void test_intel(void **state)
{
	struct ending e;

	assert_string_equal(pass("Intel(R) MPI Library 2021.19.0",
				 "\n" BAR HYDRA_TITLE "=   RANK 0 PID 20024 RUNNING AT box\n"
				 "=   KILLED BY SIGNAL: 9 (Killed)\n" BAR "\n" BAR HYDRA_TITLE
				 "=   RANK 1 PID 20025 RUNNING AT box\n"
				 "=   KILLED BY SIGNAL: 9 (Killed)\n" BAR,
				 &e),
			    "");
	assert_int_equal(e.killed, 2);
	assert_int_equal(e.announced, 2);
	assert_int_equal(e.signal, 9);
}

#define INTEL_DEATH(rank, signal) BAR HYDRA_TITLE "=   RANK " rank " PID 20024 RUNNING AT box\n" \
	"=   KILLED BY SIGNAL: " signal "\n" BAR

/* The rank that crashed is named, and not those that Hydra killed. */
static void test_intel_crash(void **state)
{
	struct ending e;

	pass("Intel(R) MPI Library 2021.13",
	     INTEL_DEATH("0", "9 (Killed)") INTEL_DEATH("1", "11 (Segmentation fault)")
	     INTEL_DEATH("2", "9 (Killed)"), &e);
	assert_int_equal(e.rank, 1);
	assert_int_equal(e.killed, 1);
	assert_int_equal(e.announced, 3);
	assert_int_equal(e.signal, 11);
}

/* What the exit code of each launcher means when a rank was killed, or one has ended by itself. */
static void test_is_death(void **state)
{
	const struct launcher *open_mpi = launcher_find("Open MPI v4.1.4");
	const struct launcher *intel = launcher_find("Intel(R) MPI Library 2021.13");
	const struct ending killed = { .signal = SIGKILL, .killed = 3, .announced = 3 };
	const struct ending left = { .signal = SIGKILL, .killed = 2, .announced = 2 };
	const struct ending crashed = { .signal = SIGSEGV, .killed = 1, .announced = 3 };

	assert_true(open_mpi->is_death(&killed, 128 + SIGKILL, 3));
	assert_false(open_mpi->is_death(&killed, 3, 3));
	assert_true(intel->is_death(&killed, 255, 3));
	assert_true(intel->is_death(&crashed, 255, 3));
	assert_false(intel->is_death(&left, 255, 3));
}

/* A progress line has no end, and is not held back; what follows it begins a line. */
static void test_progress(void **state)
{
	struct ending e;

	assert_string_equal(pass("MPICH 4.0.2", "\r10 % done", &e), "\r10 % done");
	assert_string_equal(pass("MPICH 4.0.2", "== not a bar\n\n\nx\n", &e),
			    "== not a bar\n\n\nx\n");
}

static void test_kept(void **state)
{
	struct ending e;

	pass("MPICH 4.0.2", "convoy: what was what was reached is in a.part\n", &e);
	assert_true(e.kept_said);
	pass("MPICH 4.0.2", "convoy: what was reached\n", &e);
	assert_false(e.kept_said);
}

static void test_unknown(void **state)
{
	assert_null(launcher_find("Some MPI 1.0"));
	assert_null(launcher_find(NULL));
}

RUN_ALL(test_open_mpi_4, test_open_mpi_5, test_mpich, test_intel, test_intel_crash,
	test_is_death, test_progress, test_kept, test_unknown)
