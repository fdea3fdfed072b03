/*
 * launcher.c - the table of launchers, and the words of their command lines.
 *
 * MPICH and Intel MPI share the launcher Hydra and most of its language.
 */
#include "runner/launch/launcher.h"

#include "core/base/mem.h"
#include "core/base/process.h"
#include "mpi/real.h"

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the words of a command line ---- */

/* Takes the word over. */
static void cmdline_take(struct cmdline *w, char *word)
{
	w->v = xrealloc(w->v, w->n + 2, sizeof(*w->v));
	w->v[w->n++] = word;
	w->v[w->n] = NULL;
}

void cmdline_add(struct cmdline *w, const char *word)
{
	cmdline_take(w, xstrdup(word));
}

/* Adds copies of both, as an option and its value. */
static void cmdline_add_pair(struct cmdline *w, const char *key, const char *value)
{
	cmdline_add(w, key);
	cmdline_add(w, value);
}

void cmdline_addf(struct cmdline *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	cmdline_take(w, xvasprintf(fmt, ap));
	va_end(ap);
}

void cmdline_split(struct cmdline *w, const char *text)
{
	char *copy = xstrdup(text), *rest = copy;

	for (char *word; (word = strtok_r(rest, " \t", &rest));)
		cmdline_add(w, word);
	free(copy);
}

char *cmdline_join(const struct cmdline *w)
{
	char *text = xstrdup("");

	for (size_t i = 0; i < w->n; i++)
		xappend(&text, " ", w->v[i]);
	return text;
}

void cmdline_release(struct cmdline *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->v[i]);
	free(w->v);
}

/* Seconds that a program may take, and bytes it may write, to say its version. */
enum { VERSION_S = 30, VERSION_MAX = 1 << 16 };

/* True of the code of a rank that a signal killed: the signal, or 128 more. */
static bool death_by_code(const struct ending *e, int code, int ranks)
{
	(void)ranks;
	return code == e->signal || code == 128 + e->signal;
}

/* ---- Open MPI ---- */

static const char *const open_mpi_programs[] = { "mpirun.openmpi", "mpirun", "mpiexec", "orterun",
						  "prterun", NULL };
static const char *const open_mpi_answers[] = { "(Open MPI)", "(OpenRTE)", "(PRRTE)", NULL };

/* Ranks share cores where they must; a rank's threads go where cores are free. */
static void open_mpi_options(struct cmdline *w, const struct launch_order *order)
{
	/* Ranks on other hosts need these of our environment; those of this host have all. */
	static const char *const names[] = { "CONVOY_HOME", "CONVOY_DATA", "CONVOY_RESULTS",
					     "CONVOY_KEY_FILE", "XDG_CACHE_HOME",
					     "XDG_STATE_HOME", "CONVOY_PYTHON",
					     "CONVOY_ALLOW_CODE", "CONVOY_FOREIGN_TIMEOUT", "CC" };

	cmdline_add(w, "-n");
	cmdline_addf(w, "%d", order->ranks);
	if (order->hostfile)
		cmdline_add_pair(w, "--hostfile", order->hostfile);
	if (order->hosts)
		cmdline_add_pair(w, "--host", order->hosts);
	if (geteuid() == 0)
		cmdline_add(w, "--allow-run-as-root");
	cmdline_add(w, "--oversubscribe");
	cmdline_add_pair(w, "--bind-to", "none");
	cmdline_add(w, "-x");
	cmdline_addf(w, RANKS_VARIABLE "=%d", order->ranks);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (getenv(names[i]))
			cmdline_add_pair(w, "-x", names[i]);
}

static const char *const open_mpi_known[] = { "Primary job ",
	"detected that one or more processes", "MPI_ABORT was invoked", "noticed that process rank",
	"has exited due to process rank", NULL };
static const char *const open_mpi_lines[] = { "mpirun: Forwarding signal ",
	"mpirun.openmpi: Forwarding signal ", "mpiexec: Forwarding signal ",
	"orterun: Forwarding signal ", "prterun: Forwarding signal ", NULL };

/* Version 5 breaks the line; a space of the format stands for that too. */
static void open_mpi_read(const char *text, struct ending *e)
{
	const char *at = strstr(text, "noticed that process rank");
	struct ending found = { .status = 0 };

	if (!at || sscanf(at, "noticed that process rank %d with PID %*d on node %255s exited on "
			  "signal %d", &found.rank, found.host, &found.signal) != 3)
		return;
	if (e->killed++ > 0)
		return;
	e->rank = found.rank;
	e->signal = found.signal;
	memcpy(e->host, found.host, sizeof(e->host));
}

/* ---- Hydra ---- */

static const char *const mpich_programs[] = { "mpiexec.hydra", "mpiexec.mpich", "mpirun.mpich",
					      "mpiexec", "mpirun", NULL };
static const char *const mpich_answers[] = { "HYDRA build details", NULL };
static const char *const intel_answers[] = { "Intel(R) MPI Library", NULL };
static const char *const intel_programs[] = { "mpiexec.hydra", "mpiexec", "mpirun", NULL };

/* Hydra hands the whole environment to all ranks. */
static void hydra_options(struct cmdline *w, const struct launch_order *order)
{
	cmdline_add(w, "-n");
	cmdline_addf(w, "%d", order->ranks);
	if (order->hostfile)
		cmdline_add_pair(w, "-machinefile", order->hostfile);
	cmdline_add_pair(w, "-genv", RANKS_VARIABLE);
	cmdline_addf(w, "%d", order->ranks);
}

static void mpich_options(struct cmdline *w, const struct launch_order *order)
{
	hydra_options(w, order);
	cmdline_add_pair(w, "-bind-to", "none");
}

static void intel_options(struct cmdline *w, const struct launch_order *order)
{
	hydra_options(w, order);
	cmdline_add_pair(w, "-genv", "I_MPI_PIN");
	cmdline_add(w, "0");
}

static const char *const hydra_known[] = { "BAD TERMINATION", NULL };
static const char *const hydra_lines[] = { "YOUR APPLICATION TERMINATED WITH THE EXIT",
	"This typically refers to a problem with your application.",
	"Please see the FAQ page for debugging suggestions", NULL };

/*
 * The announcement has a process id, the line after it the signal. It may be that of a rank
 * which Hydra has killed itself, so no rank is named.
 */
static void mpich_read(const char *text, struct ending *e)
{
	int signal;

	if (sscanf(text, "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: %*[^(](signal %d)",
		   &signal) == 1)
		e->signal = signal;
}

/*
 * Each rank has its announcement, those too that Hydra killed itself, by SIGKILL. Another signal
 * is the cause, and its rank is the one that is named.
 */
static void intel_read(const char *text, struct ending *e)
{
	const char *at = strstr(text, "RANK ");
	struct ending found = { .status = 0 };

	if (!at || sscanf(at, "RANK %d PID %*d RUNNING AT %255s = KILLED BY SIGNAL: %d",
			  &found.rank, found.host, &found.signal) != 3)
		return;
	e->announced++;
	if (found.signal == e->signal)
		e->killed++;
	if (e->signal && (found.signal == e->signal || found.signal == SIGKILL))
		return;
	e->killed = 1;
	e->rank = found.rank;
	e->signal = found.signal;
	memcpy(e->host, found.host, sizeof(e->host));
}

/* The code is 255 or 128 more, by version. A rank that ended by itself is not announced. */
static bool intel_death(const struct ending *e, int code, int ranks)
{
	(void)code;
	return e->signal != SIGKILL || e->announced == ranks;
}

/* ---- the table ---- */

static const struct launcher launchers[] = {
	{ .library = "Open MPI", .programs = open_mpi_programs, .answers = open_mpi_answers,
	  .package = "openmpi-bin", .start = "mpirun -n N", .srun = "--mpi=pmix",
	  .is_death = death_by_code, .add_options = open_mpi_options, .host_separator = ' ',
	  .output = { .bar = "----------------", .known = open_mpi_known,
		      .lines = open_mpi_lines, .read = open_mpi_read } },
	{ .library = "MPICH", .programs = mpich_programs, .answers = mpich_answers,
	  .package = "mpich", .start = "mpiexec.hydra -n N", .srun = "--mpi=pmi2",
	  .is_death = death_by_code, .add_options = mpich_options, .host_separator = ':',
	  .output = { .bar = "================", .known = hydra_known, .lines = hydra_lines,
		      .on_stdout = true, .read = mpich_read } },
	{ .library = "Intel(R) MPI", .programs = intel_programs, .answers = intel_answers,
	  .package = "intel-oneapi-mpi", .start = "mpiexec.hydra -n N",
	  .srun = "--mpi=pmi2", .is_death = intel_death, .add_options = intel_options,
	  .host_separator = ':',
	  .output = { .bar = "================", .known = hydra_known, .lines = hydra_lines,
		      .on_stdout = true, .read = intel_read } },
};

const struct launcher *launcher_find(const char *version)
{
	for (size_t i = 0; version && i < sizeof(launchers) / sizeof(launchers[0]); i++)
		if (strncmp(version, launchers[i].library, strlen(launchers[i].library)) == 0)
			return &launchers[i];
	return NULL;
}

const struct launcher *launcher_of_library(void)
{
	return launcher_find(real_version());
}

char *launcher_which(const char *name)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/'))
		return access(name, X_OK) == 0 ? xstrdup(name) : NULL;
	for (size_t n; path && *path; path += n + (path[n] == ':')) {
		char *file;

		n = strcspn(path, ":");
		file = xasprintf("%.*s/%s", (int)n, path, name);
		if (access(file, X_OK) == 0)
			return file;
		free(file);
	}
	return NULL;
}

/* The program's path, where it is the library's; NULL: its name may be another one's, too. */
static char *path_if_it_belongs(const struct launcher *l, const char *name)
{
	char *path = launcher_which(name), *words[] = { path, "--version", NULL };
	const struct process_way way = { .words = words, .in = PROCESS_NULL, .out = PROCESS_PIPE,
					 .err = PROCESS_PIPE };
	const struct process_limits limits = { .seconds = VERSION_S, .bytes = VERSION_MAX };
	struct process child;
	char *answer = NULL;
	bool good = false;

	if (path && process_start(&child, &way) == 0)
		answer = process_collect(&child, &limits).text;
	for (const char *const *a = l->answers; answer && *a; a++)
		good |= strstr(answer, *a) != NULL;
	free(answer);
	if (good)
		return path;
	free(path);
	return NULL;
}

char *launcher_path(const struct launcher *l)
{
	char *path = *CONVOY_MPIEXEC ? path_if_it_belongs(l, CONVOY_MPIEXEC) : NULL;

	for (const char *const *name = l->programs; !path && *name; name++)
		path = path_if_it_belongs(l, *name);
	return path;
}
