/* Tells the files of an outcome's runs what others say of them: baselines, speedups, tuning. */
#include "runner/results/outcome.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "record/measure.h"
#include "runner/results/folder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Such runs are many and short: all their files reach the disk at once. */
static bool run_is_timing(const cJSON *run)
{
	const char *text = json_string(json_get(run, "settings"), "timing");

	return text && strcmp(text, "true") == 0;
}

struct hashes {
	const char **v;         /* [n] in order; the array is owned */
	size_t n;
};

static int hashes_order(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static struct hashes hashes_of(const cJSON *runs)
{
	struct hashes h = { xcalloc((size_t)cJSON_GetArraySize(runs) + 1, sizeof(*h.v)), 0 };
	const cJSON *run;

	cJSON_ArrayForEach(run, runs)
		h.v[h.n++] = json_string(run, "hash");
	qsort(h.v, h.n, sizeof(*h.v), hashes_order);
	return h;
}

/* 1 when the file was written again, 0, or error(). */
static int mark_run(const cJSON *run, const struct hashes *baselines)
{
	const char *file = json_string(run, "file");
	struct result_mark m = { .speedup = run_number(run, "speedup"),
				 .synced_later = run_is_timing(run) };
	const char *hash = json_string(run, "hash");

	m.tuned = json_string(run, "tuned_by");
	if (!isnan(m.speedup))
		m.baseline = json_string(run, "baseline");
	m.is_baseline = bsearch(&hash, baselines->v, baselines->n, sizeof(hash), hashes_order);
	return m.is_baseline || m.baseline || m.tuned ? result_mark(file, &m) : 0;
}

/* The number of files that were written again, or error(). */
static int mark_runs(const cJSON *runs, const struct hashes *baselines)
{
	const cJSON *run;
	int all = 0;

	cJSON_ArrayForEach(run, runs) {
		const int changed = mark_run(run, baselines);

		if (changed < 0)
			return -1;
		all += changed;
	}
	return all;
}

int outcome_mark(const struct outcome *o, const struct plan *p)
{
	struct hashes baselines = hashes_of(o->baselines);
	const int runs = mark_runs(o->runs, &baselines);
	const int others = runs < 0 ? -1 : mark_runs(o->baselines, &baselines);

	free(baselines.v);
	if (runs > 0 || others > 0)
		folder_sync(p->folder);
	return others < 0 ? -1 : 0;
}
