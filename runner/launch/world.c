/* Compares what launchers say of the ranks they started with what MPI knows. */
#include "runner/launch/launch.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/text/word.h"
#include "mpi/real.h"
#include "runner/launch/launcher.h"

#include <stdlib.h>
#include <string.h>

/* Claim of a launcher: how many its processes are, and which of them each is. */
struct claim {
	const char *size, *rank;        /* environment variables; size may be NULL */
	const char *launcher;
};

static const struct claim claims[] = {
	{ "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "Open MPI's mpirun" },
	{ "PMI_SIZE", "PMI_RANK", "the mpiexec of MPICH or Intel MPI" },
	{ NULL, "PMIX_RANK", "a launcher with PMIx" },
};

/* srun sets it for the daemons of other launchers too, which hand it on to their ranks. */
static const struct claim srun_claim = { "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "srun" };

/* With its plug-in for PMIx, which names its ranks "slurm.pmix.JOB.STEP". */
static const struct claim srun_pmix_claim = { "SLURM_STEP_NUM_TASKS", "PMIX_RANK", "srun" };

enum { CLAIMS = sizeof(claims) / sizeof(claims[0]) };

/* A whole number of at least 0; -1: there is none. */
static int variable_number(const char *variable)
{
	const char *text = variable ? getenv(variable) : NULL;
	char *end;
	long n = text ? strtol(text, &end, 10) : -1;

	return text && end != text && !*end && n >= 0 && n < 1 << 24 ? (int)n : -1;
}

/*
 * Processes that the claim speaks of; 0: it is not made. A launcher that gives the size always
 * does: a rank without it is left over from somewhere else, and no other process speaks for it.
 */
static int claim_size(const struct claim *c)
{
	const int size = variable_number(c->size),
		  next = variable_number(c->rank) + 1;

	if (c->size && size < 0)
		return 0;
	return size > next ? size : next;
}

/* The claim of most processes; NULL: none is made. */
static const struct claim *find_claim(void)
{
	const char *name = getenv("PMIX_NAMESPACE");
	const struct claim *most = NULL;

	for (int i = 0; i < CLAIMS; i++)
		if (claim_size(&claims[i]) > (most ? claim_size(most) : 0))
			most = &claims[i];
	if (most && !most->size && name && strncmp(name, "slurm.", strlen("slurm.")) == 0 &&
	    claim_size(&srun_pmix_claim) > 0)
		return &srun_pmix_claim;
	if (!most && claim_size(&srun_claim) > 1)
		return &srun_claim;
	return most;
}

bool world_is_ours(void)
{
	return variable_number(RANKS_VARIABLE) > 0;
}

bool world_starter_gone(void)
{
	const char *starter = getenv(STARTER_VARIABLE), *at = starter ? strchr(starter, '@') : NULL;

	return at && process_gone(at + 1, (pid_t)strtol(starter, NULL, 10));
}

bool world_inside(void)
{
	return world_is_ours() || find_claim();
}

bool world_several(void)
{
	const struct claim *c = find_claim();

	return variable_number(RANKS_VARIABLE) > 1 ||
	       (c && (!c->size || claim_size(c) > 1));
}

int world_rank(void)
{
	const struct claim *c = find_claim();
	const int rank = c ? variable_number(c->rank) : 0;

	return rank > 0 ? rank : 0;
}

/*
 * One process says it. The others give it time to: a launcher may end all once one of them
 * has failed.
 */
static bool is_speaker(void)
{
	if (real_size() > 1)
		return real_rank() == 0;
	if (world_rank() == 0)
		return true;
	clock_sleep(1.0);
	return false;
}

static int srun_error(void)
{
	const struct launcher *lr = launcher_of_library();

	return error("srun started %d task%s that MPI does not know of. Try 'srun %s', or '%s' in "
		     "the allocation", claim_size(&srun_claim),
		     word_plural(claim_size(&srun_claim)), lr ? lr->srun : "--mpi=pmix",
		     lr ? lr->start : "mpirun");
}

int world_check_srun(void)
{
	if (find_claim() != &srun_claim || world_is_ours())
		return 0;
	return is_speaker() ? srun_error() : -1;
}

int world_check_step(int ranks)
{
	const struct launcher *lr = launcher_of_library();

	/* srun's steps are counted from 0; those of a batch script or a shell are not. */
	if (variable_number("SLURM_STEP_ID") < 0 || claim_size(&srun_claim) != 1 ||
	    find_claim())
		return 0;
	return error("%d %s to be started, but srun has started convoy as 1 task, which holds the "
		     "step's cores: ranks inside it would wait for them without end. Try 'srun %s "
		     "-n %d', or call convoy in the batch script or the allocation", ranks,
		     ranks == 1 ? "rank is" : "ranks are", lr ? lr->srun : "--mpi=pmix", ranks);
}

static int world_error(const char *starter, int started)
{
	const struct launcher *lr = launcher_of_library();

	return error("%s started %d processes, but %s, with which convoy was built, knows of %d "
		     "(expected %d): each would make the whole run. Start them with that library's "
		     "launcher ('%s'), or let convoy start them", starter, started, real_version(),
		     real_size(), started, lr ? lr->start : "mpiexec -n N");
}

int world_check(void)
{
	const struct claim *c = find_claim();
	const int wish = variable_number(RANKS_VARIABLE), size = real_size();

	if (wish > 0 ? wish == size : size > 1 || !c || claim_size(c) <= 1)
		return 0;
	if (!is_speaker())
		return -1;
	if (wish > 0)
		return world_error("convoy's launcher", wish);
	return c == &srun_claim ? srun_error() : world_error(c->launcher, claim_size(c));
}

int world_check_asked(int64_t asked)
{
	const struct claim *c = find_claim();
	const int started = c && c->size ? claim_size(c) : real_size();

	if (!asked || asked == started || !world_inside())
		return 0;
	return error("%d %s asked for, but %s has started %d. Leave the number out, or have the "
		     "launcher start %d", (int)asked, asked == 1 ? "rank was" : "ranks were",
		     c ? c->launcher : "the launcher", started, (int)asked);
}

int world_check_own(const char *option)
{
	const struct claim *c = find_claim();

	if (!option || !world_inside() || world_is_ours())
		return 0;
	return error("%s is for ranks that convoy starts, and %s has started these. Leave the "
		     "option out, or the launcher", option, c ? c->launcher : "a launcher");
}

int world_check_same(const char *lines, const char *advice)
{
	scoped char *first = real_share_text(real_rank() == 0 ? xstrdup(lines) : NULL);
	const char *own = lines, *other = first ? first : lines;
	size_t n = 0, m = 0;
	int lowest;

	while (*own && strncmp(own, other, strcspn(own, "\t") + 1) == 0) {
		own += strcspn(own, "\n") + 1;
		other += strcspn(other, "\n") + 1;
	}
	/* One of them tells, although many may differ. */
	lowest = real_size() - real_agree(*own || *other ? real_size() - real_rank() : 0);
	if (lowest == real_rank() && lowest != real_size()) {
		own += strcspn(own, "\t") + (*own != '\0');
		other += strcspn(other, "\t") + (*other != '\0');
		n = strcspn(own, "\n");
		m = strcspn(other, "\n");
		if (n == m && strncmp(own, other, n) == 0)
			error("differs from rank 0 in %.*s%s", (int)n, own, advice);
		else
			error("differs from rank 0 in %.*s (there: %.*s)%s", (int)n, own, (int)m,
			      other, advice);
	}
	if (lowest != real_size())
		real_agree(lowest == real_rank() ? EXIT_BAD : EXIT_OK);
	return lowest == real_size() ? 0 : -1;
}

int world_check_alone(const char *command)
{
	const struct claim *c = find_claim();

	if (!world_several())
		return 0;
	if (!is_speaker())
		return -1;
	return error("%s has started several processes, and each would do all that %s does. Call "
		     "it once; it starts its processes itself", c ? c->launcher : "a launcher",
		     command);
}
