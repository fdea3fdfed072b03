#include "cmd/report_timeline.h"

#include "cmd/context.h"
#include "cmd/simrun.h"
#include "core/mem.h"
#include "core/paths.h"
#include "report/measure.h"
#include "report/trace.h"

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

/* The place of the algorithm's run among those chosen; n: it has none. */
static size_t place_of(const struct planned *const *chosen, size_t n, const struct planned *r)
{
	size_t i = 0;

	while (i < n && !same_algorithm(chosen[i], r))
		i++;
	return i;
}

static size_t choose(const struct plan *p, const struct planned *chosen[TIMELINES_MOST])
{
	size_t n = 0;

	for (size_t i = 0; i < p->n - p->nbaselines; i++) {
		const struct planned *r = &p->runs[i];
		const size_t at = place_of(chosen, n, r);

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
	      settings_apply(&su->in, set, p->spec.path) < 0 || setup_resolve(su) < 0;
	cJSON_Delete(set);
	return ret ? -1 : 0;
}

/* Records the run at `trace`; its result goes away again. */
static int record(const struct plan *p, const struct planned *r, const char *trace)
{
	char *result = xasprintf("%s.h5", trace);
	struct trip trip = { .experiment = "", .scale = "", .path = result, .trace = trace,
			     .threads = 1 };
	struct setup su;
	int ret = resolve_short(&su, p, r);

	if (ret == 0)
		ret = simrun(&su, NULL, &trip) == TRIP_DONE ? 0 : -1;
	setup_release(&su);
	unlink(result);
	free(result);
	return ret;
}

static void add_picture(cJSON *list, const struct planned *r, const char *svg)
{
	cJSON *picture = cJSON_CreateObject();
	char *title = xasprintf("Timeline: %s", r->label);

	cJSON_AddStringToObject(picture, "title", title);
	cJSON_AddStringToObject(picture, "caption", *r->label ? r->label : "the run");
	cJSON_AddStringToObject(picture, "svg", svg);
	cJSON_AddItemToArray(list, picture);
	free(title);
}

static void draw(cJSON *list, const struct plan *p, const struct planned *r, const char *dir)
{
	char *name = xasprintf("timeline-%d", cJSON_GetArraySize(list) + 1);
	char *file = xasprintf("%s/%s.trace", dir, name), *svg = xasprintf("%s/%s.svg", dir, name);
	struct trace trace;
	cJSON *paths = NULL;

	if (record(p, r, file) == 0 && trace_read(&trace, file) == 0) {
		paths = trace_plot(&trace, dir, name);
		trace_release(&trace);
	}
	if (paths && access(svg, R_OK) == 0)
		add_picture(list, r, svg);
	cJSON_Delete(paths);
	unlink(file);
	free(name);
	free(file);
	free(svg);
}

cJSON *report_timelines(const struct plan *p)
{
	const struct planned *chosen[TIMELINES_MOST];
	const size_t n = choose(p, chosen);
	char *dir = xasprintf("%s/timelines", p->dir);
	cJSON *list = cJSON_CreateArray();

	context_mute();
	if (n > 0 && dir_make(dir) == 0)
		for (size_t i = 0; i < n; i++)
			draw(list, p, chosen[i], dir);
	context_set(NULL);
	free(dir);
	return list;
}
