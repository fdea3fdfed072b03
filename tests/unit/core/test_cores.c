/* The cores of the machine, and those that a process may use: what follows a mask and a quota. */
#define _GNU_SOURCE             /* sched_setaffinity */

#include "core/base/cores.h"
#include "plan/machine/batch_system.h"
#include "runner/single_run/single.h"
#include "tests/support/check.h"
#include "tests/support/files.h"

#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

static const char *const jobs[] = { "SLURM_JOB_ID", "SLURM_NTASKS", "SLURM_CPUS_PER_TASK",
				    "PBS_NODEFILE", "LSB_MCPU_HOSTS", "LSB_HOSTS",
				    "LSB_DJOB_HOSTFILE" };

static void leave_jobs(void)
{
	for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++)
		unsetenv(jobs[i]);
}

/* The mask of the process without the cores after its first `most`. */
static cpu_set_t first_of(const cpu_set_t *mask, int most)
{
	cpu_set_t first;

	CPU_ZERO(&first);
	for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&first) < most; core++)
		if (CPU_ISSET(core, mask))
			CPU_SET(core, &first);
	return first;
}

static void a_mask_sets_threads_and_ranks(void **state)
{
	cpu_set_t all;

	leave_jobs();
	setenv("CONVOY_TEST_ROOT", "/nowhere", 1);      /* no quota */
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	for (int most = CPU_COUNT(&all); most >= 1; most /= 2) {
		const cpu_set_t mask = first_of(&all, most);

		assert_int_equal(sched_setaffinity(0, sizeof(mask), &mask), 0);
		assert_int_equal(cores_allowed(), most);
		assert_int_equal(single_threads(0), most);
		assert_int_equal(single_threads(7), 7);
		assert_int_equal(batch_ranks(), most);
		assert_true(cores_online() >= CPU_COUNT(&all));
	}
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
	unsetenv("CONVOY_TEST_ROOT");
}

/* A system's root, in which the process is in the groups of these lines of /proc/self/cgroup. */
static char *system_with(const char *groups)
{
	char *root = folder_new();

	folder_write(root, "proc/self/cgroup", PACK_PLAIN, groups, strlen(groups));
	setenv("CONVOY_TEST_ROOT", root, 1);
	return root;
}

static void set_limit(const char *root, const char *file, const char *text)
{
	folder_write(root, file, PACK_PLAIN, text, strlen(text));
}

static void system_leave(char *root)
{
	unsetenv("CONVOY_TEST_ROOT");
	folder_remove(root);
}

static void a_quota_of_version_2_is_the_least_on_the_way_up(void **state)
{
	char *root = system_with("0::/pod/box\n");
	const int all = cores_allowed();

	leave_jobs();
	assert_int_equal(cores_quota(), INT_MAX);
	set_limit(root, "sys/fs/cgroup/pod/box/cpu.max", "max 100000\n");
	assert_int_equal(cores_quota(), INT_MAX);
	assert_int_equal(cores_allowed(), all);
	set_limit(root, "sys/fs/cgroup/pod/cpu.max", "250000 100000\n");
	assert_int_equal(cores_quota(), 3);
	set_limit(root, "sys/fs/cgroup/pod/box/cpu.max", "10000 100000\n");
	assert_int_equal(cores_quota(), 1);
	assert_int_equal(cores_allowed(), 1);
	assert_int_equal(single_threads(0), 1);
	assert_int_equal(single_threads(7), 7);
	assert_int_equal(batch_ranks(), 1);
	set_limit(root, "sys/fs/cgroup/pod/box/cpu.max", "800000000 100000\n");
	set_limit(root, "sys/fs/cgroup/cpu.max", "160000 80000\n");
	assert_int_equal(cores_quota(), 2);
	set_limit(root, "sys/fs/cgroup/pod/memory.max", "1048576\n");
	assert_true(memory_there_is() == 1048576);
	system_leave(root);
}

/* A container sees its own group as the topmost, though its name is that outside. */
static void a_quota_of_version_1_is_its_controllers(void **state)
{
	char *root = system_with("9:cpuset:/docker/a\n4:cpu,cpuacct:/docker/a\n"
				 "3:memory:/docker/a\n1:name=systemd:/docker/a\n0::/docker/a\n");

	set_limit(root, "sys/fs/cgroup/cpu/cpu.cfs_period_us", "50000\n");
	set_limit(root, "sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
	assert_int_equal(cores_quota(), INT_MAX);
	set_limit(root, "sys/fs/cgroup/cpuset/cpu.cfs_period_us", "50000\n");
	set_limit(root, "sys/fs/cgroup/cpuset/cpu.cfs_quota_us", "50000\n");
	assert_int_equal(cores_quota(), INT_MAX);
	set_limit(root, "sys/fs/cgroup/cpu/cpu.cfs_quota_us", "175000\n");
	assert_int_equal(cores_quota(), 4);
	set_limit(root, "sys/fs/cgroup/cpu/docker/a/cpu.cfs_period_us", "100000\n");
	set_limit(root, "sys/fs/cgroup/cpu/docker/a/cpu.cfs_quota_us", "100000\n");
	assert_int_equal(cores_quota(), 1);
	set_limit(root, "sys/fs/cgroup/memory/docker/a/memory.limit_in_bytes", "2097152\n");
	assert_true(memory_there_is() == 2097152);
	system_leave(root);
}

RUN_ALL(a_mask_sets_threads_and_ranks, a_quota_of_version_2_is_the_least_on_the_way_up,
	a_quota_of_version_1_is_its_controllers)
