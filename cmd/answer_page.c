/* Fills the page of an answer from its JSON; short runs are simulated again for timelines. */
#include "cmd/answer_page.h"

#include "cmd/answer_parts.h"
#include "core/base/context.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "core/node.h"
#include "core/text/utf8.h"
#include "core/text/word.h"
#include "plan/resolve/setup.h"
#include "record/environ.h"
#include "record/record.h"
#include "record/trace/trace.h"
#include "runner/single_run/simrun.h"
#include "study/advise/advise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	TIMELINES = 2, LANES = 6,
	STEPS = 8, STEPS_MOST = 60      /* gradients of a worker in a timeline */
};

struct grid_point answer_given(const cJSON *answer)
{
	const cJSON *given = json_get(answer, "given"), *v;
	struct grid_point point = { 0 };

	cJSON_ArrayForEach(v, given) {
		const struct opt *o = v->string ? opt_find(settings_opts, v->string) : NULL;
		char *text = o ? json_text(v) : NULL;

		if (text)
			point_put_text(&point, o->name, text);
		free(text);
	}
	return point;
}

const char *element_text(const cJSON *v)
{
	return cJSON_IsString(v) ? v->valuestring : "";
}

/* ---- timelines ---- */

struct grid_point answer_settings(const cJSON *answer)
{
	struct grid_point given = answer_given(answer), means = { 0 };

	for (size_t i = 0; i < given.n; i++) {
		const char *key = given.v[i].key, *text = given.v[i].value.text;
		struct uncertain_list own = { 0 };
		double *mean;

		if (uncertain_find(&own, key, text) == 0) {
			mean = xcalloc(own.n + 1, sizeof(*mean));
			for (size_t k = 0; k < own.n; k++)
				mean[k] = own.v[k].mean;
			point_put_last(&means, key, uncertain_fill(text, mean));
			free(mean);
		}
		uncertain_release(&own);
	}
	point_release(&given);
	return means;
}

/* Keeps the spans of some nodes: at most LANES, from the first worker to the last. */
static void gantt_fill(struct gantt *g, const struct trace *t)
{
	size_t n;
	struct span *span = trace_spans(t, &n);
	const int shown = t->nodes < LANES ? t->nodes : LANES;

	g->lane = xcalloc((size_t)shown + 1, sizeof(*g->lane));
	g->span = xcalloc(n + 1, sizeof(*g->span));
	for (int i = 0; i < shown; i++) {
		const int node = shown > 1 ? i * (t->nodes - 1) / (shown - 1) : 0;
		char name[32];

		trace_node_name(node < t->workers ? node : SERVER, name);
		g->lane[g->nlanes] = xstrdup(name);
		for (size_t k = 0; k < n; k++)
			if (span[k].node == node && !span[k].during_grad) {
				g->span[g->n++] = (struct gantt_span){
					g->nlanes, (int)span[k].state, span[k].from, span[k].to };
				g->seconds = fmax(g->seconds, span[k].to);
			}
		g->nlanes++;
	}
	free(span);
}

/* Simulates the first steps of an algorithm; false: that is not possible. */
static bool gantt_simulate(struct gantt *g, const struct grid_point *settings, const char *algo,
			   const char *path)
{
	char *file = xasprintf("%s.trace", path);
	struct record_figures figures;
	const struct run_context context = { .experiment = "", .scale = "", .path = file,
					     .trace = file, .threads = 1, .figures = &figures };
	struct setup su;
	struct trace trace;
	bool done = false;

	*g = (struct gantt){ 0 };
	context_mute();
	setup_init(&su);
	if (settings_apply_point(&su.in, settings, "command line") == 0 &&
	    settings_set(&su.in, "algo", algo, "command line") == 0 &&
	    settings_set(&su.in, "timing", "true", "command line") == 0 &&
	    setup_resolve(&su) == 0) {
		const char *round = setup_algo(&su)->round;
		const struct opt *o = round ? opt_find(su.algo.plugin->opts, round) : NULL;
		char *steps = o ? opt_format(o, su.algo.conf) : NULL;
		double each = fmin(fmax(STEPS, steps ? strtod(steps, NULL) + 2.0 : 0.0),
				   STEPS_MOST);

		su.in.gradients = (int64_t)each * su.num.workers;
		su.in.time_from = 0;
		su.in.seconds = 0.0;
		if (su.in.engine == ENGINE_SIM && simrun(&su, NULL, &context) == RUN_END_DONE &&
		    trace_read(&trace, file) == 0) {
			gantt_fill(g, &trace);
			trace_release(&trace);
			g->title = xasprintf("The first seconds of %s, with these settings", algo);
			done = g->n > 0;
		}
		free(steps);
	}
	setup_release(&su);
	context_unmute();
	unlink(file);
	free(file);
	if (!done)
		gantt_release(g);
	return done;
}

void page_add_gantt(struct answer_page *p, const struct grid_point *settings,
			   const char *algo, const char *path)
{
	struct gantt g;

	if (p->ngantts == TIMELINES || !*algo || !gantt_simulate(&g, settings, algo, path))
		return;
	p->gantt = xrealloc(p->gantt, p->ngantts + 1, sizeof(*p->gantt));
	p->gantt[p->ngantts++] = g;
}

/* ---- parts of all pages ---- */

struct chart *page_add_chart(struct answer_page *p, enum chart_kind kind, char *title)
{
	p->chart = xrealloc(p->chart, p->ncharts + 1, sizeof(*p->chart));
	p->chart[p->ncharts] = (struct chart){ .kind = kind, .title = title,
					       .strip_lo = (double)NAN, .strip_hi = (double)NAN };
	return &p->chart[p->ncharts++];
}

void grid_add(struct text_grid *g, char **cell, size_t n)
{
	if (!g->columns)
		g->columns = n;
	g->cell = xrealloc(g->cell, (g->rows + 1) * g->columns, sizeof(*g->cell));
	memcpy(g->cell + g->rows * g->columns, cell, n * sizeof(*cell));
	g->rows++;
}

static void page_add_facts(struct answer_page *p, const cJSON *answer)
{
	const cJSON *assumed = json_get(answer, "assumed"), *v;
	struct grid_point given = answer_given(answer);

	for (size_t i = 0; i < given.n; i++) {
		const char *key = given.v[i].key, *source = json_word(assumed, key);

		if (strcmp(key, "timing") != 0)
			answer_fact_add(p, key, given.v[i].value.text, *source ? source : NULL);
	}
	cJSON_ArrayForEach(v, assumed) {
		char *value = json_text(json_get(json_get(answer, "settings"), v->string));

		if (v->string && !point_text(&given, v->string))
			answer_fact_add(p, v->string, value ? value : "default", element_text(v));
		free(value);
	}
	point_release(&given);
}

char *given_text(const cJSON *answer)
{
	struct grid_point given = answer_given(answer);
	char *text;

	point_drop(&given, "timing");
	text = point_words(&given);
	point_release(&given);
	return text;
}

/* The command that asks again, of the settings given and the words before. The caller frees. */
static char *composed_command(const cJSON *answer, char *words)
{
	struct grid_point given = answer_given(answer);

	for (size_t i = 0; i < given.n; i++) {
		char *option = word_option(given.v[i].key);
		char *argv[] = { option, given.v[i].value.text };

		if (strcmp(given.v[i].key, "timing") != 0)
			xappend_own(&words, " ", environ_quote(2, argv));
		free(option);
	}
	point_release(&given);
	return words;
}

double number_or_nan(const cJSON *object, const char *key)
{
	const cJSON *v = json_get(object, key);

	return cJSON_IsNumber(v) ? v->valuedouble : (double)NAN;
}

void series_add(struct chart *c, const char *name, size_t n)
{
	struct chart_series *s = &c->series[c->nseries];

	for (size_t i = 0; i < c->nseries; i++)
		if (strcmp(c->series[i].name, name) == 0)
			return;
	if (c->nseries == CHART_SERIES)
		return;
	c->nseries++;
	*s = (struct chart_series){ xstrdup(name), xcalloc(n, sizeof(double)),
				    xcalloc(n, sizeof(double)), xcalloc(n, sizeof(double)) };
}

/* ---- runs of sim ---- */

static const cJSON *run_quickest(const cJSON *runs)
{
	const cJSON *best = NULL, *r;

	cJSON_ArrayForEach(r, runs)
		if (number_or_nan(r, "time_per_epoch_s") > 0.0 &&
		    (!best || number_or_nan(r, "time_per_epoch_s") <
				      number_or_nan(best, "time_per_epoch_s")))
			best = r;
	return best;
}

/* "asgd, 16": what tells the run from others, or its algorithm. The caller frees. */
static char *run_name(const cJSON *run)
{
	struct grid_point point = point_read(json_get(run, "point"));
	char *name = point_values_text(&point);

	point_release(&point);
	if (!*name) {
		free(name);
		name = xstrdup(json_word(json_get(run, "settings"), "algo"));
	}
	return name;
}

static void runs_table(struct answer_page *p, const cJSON *runs)
{
	static const char *const keys[] = { "time_per_epoch_s", "speedup", "wait_share",
					    "staleness_mean", "train_loss", "test_accuracy" };
	static const char *const heads[] = { "run", "epoch [s]", "speedup", "share waiting",
					     "staleness", "training loss", "test accuracy" };
	enum { COLUMNS = sizeof(heads) / sizeof(heads[0]) };
	char *cell[COLUMNS];
	const cJSON *r;

	p->table_title = xstrdup("Runs");
	p->table = grid_new();
	for (size_t i = 0; i < COLUMNS; i++)
		cell[i] = xstrdup(heads[i]);
	grid_add(p->table, cell, COLUMNS);
	cJSON_ArrayForEach(r, runs) {
		if (p->table->rows > 2 * ANSWER_ROWS)
			break;
		cell[0] = run_name(r);
		for (size_t i = 1; i < COLUMNS; i++) {
			const double x = number_or_nan(r, keys[i - 1]);

			cell[i] = isnan(x) ? xstrdup("-") : xasprintf("%.4g", x);
		}
		grid_add(p->table, cell, COLUMNS);
	}
}

static int page_of_runs(struct answer_page *p, const cJSON *answer, const char *path)
{
	const cJSON *runs = json_get(answer, "runs"), *best = run_quickest(runs), *r, *v;
	/* settings of the length, and those that a timing-only run has as "none" */
	static const char *const lengths[] = { "gradients", "seconds", "epochs", "time_from",
					       NULL };
	static const char *const trained[] = { "data", "backend", NULL };
	struct grid_point settings = { 0 };
	struct chart *c;
	char *name;

	if (!best)
		return error("%s: no run has a time per epoch", path);
	name = run_name(best);
	p->title = xstrdup("How long does an epoch take?");
	p->question = xasprintf("%d simulated run%s.", cJSON_GetArraySize(runs),
				word_plural(cJSON_GetArraySize(runs)));
	p->answer = cJSON_GetArraySize(runs) > 1
			    ? xasprintf("%s is the quickest: %.4g s for an epoch.", name,
					number_or_nan(best, "time_per_epoch_s"))
			    : xasprintf("%s: %.4g s for an epoch.", name,
					number_or_nan(best, "time_per_epoch_s"));
	p->doubt = xstrdup("Simulated times have differed from measured ones by 12 % in the median "
			   "(docs/validation.md). The time of an epoch says nothing of the loss at "
			   "its end.");
	runs_table(p, runs);
	c = page_add_chart(p, CHART_BARS, xstrdup("Time of an epoch"));
	c->xlabel = xstrdup("seconds");
	cJSON_ArrayForEach(r, runs) {
		char *own = run_name(r);
		const size_t before = c->nseries;

		if (number_or_nan(r, "time_per_epoch_s") > 0.0)
			series_add(c, own, 1);
		if (c->nseries > before)
			c->series[before].y[0] = number_or_nan(r, "time_per_epoch_s");
		free(own);
	}
	cJSON_ArrayForEach(v, json_get(best, "settings")) {
		const char *source = json_word(json_get(best, "assumed"), v->string);
		char *text = json_text(v);

		if (text && !word_is_among(v->string, lengths) &&
		    !(strcmp(text, "none") == 0 && word_is_among(v->string, trained)))
			point_put_text(&settings, v->string, text);
		if (text && (*source || json_get(json_get(best, "point"), v->string)))
			answer_fact_add(p, v->string, text, *source ? source : NULL);
		free(text);
	}
	page_add_gantt(p, &settings, json_word(json_get(best, "settings"), "algo"), path);
	texts_put(&p->next, "Seconds of a minibatch on your machine, before communication, and the "
			    "bandwidth that an all-reduce reaches (convoy calibrate).");
	texts_put(&p->next, "Which algorithm is the first to the same loss: convoy advise.");
	point_release(&settings);
	free(name);
	return 0;
}

/* ---- the page ---- */

int answer_report_check(const char *path)
{
	char *folder;
	int ret = 0;

	if (!word_ends(path, ".html") && !word_ends(path, ".htm"))
		return error("--report %s: expected a name that ends in .html", path);
	folder = strchr(path, '/') ? path_folder(path) : xstrdup(".");
	if (!dir_exists(*folder ? folder : "/"))
		ret = error("--report %s: there is no folder %s", path, folder);
	free(folder);
	return ret;
}

/* The command of a saved answer; the caller frees. */
static char *answer_command(const cJSON *answer)
{
	const cJSON *points = json_get(answer, "points"), *last = points ? points->child : NULL;
	char *words;

	if (json_get(answer, "command"))
		return xstrdup(json_word(answer, "command"));
	if (!json_get(answer, "between"))
		return xstrdup("convoy sim, with the settings above");
	while (last && last->next)
		last = last->next;
	words = xasprintf("convoy advise --between %s,%s --vary %s=%.9g..%.9g",
			  json_get(answer, "between")->child->valuestring,
			  json_get(answer, "between")->child->next->valuestring,
			  json_word(answer, "vary"), number_or_nan(points->child, "x"),
			  number_or_nan(last, "x"));
	return composed_command(answer, words);
}

int answer_report(const cJSON *answer, const char *command, const char *path, bool silent)
{
	struct answer_page p = { 0 };
	int ret;

	if (answer_report_check(path) < 0)
		return -1;
	ret = json_get(answer, "among")	    ? page_of_among(&p, answer, path)
	      : json_get(answer, "between") ? page_of_between(&p, answer, path)
	      : json_get(answer, "runs")    ? page_of_runs(&p, answer, path)
					    : error("%s: no answer of `convoy advise` or `convoy "
						    "sim` (expected the JSON of --json, or the "
						    ".json of --plot)", path);
	if (ret == 0) {
		page_add_facts(&p, answer);
		p.command = command ? xstrdup(command) : answer_command(answer);
		p.made = xasprintf("convoy %s, commit %s. Times are simulated. The same command "
				   "gives the same answer.", environ_version, environ_commit);
		ret = answer_page_write(&p, path);
	}
	if (ret == 0 && !silent)
		utf8_puts(path);
	answer_page_release(&p);
	return ret;
}

bool answer_is_file(const char *file)
{
	cJSON *answer = NULL;
	bool is;

	if (!word_ends(file, ".json") || !file_is_regular(file))
		return false;
	context_mute();
	answer = json_load(file);
	context_unmute();
	is = json_get(answer, "among") || json_get(answer, "between") ||
	     (json_get(answer, "runs") && json_get(answer, "baselines"));
	cJSON_Delete(answer);
	return is;
}

int answer_report_file(const char *file)
{
	cJSON *answer = json_load(file);
	char *bare = path_bare(file), *path = xasprintf("%s.html", bare);
	const int ret = answer ? answer_report(answer, NULL, path, false) : -1;

	free(bare);
	free(path);
	cJSON_Delete(answer);
	return ret;
}
