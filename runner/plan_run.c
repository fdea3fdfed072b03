/* Carries out a plan's missing runs: announcement, lock, worker pool, summary. */
#include "runner/plan_run.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/output.h"
#include "core/text/word.h"
#include "plan/settings/values.h"
#include "runner/estimate/estimate.h"
#include "runner/jobs.h"
#include "runner/results/folder.h"
#include "runner/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

static void plan_run_announce(const struct plan *p, const struct pool_conf *n)
{
	const bool ranks = n->sim.ranks > 1 && !plan_is_real(p);
	size_t todo = plan_count(p, RUN_TODO), done = plan_count(p, RUN_FINISHED);
	char *name = *p->spec.name ? xasprintf("%s, scale %s: ", p->spec.name, p->spec.scale)
				   : xstrdup("");

	if (p->changes.settings)
		note("settings differ from the spec: %s", p->changes.settings);
	note("%s%zu %s%srun%s, %zu of them finished before", name, todo + done,
	     p->stage ? p->stage : "", p->stage ? " " : "", word_plural((double)(todo + done)),
	     done);
	if (todo && plan_is_timing(p))
		note("running %zu, timing only, %d at once, into %s", todo, n->jobs,
		     p->stage ? p->folder : p->dir);
	else if (todo)
		note("running %zu, %d at once with %d thread%s, into %s", todo, n->jobs,
		     n->threads, word_plural(n->threads), p->stage ? p->folder : p->dir);
	if (todo && ranks && plan_is_timing(p))
		note("sim_ranks: ranks compute gradients, and timing-only runs have none");
	else if (todo && ranks)
		note("%d ranks compute the gradients of a simulated run", n->sim.ranks);
	free(name);
	note_own(plan_assumed(p));
	notes_own(plan_remarks(p));
	note_own(n->estimate ? estimate_text(n->estimate) : NULL);
}

/*
 * The folder is this program's, and its children's until the last has ended; of one that was
 * killed, children may still be at work. True when it had to wait. A file system without locks
 * is gone without.
 */
static bool plan_run_lock(struct plan *p, int *fd)
{
	*fd = open(p->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*fd < 0 || flock(*fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
		return false;
	note("another convoy is at work in %s; waiting for its end", p->folder);
	while (flock(*fd, LOCK_EX) < 0 && errno == EINTR && !signal_caught)
		;
	return true;
}

static int run_locked(struct plan *p, struct pool_conf *n)
{
	int code = EXIT_OK;

	if (jobs_choose(p, n) < 0)
		return EXIT_BAD;
	if (*p->spec.name && given_write(p->dir, &p->set) < 0)
		return output_code(EXIT_BAD);
	if (!n->quiet && !n->unannounced)
		plan_run_announce(p, n);
	if (plan_open_data(p) < 0 && (n->fail_fast || !plan_count(p, RUN_TODO)))
		return EXIT_BAD;
	if (plan_count(p, RUN_TODO)) {
		code = worker_pool_run(p, n);
		folder_sync(p->folder);
	}
	return code;
}

/* None of the runs to do could begin, which is no matter of being interrupted. */
static int give_up(struct plan *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->runs[i].state == RUN_TODO)
			p->runs[i].state = RUN_FAILED;
	return EXIT_BAD;
}

static int disk_full(const struct plan *p)
{
	error("%s: nothing more can be written into %s; runs that were not made: %zu. Free some "
	      "space, or raise the limit 'ulimit -f'; the same command resumes",
	      p->spec.name, p->folder, plan_left(p) + plan_count(p, RUN_FAILED));
	return EXIT_DIE;
}

/* What an interrupted command leaves, and how the rest is made. */
static int plan_run_interrupted(const struct plan *p, bool again)
{
	note("%zu of the runs are %s, %zu are left; the same command %s",
	     plan_count(p, RUN_FINISHED), again ? "repeated" : "finished", plan_left(p),
	     again ? "repeats all of them; without --again, only those without a result"
		   : "resumes");
	return signals_exit_code();
}

int plan_run(struct plan *p, struct pool_conf *n)
{
	int fd = -1, code = EXIT_OK;

	if (folder_prepare(p->folder) < 0)
		return give_up(p);
	if (*p->spec.name && plan_run_lock(p, &fd) && !n->again)
		plan_settle(p, false);
	if (!signal_caught)
		code = run_locked(p, n);
	if (fd >= 0)
		close(fd);
	if (code == EXIT_DIE)
		return disk_full(p);
	if (code != EXIT_OK)
		return give_up(p);
	return signal_caught ? plan_run_interrupted(p, n->again) : EXIT_OK;
}

size_t plan_left(const struct plan *p)
{
	return plan_count(p, RUN_TODO) + plan_count(p, RUN_CUT);
}

size_t plan_failed(const struct plan *p)
{
	const size_t n = plan_count(p, RUN_FAILED) + plan_left(p);

	if (n)
		error("%s%s%zu %s%srun%s without a result", p->spec.name,
		      *p->spec.name ? ": " : "", n, p->stage ? p->stage : "",
		      p->stage ? " " : "", word_plural((double)n));
	return n;
}
