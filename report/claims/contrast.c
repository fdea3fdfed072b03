/* Comparisons in the JSON of a verdict, and the probability that more seeds decide it. */
#include "report/claims/contrast.h"

#include "core/base/mem.h"
#include "core/file/members.h"
#include "record/measure.h"
#include "report/claims/rule.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEVER 1e300             /* a mean beyond this is infinite */

struct rule_result rule_result_read(const cJSON *interval)
{
	static const struct member_field fields[] = {
		{ "rule", JSON_TEXT, offsetof(struct rule_result, rule) },
		{ "verdict", JSON_TEXT, offsetof(struct rule_result, verdict) },
		{ "why", JSON_TEXT, offsetof(struct rule_result, why) },
		{ "measure", JSON_TEXT, offsetof(struct rule_result, measure) },
		{ "images", JSON_TEXT, offsetof(struct rule_result, images) },
		{ "of", JSON_OWN, offsetof(struct rule_result, of) },
		{ "difference", JSON_OWN, offsetof(struct rule_result, figure) },
		{ "difference", JSON_AMOUNT, offsetof(struct rule_result, difference) },
		{ "margin", JSON_AMOUNT, offsetof(struct rule_result, margin) },
		{ "level", JSON_AMOUNT, offsetof(struct rule_result, level) },
		{ "paired_deviation", JSON_AMOUNT, offsetof(struct rule_result, paired) },
		{ "test_error", JSON_AMOUNT, offsetof(struct rule_result, test_error) },
		{ "test_error", JSON_OWN, offsetof(struct rule_result, error) },
		{ "interval", JSON_OWN, offsetof(struct rule_result, interval) },
		{ "seeds", JSON_OWN, offsetof(struct rule_result, seeds) },
		{ "deviations", JSON_OWN, offsetof(struct rule_result, deviations) },
		{ "runs", JSON_OWN, offsetof(struct rule_result, runs) },
		{ 0 }
	};
	struct rule_result c = { .rule = "", .verdict = "", .why = "", .level = RULE_LEVEL,
				.difference = (double)NAN, .paired = (double)NAN };

	members_read(interval, fields, &c);
	return c;
}

/* True where the verdict is made of others: all_of or any_of. */
static bool rule_result_is_several(const struct rule_result *c)
{
	return !strcmp(c->rule, "all_of") || !strcmp(c->rule, "any_of");
}

const cJSON *rule_result_parts(const struct rule_result *c)
{
	return rule_result_is_several(c) && c->of ? c->of->child : NULL;
}

static int larger(int a, int b)
{
	return a > b ? a : b;
}

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

/* Item i of a list of numbers; NaN: it has none. */
static double item_number(const cJSON *list, int i)
{
	const cJSON *item = cJSON_GetArrayItem(list, i);

	return cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
}

/* The difference from which on a rule but `within` holds: 0, or the margin of `no_worse`. */
static double contrast_bound(const struct claim_contrast *c)
{
	if (strcmp(c->rule, "no_worse") != 0)
		return 0;
	return measure_is_better_high(c->measure) ? -c->margin : c->margin;
}

/* Times to a target have the time between two evaluations at each end, which no seed lowers. */
static void contrast_add_steps(struct claim_contrast *c)
{
	const double half = c->spread.seeds < 2 ? (double)NAN :
			    contrast_half_width(&c->spread, c->spread.seeds, c->level);
	const double more = (c->high - c->low) / 2 - half;

	if (more > 1e-6 * half)
		c->spread.distance = fmax(0, c->spread.distance - more);
}

/* False where it is no comparison, but a plain true or false. */
static bool contrast_of(struct claim_contrast *c, const struct rule_result *read)
{
	double variance[2];

	if (!read->measure)
		return false;
	*c = (struct claim_contrast){
		.rule = read->rule, .measure = read->measure, .word = read->verdict,
		.difference = read->difference, .low = item_number(read->interval, 0),
		.high = item_number(read->interval, 1), .margin = read->margin,
		.level = read->level, .unknown = cJSON_IsNull(read->error), .why = read->why,
	};
	for (int i = 0; i < 2; i++) {
		const double n = item_number(read->seeds, i);
		const double deviation = item_number(read->deviations, i);
		const char *name = cJSON_GetStringValue(cJSON_GetArrayItem(read->of, i));

		variance[i] = isnan(deviation) ? 0 : deviation * deviation;
		c->side[i] = (struct contrast_side){
			.name = name ? name : "", .seeds = n >= 0 && n < INT_MAX ? (int)n : 0,
			.runs = cJSON_GetArrayItem(read->runs, i) };
		if (c->side[i].seeds && (!c->spread.seeds || c->side[i].seeds < c->spread.seeds))
			c->spread.seeds = c->side[i].seeds;
	}
	c->spread.a = isnan(read->paired) ? variance[0] : read->paired * read->paired;
	c->spread.b = isnan(read->paired) ? variance[1] : 0;
	c->spread.fixed = read->test_error;
	c->spread.distance = !strcmp(c->rule, "within") ? fabs(fabs(c->difference) - c->margin) :
			     fabs(c->difference - contrast_bound(c));
	contrast_add_steps(c);
	return true;
}

bool contrast_varies(const struct claim_contrast *c)
{
	return c->spread.seeds && (c->spread.seeds < 2 || c->spread.a + c->spread.b > 0);
}

static void contrasts_add(const cJSON *interval, struct claim_contrast **list, size_t *n)
{
	const struct rule_result read = rule_result_read(interval);
	struct claim_contrast c;

	if (rule_result_is_several(&read)) {
		for (const cJSON *one = rule_result_parts(&read); one; one = one->next)
			contrasts_add(one, list, n);
	} else if (contrast_of(&c, &read)) {
		*list = xrealloc(*list, *n + 1, sizeof(**list));
		(*list)[(*n)++] = c;
	}
}

struct claim_contrast *contrasts_of(const cJSON *interval, size_t *n)
{
	struct claim_contrast *list = NULL;

	*n = 0;
	contrasts_add(interval, &list, n);
	return list;
}

int contrasts_seeds(const cJSON *interval)
{
	size_t n;
	struct claim_contrast *list = contrasts_of(interval, &n);
	int least = 0;

	for (size_t i = 0; i < n; i++)
		if (contrast_varies(&list[i]) && (!least || list[i].spread.seeds < least))
			least = list[i].spread.seeds;
	free(list);
	return least;
}

struct family contrasts_family(const cJSON *interval)
{
	const struct rule_result read = rule_result_read(interval);
	struct family most = { 1, 1 };
	size_t n = 0;

	if (rule_result_is_several(&read))
		free(contrasts_of(interval, &n));
	*(!strcmp(read.rule, "any_of") ? &most.holds : &most.fails) = n > 1 ? (int)n : 1;
	for (const cJSON *one = rule_result_parts(&read); one; one = one->next) {
		const struct family own = contrasts_family(one);

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

/* True where no seed changes it: the values do not vary, a mean is infinite, a size unknown. */
static bool contrast_is_settled(const struct claim_contrast *c)
{
	return c->unknown || !contrast_varies(c) || c->low == c->high ||
	       !(fabs(c->difference) < NEVER);
}

/* True where nothing can be said of more seeds, or they change nothing. */
static bool contrast_is_fixed(const struct claim_contrast *c)
{
	return contrast_is_settled(c) || c->spread.seeds < 2;
}

/* Half of the interval's width with ever more seeds. */
static double contrast_least_half(const struct claim_contrast *c)
{
	return contrast_half_width(&(struct contrast){ .fixed = c->spread.fixed }, 2, c->level);
}

struct outlook {                /* of more seeds */
	bool holds, fails;      /* the verdict may be that */
	const char *why;        /* of the first comparison that stays undecided; NULL: none does */
};

static struct outlook outlook_of(const cJSON *interval)
{
	const struct rule_result read = rule_result_read(interval);
	const bool all = !strcmp(read.rule, "all_of");
	struct outlook o = { .holds = all, .fails = !all };
	struct claim_contrast c;

	if (rule_result_is_several(&read)) {
		for (const cJSON *one = rule_result_parts(&read); one; one = one->next) {
			const struct outlook own = outlook_of(one);

			o.holds = all ? o.holds && own.holds : o.holds || own.holds;
			o.fails = all ? o.fails || own.fails : o.fails && own.fails;
			o.why = o.why ? o.why : own.why;
		}
		return o;
	}
	if (!contrast_of(&c, &read) ||
	    (contrast_is_settled(&c) && (c.unknown || c.spread.seeds >= LOOK_FIRST)))
		o = (struct outlook){ !strcmp(read.verdict, "holds"),
				      !strcmp(read.verdict, "fails"),
				      !strcmp(read.verdict, "undecided") ? read.why : NULL };
	else if (!strcmp(c.rule, "within") && contrast_least_half(&c) > c.margin)
		o = (struct outlook){ false,
				      fabs(c.difference) - c.margin > contrast_least_half(&c),
				      "the error that no seed lowers is larger than the margin" };
	else
		o = (struct outlook){ true, true, NULL };
	return o;
}

const char *contrasts_hopeless(const cJSON *interval)
{
	const struct outlook o = outlook_of(interval);

	return o.holds || o.fails ? NULL : o.why;
}

struct chance {
	double holds, fails;
};

static struct chance chance_of(const cJSON *interval, int seeds, struct look_levels level)
{
	const struct rule_result read = rule_result_read(interval);
	const bool all = !strcmp(read.rule, "all_of"), up = !strcmp(read.verdict, "holds");
	struct claim_contrast c;
	double every = 1, none = 1, p;
	bool points_up;

	if (rule_result_is_several(&read)) {
		for (const cJSON *one = rule_result_parts(&read); one; one = one->next) {
			const struct chance own = chance_of(one, seeds, level);

			every *= all ? own.holds : own.fails;
			none *= 1 - (all ? own.fails : own.holds);
		}
		return all ? (struct chance){ every, 1 - none } :
			     (struct chance){ 1 - none, every };
	}
	if (!contrast_of(&c, &read) || contrast_is_fixed(&c))
		return (struct chance){ up, !strcmp(read.verdict, "fails") };
	points_up = contrast_points_up(&c);
	p = seeds > c.spread.seeds ? contrast_power(&c.spread, seeds, points_up ? level.holds :
										  level.fails) :
				     strcmp(c.word, "undecided") != 0;
	return points_up ? (struct chance){ p, 0 } : (struct chance){ 0, p };
}

double contrasts_power(const cJSON *interval, int seeds, struct look_levels level)
{
	const struct chance c = chance_of(interval, seeds, level);

	return c.holds + c.fails < 1 ? c.holds + c.fails : 1;
}

struct needed {                 /* seeds until it holds, until it fails */
	int holds, fails;
};

static struct needed needed_of(const cJSON *interval, struct look_levels level, int most)
{
	const struct rule_result read = rule_result_read(interval);
	const bool all = !strcmp(read.rule, "all_of");
	struct needed n = { all ? 0 : most, all ? most : 0 };
	struct claim_contrast c;

	if (rule_result_is_several(&read)) {
		for (const cJSON *one = rule_result_parts(&read); one; one = one->next) {
			const struct needed own = needed_of(one, level, most);

			n.holds = (all ? larger : smaller)(n.holds, own.holds);
			n.fails = (all ? smaller : larger)(n.fails, own.fails);
		}
		return n;
	}
	if (!contrast_of(&c, &read) || contrast_is_fixed(&c))
		return (struct needed){ !strcmp(read.verdict, "holds") ? 0 : most,
					!strcmp(read.verdict, "fails") ? 0 : most };
	return contrast_points_up(&c) ?
		(struct needed){ contrast_seeds(&c.spread, level.holds, most), most } :
		(struct needed){ most, contrast_seeds(&c.spread, level.fails, most) };
}

int contrasts_needed(const cJSON *interval, struct look_levels level, int most)
{
	const struct needed n = needed_of(interval, level, most);

	return smaller(n.holds, n.fails);
}
