/* read.c - the log of `convoy delay fit`: a CSV file, or traces of torch.profiler. */
#include "study/fit/fit.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/output.h"
#include "core/math/median.h"
#include "record/trace/json_items.h"
#include "record/trace/torch_log.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fit_read_files(struct fit *f, const char *const *paths, size_t n)
{
	size_t traces = 0;

	while (traces < n && json_items_are_in(paths[traces]))
		traces++;
	f->traces = traces == n;
	if (f->traces)
		return torch_log_read(&f->log, paths, n);
	if (n == 1)
		return steplog_read(&f->log, paths[0]);
	return error("%s: not a trace of torch.profiler (several logs are traces, one of each "
		     "rank). Put the step times of all workers in one CSV file", paths[traces]);
}

/* A step of a warm-up takes so many medians or more; a warm-up, one tenth of the log at most. */
enum { SLOW_START = 2, WARM_UP_PART = 10 };

/* Steps at a worker's beginning that are slow, and slower than all that come after the tenth. */
static size_t fit_slow_start(const double *v, size_t steps, double *median)
{
	const size_t most = steps / WARM_UP_PART;
	double *sorted = xcalloc(steps, sizeof(*sorted)), least;
	size_t k = 0;

	memcpy(sorted, v, steps * sizeof(*sorted));
	*median = median_of(sorted, steps);
	free(sorted);
	least = SLOW_START * *median;
	for (size_t i = most; i < steps; i++)
		least = fmax(least, v[i]);
	while (k < most && v[k] > least)
		k++;
	return k;
}

static void fit_warn_of_warm_up(const struct steplog *l)
{
	double factor = HUGE_VAL;
	size_t first = l->steps;

	for (size_t w = 0; w < l->workers && first > 0; w++) {
		const double *v = l->seconds + w * l->steps;
		double median;
		const size_t own = fit_slow_start(v, l->steps, &median);

		first = own < first ? own : first;
		factor = fmin(factor, v[0] / median);
	}
	if (first > 0)
		warning("the log's first step takes %.3g times the median or more on every worker. "
			"Leave out warm-up steps with --skip %zu", factor, first);
}

/* Leaves each worker's first steps out. */
static void fit_skip(struct steplog *l, size_t skip)
{
	const size_t left = l->steps - skip;

	for (size_t w = 0; w < l->workers; w++)
		memmove(l->seconds + w * left, l->seconds + w * l->steps + skip,
			left * sizeof(*l->seconds));
	l->steps = left;
}

int fit_read(struct fit *f, const char *const *paths, size_t n, size_t skip)
{
	f->path = n == 1 ? xstrdup(paths[0])
			 : xasprintf("%s and %zu more", paths[0], n - 1);
	if (fit_read_files(f, paths, n) < 0)
		return -1;
	fit_skip(&f->log, skip < f->log.steps ? skip : f->log.steps);
	if (f->log.steps < FIT_FEWEST_STEPS)
		return error("%s: too few steps of each worker%s: %zu (expected at least %d)%s",
			     f->path, skip ? " after those of --skip" : "", f->log.steps,
			     FIT_FEWEST_STEPS,
			     f->traces ? ". Profile more: active=200 in the schedule" : "");
	fit_warn_of_warm_up(&f->log);
	return 0;
}

int fit_write_csv(const struct steplog *l, const char *path)
{
	char *text;
	size_t size;
	FILE *out = xmemstream(&text, &size);
	int ret;

	fputs("worker,step,seconds\n", out);
	for (size_t w = 0; w < l->workers; w++)
		for (size_t k = 0; k < l->steps; k++)
			fprintf(out, "%zu,%zu,%.9g\n", w, k, l->seconds[w * l->steps + k]);
	xmemclose(out);
	ret = output_text(path, text);
	free(text);
	if (ret == 0)
		note("wrote %s", path);
	return ret;
}
