/* Chooses runs for a report's timelines, repeats a few gradients of each and draws them. */
#include "cmd/report/parts.h"

#include "core/base/context.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "record/measure.h"
#include "record/trace/trace.h"
#include "report/plot/plot.h"
#include "report/report.h"
#include "runner/results/lock.h"
#include "runner/single_run/simrun.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	TIMELINES_MOST = 4,
	WORKERS_MOST = 64,              /* whose bars can be told apart */
	GRADIENTS_EACH = 6,             /* of a worker, on average */
	SAMPLES = 50000                 /* of an epoch, where the data say how many */
};
#define SLOW_MOST 20.0                  /* that leaves something to see of the others */

/* ---- which runs ---- */

static bool is_drawable(const struct planned *r)
{
	return r->su.in.engine == ENGINE_SIM && r->su.num.workers > 1 &&
	       r->su.num.workers <= WORKERS_MOST;
}

static bool is_slowed(const struct planned *r)
{
	const double factor = slow_factor(setup_text(&r->su, "slow"));

	return factor > 1 && factor <= SLOW_MOST;
}

static bool same_algorithm(const struct planned *a, const struct planned *b)
{
	return strcmp(setup_text(&a->su, "algo"), setup_text(&b->su, "algo")) == 0;
}

/* The index of the algorithm's run among those chosen; n: it has none. */
static size_t timeline_index_of(const struct planned *const *chosen, size_t n,
				const struct planned *r)
{
	size_t i = 0;

	while (i < n && !same_algorithm(chosen[i], r))
		i++;
	return i;
}

static size_t timeline_choose(const struct plan *p, const struct planned *chosen[TIMELINES_MOST])
{
	size_t n = 0;

	for (size_t i = 0; i < p->n - p->nbaselines; i++) {
		const struct planned *r = &p->runs[i];
		const size_t at = timeline_index_of(chosen, n, r);

		if (!is_drawable(r))
			continue;
		if (at == n && n < TIMELINES_MOST)
			chosen[n++] = r;
		else if (at < n && !is_slowed(chosen[at]) && is_slowed(r))
			chosen[at] = r;
	}
	return n;
}

/* ---- one of them ---- */

/* The run's settings with the clocks alone, up to a few gradients. The caller frees. */
static cJSON *short_settings(const struct planned *r)
{
	cJSON *set = cJSON_CreateObject();
	const int64_t samples = r->su.samples > 0 ? r->su.samples : SAMPLES;

	cJSON_AddBoolToObject(set, "timing", true);
	cJSON_AddNumberToObject(set, "samples", (double)samples);
	cJSON_AddNumberToObject(set, "gradients", (double)(GRADIENTS_EACH * r->su.num.workers));
	return set;
}

static int resolve_short(struct setup *su, const struct plan *p, const struct planned *r)
{
	cJSON *set = short_settings(r);
	int ret;

	setup_init(su);
	ret = settings_apply(&su->in, p->spec.base, p->spec.path) < 0 ||
	      settings_apply(&su->in, r->point, p->spec.path) < 0 ||
	      settings_apply(&su->in, r->extra, p->spec.path) < 0 ||
	      settings_apply(&su->in, set, p->spec.path) < 0 || setup_resolve(su) < 0;
	cJSON_Delete(set);
	return ret ? -1 : 0;
}

/* Records the run at `trace`; its result goes away again. */
static int timeline_record(const struct setup *su, const char *trace)
{
	char *result = xasprintf("%s.h5", trace);
	struct run_context context = { .experiment = "", .scale = "", .path = result,
				       .trace = trace, .threads = 1 };
	const enum run_end end = simrun(su, NULL, &context);

	unlink(result);
	free(result);
	return end == RUN_END_DONE ? 0 : -1;
}

/* svg NULL: it was not drawn. */
static void add_picture(cJSON *list, const struct planned *r, const char *svg)
{
	cJSON *picture = cJSON_CreateObject();
	char *title = xasprintf("Timeline: %s", r->label);

	cJSON_AddStringToObject(picture, "title", title);
	cJSON_AddStringToObject(picture, "caption", *r->label ? r->label : "the run");
	if (svg)
		cJSON_AddStringToObject(picture, "svg", svg);
	cJSON_AddItemToArray(list, picture);
	free(title);
}

/* Draws DIR/NAME.svg; 0 or error(). */
static int draw(const struct setup *su, const char *dir, const char *name)
{
	char *file = xasprintf("%s/%s.trace", dir, name);
	const struct result_lock lock = result_lock(file);
	struct trace trace;
	cJSON *paths = NULL;

	if (timeline_record(su, file) == 0 && trace_read(&trace, file) == 0) {
		paths = trace_plot(&trace, dir, name, "svg");
		trace_release(&trace);
	}
	unlink(file);
	result_unlock(&lock);
	free(file);
	if (!paths)
		return -1;
	cJSON_Delete(paths);
	return 0;
}

/* One whose clocks cannot run alone has no timeline. */
static void add_timeline(cJSON *list, const struct plan *p, const struct planned *r,
			 const char *dir)
{
	char *name = xasprintf("timeline-%d", cJSON_GetArraySize(list) + 1);
	char *svg = xasprintf("%s/%s.svg", dir, name);
	struct setup su;
	int ret;

	context_mute();
	ret = resolve_short(&su, p, r);
	context_set(r->label);
	if (ret == 0) {
		const bool drawn = draw(&su, dir, name) == 0 && access(svg, R_OK) == 0;

		add_picture(list, r, drawn ? svg : NULL);
	}
	context_set(NULL);
	setup_release(&su);
	free(name);
	free(svg);
}

cJSON *report_timelines(const struct plan *p)
{
	const struct planned *chosen[TIMELINES_MOST];
	const size_t n = timeline_choose(p, chosen);
	char *dir = xasprintf("%s/timelines", p->dir);
	cJSON *list = cJSON_CreateArray(), *names = cJSON_CreateArray();
	const bool usable = n == 0 || dir_make(dir) == 0;

	for (size_t i = 0; i < n; i++)
		if (usable)
			add_timeline(list, p, chosen[i], dir);
		else
			add_picture(list, chosen[i], NULL);
	for (int i = 1; i <= cJSON_GetArraySize(list); i++) {
		char name[32];

		snprintf(name, sizeof(name), "timeline-%d", i);
		cJSON_AddItemToArray(names, cJSON_CreateString(name));
	}
	plots_remove_others(dir, names, "svg");
	cJSON_Delete(names);
	free(dir);
	return list;
}
