/* Finds a finished run in the same order, whose training a simulated run takes over. */
#include "runner/single_run/trained.h"

#include "core/base/context.h"
#include "core/base/hash.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "core/watch.h"
#include "mpi/real.h"
#include "record/record.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool trained_spreads(const struct setup *su)
{
	const struct algo *algo = setup_algo(su);

	return su->in.measures != WATCH_NONE &&
	       !(algo->staged && algo->staged(su->algo.conf));
}

uint64_t training_fixed(const struct setup *su)
{
	return setup_algo(su)->order_fixed ? setup_training(su) : 0;
}

/* Hashes what bits depend on: settings, run_build_text(), and what bf16 is computed in. */
bool training_key(const struct setup *su, char key[17])
{
	uint64_t h = setup_training(su);
	char *build;

	if (!h)
		return false;
	build = run_build_text(su);
	h = fnv_text(fnv_text(h, "build="), build);
	free(build);
	if (setup_needs_data(su) && su->backend_conf.precision != PRECISION_F32)
		h = fnv_step(h, (uint64_t)(su->backend_conf.decided    ? su->backend_conf.precision
					   : su->backend->no_bf16() ? PRECISION_F32
								    : PRECISION_BF16));
	snprintf(key, 17, "%016" PRIx64, h);
	return true;
}

/* "FOLDER/.KEY.trained" of the folder that the result is in; the caller frees. */
static char *list_path(const char *result, const char *key)
{
	return xasprintf("%.*s.%s.trained", (int)(path_base(result) - result), result, key);
}

static char *sibling_path(const char *result, const char *hash)
{
	return xasprintf("%.*s%s.h5", (int)(path_base(result) - result), result, hash);
}

struct line {                   /* of the list: a finished run */
	uint64_t order;
	char hash[17];
	long long dim, samples; /* of its model; of an epoch, as its data have them */
};

static bool line_read(FILE *list, struct line *l)
{
	return fscanf(list, "%16" SCNx64 " %16[0-9a-f] %lld %lld\n", &l->order, l->hash, &l->dim,
		      &l->samples) == 4 && l->order && l->dim > 0 && l->samples > 0;
}

/*
 * The file may be a stranger's: a walk over more samples than the run has need not end. samples: of
 * its epoch, as its net or its data have them.
 */
static bool line_fits(const struct line *l, const struct setup *su, int64_t samples)
{
	return (size_t)l->dim == su->model.dim && l->samples == samples &&
	       samples >= setup_batch(su) * su->num.workers;
}

struct walk {                   /* a run without gradients, for its order */
	struct hook hook;       /* first: the engine hands us its address */
	uint64_t order;         /* 0: it has none */
	int64_t *gradients;     /* [nodes] owned */
	int nodes;
};

static void walk_end(struct hook *hook, const struct event *end)
{
	struct walk *w = (struct walk *)hook;

	w->nodes = end->nnodes;
	w->gradients = xcalloc((size_t)end->nnodes, sizeof(*w->gradients));
	for (int i = 0; i < end->nnodes; i++)
		w->gradients[i] = end->nodes[i].ledger.gradients;
}

static struct walk walk_run(const struct setup *su, const struct run_context *t,
			    const struct line *like)
{
	struct walk w = { .hook = { .mask = 1u << EV_END, .event = walk_end } };
	struct run run = simrun_shape(su, t, (size_t)like->dim, like->samples);
	struct sim_conf conf = su->sim;
	struct run_result result = { 0 };

	run.hooks = &w.hook;
	conf.orders = true;
	conf.spreads = trained_spreads(su);
	context_mute();
	if (sim_run(&conf, &run, &result) == 0)
		w.order = result.order;
	context_unmute();
	return w;
}

/* Learnt values of the line's finished run, where they are those that the walk needs. */
static struct learnt *line_learnt(const struct line *l, const struct walk *w,
				  const struct run_context *t, const char *key)
{
	char *path = sibling_path(t->path, l->hash);
	struct learnt *learnt = learnt_read(path, key, w->order, w->nodes);

	free(path);
	if (!learnt || ((long long)learnt->dim == l->dim && learnt->samples == l->samples &&
			learnt_suffices(learnt, w->gradients)))
		return learnt;
	learnt_free(learnt);
	return NULL;
}

/* The run goes on from a checkpoint of its own. */
static bool has_checkpoint(const struct run_context *t)
{
	scoped char *path = xasprintf("%s.checkpoint", t->path);

	return t->resume && access(path, F_OK) == 0;
}

struct learnt *trained_find(const struct setup *su, const struct dataset *data,
			    const struct run_context *t)
{
	const int64_t samples = data ? data->n[SPLIT_TRAIN] : su->samples;
	struct learnt *learnt = NULL;
	struct walk w = { 0 };
	struct line l;
	char key[17], *path;
	FILE *list;

	if (t->retrain || t->trace || real_size() > 1 || has_checkpoint(t) ||
	    !training_key(su, key))
		return NULL;
	path = list_path(t->path, key);
	list = file_open(path);
	while (list && !learnt && line_read(list, &l)) {
		if (strcmp(l.hash, su->hash) == 0)      /* its own result is to be made again */
			continue;
		if (!line_fits(&l, su, samples))
			continue;
		if (!w.nodes)
			w = walk_run(su, t, &l);
		if (!w.order)
			break;
		if (l.order == w.order)
			learnt = line_learnt(&l, &w, t, key);
	}
	if (list)
		fclose(list);
	free_all(path, w.gradients);
	return learnt;
}

/* The line is in the list. */
static bool list_has(const char *path, const struct line *l)
{
	FILE *list = file_open(path);
	struct line at;
	bool has = false;

	while (list && !has && line_read(list, &at))
		has = at.order == l->order && strcmp(at.hash, l->hash) == 0;
	if (list)
		fclose(list);
	return has;
}

/* In one piece, since other processes may do so, too. A list that cannot be written is none. */
static void list_append(const char *path, const struct line *l)
{
	scoped char *text = xasprintf("%016" PRIx64 " %s %lld %lld\n", l->order, l->hash, l->dim,
				      l->samples);
	const size_t n = strlen(text);
	const int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK |
				  O_CLOEXEC, 0666);
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    write(fd, text, n) != (ssize_t)n)
		unlink(path);
	if (fd >= 0)
		close(fd);
}

void trained_add(const struct setup *su, const struct run_context *t, const struct run *run,
		 const struct run_result *result)
{
	struct line l = { .order = result->order, .dim = (long long)run->dim,
			  .samples = run->samples };
	char key[17], *path;

	if (!result->order || !run->pool || !training_key(su, key))
		return;
	snprintf(l.hash, sizeof(l.hash), "%s", su->hash);
	path = list_path(t->path, key);
	if (!list_has(path, &l))
		list_append(path, &l);
	free(path);
}
