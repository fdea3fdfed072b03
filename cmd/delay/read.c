/* read.c - the log of `convoy delay fit`: a CSV file, or traces of torch.profiler. */
#include "cmd/delay/fit.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "report/text/output.h"
#include "report/trace/json_items.h"
#include "report/trace/torch_log.h"

#include <stdio.h>
#include <stdlib.h>

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

int fit_read(struct fit *f, const char *const *paths, size_t n)
{
	f->path = n == 1 ? xstrdup(paths[0])
			 : xasprintf("%s and %zu more", paths[0], n - 1);
	if (fit_read_files(f, paths, n) < 0)
		return -1;
	if (f->log.steps >= FIT_FEWEST_STEPS)
		return 0;
	return error("%s: too few steps of each worker: %zu (expected at least %d)%s", f->path,
		     f->log.steps, FIT_FEWEST_STEPS,
		     f->traces ? ". Profile more: active=200 in the schedule" : "");
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
