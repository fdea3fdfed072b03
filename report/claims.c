/*
 * claims.c - a paper's statements, checked against what was measured.
 */
#include "report/report.h"

#include "core/error.h"
#include "core/mem.h"
#include "report/claims.h"
#include "report/filter.h"

#include <stdlib.h>
#include <string.h>

static const cJSON *member(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* What the filters see, as text; the caller frees. */
static char *input_text(const cJSON *spec, const cJSON *runs, const cJSON *tables,
			const char *scale)
{
	cJSON *input = cJSON_CreateObject();
	const cJSON *published = member(spec, "published");
	char *text;

	cJSON_AddStringToObject(input, "scale", scale ? scale : "");
	cJSON_AddItemReferenceToObject(input, "runs", (cJSON *)runs);
	cJSON_AddItemReferenceToObject(input, "tables", (cJSON *)tables);
	if (published)
		cJSON_AddItemReferenceToObject(input, "published", (cJSON *)published);
	else
		cJSON_AddNullToObject(input, "published");
	text = cJSON_PrintUnformatted(input);
	cJSON_Delete(input);
	if (!text)
		die("out of memory");
	return text;
}

/*
 * "holds": the one true, false or null that the filter yields, and of null the "reason"; else
 * null, and "error".
 */
static void add_verdict(cJSON *verdict, cJSON *answer)
{
	const cJSON *outputs = member(answer, "outputs"), *only = outputs ? outputs->child : NULL;
	const char *why = cJSON_GetStringValue(member(answer, "error"));

	if (!why && cJSON_GetArraySize(outputs) != 1)
		why = outputs && only ? "the filter yields more than one value" :
					"the filter yields nothing";
	if (!why && !cJSON_IsBool(only) && !cJSON_IsNull(only))
		why = "the filter yields neither true, false nor null";
	cJSON_AddItemToObject(verdict, "holds",
			      why ? cJSON_CreateNull() : cJSON_Duplicate(only, true));
	if (why)
		cJSON_AddStringToObject(verdict, "error", why);
	else if (cJSON_IsNull(only))
		cJSON_AddStringToObject(verdict, "reason",
					"does not apply (its filter yields null)");
	cJSON_Delete(answer);
}

/* "shows": the value of the filter, a list of them when there are several. */
static void add_shows(cJSON *verdict, cJSON *answer)
{
	cJSON *outputs = cJSON_DetachItemFromObject(answer, "outputs"), *shows = outputs;
	const char *why = cJSON_GetStringValue(member(answer, "error"));
	char *text;

	if (cJSON_GetArraySize(outputs) == 1) {
		shows = cJSON_DetachItemFromArray(outputs, 0);
		cJSON_Delete(outputs);
	}
	cJSON_AddItemToObject(verdict, "shows", shows ? shows : cJSON_CreateNull());
	if (why && !member(verdict, "error")) {
		text = xasprintf("shows: %s", why);
		cJSON_AddStringToObject(verdict, "error", text);
		free(text);
	}
	cJSON_Delete(answer);
}

/* The filters of claims, and what answers them one after the other. */
struct judge {
	const struct filter_set *set;
	const struct filter_input *input;
	size_t next;
};

static cJSON *next_answer(struct judge *j)
{
	return filter_set_run(j->set, j->next++, j->input);
}

static cJSON *check(const cJSON *claim, struct judge *j)
{
	const char *says = cJSON_GetStringValue(member(claim, "says"));
	const char *where = cJSON_GetStringValue(member(claim, "where"));
	cJSON *verdict = cJSON_CreateObject();

	cJSON_AddStringToObject(verdict, "says", says ? says : "");
	cJSON_AddStringToObject(verdict, "where", where ? where : "");
	add_verdict(verdict, next_answer(j));
	if (cJSON_GetStringValue(member(claim, "shows")))
		add_shows(verdict, next_answer(j));
	else
		cJSON_AddNullToObject(verdict, "shows");
	return verdict;
}

const char **claims_filters(const cJSON *claims, size_t *n)
{
	const size_t most = 2 * (size_t)cJSON_GetArraySize(claims);
	const char **filters = xcalloc(most + 1, sizeof(*filters)), *filter;
	const cJSON *claim;

	*n = 0;
	cJSON_ArrayForEach(claim, claims) {
		filter = cJSON_GetStringValue(member(claim, "jq"));
		filters[(*n)++] = filter ? filter : "empty";
		filter = cJSON_GetStringValue(member(claim, "shows"));
		if (filter)
			filters[(*n)++] = filter;
	}
	return filters;
}

cJSON *claims_check(const cJSON *spec, const cJSON *runs, const cJSON *tables, const char *scale)
{
	const cJSON *claims = member(spec, "claims"), *claim;
	char *text = input_text(spec, runs, tables, scale);
	struct filter_input *input = filter_input_new(text);
	cJSON *verdicts = cJSON_CreateArray();
	size_t n;
	const char **filters = claims_filters(claims, &n);
	struct filter_set *set = filter_set_new(n, filters);
	struct judge j = { .set = set, .input = input };

	cJSON_ArrayForEach(claim, claims)
		cJSON_AddItemToArray(verdicts, check(claim, &j));
	filter_set_free(set);
	free(filters);
	filter_input_free(input);
	free(text);
	return verdicts;
}
