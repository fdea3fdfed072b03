/* Cores and memory: of the machine, and what affinity mask, cgroup and limits leave. */
#define _GNU_SOURCE             /* sched_getaffinity */
#include "core/base/cores.h"

#include "core/base/mem.h"

#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

/* ---- the process's cgroup and those above it; the smallest limit counts ---- */

/* The first number in a file of a folder; HUGE_VAL for "max", and where there is no such file. */
static double cgroup_number(const char *folder, const char *file)
{
	scoped char *path = xasprintf("%s/%s", folder, file);
	FILE *f = fopen(path, "re");
	double x = HUGE_VAL;

	if (f && fscanf(f, "%lf", &x) != 1)
		x = HUGE_VAL;
	if (f)
		fclose(f);
	return x;
}

/*
 * Least limit() over the folders /sys/fs/cgroup MOUNT GROUP and those above it. `group` begins with
 * '/'; it is shortened folder by folder.
 */
static double least_above(const char *root, const char *mount, char *group,
			  double (*limit)(const char *folder))
{
	double least = HUGE_VAL;

	for (;;) {
		char *folder = xasprintf("%s/sys/fs/cgroup%s%s", root, mount, group), *slash;

		least = fmin(least, limit(folder));
		free(folder);
		slash = strrchr(group, '/');
		if (!slash)
			return least;
		*slash = '\0';
	}
}

/* True when a list of controllers such as "cpu,cpuacct" has this one. */
static bool controller_among(const char *controllers, const char *controller)
{
	const size_t n = strlen(controller);

	for (const char *at = controllers; *at; at += *at == ',') {
		const size_t length = strcspn(at, ",");

		if (length == n && strncmp(at, controller, n) == 0)
			return true;
		at += length;
	}
	return false;
}

/*
 * The least that limit() returns for the folders of this process's cgroup and those above it, of
 * version 2 and of version 1's `controller`, such as "cpu"; HUGE_VAL where there are none, as
 * limit() returns for a folder without the limit. Tests have proc/ and sys/ in $CONVOY_TEST_ROOT.
 *
 * /proc/self/cgroup has a line "0::/GROUP" for version 2, and lines "4:cpu,cpuacct:/GROUP" for
 * version 1, whose folder is named after the controller. In a container, the topmost folder may be
 * that of the container's own group.
 */
static double cgroup_least(const char *controller, double (*limit)(const char *folder))
{
	const char *test = getenv("CONVOY_TEST_ROOT"), *root = test ? test : "";
	scoped char *path = xasprintf("%s/proc/self/cgroup", root);
	scoped char *mount = xasprintf("/%s", controller);
	FILE *f = fopen(path, "re");
	double least = HUGE_VAL;
	char line[4096];

	while (f && fgets(line, sizeof(line), f)) {
		char *controllers = strchr(line, ':');
		char *group = controllers ? strchr(controllers + 1, ':') : NULL;

		if (!group)
			continue;
		controllers++;
		*group++ = '\0';
		group[strcspn(group, "\n")] = '\0';
		if (!*controllers)
			least = fmin(least, least_above(root, "", group, limit));
		else if (controller_among(controllers, controller))
			least = fmin(least, least_above(root, mount, group, limit));
	}
	if (f)
		fclose(f);
	return least;
}

int cores_online(void)
{
	const long cores = sysconf(_SC_NPROCESSORS_ONLN);

	return cores > 1 ? (int)cores : 1;
}

void processor_name(char *name, size_t size)
{
	FILE *f = fopen("/proc/cpuinfo", "r");
	struct utsname u;
	char line[256];

	snprintf(name, size, "%s", uname(&u) ? "unknown" : u.machine);
	while (f && fgets(line, sizeof(line), f)) {
		const char *colon = strchr(line, ':');

		if (strncmp(line, "model name", 10) || !colon)
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(name, size, "%s", colon + 1 + strspn(colon + 1, " "));
		break;
	}
	if (f)
		fclose(f);
}

/* CPU quota of a cgroup in cores: microseconds in each period; HUGE_VAL: none (-1 or "max"). */
static double quota_of_group(const char *folder)
{
	double quota = cgroup_number(folder, "cpu.cfs_quota_us");
	double period = cgroup_number(folder, "cpu.cfs_period_us");
	scoped char *path = xasprintf("%s/cpu.max", folder);
	FILE *f = fopen(path, "re");

	if (f && fscanf(f, "%lf %lf", &quota, &period) != 2)
		quota = HUGE_VAL;
	if (f)
		fclose(f);
	return quota > 0 && period > 0 && isfinite(quota) ? quota / period : HUGE_VAL;
}

int cores_quota(void)
{
	const double cores = ceil(cgroup_least("cpu", quota_of_group));

	return cores < 1 ? 1 : cores < INT_MAX ? (int)cores : INT_MAX;
}

/* The mask has 1024 bits. On a larger machine the call fails, and all its cores count. */
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

/* ---- memory ---- */

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

double memory_of_machine(void)
{
	const double all = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);

	return fmin(all, cgroup_least("memory", memory_of_group));
}

double memory_there_is(void)
{
	return fmin(memory_of_machine(), fmin(own_limit(RLIMIT_AS), own_limit(RLIMIT_DATA)));
}

double memory_in_use(void)
{
	const double pages = cgroup_number("/proc/self", "statm");      /* its first number */

	return isfinite(pages) ? pages * (double)sysconf(_SC_PAGESIZE) : 0.0;
}

double memory_address_space(void)
{
	return own_limit(RLIMIT_AS) - memory_in_use();
}
