/*
 * claims_print.c - verdicts in words, each with the figures that it was judged on.
 */
#include "report/claims.h"

#include "core/error.h"
#include "report/grid.h"
#include "report/output.h"
#include "report/report.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

static const cJSON *member(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
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

char *claim_figures(const cJSON *claim)
{
	const cJSON *shows = member(claim, "shows");
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	if (!out)
		die("out of memory");
	if (shows && !cJSON_IsNull(shows))
		put_value(shows, out);
	fclose(out);
	return text;
}

const char *claim_reason(const cJSON *claim)
{
	const char *wrong = cJSON_GetStringValue(member(claim, "error"));
	const char *why = wrong ? wrong : cJSON_GetStringValue(member(claim, "reason"));

	return why ? why : "";
}

const char *claim_verdict(const cJSON *claim)
{
	const cJSON *holds = member(claim, "holds");

	if (cJSON_IsBool(holds))
		return cJSON_IsTrue(holds) ? "holds" : "FAILS";
	return member(claim, "error") ? "error" : "n/a";
}

static void print_claim(const cJSON *claim, FILE *out)
{
	const char *where = cJSON_GetStringValue(member(claim, "where"));
	const char *why = claim_reason(claim);
	const char *says = cJSON_GetStringValue(member(claim, "says"));
	const bool placed = where && *where;
	char *figures = claim_figures(claim);
	int n = (int)strlen(says);

	if (n && says[n - 1] == '.' && *figures && !placed)
		n--;
	fprintf(out, "%-5s  %.*s", claim_verdict(claim), n, says);
	if (placed)
		fprintf(out, " (%s)", where);
	if (*figures)
		fprintf(out, ": %s", figures);
	if (*why)
		fprintf(out, " [%s]", why);
	putc('\n', out);
	free(figures);
}

static void add_row(cJSON *rows, const cJSON *claim)
{
	const char *where = cJSON_GetStringValue(member(claim, "where"));
	char *figures = claim_figures(claim);

	grid_row(rows, claim_verdict(claim), cJSON_GetStringValue(member(claim, "says")),
		 where ? where : "", figures, claim_reason(claim), NULL);
	free(figures);
}

static void print_grid(const cJSON *claims, enum table_format format, FILE *out)
{
	cJSON *rows = cJSON_CreateArray();
	const cJSON *claim;

	grid_row(rows, "verdict", "claim", "where", "figures", "reason", NULL);
	cJSON_ArrayForEach(claim, claims)
		add_row(rows, claim);
	grid_print(rows, format, out);
	cJSON_Delete(rows);
}

void claims_print_as(const cJSON *claims, enum table_format format, FILE *out)
{
	if (format == TABLE_TEXT)
		claims_print(claims, out);
	else if (format == TABLE_JSON)
		output_json(claims, out);
	else
		print_grid(claims, format, out);
}

void claims_print(const cJSON *claims, FILE *out)
{
	const cJSON *claim;

	cJSON_ArrayForEach(claim, claims)
		print_claim(claim, out);
}
