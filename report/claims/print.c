/* Verdicts in words, each with the figures that it was judged on. */
#include "report/claims/claims.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/output.h"
#include "report/claims/names.h"
#include "report/report.h"
#include "report/text/grid.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put_name(const cJSON *names, const char *name, const char *after, FILE *out)
{
	char *brief = names_short(names, name, true);

	fprintf(out, "%s%s", brief, after);
	free(brief);
}

static void put_value(const cJSON *value, const cJSON *names, FILE *out);

/* The last of the items from `first` on whose names differ in the seed alone, and are numbers. */
static const cJSON *last_of_seeds(const cJSON *first, const cJSON *names)
{
	char *name = names_short(names, first->string, false);
	const cJSON *last = first;

	while (cJSON_IsNumber(first) && cJSON_IsNumber(last->next)) {
		char *next = names_short(names, last->next->string, false);
		const bool same = strcmp(name, next) == 0;

		free(next);
		if (!same)
			break;
		last = last->next;
	}
	free(name);
	return last;
}

/* "algo=a: 1, algo=b: [2, 3]": one value, or those of the seeds. What is after them. */
static const cJSON *put_item(const cJSON *item, const cJSON *names, FILE *out)
{
	const cJSON *last = item->string ? last_of_seeds(item, names) : item;
	const bool several = last != item;
	char *name = item->string ? names_short(names, item->string, !several) : NULL;

	if (name)
		fprintf(out, "%s: %s", name, several ? "[" : "");
	put_value(item, names, out);
	while (item != last) {
		fputs(", ", out);
		item = item->next;
		put_value(item, names, out);
	}
	fputs(several ? "]" : "", out);
	free(name);
	return item->next;
}

/* A value in few characters: numbers with four digits, the rest as JSON. */
static void put_value(const cJSON *value, const cJSON *names, FILE *out)
{
	char *text;

	if (cJSON_IsNumber(value) && fabs(value->valuedouble) >= DBL_MAX) {
		fputs(value->valuedouble > 0 ? "∞" : "-∞", out);
	} else if (cJSON_IsNumber(value)) {
		fprintf(out, "%.4g", value->valuedouble);
	} else if (cJSON_IsString(value)) {
		fputs(value->valuestring, out);
	} else if (cJSON_IsArray(value) || cJSON_IsObject(value)) {
		fputs(cJSON_IsArray(value) ? "[" : "{", out);
		for (const cJSON *item = value->child; item;) {
			item = put_item(item, names, out);
			fputs(item ? ", " : "", out);
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
	const cJSON *shows = json_get(claim, "shows");
	const char *quantity = json_string(claim, "quantity");
	cJSON *names = names_of(claim);
	char *text = NULL;
	size_t n = 0;
	FILE *out = xmemstream(&text, &n);

	if (shows && !cJSON_IsNull(shows)) {
		if (quantity)
			fprintf(out, "%s: ", quantity);
		put_value(shows, names, out);
	}
	fclose(out);
	cJSON_Delete(names);
	return text;
}

/* The name of a side; objects that a filter made have none. */
static const char *side_name(const cJSON *comparison, int side)
{
	const char *name =
		cJSON_GetStringValue(cJSON_GetArrayItem(json_get(comparison, "of"), side));

	return name && *name ? name : side ? "the second" : "the first";
}

/* "test_accuracy, algo=a minus algo=b: 0.02 [0.01, 0.03], 3 and 3 seeds" */
static void put_comparison(const cJSON *c, const cJSON *names, FILE *out)
{
	const cJSON *interval = json_get(c, "interval"), *seeds = json_get(c, "seeds"), *n;

	fprintf(out, "%s, ", json_word(c, "measure"));
	put_name(names, side_name(c, 0), " minus ", out);
	put_name(names, side_name(c, 1), ": ", out);
	put_value(json_get(c, "difference"), NULL, out);
	if (cJSON_IsArray(interval)) {
		putc(' ', out);
		put_value(interval, NULL, out);
	}
	fputs(", seeds", out);
	cJSON_ArrayForEach(n, seeds)
		if (cJSON_IsNumber(n))
			fprintf(out, " %.0f", n->valuedouble);
	if (*json_word(c, "why"))
		fprintf(out, " (%s)", json_word(c, "why"));
}

/* Of a verdict, or of each of several; a plain true or false has none. */
static void put_interval(const cJSON *verdict, const cJSON *names, FILE *out)
{
	const char *rule = json_string(verdict, "rule");
	const cJSON *one;

	if (!rule || !strstr(rule, "_of")) {
		if (!json_get(verdict, "measure"))
			return;
		if (ftell(out) > 0)
			fputs("; ", out);
		put_comparison(verdict, names, out);
		return;
	}
	cJSON_ArrayForEach(one, json_get(verdict, "of"))
		put_interval(one, names, out);
}

char *claim_interval(const cJSON *claim)
{
	cJSON *names = names_of(claim);
	char *text = NULL;
	size_t n = 0;
	FILE *out = xmemstream(&text, &n);

	put_interval(json_get(claim, "interval"), names, out);
	fclose(out);
	cJSON_Delete(names);
	return text;
}

const char *claim_reason(const cJSON *claim)
{
	const char *wrong = json_string(claim, "error");
	const char *why = wrong ? wrong : json_string(claim, "reason");

	return why ? why : "";
}

const char *claim_verdict(const cJSON *claim)
{
	const char *verdict = json_string(claim, "verdict");

	if (!verdict)
		return json_get(claim, "error") ? "error" : "not evaluated";
	return !strcmp(verdict, "fails") ? "FAILS" : verdict;
}

/* Its kind and its position: "statement; section 4". The caller frees. */
static char *source_of(const cJSON *claim)
{
	const char *kind = json_string(claim, "kind");
	const char *where = json_string(claim, "where");
	const bool both = kind && where && *where;

	return xasprintf("%s%s%s", kind ? kind : "", both ? "; " : "", where ? where : "");
}

/* What the criterion was before: "was 'SAYS' from 2024-01-31: FAILS". The caller frees. */
char *claim_criterion(const cJSON *claim)
{
	const cJSON *criterion = json_get(claim, "criterion"), *was;
	const char *since = json_string(criterion, "since");
	char *text = NULL;
	size_t n = 0;
	FILE *out = xmemstream(&text, &n);

	if (since)
		fprintf(out, "set %s", since);
	cJSON_ArrayForEach(was, json_get(criterion, "was"))
		fprintf(out, "; before, from %s: \"%s\": %s", json_word(was, "since"),
			json_word(was, "says"), json_word(was, "verdict"));
	fclose(out);
	return text;
}

static void print_part(const char *before, char *text, const char *after, FILE *out)
{
	if (*text)
		fprintf(out, "%s%s%s", before, text, after);
	free(text);
}

static void print_claim(const cJSON *claim, FILE *out)
{
	const char *why = claim_reason(claim);
	const char *says = json_word(claim, "says");
	char *source = source_of(claim), *figures = claim_figures(claim);
	int n = (int)strlen(says);

	if (n && says[n - 1] == '.' && *figures && !*source)
		n--;
	fprintf(out, "%-13s  %.*s", claim_verdict(claim), n, says);
	print_part(" (", source, ")", out);
	print_part(": ", figures, "", out);
	print_part(" {", claim_interval(claim), "}", out);
	if (*why)
		fprintf(out, " [%s]", why);
	if (json_get(json_get(claim, "criterion"), "was"))
		print_part(" <criterion ", claim_criterion(claim), ">", out);
	putc('\n', out);
}

static void add_row(cJSON *rows, const cJSON *claim)
{
	const char *kind = json_string(claim, "kind");
	const char *where = json_string(claim, "where");
	char *figures = claim_figures(claim), *interval = claim_interval(claim);
	char *criterion = claim_criterion(claim);

	grid_row(rows, claim_verdict(claim), kind ? kind : "", json_word(claim, "says"),
		 where ? where : "", criterion, figures, interval, claim_reason(claim), NULL);
	free(figures);
	free(interval);
	free(criterion);
}

static void print_grid(const cJSON *claims, enum table_format format, FILE *out)
{
	cJSON *rows = cJSON_CreateArray();
	const cJSON *claim;

	grid_row(rows, "verdict", "kind", "claim", "where", "criterion", "figures", "interval",
		 "reason", NULL);
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
