/* Plans, finished runs and plots, as several commands print, read and draw them. */
#include "cmd/common.h"

#include "core/base/error.h"
#include "core/file/json.h"
#include "core/file/members.h"
#include "core/text/utf8.h"
#include "core/text/word.h"
#include "plan/resolve/remarks.h"
#include "plan/spec_tune.h"
#include "record/measure.h"
#include "report/plot/plot.h"
#include "runner/launch/launch.h"
#include "runner/results/folder.h"
#include "runner/signals.h"
#include "runner/single_run/single.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static cJSON *planned_json(const struct planned *r)
{
	return OBJECT(j_json("settings", setup_settings_json(&r->su)),
		      j_text("hash", r->open ? NULL : r->su.hash),
		      j_text("status", run_state_name[r->state]),
		      j_text("file", r->open ? NULL : r->path),
		      j_json("point", point_json(&r->point)),
		      j_json("assumed", assumed_json(&r->su)),
		      j_json("sources", setting_sources_json(r->su.sources)));
}

static cJSON *planned_list(const struct planned *r, size_t n)
{
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; i < n; i++)
		list_add(list, planned_json(&r[i]));
	return list;
}

static cJSON *plan_json(const struct plan *p, const struct estimate *e,
			const struct estimate *tuning)
{
	const size_t n = plan_own_runs(p);
	cJSON *json = cJSON_CreateObject();

	if (*p->spec.name)
		ADD(json, j_text("experiment", p->spec.name), j_text("scale", p->spec.scale));
	if (e)
		ADD(json, j_json("estimate", estimate_json(e)));
	if (p->tuning) {
		const struct plan *t = &p->tuning->plan;
		cJSON *choice = cJSON_CreateObject();

		if (tuning)
			ADD(choice, j_json("estimate", estimate_json(tuning)));
		ADD(choice, j_json("runs", planned_list(t->runs, t->n)),
		    j_json("chosen", tuning_json(p)));
		ADD(json, j_json("tuning", choice));
	}
	ADD(json, j_json("runs", planned_list(p->runs, n)));
	if (!*p->spec.name)
		ADD(json, j_json("baselines", planned_list(&p->runs[n], p->nbaselines)));
	else if (p->nbaselines)
		ADD(json, j_json("baseline", planned_json(&p->runs[n])));
	return json;
}

/* How many runs are to do, where, and for how long. */
static void plan_print_head(const struct plan *p, const struct estimate *e)
{
	scoped char *takes = e ? estimate_text(e) : NULL;
	const size_t todo = plan_count(p, RUN_TODO);

	if (*p->spec.name)
		printf("%s, scale %s: ", p->spec.name, p->spec.scale);
	printf("%zu %s%srun%s to do, %zu finished, in %s\n", todo,
	       p->stage ? p->stage : "", p->stage ? " " : "", word_plural((double)todo),
	       plan_count(p, RUN_FINISHED), p->stage ? p->folder : p->dir);
	if (takes)
		printf("%s\n", takes);
}

static void plan_print_runs(const struct plan *p)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct planned *r = &p->runs[i];

		printf("%-16s  %-9s %s%s\n", r->open ? "-" : r->su.hash,
		       run_state_name[r->state], r->label,
		       i >= plan_own_runs(p) ? "  (baseline)" : "");
	}
}

void plan_print(const struct plan *p, const struct estimate *e, const struct estimate *tuning,
		bool json)
{
	char *text;

	if (json) {
		json_print_own(plan_json(p, e, tuning));
		return;
	}
	if (p->tuning) {
		plan_print_head(&p->tuning->plan, tuning);
		plan_print_runs(&p->tuning->plan);
		text = tuning_text(p);
		if (text)
			printf("%s\n", text);
		putchar('\n');
		free(text);
	}
	plan_print_head(p, e);
	settings_table_of_plan(p);
	plan_print_runs(p);
}

void runs_print(const struct results *runs)
{
	static const struct {
		enum measure_id measure;
		const char *head, *format;
		int width;
	} columns[] = {
		{ MEASURE_TIME, "time [s]", "%.4g", 12 },
		{ MEASURE_TIME_PER_EPOCH, "s/epoch", "%.4g", 10 },
		{ MEASURE_SPEEDUP, "speedup", "%.3g", 8 },
		{ MEASURE_WAIT_SHARE, "wait", "%.3f", 7 },
		{ MEASURE_TRAIN_LOSS, "train loss", "%.4f", 10 },
		{ MEASURE_TEST_ACCURACY, "accuracy", "%.4f", 8 },
	};
	enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

	for (size_t k = 0; k < COLUMNS; k++)
		printf("%s%*s", k ? "  " : "", columns[k].width, columns[k].head);
	putchar('\n');
	for (const struct result *r = runs->v; r < runs->v + runs->n; r++) {
		const struct result_values *point = &r->values[RESULT_POINT];

		for (size_t k = 0; k < COLUMNS; k++) {
			const double x = r->number[columns[k].measure];
			char text[64] = "-";

			if (!isnan(x))
				snprintf(text, sizeof(text), columns[k].format, x);
			printf("%s%*s", k ? "  " : "", columns[k].width, text);
		}
		for (size_t k = 0; k < point->n; k++)
			printf("  %s=%s", point->v[k].key, point->v[k].text);
		if (r->text[RESULT_REMARK])
			printf("  (%s)", r->text[RESULT_REMARK]);
		putchar('\n');
	}
}

/* ---- plots ---- */

void paths_print(const struct texts *paths, const char *before)
{
	for (size_t i = 0; i < paths->n; i++) {
		printf("%s", i ? "" : before);
		utf8_puts(paths->v[i]);
	}
}

/* The tuning of a plan that has chosen settings; else NULL. */
static const struct tuning *tuning_of(const struct plan *p)
{
	return p->tuning && p->tuning->results.n ? p->tuning : NULL;
}

const cJSON *plot_at(const struct plan *p, size_t i)
{
	const struct tuning *t = tuning_of(p);
	const cJSON *plots[] = { json_get(p->spec.json, "plots"),
				 t ? json_get(t->plan.spec.json, "plots") : NULL };

	for (int k = 0; k < 2; k++)
		for (const cJSON *plot = plots[k] ? plots[k]->child : NULL; plot; plot = plot->next)
			if (i-- == 0)
				return plot;
	return NULL;
}

int draw_plots(const struct plan *p, const struct outcome *o, const char *name,
	       const char *format, const struct plot_form *form, struct texts *paths)
{
	const struct tuning *t = tuning_of(p);
	struct texts names = { 0 };
	struct result_lock lock;
	scoped char *dir = NULL, *turn = NULL;
	int ret = 0;

	if (!plot_at(p, 0) && !t)
		return 0;
	dir = xasprintf("%s/plots", p->dir);
	/* Of two that draw at once, one would list pictures while the other has removed them. */
	turn = xasprintf("%s/plots", p->folder);
	lock = result_lock(turn);
	if (folder_prepare(dir) < 0 ||
	    plots_write(p->spec.json, &o->runs, name, dir, format, form, paths) < 0 ||
	    (t && plots_write(t->plan.spec.json, &t->results, name, dir, format, form, paths) < 0))
		ret = -1;
	if (ret == 0 && !name && !signal_caught) {
		/* Of the same plots, earlier runs may have made more parts, or fewer. */
		for (size_t i = 0; plot_at(p, i); i++)
			texts_put(&names, json_word(plot_at(p, i), "name"));
		plots_remove_others(dir, &names, format);
		texts_release(&names);
	}
	result_unlock(&lock);
	if (signal_caught)
		note("interrupted: plots may be missing; the same command draws them");
	return ret;
}

/* ---- one result ---- */

int result_print(const struct setup *su, const char *path, bool json, bool quiet)
{
	struct result r;

	if (result_load(&r, path, RESULT_TOTALS) < 0)
		return EXIT_BAD;
	single_print_result(&r, json);
	/*
	 * Workers that share one memory send nothing in any case, and a remark tells of those that
	 * failures left no time.
	 */
	if (!quiet && !(r.number[MEASURE_GOODPUT] <= 0.0) && su->num.workers >= 2 &&
	    !setup_algo(su)->shared && r.number[MEASURE_BYTES_SENT] == 0.0) {
		static const char *const keys[] = { "period", "tau", "push" };
		const struct choice *algo = &su->algo;
		const struct opt *o = NULL;
		char *period, *value;

		/* after how many local steps they would have, where an option says so */
		for (size_t i = 0; algo->plugin->opts && i < sizeof(keys) / sizeof(keys[0]); i++)
			o = o ? o : opt_find(algo->plugin->opts, keys[i]);
		value = o ? opt_format(o, algo->conf) : NULL;
		period = o ? xasprintf(" (%s=%s)", o->name, value) : xstrdup("");
		free(value);

		note("no worker sent anything: the run ended before the first exchange%s. Make it "
		     "longer, or let the workers exchange more often", period);
		free(period);
	}
	result_release(&r);
	return EXIT_OK;
}

/* ---- ranks ---- */

int ranks_check_same(const struct args *a, const struct setup *su)
{
	/* Options that each rank may have of its own, or that only the launcher needs. */
	static const char *const own[] = { "n", "threads", "quiet", "json", "hosts", "hostfile",
					   "mpirun", NULL };
	scoped char *lines = xstrdup("");

	for (const struct opt *o = a->syntax->opts; o->name; o++) {
		scoped char *text = word_is_among(o->name, own) ? NULL : opt_format(o, a->conf);

		if (text)
			xappendf(&lines, "", "%s\t%s = %s\n", text, o->name, *text ? text : "none");
	}
	xappend_own(&lines, "", setup_identity(su));
	return world_check_same(lines, ALL_ALIKE);
}

/* ---- settings that a command line asks for ---- */

size_t key_length(const char *text)
{
	size_t n = 0;

	while (isalnum((unsigned char)text[n]) || text[n] == '_' || text[n] == '-')
		n++;
	return text[n] == '=' ? n : 0;
}

/* ---- table, plot and claims, of the runs that are finished ---- */

typedef int shower(const struct plan *p, const struct outcome *o, const void *conf);

int finished_show(const struct args *a, enum finished_which which, shower *show)
{
	const struct finished *f = a->conf;
	struct plan_request request = {
		.experiment = a->words[0], .scale = f->scale, .set = a->set, .only = f->only,
		.out = results_folder(f->out),
	};
	scoped_by(latest_release) struct last last = { 0 };
	struct outcome outcome = { 0 };
	struct plan plan;
	int code = EXIT_BAD, made;

	if (a->set->child || latest_find(&last, &request, which == FINISHED_UNCHANGED) == 0) {
		made = plan_make(&plan, &request);
		if (made == 0 && plan_count(&plan, RUN_FINISHED) == 0) {
			latest_error(&plan, request.out);
		} else if (made == 0) {
			outcome_missing(&plan);
			if (outcome_read(&outcome, &plan) == 0)
				code = show(&plan, &outcome, f);
		}
		outcome_release(&outcome);
		plan_release(&plan);
	}
	return code;
}
