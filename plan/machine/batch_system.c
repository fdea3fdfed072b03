/* The variables of SLURM, PBS and LSF, read strictly. */
#include "plan/machine/batch_system.h"

#include "core/base/cores.h"
#include "core/base/env.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/textfile.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_RANKS = 1 << 20, MOST_THREADS = 4096 };     /* as -n and --threads take them */

static const char *batch_system_variable(const char *name)
{
	const char *text = getenv(name);

	return text && *text ? text : NULL;
}

static int refuse_value(const char *name, const char *what)
{
	return error("environment variable %s is '%s' (expected %s). Correct or unset it, or give "
		     "-n and --threads", name, getenv(name), what);
}

/* The variable's number; 0: it is not set; -1 after error(). */
static int count_of(const char *name, int most)
{
	const int n = env_count(name, most);
	char what[64];

	if (n >= 0)
		return n;
	snprintf(what, sizeof(what), "a whole number from 1 to %d", most);
	return refuse_value(name, what);
}

/* ---- SLURM ---- */

/* One entry of SLURM_TASKS_PER_NODE at *text, "4" or "4(x2)", and its comma. -1: it is neither. */
static int64_t read_tasks(const char **text)
{
	char number[16] = "", times[16] = "1";
	int length = 0, longer = 0;

	if (sscanf(*text, "%15[0-9]%n", number, &length) < 1)
		return -1;
	if (sscanf(*text + length, "(x%15[0-9])%n", times, &longer) == 1 && !longer)
		return -1;
	*text += length + longer;
	if (**text && (**text != ',' || !*++*text))
		return -1;
	if (text_count(number, MOST_RANKS) < 1 || text_count(times, MOST_RANKS) < 1)
		return -1;
	return (int64_t)text_count(number, MOST_RANKS) * text_count(times, MOST_RANKS);
}

/* "4(x2),3": 11 */
static int sum_tasks_per_node(const char *name)
{
	const char *text = batch_system_variable(name);
	int64_t sum = 0;

	while (text && *text) {
		const int64_t n = read_tasks(&text);

		if (n < 0 || (sum += n) > MOST_RANKS)
			return refuse_value(name, "numbers of tasks like 4(x2),3");
	}
	return (int)sum;
}

/* 0: there is no job. */
static int slurm_ranks(void)
{
	const int tasks = count_of("SLURM_NTASKS", MOST_RANKS);
	int nodes, each;

	if (tasks)
		return tasks;
	nodes = count_of("SLURM_JOB_NUM_NODES", MOST_RANKS);
	if (!nodes)
		nodes = count_of("SLURM_NNODES", MOST_RANKS);
	each = count_of("SLURM_NTASKS_PER_NODE", MOST_RANKS);
	if (nodes < 0 || each < 0)
		return -1;
	if (!nodes || !each)
		return batch_system_variable("SLURM_TASKS_PER_NODE") ?
			       sum_tasks_per_node("SLURM_TASKS_PER_NODE") :
			       nodes;
	if ((int64_t)nodes * each <= MOST_RANKS)
		return nodes * each;
	return error("environment: %d nodes with SLURM_NTASKS_PER_NODE = %d are %lld ranks "
		     "(expected at most %d). Give -n", nodes, each, (long long)nodes * each,
		     MOST_RANKS);
}

/* ---- PBS and LSF ---- */

struct slots {
	struct texts host;      /* each once */
	int *count;             /* [host.n] ranks that each host has slots for */
	int64_t ranks;          /* of all hosts */
};

static void slots_add(struct slots *s, const char *host, int count)
{
	size_t i = 0;

	while (i < s->host.n && strcmp(s->host.v[i], host) != 0)
		i++;
	if (i == s->host.n) {
		texts_put(&s->host, host);
		s->count = xrealloc(s->count, s->host.n, sizeof(*s->count));
		s->count[i] = 0;
	}
	s->count[i] += count;
	s->ranks += count;
}

static void slots_release(struct slots *s)
{
	texts_release(&s->host);
	free(s->count);
}

static bool is_host(const char *word)
{
	for (const char *c = word; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
			return false;
	return *word && *word != '-';
}

/* A file with a host in every line, once for each rank that the host has slots for. */
static int read_host_file(struct slots *s, const char *name)
{
	const char *path = batch_system_variable(name);
	char *text = NULL, *rest, *line;
	bool good = true;

	if (access(path, R_OK) < 0)
		return error("environment variable %s names '%s': %s (expected a file of hosts). "
			     "Unset it, or give -n and --hosts", name, path, strerror(errno));
	rest = text = textfile_read(path);
	if (!text)
		return -1;
	while (good && (line = textfile_line(&rest))) {
		line[strcspn(line, " \t")] = '\0';
		good = !*line || (is_host(line) && s->ranks < MOST_RANKS);
		if (good && *line)
			slots_add(s, line, 1);
	}
	free(text);
	if (good && s->ranks)
		return 0;
	return error("environment variable %s names '%s', which is not a list of hosts (expected "
		     "a host in each line). Unset it, or give -n and --hosts", name, path);
}

/* "a b b", or with counts "a 1 b 2". */
static int read_host_words(struct slots *s, const char *name, bool counted)
{
	char *copy = xstrdup(batch_system_variable(name)), *rest = NULL;
	bool good = true;

	for (char *host = strtok_r(copy, " \t\n", &rest); host && good;
	     host = strtok_r(NULL, " \t\n", &rest)) {
		const char *count = counted ? strtok_r(NULL, " \t\n", &rest) : "1";
		const int n = count ? text_count(count, MOST_RANKS) : -1;

		good = is_host(host) && n > 0 && s->ranks + n <= MOST_RANKS;
		if (good)
			slots_add(s, host, n);
	}
	free(copy);
	if (good && s->ranks)
		return 0;
	return refuse_value(name, counted ? "hosts, each with its number of ranks"
					  : "a list of hosts");
}

/* No host is added where there is no PBS or LSF job. */
static int read_slots(struct slots *s)
{
	if (batch_system_variable("PBS_NODEFILE"))
		return read_host_file(s, "PBS_NODEFILE");
	if (batch_system_variable("LSB_DJOB_HOSTFILE"))
		return read_host_file(s, "LSB_DJOB_HOSTFILE");
	if (batch_system_variable("LSB_MCPU_HOSTS"))
		return read_host_words(s, "LSB_MCPU_HOSTS", true);
	if (batch_system_variable("LSB_HOSTS"))
		return read_host_words(s, "LSB_HOSTS", false);
	return 0;
}

/* ---- any of them ---- */

static int ranks_of_user;       /* 0: no hosts are listed */

void batch_ranks_listed(int ranks)
{
	ranks_of_user = ranks;
}

int batch_ranks(void)
{
	int ranks = ranks_of_user ? ranks_of_user : slurm_ranks();
	scoped_by(slots_release) struct slots s = { 0 };

	if (!ranks)
		ranks = read_slots(&s) < 0 ? -1 : (int)s.ranks;
	return ranks ? ranks : cores_allowed();
}

int batch_threads(int64_t asked, int otherwise)
{
	const int told = asked ? 0 : count_of("SLURM_CPUS_PER_TASK", MOST_THREADS);

	if (asked)
		return (int)asked;
	return told ? told : otherwise;
}

int batch_hosts(char **hosts)
{
	scoped_by(slots_release) struct slots s = { 0 };
	const int ret = batch_system_variable("SLURM_JOB_ID") ? 0 : read_slots(&s);

	*hosts = NULL;
	for (size_t i = 0; ret == 0 && i < s.host.n; i++)
		xappendf(hosts, ",", "%s:%d", s.host.v[i], s.count[i]);
	return ret;
}

void batch_patience(void)
{
	static const char *const jobs[] = { "SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID" };

	for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
		if (!batch_system_variable(jobs[i]))
			continue;
		setenv("OMPI_MCA_odls_base_sigkill_timeout", "5", 0);   /* Open MPI 4 */
		setenv("PRTE_MCA_odls_base_sigkill_timeout", "5", 0);   /* 5 */
	}
}
