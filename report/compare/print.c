/* A comparison of two results in any format. */
#include "report/compare/compare.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/output.h"
#include "report/table/table.h"
#include "report/text/grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char footnote[] =
	"Differences are b - a. \"beyond seeds\": Welch's 95 % interval of the difference of means "
	"leaves out 0; it needs two seeds of each.";

static const char diverged_note[] =
	"Losses of runs that diverged count as infinite, and no difference to them is called one "
	"beyond seeds.";

static void format_number(double x, char out[64])
{
	if (isfinite(x))
		number_format(x, (double)NAN, out);
	else
		strcpy(out, isnan(x) ? "-" : "∞");
}

/* "1.220 ± 0.030 (3)", "∞ (2 of 6 diverged)"; the caller frees. */
static char *side_text(const cJSON *side)
{
	char *lost = lost_text(side), *n = xasprintf("%d", table_count(side, "n")), *text;
	struct cell_text w;

	measured_text(table_number(side, "mean"), table_number(side, "deviation"), (double)NAN,
		       &w);
	if (!*lost && !*w.spread)
		text = xstrdup(w.number);
	else
		text = xasprintf("%s%s%s (%s)", w.number, *w.spread ? " " : "", w.spread,
				 *lost ? lost : n);
	free(lost);
	free(n);
	return text;
}

static bool has_diverged(const cJSON *measure)
{
	return table_number(json_get(measure, "a"), "diverged") > 0 ||
	       table_number(json_get(measure, "b"), "diverged") > 0;
}

static char *interval_text(const cJSON *measure)
{
	const cJSON *low = json_get(measure, "interval")->child, *beyond;

	beyond = json_get(measure, "beyond_seeds");
	if (!cJSON_IsBool(beyond))
		return xstrdup(has_diverged(measure) ? "diverged" : "-");
	return xasprintf("%s (%.3g to %.3g)", cJSON_IsTrue(beyond) ? "yes" : "no",
			 low->valuedouble, low->next->valuedouble);
}

static void compare_print_add_row(cJSON *rows, const char *runs, const cJSON *measure)
{
	char *a = side_text(json_get(measure, "a")), *b = side_text(json_get(measure, "b"));
	char *interval = interval_text(measure), difference[64], ratio[64];

	format_number(table_number(measure, "difference"), difference);
	format_number(table_number(measure, "ratio"), ratio);
	if (runs)
		grid_row(rows, runs, json_word(measure, "label"), a, b, difference, ratio,
			 interval, NULL);
	else
		grid_row(rows, json_word(measure, "label"), a, b, difference, ratio, interval,
			 NULL);
	free(a);
	free(b);
	free(interval);
}

static void print_measures(const cJSON *comparison, enum table_format format, FILE *out)
{
	const cJSON *pairs = json_get(comparison, "pairs"), *pair, *measure;
	const bool many = cJSON_GetArraySize(pairs) > 1;
	cJSON *rows = cJSON_CreateArray();

	if (many)
		grid_row(rows, "runs", "measure", "a", "b", "difference", "ratio", "beyond seeds",
			 NULL);
	else
		grid_row(rows, "measure", "a", "b", "difference", "ratio", "beyond seeds", NULL);
	cJSON_ArrayForEach(pair, pairs)
		cJSON_ArrayForEach(measure, json_get(pair, "measures"))
			compare_print_add_row(rows, many ? json_word(pair, "runs") : NULL,
					      measure);
	grid_print(rows, format, out);
	cJSON_Delete(rows);
}

static void print_settings(const cJSON *comparison, enum table_format format, FILE *out)
{
	cJSON *rows = cJSON_CreateArray();
	const cJSON *entry;

	grid_row(rows, "setting", "a", "b", NULL);
	cJSON_ArrayForEach(entry, json_get(comparison, "settings"))
		grid_row(rows, json_word(entry, "setting"), json_word(entry, "a"),
			 json_word(entry, "b"), NULL);
	if (rows->child->next)
		grid_print(rows, format, out);
	else
		fputs("The settings are the same.\n", out);
	cJSON_Delete(rows);
}

static void print_only(const cJSON *comparison, const char *key, const char *which, FILE *out)
{
	const cJSON *name;

	cJSON_ArrayForEach(name, json_get(comparison, key))
		fprintf(out, "only in %s: %s\n", which, name->valuestring);
}

static bool any_diverged(const cJSON *comparison)
{
	const cJSON *pair, *measure;

	cJSON_ArrayForEach(pair, json_get(comparison, "pairs"))
		cJSON_ArrayForEach(measure, json_get(pair, "measures"))
			if (has_diverged(measure))
				return true;
	return false;
}

static void print_notes(const cJSON *comparison, FILE *out)
{
	fprintf(out, "\n%s\n", footnote);
	if (any_diverged(comparison))
		fprintf(out, "\n%s\n", diverged_note);
}

void compare_print(const cJSON *comparison, enum table_format format, FILE *out)
{
	if (format == TABLE_JSON) {
		output_json(comparison, out);
		return;
	}
	if (format == TABLE_CSV) {
		compare_print_csv(comparison, out);
		return;
	}
	if (format == TABLE_LATEX || format == TABLE_TEX) {
		print_measures(comparison, format, out);
		return;
	}
	fprintf(out, "a: %s\n", json_word(comparison, "a"));
	fprintf(out, "%sb: %s\n\n", format == TABLE_MARKDOWN ? "\n" : "",
		json_word(comparison, "b"));
	print_settings(comparison, format, out);
	putc('\n', out);
	if (json_get(comparison, "pairs")->child)
		print_measures(comparison, format, out);
	else
		fputs("No run of a has a partner in b.\n", out);
	print_only(comparison, "only_a", "a", out);
	print_only(comparison, "only_b", "b", out);
	print_notes(comparison, out);
}
