/* Reads finished results, and finds those nearest to a run in settings. */
#include "runner/estimate/previous.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "core/text/opt_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RESULTS = 200 };    /* are read */

/* Settings, and after them what else tells runs apart. */
enum {
	ENGINE, TIMING, NET, PRECISION, BACKEND, LOWERING, PARTITIONS, DATA, BATCH,
	COMPUTE_THREADS, ALGO, WORKERS, MEASURES, EVAL_EVERY, SLOW, COMPUTE_S, GRAPH, LINK,
	SHARES, NSETTINGS, MACS = NSETTINGS, THREADS, NKEYS
};

static const char *const setting[] = {
	"engine", "timing", "net", "precision", "backend", "lowering", "partitions", "data",
	"batch", "compute_threads", "algo", "workers", "measures", "eval_every", "slow",
	"compute_s", "graph", "link", "shares", NULL
};

enum { MOST_KEYS = 12 };        /* of a list */

struct kind {                   /* of runs: lists of keys that end with NKEYS */
	int same[MOST_KEYS];    /* what such runs have in common */
	int near[MOST_KEYS];    /* what they may differ in, the most important first */
};

static const struct kind
	learning = { { ENGINE, TIMING, NET, MACS, PRECISION, BACKEND, NKEYS },
		     { DATA, BATCH, LOWERING, PARTITIONS, COMPUTE_THREADS, THREADS, ALGO, WORKERS,
		       MEASURES, EVAL_EVERY, NKEYS } },
	clocks = { { ENGINE, TIMING, ALGO, WORKERS, NKEYS },
		   { NET, BATCH, GRAPH, LINK, SLOW, NKEYS } },
	real = { { ENGINE, TIMING, NET, MACS, PRECISION, BACKEND, BATCH, ALGO, WORKERS, SLOW,
		   COMPUTE_S, NKEYS },
		 { SHARES, DATA, LOWERING, PARTITIONS, COMPUTE_THREADS, THREADS, MEASURES,
		   EVAL_EVERY, NKEYS } };

struct values {
	const char *v[NKEYS];
};

struct previous_run {
	char *value[NKEYS];     /* owned */
	double wall_s, gradients, samples;
	bool used;
};

static const struct kind *previous_kind_of(const struct setup *su)
{
	return su->in.engine == ENGINE_MPI ? &real : su->in.timing ? &clocks : &learning;
}

/* ---- results ---- */

void previous_add(struct previous *previous, const cJSON *texts, const struct run_cost *c)
{
	struct previous_run *r;
	const char *text;

	previous->run = xrealloc(previous->run, previous->n + 1, sizeof(*previous->run));
	r = &previous->run[previous->n++];
	*r = (struct previous_run){ .wall_s = c->wall_s, .gradients = (double)c->gradients };
	for (int i = 0; i < NSETTINGS; i++) {
		text = json_string(texts, setting[i]);
		r->value[i] = xstrdup(text ? text : "");
	}
	r->value[MACS] = xasprintf("%lld", (long long)c->macs);
	r->value[THREADS] = xasprintf("%lld", (long long)c->threads);
	r->samples = r->gradients * strtod(r->value[BATCH], NULL);
}

static void read_result(struct previous *previous, const char *path)
{
	struct run_cost c;
	cJSON *texts = result_cost(path, setting, &c);

	if (texts)
		previous_add(previous, texts, &c);
	cJSON_Delete(texts);
}

static void read_folder(struct previous *previous, const char *folder)
{
	char **paths = dir_list(folder, ".h5");

	for (char **path = paths; path && *path && previous->n < MOST_RESULTS; path++)
		read_result(previous, *path);
	path_list_free(paths);
}

/* OUT/EXPERIMENT/SCALE/runs and tuning. */
void previous_read(struct previous *previous, const struct plan *p)
{
	char *above = xasprintf("%.*s", (int)(strrchr(p->dir, '/') - p->dir), p->dir);
	char **paths = dir_list(above, "");

	read_folder(previous, p->folder);
	for (char **path = paths; path && *path; path++)
		for (int i = 0; i < 2; i++) {
			char *folder = xasprintf("%s/%s", *path, i ? TUNING_NAME : "runs");

			if (strcmp(folder, p->folder) != 0)
				read_folder(previous, folder);
			free(folder);
		}
	path_list_free(paths);
	free(above);
}

/* ---- the nearest ---- */

/* Of numbers, the logarithm of their ratio; of other values that differ, HUGE_VAL. */
static double previous_apart(const char *a, const char *b)
{
	double x, y;

	if (strcmp(a, b) == 0)
		return 0;
	if (!text_double(a, &x) || !text_double(b, &y) || x <= 0 || y <= 0)
		return HUGE_VAL;
	return fabs(log(x / y));
}

static bool is_of_kind(const struct kind *k, const struct values *run, const struct previous_run *r)
{
	for (const int *key = k->same; *key != NKEYS; key++)
		if (strcmp(run->v[*key], r->value[*key]) != 0)
			return false;
	return r->samples > 0;
}

/* Below 0: a is nearer than b; 0: both are as near. */
static int previous_compare(const struct kind *k, const struct values *run,
			    const struct previous_run *a, const struct previous_run *b)
{
	for (const int *key = k->near; *key != NKEYS; key++) {
		const double to_a = previous_apart(run->v[*key], a->value[*key]);
		const double to_b = previous_apart(run->v[*key], b->value[*key]);

		if (to_a < to_b || to_a > to_b)
			return to_a < to_b ? -1 : 1;
	}
	return 0;
}

static const struct previous_run *previous_nearest(const struct previous *previous,
						   const struct kind *k, const struct values *run)
{
	const struct previous_run *best = NULL;

	for (size_t i = 0; i < previous->n; i++) {
		const struct previous_run *r = &previous->run[i];

		if (is_of_kind(k, run, r) && (!best || previous_compare(k, run, r, best) < 0))
			best = r;
	}
	return best;
}

/* All that are as near as the nearest, together. */
static struct previous_run previous_pool(struct previous *previous, const struct kind *k,
					 const struct values *run)
{
	const struct previous_run *best = previous_nearest(previous, k, run);
	struct previous_run sum = { 0 };

	for (size_t i = 0; i < previous->n && best; i++) {
		struct previous_run *r = &previous->run[i];

		if (!is_of_kind(k, run, r) || previous_compare(k, run, r, best) != 0)
			continue;
		r->used = true;
		sum.wall_s += r->wall_s;
		sum.gradients += r->gradients;
		sum.samples += r->samples;
	}
	return sum;
}

double previous_seconds(struct previous *previous, const struct setup *su, int threads,
			double samples)
{
	char *macs = xasprintf("%lld", (long long)su->model.macs);
	char *on = xasprintf("%d", threads);
	struct values run = { .v = { [MACS] = macs, [THREADS] = on } };
	struct previous_run sum;

	for (int i = 0; i < NSETTINGS; i++)
		run.v[i] = setup_text(su, setting[i]);
	sum = previous_pool(previous, previous_kind_of(su), &run);
	free(macs);
	free(on);
	if (sum.samples <= 0)
		return (double)NAN;
	if (su->in.timing)
		return samples / (double)su->in.batch * sum.wall_s / sum.gradients;
	return samples * sum.wall_s / sum.samples;
}

size_t previous_used(const struct previous *previous)
{
	size_t n = 0;

	for (size_t i = 0; i < previous->n; i++)
		n += previous->run[i].used;
	return n;
}

void previous_release(struct previous *previous)
{
	for (size_t i = 0; i < previous->n; i++)
		for (int k = 0; k < NKEYS; k++)
			free(previous->run[i].value[k]);
	free(previous->run);
	*previous = (struct previous){ 0 };
}
