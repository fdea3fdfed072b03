/* Runs one resolved run on its engine, from a checkpoint if one fits. */
#include "runner/single_run/simrun.h"

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/mem.h"
#include "core/file/checked.h"
#include "core/file/paths.h"
#include "mpi/real.h"
#include "record/environ.h"
#include "runner/single_run/trained.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Path of a run's checkpoints, PATH.checkpoint; NULL: it has none. The caller frees. */
static char *checkpoint_path(const struct setup *su, const struct run_context *t)
{
	const bool shared = su->in.engine == ENGINE_MPI &&
			    setup_algo(su)->shared;
	const bool alone = t->alone && !t->trace && !shared;

	return t->checkpoint_every > 0 || t->resume || alone ? xasprintf("%s.checkpoint", t->path)
							      : NULL;
}

/*
 * Name of a run whose checkpoints these settings can go on from: all of them but the length, and
 * what bf16 was computed in where that was f32.
 */
static void run_id(const struct setup *su, bool former, char id[24])
{
	const bool other = su->in.precision != PRECISION_F32 &&
			   su->backend_conf.precision == PRECISION_F32;
	char lineage[17];

	setup_lineage(su, former, lineage);
	snprintf(id, 24, "%s%s", lineage, other ? " f32" : "");
}

int run_one_saved_in(const struct setup *su, const struct run_context *t)
{
	static const enum precision each[] = { PRECISION_F32, PRECISION_BF16 };
	scoped char *path = t->resume ? checkpoint_path(su, t) : NULL;
	struct setup as = *su;
	int found = -1;

	for (size_t i = 0; path && i < sizeof(each) / sizeof(each[0]); i++) {
		char id[24];

		as.backend_conf.precision = each[i];
		run_id(&as, false, id);
		if (su->in.engine == ENGINE_MPI ? real_saved_by(path, id) : sim_saved_by(path, id))
			found = (int)each[i];
	}
	return found;
}

/* ---- where to go on from ---- */

struct wanted {                 /* a checkpoint that this run can go on from */
	const struct run *run;
	const struct checkpoint_conf *saves;
	const struct real_conf *real;   /* NULL: the run is simulated */
};

/* The one of most gradients in the result's folder; NULL: there is none. The caller frees. */
static char *find_shorter(const struct wanted *w, const char *result)
{
	scoped char *dir = path_folder(result);
	scoped_paths char **paths = dir_list(dir, ".h5.checkpoint");
	int64_t most = -1;
	char *best = NULL;

	for (char **path = paths; path && *path; path++) {
		const int64_t gradients = w->real ? real_saved(*path, w->real, w->run)
						  : sim_saved(*path, w->saves, w->run);

		if (gradients > most) {
			most = gradients;
			free(best);
			best = xstrdup(*path);
		}
	}
	return best;
}

/* The run's own checkpoint, else the one that a shorter run of these settings has kept. */
static char *find_checkpoint(const struct wanted *w, const struct setup *su,
			     const struct run_context *t, const char *own)
{
	const struct schedule *schedule = (const struct schedule *)su->schedule.plugin;
	char *shorter;

	if (!own || !t->resume)
		return NULL;
	if (access(own, F_OK) == 0 || errno != ENOENT)
		return xstrdup(own);
	if (!t->alone)
		return NULL;
	shorter = find_shorter(w, t->path);
	if (!shorter && schedule->to_the_end)
		note("from the beginning: there is no %s; schedule = %s goes by the length of the "
		     "run, so a run cannot resume from a shorter one", own,
		     schedule->plugin.name);
	else if (!shorter)
		note("from the beginning: there is no %s, and no checkpoint of a shorter run of "
		     "these settings", own);
	return shorter;
}

struct callbacks {              /* what the engine of real ranks calls back for */
	const struct run_context *context;
	struct recorder *recorder;      /* NULL but on the first rank */
};

static void save_record(void *ctx, struct checked *s)
{
	const struct callbacks *b = ctx;
	uint64_t n;
	size_t size;
	scoped void *state = recorder_state(b->recorder, &size);

	n = size;
	checked_put(s, &n, sizeof(n));
	checked_put(s, state, size);
}

static void load_record(void *ctx, struct checked *s)
{
	const struct callbacks *b = ctx;
	uint64_t n = 0;
	scoped void *state = NULL;

	checked_get(s, &n, sizeof(n));
	if (s->failed || n > checked_left(s)) {
		s->failed = true;
		return;
	}
	state = xcalloc(n, 1);
	checked_get(s, state, n);
	s->failed |= recorder_restore(b->recorder, state, n) < 0;
}

/* Another rank than the first has no recorder, but the file is there all the same. */
static void cut_short(void *ctx, const char *why)
{
	const struct callbacks *b = ctx;
	scoped char *part = xasprintf("%s.part", b->context->path);
	const bool there = b->recorder ? recorder_cut(b->recorder) == 0
				       : access(part, F_OK) == 0 && result_interrupt(part) >= 0;

	if (why && there)
		warning("%s; what was reached is in %s", why, part);
	else if (why)
		warning("%s", why);
}

/* ---- both engines ---- */

char *run_build_text(const struct setup *su)
{
	static const char *const names[] = { "version", "commit", "compiler", "openblas",
					     "openblas_kernel", "onednn", "onednn_isa" };
	char *text = xstrdup("convoy");
	size_t n;
	const struct member *facts = environ_facts(&n);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		for (size_t k = 0; k < n; k++)
			if (strcmp(facts[k].key, names[i]) == 0)
				xappend(&text, " ", facts[k].v.text);
	if (su->model.versions)
		xappendf(&text, ", ", "files and packages of the net %08" PRIx32,
			 (uint32_t)fnv_text(FNV_START, su->model.versions));
	return text;
}

/* On real ranks checkpoints are due by epochs, where a simulated run has them by seconds. */
static void warn_never_due(const struct run *run, double every)
{
	enum end_reason end;
	const double epochs = run_epochs(run, run_budget(run, &end));

	if (every > 0.0 && run->seconds <= 0.0 && epochs < every)
		warning("checkpoint_every = %g: no checkpoint is due before the end: these are "
			"epochs on real ranks, and the run has %.3g. Give fewer", every, epochs);
}

/* A simulated run would begin again, and replace a checkpoint that may be whole. 0 or error(). */
static int check_readable(const char *from)
{
	const int fd = from ? file_open_fd(from) : -1;

	if (fd >= 0)
		close(fd);
	return fd >= 0 || !from || !file_is_unread() ? 0 :
		error("cannot read '%s': %s. Have it made readable, or start without --resume",
		      from, file_why());
}

int run_one(const struct setup *su, const struct run_context *t, const struct run *run,
	    struct recorder *r, struct run_result *result)
{
	const bool real = su->in.engine == ENGINE_MPI;
	struct real_conf real_conf = su->real;
	struct sim_conf sim_conf = su->sim;
	struct callbacks callbacks = { .context = t, .recorder = r };
	unsigned char key[CHECKED_KEY];
	char *path = checkpoint_path(su, t), *build = NULL, *from = NULL, id[24], former[24];
	struct checkpoint_conf saves = { .id = id, .every = t->checkpoint_every,
					 .save = r ? save_record : NULL,
					 .load = r ? load_record : NULL, .ctx = &callbacks };
	const struct wanted wanted = { .run = run, .saves = &saves,
				       .real = real ? &real_conf : NULL };
	const int keyed = real && path ? real_key(key) : 1;
	int ret;

	if (keyed <= 0) {       /* real ranks without a key for checkpoints save none */
		free(path);
		path = NULL;
	}
	if (keyed < 0)
		return -1;
	saves.path = path;
	saves.keep = path ? t->keep : 0;
	if (real || path)
		run_id(su, false, id);
	if (real) {
		if (r)
			warn_never_due(run, t->checkpoint_every);
		saves.key = path ? key : NULL;
		real_conf.cut = cut_short;
		real_conf.checkpoint = saves;   /* by whose key and identity one is looked for */
		from = real_share_text(r ? find_checkpoint(&wanted, su, t, path) : NULL);
		real_conf.checkpoint.from = from;
		if (r && from)
			note("resuming from %s", from);
		ret = real_run(&real_conf, run, result);
	} else {
		if (path) {
			run_id(su, true, former);
			saves.build = build = run_build_text(su);
			saves.former_meant = setup_former(su);
			saves.former = saves.former_meant ? former : NULL;
		}
		saves.from = from = run->pool ? find_checkpoint(&wanted, su, t, path) : NULL;
		sim_conf.saves = path ? &saves : NULL;
		sim_conf.orders = run->learnt != NULL;
		sim_conf.spreads = trained_spreads(su);
		ret = check_readable(from) < 0 ? -1 : sim_run(&sim_conf, run, result);
	}
	free_all(path, build, from);
	return ret;
}

void run_one_done(const struct setup *su, const struct run_context *t,
		  const struct run_result *result)
{
	scoped char *path =
		su->in.engine == ENGINE_MPI || result->kept ? NULL : checkpoint_path(su, t);

	if (path)
		unlink(path);
}
