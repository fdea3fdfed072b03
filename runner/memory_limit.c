/* How much memory this process may have. */
#include "runner/memory_limit.h"

#include "core/base/cores.h"

#include <math.h>
#include <sys/resource.h>
#include <unistd.h>

static double memory_of_group(const char *folder)
{
	return fmin(cgroup_number(folder, "memory.max"),
		    cgroup_number(folder, "memory.limit_in_bytes"));
}

static double own_limit(int resource)
{
	struct rlimit own;

	if (getrlimit(resource, &own) || own.rlim_cur == RLIM_INFINITY)
		return HUGE_VAL;
	return (double)own.rlim_cur;
}

double memory_there_is(void)
{
	const double all = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);

	return fmin(fmin(all, cgroup_least("memory", memory_of_group)),
		    fmin(own_limit(RLIMIT_AS), own_limit(RLIMIT_DATA)));
}

double memory_address_space(void)
{
	/* The first number of statm: pages of address space that the process has by now. */
	const double pages = cgroup_number("/proc/self", "statm");

	return own_limit(RLIMIT_AS) - (isfinite(pages) ? pages : 0) * (double)sysconf(_SC_PAGESIZE);
}
