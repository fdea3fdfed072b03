/* The shares that follow from measured speeds of ranks, and the file that keeps them. */
#include "runner/measured_shares.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/output.h"
#include "core/file/paths.h"
#include "mpi/real.h"
#include "plan/settings/shares.h"
#include "runner/results/folder.h"
#include "runner/signals.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool shares_unmeasured(const struct setup *su)
{
	const struct pace *p = &su->sim.pace;
	const uint64_t seed = (uint64_t)su->in.seed;

	if (su->in.engine != ENGINE_MPI || su->in.timing || !su->in.shares ||
	    strcmp(su->in.shares, "speed") != 0)
		return false;
	for (int w = 1; w < su->num.workers; w++)
		if (pace_mean(p, seed, w) < pace_mean(p, seed, 0) ||
		    pace_mean(p, seed, w) > pace_mean(p, seed, 0))
			return false;
	return su->num.workers > 1;
}

int shares_check_unmeasured(const struct setup *su)
{
	static const int64_t some;
	struct run run = setup_run(su);

	if (!shares_unmeasured(su))
		return 0;
	run.slice = &some;
	return shares_check(&run);
}

/* ---- what follows from it ---- */

/* NULL after error(): a worker is so slow that it would have no sample. */
static char *shares_of(const struct setup *su, const double *seconds)
{
	const int workers = (int)su->num.workers;
	const size_t batch = (size_t)su->in.batch;
	double *part = xcalloc((size_t)workers, sizeof(*part));
	int64_t *slice;
	char *text = NULL;
	int none;

	for (int w = 0; w < workers; w++)
		part[w] = 1.0 / seconds[w];
	none = shares_cut(part, workers, batch, &slice);
	if (none >= 0)
		error("shares = speed: worker %d is so slow (%.3g s for each minibatch of %zu) "
		      "that it has no sample of a round. Leave it out, or give a larger batch.",
		      none, seconds[none], batch);
	else
		text = shares_format(slice, workers);
	free(slice);
	free(part);
	return text;
}

static void shares_print(const struct setup *su, const double *seconds, const char *text)
{
	char *times = xstrdup("");

	for (int w = 0; w < su->num.workers; w++) {
		char *one = xasprintf("%d: %.4g s", w, seconds[w]);

		xappend(&times, ", ", one);
		free(one);
	}
	note("measured for each minibatch of %lld, by worker: %s; the same shares again: "
	     "--shares %s", (long long)su->in.batch, times, text);
	free(times);
}

/* NULL after error(), or a signal. */
static char *shares_measure(const struct setup *su, int threads, bool quiet)
{
	double *seconds = xcalloc((size_t)su->num.workers, sizeof(*seconds));
	char *text = rank_speeds(su, threads, seconds) == 0 ? shares_of(su, seconds) : NULL;

	if (text && !quiet && real_rank() == 0)
		shares_print(su, seconds, text);
	free(seconds);
	return text;
}

/* ---- for --resume ---- */

/* LINEAGE.shares, of the unmeasured run: a longer one has the same. The caller frees. */
static char *shares_path(const struct setup *su, const char *dir)
{
	char lineage[17];

	setup_lineage(su, true, lineage);
	return xasprintf("%s/%s.shares", dir, lineage);
}

/* NULL: there is no such file. The caller frees. */
static char *shares_read(const char *path)
{
	enum { MOST = 1 << 20 };
	char *text = access(path, F_OK) == 0 ? file_read_most(path, MOST, NULL) : NULL;

	if (text)
		text[strcspn(text, "\n")] = '\0';
	return text;
}

static int shares_write(const char *path, const char *text)
{
	char *line = xasprintf("%s\n", text);
	const int ret = output_final(path, line, strlen(line));

	free(line);
	return ret;
}

/* ---- in the command, and in its ranks ---- */

static const char source[] = "measured shares";

int shares_recall(struct setup *su, const char *dir)
{
	char *path = shares_path(su, dir), *text = shares_read(path);
	int ret = text ? setup_resolve_with(su, "shares", text, path) : 0;

	free(text);
	free(path);
	return ret;
}

/* On process 0 alone. */
static int shares_keep(const char *dir, const char *path, const char *text)
{
	if (real_rank() > 0)
		return 0;
	return folder_prepare(dir) < 0 ? -1 : shares_write(path, text);
}

int shares_settle(struct setup *su, const struct shares_context *c)
{
	char *path = shares_path(su, c->dir), *text = NULL;
	int code = EXIT_OK;

	if (c->resume)
		text = real_share_text(real_rank() == 0 ? shares_read(path) : NULL);
	if (!text) {
		text = shares_measure(su, c->threads, c->quiet);
		code = text && shares_keep(c->dir, path, text) == 0 ? EXIT_OK
		       : signal_caught ? signals_exit_code() : EXIT_BAD;
	}
	code = real_agree(code);
	if (code == EXIT_OK)
		code = real_agree(setup_resolve_with(su, "shares", text, source) < 0 ? EXIT_BAD :
										       EXIT_OK);
	free(text);
	free(path);
	return code;
}
