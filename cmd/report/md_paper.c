/* The page of Markdown of one paper: notes, experiments, kept results. */
#define _XOPEN_SOURCE 700         /* realpath() */
#include "cmd/report/md_paper.h"

#include "cmd/report/parts.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "core/text/utf8.h"
#include "plan/plan.h"
#include "plan/settings/given.h"
#include "report/claims/claims.h"
#include "report/table/block.h"
#include "report/text/escape.h"
#include "report/text/grid.h"
#include "report/text/output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char paper_intro[] =
	"# Experiments: %.*s\n"
	"\n"
	"This page lists experiments, each with its command. If results of an experiment are kept, "
	"its tables and the verdicts on its claims follow.\n"
	"`convoy run %s` runs the first.\n"
	"\n"
	"- [Experiments](../experiments.md) explains the verdicts.\n"
	"- If the paper has a number for a cell of a table, this number and our difference from it "
	"are in brackets.\n";

struct page {                   /* of one paper */
	const struct pages *of;
	FILE *f;
	char *kept;             /* the way from the page to the folder of results; owned */
};

int report_md_length(const char *name)
{
	return (int)strcspn(name, "/");
}

bool report_md_same_paper(const char *a, const char *b)
{
	const int n = report_md_length(a);

	return n == report_md_length(b) && strncmp(a, b, (size_t)n) == 0;
}

void report_md_open(struct sheet *sheet)
{
	sheet->f = xmemstream(&sheet->text, &sheet->size);
}

int report_md_write(struct sheet *sheet, const char *path, int ret)
{
	xmemclose(sheet->f);
	if (ret == 0)
		ret = output_write(path, sheet->text, sheet->size);
	if (ret == 0)
		utf8_puts(path);
	free(sheet->text);
	return ret;
}

/* ---- what the spec says ---- */

static void put_text(const cJSON *object, const char *key, const char *label, FILE *f)
{
	if (!*json_word(object, key))
		return;
	fprintf(f, "\n%s", label);
	escape_markdown(json_word(object, key), f);
	fputc('\n', f);
}

static void put_scales(const cJSON *spec, FILE *f)
{
	cJSON *rows = cJSON_CreateArray();
	const cJSON *scale;

	grid_row(rows, "scale", "takes", "", NULL);
	cJSON_ArrayForEach(scale, json_get(spec, "scales"))
		grid_row(rows, scale->string, json_word(scale, "time"), json_word(scale, "about"),
			 NULL);
	if (cJSON_GetArraySize(rows) > 1) {
		fputc('\n', f);
		grid_print(rows, TABLE_MARKDOWN, f);
	}
	cJSON_Delete(rows);
}

/* Where the usual scale is not the paper's. */
static void put_differences(const struct spec *s, FILE *f)
{
	cJSON *settings = report_settings(s), *rows = cJSON_CreateArray();
	const cJSON *entry;

	grid_row(rows, "setting", "paper", s->scale, NULL);
	cJSON_ArrayForEach(entry, settings)
		grid_row(rows, json_word(entry, "setting"), json_word(entry, "paper"),
			 json_word(entry, "here"), NULL);
	if (cJSON_GetArraySize(rows) > 1) {
		fprintf(f, "\nSettings of scale `%s` that differ from the paper's:\n\n", s->scale);
		grid_print(rows, TABLE_MARKDOWN, f);
	}
	cJSON_Delete(settings);
	cJSON_Delete(rows);
}

/* ---- what was kept ---- */

enum { PAGE_ROWS = 120 };       /* of a table on a page; a longer one is named */

static void print_kept_table(const struct page *p, const cJSON *table, const char *name)
{
	const int rows = cJSON_GetArraySize(json_get(table, "rows"));

	if (rows <= PAGE_ROWS) {
		fputc('\n', p->f);
		table_print(table, TABLE_MARKDOWN, p->f);
		return;
	}
	put_text(table, "title", "### ", p->f);
	fprintf(p->f, "\nThis table has %d rows: `tables/%s.md` of the results.\n", rows, name);
}

static int put_table(const struct page *p, const char *result, const char *name)
{
	char *file = xasprintf("tables/%s.json", name);
	int ret = 0;
	cJSON *table = kept_file(p->of->folder, result, file, &ret);

	if (table && !table_is_whole(table)) {
		ret = error("%s/%s/%s: not a whole table: heads, rows of as many cells and notes "
			    "are expected. Write it again with 'convoy run'.", p->of->folder,
			    result, file);
	} else if (table) {
		print_kept_table(p, table, name);
	}
	cJSON_Delete(table);
	free(file);
	return ret;
}

static int put_tables(const struct page *p, const char *result, const struct spec *s)
{
	const cJSON *entry;
	int ret = 0;

	cJSON_ArrayForEach(entry, json_get(s->json, "tables"))
		if (put_table(p, result, json_word(entry, "name")) < 0)
			ret = -1;
	return s->tune && put_table(p, result, TUNING_NAME) < 0 ? -1 : ret;
}

/* A line below a claim, and frees the text. */
static void put_detail(const char *what, char *text, FILE *f)
{
	if (*text) {
		fprintf(f, "  - %s: ", what);
		escape_markdown(text, f);
		fputc('\n', f);
	}
	free(text);
}

static void put_claim(const cJSON *claim, FILE *f)
{
	const char *where = json_word(claim, "where");

	fprintf(f, "- **%s** (%s", claim_verdict(claim), json_word(claim, "kind"));
	if (*where)
		fputs("; ", f);
	escape_markdown(where, f);
	fputs("): ", f);
	escape_markdown(json_word(claim, "says"), f);
	fputc('\n', f);
	put_detail("the paper's words", xstrdup(json_word(claim, "quote")), f);
	put_detail("measured", claim_figures(claim), f);
	put_detail("interval", claim_interval(claim), f);
	put_detail("reason", xstrdup(claim_reason(claim)), f);
	put_detail("criterion", claim_criterion(claim), f);
	put_detail("warning", xstrdup(json_word(claim, "warning")), f);
}

/* The spec's words above are of its own settings, and perhaps not of these results. */
static int put_given(const struct page *p, const char *result)
{
	char *folder = xasprintf("%s/%s", p->of->folder, result);
	int ret = 0;
	cJSON *file = kept_file(p->of->folder, result, "settings.json", &ret);
	cJSON *set = file ? given_read(folder) : NULL;

	if (set) {
		char *text = plan_point_text(set);

		fputs("\nThe command line of these results gave settings: ", p->f);
		escape_markdown(text, p->f);
		fputc('\n', p->f);
		free(text);
	}
	ret = file && !set ? -1 : ret;
	cJSON_Delete(file);
	cJSON_Delete(set);
	free(folder);
	return ret;
}

/* When and where the runs were made, so that criteria can be seen to be older. */
static int put_made(const struct page *p, const char *result)
{
	int ret = 0;
	cJSON *made = kept_file(p->of->folder, result, "made.json", &ret);

	if (made) {
		char *text = xasprintf("%s runs of scale %s, made %s by convoy %s (commit %s) "
				       "on %s", json_word(made, "runs"),
				       json_word(made, "scale"), json_word(made, "made"),
				       json_word(made, "version"), json_word(made, "commit"),
				       json_word(made, "machine"));

		fputc('\n', p->f);
		escape_markdown(text, p->f);
		fputc('\n', p->f);
		free(text);
	}
	cJSON_Delete(made);
	return ret;
}

static int put_result(const struct page *p, const char *result, const struct spec *s)
{
	int ret = 0;
	cJSON *claims = kept_file(p->of->folder, result, "claims.json", &ret);
	const cJSON *claim;

	fprintf(p->f, "\nResults: [%s](%s/%s)\n", result, p->kept, result);
	if (put_made(p, result) < 0 || put_given(p, result) < 0)
		ret = -1;
	if (cJSON_GetArraySize(claims))
		fputc('\n', p->f);
	cJSON_ArrayForEach(claim, claims)
		put_claim(claim, p->f);
	cJSON_Delete(claims);
	return put_tables(p, result, s) < 0 ? -1 : ret;
}

static int put_experiment(const struct page *p, const char *name)
{
	cJSON *results = kept_results(p->of->folder, p->of->names, name);
	const cJSON *result;
	struct spec s;
	int ret = spec_load_settings(&s, name, NULL);

	if (ret == 0) {
		fprintf(p->f, "\n## %s\n", name);
		put_text(s.json, "title", "", p->f);
		put_text(s.json, "paper", "Source: ", p->f);
		put_text(s.json, "figure", "Subject: ", p->f);
		put_text(s.json, "about", "", p->f);
		fprintf(p->f, "\n```sh\nconvoy run %s\n```\n", name);
		put_scales(s.json, p->f);
		put_differences(&s, p->f);
		if (!results->child)
			fputs("\nNo results are kept yet.\n", p->f);
		cJSON_ArrayForEach(result, results)
			if (put_result(p, result->valuestring, &s) < 0)
				ret = -1;
	}
	spec_release(&s);
	cJSON_Delete(results);
	return ret;
}

/* ---- a paper's notes ---- */

/* A line of n bytes; its links to files next to it go to FOLDER, seen from the page. */
static void md_paper_put_line(const char *line, int n, const char *folder, FILE *f)
{
	for (int i = 0; i < n; i++) {
		const bool link = strncmp(line + i, "](", 2) == 0;
		const char *to = line + i + 2;

		fputc(line[i], f);
		if (link && *to != '#' && to[strcspn(to, ":)")] != ':') {
			fprintf(f, "(%s/", folder);
			i++;
		}
	}
	fputc('\n', f);
}

/* The lines of a text of Markdown, its heads one level lower. */
static void put_lowered(const char *text, const char *folder, FILE *f)
{
	bool code = false;

	while (*text) {
		const int n = (int)strcspn(text, "\n");

		if (strncmp(text, "```", 3) == 0)
			code = !code;
		if (*text == '#' && !code)
			fputc('#', f);
		md_paper_put_line(text, n, folder, f);
		text += n + (text[n] == '\n');
	}
}

/* FOLDER/PAPER/README.md, where there is one. */
static int md_paper_put_notes(const struct page *p, const char *paper, int n)
{
	char *path = xasprintf("%s/%.*s/README.md", p->of->folder, n, paper);
	char *there = xasprintf("%s/%.*s", p->kept, n, paper);
	char *text = NULL;
	int ret = 0;

	if (access(path, F_OK) == 0) {
		text = file_read(path, NULL);
		ret = text ? 0 : -1;
	}
	if (text) {
		fputc('\n', p->f);
		put_lowered(text, there, p->f);
	}
	free(text);
	free(there);
	free(path);
	return ret;
}

/* ---- the page of a paper ---- */

/* A real path with '/' at its end; the caller frees. */
static char *real_folder(const char *path)
{
	char *real = realpath(path, NULL), *folder = xasprintf("%s/", real ? real : path);

	free(real);
	return folder;
}

/* The relative path from one folder to another; the caller frees. */
static char *way_between(const char *from, const char *to)
{
	char *a = real_folder(from), *b = real_folder(to), *way = xstrdup("");
	size_t same = 0;

	for (size_t i = 0; a[i] && a[i] == b[i]; i++)
		if (a[i] == '/')
			same = i + 1;
	for (const char *c = a + same; *c; c++)
		if (*c == '/')
			xappend(&way, "", "../");
	b[strlen(b) - 1] = '\0';
	xappend(&way, "", b + same);
	free(a);
	free(b);
	return way;
}

int report_md_paper(const struct pages *of, char *const *first, const char *dir)
{
	const int n = report_md_length(*first);
	char *path = xasprintf("%s/%.*s.md", dir, n, *first);
	struct sheet sheet;
	struct page p = { .of = of, .kept = way_between(dir, of->folder) };
	char *const *name = first;
	int ret;

	report_md_open(&sheet);
	p.f = sheet.f;
	fprintf(p.f, paper_intro, n, *first, *first);
	ret = md_paper_put_notes(&p, *first, n);
	for (; ret == 0 && *name && report_md_same_paper(*first, *name); name++)
		ret = put_experiment(&p, *name);
	ret = report_md_write(&sheet, path, ret);
	free(p.kept);
	free(path);
	return ret;
}
