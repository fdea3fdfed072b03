/* A paper's statements, checked against what was measured. */
#include "report/report.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/word.h"
#include "report/claims/claims.h"
#include "report/claims/fields.h"
#include "report/claims/files.h"
#include "report/claims/rules.h"
#include "report/filter/filter.h"

#include <stdlib.h>
#include <string.h>

static const char NOT_EVALUATED[] = "not evaluated";
static const char NOT_HERE[] = "not evaluated at this scale (its filter yields null)";

enum { LEAST_SEEDS = 3 };       /* that decide a comparison of what was learnt */

struct judge {
	const cJSON *spec;
	struct fields fields;   /* what filters may read */
	struct filter_input *input;
	struct filter_set *set; /* the filters of all claims */
	bool learnt;            /* some run computes gradients */
	bool real;              /* some run is of real ranks, whose times are measured */
	int seeds;              /* the fewest of any setting */
	const char *smoke;      /* why what was learnt is no test of the paper; NULL: it is one */
};

/* What the filters see, as text; the caller frees. */
static char *input_text(const cJSON *spec, const cJSON *runs, const cJSON *tables,
			const char *scale)
{
	cJSON *input = cJSON_CreateObject();
	static const char *const of_spec[] = { "published", "tuning", "files" };
	char *text;

	cJSON_AddStringToObject(input, "scale", scale ? scale : "");
	cJSON_AddItemReferenceToObject(input, "runs", (cJSON *)runs);
	cJSON_AddItemReferenceToObject(input, "tables", (cJSON *)tables);
	for (size_t i = 0; i < sizeof(of_spec) / sizeof(of_spec[0]); i++) {
		const cJSON *part = json_get(spec, of_spec[i]);

		if (part)
			cJSON_AddItemReferenceToObject(input, of_spec[i], (cJSON *)part);
		else
			cJSON_AddNullToObject(input, of_spec[i]);
	}
	text = json_format(input, false);
	cJSON_Delete(input);
	return text;
}

/* What the filter of a claim says: a bool, null, or an object with a "verdict". */
static bool is_verdict(const cJSON *only)
{
	const char *text = json_string(only, "verdict");

	return text && (!strcmp(text, "holds") || !strcmp(text, "fails") ||
			!strcmp(text, "undecided") || !strcmp(text, NOT_EVALUATED));
}

static void set_undecided(cJSON *verdict, const char *reason)
{
	json_set_text(verdict, "verdict", "undecided");
	cJSON_AddStringToObject(verdict, "reason", reason);
}

/* A comparison of means without an interval decides nothing that was learnt. */
static void claims_doubt(cJSON *verdict, const struct judge *j)
{
	char *reason;

	if (j->seeds < LEAST_SEEDS)
		reason = xasprintf("%d seed%s of each setting; training results and real times "
				   "need at least %d",
				   j->seeds, word_plural(j->seeds), LEAST_SEEDS);
	else
		reason = xstrdup("its filter gives no interval: use beats, within or no_later");
	cJSON_AddItemToObject(verdict, "by_means",
			      cJSON_Duplicate(json_get(verdict, "verdict"), true));
	set_undecided(verdict, reason);
	free(reason);
}

/* Why a filter that yields null decides nothing. The caller frees. */
static char *claims_why_null(const struct judge *j, bool reads_files)
{
	const char *missing = reads_files ? claims_missing_file(j->spec) : NULL;

	return missing ? xasprintf("there is no %s next to the results", missing) :
			 xstrdup(NOT_HERE);
}

/* What the filter yielded, as a verdict. */
static void claims_take(cJSON *verdict, const cJSON *only, bool learnt, bool doubtful,
			bool reads_files, const struct judge *j)
{
	const char *text = cJSON_IsBool(only) ? (cJSON_IsTrue(only) ? "holds" : "fails") :
						json_string(only, "verdict");
	const bool open = text && !strcmp(text, NOT_EVALUATED);

	if (cJSON_IsNull(only) || open || (learnt && j->smoke)) {
		char *why = cJSON_IsNull(only) ? claims_why_null(j, reads_files) :
				    xstrdup(open ? json_word(only, "why") : j->smoke);

		cJSON_AddStringToObject(verdict, "verdict", NOT_EVALUATED);
		cJSON_AddStringToObject(verdict, "reason", why);
		free(why);
	} else if (cJSON_IsObject(only) && !json_get(only, "rule")) {
		cJSON_AddStringToObject(verdict, "verdict", text);
		cJSON_AddStringToObject(verdict, "reason", json_word(only, "why"));
	} else {
		cJSON_AddStringToObject(verdict, "verdict", text);
		if (cJSON_IsObject(only))
			cJSON_AddItemToObject(verdict, "interval", cJSON_Duplicate(only, true));
		else if (doubtful)
			claims_doubt(verdict, j);
	}
}

/* Why the answer to a claim's filter is no verdict; NULL: it is one. The caller frees. */
static char *claims_no_verdict(const cJSON *answer, const char *filter, const struct judge *j)
{
	const cJSON *outputs = json_get(answer, "outputs"), *only = outputs ? outputs->child : NULL;
	const char *why = json_string(answer, "error");
	char *name = fields_missing(&j->fields, filter);

	if (name)
		return name;
	if (!why && cJSON_GetArraySize(outputs) != 1)
		why = only ? "the filter yields more than one value" : "the filter yields nothing";
	if (!why && !cJSON_IsBool(only) && !cJSON_IsNull(only) && !is_verdict(only))
		why = "the filter yields neither true, false, null nor a verdict of beats, within "
		      "or no_later";
	if (!why && cJSON_IsNull(only) && !claim_reads(filter, "null"))
		why = "the filter yields null, but does not say null: it reads a name that no run "
		      "has, or a group has no runs";
	return why ? xstrdup(why) : NULL;
}

/* "verdict", and "error" or "reason" where there is none that holds or fails. */
static void add_verdict(cJSON *verdict, const cJSON *claim, cJSON *answer,
			const struct judge *j)
{
	const char *kind = json_string(claim, "kind");
	const char *jq = json_string(claim, "jq"), *filter = jq ? jq : "";
	const bool true_by_itself = kind && !strcmp(kind, "construction");
	const bool learnt = j->learnt && !true_by_itself && claim_is_learnt(j->spec, filter);
	const bool timed = !true_by_itself && (j->real || claim_is_timed(filter));
	char *why = claims_no_verdict(answer, filter, j);

	if (why)
		cJSON_AddStringToObject(verdict, "error", why);
	else
		claims_take(verdict, json_get(answer, "outputs")->child, learnt, learnt || timed,
			    claim_reads(filter, "files"), j);
	free(why);
	cJSON_Delete(answer);
}

/* The verdict as a bool, for scripts that ask for one: null where it is neither. */
void claim_add_holds(cJSON *verdict)
{
	const char *text = json_string(verdict, "verdict");

	if (text && !strcmp(text, "holds"))
		cJSON_AddTrueToObject(verdict, "holds");
	else if (text && !strcmp(text, "fails"))
		cJSON_AddFalseToObject(verdict, "holds");
	else
		cJSON_AddNullToObject(verdict, "holds");
}

/* "shows": the value of the filter, a list of them when there are several. */
static void add_shows(cJSON *verdict, const char *filter, cJSON *answer, const struct judge *j)
{
	cJSON *outputs = cJSON_DetachItemFromObject(answer, "outputs"), *shows = outputs;
	char *name = fields_missing(&j->fields, filter), *text;
	const char *failed = json_string(answer, "error"), *why = failed ? failed : name;

	if (cJSON_GetArraySize(outputs) == 1) {
		shows = cJSON_DetachItemFromArray(outputs, 0);
		cJSON_Delete(outputs);
	}
	cJSON_AddItemToObject(verdict, "shows", shows ? shows : cJSON_CreateNull());
	if (why && !json_get(verdict, "error")) {
		text = xasprintf("shows: %s", why);
		cJSON_AddStringToObject(verdict, "error", text);
		free(text);
	}
	free(name);
	cJSON_Delete(answer);
}

cJSON *claim_head(const cJSON *claim)
{
	static const char *const copied[] = { "says", "kind", "where", "quote", "criterion",
					      "quantity" };
	cJSON *head = cJSON_CreateObject();

	for (size_t i = 0; i < sizeof(copied) / sizeof(copied[0]); i++)
		if (json_get(claim, copied[i]))
			cJSON_AddItemToObject(head, copied[i],
					      cJSON_Duplicate(json_get(claim, copied[i]), true));
	if (!json_get(head, "where"))
		cJSON_AddStringToObject(head, "where", "");
	return head;
}

/* Whether filters that take the least, the greatest or the first of several are among them. */
static bool claims_picks(const char *filter)
{
	static const char *const words[] = { "min_by", "max_by", "sort_by", "unique_by" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (claim_reads(filter, words[i]))
			return true;
	return false;
}

/* Where another of equal values gives another verdict, the tie has decided it, and nothing has. */
static void claims_turn(cJSON *verdict, const cJSON *claim, const struct judge *j, size_t k)
{
	const char *text = json_string(verdict, "verdict");
	cJSON *turned;

	if (!text || !claims_picks(json_word(claim, "jq")) ||
	    (strcmp(text, "holds") != 0 && strcmp(text, "fails") != 0))
		return;
	turned = cJSON_CreateObject();
	add_verdict(turned, claim, filter_set_run(j->set, k, j->input, FILTER_TURN), j);
	if (strcmp(json_word(turned, "verdict"), text) != 0)
		set_undecided(verdict, "its filter takes one of several values that are equal or "
				       "infinite, and another of them gives another verdict");
	cJSON_Delete(turned);
}

/* Its filter is number *next, and then that of what it shows. */
static cJSON *check(const cJSON *claim, const struct judge *j, size_t *next)
{
	const size_t k = *next;
	cJSON *verdict = claim_head(claim);
	const char *shows = json_string(claim, "shows");

	add_verdict(verdict, claim, filter_set_run(j->set, k, j->input, FILTER_JUDGE), j);
	claims_turn(verdict, claim, j, k);
	claim_add_holds(verdict);
	if (shows)
		add_shows(verdict, shows, filter_set_run(j->set, k + 1, j->input, FILTER_SHOW), j);
	else
		cJSON_AddNullToObject(verdict, "shows");
	*next = k + (shows ? 2 : 1);
	return verdict;
}

/* Whether the setting of some run is another than that value. */
static bool any_other(const cJSON *runs, const char *setting, const char *value)
{
	const cJSON *run;

	cJSON_ArrayForEach(run, runs) {
		const char *text =
			json_string(json_get(run, "settings"), setting);

		if (text && strcmp(text, value) != 0)
			return true;
	}
	return false;
}

const char **claims_filters(const cJSON *claims, size_t *n)
{
	const size_t most = 2 * (size_t)cJSON_GetArraySize(claims);
	const char **filters = xcalloc(most + 1, sizeof(*filters)), *filter;
	const cJSON *claim;

	*n = 0;
	cJSON_ArrayForEach(claim, claims) {
		filter = json_string(claim, "jq");
		filters[(*n)++] = filter ? filter : "empty";
		filter = json_string(claim, "shows");
		if (filter)
			filters[(*n)++] = filter;
	}
	return filters;
}

cJSON *claims_check(const cJSON *spec, const cJSON *runs, const cJSON *tables, const char *scale)
{
	const cJSON *claims = json_get(spec, "claims"), *claim;
	char *text = input_text(spec, runs, tables, scale), *smoke = claim_smoke(spec, runs);
	size_t n, next = 0;
	const char **filters = claims_filters(claims, &n);
	struct judge j = {
		.spec = spec, .fields = { spec, runs, tables }, .input = filter_input_new(text),
		.set = filter_set_new(n, filters),
		.learnt = any_other(runs, "timing", "true"),
		.real = any_other(runs, "engine", "sim"), .seeds = claim_seeds(runs),
		.smoke = smoke
	};
	cJSON *verdicts = cJSON_CreateArray();

	cJSON_ArrayForEach(claim, claims)
		cJSON_AddItemToArray(verdicts, check(claim, &j, &next));
	filter_set_free(j.set);
	free(filters);
	filter_input_free(j.input);
	free(text);
	free(smoke);
	return verdicts;
}
