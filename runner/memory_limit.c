/* How much memory this process may have. */
#include "runner/memory_limit.h"

#include "core/base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* A number that stands alone in a file; HUGE_VAL for "max", and where there is no such file. */
static double number_in(const char *path)
{
	FILE *f = fopen(path, "re");
	double x;

	if (!f)
		return HUGE_VAL;
	if (fscanf(f, "%lf", &x) != 1)
		x = HUGE_VAL;
	fclose(f);
	return x;
}

/* The least limit of a cgroup and of those above it. `group` begins with '/', and is cut. */
static double limit_of(const char *root, char *group, const char *file)
{
	double least = HUGE_VAL;

	for (;;) {
		char *path = xasprintf("%s%s/%s", root, group, file), *slash;

		least = fmin(least, number_in(path));
		free(path);
		slash = strrchr(group, '/');
		if (!slash)
			return least;
		*slash = '\0';
	}
}

/* Lines of /proc/self/cgroup: "0::/GROUP" of version 2, "7:memory:/GROUP" of version 1. */
static double cgroup_limit(void)
{
	FILE *f = fopen("/proc/self/cgroup", "re");
	double least = HUGE_VAL;
	char line[4096];

	while (f && fgets(line, sizeof(line), f)) {
		char *group = strchr(line, ':');

		group = group ? strchr(group + 1, ':') : NULL;
		if (!group)
			continue;
		group++;
		group[strcspn(group, "\n")] = '\0';
		if (strncmp(line, "0::", 3) == 0)
			least = fmin(least, limit_of("/sys/fs/cgroup", group, "memory.max"));
		else if (strstr(line, ":memory:"))
			least = fmin(least, limit_of("/sys/fs/cgroup/memory", group,
						     "memory.limit_in_bytes"));
	}
	if (f)
		fclose(f);
	return least;
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

	return fmin(fmin(all, cgroup_limit()), fmin(own_limit(RLIMIT_AS), own_limit(RLIMIT_DATA)));
}

double memory_address_space(void)
{
	/* The first number of statm: pages of address space that the process has by now. */
	const double pages = number_in("/proc/self/statm");

	return own_limit(RLIMIT_AS) - (isfinite(pages) ? pages : 0) * (double)sysconf(_SC_PAGESIZE);
}
