/* Comparisons of a verdict: their JSON, and the probability that more seeds decide them. */
#include "report/claims/contrast.h"

#include "core/file/fields.h"
#include "core/file/json.h"
#include "core/file/members.h"
#include "record/measure.h"
#include "report/claims/rule.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct field contrast_fields[] = {
	FIELD(WORD, struct claim_contrast, rule, "rule"),
	FIELD(WORD, struct claim_contrast, word, "verdict"),
	FIELD(WORD, struct claim_contrast, why, "why"),
	FIELD(NOTE, struct claim_contrast, measure, "measure"),
	FIELD(NOTE, struct claim_contrast, images, "images"),
	FIELD(NUMBER, struct claim_contrast, difference, "difference"),
	FIELD(NUMBER, struct claim_contrast, margin, "margin"),
	FIELD(NUMBER, struct claim_contrast, level.holds, "level"),
	FIELD(NUMBER, struct claim_contrast, level.fails, "fails_level"),
	FIELD(NUMBER, struct claim_contrast, paired, "paired_deviation"),
	FIELD(NUMBER, struct claim_contrast, test_error, "test_error"), { 0 }
};

/* Seeds of the side with fewer; 0: both are numbers. */
static int contrast_fewest(const struct claim_contrast *c)
{
	const int a = c->side[0].seeds, b = c->side[1].seeds;

	return !b || (a && a < b) ? a : b;
}

/* Whether more seeds would give it no interval, which its `why` is about then. */
static bool contrast_is_undefined(const struct claim_contrast *c)
{
	return !(fabs(c->difference) < MEAN_MOST) || isnan(c->test_error) ||
	       (isnan(c->low) && contrast_fewest(c) >= 2);
}

/* The difference from which on a rule but `within` holds: 0, or the margin of `no_worse`. */
static double contrast_bound(const struct claim_contrast *c)
{
	if (strcmp(c->rule, "no_worse") != 0)
		return 0;
	return measure_is_better_high(c->measure) ? -c->margin : c->margin;
}

/*
 * From the difference to the end of the interval that would have to be elsewhere. Times to a target
 * have the time between two evaluations at each end, of the one side and of the other.
 */
static double contrast_reach(const struct claim_contrast *c)
{
	if (!strcmp(c->rule, "within"))
		return (c->high - c->low) / 2;
	return c->difference < contrast_bound(c) ? c->high - c->difference :
						   c->difference - c->low;
}

/* Spread of a comparison, which more seeds narrow. */
static struct contrast contrast_spread(const struct claim_contrast *c)
{
	const double a = c->side[0].deviation, b = c->side[1].deviation;
	struct contrast s = {
		.a = isnan(a) ? 0 : a * a, .b = isnan(b) ? 0 : b * b,
		.seeds = contrast_fewest(c), .fixed = isnan(c->test_error) ? 0 : c->test_error,
		.distance = !strcmp(c->rule, "within") ? fabs(fabs(c->difference) - c->margin) :
			    fabs(c->difference - contrast_bound(c))
	};
	double half, more;

	if (!isnan(c->paired)) {
		s.a = c->paired * c->paired;
		s.b = 0;
	}
	half = s.seeds < 2 ? (double)NAN : contrast_half_width(&s, s.seeds, c->level.holds);
	more = contrast_reach(c) - half;
	if (more > 1e-6 * half)
		s.distance = fmax(0, s.distance - more);
	return s;
}

/* ---- JSON ---- */

/* Item i of a list of numbers; NaN: it has none. */
static double item_number(const cJSON *list, int i)
{
	const cJSON *item = cJSON_GetArrayItem(list, i);

	return cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
}

/* Members that are lists of both sides, or more than a number. */
struct contrast_members {
	const cJSON *of, *seeds, *deviations, *runs, *interval, *test_error;
};

static const struct field contrast_members[] = {
	FIELD(TREE, struct contrast_members, of, "of"),
	FIELD(TREE, struct contrast_members, seeds, "seeds"),
	FIELD(TREE, struct contrast_members, deviations, "deviations"),
	FIELD(TREE, struct contrast_members, runs, "runs"),
	FIELD(TREE, struct contrast_members, interval, "interval"),
	FIELD(TREE, struct contrast_members, test_error, "test_error"), { 0 }
};

static void side_of_json(struct contrast_side *s, const struct contrast_members *json, int i)
{
	const double n = item_number(json->seeds, i);
	const char *name = cJSON_GetStringValue(cJSON_GetArrayItem(json->of, i));
	const cJSON *hash;

	s->name = xstrdup(name ? name : "");
	s->seeds = n >= 0 && n < INT_MAX ? (int)n : 0;
	s->deviation = item_number(json->deviations, i);
	cJSON_ArrayForEach(hash, cJSON_GetArrayItem(json->runs, i))
		if (cJSON_IsString(hash))
			texts_put(&s->runs, hash->valuestring);
}

static void parts_of_json(struct claim_contrast *c, const cJSON *list);

static void contrast_of_json(struct claim_contrast *c, const cJSON *json)
{
	const bool list = cJSON_IsArray(json);
	struct contrast_members more = { 0 };

	fields_read(json, contrast_fields, c);
	fields_read(json, contrast_members, &more);
	c->level.holds = isnan(c->level.holds) ? RULE_LEVEL : c->level.holds;
	c->level.fails = isnan(c->level.fails) ? c->level.holds : c->level.fails;
	c->test_error = more.test_error ? c->test_error : 0;
	c->low = item_number(more.interval, 0);
	c->high = item_number(more.interval, 1);
	c->brief = !more.runs;
	if (list || !strcmp(c->rule, "all_of") || !strcmp(c->rule, "any_of"))
		parts_of_json(c, list ? json : more.of);
	for (int i = 0; i < 2 && c->measure; i++)
		side_of_json(&c->side[i], &more, i);
	if (c->measure)
		c->spread = contrast_spread(c);
}

static void parts_of_json(struct claim_contrast *c, const cJSON *list)
{
	const cJSON *one;

	c->part = xcalloc((size_t)cJSON_GetArraySize(list) + 1, sizeof(*c->part));
	cJSON_ArrayForEach(one, list)
		contrast_of_json(&c->part[c->nparts++], one);
}

struct claim_contrast *contrast_read(const cJSON *json)
{
	struct claim_contrast *c = NULL;

	if (cJSON_IsArray(json) || cJSON_IsObject(json)) {
		c = xcalloc(1, sizeof(*c));
		contrast_of_json(c, json);
	}
	return c;
}

static cJSON *parts_json(const struct claim_contrast *c)
{
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; i < c->nparts; i++)
		list_add(list, contrast_json(&c->part[i]));
	return list;
}

/* The hashes of both sides. */
static cJSON *runs_json(const struct claim_contrast *c)
{
	cJSON *both = cJSON_CreateArray();

	for (int i = 0; i < 2; i++) {
		cJSON *list = cJSON_CreateArray();

		for (size_t k = 0; k < c->side[i].runs.n; k++)
			list_add(list, cJSON_CreateString(c->side[i].runs.v[k]));
		list_add(both, list);
	}
	return both;
}

/* One that compares two sides. */
static cJSON *two_json(const struct claim_contrast *c)
{
	const struct contrast_side *a = &c->side[0], *b = &c->side[1];
	const double ends[] = { c->low, c->high }, deviations[] = { a->deviation, b->deviation };
	const double seeds[] = { a->seeds ? a->seeds : (double)NAN,
				 b->seeds ? b->seeds : (double)NAN };
	char *const names[] = { a->name, b->name };
	const bool undefined = *c->why && contrast_is_undefined(c);
	const struct member why = j_text("why", c->why);

	return OBJECT(
		j_wide("difference", c->difference),
		isnan(c->low) ? j_if(fabs(c->difference) > MEAN_MOST, j_null("interval")) :
				j_wides("interval", ends, 2),
		j_if(undefined, why), j_text("measure", c->measure), j_wides("seeds", seeds, 2),
		j_texts("of", names, 2), j_if(c->images, j_text("images", c->images)),
		j_if(*c->why && !undefined, why), j_text("rule", c->rule),
		j_if(!isnan(c->margin), j_number("margin", c->margin)), j_text("verdict", c->word),
		j_if(!c->brief, j_wides("deviations", deviations, 2)),
		j_if(!isnan(c->paired), j_number("paired_deviation", c->paired)),
		isnan(c->test_error) ? j_null("test_error") :
			j_if(c->test_error > 0, j_number("test_error", c->test_error)),
		j_if(c->level.holds < RULE_LEVEL, j_number("level", c->level.holds)),
		j_if(c->level.fails < c->level.holds, j_number("fails_level", c->level.fails)),
		j_if(!c->brief, j_json("runs", c->brief ? NULL : runs_json(c))));
}

cJSON *contrast_json(const struct claim_contrast *c)
{
	if (!c || c->measure)
		return c ? two_json(c) : NULL;
	return OBJECT(j_if(*c->rule, j_text("rule", c->rule)),
		      j_if(c->part, j_json("of", c->part ? parts_json(c) : NULL)),
		      j_if(*c->word, j_text("verdict", c->word)),
		      j_if(*c->why, j_text("why", c->why)));
}

struct claim_contrast *contrast_share(struct claim_contrast *c)
{
	c->shares++;
	return c;
}

void contrast_release(struct claim_contrast *c)
{
	for (size_t i = 0; i < c->nparts; i++)
		contrast_release(&c->part[i]);
	free(c->part);
	for (int i = 0; i < 2; i++) {
		free(c->side[i].name);
		texts_release(&c->side[i].runs);
	}
	fields_release(contrast_fields, c);
}

void contrast_free(struct claim_contrast *c)
{
	if (!c || c->shares-- > 0)
		return;
	contrast_release(c);
	free(c);
}

/* ---- the comparisons that it is made of ---- */

/* *k <- less those that it has. */
static const struct claim_contrast *contrast_find(const struct claim_contrast *c, size_t *k)
{
	const struct claim_contrast *found = NULL;

	if (c->measure)
		return (*k)-- == 0 ? c : NULL;
	for (size_t i = 0; i < c->nparts && !found; i++)
		found = contrast_find(&c->part[i], k);
	return found;
}

const struct claim_contrast *contrast_at(const struct claim_contrast *c, size_t k)
{
	return c ? contrast_find(c, &k) : NULL;
}

bool contrast_varies(const struct claim_contrast *c)
{
	return c->spread.seeds && (c->spread.seeds < 2 || c->spread.a + c->spread.b > 0);
}

static int larger(int a, int b)
{
	return a > b ? a : b;
}

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

int contrasts_seeds(const struct claim_contrast *of)
{
	const struct claim_contrast *c;
	int least = 0;

	for (size_t k = 0; (c = contrast_at(of, k)); k++)
		if (contrast_varies(c) && (!least || c->spread.seeds < least))
			least = c->spread.seeds;
	return least;
}

bool contrast_has_more(const struct claim_contrast *now, const struct claim_contrast *then)
{
	return !then || now->side[0].seeds > then->side[0].seeds ||
	       now->side[1].seeds > then->side[1].seeds;
}

struct family contrasts_family(const struct claim_contrast *c)
{
	struct family most = { 1, 1 };
	size_t n = 0;

	while (contrast_at(c, n))
		n++;
	if (n < 2)
		return most;
	*(!strcmp(c->rule, "any_of") ? &most.holds : &most.fails) = (int)n;
	for (size_t i = 0; i < c->nparts; i++) {
		const struct family own = contrasts_family(&c->part[i]);

		most.holds = larger(most.holds, own.holds);
		most.fails = larger(most.fails, own.fails);
	}
	return most;
}

/* ---- what more seeds decide ---- */

/* Whether the rule holds if the present difference is the true one. */
static bool contrast_points_up(const struct claim_contrast *c)
{
	const double d = c->difference;

	if (!strcmp(c->rule, "within"))
		return fabs(d) <= c->margin;
	if (!strcmp(c->rule, "no_later"))
		return d <= 0;
	return measure_is_better_high(c->measure) ? d > contrast_bound(c) : d < contrast_bound(c);
}

/*
 * True where no seed changes it: the values do not vary or are equal seed by seed, a mean is
 * infinite, a size unknown.
 */
static bool contrast_is_settled(const struct claim_contrast *c)
{
	return isnan(c->test_error) || !strcmp(c->why, "equal") || !contrast_varies(c) ||
	       c->low == c->high || !(fabs(c->difference) < MEAN_MOST);
}

/* True where nothing can be said of more seeds, or they change nothing. */
static bool contrast_is_fixed(const struct claim_contrast *c)
{
	return contrast_is_settled(c) || c->spread.seeds < 2;
}

/* Half of the interval's width with ever more seeds. */
static double contrast_least_half(const struct claim_contrast *c)
{
	return contrast_half_width(&(struct contrast){ .fixed = c->spread.fixed }, 2,
				   c->level.holds);
}

/* Half of the interval's width with the present seeds, without times between evaluations. */
static double contrast_half(const struct claim_contrast *c)
{
	return contrast_half_width(&c->spread, c->spread.seeds, c->level.holds);
}

static bool contrast_is(const struct claim_contrast *c, const char *word)
{
	return !strcmp(c->word, word);
}

static const char between_evaluations[] =
	"the times between evaluations are longer than the difference";

struct outlook {                /* of more seeds */
	bool holds, fails;      /* the verdict may be that */
	const char *why;        /* of the first comparison that stays undecided; NULL: none does */
};

static struct outlook outlook_of(const struct claim_contrast *c)
{
	const bool all = !strcmp(c->rule, "all_of");
	struct outlook o = { .holds = all, .fails = !all };

	for (size_t i = 0; i < c->nparts; i++) {
		const struct outlook own = outlook_of(&c->part[i]);

		o.holds = all ? o.holds && own.holds : o.holds || own.holds;
		o.fails = all ? o.fails || own.fails : o.fails && own.fails;
		o.why = o.why ? o.why : own.why;
	}
	if (c->part)
		return o;
	if (!c->measure || (contrast_is_settled(c) &&
			    (isnan(c->test_error) || c->spread.seeds >= LOOK_FIRST)))
		/* without a spread, an interval that says nothing is of these times alone */
		return (struct outlook){ contrast_is(c, "holds"), contrast_is(c, "fails"),
					 !contrast_is(c, "undecided") ? NULL :
					 *c->why ? c->why : between_evaluations };
	if (!strcmp(c->rule, "within") && contrast_least_half(c) > c->margin)
		return (struct outlook){ false,
			fabs(c->difference) - c->margin > contrast_least_half(c),
			"the error that no seed lowers is larger than the margin" };
	if (strcmp(c->rule, "within") != 0 &&
	    contrast_reach(c) >= fabs(c->difference - contrast_bound(c)) + 2 * contrast_half(c))
		return (struct outlook){ false, false, between_evaluations };
	return (struct outlook){ true, true, NULL };
}

const char *contrasts_hopeless(const struct claim_contrast *c)
{
	const struct outlook o = c ? outlook_of(c) : (struct outlook){ 0 };

	return o.holds || o.fails ? NULL : o.why;
}

struct chance {
	double holds, fails;
};

static struct chance chance_of(const struct claim_contrast *c, int seeds, struct look_levels level)
{
	const bool all = !strcmp(c->rule, "all_of");
	double every = 1, none = 1;

	for (size_t i = 0; i < c->nparts; i++) {
		const struct chance own = chance_of(&c->part[i], seeds, level);

		every *= all ? own.holds : own.fails;
		none *= 1 - (all ? own.fails : own.holds);
	}
	if (c->part)
		return all ? (struct chance){ every, 1 - none } :
			     (struct chance){ 1 - none, every };
	if (!c->measure || contrast_is_fixed(c) || seeds <= c->spread.seeds)
		return (struct chance){ contrast_is(c, "holds"), contrast_is(c, "fails") };
	if (contrast_points_up(c))
		return (struct chance){ contrast_power(&c->spread, seeds, level.holds),
					contrast_reversal(&c->spread, seeds, level.fails) };
	return (struct chance){ contrast_reversal(&c->spread, seeds, level.holds),
				contrast_power(&c->spread, seeds, level.fails) };
}

double contrasts_power(const struct claim_contrast *c, int seeds, struct look_levels levels)
{
	const struct chance p = c ? chance_of(c, seeds, levels) : (struct chance){ 0 };

	return p.holds + p.fails < 1 ? p.holds + p.fails : 1;
}

struct needed {                 /* seeds until it holds, until it fails */
	int holds, fails;
};

static struct needed needed_of(const struct claim_contrast *c, struct look_levels level, int most)
{
	const bool all = !strcmp(c->rule, "all_of");
	struct needed n = { all ? 0 : most, all ? most : 0 };

	for (size_t i = 0; i < c->nparts; i++) {
		const struct needed own = needed_of(&c->part[i], level, most);

		n.holds = (all ? larger : smaller)(n.holds, own.holds);
		n.fails = (all ? smaller : larger)(n.fails, own.fails);
	}
	if (c->part)
		return n;
	if (!c->measure || contrast_is_fixed(c))
		return (struct needed){ contrast_is(c, "holds") ? 0 : most,
					contrast_is(c, "fails") ? 0 : most };
	return contrast_points_up(c) ?
		(struct needed){ contrast_seeds(&c->spread, level.holds, most), most } :
		(struct needed){ most, contrast_seeds(&c->spread, level.fails, most) };
}

int contrasts_needed(const struct claim_contrast *c, struct look_levels levels, int most)
{
	const struct needed n = needed_of(c, levels, most);

	return smaller(n.holds, n.fails);
}
