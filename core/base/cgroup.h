/* The limits that a container, a batch system or a user sets on groups of processes. */
#ifndef CORE_BASE_CGROUP_H
#define CORE_BASE_CGROUP_H

/*
 * The least that limit() returns for the folders in which the kernel shows this process's cgroup
 * and those above it, of version 2 and of version 1's `controller`, such as "cpu"; HUGE_VAL where
 * there are none. limit() returns HUGE_VAL for a folder without the limit. Tests have proc/ and
 * sys/ in the folder $CONVOY_TEST_ROOT; else both lie in "/".
 */
double cgroup_least(const char *controller, double (*limit)(const char *folder));

/* The first number in a file of a folder; HUGE_VAL for "max", and where there is no such file. */
double cgroup_number(const char *folder, const char *file);

#endif
