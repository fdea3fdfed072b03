/* The cores of the machine, and those that a process may use: what follows an affinity mask. */
#define _GNU_SOURCE             /* sched_setaffinity */

#include "core/base/cores.h"
#include "plan/machine/batch_system.h"
#include "runner/single_run/single.h"
#include "tests/support/check.h"

#include <sched.h>
#include <stdlib.h>

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
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	for (int most = CPU_COUNT(&all); most >= 1; most /= 2) {
		const cpu_set_t mask = first_of(&all, most);

		assert_int_equal(sched_setaffinity(0, sizeof(mask), &mask), 0);
		assert_int_equal(cores_allowed(), most);
		assert_int_equal(single_threads(0), most);
		assert_int_equal(single_threads(7), 7);
		assert_int_equal(launch_ranks(), most);
		assert_true(cores_online() >= CPU_COUNT(&all));
	}
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
}

RUN_ALL(a_mask_sets_threads_and_ranks)
