/*
 * claims.c - a paper's statements, checked against what was measured.
 */
#include "report/report.h"

#include "core/error.h"
#include "core/mem.h"
#include "report/filter.h"

#include <float.h>
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

/* "holds": the one true, false or null that the filter yields; else null, and "error". */
static void add_verdict(cJSON *verdict, const char *filter, const char *input)
{
	cJSON *answer = filter_run(filter, input);
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
	cJSON_Delete(answer);
}

/* "shows": the value of the filter, a list of them when there are several. */
static void add_shows(cJSON *verdict, const char *filter, const char *input)
{
	cJSON *answer = filter_run(filter, input);
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

static cJSON *check(const cJSON *claim, const char *input)
{
	const char *says = cJSON_GetStringValue(member(claim, "says"));
	const char *where = cJSON_GetStringValue(member(claim, "where"));
	const char *filter = cJSON_GetStringValue(member(claim, "jq"));
	const char *shows = cJSON_GetStringValue(member(claim, "shows"));
	cJSON *verdict = cJSON_CreateObject();

	cJSON_AddStringToObject(verdict, "says", says ? says : "");
	cJSON_AddStringToObject(verdict, "where", where ? where : "");
	add_verdict(verdict, filter ? filter : "empty", input);
	if (shows)
		add_shows(verdict, shows, input);
	else
		cJSON_AddNullToObject(verdict, "shows");
	return verdict;
}

cJSON *claims_check(const cJSON *spec, const cJSON *runs, const cJSON *tables, const char *scale)
{
	char *input = input_text(spec, runs, tables, scale);
	cJSON *verdicts = cJSON_CreateArray();
	const cJSON *claim;

	cJSON_ArrayForEach(claim, member(spec, "claims"))
		cJSON_AddItemToArray(verdicts, check(claim, input));
	free(input);
	return verdicts;
}

/* A value in few characters: numbers with four digits, the rest as JSON. */
static void put_value(const cJSON *value, FILE *out)
{
	const cJSON *item;
	char *text;

	if (cJSON_IsNumber(value) && value->valuedouble >= DBL_MAX) {
		fputs("∞", out);
	} else if (cJSON_IsNumber(value)) {
		fprintf(out, "%.4g", value->valuedouble);
	} else if (cJSON_IsString(value)) {
		fputs(value->valuestring, out);
	} else if (cJSON_IsArray(value) || cJSON_IsObject(value)) {
		fputs(cJSON_IsArray(value) ? "[" : "{", out);
		cJSON_ArrayForEach(item, value) {
			fputs(item == value->child ? "" : ", ", out);
			if (item->string)
				fprintf(out, "%s: ", item->string);
			put_value(item, out);
		}
		fputs(cJSON_IsArray(value) ? "]" : "}", out);
	} else {
		text = cJSON_PrintUnformatted(value);
		fputs(text ? text : "", out);
		free(text);
	}
}

static void print_claim(const cJSON *claim, FILE *out)
{
	const cJSON *holds = member(claim, "holds"), *shows = member(claim, "shows");
	const char *where = cJSON_GetStringValue(member(claim, "where"));
	const char *wrong = cJSON_GetStringValue(member(claim, "error"));
	const char *why = wrong ? wrong : cJSON_GetStringValue(member(claim, "reason"));
	const char *mark = cJSON_IsTrue(holds) ? "holds" : cJSON_IsFalse(holds) ? "FAILS" : "n/a  ";

	fprintf(out, "%s  %s", wrong && cJSON_IsNull(holds) ? "error" : mark,
		cJSON_GetStringValue(member(claim, "says")));
	if (where && *where)
		fprintf(out, " (%s)", where);
	if (shows && !cJSON_IsNull(shows)) {
		fputs(": ", out);
		put_value(shows, out);
	}
	if (why)
		fprintf(out, " [%s]", why);
	putc('\n', out);
}

void claims_print(const cJSON *claims, FILE *out)
{
	const cJSON *claim;

	cJSON_ArrayForEach(claim, claims)
		print_claim(claim, out);
}
