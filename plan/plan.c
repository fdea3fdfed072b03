/*
 * plan.c - builds a plan: grid points to resolved runs, duplicates found, finished results found,
 * and the runs that speedups are relative to.
 */
#include "plan/spec_tune.h"

#include "core/base/context.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/members.h"
#include "core/text/opt_text.h"
#include "data/data.h"
#include "nets/external/external.h"
#include "plan/resolve/remarks.h"
#include "record/environ.h"
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A grid of more runs than this is a mistake. */
enum { MOST_RUNS = 10000 };

const char *const run_state_name[] = { "planned", "finished", "failed", "interrupted" };

char *plan_title(const struct plan *p, const struct planned *r)
{
	return xasprintf("%s%s%s", p->spec.name, *p->spec.name && *r->label ? ": " : "", r->label);
}

/* Applies base, point and the settings that override it to the defaults, and resolves. */
static int run_resolve(struct plan *p, struct planned *r, bool muted)
{
	scoped char *base = xasprintf("%s: base", p->spec.path);
	scoped char *grid = xasprintf("%s: grid", p->spec.path);
	scoped char *title = plan_title(p, r);
	int ret = -1;

	setup_init(&r->su);
	if (settings_apply_point(&r->su.in, &p->spec.base, base) == 0 &&
	    settings_apply_point(&r->su.in, &r->point, grid) == 0 &&
	    settings_apply_point(&r->su.in, &r->extra, grid) == 0) {
		if (muted)
			context_mute();
		else
			context_set(title);
		r->su.clusters = &p->clusters;
		ret = setup_resolve(&r->su);
		r->su.clusters = NULL;
		context_set(NULL);
	}
	return ret;
}

static void run_release(struct planned *r)
{
	setup_release(&r->su);
	point_release(&r->point);
	point_release(&r->extra);
	free(r->label);
	free(r->path);
}

int plan_add(struct plan *p, struct grid_point point, struct grid_point extra, bool muted)
{
	struct planned *r;

	p->runs = xgrown(p->runs, p->n, sizeof(*p->runs));
	r = &p->runs[p->n++];
	*r = (struct planned){ .point = point, .extra = extra, .label = point_words(&point),
			       .digest = point_digest(&point), .same_as = p->n - 1,
			       .baseline = PLAN_NONE };
	if (run_resolve(p, r, muted) < 0) {
		run_release(&p->runs[--p->n]);
		return -1;
	}
	r->path = xasprintf("%s/%s.h5", p->folder, r->su.hash);
	return 0;
}

int plan_again_with(struct plan *p, struct planned *r, struct grid_point extra)
{
	setup_release(&r->su);
	point_release(&r->extra);
	r->extra = extra;
	xappend_own(&r->label, " ", point_words(&extra));
	if (run_resolve(p, r, false) < 0)
		return -1;
	free(r->path);
	r->path = xasprintf("%s/%s.h5", p->folder, r->su.hash);
	return 0;
}

/* Adds a run at the point, which is taken over, unless `only` leaves it out. 0 or error(). */
static int plan_add_point(struct plan *p, struct grid_point point, const char *only)
{
	const size_t method = p->tuning ? tuning_meet(p, &point) : 0;

	if (method == PLAN_NONE || !point_filter_agrees(&p->spec, &point, only)) {
		point_release(&point);
		p->left_out++;
		return method == PLAN_NONE ? -1 : 0;
	}
	return p->tuning ? tuning_add(p, point, method) :
			   plan_add(p, point, (struct grid_point){ 0 }, false);
}

/* The run at that point of those from `first` to before `end`; `end`: there is none. */
static size_t run_between(const struct plan *p, size_t first, size_t end,
			  const struct grid_point *point)
{
	const uint64_t digest = point_digest(point);
	size_t i = first;

	while (i < end &&
	       !(p->runs[i].digest == digest && points_equal(&p->runs[i].point, point)))
		i++;
	return i;
}

/*
 * Adds the runs of a product, but for those that `only` leaves out, and those that a product before
 * has: objects of a grid may become equal by settings of the command line. 0 or error().
 */
static int plan_add_product(struct plan *p, const struct grid_product *product, const char *only)
{
	const size_t total = product_size(product), before = p->n;

	if (total > MOST_RUNS - p->n)
		return error("%s: grid: more than %d runs", p->spec.path, MOST_RUNS);
	for (size_t i = 0; i < total; i++) {
		struct grid_point point = product_point(product, i);

		if (run_between(p, 0, before, &point) < before)
			point_release(&point);
		else if (plan_add_point(p, point, only) < 0)
			return -1;
	}
	return 0;
}

/*
 * Adds, after the last run, the seeds of p->looks to the settings of the grid that it names. Those
 * that the grid has, or that are of another grid, are no more runs. 0 or error().
 */
static int plan_add_looked(struct plan *p, const char *only)
{
	const size_t n = plan_own_runs(p);

	for (size_t i = 0; i < n && p->looks; i++) {
		cJSON *json = point_json(&p->runs[i].point);
		struct looks_group *g = looks_group(p->looks, json, false);

		cJSON_Delete(json);
		for (size_t k = 0; g && k < g->n; k++) {
			struct grid_point point = point_copy(&p->runs[i].point);
			const size_t before = p->n;

			point_put_number(&point, "seed", (double)g->seed[k]);
			if (run_between(p, 0, n, &point) < n ||
			    run_between(p, n + p->nbaselines, p->n, &point) < p->n) {
				point_release(&point);
			} else if (p->n >= MOST_RUNS) {
				point_release(&point);
				return error("%s/" LOOKS_FILE ": more than %d runs", p->dir,
					     (int)MOST_RUNS);
			} else if (plan_add_point(p, point, only) < 0) {
				return -1;
			}
			if (p->n > before)
				p->runs[before].added = true;
		}
	}
	return 0;
}

/* By hash, and runs of the same hash in the plan's order. */
static int by_hash(const void *a, const void *b)
{
	const struct planned *const *r = a, *const *s = b;
	const int order = strcmp((*r)->su.hash, (*s)->su.hash);

	return order ? order : (*r > *s) - (*r < *s);
}

static void find_duplicates(struct plan *p)
{
	scoped struct planned **sorted = xcalloc(p->n + 1, sizeof(*sorted));
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++) {
		p->runs[i].same_as = i;
		if (!p->runs[i].open)
			sorted[n++] = &p->runs[i];
	}
	qsort(sorted, n, sizeof(*sorted), by_hash);
	for (size_t i = 1; i < n; i++)
		if (strcmp(sorted[i]->su.hash, sorted[i - 1]->su.hash) == 0)
			sorted[i]->same_as = sorted[i - 1]->same_as;
}

char *plan_former_result(const struct setup *su, const char *path)
{
	const char *at = strstr(path, su->hash);
	char *other;

	if (strcmp(su->former, su->hash) == 0)
		return NULL;
	other = at ? xasprintf("%.*s%s%s", (int)(at - path), path, su->former,
			       at + strlen(su->hash)) : xstrdup(path);
	if (result_finished(other, su->former))
		return other;
	free(other);
	return NULL;
}

/* Warns of n results, of which the first is named. */
static void warn_of_former(size_t n, const char *first, const char *meant)
{
	if (n == 1)
		warning("'%s' was made with %s; it is not used, and the run is made again", first,
			meant);
	else if (n)
		warning("%zu results, such as '%s', were made with %s; they are not used, and the "
			"runs are made again", n, first, meant);
}

void plan_warn_of_former(const struct setup *su, const char *path)
{
	scoped char *former = plan_former_result(su, path);

	warn_of_former(former != NULL, former, setup_former(su));
}

bool plan_warn_of_file(const struct setup *su, const char *path)
{
	scoped_json cJSON *facts = su->model.versions ? environ_read(path) : NULL;
	const char *was = cJSON_GetStringValue(cJSON_GetObjectItem(facts, "external"));
	scoped char *file = was ? external_file_changed(was, su->model.versions) : NULL;

	if (file)
		warning("'%s' was made before %s changed, and its numbers are those of then. "
			"Change an argument of the net, or remove the result, to train with the "
			"file as it is", path, file);
	return file != NULL;
}

/* Marks the runs that are finished; one warning for all former results, named like the first. */
static void find_finished(struct plan *p)
{
	const char *why = NULL;
	scoped char *first = NULL;
	bool warned = false;
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++) {
		struct planned *r = &p->runs[i];
		char *former = NULL;

		if (r->open)
			continue;
		if (r->same_as != i)
			r->state = p->runs[r->same_as].state;
		else if (result_usable(r->path, r->su.hash))
			r->state = RUN_FINISHED;
		else
			r->state = RUN_TODO;
		if (r->state == RUN_FINISHED && !warned)
			warned = plan_warn_of_file(&r->su, r->path);
		if (r->same_as == i && r->state == RUN_TODO)
			former = plan_former_result(&r->su, r->path);
		n += former != NULL;
		if (former && !first) {
			first = former;
			why = setup_former(&r->su);
		} else {
			free(former);
		}
	}
	warn_of_former(n, first, why);
}

void plan_settle(struct plan *p, bool again)
{
	find_duplicates(p);
	if (!again)
		find_finished(p);
}

/* ---- what a plan is of ---- */

static int plan_add_baselines(struct plan *p);
static void plan_add_baselines_alone(struct plan *p);

int plan_make(struct plan *p, const struct plan_request *r)
{
	cJSON *defaults;

	*p = (struct plan){ 0 };
	if (spec_load(&p->spec, r->experiment, r->scale) < 0)
		return -1;
	defaults = cJSON_CreateObject();
	for (const struct opt *o = settings_opts; o->name; o++)
		ADD(defaults, j_text(o->name, o->def));
	slips_warn(p->spec.json, defaults, p->spec.path);
	cJSON_Delete(defaults);
	if (plan_override(p, r) < 0 || tuning_begin(p) < 0)
		return -1;
	for (size_t i = 0; i < p->spec.grid.n; i++)
		if (plan_add_product(p, &p->spec.grid.v[i], r->only) < 0)
			return -1;
	if (p->n == 0)
		return point_filter_refuse(&p->spec, r->only);
	/* Seeds of the command line are all that is asked for. */
	if (!point_text(&p->set, "seed") &&
	    (looks_load(&p->looks, p->dir) < 0 || plan_add_looked(p, r->only) < 0))
		return -1;
	if (plan_add_baselines(p) < 0 || (p->tuning && tuning_plan(p, r->again) < 0))
		return -1;
	plan_settle(p, r->again);
	return 0;
}

/* A plan without an experiment, settings and runs: one of the command line. */
static struct plan plan_nameless(const char *out)
{
	return (struct plan){
		.spec = { .path = xstrdup("command line"), .name = xstrdup(""),
			  .scale = xstrdup(""), .json = cJSON_CreateObject(),
			  .grid = { xcalloc(1, sizeof(struct grid_product)), 1 } },
		.dir = xasprintf("%s/sim", out), .folder = xasprintf("%s/sim", out),
	};
}

int plan_from_points(struct plan *p, const struct grid_point *base, struct points *points,
		     const char *out)
{
	int ret = 0;

	*p = plan_nameless(out);
	point_lay(&p->spec.base, base);
	for (size_t i = 0; i < points->n && ret == 0; i++) {
		ret = plan_add(p, points->v[i], (struct grid_point){ 0 }, false);
		points->v[i] = (struct grid_point){ 0 };
	}
	points_release(points);
	if (ret == 0)
		plan_settle(p, false);
	return ret;
}

int plan_from_values(struct plan *p, const struct grid_product *values, const char *out)
{
	const struct grid_axis *a = values->v;

	*p = plan_nameless(out);
	for (; a < values->v + values->n; a++)  /* one value is of every run, several are an axis */
		if (a->values.n == 1)
			point_put(&p->spec.base, a->key, a->values.v[0]);
		else
			product_put(&p->spec.grid.v[0], a->key, &a->values);
	if (plan_add_product(p, &p->spec.grid.v[0], NULL) < 0)
		return -1;
	plan_add_baselines_alone(p);
	plan_settle(p, false);
	return 0;
}

void plan_release(struct plan *p)
{
	for (size_t i = 0; i < p->n; i++)
		run_release(&p->runs[i]);
	for (size_t i = 0; i < p->nshared; i++) {
		free(p->shared[i].text);
		dataset_close(p->shared[i].data);
	}
	free(p->shared);
	clusters_release(&p->clusters);
	tuning_release(p->tuning);
	looks_free(p->looks);
	free(p->runs);
	free(p->dir);
	free(p->folder);
	changes_release(&p->changes);
	point_release(&p->set);
	product_release(&p->swept);
	spec_release(&p->spec);
	*p = (struct plan){ 0 };
}

size_t plan_count(const struct plan *p, enum run_state state)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		n += p->runs[i].same_as == i && p->runs[i].state == state;
	return n;
}

char *plan_gap(const struct plan *p)
{
	size_t done = plan_count(p, RUN_FINISHED), all = p->left_out;

	for (size_t i = 0; i < p->n; i++)
		all += p->runs[i].same_as == i;
	return done < all ? xasprintf("%zu of %zu runs missing", all - done, all) : NULL;
}

bool plan_is_timing(const struct plan *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->runs[i].state == RUN_TODO && !p->runs[i].su.in.timing)
			return false;
	return true;
}

bool plan_is_real(const struct plan *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->runs[i].su.in.engine == ENGINE_MPI)
			return true;
	return false;
}

/* ---- data sets ---- */

int plan_open_data(struct plan *p)
{
	int ret = 0;

	for (size_t i = 0; i < p->n; i++) {
		struct planned *r = &p->runs[i];
		scoped char *title = NULL;
		size_t k = 0;

		if (r->state != RUN_TODO || r->same_as != i || !setup_needs_data(&r->su))
			continue;
		title = plan_title(p, r);
		context_set(title);
		/* One data set for all runs with its canonical text. */
		while (k < p->nshared && strcmp(p->shared[k].text, setup_text(&r->su, "data")) != 0)
			k++;
		if (k == p->nshared)
			APPEND(p->shared, p->nshared) = (struct shared_data){
				xstrdup(setup_text(&r->su, "data")), dataset_open(&r->su.data) };
		r->data = p->shared[k].data;
		if (!r->data || setup_check_samples(&r->su, r->data->n[SPLIT_TRAIN]) < 0) {
			r->state = RUN_FAILED;
			ret = -1;
		}
		context_set(NULL);
	}
	return ret;
}

/* True when it opens its data set: a timing-only run reads what a plan assumes of a file. */
static bool setup_reads(const struct setup *su)
{
	return setup_needs_data(su) || (su->data.plugin && dataset_plan_assumed());
}

int setup_look_data(const struct setup *su)
{
	if (!setup_reads(su))
		return 0;
	fflush(stdout);
	return dataset_look((const struct dataset_type *)su->data.plugin, su->data.conf);
}

int plan_look_data(const struct plan *p)
{
	scoped_by(value_list_release) struct value_list seen = { 0 };
	int ret = 0;

	/* In the settings of a timing-only run data is none: the set itself is compared. */
	for (size_t i = 0; i < p->n; i++) {
		const struct setup *su = &p->runs[i].su;
		scoped char *data = NULL;

		if (p->runs[i].state != RUN_TODO || !setup_reads(su))
			continue;
		data = choice_format(&su->data);
		if (!value_list_has(&seen, data) && setup_look_data(su) < 0)
			ret = -1;
		value_list_add(&seen, (struct value){ data, VALUE_TEXT });
	}
	return ret;
}

/* ---- remarks on the runs that are no baselines ---- */

struct plan_view {
	const struct setup **runs;      /* [n], the list owned */
	const struct grid_point **points;    /* [n], the list owned */
	size_t n;
};

static struct plan_view plan_view_open(const struct plan *p)
{
	const size_t n = plan_own_runs(p);
	struct plan_view v = { xcalloc(n + 1, sizeof(*v.runs)), xcalloc(n + 1, sizeof(*v.points)),
			       n };

	for (size_t i = 0; i < n; i++) {
		v.runs[i] = &p->runs[i].su;
		v.points[i] = &p->runs[i].point;
	}
	return v;
}

static void plan_view_close(struct plan_view *v)
{
	free(v->runs);
	free(v->points);
}

char *plan_assumed(const struct plan *p)
{
	struct plan_view v = plan_view_open(p);
	char *text = assumed_text(v.runs, v.points, v.n);

	plan_view_close(&v);
	return text;
}

char **plan_remarks(const struct plan *p, size_t *machine)
{
	struct plan_view v = plan_view_open(p);
	char **texts = remarks(v.runs, v.points, v.n, machine);

	plan_view_close(&v);
	return texts;
}

bool plan_names_machine(const struct plan *p)
{
	for (size_t i = 0; i < plan_own_runs(p); i++)
		if (!assumed_is_named(&p->runs[i].su))
			return false;
	return true;
}

/* ---- the runs that speedups are relative to ---- */

/* A worker's mean seconds for a minibatch in runs of that seed. */
static double worker_seconds(const struct setup *su, uint64_t seed, int rank)
{
	const struct delays *d = su->sim.pace.delays;
	const double seconds = su->times.n
		? compute_times_seconds(&su->times, rank, (double)su->in.batch)
		: su->num.compute_s;

	return d ? seconds * delays_mean(d, seed, rank) : seconds;
}

/* The first of the workers that nothing is quicker than. */
static int quickest_worker(const struct setup *su, uint64_t seed)
{
	int quickest = 0;
	double least = worker_seconds(su, seed, 0);

	for (int w = 1; w < su->num.workers; w++) {
		const double seconds = worker_seconds(su, seed, w);

		if (seconds < least) {
			quickest = w;
			least = seconds;
		}
	}
	return quickest;
}

/*
 * One worker alone would be worker 0, which clauses, a log or a draw may have made the slow one:
 * the baseline of that run has what they give the quickest worker.
 */
static void take_quickest(struct plan *p, struct grid_point *point, const struct setup *su,
			  bool compute, bool delay)
{
	const struct delays *d = su->sim.pace.delays;
	const bool times = compute && su->times.n > 1, delays = delay && d && delays_differ(d);
	const char *text = point_text(point, "seed");
	int64_t seed = su->in.seed;
	int quickest = 0;

	if (text)
		text_int(text, &seed);
	if (times || delays)
		quickest = quickest_worker(su, (uint64_t)seed);
	if (times)
		point_put_last(point, "compute_s",
			       compute_times_format_worker(&su->times, quickest));
	if (delays)
		point_put_last(point, "delay", delays_format_worker(d, (uint64_t)seed, quickest));
	p->quick_compute_s |= times;
	p->quick_delay |= delays;
}

char *plan_baseline_text(const struct plan *p)
{
	const bool compute = p->quick_compute_s, delay = p->quick_delay;

	if (!compute && !delay)
		return NULL;
	return xasprintf("Speedups are relative to the quickest worker alone: workers differ by "
			 "%s%s%s.", compute ? "compute_s" : "", compute && delay ? " and " : "",
			 delay ? "delay" : "");
}

/*
 * The run from `first` on that is at that point, or a new one; takes the point. PLAN_NONE where it
 * cannot be resolved, without an error() where `muted`.
 */
static size_t baseline_at(struct plan *p, size_t first, struct grid_point point, bool muted)
{
	const size_t at = run_between(p, first, p->n, &point);

	if (at < p->n) {
		point_release(&point);
		return at;
	}
	return plan_add(p, point, (struct grid_point){ 0 }, muted) == 0 ? p->n - 1 : PLAN_NONE;
}

static void point_put_default(struct grid_point *point, const struct opt *o)
{
	point_put_last(point, o->name, xstrdup(o->def));
}

/* The settings under which one worker alone makes the epoch of a run, timing only. */
static struct grid_point point_alone(struct plan *p, const struct planned *r)
{
	struct grid_point alone = { 0 };

	for (size_t i = 0; i < r->point.n; i++)
		if (!setting_facts(opt_find(settings_opts, r->point.v[i].key))->not_alone)
			point_put(&alone, r->point.v[i].key, r->point.v[i].value);
	for (size_t i = 0; i < p->spec.base.n; i++) {
		const struct opt *o = opt_find(settings_opts, p->spec.base.v[i].key);

		if (setting_facts(o)->not_alone)
			point_put_default(&alone, o);
	}
	point_put_last(&alone, "workers", xstrdup("1"));
	point_put_last(&alone, "timing", xstrdup("true"));
	take_quickest(p, &alone, &r->su, true, true);
	return alone;
}

/* True when the spec's baseline has a setting as the run has it: neither says its own. */
static bool is_shared(const struct plan *p, const struct planned *r, const char *key)
{
	return !point_value(&p->spec.baseline, key) &&
	       (!point_value(&r->point, key) || product_values(&p->swept, key));
}

/* The spec's baseline, with the values that a run has of what the command line sweeps. */
static struct grid_point point_for(struct plan *p, const struct planned *r)
{
	const struct value_list *seeds = product_values(&p->spec.grid.v[0], "seed");
	struct grid_point point = point_copy(&p->spec.baseline);

	if (seeds && !point_value(&point, "seed"))
		point_put(&point, "seed", seeds->v[0]);
	for (const struct opt *o = settings_opts; o->name; o++)
		if (setting_facts(o)->baseline && !point_value(&point, o->name))
			point_put_default(&point, o);
	for (size_t i = 0; i < p->swept.n; i++) {
		const char *key = p->swept.v[i].key;

		if (!point_value(&point, key))
			point_put(&point, key, *point_value(&r->point, key));
	}
	take_quickest(p, &point, &r->su, is_shared(p, r, "compute_s"), is_shared(p, r, "delay"));
	return point;
}

/* Adds those of the spec. 0 or error(). */
static int plan_add_baselines(struct plan *p)
{
	const size_t n = p->n;
	const bool several = p->swept.n > 0;

	if (!p->spec.has_baseline)
		return 0;
	for (size_t i = 0; i < n; i++) {
		const size_t at = baseline_at(p, n, point_for(p, &p->runs[i]), several);

		p->runs[i].baseline = at;
		if (at == PLAN_NONE && !several)
			return -1;
	}
	p->nbaselines = p->n - n;
	return 0;
}

/* Moves the n last runs before the baselines. */
static void baselines_put_last(struct plan *p, size_t n)
{
	struct planned *added = p->runs + p->n - n, *baselines = added - p->nbaselines;
	struct planned *moved = xcalloc(n + 1, sizeof(*moved));

	memcpy(moved, added, n * sizeof(*moved));
	memmove(baselines + n, baselines, p->nbaselines * sizeof(*baselines));
	memcpy(baselines, moved, n * sizeof(*moved));
	free(moved);
	for (size_t i = 0; i < p->n; i++)
		if (p->runs[i].baseline != PLAN_NONE)
			p->runs[i].baseline += n;
}

int plan_extend(struct plan *p)
{
	const size_t before = p->n, first = plan_own_runs(p);

	if (plan_add_looked(p, NULL) < 0)
		return -1;
	baselines_put_last(p, p->n - before);
	for (size_t i = first; i < plan_own_runs(p) && p->spec.has_baseline; i++) {
		const size_t end = p->n;
		const size_t at = baseline_at(p, plan_own_runs(p), point_for(p, &p->runs[i]),
					      true);

		p->runs[i].baseline = at;
		p->nbaselines += p->n - end;
	}
	if (p->tuning)
		return tuning_end(p, false);
	plan_settle(p, false);
	return 0;
}

size_t plan_lacks_own(const struct plan *p)
{
	size_t n = p->left_out;

	for (size_t i = 0; i < p->n; i++)
		n += !p->runs[i].added && p->runs[i].same_as == i &&
		     p->runs[i].state != RUN_FINISHED;
	return n;
}

void plan_drop_added(struct plan *p, bool (*drop)(const struct planned *r))
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++) {
		struct planned *r = &p->runs[i];
		cJSON *point;

		if (!r->added || !drop(r)) {
			p->runs[n++] = *r;
			continue;
		}
		point = point_json(&r->point);
		looks_drop_seed(looks_group(p->looks, point, true), r->su.in.seed);
		cJSON_Delete(point);
		run_release(r);
	}
	for (size_t i = 0; i < n; i++)
		if (p->runs[i].baseline != PLAN_NONE)
			p->runs[i].baseline -= p->n - n;
	p->n = n;
	plan_settle(p, false);
}

/* Adds for each run one worker alone that makes its epoch, timing only, where there can be one. */
static void plan_add_baselines_alone(struct plan *p)
{
	const size_t n = p->n;

	for (size_t i = 0; i < n; i++) {
		const size_t at = baseline_at(p, n, point_alone(p, &p->runs[i]), true);

		p->runs[i].baseline = at;
	}
	p->nbaselines = p->n - n;
}
