/* Finds the process's cgroup and those above it, whose least limit holds. */
#include "core/base/cgroup.h"

#include "core/base/mem.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double cgroup_number(const char *folder, const char *file)
{
	char *path = xasprintf("%s/%s", folder, file);
	FILE *f = fopen(path, "re");
	double x = HUGE_VAL;

	if (f && fscanf(f, "%lf", &x) != 1)
		x = HUGE_VAL;
	if (f)
		fclose(f);
	free(path);
	return x;
}

/* Of /sys/fs/cgroup/MOUNT/GROUP and the folders above it; `group` begins with '/', and is cut. */
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

/* Whether "cpu,cpuacct" names the controller. */
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
 * Lines of /proc/self/cgroup: "0::/GROUP" of version 2, "4:cpu,cpuacct:/GROUP" of version 1, whose
 * folder has the name of the controller. A container may see only its own group, as the topmost
 * folder: the way up ends there.
 */
double cgroup_least(const char *controller, double (*limit)(const char *folder))
{
	const char *test = getenv("CONVOY_TEST_ROOT"), *root = test ? test : "";
	char *path = xasprintf("%s/proc/self/cgroup", root);
	char *mount = xasprintf("/%s", controller);
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
	free(mount);
	free(path);
	return least;
}
