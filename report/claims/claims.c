/* A paper's statements, checked against what was measured. */
#include "report/report.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/word.h"
#include "report/claims/claims.h"
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
	struct filter_input *input;
	struct filter_set *set; /* the filters of all claims */
	size_t next;            /* of them to be answered */
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
	const bool empty = text && !strcmp(text, NOT_EVALUATED);

	if (cJSON_IsNull(only) || empty || (learnt && j->smoke)) {
		char *why = cJSON_IsNull(only) ? claims_why_null(j, reads_files) :
				    xstrdup(empty ? json_word(only, "why") : j->smoke);

		cJSON_AddStringToObject(verdict, "verdict", NOT_EVALUATED);
		cJSON_AddStringToObject(verdict, "reason", why);
		if (empty)
			cJSON_AddItemToObject(verdict, "interval", cJSON_Duplicate(only, true));
		free(why);
		return;
	}
	cJSON_AddStringToObject(verdict, "verdict", text);
	if (cJSON_IsObject(only))
		cJSON_AddItemToObject(verdict, "interval", cJSON_Duplicate(only, true));
	else if (doubtful)
		claims_doubt(verdict, j);
}

/* "verdict", and "error" or "reason" where there is none that holds or fails. */
static void add_verdict(cJSON *verdict, const cJSON *claim, cJSON *answer,
			const struct judge *j)
{
	const cJSON *outputs = json_get(answer, "outputs"), *only = outputs ? outputs->child : NULL;
	const char *why = json_string(answer, "error");
	const char *kind = json_string(claim, "kind");
	const char *jq = json_string(claim, "jq"), *filter = jq ? jq : "";
	const bool true_by_itself = kind && !strcmp(kind, "construction");
	const bool learnt = j->learnt && !true_by_itself && claim_is_learnt(j->spec, filter);
	const bool timed = !true_by_itself && (j->real || claim_is_timed(filter));

	if (!why && cJSON_GetArraySize(outputs) != 1)
		why = outputs && only ? "the filter yields more than one value" :
					"the filter yields nothing";
	if (!why && !cJSON_IsBool(only) && !cJSON_IsNull(only) && !is_verdict(only))
		why = "the filter yields neither true, false, null nor a verdict of beats, within "
		      "or no_later";
	if (why)
		cJSON_AddStringToObject(verdict, "error", why);
	else
		claims_take(verdict, only, learnt, learnt || timed,
			    claim_reads(filter, "files"), j);
	cJSON_Delete(answer);
}

bool claim_is_empty(const cJSON *claim)
{
	return !strcmp(json_word(json_get(claim, "interval"), "verdict"), NOT_EVALUATED);
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
static void add_shows(cJSON *verdict, cJSON *answer)
{
	cJSON *outputs = cJSON_DetachItemFromObject(answer, "outputs"), *shows = outputs;
	const char *why = json_string(answer, "error");
	char *text;

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

static cJSON *next_answer(struct judge *j)
{
	return filter_set_run(j->set, j->next++, j->input);
}

static cJSON *check(const cJSON *claim, struct judge *j)
{
	cJSON *verdict = claim_head(claim);

	add_verdict(verdict, claim, next_answer(j), j);
	claim_add_holds(verdict);
	if (json_string(claim, "shows"))
		add_shows(verdict, next_answer(j));
	else
		cJSON_AddNullToObject(verdict, "shows");
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
	size_t n;
	const char **filters = claims_filters(claims, &n);
	struct judge j = {
		.spec = spec, .input = filter_input_new(text), .set = filter_set_new(n, filters),
		.learnt = any_other(runs, "timing", "true"),
		.real = any_other(runs, "engine", "sim"), .seeds = claim_seeds(runs),
		.smoke = smoke
	};
	cJSON *verdicts = cJSON_CreateArray();

	cJSON_ArrayForEach(claim, claims)
		cJSON_AddItemToArray(verdicts, check(claim, &j));
	filter_set_free(j.set);
	free(filters);
	filter_input_free(j.input);
	free(text);
	free(smoke);
	return verdicts;
}

void claims_warn_empty(const cJSON *verdicts, const char *path)
{
	const cJSON *verdict;
	int i = 0;

	cJSON_ArrayForEach(verdict, verdicts) {
		if (claim_is_empty(verdict))
			warning("%s: claims[%d]: %s. Correct the filter, or let it yield null at "
				"this scale", path, i, json_word(verdict, "reason"));
		i++;
	}
}
