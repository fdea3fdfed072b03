#include "cmd/report/md.h"

#include "cmd/report/facts.h"
#include "cmd/report/kept.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "plan/spec/spec.h"
#include "report/claims/claims.h"
#include "report/claims/rules.h"
#include "report/table/block.h"
#include "report/table/table.h"
#include "report/text/escape.h"
#include "report/text/grid.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char intro[] =
	"# Experiments\n"
	"\n"
	"This page has every experiment that `convoy run` knows, and the kept results: our\n"
	"numbers, those of the paper, and a verdict for each claim. `convoy report --md FOLDER`\n"
	"prints it from the results and specs. The notes of a paper are written by hand; they\n"
	"say what its runs can and cannot decide.\n"
	"\n"
	"- `holds` and `FAILS` are decided: the 95 % interval of the difference lies on one\n"
	"  side of the criterion, or the claim is about the simulated clock alone. The interval\n"
	"  takes in the seeds' spread and the binomial error of the test set.\n"
	"- `undecided`: the interval includes the criterion, there is none, or fewer than\n"
	"  three seeds were run. Such a claim is shown neither to be true nor to be false.\n"
	"- `n/a`: not evaluated at the scale that was run, or the criterion is newer than\n"
	"  the run.\n"
	"\n"
	"A claim is a `number`, a `statement` or a `theory` of the paper, `ours`, or true by\n"
	"`construction`; the last two do not count as reproduction. In a table's cells the\n"
	"paper's number and the difference are in brackets.\n";

static const cJSON *member(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* ---- what the spec says ---- */

static void put_text(const cJSON *object, const char *key)
{
	if (!*table_text(object, key))
		return;
	putchar('\n');
	escape_markdown(table_text(object, key), stdout);
	putchar('\n');
}

static void put_scales(const cJSON *spec)
{
	cJSON *rows = cJSON_CreateArray();
	const cJSON *scale;

	grid_row(rows, "scale", "takes", "", NULL);
	cJSON_ArrayForEach(scale, member(spec, "scales"))
		grid_row(rows, scale->string, table_text(scale, "time"), table_text(scale, "about"),
			 NULL);
	if (cJSON_GetArraySize(rows) > 1) {
		putchar('\n');
		grid_print(rows, TABLE_MARKDOWN, stdout);
	}
	cJSON_Delete(rows);
}

/* Where the usual scale is not the paper's. */
static void put_differences(const struct spec *s)
{
	cJSON *settings = report_settings(s), *rows = cJSON_CreateArray();
	const cJSON *entry;

	grid_row(rows, "setting", "paper", s->scale, NULL);
	cJSON_ArrayForEach(entry, settings)
		grid_row(rows, table_text(entry, "setting"), table_text(entry, "paper"),
			 table_text(entry, "here"), NULL);
	if (cJSON_GetArraySize(rows) > 1) {
		printf("\nSettings of scale `%s` that differ from the paper's:\n\n", s->scale);
		grid_print(rows, TABLE_MARKDOWN, stdout);
	}
	cJSON_Delete(settings);
	cJSON_Delete(rows);
}

/* ---- what was kept ---- */

static int put_tables(const char *folder, const char *result, const cJSON *spec)
{
	const cJSON *entry;
	int ret = 0;

	cJSON_ArrayForEach(entry, member(spec, "tables")) {
		char *file = xasprintf("tables/%s.json", table_text(entry, "name"));
		cJSON *table = kept_file(folder, result, file, &ret);

		if (table && !table_is_whole(table)) {
			ret = error("%s/%s/%s: not a whole table: heads, rows of as many cells "
				    "and notes are expected. Write it again with 'convoy run'.",
				    folder, result, file);
		} else if (table) {
			putchar('\n');
			table_print(table, TABLE_MARKDOWN, stdout);
		}
		cJSON_Delete(table);
		free(file);
	}
	return ret;
}

static int put_result(const char *folder, const char *result, const cJSON *spec)
{
	int ret = 0;
	cJSON *claims = kept_file(folder, result, "claims.json", &ret);

	printf("\nResults: [%s](../%s/%s)\n", result, folder, result);
	if (cJSON_GetArraySize(claims)) {
		putchar('\n');
		claims_print_as(claims, TABLE_MARKDOWN, stdout);
	}
	cJSON_Delete(claims);
	return put_tables(folder, result, spec) < 0 ? -1 : ret;
}

static int put_experiment(const char *folder, char *const *names, const char *name)
{
	cJSON *results = kept_results(folder, names, name);
	const cJSON *result;
	struct spec s;
	int ret = spec_load_settings(&s, name, NULL);

	if (ret == 0) {
		printf("\n## %s\n", name);
		put_text(s.json, "title");
		put_text(s.json, "paper");
		put_text(s.json, "figure");
		put_text(s.json, "about");
		printf("\n```sh\nconvoy run %s\n```\n", name);
		put_scales(s.json);
		put_differences(&s);
		if (!results->child)
			puts("\nNo results are kept yet.");
		cJSON_ArrayForEach(result, results)
			if (put_result(folder, result->valuestring, s.json) < 0)
				ret = -1;
	}
	spec_release(&s);
	cJSON_Delete(results);
	return ret;
}

/* ---- a paper's notes ---- */

/* A line of n bytes, its links to files next to it from where the page is. */
static void put_line(const char *line, int n, const char *beside)
{
	for (int i = 0; i < n; i++) {
		const bool link = strncmp(line + i, "](", 2) == 0;
		const char *to = line + i + 2;

		putchar(line[i]);
		if (link && *to != '#' && to[strcspn(to, ":)")] != ':') {
			printf("(../%s/", beside);
			i++;
		}
	}
	putchar('\n');
}

/* The lines of a text of Markdown, its heads one level lower. */
static void put_lowered(const char *text, const char *beside)
{
	bool code = false;

	while (*text) {
		const int n = (int)strcspn(text, "\n");

		if (strncmp(text, "```", 3) == 0)
			code = !code;
		if (*text == '#' && !code)
			putchar('#');
		put_line(text, n, beside);
		text += n + (text[n] == '\n');
	}
}

static int put_notes(const char *folder, const char *experiment)
{
	char *beside = xasprintf("%s/%.*s", folder, (int)strcspn(experiment, "/"), experiment);
	char *path = xasprintf("%s/README.md", beside);
	char *text = NULL;
	int ret = 0;

	if (access(path, F_OK) == 0) {
		text = file_read(path, NULL);
		ret = text ? 0 : -1;
	}
	if (text) {
		putchar('\n');
		put_lowered(text, beside);
	}
	free(text);
	free(beside);
	free(path);
	return ret;
}

/* ---- the overview ---- */

/* A link to the section of the page. */
static void put_link(const char *name)
{
	printf("[%s](#", name);
	for (const char *c = name; *c; c++)
		if (*c != '/' && *c != '.')
			putchar(*c);
	putchar(')');
}

static int score_of(const char *folder, const cJSON *results, struct claim_total *sum,
		    struct claim_total *by_kind)
{
	const cJSON *result;
	int ret = 0;

	cJSON_ArrayForEach(result, results) {
		cJSON *claims = kept_file(folder, result->valuestring, "claims.json", &ret);
		const struct claim_total all = claims_total(claims, NULL);

		claim_total_add(sum, &all);
		for (int i = 0; claim_kinds[i]; i++) {
			const struct claim_total some = claims_total(claims, claim_kinds[i]);

			claim_total_add(&by_kind[i], &some);
		}
		cJSON_Delete(claims);
	}
	return ret;
}

static void put_cell(const char *text)
{
	fputs(" | ", stdout);
	escape_markdown(text, stdout);
}

static int put_row(const char *folder, char *const *names, const char *name,
		   struct claim_total *by_kind)
{
	cJSON *results = kept_results(folder, names, name);
	struct claim_total score = { 0 };
	char *path = path_find("experiments", name);
	cJSON *spec = path ? json_load(path) : NULL;
	const int ret = spec ? score_of(folder, results, &score, by_kind) : -1;

	fputs("| ", stdout);
	put_link(name);
	put_cell(table_text(spec, "title"));
	put_cell(table_text(spec, "figure"));
	if (results->child)
		printf(" | %d | %d | %d | %d |\n", score.holds, score.fails, score.undecided,
		       score.open);
	else
		puts(" | - | - | - | - |");
	cJSON_Delete(spec);
	cJSON_Delete(results);
	free(path);
	return ret;
}

static int put_overview(const char *folder, char *const *names)
{
	struct claim_total by_kind[CLAIM_KINDS] = { { 0 } };
	cJSON *totals;
	int ret = 0;

	puts("\n| experiment | title | of the paper | hold | fail | undecided | n/a |\n"
	     "|---|---|---|---|---|---|---|");
	for (char *const *name = names; *name; name++)
		if (put_row(folder, names, *name, by_kind) < 0)
			ret = -1;
	totals = claims_total_rows(by_kind);
	putchar('\n');
	grid_print(totals, TABLE_MARKDOWN, stdout);
	cJSON_Delete(totals);
	return ret;
}

static bool is_first_of_paper(char *const *names, size_t i)
{
	const size_t n = strcspn(names[i], "/") + 1;

	return i == 0 || strncmp(names[i - 1], names[i], n) != 0;
}

int report_md(const char *folder)
{
	char **names = spec_names(NULL);
	int ret;

	if (access(folder, R_OK | X_OK) < 0) {
		path_list_free(names);
		return error("%s: no such folder of results", folder);
	}
	fputs(intro, stdout);
	ret = put_overview(folder, names);
	for (size_t i = 0; ret == 0 && names[i]; i++)
		if ((is_first_of_paper(names, i) && put_notes(folder, names[i]) < 0) ||
		    put_experiment(folder, names, names[i]) < 0)
			ret = -1;
	path_list_free(names);
	return ret;
}
