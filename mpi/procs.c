/* MPI around a run: its begin and end, which rank prints, agreement, names of hosts. */
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "mpi/state.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double shared_enough = 8e6;        /* free bytes with which MPI should not fail */
static int rank, size;
static pthread_mutex_t keeping = PTHREAD_MUTEX_INITIALIZER;
static char kept[4 * ERROR_LINE];        /* messages of this process, if it is not the first */
static atomic_bool running;
static atomic_bool alone;       /* this process has failed, and sends no messages any more */

/*
 * All processes read the same input and find the same errors: process 0 prints them. Messages of
 * others are kept in case process 0 found nothing. During training they find different things, and
 * each process prints its own.
 */
static void procs_show(enum severity sev, const char *fmt, va_list ap)
{
	const bool last = sev == SEV_DIE || sev == SEV_BUG;
	char line[ERROR_LINE], where[32] = "";

	if (rank > 0)
		snprintf(where, sizeof(where), "rank %d: ", rank);
	error_line(line, sev, where, fmt, ap);
	if (rank == 0 || last || running) {
		fputs(line, stderr);
	} else {
		pthread_mutex_lock(&keeping);
		strncat(kept, line, sizeof(kept) - 1 - strlen(kept));
		pthread_mutex_unlock(&keeping);
	}
	if (last) {
		fflush(stderr);
		MPI_Abort(MPI_COMM_WORLD, EXIT_DIE);
		abort();
	}
}

/* Prints the messages kept if they are wanted, and forgets them. */
static void kept_end(bool wanted)
{
	pthread_mutex_lock(&keeping);
	if (wanted)
		fputs(kept, stderr);
	kept[0] = '\0';
	pthread_mutex_unlock(&keeping);
}

const char *real_missing(void)
{
	return "";
}

/* MPICH's text is "MPICH Version:<tab>4.0.2", followed by spaces; "Version:" is left out. */
const char *real_version(void)
{
	static char text[MPI_MAX_LIBRARY_VERSION_STRING];
	char *middle;
	int n;

	MPI_Get_library_version(text, &n);
	text[strcspn(text, ",\n")] = '\0';
	middle = strstr(text, " Version:");
	if (middle) {
		const char *number = middle + strcspn(middle, ":") + 1;

		number += strspn(number, " \t");
		memmove(middle + 1, number, strlen(number) + 1);
	}
	return text;
}

/*
 * Ends the run with convoy's exit code, not MPI's, when an MPI call fails. All processes may find
 * the error at the same time: the first one prints it, the others wait.
 */
static void procs_fail(MPI_Comm *comm, int *code, ...)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	const char *folder;
	const double left = mem_shared_left(&folder);
	int n;

	(void)comm;
	MPI_Error_string(*code, text, &n);
	if (rank > 0)
		clock_sleep(0.5);
	if (left < shared_enough)
		die("MPI failed: %s. %s has %.1f MB left, and MPI needs some MB of it for each "
		    "rank. " MEM_SHARED_ADVICE, text, folder, left * 1e-6);
	die("MPI failed: %s. Another rank or its machine may have died", text);
}

int real_begin(void)
{
	MPI_Errhandler handler;
	int level;

	/*
	 * Open MPI 4.1 implements one-sided operations over TCP only in its component pt2pt, which
	 * Debian disables; without it, no window over several hosts can be made. A choice made by
	 * mpirun or the environment is kept.
	 */
	setenv("OMPI_MCA_osc", "^ucx", 0);
	MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	error_set_routine(procs_show);
	MPI_Comm_create_errhandler(procs_fail, &handler);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
	MPI_Errhandler_free(&handler);
	if (level < MPI_THREAD_FUNNELED)
		return error("this MPI library has no thread support (MPI_THREAD_FUNNELED is "
			     "needed). Use another one, or build it with threads");
	return 0;
}

/* Waits without polling all the time: the processor may be needed elsewhere. */
static void procs_await(MPI_Request *request)
{
	int done = 0;

	for (;;) {
		MPI_Test(request, &done, MPI_STATUS_IGNORE);
		if (done)
			return;
		clock_sleep(1e-3);
	}
}

void real_leave(void)
{
	alone = running = true;
	kept_end(true);
}

bool real_alone(void)
{
	return alone;
}

void real_end(int code)
{
	MPI_Request request;

	fflush(NULL);
	if (alone)
		MPI_Abort(MPI_COMM_WORLD, code);
	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	procs_await(&request);
	MPI_Finalize();
	error_set_routine(NULL);
}

void real_running(bool yes)
{
	running = yes;
}

int real_rank(void)
{
	return rank;
}

int real_size(void)
{
	return size;
}

int real_agree(int code)
{
	int worst = code, first = code;
	MPI_Request request;

	if (size < 2 || alone)
		return code;
	MPI_Iallreduce(&code, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
	procs_await(&request);
	real_share(&first, sizeof(first));
	kept_end(code != EXIT_OK && first == EXIT_OK);
	return worst;
}

void real_share(void *bytes, size_t n)
{
	MPI_Request request;

	if (size < 2 || alone)
		return;
	MPI_Ibcast(bytes, (int)n, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
	procs_await(&request);
}

char *real_share_text(char *text)
{
	size_t n = text ? strlen(text) + 1 : 0;

	real_share(&n, sizeof(n));
	if (n && !text)
		text = xcalloc(n, 1);
	if (n)
		real_share(text, n);
	return text;
}

int real_ranks_here(void)
{
	MPI_Comm here;
	int n;

	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
	MPI_Comm_size(here, &n);
	MPI_Comm_free(&here);
	return n;
}

enum { PROCS_HOST = 256 };

char *real_hosts(void)
{
	char mine[PROCS_HOST] = "", *all, *lines, *end;

	gethostname(mine, sizeof(mine) - 1);
	all = xcalloc((size_t)size, PROCS_HOST);
	MPI_Gather(mine, PROCS_HOST, MPI_CHAR, all, PROCS_HOST, MPI_CHAR, 0, MPI_COMM_WORLD);
	lines = end = xcalloc((size_t)size, PROCS_HOST + 1);
	for (int p = 0; p < size; p++)
		end += sprintf(end, "%.*s\n", PROCS_HOST - 1, all + (size_t)p * PROCS_HOST);
	free(all);
	if (rank == 0)
		return lines;
	free(lines);
	return NULL;
}
