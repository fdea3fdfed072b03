/* The page of Markdown of one paper: notes, experiments, kept results. */
#include "cmd/report/md_paper.h"

#include "cmd/report/parts.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/output.h"
#include "core/text/utf8.h"
#include "report/text/escape.h"
#include "report/text/grid.h"

#include <stdlib.h>
#include <string.h>

static const char paper_intro[] =
	"# Experiments: %s\n"
	"\n"
	"This page lists experiments, each with its command. If results of an experiment are kept, "
	"its tables and the verdicts on its claims follow.\n"
	"`convoy run %s` runs the first.\n"
	"\n"
	"- [Experiments](../experiments.md) explains the verdicts.\n"
	"- If the paper has a number for a cell of a table, this number and our difference from it "
	"are in brackets.\n";

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

void report_md_put_line(const char *label, const char *text, FILE *f)
{
	if (!*text)
		return;
	fprintf(f, "\n%s", label);
	escape_markdown(text, f);
	fputc('\n', f);
}

/* ---- what the spec says ---- */

static void put_text(const cJSON *object, const char *key, const char *label, FILE *f)
{
	report_md_put_line(label, json_word(object, key), f);
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
		fprintf(f, "\nThe spec's settings of scale `%s` that differ from the paper's. ",
			s->scale);
		fputs("The command of kept results can give others:\n\n", f);
		grid_print(rows, TABLE_MARKDOWN, f);
	}
	cJSON_Delete(settings);
	cJSON_Delete(rows);
}

/* ---- an experiment ---- */

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
			if (report_md_result(p, result->valuestring, &s) < 0)
				ret = -1;
	}
	spec_release(&s);
	cJSON_Delete(results);
	return ret;
}

/* ---- the page of a paper ---- */

int report_md_paper(const struct pages *of, char *const *first, const char *dir)
{
	char *paper = xasprintf("%.*s", report_md_length(*first), *first);
	char *path = xasprintf("%s/%s.md", dir, paper);
	struct sheet sheet;
	struct page p = { .of = of, .dir = dir };
	char *const *name = first;
	int ret;

	report_md_open(&sheet);
	p.f = sheet.f;
	fprintf(p.f, paper_intro, paper, *first);
	ret = report_md_notes(&p, paper);
	for (; ret == 0 && *name && report_md_same_paper(*first, *name); name++)
		ret = put_experiment(&p, *name);
	ret = report_md_write(&sheet, path, ret);
	free(path);
	free(paper);
	return ret;
}
