/* Comparisons in the JSON of a verdict, and the probability that more seeds decide it. */
#include "report/claims/contrast.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "record/measure.h"
#include "report/claims/rule.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEVER 1e300             /* a mean beyond this is infinite */

static double item_number(const cJSON *list, int i)
{
	const cJSON *item = cJSON_GetArrayItem(list, i);

	return cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
}

static double or_else(double x, double other)
{
	return isnan(x) ? other : x;
}

/* True where the verdict is made of others: all_of or any_of. */
static bool is_several(const cJSON *interval)
{
	const char *rule = json_word(interval, "rule");

	return !strcmp(rule, "all_of") || !strcmp(rule, "any_of");
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
static bool contrast_read(struct claim_contrast *c, const cJSON *interval)
{
	const cJSON *range = json_get(interval, "interval");
	const double paired = json_number(interval, "paired_deviation");
	const char *measure = json_string(interval, "measure");
	double variance[2];

	if (!measure)
		return false;
	*c = (struct claim_contrast){
		.rule = json_word(interval, "rule"), .measure = measure,
		.word = json_word(interval, "verdict"),
		.difference = json_number(interval, "difference"),
		.low = item_number(range, 0), .high = item_number(range, 1),
		.margin = or_else(json_number(interval, "margin"), 0),
		.level = or_else(json_number(interval, "level"), RULE_LEVEL),
		.unknown = cJSON_IsNull(json_get(interval, "test_error")),
		.why = json_word(interval, "why"),
	};
	for (int i = 0; i < 2; i++) {
		const double n = item_number(json_get(interval, "seeds"), i);
		const char *name = cJSON_GetStringValue(
			cJSON_GetArrayItem(json_get(interval, "of"), i));

		variance[i] = pow(or_else(item_number(json_get(interval, "deviations"), i), 0), 2);
		c->side[i] = (struct contrast_side){
			.name = name ? name : "", .seeds = n >= 0 && n < INT_MAX ? (int)n : 0,
			.runs = cJSON_GetArrayItem(json_get(interval, "runs"), i) };
		if (c->side[i].seeds && (!c->spread.seeds || c->side[i].seeds < c->spread.seeds))
			c->spread.seeds = c->side[i].seeds;
	}
	c->spread.a = isnan(paired) ? variance[0] : paired * paired;
	c->spread.b = isnan(paired) ? variance[1] : 0;
	c->spread.fixed = or_else(json_number(interval, "test_error"), 0);
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
	struct claim_contrast c;
	const cJSON *one;

	if (is_several(interval)) {
		cJSON_ArrayForEach(one, json_get(interval, "of"))
			contrasts_add(one, list, n);
	} else if (contrast_read(&c, interval)) {
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

int contrasts_family(const cJSON *interval)
{
	const cJSON *one;
	size_t n = 0;
	int most = 1;

	if (!strcmp(json_word(interval, "rule"), "any_of"))
		free(contrasts_of(interval, &n));
	most = n > 1 ? (int)n : 1;
	if (is_several(interval))
		cJSON_ArrayForEach(one, json_get(interval, "of")) {
			const int own = contrasts_family(one);

			most = own > most ? own : most;
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

struct outlook {                /* of more seeds */
	bool holds, fails;      /* the verdict may be that */
	const char *why;        /* of the first comparison that stays undecided; NULL: none does */
};

static struct outlook outlook_of(const cJSON *interval)
{
	const bool all = !strcmp(json_word(interval, "rule"), "all_of");
	const char *word = json_word(interval, "verdict");
	struct outlook o = { .holds = all, .fails = !all };
	struct claim_contrast c;
	const cJSON *one;

	if (is_several(interval)) {
		cJSON_ArrayForEach(one, json_get(interval, "of")) {
			const struct outlook own = outlook_of(one);

			o.holds = all ? o.holds && own.holds : o.holds || own.holds;
			o.fails = all ? o.fails || own.fails : o.fails && own.fails;
			o.why = o.why ? o.why : own.why;
		}
		return o;
	}
	if (!contrast_read(&c, interval) ||
	    (contrast_is_settled(&c) && (c.unknown || c.spread.seeds >= LOOK_FIRST)))
		o = (struct outlook){ !strcmp(word, "holds"), !strcmp(word, "fails"),
				      !strcmp(word, "undecided") ? json_word(interval, "why") :
								   NULL };
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

static struct chance chance_of(const cJSON *interval, int seeds, double level)
{
	const bool all = !strcmp(json_word(interval, "rule"), "all_of");
	const bool up = !strcmp(json_word(interval, "verdict"), "holds");
	struct claim_contrast c;
	const cJSON *one;
	double every = 1, none = 1, p;

	if (is_several(interval)) {
		cJSON_ArrayForEach(one, json_get(interval, "of")) {
			const struct chance own = chance_of(one, seeds, level);

			every *= all ? own.holds : own.fails;
			none *= 1 - (all ? own.fails : own.holds);
		}
		return all ? (struct chance){ every, 1 - none } :
			     (struct chance){ 1 - none, every };
	}
	if (!contrast_read(&c, interval) || contrast_is_fixed(&c)) {
		const bool decided = up || !strcmp(json_word(interval, "verdict"), "fails");

		return (struct chance){ decided && up, decided && !up };
	}
	p = seeds > c.spread.seeds ? contrast_power(&c.spread, seeds, level) :
				     strcmp(c.word, "undecided") != 0;
	return contrast_points_up(&c) ? (struct chance){ p, 0 } : (struct chance){ 0, p };
}

double contrasts_power(const cJSON *interval, int seeds, double level)
{
	const struct chance c = chance_of(interval, seeds, level);

	return c.holds + c.fails < 1 ? c.holds + c.fails : 1;
}

struct needed {                 /* seeds until it holds, until it fails */
	int holds, fails;
};

static int larger(int a, int b)
{
	return a > b ? a : b;
}

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

static struct needed needed_of(const cJSON *interval, double level, int most)
{
	const bool all = !strcmp(json_word(interval, "rule"), "all_of");
	const char *word = json_word(interval, "verdict");
	struct needed n = { all ? 0 : most, all ? most : 0 };
	struct claim_contrast c;
	const cJSON *one;
	int seeds;

	if (is_several(interval)) {
		cJSON_ArrayForEach(one, json_get(interval, "of")) {
			const struct needed own = needed_of(one, level, most);

			n.holds = (all ? larger : smaller)(n.holds, own.holds);
			n.fails = (all ? smaller : larger)(n.fails, own.fails);
		}
		return n;
	}
	if (!contrast_read(&c, interval) || contrast_is_fixed(&c))
		return (struct needed){ !strcmp(word, "holds") ? 0 : most,
					!strcmp(word, "fails") ? 0 : most };
	seeds = contrast_seeds(&c.spread, level, most);
	return contrast_points_up(&c) ? (struct needed){ seeds, most } :
					(struct needed){ most, seeds };
}

int contrasts_needed(const cJSON *interval, double level, int most)
{
	const struct needed n = needed_of(interval, level, most);

	return smaller(n.holds, n.fails);
}
