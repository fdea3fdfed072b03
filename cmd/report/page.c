/* The page of an experiment's outcome: plots, timelines, settings of the paper, the command. */
#include "cmd/report/parts.h"

#include "cmd/common.h"
#include "core/base/context.h"
#include "core/base/mem.h"
#include "core/file/code.h"
#include "core/file/json.h"
#include "core/file/members.h"
#include "core/file/paths.h"
#include "core/slow.h"
#include "core/text/word.h"
#include "plan/settings/settings.h"
#include "plan/spec/spec.h"
#include "record/environ.h"
#include "record/trace/trace.h"
#include "report/plot/forest.h"
#include "report/plot/plot.h"
#include "report/report.h"
#include "runner/results/folder.h"
#include "runner/single_run/simrun.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- settings that are not the paper's ---- */

/* All values of a setting, as the spec has it with its scale applied. The caller frees. */
static char *setting_values(const struct spec *s, const char *key)
{
	const char *usual = opt_find(settings_opts, key)->def, *base = point_text(&s->base, key);
	struct value one = { (char *)(spec_tune_has(s->tune, key) ? "tuned" :
				      base ? base : usual ? usual : ""), VALUE_TEXT };
	scoped_by(value_list_release) struct value_list all = { 0 };

	for (size_t i = 0; i < s->grid.n; i++)
		if (!product_values(&s->grid.v[i], key) && *one.text &&
		    !value_list_has(&all, one.text))
			value_list_add(&all, one);
	for (size_t i = 0; i < s->grid.n; i++) {
		const struct value_list *values = product_values(&s->grid.v[i], key);

		for (size_t k = 0; values && k < values->n; k++)
			if (*values->v[k].text && !value_list_has(&all, values->v[k].text))
				value_list_add(&all, values->v[k]);
	}
	return value_list_text(&all);
}

struct page_setting *report_settings(const struct spec *s)
{
	struct page_setting *all;
	struct spec paper;
	size_t n = 0;

	if (!json_get(json_get(s->json, "scales"), "paper") ||
	    spec_load_settings(&paper, s->path, "paper") < 0)
		return NULL;
	all = xcalloc(1, sizeof(*all));
	for (const struct opt *o = settings_opts; o->name; o++) {
		const struct page_setting one = { o->name, setting_values(&paper, o->name),
						  setting_values(s, o->name) };

		if (!strcmp(one.paper, one.here)) {
			free_all(one.paper, one.here);
			continue;
		}
		all = xrealloc(all, n + 2, sizeof(*all));
		all[n++] = one;
		all[n] = (struct page_setting){ 0 };
	}
	spec_release(&paper);
	return all;
}

void report_settings_free(struct page_setting *all)
{
	for (struct page_setting *one = all; one && one->name; one++)
		free_all(one->paper, one->here);
	free(all);
}

/* ---- plots ---- */

static bool plot_is_listed(const struct texts *paths, const char *dir, const char *name,
			   const char *suffix)
{
	scoped char *wanted = xasprintf("%s/plots/%s%s", dir, name, suffix);

	return texts_have(paths, wanted);
}

/*
 * Draws the plots that have something to draw into the plan's folder. One that could not be drawn
 * has no svg, after error() or a warning, and none has where their folder cannot be written.
 */
static struct pictures report_plots(const struct plan *p, const struct outcome *o)
{
	struct texts paths = { 0 };
	const bool drawn = draw_plots(p, o, NULL, "svg", NULL, &paths) == 0;
	struct pictures list = { 0 };
	const cJSON *plot;

	if (!drawn)
		texts_release(&paths);
	for (size_t i = 0; (plot = plot_at(p, i)); i++) {
		const char *name = json_word(plot, "name"), *title = json_word(plot, "title");

		if (!drawn || plot_is_listed(&paths, p->dir, name, ".gp"))
			pictures_add(
				&list, xstrdup(*title ? title : name),
				xasprintf("plots/%s.gp draws it from plots/%s.dat", name, name),
				plot_is_listed(&paths, p->dir, name, ".svg") ?
					xasprintf("%s/plots/%s.svg", p->dir, name) : NULL);
	}
	texts_release(&paths);
	return list;
}

/* ---- timelines: a few gradients of some runs, simulated again ---- */

enum {
	TIMELINES_MOST = 4,
	WORKERS_MOST = 64,              /* whose bars can be told apart */
	GRADIENTS_EACH = 6,             /* of a worker, on average */
	SAMPLES = 50000                 /* of an epoch, where only the data would say it */
};
#define SLOW_MOST 20.0                  /* that leaves something to see of the others */

static bool is_slowed(const struct planned *r)
{
	const double factor = slow_factor(setup_text(&r->su, "slow"));

	return factor > 1 && factor <= SLOW_MOST;
}

/* One run of each algorithm that this process may run: of several, one with a slow worker. */
static size_t timeline_choose(const struct plan *p, const struct planned *chosen[TIMELINES_MOST])
{
	size_t n = 0;

	for (size_t i = 0; i < plan_own_runs(p); i++) {
		const struct planned *r = &p->runs[i];
		size_t at = 0;          /* of the algorithm's run among those chosen */

		while (at < n && strcmp(setup_text(&chosen[at]->su, "algo"),
					setup_text(&r->su, "algo")) != 0)
			at++;
		if ((r->su.algo.plugin->code && !code_permitted()) ||
		    r->su.in.engine != ENGINE_SIM || r->su.num.workers <= 1 ||
		    r->su.num.workers > WORKERS_MOST)
			continue;
		if (at == n && n < TIMELINES_MOST)
			chosen[n++] = r;
		else if (at < n && !is_slowed(chosen[at]) && is_slowed(r))
			chosen[at] = r;
	}
	return n;
}

/*
 * Simulates the first gradients of a run, clocks alone, and draws them as DIR/NAME.svg, of which
 * `svg` is the path. True when it was drawn; a run whose clocks cannot run alone has *able false.
 */
static bool timeline_draw(const struct plan *p, const struct planned *r, const char *dir,
			  const char *name, const char *svg, bool *able)
{
	const int64_t samples = r->su.samples > 0 ? r->su.samples : SAMPLES;
	scoped_json cJSON *set =
		OBJECT(j_bool("timing", true), j_number("samples", (double)samples),
		       j_number("gradients", (double)(GRADIENTS_EACH * r->su.num.workers)));
	char *file = xasprintf("%s/%s.trace", dir, name), *result = xasprintf("%s.h5", file);
	const struct run_context context = { .experiment = "", .scale = "", .path = result,
					     .trace = file, .threads = 1 };
	struct result_lock lock;
	struct trace trace;
	struct setup su;
	bool drawn = false;

	context_mute();
	setup_init(&su);
	*able = settings_apply_point(&su.in, &p->spec.base, p->spec.path) == 0 &&
		settings_apply_point(&su.in, &r->point, p->spec.path) == 0 &&
		settings_apply_point(&su.in, &r->extra, p->spec.path) == 0 &&
		settings_apply(&su.in, set, p->spec.path) == 0 && setup_resolve(&su) == 0;
	context_set(r->label);
	if (*able) {
		lock = result_lock(file);
		if (simrun(&su, NULL, &context) == RUN_END_DONE && trace_read(&trace, file) == 0) {
			drawn = trace_plot(&trace, dir, name, "svg", NULL) == 0;
			trace_release(&trace);
		}
		unlink(result);
		unlink(file);
		result_unlock(&lock);
	}
	context_set(NULL);
	setup_release(&su);
	free_all(file, result);
	return drawn && access(svg, R_OK) == 0;
}

/*
 * Draws timelines into the plan's folder. One that could not be drawn has no svg, after error() or
 * a warning.
 */
static struct pictures report_timelines(const struct plan *p)
{
	const struct planned *chosen[TIMELINES_MOST];
	const size_t n = timeline_choose(p, chosen);
	scoped char *dir = xasprintf("%s/timelines", p->dir);
	scoped_by(texts_release) struct texts names = { 0 };
	const bool usable = n == 0 || dir_make(dir) == 0;
	struct pictures list = { 0 };

	for (size_t i = 0; i < n; i++) {
		const char *label = chosen[i]->label;
		scoped char *name = xasprintf("timeline-%zu", list.n + 1);
		scoped char *svg = xasprintf("%s/%s.svg", dir, name);
		bool able = true, drawn = false;

		if (usable)
			drawn = timeline_draw(p, chosen[i], dir, name, svg, &able);
		if (able) {
			pictures_add(&list, xasprintf("Timeline: %s", label),
				     xstrdup(*label ? label : "the run"),
				     drawn ? xstrdup(svg) : NULL);
			texts_put(&names, name);
		}
	}
	plots_remove_others(dir, &names, "svg");
	return list;
}

/* ---- the claims' differences ---- */

/* Draws them into the plan's folder; no picture where no claim compares groups of runs. */
static struct pictures report_forest(const struct plan *p, const struct outcome *o)
{
	scoped char *dir = xasprintf("%s/forest", p->dir);
	scoped_by(texts_release) struct texts paths = { 0 };
	struct pictures list = { 0 };
	scoped char *svg = xasprintf("%s/claims.svg", dir);
	const int rows = forest_write(o->claims, dir, &paths);

	if (rows != 0)
		pictures_add(&list, xstrdup("Differences that the claims rest on"),
			     xasprintf("A row for each comparison, with the number of its claim: "
				       "difference and interval. %s/claims.gp draws it from "
				       "claims.dat.", dir),
			     rows > 0 && access(svg, R_OK) == 0 ? xstrdup(svg) : NULL);
	return list;
}

/* ---- the page ---- */

/* The runs and this page again, as a shell takes it, with seeds of looks. The caller frees. */
static char *command_of(const char *given, const struct plan *p, const cJSON *set)
{
	const char *name = word_ends(given, ".json") ? given : p->spec.name;
	char **argv = xcalloc((size_t)cJSON_GetArraySize(set) + 5, sizeof(*argv));
	char *seeds = p->looks ? xasprintf(" --decide --max-seeds %d", p->looks->most) :
				 xstrdup("");
	char *words[] = { "convoy", "run", (char *)name, "--scale", p->spec.scale };
	char *run, *page, *both;
	const cJSON *value;
	int n = 0;

	while (n < (json_get(p->spec.json, "scales") ? 5 : 3)) {
		argv[n] = xstrdup(words[n]);
		n++;
	}
	cJSON_ArrayForEach(value, set)
		argv[n++] = xasprintf("--%s=%s", value->string, value->valuestring);
	run = environ_quote(n, argv);
	free(argv[1]);
	argv[1] = xstrdup("report");
	page = environ_quote(n, argv);
	both = xasprintf("%s%s\n%s", run, seeds, page);
	while (n > 0)
		free(argv[--n]);
	free_all(argv, run, page, seeds);
	return both;
}

int report_page(const char *name, const struct plan *p, struct outcome *o,
		const cJSON *set, const char *path)
{
	struct pictures plots = report_plots(p, o), timelines = report_timelines(p);
	struct pictures forest = report_forest(p, o);
	struct page_setting *settings = report_settings(&p->spec);
	scoped char *command = command_of(name, p, set), *changes = changes_text(&p->changes);
	const struct result *runs = o->runs.v;
	struct page page = {
		.name = p->spec.name, .scale = p->spec.scale, .spec = p->spec.json,
		.claims = o->claims, .tables = &o->tables, .forest = &forest, .plots = &plots,
		.timelines = &timelines,
		.settings = settings, .facts = outcome_made(o), .changes = changes,
		.warning = o->gap, .command = command,
	};
	int ret;

	/* of runs that differ in the seed, plots show means */
	for (size_t i = 1; i < o->runs.n; i++)
		page.means |= fabs(runs[i].number[RESULT_SEED] - runs[0].number[RESULT_SEED]) > 0;
	ret = page_write(&page, path);

	pictures_release(&forest);
	pictures_release(&plots);
	pictures_release(&timelines);
	report_settings_free(settings);
	return ret;
}
