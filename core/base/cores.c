/* The affinity mask and the CPU quota of the process, and the cores of the machine. */
#define _GNU_SOURCE             /* sched_getaffinity */

#include "core/base/cores.h"

#include "core/base/cgroup.h"
#include "core/base/mem.h"

#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int cores_online(void)
{
	const long cores = sysconf(_SC_NPROCESSORS_ONLN);

	return cores > 1 ? (int)cores : 1;
}

/* Microseconds of processor time in a period of so many; -1 or "max" for no limit. */
static double quota_of_group(const char *folder)
{
	double quota = cgroup_number(folder, "cpu.cfs_quota_us");
	double period = cgroup_number(folder, "cpu.cfs_period_us");
	char *path = xasprintf("%s/cpu.max", folder);
	FILE *f = fopen(path, "re");

	if (f && fscanf(f, "%lf %lf", &quota, &period) != 2)
		quota = HUGE_VAL;
	if (f)
		fclose(f);
	free(path);
	return quota > 0 && period > 0 && isfinite(quota) ? quota / period : HUGE_VAL;
}

int cores_quota(void)
{
	const double cores = ceil(cgroup_least("cpu", quota_of_group));

	return cores < 1 ? 1 : cores < INT_MAX ? (int)cores : INT_MAX;
}

/* The mask has 1024 cores; of a larger machine the call fails, and all its cores count. */
int cores_allowed(void)
{
	const int quota = cores_quota();
	cpu_set_t mask;
	int cores;

	if (sched_getaffinity(0, sizeof(mask), &mask) < 0)
		cores = cores_online();
	else
		cores = CPU_COUNT(&mask);
	return cores < quota ? cores : quota;
}
