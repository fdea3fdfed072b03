#include "cmd/drive.h"

#include "core/error.h"
#include "core/mem.h"
#include "core/vault.h"
#include "mpi/real.h"
#include "report/environ.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where a run's checkpoints lie: PATH.checkpoint. NULL: it has none. The caller frees. */
static char *checkpoint_path(const struct trip *t)
{
	return t->checkpoint_every > 0 || t->resume ? xasprintf("%s.checkpoint", t->path) : NULL;
}

struct beside {                 /* what the engine of real ranks calls back for */
	const struct trip *trip;
	struct recorder *recorder;      /* NULL but on the first rank */
};

static void save_record(void *ctx, struct vault *s)
{
	const struct beside *b = ctx;
	uint64_t n;
	size_t size;
	void *state = recorder_state(b->recorder, &size);

	n = size;
	vault_put(s, &n, sizeof(n));
	vault_put(s, state, size);
	free(state);
}

static void load_record(void *ctx, struct vault *s)
{
	const struct beside *b = ctx;
	uint64_t n = 0;
	void *state;

	vault_get(s, &n, sizeof(n));
	if (s->failed || n > ((uint64_t)1 << 40)) {
		s->failed = true;
		return;
	}
	state = xcalloc(n, 1);
	vault_get(s, state, n);
	s->failed |= recorder_restore(b->recorder, state, n) < 0;
	free(state);
}

/* Another rank than the first has no recorder, but the file is there all the same. */
static void cut_short(void *ctx, const char *why)
{
	const struct beside *b = ctx;
	char *part = xasprintf("%s.part", b->trip->path);
	const bool there = b->recorder ? recorder_cut(b->recorder) == 0
				       : access(part, F_OK) == 0 && result_interrupt(part) >= 0;

	if (why && there)
		warning("%s; what was reached is in %s", why, part);
	else if (why)
		warning("%s", why);
	free(part);
}

/* ---- real ranks ---- */

static int run_on_ranks(const struct setup *su, const struct trip *t, const struct run *run,
			struct recorder *r, struct run_result *result)
{
	struct real_conf conf = su->real;
	char *path = checkpoint_path(t);
	bool there = path && access(path, F_OK) == 0;
	struct beside beside = { .trip = t, .recorder = r };
	int ret;

	real_share(&there, sizeof(there));
	conf.checkpoint = path;
	conf.checkpoint_every = t->checkpoint_every;
	conf.resume = t->resume && there;
	conf.id = su->hash;
	conf.ctx = &beside;
	conf.cut = cut_short;
	conf.save = r ? save_record : NULL;
	conf.load = r ? load_record : NULL;
	if (r && t->resume)
		note("%s %s", there ? "going on from" : "from the beginning: there is no", path);
	ret = real_run(&conf, run, result);
	free(path);
	return ret;
}

/* ---- virtual time ---- */

/* Of the program, what bits of a learning run depend on; the caller frees. */
static char *build_text(void)
{
	static const char *const names[] = { "version", "commit", "compiler", "openblas",
					     "openblas_kernel", "onednn", "onednn_isa" };
	cJSON *facts = environ_facts();
	char *text = xstrdup("convoy");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const cJSON *fact = cJSON_GetObjectItemCaseSensitive(facts, names[i]);
		char *longer = xasprintf("%s %s", text, fact ? fact->valuestring : "");

		free(text);
		text = longer;
	}
	cJSON_Delete(facts);
	return text;
}

static int run_simulated(const struct setup *su, const struct trip *t, const struct run *run,
			 struct recorder *r, struct run_result *result)
{
	struct sim_conf conf = su->sim;
	char *path = checkpoint_path(t), *build = build_text();
	struct beside beside = { .trip = t, .recorder = r };
	const struct sim_saves saves = {
		.path = path, .id = su->hash, .build = build, .every_s = t->checkpoint_every,
		.resume = t->resume, .save = save_record, .load = load_record, .ctx = &beside,
	};
	int ret;

	conf.saves = path ? &saves : NULL;
	ret = sim_run(&conf, run, result);
	free(path);
	free(build);
	return ret;
}

int drive(const struct setup *su, const struct trip *t, const struct run *run, struct recorder *r,
	  struct run_result *result)
{
	if (su->in.engine == ENGINE_MPI)
		return run_on_ranks(su, t, run, r, result);
	return run_simulated(su, t, run, r, result);
}

void drive_done(const struct setup *su, const struct trip *t)
{
	char *path = su->in.engine == ENGINE_MPI ? NULL : checkpoint_path(t);

	if (path)
		unlink(path);
	free(path);
}
