/* Ranks, hosts and threads from hand-made environments of SLURM, PBS, LSF. */
#include "plan/machine/batch_system.h"

#include "core/base/cores.h"
#include "core/base/env.h"
#include "core/base/mem.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = {
	"SLURM_NTASKS", "SLURM_NNODES", "SLURM_JOB_NUM_NODES", "SLURM_NTASKS_PER_NODE",
	"SLURM_TASKS_PER_NODE", "SLURM_CPUS_PER_TASK", "SLURM_JOB_ID", "PBS_NODEFILE",
	"LSB_DJOB_HOSTFILE", "LSB_MCPU_HOSTS", "LSB_HOSTS", "CONVOY_TEST_COUNT"
};

static int setup(void **state)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unsetenv(names[i]);
	capture_start();
	return 0;
}

static int teardown(void **state)
{
	setup(state);
	capture_stop();
	return 0;
}

static void set(const char *name, const char *value)
{
	setenv(name, value, 1);
}

/* ---- numbers ---- */

static void test_counts(void **state)
{
	static const struct {
		const char *text;
		int count;
	} all[] = {
		{ "", 0 }, { "1", 1 }, { "007", 7 }, { "1000", 1000 }, { "1001", -1 }, { "0", -1 },
		{ "-1", -1 }, { "+1", -1 }, { " 1", -1 }, { "1 ", -1 }, { "1x", -1 }, { "1e2", -1 },
		{ "1.5", -1 }, { "two", -1 }, { "99999999999", -1 }, { "4294967297", -1 },
		{ "18446744073709551617", -1 }
	};

	assert_int_equal(env_count("CONVOY_TEST_COUNT", 1000), 0);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		set("CONVOY_TEST_COUNT", all[i].text);
		assert_int_equal(env_count("CONVOY_TEST_COUNT", 1000), all[i].count);
	}
}

/* ---- SLURM ---- */

static void test_no_job(void **state)
{
	char *hosts;

	assert_int_equal(batch_ranks(), cores_allowed());
	assert_int_equal(batch_threads(0, 5), 5);
	assert_int_equal(batch_hosts(&hosts), 0);
	assert_null(hosts);
	set("SLURM_NTASKS", "");
	assert_int_equal(batch_ranks(), cores_allowed());
}

static void test_slurm_tasks(void **state)
{
	set("SLURM_NTASKS", "6");
	set("SLURM_JOB_NUM_NODES", "2");
	set("SLURM_TASKS_PER_NODE", "9(x2)");
	assert_int_equal(batch_ranks(), 6);
}

/* `sbatch -N 2` says so many nodes, and no SLURM_NTASKS. */
static void test_slurm_nodes(void **state)
{
	set("SLURM_JOB_NUM_NODES", "64");
	assert_int_equal(batch_ranks(), 64);
	set("SLURM_TASKS_PER_NODE", "4(x62),2,1");
	assert_int_equal(batch_ranks(), 4 * 62 + 2 + 1);
	set("SLURM_NTASKS_PER_NODE", "3");
	assert_int_equal(batch_ranks(), 3 * 64);
	unsetenv("SLURM_JOB_NUM_NODES");
	set("SLURM_NNODES", "5");
	assert_int_equal(batch_ranks(), 3 * 5);
}

static void refuses_ranks(const char *name, const char *value)
{
	setup(NULL);
	set(name, value);
	assert_int_equal(batch_ranks(), -1);
	assert_said(name);
	assert_said(value);
	assert_said("expected");
}

static void test_slurm_refused(void **state)
{
	refuses_ranks("SLURM_NTASKS", "99999999999");
	refuses_ranks("SLURM_NTASKS", "0");
	refuses_ranks("SLURM_NTASKS", "-3");
	refuses_ranks("SLURM_NTASKS", "two");
	refuses_ranks("SLURM_JOB_NUM_NODES", "2x");
	refuses_ranks("SLURM_NTASKS_PER_NODE", "4294967297");
	refuses_ranks("SLURM_TASKS_PER_NODE", "4(x2");
	refuses_ranks("SLURM_TASKS_PER_NODE", "4(x2),");
	refuses_ranks("SLURM_TASKS_PER_NODE", "4,,2");
	refuses_ranks("SLURM_TASKS_PER_NODE", "4(y2)");
	refuses_ranks("SLURM_TASKS_PER_NODE", "0(x2)");
	refuses_ranks("SLURM_TASKS_PER_NODE", "1000000(x2)");
	refuses_ranks("SLURM_TASKS_PER_NODE", "99999999999(x99999999999)");
	setup(NULL);
	set("SLURM_NNODES", "1048576");
	set("SLURM_NTASKS_PER_NODE", "1048576");
	assert_int_equal(batch_ranks(), -1);
}

static void test_threads(void **state)
{
	set("SLURM_CPUS_PER_TASK", "12");
	assert_int_equal(batch_threads(0, 1), 12);
	assert_int_equal(batch_threads(3, 1), 3);
	set("SLURM_CPUS_PER_TASK", "-2");
	assert_int_equal(batch_threads(3, 1), 3);
	assert_int_equal(batch_threads(0, 1), -1);
	assert_said("SLURM_CPUS_PER_TASK is '-2'");
}

/* ---- lists of hosts ---- */

static void has(const char *want, int ranks)
{
	char *hosts;

	assert_int_equal(batch_hosts(&hosts), 0);
	assert_string_equal(hosts, want);
	assert_int_equal(batch_ranks(), ranks);
	free(hosts);
}

static void refuses_hosts(const char *name, const char *value)
{
	char *hosts;

	refuses_ranks(name, value);
	assert_int_equal(batch_hosts(&hosts), -1);
	assert_null(hosts);
}

static void write_hosts(const char *folder, const char *text)
{
	folder_write(folder, "nodes", PACK_PLAIN, text, strlen(text));
}

static void test_host_files(void **state)
{
	static const char *const files[] = { "PBS_NODEFILE", "LSB_DJOB_HOSTFILE" };
	char *folder = folder_new();
	char *path = xasprintf("%s/nodes", folder);

	for (size_t i = 0; i < 2; i++) {
		setup(NULL);
		write_hosts(folder, "node1.cluster\nnode1.cluster\nnode2 \n\nnode1.cluster\n");
		set(files[i], path);
		has("node1.cluster:3,node2:1", 4);
		write_hosts(folder, "node1\n--host evil\n");
		refuses_hosts(files[i], path);
		write_hosts(folder, "\n");
		refuses_hosts(files[i], path);
		unlink(path);
		refuses_hosts(files[i], path);
	}
	free(path);
	folder_remove(folder);
}

static void test_host_words(void **state)
{
	set("LSB_HOSTS", "a a b a");
	has("a:3,b:1", 4);
	set("LSB_MCPU_HOSTS", "a 2 b 16");
	has("a:2,b:16", 18);
	refuses_hosts("LSB_MCPU_HOSTS", "a 2 b");
	refuses_hosts("LSB_MCPU_HOSTS", "a 2 b two");
	refuses_hosts("LSB_MCPU_HOSTS", "a 1000000 b 1000000");
	refuses_hosts("LSB_HOSTS", "a b;c");
	refuses_hosts("LSB_HOSTS", " ");
}

/* SLURM's own hosts are for mpirun to read. */
static void test_slurm_has_no_hosts(void **state)
{
	char *hosts;

	set("SLURM_JOB_ID", "7");
	set("SLURM_NTASKS", "2");
	set("LSB_HOSTS", "a a b a");
	assert_int_equal(batch_hosts(&hosts), 0);
	assert_null(hosts);
	assert_int_equal(batch_ranks(), 2);
}

RUN_WITH(setup, teardown, test_counts, test_no_job, test_slurm_tasks, test_slurm_nodes,
	 test_slurm_refused, test_threads, test_host_files, test_host_words,
	 test_slurm_has_no_hosts)
