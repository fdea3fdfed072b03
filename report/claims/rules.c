/* Kinds and criteria of claims, and which runs can decide what was learnt. */
#include "report/claims/rules.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/word.h"
#include "report/keys.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *const claim_kinds[CLAIM_KINDS + 1] = {
	"number", "statement", "theory", "ours", "construction", NULL
};

const char *const claim_former_verdicts[] = {
	"holds", "fails", "undecided", "not evaluated", "not recorded", NULL
};

enum { OF_A_PAPER = 3 };        /* kinds that need a position in the paper */

/* ---- what the spec says ---- */

static int check_kind(const cJSON *claim, const char *where)
{
	const char *kind = json_string(claim, "kind");
	const char *position = json_string(claim, "where");
	int i = 0;

	while (claim_kinds[i] && strcmp(claim_kinds[i], kind) != 0)
		i++;
	if (!claim_kinds[i]) {
		char *advice = word_advice(kind, claim_kinds);

		error("%s: unknown kind '%s'%s (number, statement, theory, ours or construction)",
		      where, kind, advice);
		free(advice);
		return -1;
	}
	if (i < OF_A_PAPER && (!position || !*position))
		return error("%s: kind '%s' needs 'where' (the section, table or figure of the "
			     "paper)", where, kind);
	return 0;
}

static int rules_days(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month - 1] + (month == 2 && leap);
}

/* 2024-01-31, a day that there is */
static bool is_date(const char *text)
{
	static const char form[] = "dddd-dd-dd";
	int month, day;

	if (!text || strlen(text) != sizeof(form) - 1)
		return false;
	for (int i = 0; form[i]; i++)
		if (form[i] == 'd' ? !isdigit((unsigned char)text[i]) : text[i] != form[i])
			return false;
	month = atoi(text + strlen("dddd-"));
	day = atoi(text + strlen("dddd-dd-"));
	return month >= 1 && month <= 12 && day >= 1 && day <= rules_days(atoi(text), month);
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
	for (int i = 0; claim_former_verdicts[i]; i++)
		if (!strcmp(claim_former_verdicts[i], verdict))
			return 0;
	return word_unknown(where, "verdict", verdict, claim_former_verdicts);
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
	char *inner = xasprintf("%s: was", where);
	int ret = was && !cJSON_IsArray(was) ?
			  error("%s must be a list of former criteria", inner) : 0;

	cJSON_ArrayForEach(former, was)
		ret = ret < 0 ? ret : check_former(former, inner);
	if (ret == 0)
		ret = check_order(was, json_string(criterion, "since"), inner);
	free(inner);
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

int claim_rules_check(const cJSON *claim, const char *where)
{
	char *inner;
	int ret;

	if (!json_get(claim, "kind"))
		return error("%s: 'kind' is missing (number, statement, theory, ours or "
			     "construction). Say what the claim is: docs/specs.md, Claims.", where);
	if (json_check_members(claim, report_claim_keys, where) < 0 ||
	    check_kind(claim, where) < 0)
		return -1;
	inner = xasprintf("%s: criterion", where);
	ret = check_criterion(json_get(claim, "criterion"), inner);
	free(inner);
	return ret;
}

/* ---- what was learnt ---- */

static bool rules_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

bool claim_reads(const char *filter, const char *word)
{
	const size_t n = strlen(word);

	for (const char *at = strstr(filter, word); at; at = strstr(at + 1, word))
		if ((at == filter || !rules_is_word(at[-1])) && !rules_is_word(at[n]))
			return true;
	return false;
}

static bool names_learnt(const char *text)
{
	static const char *const words[] = {
		"test_accuracy", "test_loss", "train_loss", "eval", "train", "time_to",
		"epochs_to", "gradients_to", "gap_mean", "gap_max", "norm_mean",
		"momentum_mean", "momentum_published_mean", "spread", "accuracy",
		"beats", "within", "no_later", "files"
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (claim_reads(text, words[i]))
			return true;
	return false;
}

bool claim_is_learnt(const cJSON *spec, const char *filter)
{
	const cJSON *read = claim_reads(filter, "tables") ? json_get(spec, "tables") : NULL;
	const cJSON *tune = json_get(spec, "tuning"), *table;
	const char *measure = json_string(tune ? tune->child : NULL, "measure");
	bool learnt = names_learnt(filter) ||
		      (measure && names_learnt(measure) &&
		       (claim_reads(filter, "tuned") || claim_reads(filter, "at_edge") ||
			claim_reads(filter, "tuning")));

	cJSON_ArrayForEach(table, read) {
		char *values = cJSON_PrintUnformatted(json_get(table, "values"));

		learnt = learnt || (values && names_learnt(values));
		free(values);
	}
	return learnt;
}

bool claim_is_timed(const char *filter)
{
	static const char *const words[] = { "wall_s", "gradient_wall_s", "samples_per_wall_s",
					     "gflop_per_wall_s" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (claim_reads(filter, words[i]))
			return true;
	return false;
}

/* The run's setting without its seed; the caller frees. */
static char *rules_setting_of(const cJSON *run)
{
	cJSON *point = cJSON_Duplicate(json_get(run, "point"), true);
	char *text;

	cJSON_DeleteItemFromObjectCaseSensitive(point, "seed");
	text = point ? cJSON_PrintUnformatted(point) : xstrdup("");
	cJSON_Delete(point);
	return text;
}

int claim_seeds(const cJSON *runs)
{
	cJSON *counts = cJSON_CreateObject();
	const cJSON *run, *count;
	int least = 0;

	cJSON_ArrayForEach(run, runs) {
		char *setting = rules_setting_of(run);
		cJSON *seeds = json_get(counts, setting);

		if (seeds)
			cJSON_SetNumberValue(seeds, seeds->valuedouble + 1);
		else
			cJSON_AddNumberToObject(counts, setting, 1);
		free(setting);
	}
	cJSON_ArrayForEach(count, counts)
		if (!least || count->valuedouble < least)
			least = (int)count->valuedouble;
	cJSON_Delete(counts);
	return least;
}

char *claim_smoke(const cJSON *spec, const cJSON *runs)
{
	const cJSON *paper = json_get(json_get(spec, "paper_accuracy"), "value"), *run;
	double best = -1;

	cJSON_ArrayForEach(run, runs) {
		const cJSON *accuracy = json_get(run, "test_accuracy");

		if (cJSON_IsNumber(accuracy) && accuracy->valuedouble > best)
			best = accuracy->valuedouble;
	}
	if (!cJSON_IsNumber(paper) || best < 0 || best >= 0.5 * paper->valuedouble)
		return NULL;
	return xasprintf("not evaluated at this scale: the best test accuracy, %.3f, is below half "
			 "of the paper's %.4g", best, paper->valuedouble);
}

/* ---- dates ---- */

void claims_check_dates(cJSON *verdicts, const char *began, const char *path)
{
	cJSON *verdict;
	int i = 0;

	cJSON_ArrayForEach(verdict, verdicts) {
		const char *since = json_string(json_get(verdict, "criterion"), "since");

		if (since && strncmp(since, began, strlen(since)) > 0) {
			char *text = xasprintf("the criterion was set on %s, after its runs began "
					       "on %.10s", since, began);

			warning("%s: claims[%d]: %s; judge it on new runs", path, i, text);
			json_set_text(verdict, "warning", text);
			free(text);
		}
		i++;
	}
}
