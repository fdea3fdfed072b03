/* Fills the page of an answer; short runs are simulated again for timelines. */
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
	STEPS = 8, STEPS_MOST = 60,     /* gradients of a worker in a timeline */
	WORKERS_MOST = 10000            /* more would take long for so few lanes */
};

/* ---- timelines ---- */

struct grid_point answer_means(const struct answer *a)
{
	struct grid_point means = { 0 };

	for (size_t i = 0; i < a->given.n; i++) {
		const char *key = a->given.v[i].key, *text = a->given.v[i].value.text;
		scoped_by(uncertain_release) struct uncertain_list own = { 0 };
		double *mean;

		if (uncertain_find(&own, key, text) == 0) {
			mean = xcalloc(own.n + 1, sizeof(*mean));
			for (size_t k = 0; k < own.n; k++)
				mean[k] = own.v[k].mean;
			point_put_last(&means, key, uncertain_fill(key, text, mean));
			free(mean);
		}
	}
	return means;
}

/* Keeps the spans of some nodes: at most LANES, from the first worker to the last. */
static void gantt_fill(struct gantt *g, const struct trace *t)
{
	size_t n;
	scoped struct span *span = trace_spans(t, &n);
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
}

/* Simulates the first steps of an algorithm; false: that is not possible. */
static bool gantt_simulate(struct gantt *g, const struct grid_point *settings, const char *algo,
			   const char *path)
{
	char *file = xasprintf("%s.trace-XXXXXX", path);
	const int fd = mkstemp(file);
	struct record_figures figures;
	const struct run_context context = { .experiment = "", .scale = "", .path = file,
					     .trace = file, .threads = 1, .figures = &figures };
	struct setup su;
	struct trace trace;
	bool done = false;

	*g = (struct gantt){ 0 };
	if (fd < 0) {
		free(file);
		return false;
	}
	close(fd);
	context_mute();
	setup_init(&su);
	if (settings_apply_point(&su.in, settings, "command line") == 0 &&
	    settings_set(&su.in, "algo", algo, "command line") == 0 &&
	    settings_set(&su.in, "timing", "true", "command line") == 0 &&
	    setup_resolve(&su) == 0 && su.num.workers <= WORKERS_MOST) {
		const char *round = setup_algo(&su)->round;
		const struct opt *o = round ? opt_find(su.algo.plugin->opts, round) : NULL;
		scoped char *steps = o ? opt_format(o, su.algo.conf) : NULL;
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
	APPEND(p->gantt, p->ngantts) = g;
}

/* ---- parts of all pages ---- */

void page_add_chart(struct answer_page *p, struct chart c)
{
	if (!c.nseries && !c.heat)
		return;
	APPEND(p->chart, p->ncharts) = c;
}

static void page_add_facts(struct answer_page *p, const struct answer *a)
{
	for (size_t i = 0; i < a->given.n; i++) {
		const char *key = a->given.v[i].key;

		if (strcmp(key, "timing") != 0)
			answer_fact_add(p, key, a->given.v[i].value.text,
					point_text(&a->assumed, key));
	}
	for (size_t i = 0; i < a->assumed.n; i++) {
		const char *key = a->assumed.v[i].key, *value = point_text(&a->settings, key);

		if (!point_text(&a->given, key))
			answer_fact_add(p, key, value ? value : "default",
					a->assumed.v[i].value.text);
	}
}

char *given_text(const struct answer *a)
{
	scoped_by(point_release) struct grid_point given = point_copy(&a->given);

	point_drop(&given, "timing");
	return point_words(&given);
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
				    xcalloc(n, sizeof(double)), xcalloc(n, sizeof(double)),
				    false };
}

/* ---- runs of sim ---- */

/* Settings of the length, and those that a timing-only run has as "none". */
static const char *const lengths[] = { "gradients", "seconds", "epochs", "time_from", NULL };
static const char *const trained[] = { "data", "backend", NULL };

static double run_epoch_s(const struct answer_run *r)
{
	return r->measure[0];
}

/* NULL: no run has a time per epoch. */
static const struct answer_run *run_quickest(const struct answer *a)
{
	const struct answer_run *best = NULL;

	for (size_t i = 0; i < a->runs.n; i++) {
		const struct answer_run *r = &a->runs.v[i];

		if (run_epoch_s(r) > 0.0 && (!best || run_epoch_s(r) < run_epoch_s(best)))
			best = r;
	}
	return best;
}

static const char *run_algo(const struct answer_run *r)
{
	const char *algo = point_text(&r->settings, "algo");

	return algo ? algo : "";
}

/* "asgd, 16": what tells the run from others, or its algorithm. The caller frees. */
static char *run_name(const struct answer_run *r)
{
	char *name = point_values_text(&r->point);

	if (!*name) {
		free(name);
		name = xstrdup(run_algo(r));
	}
	return name;
}

/* True for the usual measures, and for others that a run has. */
static bool runs_have(const struct answer *a, size_t measure)
{
	enum { USUAL = 6 };

	for (size_t k = 0; k < a->runs.n && measure >= USUAL; k++)
		if (!isnan(a->runs.v[k].measure[measure]))
			return true;
	return measure < USUAL;
}

static void runs_table(struct answer_page *p, const struct answer *a)
{
	static const char *const heads[ANSWER_MEASURES] = {
		"epoch [s]", "speedup", "share waiting", "staleness", "training loss",
		"test accuracy", "goodput", "MFU", "device hours", "cost" };
	char *cell[1 + ANSWER_MEASURES];
	size_t n = 1;

	p->table_title = xstrdup("Runs");
	p->table = grid_new();
	cell[0] = xstrdup("run");
	for (size_t i = 0; i < ANSWER_MEASURES; i++)
		if (runs_have(a, i))
			cell[n++] = xstrdup(heads[i]);
	grid_row_own(p->table, cell, n);
	for (size_t k = 0; k < a->runs.n && k < 2 * ANSWER_ROWS; k++) {
		const struct answer_run *r = &a->runs.v[k];

		n = 0;
		cell[n++] = run_name(r);
		for (size_t i = 0; i < ANSWER_MEASURES; i++) {
			const double x = r->measure[i];

			if (runs_have(a, i))
				cell[n++] = isnan(x) ? xstrdup("-")
					    : strcmp(answer_measures[i], "cost") == 0
					    ? cost_text(&r->settings, x) : xasprintf("%.4g", x);
		}
		grid_row_own(p->table, cell, n);
	}
}

/* Basis of a run: what is given, or assumed; NULL: the default, or nothing. */
static const char *run_fact(const struct answer_run *r, const char *key)
{
	const struct opt *o = opt_find(settings_opts, key);
	const char *text = point_text(&r->settings, key);
	const char *def = o && o->def ? o->def : "";
	const bool is_none = text && (!strcmp(text, "none") || !strcmp(text, "0"));
	const bool is_default = !o || !text || strcmp(def, text) == 0 ||
				(is_none && (word_is_among(key, trained) || !strcmp(def, "auto")));

	if (point_text(&r->assumed, key) || point_text(&r->point, key))
		return text;
	return is_default || word_is_among(key, lengths) || !strcmp(key, "timing") ? NULL : text;
}

static bool facts_agree(const struct answer_run *r, const struct answer_run *other, const char *key)
{
	const char *one = point_text(&r->assumed, key), *two = point_text(&other->assumed, key);

	return strcmp(run_fact(r, key), run_fact(other, key)) == 0 &&
	       strcmp(one ? one : "", two ? two : "") == 0;
}

/* Adds what the runs have of a setting, each text and source once, with the runs that have it. */
static void runs_add_facts(struct answer_page *p, const struct answer *a, const char *key)
{
	enum { MOST = 8, NAMED = 3 };
	const struct answer_run *v = a->runs.v;
	size_t shown = 0;

	for (size_t i = 0; i < a->runs.n && shown < MOST; i++) {
		char *names = NULL, *text;
		size_t n = 0, earlier = 0;

		if (!run_fact(&v[i], key))
			continue;
		while (earlier < i && !(run_fact(&v[earlier], key) &&
					facts_agree(&v[i], &v[earlier], key)))
			earlier++;
		if (earlier < i)
			continue;
		for (size_t k = i; k < a->runs.n; k++)
			if (run_fact(&v[k], key) && facts_agree(&v[i], &v[k], key) && n++ < NAMED)
				xappend_own(&names, "; ", run_name(&v[k]));
		if (n > NAMED)
			xappend(&names, "; ", "...");
		text = n < a->runs.n && !point_text(&v[i].point, key)
			       ? xasprintf("%s (%s)", run_fact(&v[i], key), names)
			       : xstrdup(run_fact(&v[i], key));
		answer_fact_add(p, key, text, point_text(&v[i].assumed, key));
		shown++;
		free_all(names, text);
	}
}

static int page_of_runs(struct answer_page *p, const struct answer *a, const char *path)
{
	const struct answer_run *best = run_quickest(a);
	scoped_by(point_release) struct grid_point settings = { 0 };
	struct chart c = { .kind = CHART_BARS, .title = xstrdup("Time of an epoch"),
			   .xlabel = xstrdup("seconds") };
	scoped char *name = NULL;

	if (!best)
		return error("%s: no run has a time per epoch", path);
	name = run_name(best);
	p->title = xstrdup("How long does an epoch take?");
	p->question = xasprintf("%zu simulated run%s.", a->runs.n, word_plural((double)a->runs.n));
	p->answer = a->runs.n > 1 ? xasprintf("%s is the quickest: %.4g s for an epoch.", name,
					      run_epoch_s(best))
				  : xasprintf("%s: %.4g s for an epoch.", name, run_epoch_s(best));
	p->doubt = xstrdup("Simulated times have differed from measured ones by 12 % in the median "
			   "(docs/validation.md). The time of an epoch says nothing of the loss at "
			   "its end.");
	for (size_t i = 0; i < a->runs.n; i++)
		if (a->runs.v[i].remark) {
			scoped char *own = run_name(&a->runs.v[i]);

			xappendf(&p->doubt, " ", "%s: %s.", own, a->runs.v[i].remark);
		}
	runs_table(p, a);
	for (size_t i = 0; i < a->runs.n; i++) {
		const struct answer_run *r = &a->runs.v[i];
		scoped char *own = run_name(r);
		const size_t before = c.nseries;

		if (run_epoch_s(r) > 0.0)
			series_add(&c, own, 1);
		if (c.nseries > before)
			c.series[before].y[0] = run_epoch_s(r);
	}
	page_add_chart(p, c);
	for (size_t i = 0; i < best->settings.n; i++) {
		const char *key = best->settings.v[i].key, *text = best->settings.v[i].value.text;

		if (!word_is_among(key, lengths) &&
		    !(strcmp(text, "none") == 0 && word_is_among(key, trained)))
			point_put_text(&settings, key, text);
		runs_add_facts(p, a, key);
	}
	page_add_gantt(p, &settings, run_algo(best), path);
	texts_put(&p->next, "Seconds of a minibatch on your machine, before communication, and the "
			    "bandwidth that an all-reduce reaches (convoy calibrate).");
	texts_put(&p->next, "Which algorithm is the first to the same loss: convoy advise.");
	return 0;
}

/* ---- the page ---- */

int answer_report_check(const char *path)
{
	scoped char *folder = NULL;
	int ret = 0;

	if (!word_ends(path, ".html") && !word_ends(path, ".htm"))
		return error("--report %s: expected a name that ends in .html", path);
	folder = path_folder(path);
	if (!dir_exists(folder))
		ret = error("--report %s: there is no folder %s", path, folder);
	return ret;
}

/* The command that asked, or one composed of the settings; the caller frees. */
static char *answer_command(const struct answer *a)
{
	const struct answer_between *b = &a->between;
	char *words;

	if (a->command)
		return xstrdup(a->command);
	if (a->kind != ANSWER_BETWEEN)
		return xstrdup("convoy sim, with the settings above");
	words = xasprintf("convoy advise --between %s,%s --vary %s=%.9g..%.9g",
			  b->algo[ADVISE_FIRST], b->algo[ADVISE_SECOND], a->vary[0],
			  b->rows.v[0].at.x, b->rows.v[b->rows.n - 1].at.x);
	for (size_t i = 0; i < a->given.n; i++) {
		scoped char *option = word_option(a->given.v[i].key);
		char *argv[] = { option, a->given.v[i].value.text };

		if (strcmp(a->given.v[i].key, "timing") != 0)
			xappend_own(&words, " ", environ_quote(2, argv));
	}
	return words;
}

int answer_report(const struct answer *a, const char *path, bool silent)
{
	scoped_by(answer_page_release) struct answer_page p = { 0 };
	int ret = 0;

	if (answer_report_check(path) < 0)
		return -1;
	if (a->kind == ANSWER_AMONG)
		page_of_among(&p, a, path);
	else if (a->kind == ANSWER_BETWEEN)
		page_of_between(&p, a, path);
	else
		ret = page_of_runs(&p, a, path);
	if (ret == 0) {
		page_add_facts(&p, a);
		p.command = answer_command(a);
		p.made = xasprintf("convoy %s, commit %s. Times are simulated. The same command "
				   "gives the same answer.", environ_version, environ_commit);
		ret = answer_page_write(&p, path);
	}
	if (ret == 0 && !silent)
		utf8_puts(path);
	return ret;
}

bool answer_is_file(const char *file)
{
	scoped_json cJSON *answer = NULL;

	if (!word_ends(file, ".json") || !file_is_regular(file))
		return false;
	context_mute();
	answer = json_load(file);
	context_unmute();
	return answer_is(answer);
}

int answer_report_file(const char *file)
{
	scoped_json cJSON *json = json_load(file);
	char *bare = path_bare(file), *path = xasprintf("%s.html", bare);
	struct answer answer = { 0 };
	const int ret = json && answer_read(&answer, json, path) == 0
				? answer_report(&answer, path, false) : -1;

	answer_release(&answer);
	free_all(bare, path);
	return ret;
}
