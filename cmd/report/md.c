/* Kept results as pages of Markdown: an index, and a page for each paper. */
#define _XOPEN_SOURCE 700         /* realpath() */
#include "cmd/report/parts.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/output.h"
#include "core/file/paths.h"
#include "core/text/utf8.h"
#include "core/text/word.h"
#include "plan/plan.h"
#include "plan/settings/values.h"
#include "plan/spec/spec.h"
#include "report/claims/claims.h"
#include "report/text/escape.h"
#include "report/text/grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct sheet {                  /* a page in memory */
	FILE *f;
	char *text;             /* size bytes once f is closed */
	size_t size;
};

struct paper {                  /* whose page is written */
	const struct pages *of;
	const char *dir;        /* the page's folder */
	FILE *f;
};

/* After an empty line, the label and the text, in which nothing is markup; none: nothing. */
static void put_line(const char *label, const char *text, FILE *f)
{
	if (!*text)
		return;
	fprintf(f, "\n%s", label);
	escape_markdown(text, f);
	fputc('\n', f);
}

/* ---- a paper's notes, and where links go ---- */

/* ---- where a link goes ---- */

/* The real path of a folder, then a path from there, '/' at its end; the caller frees. */
static char *real_folder(const char *folder, const char *path)
{
	char *real = realpath(folder, NULL);
	char *full = xasprintf("%s/%s/", real ? real : folder, path);

	free(real);
	return full;
}

/* Takes out of an absolute path "//", "." and, with the folder before it, "..". */
static void path_shorten(char *path)
{
	size_t n = 0;

	for (const char *c = path + 1; *c; c += strcspn(c, "/") + 1) {
		const size_t m = strcspn(c, "/");

		if (m == 2 && !strncmp(c, "..", 2)) {
			while (n > 0 && path[--n] != '/')
				;
		} else if (m > 0 && (m != 1 || *c != '.')) {
			path[n] = '/';
			memmove(path + n + 1, c, m);
			n += m + 1;
		}
	}
	memcpy(path + n, "/", 2);
}

/* The relative path from the page to FOLDER/PATH; the caller frees. */
static char *link_way(const struct paper *p, const char *path)
{
	char *a = real_folder(p->dir, ""), *b = real_folder(p->of->folder, path);
	char *way = xstrdup("");
	size_t same = 0;

	path_shorten(a);
	path_shorten(b);
	for (size_t i = 0; a[i] && a[i] == b[i]; i++)
		if (a[i] == '/')
			same = i + 1;
	for (const char *c = a + same; *c; c++)
		if (*c == '/')
			xappend(&way, "", "../");
	xappend(&way, "", b + same);
	if (*way)
		way[strlen(way) - 1] = '\0';
	free(a);
	free(b);
	return way;
}

/* ---- notes ---- */

/* Bytes of the path that begins here and is a link's target; 0: no link to a file begins here. */
static int link_length(const char *text)
{
	const int n = strncmp(text, "](", 2) ? 0 : (int)strcspn(text + 2, ":)\n");

	return n > 0 && text[2] != '#' && text[2 + n] == ')' ? n : 0;
}

/* A line of n bytes; its links to files go there from the page. */
static void put_notes_line(const struct paper *p, const char *paper, const char *line, int n)
{
	for (int i = 0; i < n; i++) {
		const int m = link_length(line + i);

		if (m > 0) {
			char *path = xasprintf("%s/%.*s", paper, m, line + i + 2);
			char *way = link_way(p, path);

			fprintf(p->f, "](%s", way);
			i += m + 1;
			free(way);
			free(path);
		} else {
			fputc(line[i], p->f);
		}
	}
	fputc('\n', p->f);
}

/* The lines of a text of Markdown, its heads one level lower. */
static void put_lowered(const struct paper *p, const char *paper, const char *text)
{
	bool code = false;

	while (*text) {
		const int n = (int)strcspn(text, "\n");

		if (strncmp(text, "```", 3) == 0)
			code = !code;
		if (*text == '#' && !code)
			fputc('#', p->f);
		put_notes_line(p, paper, text, n);
		text += n + (text[n] == '\n');
	}
}

/* FOLDER/PAPER/README.md, where there is one. 0, or -1 after error(). */
static int put_notes(const struct paper *p, const char *paper)
{
	char *path = xasprintf("%s/%s/README.md", p->of->folder, paper);
	char *text = NULL;
	int ret = 0;

	if (access(path, F_OK) == 0) {
		text = file_read(path, NULL);
		ret = text ? 0 : -1;
	}
	if (text) {
		fputc('\n', p->f);
		put_lowered(p, paper, text);
	}
	free(text);
	free(path);
	return ret;
}

/* ---- plots ---- */

enum { PAGE_PLOTS = 8 };        /* pictures of a result on a page; a link leads to the others */

/* Whether DIR/NAME has such a file, or one that is packed. */
static bool has_file(const char *dir, const char *name)
{
	char *path = xasprintf("%s/%s", dir, name), *packed = xasprintf("%s.gz", path);
	const bool found = access(path, F_OK) == 0 || access(packed, F_OK) == 0;

	free(path);
	free(packed);
	return found;
}

static bool has_plot(const char *dir, const char *name, const char *suffix)
{
	char *file = xasprintf("plots/%s%s", name, suffix);
	const bool found = has_file(dir, file);

	free(file);
	return found;
}

/* {name: title} of the spec's plots that are kept, or that `report --plots` draws from runs. */
static void add_spec_plots(cJSON *plots, const struct spec *s, const char *dir)
{
	const bool runs = has_file(dir, "runs.json");
	const cJSON *plot;

	cJSON_ArrayForEach(plot, json_get(s->json, "plots")) {
		const char *name = json_word(plot, "name");

		if (runs || has_plot(dir, name, ".svg") || has_plot(dir, name, ".json"))
			json_set_text(plots, name, json_word(plot, "title"));
	}
}

static void add_tuning_plots(cJSON *plots, const char *dir)
{
	char *folder = xasprintf("%s/plots", dir), **paths = dir_list(folder, "");

	for (char **path = paths; path && *path; path++) {
		char *name = *path + strlen(folder) + 1;

		if (strncmp(name, TUNING_NAME, strlen(TUNING_NAME)) == 0 &&
		    (word_ends(name, ".svg") || word_ends(name, ".json"))) {
			*strrchr(name, '.') = '\0';
			json_set_text(plots, name, "");
		}
	}
	path_list_free(paths);
	free(folder);
}

/* The title is that of the kept numbers, else of the spec, else the name. */
static int put_picture(const struct paper *p, const char *result, const cJSON *entry)
{
	const char *name = entry->string, *title = entry->valuestring;
	char *file = xasprintf("plots/%s.json", name);
	char *picture = xasprintf("%s/plots/%s.svg", result, name);
	char *way = link_way(p, picture);
	int ret = 0;
	cJSON *plot = kept_file(p->of->folder, result, file, &ret);

	if (plot)
		title = json_word(plot, "title");
	fputs("\n![", p->f);
	escape_markdown(*title ? title : name, p->f);
	fprintf(p->f, "](%s)\n", way);
	cJSON_Delete(plot);
	free(way);
	free(picture);
	free(file);
	return ret;
}

/*
 * The pictures FOLDER/RESULT/plots/NAME.svg of the spec's plots and of tuning; where there are
 * many, the first ones, and a link to the others. 0, or -1 after error().
 */
static int put_plots(const struct paper *p, const char *result, const struct spec *s)
{
	char *dir = xasprintf("%s/%s", p->of->folder, result);
	cJSON *plots = cJSON_CreateObject();
	const cJSON *plot;
	int shown = 0, ret = 0;

	add_spec_plots(plots, s, dir);
	add_tuning_plots(plots, dir);
	cJSON_ArrayForEach(plot, plots)
		if (shown < PAGE_PLOTS && has_plot(dir, plot->string, ".svg")) {
			shown++;
			ret = put_picture(p, result, plot) < 0 ? -1 : ret;
		}
	if (cJSON_GetArraySize(plots) > shown) {
		char *folder = xasprintf("%s/plots", result), *way = link_way(p, folder);

		fprintf(p->f, "\nMore plots: [%s](%s), drawn by `convoy report --plots`\n", folder,
			way);
		free(way);
		free(folder);
	}
	cJSON_Delete(plots);
	free(dir);
	return ret;
}

/* ---- a result: claims, tables, how it was made ---- */

enum { PAGE_ROWS = 120 };       /* of a table on a page; a longer one is named */

static void print_kept_table(const struct paper *p, const cJSON *table, const char *name)
{
	const int rows = cJSON_GetArraySize(json_get(table, "rows"));

	if (rows <= PAGE_ROWS) {
		fputc('\n', p->f);
		table_print_kept(table, TABLE_MARKDOWN, p->f);
		return;
	}
	put_line("### ", json_word(table, "title"), p->f);
	fprintf(p->f, "\nThis table has %d rows: `tables/%s.json` of the results.\n", rows, name);
}

static int put_table(const struct paper *p, const char *result, const char *name)
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

static int put_tables(const struct paper *p, const char *result, const struct spec *s)
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

static void put_verdict(const struct verdict *v, FILE *f)
{
	const struct claim *c = &v->of;
	const char *where = c->where ? c->where : "";

	fprintf(f, "- **%s** (%s%s", verdict_shown(v), c->kind ? c->kind : "", *where ? "; " : "");
	escape_markdown(where, f);
	fputs("): ", f);
	escape_markdown(c->says ? c->says : "", f);
	fputc('\n', f);
	put_detail("the paper's words", xstrdup(c->quote ? c->quote : ""), f);
	put_detail("measured", verdict_figures(v), f);
	put_detail("interval", verdict_interval(v), f);
	put_detail("reason", xstrdup(verdict_why(v)), f);
	put_detail("criterion", verdict_criterion(v), f);
	put_detail("warning", xstrdup(v->warning ? v->warning : ""), f);
}

/* The spec's words above are of its own settings, and perhaps not of these results. */
static int put_given(const struct paper *p, const char *result)
{
	char *folder = xasprintf("%s/%s", p->of->folder, result);
	int ret = 0;
	cJSON *file = kept_file(p->of->folder, result, "settings.json", &ret);
	cJSON *set = file ? given_read(folder) : NULL;

	if (set) {
		struct grid_point point = point_read(set);
		char *text = point_words(&point);

		put_line("The command line of these results gave settings: ", text, p->f);
		free(text);
		point_release(&point);
	}
	ret = file && !set ? -1 : ret;
	cJSON_Delete(file);
	cJSON_Delete(set);
	free(folder);
	return ret;
}

/* Where runs are kept, what they read is known, whatever the spec and its command line say. */
static int put_data(const struct paper *p, const char *result)
{
	int ret = 0;
	cJSON *runs = kept_file(p->of->folder, result, "runs.json", &ret);
	cJSON *set = cJSON_CreateObject();
	const cJSON *run;
	char *text;

	cJSON_ArrayForEach(run, runs) {
		const char *data = json_word(json_get(run, "settings"), "data");

		if (strcmp(data, "none") != 0)
			json_names_add(set, data);
	}
	text = json_names_text(set);
	put_line("Data of these runs: ", text, p->f);
	free(text);
	cJSON_Delete(set);
	cJSON_Delete(runs);
	return ret;
}

/* When and where the runs were made, so that criteria can be seen to be older. */
static int put_made(const struct paper *p, const char *result)
{
	int ret = 0;
	cJSON *made = kept_file(p->of->folder, result, "made.json", &ret);

	if (made) {
		char *text = xasprintf("%s runs of scale %s, made %s by convoy %s (commit %s) "
				       "on %s", json_word(made, "runs"),
				       json_word(made, "scale"), json_word(made, "made"),
				       json_word(made, "version"), json_word(made, "commit"),
				       json_word(made, "machine"));

		put_line("", text, p->f);
		free(text);
	}
	cJSON_Delete(made);
	return ret;
}

/* Claims, plots and tables of FOLDER/RESULT. 0, or -1 after error(). */
static int put_result(const struct paper *p, const char *result, const struct spec *s)
{
	int ret = 0;
	struct verdicts *claims =
		verdicts_read(kept_file(p->of->folder, result, "claims.json", &ret));
	char *way = link_way(p, result);

	fprintf(p->f, "\nResults: [%s](%s)\n", result, way);
	free(way);
	if (put_made(p, result) < 0 || put_given(p, result) < 0 || put_data(p, result) < 0)
		ret = -1;
	if (claims->n)
		fputc('\n', p->f);
	for (size_t i = 0; i < claims->n; i++)
		put_verdict(&claims->v[i], p->f);
	verdicts_free(claims);
	if (put_plots(p, result, s) < 0 || put_tables(p, result, s) < 0)
		ret = -1;
	return ret;
}

/* ---- the page of a paper ---- */

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

/* Bytes of the folder in an experiment's name. */
static int paper_length(const char *name)
{
	return (int)strcspn(name, "/");
}

static bool same_paper(const char *a, const char *b)
{
	const int n = paper_length(a);

	return n == paper_length(b) && strncmp(a, b, (size_t)n) == 0;
}

static void sheet_open(struct sheet *sheet)
{
	sheet->f = xmemstream(&sheet->text, &sheet->size);
}

/*
 * Closes the page and frees its text; before, when ret is 0, writes it to the file and prints the
 * path. ret, or -1 after error().
 */
static int sheet_write(struct sheet *sheet, const char *path, int ret)
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

static void put_scales(const cJSON *spec, FILE *f)
{
	struct text_grid *rows = grid_new();
	const cJSON *scale;

	grid_row(rows, "scale", "takes", "", NULL);
	cJSON_ArrayForEach(scale, json_get(spec, "scales"))
		grid_row(rows, scale->string, json_word(scale, "time"), json_word(scale, "about"),
			 NULL);
	if (rows->rows > 1) {
		fputc('\n', f);
		grid_print(rows, TABLE_MARKDOWN, f);
	}
	grid_free(rows);
}

/* Where the usual scale is not the paper's. */
static void put_differences(const struct spec *s, FILE *f)
{
	struct page_setting *settings = report_settings(s);
	struct text_grid *rows = grid_new();

	grid_row(rows, "setting", "paper", s->scale, NULL);
	for (const struct page_setting *one = settings; one && one->name; one++)
		grid_row(rows, one->name, one->paper, one->here, NULL);
	if (settings && settings->name) {
		fprintf(f, "\nThe spec's settings of scale `%s` that differ from the paper's. ",
			s->scale);
		fputs("The command of kept results can give others:\n\n", f);
		grid_print(rows, TABLE_MARKDOWN, f);
	}
	report_settings_free(settings);
	grid_free(rows);
}

/* ---- an experiment ---- */

static int put_experiment(const struct paper *p, const char *name)
{
	char **results = kept_results(p->of->folder, p->of->names, name);
	struct spec s;
	int ret = spec_load_settings(&s, name, NULL);

	if (ret == 0) {
		fprintf(p->f, "\n## %s\n", name);
		put_line("", json_word(s.json, "title"), p->f);
		put_line("Source: ", json_word(s.json, "paper"), p->f);
		put_line("Subject: ", json_word(s.json, "figure"), p->f);
		put_line("", json_word(s.json, "about"), p->f);
		fprintf(p->f, "\n```sh\nconvoy run %s\n```\n", name);
		put_scales(s.json, p->f);
		put_differences(&s, p->f);
		if (!*results)
			fputs("\nNo results are kept yet.\n", p->f);
		for (char **result = results; *result; result++)
			if (put_result(p, *result, &s) < 0)
				ret = -1;
	}
	spec_release(&s);
	path_list_free(results);
	return ret;
}

/* ---- the page of a paper ---- */

int report_md_paper(const struct pages *of, char *const *first, const char *dir)
{
	char *paper = xasprintf("%.*s", paper_length(*first), *first);
	char *path = xasprintf("%s/%s.md", dir, paper);
	struct sheet sheet;
	struct paper p = { .of = of, .dir = dir };
	char *const *name = first;
	int ret;

	sheet_open(&sheet);
	p.f = sheet.f;
	fprintf(p.f, paper_intro, paper, *first);
	ret = put_notes(&p, paper);
	for (; ret == 0 && *name && same_paper(*first, *name); name++)
		ret = put_experiment(&p, *name);
	ret = sheet_write(&sheet, path, ret);
	free(path);
	free(paper);
	return ret;
}

/* ---- the index ---- */

static const char intro[] =
	"# Experiments\n"
	"\n"
	"This page lists what `convoy run` can repeat, and how many claims of each paper\n"
	"hold. `convoy report --md results/reference --out docs` writes it, and a page for each\n"
	"paper, from the specs and the kept results.\n"
	"\n"
	"| verdict | meaning |\n"
	"|---|---|\n"
	"| `holds` | the whole 95 % interval agrees with the claim |\n"
	"| `FAILS` | the whole 95 % interval contradicts the claim |\n"
	"| `undecided` | the interval does not decide the claim, or fewer than three seeds ran |\n"
	"| `not evaluated` | the claim needs a larger [scale](glossary.md), or runs are missing |\n"
	"| `error` | the filter that computes the claim's test failed; counted as not evaluated |\n"
	"\n"
	"- The interval includes the spread of the seeds and the binomial error of the test set.\n"
	"- A claim about the simulated clock alone needs no interval.\n"
	"- If a criterion was set after its runs were made, the runs are still judged by it, and\n"
	"  convoy prints a warning.\n"
	"- An undecided claim is shown neither to be true nor to be false.\n"
	"- [Kinds of claims](specs.md#kinds-of-claims): the paper prints a `number`, says a\n"
	"  `statement` in words, or derives a `theory`. We make the claims of kind `ours`. A\n"
	"  claim of kind `construction` is true whatever is measured. The last two kinds do not\n"
	"  count as reproduction.\n"
	"- An experiment without kept results has `-` in the columns of verdicts. One with\n"
	"  results of two scales counts its claims at each.\n"
	"\n"
	"| experiment | title | of the paper | hold | fail | undecided | not evaluated |\n"
	"|---|---|---|---|---|---|---|\n";

/* A link to the section of the paper's page. */
static void put_link(const char *name, FILE *f)
{
	fprintf(f, "[%s](experiments/%.*s.md#", name, paper_length(name), name);
	for (const char *c = name; *c; c++)
		if (*c != '/' && *c != '.')
			fputc(*c, f);
	fputc(')', f);
}

static int score_of(const char *folder, char *const *results, struct claim_total *total,
		    struct claim_total *by_kind)
{
	int ret = 0;

	for (; *results; results++) {
		struct verdicts *claims =
			verdicts_read(kept_file(folder, *results, "claims.json", &ret));
		const struct claim_total all = verdicts_total(claims, NULL);

		claim_total_add(total, &all);
		for (int i = 0; claim_kinds[i]; i++) {
			const struct claim_total some = verdicts_total(claims, claim_kinds[i]);

			claim_total_add(&by_kind[i], &some);
		}
		verdicts_free(claims);
	}
	return ret;
}

static void put_cell(const char *text, FILE *f)
{
	fputs(" | ", f);
	escape_markdown(text, f);
}

static int put_row(const struct pages *of, const char *name, struct claim_total *by_kind,
			     FILE *f)
{
	char **results = kept_results(of->folder, of->names, name);
	struct claim_total score = { 0 };
	char *path = path_find("experiments", name);
	cJSON *spec = path ? json_load(path) : NULL;
	const int ret = spec ? score_of(of->folder, results, &score, by_kind) : -1;

	fputs("| ", f);
	put_link(name, f);
	put_cell(json_word(spec, "title"), f);
	put_cell(json_word(spec, "figure"), f);
	if (*results)
		fprintf(f, " | %d | %d | %d | %d |\n", score.holds, score.fails, score.undecided,
			score.open);
	else
		fputs(" | - | - | - | - |\n", f);
	cJSON_Delete(spec);
	path_list_free(results);
	free(path);
	return ret;
}

static int report_index(const struct pages *of)
{
	struct claim_total by_kind[CLAIM_KINDS] = { { 0 } };
	char *path = xasprintf("%s/experiments.md", of->out);
	struct sheet sheet;
	struct text_grid *totals;
	FILE *f;
	int ret = 0;

	sheet_open(&sheet);
	f = sheet.f;
	fputs(intro, f);
	for (char *const *name = of->names; *name; name++)
		if (put_row(of, *name, by_kind, f) < 0)
			ret = -1;
	totals = claims_total_rows(by_kind);
	fputc('\n', f);
	grid_print(totals, TABLE_MARKDOWN, f);
	grid_free(totals);
	ret = sheet_write(&sheet, path, ret);
	free(path);
	return ret;
}

int report_md(const char *folder, const char *out)
{
	char **names, *dir;
	int ret;

	if (access(folder, R_OK | X_OK) < 0)
		return error("%s: no such folder of results", folder);
	names = spec_names(NULL);
	dir = xasprintf("%s/experiments", out);
	ret = dir_make(dir);
	if (ret == 0) {
		const struct pages of = { .folder = folder, .out = out, .names = names };

		ret = report_index(&of);
		for (size_t i = 0; ret == 0 && names[i]; i++)
			if (i == 0 || !same_paper(names[i - 1], names[i]))
				ret = report_md_paper(&of, names + i, dir);
	}
	free(dir);
	path_list_free(names);
	return ret;
}
