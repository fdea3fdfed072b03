/* The affinity mask of the process, and the cores of the machine. */
#define _GNU_SOURCE             /* sched_getaffinity */

#include "core/base/cores.h"

#include <sched.h>
#include <unistd.h>

int cores_online(void)
{
	const long cores = sysconf(_SC_NPROCESSORS_ONLN);

	return cores > 1 ? (int)cores : 1;
}

/* The mask has 1024 cores; of a larger machine the call fails, and all its cores count. */
int cores_allowed(void)
{
	cpu_set_t mask;

	if (sched_getaffinity(0, sizeof(mask), &mask) < 0)
		return cores_online();
	return CPU_COUNT(&mask);
}
