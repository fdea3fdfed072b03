/* Planned looks: their file, the runs that each sees, and the verdicts that they give. */
#include "report/claims/looks.h"

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/mem.h"
#include "core/file/fields.h"
#include "core/file/json.h"
#include "core/file/members.h"
#include "core/file/output.h"
#include "report/claims/rule.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- looks.json ---- */

static const struct field claim_fields[] = {
	FIELD(WORD, struct looks_claim, says, "says"),
	FIELD(WORD, struct looks_claim, test, "test"),
	FIELD(BOOL, struct looks_claim, looked, "looked"),
	FIELD(NOTE, struct looks_claim, closed, "closed"),
	FIELD(NOTE, struct looks_claim, closed_by, "closed_by"), { 0 }
};
static const struct field claims_fields[] = {
	FIELD_ARRAY(LIST, struct looks, claim, nclaims, "claims", claim_fields), { 0 }
};

struct looks *looks_new(int most)
{
	struct looks *looks = xcalloc(1, sizeof(*looks));
	const time_t now = time(NULL);
	struct tm day;
	char text[16] = "";

	if (gmtime_r(&now, &day))
		strftime(text, sizeof(text), "%Y-%m-%d", &day);
	looks->since = xstrdup(text);
	looks->most = most;
	return looks;
}

void looks_free(struct looks *looks)
{
	if (!looks)
		return;
	fields_release(claims_fields, looks);
	for (size_t i = 0; i < looks->ngroups; i++) {
		cJSON_Delete(looks->group[i].point);
		free(looks->group[i].seed);
	}
	free_all(looks->group, looks->since, looks);
}

/* Digest of what decides on a claim; the caller frees. */
static char *claim_test(const struct claim *c)
{
	scoped char *rule = c->rule ? json_format(c->rule, false) : NULL;
	const char *since = json_word(c->criterion, "since");
	uint64_t h = fnv_text(FNV_START, c->rule ? c->rule->string : "");

	h = fnv_text(h, rule ? rule : c->jq ? c->jq : "");
	h = fnv_text(fnv_text(h, since), cJSON_IsTrue(c->paired) ? "paired" : "");
	return xasprintf("%016" PRIx64, h);
}

static struct looks_claim *find_claim(const struct looks *looks, const char *test, const char *says)
{
	for (size_t i = 0; i < looks->nclaims; i++)
		if (!strcmp(looks->claim[i].test, test) && !strcmp(looks->claim[i].says, says))
			return &looks->claim[i];
	return NULL;
}

struct looks_claim *looks_find(const struct looks *looks, const struct claim *c)
{
	scoped char *test = claim_test(c);

	return looks ? find_claim(looks, test, c->says ? c->says : "") : NULL;
}

static void looks_claim_add(struct looks *looks, struct looks_claim claim)
{
	APPEND(looks->claim, looks->nclaims) = claim;
}

void looks_add_claims(struct looks *looks, const struct verdicts *all, const bool *looked)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct claim *c = &all->v[i].of;

		if (!looks_find(looks, c))
			looks_claim_add(looks, (struct looks_claim){
				.says = xstrdup(c->says ? c->says : ""), .test = claim_test(c),
				.looked = looked[i] });
	}
}

/* Whether two points are the same but for the seed. */
static bool points_alike(const cJSON *a, const cJSON *b)
{
	const cJSON *own;
	int n = 0, other = 0;

	cJSON_ArrayForEach(own, a) {
		char *x = value_text(own), *y = value_text(json_get(b, own->string));
		const bool seed = !strcmp(own->string, "seed");
		const bool same = x && y && !strcmp(x, y);

		free_all(x, y);
		if (!seed && !same)
			return false;
		n += !seed;
	}
	cJSON_ArrayForEach(own, b)
		other += strcmp(own->string, "seed") != 0;
	return n == other;
}

static struct looks_group *group_add(struct looks *looks, cJSON *point)
{
	struct looks_group *g;

	g = &APPEND(looks->group, looks->ngroups);
	*g = (struct looks_group){ .point = point };
	cJSON_DeleteItemFromObjectCaseSensitive(g->point, "seed");
	return g;
}

struct looks_group *looks_group(struct looks *looks, const cJSON *point, bool add)
{
	for (size_t i = 0; i < looks->ngroups; i++)
		if (points_alike(looks->group[i].point, point))
			return &looks->group[i];
	return add ? group_add(looks, cJSON_Duplicate(point, true)) : NULL;
}

void looks_drop_seed(struct looks_group *g, int64_t seed)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++)
		if (g->seed[i] != seed)
			g->seed[n++] = g->seed[i];
	g->n = n;
}

static bool seeds_have(const int64_t *seeds, size_t n, int64_t seed)
{
	for (size_t i = 0; i < n; i++)
		if (seeds[i] == seed)
			return true;
	return false;
}

/* Adds those seeds of the group that the list of n does not have; returns how many it has then. */
static size_t seeds_join(int64_t *list, size_t n, const struct looks_group *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (!seeds_have(list, n, g->seed[i]))
			list[n++] = g->seed[i];
	return n;
}

/* False where the group had these seeds first. */
static bool group_merge(struct looks_group *g, const struct looks_group *file)
{
	int64_t *list = xcalloc(file->n + g->n + 1, sizeof(*list));
	const size_t n = seeds_join(list, seeds_join(list, 0, file), g);
	const bool same = n == g->n && (!n || memcmp(list, g->seed, n * sizeof(*list)) == 0);

	free(g->seed);
	g->seed = list;
	g->n = n;
	return !same;
}

bool looks_merge(struct looks *looks, const struct looks *file)
{
	bool any = looks->most != file->most;

	free(looks->since);
	looks->since = xstrdup(file->since);
	looks->most = file->most;
	for (size_t i = 0; i < file->nclaims; i++) {
		const struct looks_claim *c = &file->claim[i];
		struct looks_claim *own = find_claim(looks, c->test, c->says);

		if (!own) {
			looks_claim_add(looks, (struct looks_claim){
				.says = xstrdup(c->says), .test = xstrdup(c->test),
				.looked = c->looked, .closed = xstrdup(c->closed),
				.closed_by = xstrdup(c->closed_by) });
			continue;
		}
		any = any || (c->closed && !own->closed);
		own->looked = c->looked;
		if (c->closed && !own->closed) {
			own->closed = xstrdup(c->closed);
			own->closed_by = xstrdup(c->closed_by);
		}
	}
	for (size_t i = 0; i < file->ngroups; i++)
		if (group_merge(looks_group(looks, file->group[i].point, true), &file->group[i]))
			any = true;
	return any;
}

static int group_read(struct looks *looks, const cJSON *json, const char *path)
{
	const cJSON *point = json_get(json, "point"), *seeds = json_get(json, "seeds"), *seed;
	struct looks_group *g;

	if (!cJSON_IsObject(point) || !cJSON_IsArray(seeds))
		return error("%s: a group needs 'point', an object, and 'seeds', a list", path);
	g = looks_group(looks, point, true);
	cJSON_ArrayForEach(seed, seeds) {
		const double x = cJSON_IsNumber(seed) ? seed->valuedouble : -1;
		bool known;

		if (!(x >= 0 && x < 9e15 && x == floor(x)))
			return error("%s: a seed is no whole number from 0 on", path);
		known = seeds_have(g->seed, g->n, (int64_t)x);
		if (g->n >= LOOK_LAST && !known)
			return error("%s: a group has more than %d added seeds", path,
				     (int)LOOK_LAST);
		g->seed = xrealloc(g->seed, g->n + 1, sizeof(*g->seed));
		g->seed[g->n] = (int64_t)x;
		g->n += !known;
	}
	return 0;
}

int looks_load(struct looks **looks, const char *folder)
{
	scoped char *path = xasprintf("%s/" LOOKS_FILE, folder);
	scoped_json cJSON *json = NULL;
	const cJSON *item;
	int ret = 0;

	*looks = NULL;
	if (access(path, F_OK) == 0) {
		json = json_load(path);
		ret = json ? 0 : -1;
	}
	if (json) {
		const double most = json_number(json, "most");

		json_make_printable(json);      /* its texts are shown */
		if (!(most >= LOOK_FIRST && most <= LOOK_LAST))
			ret = error("%s: 'most' must be a number of seeds from %d to %d", path,
				    (int)LOOK_FIRST, (int)LOOK_LAST);
		*looks = looks_new(ret == 0 ? (int)most : LOOK_FIRST);
		free((*looks)->since);
		(*looks)->since = xstrdup(json_word(json, "since"));
		fields_read(json, claims_fields, *looks);
		json_each(item, json, "groups")
			ret = ret < 0 ? ret : group_read(*looks, item, path);
	}
	if (ret < 0) {
		looks_free(*looks);
		*looks = NULL;
	}
	return ret;
}

int looks_write(const struct looks *looks, const char *folder)
{
	scoped char *path = xasprintf("%s/" LOOKS_FILE, folder);
	cJSON *groups = cJSON_CreateArray(), *json;
	int ret;

	for (size_t i = 0; i < looks->ngroups; i++) {
		const struct looks_group *g = &looks->group[i];
		scoped double *seed = xcalloc(g->n + 1, sizeof(*seed));

		for (size_t k = 0; k < g->n; k++)
			seed[k] = (double)g->seed[k];
		list_add(groups, OBJECT(j_json("point", cJSON_Duplicate(g->point, true)),
					j_numbers("seeds", seed, g->n)));
	}
	json = OBJECT(j_text("since", looks->since), j_number("most", looks->most));
	ADD(fields_add(json, claims_fields, looks), j_json("groups", groups));
	ret = output_json_file(path, json, "");
	cJSON_Delete(json);
	return ret;
}

/* ---- a claim's looks ---- */

/* A level of a plan, divided by the comparisons of which one makes the verdict. */
static struct look_levels level_among(double level, struct family f)
{
	const double holds = level / f.holds, fails = level / f.fails;

	return (struct look_levels){ holds, fails < holds ? fails : holds };
}

struct look_levels claim_looks_level(const struct claim_looks *l, int i)
{
	return level_among(l->plan.level[i], l->family);
}

bool claim_looks_decided(const struct claim_looks *l)
{
	return l->n > 0 && strcmp(l->made[l->n - 1].word, "undecided") != 0;
}

static const struct field claim_looks_fields[] = {
	FIELD(WORD, struct claim_looks, since, "since"),
	FIELD(NOTE, struct claim_looks, closed, "closed"),
	FIELD(BOOL, struct claim_looks, looked, "looked_before"),
	FIELD(INT, struct claim_looks, family.holds, "best_of"),
	FIELD(INT, struct claim_looks, family.fails, "fails_of"),
	FIELD(INT, struct claim_looks, plan.n, "looks"), { 0 }
};
static const struct field look_fields[] = {
	FIELD(INT, struct claim_look, seeds, "seeds"),
	FIELD(NUMBER, struct claim_look, level, "level"), { 0 }
};

void claim_looks_free(struct claim_looks *l)
{
	if (!l)
		return;
	for (int i = 0; i < l->n; i++)
		contrast_free(l->made[i].contrast);
	contrast_free(l->now);
	fields_release(claim_looks_fields, l);
	free_all(l->runs, l);
}

char *claim_looks_text(const struct claim_looks *l)
{
	const struct claim_look *last = l->n ? &l->made[l->n - 1] : NULL;
	char *text = !last ? xstrdup("no look yet") :
		xasprintf("%slook %d of %d with %d seeds", claim_looks_decided(l) ? "decided at " :
			  "", l->n, l->plan.n, last->seeds);

	if (last && last->level < RULE_LEVEL)
		xappendf(&text, ", ", "level %.4g", last->level);
	if (last && last->level < RULE_LEVEL && l->family.holds > 1)
		xappendf(&text, ", ", "corrected for the best of %d", l->family.holds);
	if (last && l->family.fails > l->family.holds && strcmp(last->word, "holds") != 0)
		xappendf(&text, ", ", "%.4g to fail, because one of %d comparisons is enough",
			 last->level * l->family.holds / l->family.fails, l->family.fails);
	if (l->closed)
		xappend(&text, "; closed: ", l->closed);
	return text;
}

/* The differences of a look, without their runs; of all runs with the seeds of both sides. */
static cJSON *differences_json(const struct claim_contrast *of, bool all)
{
	const struct claim_contrast *c;
	cJSON *list = cJSON_CreateArray();

	for (size_t k = 0; (c = contrast_at(of, k)); k++) {
		char *const sides[] = { c->side[0].name, c->side[1].name };
		const double ends[] = { c->low, c->high };
		double seeds[2];        /* NaN: a number */

		for (int i = 0; i < 2; i++)
			seeds[i] = c->side[i].seeds ? c->side[i].seeds : (double)NAN;
		list_add(list, OBJECT(j_text("measure", c->measure), j_texts("of", sides, 2),
				      j_wide("difference", c->difference),
				      j_wides("interval", ends, 2),
				      j_if(c->margin > 0, j_number("margin", c->margin)),
				      j_if(all, j_wides("seeds", seeds, 2)),
				      j_text("verdict", c->word)));
	}
	return list;
}

cJSON *claim_looks_json(const struct claim_looks *l)
{
	cJSON *made = cJSON_CreateArray();
	const bool decided = claim_looks_decided(l);

	for (int i = 0; i < l->n; i++) {
		const struct claim_look *look = &l->made[i];
		cJSON *comparisons = differences_json(look->contrast, false);

		list_add(made, OBJECT(j_number("seeds", look->seeds),
				      j_number("level", look->level), j_text("verdict", look->word),
				      j_json("comparisons", comparisons)));
	}
	return OBJECT(
		j_text("since", l->since), j_number("looks", l->plan.n),
		j_number("most_seeds", l->plan.seeds[l->plan.n - 1]),
		j_bool("looked_before", l->looked), j_number("best_of", l->family.holds),
		j_if(l->family.fails > 1, j_number("fails_of", l->family.fails)),
		j_if(decided, j_number("decided_at_look", l->n)),
		j_if(l->closed, j_text("closed", l->closed)), j_json("made", made),
		j_if(l->now, j_json("now", l->now ? differences_json(l->now, true) : NULL)));
}

/* The word, which outlives the file that it is from; "undecided" for any other. */
static const char *word_lasting(const char *text)
{
	return !strcmp(text, "holds") ? "holds" : !strcmp(text, "fails") ? "fails" : "undecided";
}

static int within(int n, int least, int most)
{
	return n < least ? least : n > most ? most : n;
}

struct looks_members {          /* more than a field of struct claim_looks, or of a look */
	double most;
	const cJSON *made, *now, *contrast;
	const char *word;
};

static const struct field looks_members[] = {
	FIELD(NUMBER, struct looks_members, most, "most_seeds"),
	FIELD(TREE, struct looks_members, made, "made"),
	FIELD(TREE, struct looks_members, now, "now"), { 0 }
};
static const struct field look_members[] = {
	FIELD(LENT, struct looks_members, word, "verdict"),
	FIELD(TREE, struct looks_members, contrast, "comparisons"), { 0 }
};

struct claim_looks *claim_looks_read(const cJSON *json)
{
	struct looks_members more = { 0 };
	struct claim_looks *l;
	const cJSON *made;

	if (!cJSON_IsObject(json))
		return NULL;
	l = xcalloc(1, sizeof(*l));
	fields_read(json, claim_looks_fields, l);
	fields_read(json, looks_members, &more);
	l->family.holds = within(l->family.holds, 1, INT_MAX);
	l->family.fails = within(l->family.fails, 1, INT_MAX);
	l->plan.n = within(l->plan.n, 1, LOOKS);
	cJSON_ArrayForEach(made, more.made) {
		struct claim_look *look = &l->made[l->n];
		struct looks_members of = { .word = "" };

		if (l->n == l->plan.n)
			break;
		fields_read(made, look_fields, look);
		fields_read(made, look_members, &of);
		look->word = word_lasting(of.word);
		look->contrast = contrast_read(of.contrast);
		l->plan.seeds[l->n++] = look->seeds;
	}
	l->plan.seeds[l->plan.n - 1] = more.most >= 0 && more.most <= INT_MAX ? (int)more.most : 0;
	l->now = contrast_read(more.now);
	return l;
}

/* ---- the runs that a look sees ---- */

/* {setting: text} of the run's point; the caller frees. */
static cJSON *run_point(const struct result *r)
{
	const struct result_values *point = &r->values[RESULT_POINT];
	cJSON *json = cJSON_CreateObject();

	for (size_t i = 0; i < point->n; i++)
		ADD(json, point->v[i].text ? j_text(point->v[i].key, point->v[i].text) :
					     j_null(point->v[i].key));
	return json;
}

/* Index of the seed among those added; g->n: it was not added. */
static size_t group_seed(const struct looks_group *g, const struct result *r)
{
	size_t k = 0;

	while (k < g->n && (double)g->seed[k] != r->number[RESULT_SEED])
		k++;
	return k;
}

/*
 * order[i] <- how many seeds of its group come before run i; 0 of the spec's own runs, which all
 * are where the file lists all seeds of a group.
 */
static int *runs_order(const struct results *runs, const struct looks *looks)
{
	int *order = xcalloc(runs->n + 1, sizeof(*order));
	scoped cJSON **point = xcalloc(runs->n + 1, sizeof(*point));

	for (size_t i = 0; i < runs->n; i++)
		point[i] = run_point(&runs->v[i]);
	for (size_t g = 0; g < looks->ngroups; g++) {
		const struct looks_group *group = &looks->group[g];
		scoped bool *own = xcalloc(runs->n + 1, sizeof(*own));
		int n = 0;

		for (size_t i = 0; i < runs->n; i++) {
			own[i] = points_alike(group->point, point[i]);
			n += own[i] && group_seed(group, &runs->v[i]) == group->n;
		}
		for (size_t i = 0; i < runs->n; i++) {
			const size_t k = own[i] ? group_seed(group, &runs->v[i]) : group->n;

			if (k < group->n && n > 0)
				order[i] = n + (int)k;
		}
	}
	for (size_t i = 0; i < runs->n; i++)
		cJSON_Delete(point[i]);
	return order;
}

/* Digest of the spec's own runs, and so of all their settings; the caller frees. */
static char *runs_digest(const struct results *runs, const int *order)
{
	uint64_t h = FNV_START;

	for (size_t i = 0; i < runs->n; i++)
		if (!order[i])
			h = fnv_text(h, runs->v[i].text[RESULT_HASH] ?
						runs->v[i].text[RESULT_HASH] : "");
	return xasprintf("%016" PRIx64, h);
}

/* The spec's runs, and those added up to so many seeds; they borrow. The caller frees v. */
static struct results runs_until(const struct results *runs, const int *order, int seeds)
{
	struct results some = { .v = xcalloc(runs->n + 1, sizeof(*some.v)) };

	for (size_t i = 0; i < runs->n; i++)
		if (order[i] < seeds || !order[i])
			some.v[some.n++] = runs->v[i];
	return some;
}

/* ---- verdicts by the plan ---- */

struct looking {
	const cJSON *spec;
	const struct results *runs;
	const char *scale;
	const int *order;       /* of each run */
	struct claim_way *way;  /* [claims] */
};

/* Judges the claims that are not skipped on the runs with up to so many seeds. */
static struct verdicts *judge_until(const struct looking *l, int seeds)
{
	struct results some = runs_until(l->runs, l->order, seeds);
	struct tables tables = tables_build(l->spec, &some);
	struct verdicts *all = claims_judge_so(l->spec, &some, &tables, l->scale, l->way);

	tables_release(&tables);
	free(some.v);
	return all;
}

static void verdict_swap(struct verdict *a, struct verdict *b)
{
	const struct verdict v = *a;

	*a = *b;
	*b = v;
}

/* Whether a rule has compared groups whose seeds decide. */
static bool is_compared(const struct verdict *v)
{
	return v->word && !v->error && !v->tied && contrasts_seeds(v->contrast) > 0;
}

/* Comparisons or methods by whose number the levels are divided. */
static struct family claim_family(const struct verdict *v)
{
	struct family f = contrasts_family(v->contrast);

	f.holds = v->of.best_of > f.holds ? (int)v->of.best_of : f.holds;
	return f;
}

/* Begins the looks at a claim that are planned, by its verdict on the spec's runs. */
static struct claim_looks *looks_begin(const struct verdict *v, const struct looks *looks,
				       const char *runs)
{
	const struct looks_claim *c = looks_find(looks, &v->of);
	struct claim_looks *l;
	int first;

	if (!c || !is_compared(v))
		return NULL;
	first = contrasts_seeds(v->contrast);
	l = xcalloc(1, sizeof(*l));
	*l = (struct claim_looks){
		.since = xstrdup(looks->since), .looked = c->looked, .runs = xstrdup(runs),
		.closed = xstrdup(c->closed_by && strcmp(c->closed_by, runs) != 0 ? NULL :
									    c->closed),
		.family = claim_family(v),
		.plan = look_plan_from(first > LOOK_FIRST ? first : LOOK_FIRST, looks->most) };
	return l;
}

/* Takes the verdict of the next look, if it has as many seeds as planned. */
static void look_make(struct verdict *v, struct verdict *next)
{
	struct claim_looks *l = v->looks;
	struct claim_look *look = &l->made[l->n];

	if (!is_compared(next) || !strcmp(next->word, "not evaluated") ||
	    contrasts_seeds(next->contrast) < l->plan.seeds[l->n])
		return;
	*look = (struct claim_look){ .seeds = contrasts_seeds(next->contrast),
				     .level = claim_looks_level(l, l->n).holds, .word = next->word,
				     .contrast = contrast_share(next->contrast) };
	l->n++;
	next->looks = l;
	v->looks = NULL;
	verdict_swap(v, next);
}

/* The looks that have so many seeds; 0: first ones, on the spec's runs. */
static void looks_make_at(const struct looking *l, struct verdicts *all, int seeds)
{
	struct verdicts *next;
	bool any = false;

	for (size_t i = 0; i < all->n; i++) {
		const struct claim_looks *own = all->v[i].looks;
		const bool due = own && !claim_looks_decided(own) && own->n < own->plan.n &&
				 (seeds ? own->plan.seeds[own->n] == seeds :
					  contrasts_seeds(all->v[i].contrast) >= LOOK_FIRST);

		l->way[i].skip = !due;
		if (due)
			l->way[i].level = claim_looks_level(own, own->n);
		any = any || due;
	}
	if (!any)
		return;
	next = judge_until(l, seeds);
	for (size_t i = 0; i < all->n; i++)
		if (!l->way[i].skip)
			look_make(&all->v[i], &next->v[i]);
	verdicts_free(next);
}

/* Whether a side of a comparison has more runs than at the look. */
static bool look_had_fewer(const struct claim_look *look, const struct claim_contrast *now)
{
	const struct claim_contrast *c;
	bool fewer = false;

	for (size_t k = 0; (c = contrast_at(now, k)) && !fewer; k++)
		fewer = contrast_has_more(c, contrast_at(look->contrast, k));
	return fewer;
}

/* Shows the figures of all runs next to the verdict of a look that had fewer. */
static void looks_show_now(const struct looking *l, struct verdicts *all)
{
	struct verdicts *now;

	for (size_t i = 0; i < all->n; i++) {
		const struct claim_looks *own = all->v[i].looks;

		l->way[i].skip = !own;
		if (own)
			l->way[i].level = claim_looks_level(own, own->n ? own->n - 1 : 0);
	}
	now = judge_until(l, LOOK_LAST + 1);
	for (size_t i = 0; i < all->n; i++) {
		struct claim_looks *own = all->v[i].looks;
		struct verdict *v = &now->v[i];

		if (!own || v->error)
			continue;
		cJSON_Delete(all->v[i].shows);
		all->v[i].shows = v->shows;
		v->shows = NULL;
		if (own->n && look_had_fewer(&own->made[own->n - 1], v->contrast)) {
			own->now = v->contrast;
			v->contrast = NULL;
		}
	}
	verdicts_free(now);
}

/* Mean wall time of the runs with these hashes; NaN: it is not known. */
static double wall_of(const struct results *runs, const struct texts *hashes)
{
	double sum = 0;
	int n = 0;

	for (size_t i = 0; i < hashes->n; i++) {
		const struct result *r = results_find(runs, hashes->v[i]);

		sum += r ? r->number[MEASURE_WALL] : 0;
		n += r != NULL;
	}
	return n ? sum / n : (double)NAN;
}

static bool sides_alike(const struct contrast_side *a, const struct contrast_side *b)
{
	bool alike = a->runs.n == b->runs.n;

	for (size_t i = 0; i < a->runs.n && alike; i++)
		alike = !strcmp(a->runs.v[i], b->runs.v[i]);
	return alike;
}

/* Wall seconds of the runs that all groups of a verdict lack for so many seeds. */
static double seconds_until(const struct verdict *v, const struct results *runs, int seeds)
{
	const struct claim_contrast *c;
	scoped const struct contrast_side **seen = NULL;
	size_t n = 0;
	double sum = 0;

	for (size_t k = 0; (c = contrast_at(v->contrast, k / 2)); k++) {
		const struct contrast_side *side = &c->side[k % 2];
		bool known = !contrast_varies(c) || !side->seeds || side->seeds >= seeds;

		for (size_t i = 0; i < n && !known; i++)
			known = sides_alike(seen[i], side);
		if (!known) {
			APPEND(seen, n) = side;
			sum += (seeds - side->seeds) * wall_of(runs, &side->runs);
		}
	}
	return sum;
}

/* The levels of the next look, or of the last one of a plan that there may be. */
static struct look_levels level_ahead(const struct verdict *v)
{
	const struct claim_looks *l = v->looks;
	const int first = contrasts_seeds(v->contrast);
	struct look_plan plan;

	if (l)
		return claim_looks_level(l, l->n < l->plan.n ? l->n : l->plan.n - 1);
	plan = look_plan_from(first > LOOK_FIRST ? first : LOOK_FIRST, LOOKS_USUAL);
	return level_among(plan.level[plan.n - 1], claim_family(v));
}

static void verdict_set_needs(struct verdict *v, const struct results *runs)
{
	if (!is_compared(v) || strcmp(v->word, "undecided") != 0 ||
	    contrasts_seeds(v->contrast) < 2 || contrasts_hopeless(v->contrast))
		return;
	v->needs = contrasts_needed(v->contrast, level_ahead(v), LOOKS_MOST_NEEDED);
	v->needs = v->needs > LOOK_FIRST ? v->needs : LOOK_FIRST;
	v->needs_s = seconds_until(v, runs, v->needs);
}

/* How claims without planned looks are judged, or one of them; the caller frees. */
static struct claim_way *ways_usual(const cJSON *spec, size_t only)
{
	const size_t n = (size_t)cJSON_GetArraySize(json_get(spec, "claims"));
	struct claim_way *way = xcalloc(n + 1, sizeof(*way));

	for (size_t i = 0; i < n; i++)
		way[i] = (struct claim_way){ only != SIZE_MAX && only != i, rule_levels };
	return way;
}

struct verdicts *looks_judge(const cJSON *spec, const struct results *runs,
			     const struct tables *tables, const char *scale,
			     const struct looks *looks)
{
	struct looking l = { .spec = spec, .runs = runs, .scale = scale };
	struct verdicts *all;
	char *digest;
	int *order, most = 0;

	if (!looks) {
		all = claims_judge(spec, runs, tables, scale);
		for (size_t i = 0; i < all->n; i++)
			verdict_set_needs(&all->v[i], runs);
		return all;
	}
	l.order = order = runs_order(runs, looks);
	l.way = ways_usual(spec, SIZE_MAX);
	for (size_t i = 0; i < runs->n; i++)
		most = order[i] + 1 > most ? order[i] + 1 : most;
	all = judge_until(&l, 0);
	digest = runs_digest(runs, order);
	for (size_t i = 0; i < all->n; i++)
		all->v[i].looks = looks_begin(&all->v[i], looks, digest);
	free(digest);
	looks_make_at(&l, all, 0);
	for (int i = 0; i < LOOKS; i++)
		if (look_seeds[i] <= most)
			looks_make_at(&l, all, look_seeds[i]);
	if (most > 1)
		looks_show_now(&l, all);
	for (size_t i = 0; i < all->n; i++)
		verdict_set_needs(&all->v[i], runs);
	free_all(order, l.way);
	return all;
}

bool looks_claim_reads(const cJSON *spec, const struct results *runs, const char *scale,
		       const struct looks *looks, size_t claim, const cJSON *point)
{
	int *order = runs_order(runs, looks);
	struct looking l = { spec, runs, scale, order, ways_usual(spec, claim) };
	struct verdicts *all = judge_until(&l, 0);
	cJSON *with = contrast_json(all->v[claim].contrast), *without;
	bool reads;

	verdicts_free(all);
	for (size_t i = 0; i < runs->n; i++) {
		scoped_json cJSON *own = run_point(&runs->v[i]);

		if (points_alike(own, point))
			order[i] = 1;           /* as one that was added */
	}
	all = judge_until(&l, 0);
	without = contrast_json(all->v[claim].contrast);
	reads = !cJSON_Compare(with, without, true);
	verdicts_free(all);
	cJSON_Delete(with);
	cJSON_Delete(without);
	free_all(order, l.way);
	return reads;
}
