/* Claims as a spec has them: kinds, rules, criteria, filters, and the files that filters read. */
#include "report/claims/claims.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/fields.h"
#include "core/file/json.h"
#include "core/text/word.h"
#include "record/measure.h"
#include "report/keys.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const claim_kinds[CLAIM_KINDS + 1] = {
	"number", "statement", "theory", "ours", "construction", NULL
};

const char *const claim_former_verdicts[] = {
	"holds", "fails", "undecided", "not evaluated", "not recorded", NULL
};

const char *const claim_rules[] = { "beats", "within", "no_worse", "no_later", "order", "all_of",
					   "any_of", NULL };

struct claim claim_read(const cJSON *json)
{
	static const struct field fields[] = {
		FIELD(LENT, struct claim, says, "says"),
		FIELD(LENT, struct claim, kind, "kind"),
		FIELD(LENT, struct claim, where, "where"),
		FIELD(LENT, struct claim, quote, "quote"),
		FIELD(LENT, struct claim, quantity, "quantity"),
		FIELD(TREE, struct claim, criterion, "criterion"),
		FIELD(LENT, struct claim, jq, "jq"),
		FIELD(LENT, struct claim, shows, "shows"),
		FIELD(TREE, struct claim, only_at, "only_at"),
		FIELD(TREE, struct claim, not_at, "not_at"),
		FIELD(TREE, struct claim, learnt, "learnt"),
		FIELD(TREE, struct claim, timed, "timed"),
		FIELD(TREE, struct claim, paired, "paired"),
		FIELD(AMOUNT, struct claim, best_of, "best_of"), { 0 }
	};
	struct claim c = { 0 };

	fields_read(json, fields, &c);
	for (size_t i = 0; claim_rules[i] && !c.rule && !c.jq; i++)
		c.rule = json_get(json, claim_rules[i]);
	return c;
}

/* ---- what it is about ---- */

bool filter_names(const char *filter, const char *word)
{
	const size_t n = strlen(word);

	for (const char *at = strstr(filter, word); at; at = strstr(at + 1, word))
		if ((at == filter || !(isalnum((unsigned char)at[-1]) || at[-1] == '_')) &&
		    !(isalnum((unsigned char)at[n]) || at[n] == '_'))
			return true;
	return false;
}

bool claim_reads(const struct claim *c, const char *word)
{
	scoped char *rule = c->rule ? json_format(c->rule, false) : NULL;

	return (rule && filter_names(rule, word)) ||
			   (c->jq && filter_names(c->jq, word)) ||
			   (c->shows && filter_names(c->shows, word));
}

bool claim_is_at(const struct claim *c, const char *scale)
{
	return !(c->only_at && !keys_have(c->only_at, scale)) &&
	       !(c->not_at && keys_have(c->not_at, scale));
}

bool claim_is_constructed(const struct claim *c)
{
	return c->kind && !strcmp(c->kind, "construction");
}

/* Whether some measure of the rule is of that sort. */
static bool rule_has(const cJSON *rule, bool (*is)(const char *measure))
{
	const char *measure = json_string(rule, "measure");
	const cJSON *one;
	bool has = !cJSON_IsArray(rule) && is(measure ? measure : "test_accuracy");

	if (cJSON_IsArray(rule))
		cJSON_ArrayForEach(one, rule)
			has = has || rule_has(one->child, is);
	return has;
}

static bool measure_is_trained(const char *measure)
{
	return measure_learnt(measure) || target_named(measure);
}

bool claim_is_learnt(const struct claim *c)
{
	if (claim_is_constructed(c))
		return false;
	return c->learnt ? cJSON_IsTrue(c->learnt) :
			   !c->rule || rule_has(c->rule, measure_is_trained);
}

bool claim_is_timed(const struct claim *c, bool real)
{
	return !claim_is_constructed(c) &&
	       (real || cJSON_IsTrue(c->timed) ||
		(!c->timed && c->rule && rule_has(c->rule, measure_is_real)));
}

const char **claims_filters(const cJSON *claims, size_t *n)
{
	const size_t most = 2 * (size_t)cJSON_GetArraySize(claims);
	const char **filters = xcalloc(most + 1, sizeof(*filters));
	const cJSON *json;

	*n = 0;
	cJSON_ArrayForEach(json, claims) {
		const struct claim c = claim_read(json);

		if (!c.rule)
			filters[(*n)++] = c.jq ? c.jq : "empty";
		if (c.shows)
			filters[(*n)++] = c.shows;
	}
	return filters;
}

/* ---- its kind and criterion ---- */

static int check_kind(const cJSON *claim, const char *where)
{
	const char *kind = json_string(claim, "kind");
	const char *position = json_string(claim, "where");
	int i = 0;

	while (claim_kinds[i] && strcmp(claim_kinds[i], kind) != 0)
		i++;
	if (!claim_kinds[i]) {
		word_unknown(where, "kind", kind, claim_kinds);
		return -1;
	}
	if (i < CLAIM_KINDS_OF_PAPER && (!position || !*position))
		return error("%s: kind '%s' needs 'where' (the section, table or figure of the "
			     "paper)", where, kind);
	return 0;
}

/* 2024-01-31, a day that there is */
static bool is_date(const char *text)
{
	static const char form[] = "dddd-dd-dd";
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	int year, month, day;

	if (!text || strlen(text) != sizeof(form) - 1)
		return false;
	for (int i = 0; form[i]; i++)
		if (form[i] == 'd' ? !isdigit((unsigned char)text[i]) : text[i] != form[i])
			return false;
	year = atoi(text);
	month = atoi(text + strlen("dddd-"));
	day = atoi(text + strlen("dddd-dd-"));
	if (month == 2 && day == 29)
		return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
	return month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1];
}

static int check_since(const cJSON *object, const char *where)
{
	if (is_date(json_string(object, "since")))
		return 0;
	return error("%s: since must be a date (such as 2024-01-31)", where);
}

static int check_former(const cJSON *former, const char *where)
{
	const char *verdict;

	if (!cJSON_IsObject(former))
		return error("%s must be a list of objects", where);
	if (json_check_members(former, report_former_keys, where) < 0 ||
	    check_since(former, where) < 0)
		return -1;
	verdict = json_string(former, "verdict");
	return word_is_among(verdict, claim_former_verdicts) ? 0 :
		word_unknown(where, "verdict", verdict, claim_former_verdicts);
}

/* Days of the form 2024-01-31 are in the order of their texts. */
static int check_order(const cJSON *was, const char *since, const char *where)
{
	const cJSON *former;

	cJSON_ArrayForEach(former, was) {
		const char *own = json_string(former, "since");
		const char *next = former->next ? json_string(former->next, "since") : own;

		if (strcmp(own, next) > 0)
			return error("%s: %s is after %s (the oldest first). Change their order.",
				     where, own, next);
		if (strcmp(own, since) > 0)
			return error("%s: %s is after %s, when the criterion was set. Correct one "
				     "of the dates.", where, own, since);
	}
	return 0;
}

static int check_formers(const cJSON *criterion, const char *where)
{
	const cJSON *was = json_get(criterion, "was"), *former;
	scoped char *inner = xasprintf("%s: was", where);
	int ret = was && !cJSON_IsArray(was) ?
			  error("%s must be a list of former criteria", inner) : 0;

	cJSON_ArrayForEach(former, was)
		ret = ret < 0 ? ret : check_former(former, inner);
	if (ret == 0)
		ret = check_order(was, json_string(criterion, "since"), inner);
	return ret;
}

static int check_criterion(const cJSON *criterion, const char *where)
{
	if (!criterion)
		return 0;
	if (!cJSON_IsObject(criterion))
		return error("%s must be an object with 'since'", where);
	if (json_check_members(criterion, report_criterion_keys, where) < 0 ||
	    check_since(criterion, where) < 0)
		return -1;
	return check_formers(criterion, where);
}

int claim_check(const cJSON *claim, const char *where)
{
	double best;
	scoped char *inner = NULL;

	if (!json_get(claim, "kind"))
		return error("%s: 'kind' is missing (number, statement, theory, ours or "
			     "construction). Say what the claim is: docs/specs.md, Claims.", where);
	if (json_check_members(claim, report_claim_keys, where) < 0 ||
	    check_kind(claim, where) < 0)
		return -1;
	if (!*json_word(claim, "says"))
		return error("%s: 'says' is empty. Say the claim in words", where);
	best = json_number(claim, "best_of");
	if (!isnan(best) && !(best >= 1 && best <= 10000 && best == floor(best)))
		return error("%s: best_of must be a number of methods, 1 to 10000", where);
	inner = xasprintf("%s: criterion", where);
	return check_criterion(json_get(claim, "criterion"), inner);
}

/* ---- the files that filters read ---- */

enum { LONGEST_NAME = 100 };

/* No folder, not hidden, and none of convoy's own. */
static bool is_file_name(const char *name)
{
	static const char *const own[] = { "baselines.json", "claims.json", "looks.json",
					   "made.json", "runs.json", "settings.json",
					   "tuning.json", NULL };

	return !word_is_among(name, own) && word_is_name(name) && word_ends(name, ".json") &&
	       strlen(name) <= LONGEST_NAME;
}

int claims_check_names(const cJSON *reads, const char *where)
{
	const cJSON *name;
	int i = 0;

	if (reads && !cJSON_IsArray(reads))
		return error("%.200s: reads must be a list of names of files", where);
	cJSON_ArrayForEach(name, reads) {
		if (!cJSON_IsString(name) || !is_file_name(name->valuestring))
			return error("%.200s: reads[%d] must be the name of a JSON file in the "
				     "folder of results, such as \"tune.json\", and none that "
				     "convoy writes there", where, i);
		i++;
	}
	return 0;
}

int claims_read_files(cJSON *spec, const char *folder)
{
	cJSON *files;
	const cJSON *name;
	int ret = 0;

	cJSON_DeleteItemFromObjectCaseSensitive(spec, "files");
	if (!json_get(spec, "reads"))
		return 0;
	files = cJSON_AddObjectToObject(spec, "files");
	json_each(name, spec, "reads") {
		scoped char *path = xasprintf("%s/%s", folder, name->valuestring);
		const bool there = access(path, F_OK) == 0;
		cJSON *file = there ? json_load(path) : cJSON_CreateNull();

		if (file)
			cJSON_AddItemToObject(files, name->valuestring, file);
		else
			ret = -1;
	}
	return ret;
}
