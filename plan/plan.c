/* Builds a plan: grid points to resolved runs, duplicates found, finished results found. */
#include "plan/plan.h"

#include "plan/spec/spec.h"
#include "plan/tuning.h"

#include "core/base/context.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "data/data.h"
#include "record/measure.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A grid of more runs than this is a mistake. */
enum { MOST_RUNS = 10000 };

const char *const run_state_name[] = { "planned", "finished", "failed", "interrupted" };

char *plan_point_text(const cJSON *point)
{
	char *all = xstrdup("");
	const cJSON *value;

	cJSON_ArrayForEach(value, point) {
		xappend(&all, " ", value->string);
		xappend_own(&all, "=", json_text(value));
	}
	return all;
}

char *plan_title(const struct plan *p, const struct planned *r)
{
	return xasprintf("%s%s%s", p->spec.name, *p->spec.name && *r->label ? ": " : "", r->label);
}

/* Applies base, point and the settings that override it to the defaults, and resolves. */
static int plan_resolve(struct plan *p, struct planned *r, bool muted)
{
	const struct spec *s = &p->spec;
	char *base = xasprintf("%s: base", s->path);
	char *grid = xasprintf("%s: grid", s->path);
	char *title = plan_title(p, r);
	int ret;

	setup_init(&r->su);
	ret = settings_apply(&r->su.in, s->base, base);
	if (ret == 0)
		ret = settings_apply(&r->su.in, r->point, grid);
	if (ret == 0)
		ret = settings_apply(&r->su.in, r->extra, grid);
	if (ret == 0) {
		if (muted)
			context_mute();
		else
			context_set(title);
		ret = setup_resolve(&r->su);
		context_set(NULL);
	}
	free(base);
	free(grid);
	free(title);
	return ret;
}

static void release_run(struct planned *r)
{
	setup_release(&r->su);
	cJSON_Delete(r->point);
	cJSON_Delete(r->extra);
	free(r->label);
	free(r->path);
}

int plan_add_with(struct plan *p, cJSON *point, cJSON *extra, bool muted)
{
	struct planned *r;

	p->runs = xrealloc(p->runs, p->n + 1, sizeof(*p->runs));
	r = &p->runs[p->n++];
	*r = (struct planned){ .point = point, .extra = extra, .label = plan_point_text(point),
			       .digest = plan_point_digest(point), .same_as = p->n - 1,
			       .baseline = PLAN_NONE };
	if (plan_resolve(p, r, muted) < 0) {
		release_run(&p->runs[--p->n]);
		return -1;
	}
	r->path = xasprintf("%s/%s.h5", p->folder, r->su.hash);
	return 0;
}

int plan_add(struct plan *p, cJSON *point, bool muted)
{
	return plan_add_with(p, point, NULL, muted);
}

int plan_again_with(struct plan *p, struct planned *r, cJSON *extra)
{
	setup_release(&r->su);
	cJSON_Delete(r->extra);
	r->extra = extra;
	xappend_own(&r->label, " ", plan_point_text(extra));
	if (plan_resolve(p, r, false) < 0)
		return -1;
	free(r->path);
	r->path = xasprintf("%s/%s.h5", p->folder, r->su.hash);
	return 0;
}

size_t plan_product_size(const cJSON *product)
{
	const cJSON *list;
	size_t size = 1;

	cJSON_ArrayForEach(list, product) {
		const size_t n = (size_t)cJSON_GetArraySize(list);

		size = n && size > SIZE_MAX / n ? SIZE_MAX : size * n;
	}
	return size;
}

/* The last key varies fastest. */
cJSON *plan_product_point(const cJSON *product, size_t index)
{
	cJSON *point = cJSON_CreateObject();
	size_t stride = plan_product_size(product);
	const cJSON *list;

	cJSON_ArrayForEach(list, product) {
		size_t n = (size_t)cJSON_GetArraySize(list);
		const cJSON *value;

		stride /= n;
		value = cJSON_GetArrayItem(list, (int)(index / stride % n));
		cJSON_AddItemToObject(point, list->string, cJSON_Duplicate(value, true));
	}
	return point;
}

int plan_add_product(struct plan *p, const cJSON *product, const char *only)
{
	const size_t total = plan_product_size(product);

	if (total > MOST_RUNS - p->n)
		return error("%s: grid: more than %d runs", p->spec.path, MOST_RUNS);
	for (size_t i = 0; i < total; i++) {
		cJSON *point = plan_product_point(product, i);
		const size_t method = p->tuning ? tuning_meet(p, point) : 0;

		if (method == PLAN_NONE || !point_filter_agrees(point, only)) {
			cJSON_Delete(point);
			p->left_out++;
		} else if (p->tuning ? tuning_add(p, point, method) < 0 :
				       plan_add(p, point, false) < 0)
			return -1;
		if (method == PLAN_NONE)
			return -1;
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
	struct planned **sorted = xcalloc(p->n + 1, sizeof(*sorted));
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
	free(sorted);
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

/* Of n results, of which the first is named. */
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
	char *former = plan_former_result(su, path);

	warn_of_former(former != NULL, former, setup_former(su));
	free(former);
}

/* One line for all runs: their results are named like the first. */
static void plan_count_former(const struct plan *p)
{
	const char *why = NULL;
	char *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++) {
		const struct planned *r = &p->runs[i];
		char *former = r->open || r->state != RUN_TODO || r->same_as != i
				       ? NULL : plan_former_result(&r->su, r->path);

		n += former != NULL;
		if (former && !first) {
			first = former;
			why = setup_former(&r->su);
		} else {
			free(former);
		}
	}
	warn_of_former(n, first, why);
	free(first);
}

static void find_finished(struct plan *p)
{
	for (size_t i = 0; i < p->n; i++) {
		struct planned *r = &p->runs[i];

		if (r->open)
			continue;
		if (r->same_as != i)
			r->state = p->runs[r->same_as].state;
		else
			r->state = result_usable(r->path, r->su.hash) ? RUN_FINISHED : RUN_TODO;
	}
	plan_count_former(p);
}

void plan_settle(struct plan *p, bool again)
{
	find_duplicates(p);
	if (!again)
		find_finished(p);
}

void plan_look(struct plan *p)
{
	plan_settle(p, false);
}

/* plan_make() of a spec that is loaded, which is taken over. */
static int plan_from_spec(struct plan *p, struct spec *s, const struct plan_request *r)
{
	const cJSON *product;

	*p = (struct plan){ .spec = *s };
	*s = (struct spec){ 0 };
	if (plan_override(p, r) < 0 || tuning_begin(p) < 0)
		return -1;
	cJSON_ArrayForEach(product, p->spec.grid)
		if (plan_add_product(p, product, r->only) < 0)
			return -1;
	if (p->n == 0)
		return point_filter_matches_none(&p->spec, r->only);
	if (plan_add_baselines(p) < 0 || (p->tuning && tuning_plan(p, r->again) < 0))
		return -1;
	plan_settle(p, r->again);
	return 0;
}

static void warn_of_where(const struct spec *s)
{
	cJSON *defaults = cJSON_CreateObject();

	for (const struct opt *o = settings_opts; o->name; o++)
		cJSON_AddStringToObject(defaults, o->name, o->def);
	where_warn(s->json, defaults, s->path);
	cJSON_Delete(defaults);
}

int plan_make(struct plan *p, const struct plan_request *r)
{
	struct spec s;

	*p = (struct plan){ 0 };
	if (spec_load(&s, r->experiment, r->scale) < 0)
		return -1;
	warn_of_where(&s);
	return plan_from_spec(p, &s, r);
}

void plan_release(struct plan *p)
{
	for (size_t i = 0; i < p->n; i++)
		release_run(&p->runs[i]);
	for (size_t i = 0; i < p->nshared; i++) {
		free(p->shared[i].text);
		dataset_close(p->shared[i].data);
	}
	free(p->shared);
	tuning_release(p->tuning);
	free(p->runs);
	free(p->dir);
	free(p->folder);
	changes_release(&p->changes);
	cJSON_Delete(p->set);
	cJSON_Delete(p->swept);
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

/* The data set of that canonical text, opened at the first call; NULL: that one said why. */
static struct dataset *plan_share(struct plan *p, const struct choice *data, const char *text)
{
	struct dataset *ds;

	for (size_t i = 0; i < p->nshared; i++)
		if (strcmp(p->shared[i].text, text) == 0)
			return p->shared[i].data;
	ds = dataset_open(data);
	p->shared = xrealloc(p->shared, p->nshared + 1, sizeof(*p->shared));
	p->shared[p->nshared++] = (struct shared_data){ xstrdup(text), ds };
	return ds;
}

/* 0 or error(), which names the run; of runs that share data that is not there, the first. */
static int open_data(struct plan *p, struct planned *r)
{
	char *title = plan_title(p, r);
	int ret = -1;

	context_set(title);
	r->data = plan_share(p, &r->su.data, setup_text(&r->su, "data"));
	if (r->data)
		ret = setup_check_samples(&r->su, r->data->n[SPLIT_TRAIN]);
	context_set(NULL);
	free(title);
	return ret;
}

int plan_open_data(struct plan *p)
{
	int ret = 0;

	for (size_t i = 0; i < p->n; i++) {
		struct planned *r = &p->runs[i];

		if (r->state != RUN_TODO || r->same_as != i || !setup_needs_data(&r->su))
			continue;
		if (open_data(p, r) == 0)
			continue;
		r->state = RUN_FAILED;
		ret = -1;
	}
	return ret;
}

bool plan_is_real(const struct plan *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->runs[i].su.in.engine == ENGINE_MPI)
			return true;
	return false;
}
