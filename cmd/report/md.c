/* Kept results as Markdown: for each paper a page of results and one of settings. */
#define _XOPEN_SOURCE 700         /* realpath() */
#include "cmd/report/parts.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/fields.h"
#include "core/file/json.h"
#include "core/file/output.h"
#include "core/file/paths.h"
#include "core/text/utf8.h"
#include "core/text/word.h"
#include "plan/plan.h"
#include "plan/settings/values.h"
#include "plan/spec/spec.h"
#include "report/claims/scales.h"
#include "report/plot/plot.h"
#include "report/text/escape.h"
#include "report/text/grid.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * A paper has two pages. DIR/PAPER.md has what its reader looks for: the question, figures, tables
 * and a line for each claim. DIR/settings/PAPER.md has the rest of each experiment.
 */
struct paper {
	const struct pages *of;
	const char *dir;        /* the page's folder */
	FILE *f;
	const char *experiment; /* whose section is written */
	bool rest;              /* the second page */
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

/*
 * The text, in which nothing is markup; of a long one the beginning, and the file of the result
 * that has the rest.
 */
static void put_text(const char *text, const char *file, FILE *f)
{
	enum { MOST = 600 };
	char *cut = xstrdup(text), *end;

	if (strlen(text) > MOST) {
		cut[utf8_whole(cut, MOST)] = '\0';
		end = strrchr(cut, ';');
		end = end ? end : strrchr(cut, ',');
		if (end)
			*end = '\0';
		xappendf(&cut, "", " ... (the rest is in %s)", file);
	}
	escape_markdown(cut, f);
	fputc('\n', f);
	free(cut);
}

/* ---- where a link goes ---- */

/* The real path of a folder, then a path from there, '/' at its end; the caller frees. */
static char *real_folder(const char *folder, const char *path)
{
	scoped char *real = realpath(folder, NULL);

	return xasprintf("%s/%s/", real ? real : folder, path);
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
	scoped char *a = real_folder(p->dir, ""), *b = real_folder(p->of->folder, path);
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
	return way;
}

/* ---- plots ---- */

enum { FIRST_PLOTS = 4, PAGE_PLOTS = 8 };       /* pictures of a result on the first, second page */

/* Whether DIR/NAME has such a file, or one that is packed. */
static bool has_file(const char *dir, const char *name)
{
	scoped char *path = xasprintf("%s/%s", dir, name), *packed = xasprintf("%s.gz", path);

	return access(path, F_OK) == 0 || access(packed, F_OK) == 0;
}

static bool has_plot(const char *dir, const char *name, const char *suffix)
{
	scoped char *file = xasprintf("plots/%s%s", name, suffix);

	return has_file(dir, file);
}

/* The spec's plots that are kept, or that `report --plots` draws from runs. */
static void plots_add_spec(struct texts *all, const struct spec *s, const char *dir)
{
	const bool runs = has_file(dir, "runs.json");
	const cJSON *plot;

	json_each(plot, s->json, "plots") {
		const char *name = json_word(plot, "name");

		if (runs || has_plot(dir, name, ".svg") || has_plot(dir, name, ".json"))
			texts_put(all, name);
	}
}

static void plots_add_tuning(struct texts *all, const char *dir)
{
	char *folder = xasprintf("%s/plots", dir), **paths = dir_list(folder, "");

	for (char **path = paths; path && *path; path++) {
		char *name = *path + strlen(folder) + 1;
		const size_t n = all->n;

		if (strncmp(name, TUNING_NAME, strlen(TUNING_NAME)) != 0 ||
		    (!word_ends(name, ".svg") && !word_ends(name, ".json")))
			continue;
		*strrchr(name, '.') = '\0';
		if (!n || strcmp(all->v[n - 1], name) != 0)        /* paths are sorted */
			texts_put(all, name);
	}
	path_list_free(paths);
	free(folder);
}

static int put_picture(const struct paper *p, const char *result, const char *name)
{
	scoped char *picture = xasprintf("%s/plots/%s.svg", result, name);
	scoped char *path = xasprintf("%s/%s", p->of->folder, picture),
		    *svg = file_read(path, NULL);
	scoped char *way = link_way(p, picture), *title = svg ? svg_title(svg) : NULL;

	fputs("\n![", p->f);
	escape_markdown(title ? title : name, p->f);
	fprintf(p->f, "](%s)\n", way);
	return svg ? 0 : -1;
}

/*
 * The pictures FOLDER/RESULT/plots/NAME.svg: the first ones of the spec's plots; on the second page
 * the others, with those of tuning, and a link to what is too many. 0, or -1 after error().
 */
static int put_plots(const struct paper *p, const char *result, const struct spec *s)
{
	scoped char *dir = xasprintf("%s/%s", p->of->folder, result);
	scoped_by(texts_release) struct texts all = { 0 };
	size_t of_spec, there = 0;
	int first = 0, shown = 0, ret = 0;

	plots_add_spec(&all, s, dir);
	of_spec = all.n;
	plots_add_tuning(&all, dir);
	for (size_t i = 0; i < all.n; i++) {
		const char *name = all.v[i];
		const bool drawn = has_plot(dir, name, ".svg");
		const bool is_first = drawn && there++ < of_spec && first < FIRST_PLOTS;

		first += is_first;
		if (!drawn || is_first == p->rest || (p->rest && shown == PAGE_PLOTS))
			continue;
		shown++;
		ret = put_picture(p, result, name) < 0 ? -1 : ret;
	}
	if (p->rest && (int)all.n > first + shown) {
		scoped char *folder = xasprintf("%s/plots", result), *way = link_way(p, folder);

		fprintf(p->f, "\nMore plots: [%s](%s), drawn by `convoy report --plots`\n", folder,
			way);
	}
	return ret;
}

/* ---- a result: claims, tables, how it was made ---- */

/* Tables of a result on the first page, and their rows; those on the second: others are named. */
enum { FIRST_TABLES = 3, FIRST_ROWS = 48, PAGE_ROWS = 120 };

void put_anchor(const char *name, FILE *f)
{
	fprintf(f, "%.*s.md#", (int)strcspn(name, "/"), name);
	for (const char *c = name; *c; c++)
		if (*c != '/' && *c != '.')
			fputc(*c, f);
}

/* Whether a cell has a number, of ours or published, or says that runs diverged. */
static bool table_has_number(const struct table *t)
{
	for (size_t i = 0; i < t->nrows; i++)
		for (size_t k = 0; k < t->nheads; k++) {
			const struct table_cell *c = &t->row[i].cell[k];

			if (!isnan(c->mean) || c->published.text || c->diverged)
				return true;
		}
	return false;
}

/*
 * The first page has a table without its notes, the second the notes, and the tables that are too
 * many or too long for the first. *first counts those there. A table without a number is left out.
 */
static int put_table(const struct paper *p, const char *result, const char *name, int *first)
{
	char *file = xasprintf("tables/%s.json", name);
	char *path = xasprintf("%s/%s/%s", p->of->folder, result, file), **notes;
	int ret = 0;
	cJSON *json = kept_file(p->of->folder, result, file, &ret);
	struct table t = { 0 };
	bool is_first, is_short;

	if (json)
		ret = table_read(&t, json, path);
	if (!table_has_number(&t))
		table_release(&t);
	is_first = *first < FIRST_TABLES && t.nrows > 0 && t.nrows <= FIRST_ROWS;
	is_short = t.nrows <= PAGE_ROWS;
	*first += is_first;
	notes = t.notes;
	if (is_first)
		t.notes = NULL;
	if (ret == 0 && t.nrows && is_first != p->rest && is_short) {
		fputc('\n', p->f);
		table_print(&t, TABLE_MARKDOWN, p->f);
	} else if (ret == 0 && !is_short && p->rest) {
		put_line("### ", t.title, p->f);
		fprintf(p->f, "\nThis table has %zu rows: `tables/%s.json` of the results.\n",
			t.nrows, name);
	}
	if (is_first && notes && !p->rest) {
		fputs("\n[Notes on this table](settings/", p->f);
		put_anchor(p->experiment, p->f);
		fputs(")\n", p->f);
	} else if (is_first && notes) {
		put_line("Notes on the table: ", t.title, p->f);
		fputc('\n', p->f);
		for (char **note = notes; *note; note++) {
			fputs("- ", p->f);
			put_text(*note, file, p->f);
		}
	}
	t.notes = notes;
	table_release(&t);
	cJSON_Delete(json);
	free_all(path, file);
	return ret;
}

/* "workers=2 lr=0.1" of an object of settings; the caller frees. */
static char *settings_words(const cJSON *object)
{
	scoped_by(point_release) struct grid_point point = point_read(object);

	return point_words(&point);
}

/* Prints the choice of tuning for each method, where its file was kept. */
static int put_choices(const struct paper *p, const char *result)
{
	struct choice {
		const cJSON *per, *chosen;
		struct texts edge;
	} c = { 0 };
	const struct field fields[] = { FIELD(TREE, struct choice, per, "per"),
					FIELD(TREE, struct choice, chosen, "chosen"),
					FIELD(TEXTS, struct choice, edge, "edge"), { 0 } };
	int ret = 0;
	scoped_json cJSON *all = kept_file(p->of->folder, result, TUNING_NAME ".json", &ret);
	scoped_grid struct text_grid *rows = grid_new();
	const cJSON *method;

	grid_row(rows, "method", "chosen by tuning", "at the edge of its grid", NULL);
	cJSON_ArrayForEach(method, all) {
		char *per, *chosen, *edges = xstrdup("");

		fields_read(method, fields, &c);
		per = settings_words(c.per);
		chosen = settings_words(c.chosen);
		for (size_t i = 0; i < c.edge.n; i++)
			xappend(&edges, ", ", c.edge.v[i]);
		grid_row(rows, per, chosen, edges, NULL);
		free_all(per, chosen, edges);
		fields_release(fields, &c);
	}
	if (all) {
		fputc('\n', p->f);
		grid_print(rows, TABLE_MARKDOWN, p->f);
	}
	return ret;
}

static int put_tables(const struct paper *p, const char *result, const struct spec *s)
{
	const cJSON *entry;
	int first = 0, ret = 0;

	json_each(entry, s->json, "tables")
		if (put_table(p, result, json_word(entry, "name"), &first) < 0)
			ret = -1;
	if (s->tune && p->rest && put_choices(p, result) < 0)
		ret = -1;
	first = FIRST_TABLES;
	return s->tune && put_table(p, result, TUNING_NAME, &first) < 0 ? -1 : ret;
}

/* A line below a claim, and frees the text. */
static void put_detail(const char *what, char *text, FILE *f)
{
	if (*text) {
		fprintf(f, "  - %s: ", what);
		put_text(text, "claims.json", f);
	}
	free(text);
}

/*
 * The claim, on the first page with figures of a few characters; on the second all about it.
 * `several`: with its scale, and verdicts of other scales.
 */
static void put_claim(const struct paper *p, const struct merged_claim *m, bool several)
{
	enum { FEW = 90 };
	const struct verdict *v = m->v;
	const struct claim *c = &v->of;
	const char *where = c->where ? c->where : "";
	scoped char *figures = verdict_figures(v);

	fprintf(p->f, "- **%s** (%s%s", verdict_shown(v), c->kind ? c->kind : "",
		*where ? "; " : "");
	escape_markdown(where, p->f);
	if (several && *m->scale) {
		fputs("; scale ", p->f);
		escape_markdown(m->scale, p->f);
	}
	fputs("): ", p->f);
	escape_markdown(c->says ? c->says : "", p->f);
	if (!p->rest && *figures && strlen(figures) <= FEW) {
		fputs(" Measured: ", p->f);
		escape_markdown(figures, p->f);
	}
	fputc('\n', p->f);
	if (p->rest) {
		put_detail("the paper's words", xstrdup(c->quote ? c->quote : ""), p->f);
		put_detail("measured", xstrdup(figures), p->f);
		put_detail("interval", verdict_interval(v), p->f);
		put_detail("reason", xstrdup(verdict_why(v)), p->f);
		put_detail("looks", verdict_looks(v), p->f);
		put_detail("criterion", verdict_criterion(v), p->f);
	}
	put_detail("other scales", xstrdup(m->others ? m->others : ""), p->f);
	if (!claim_is_constructed(c))   /* an older version gave it one */
		put_detail("warning", xstrdup(v->warning ? v->warning : ""), p->f);
}

/* The claims of all results of an experiment, each once. */
static void put_claims(const struct paper *p, const struct scale_verdicts *list, size_t n,
		       const struct spec *s)
{
	size_t count;
	struct merged_claim *claims = claims_merge(list, n, json_get(s->json, "scales"), &count);

	if (n > 1 && count)
		fputs("\nVerdicts, each of the largest scale that evaluates the claim:\n", p->f);
	if (count)
		fputc('\n', p->f);
	for (size_t i = 0; i < count; i++)
		put_claim(p, &claims[i], n > 1);
	merged_claims_free(claims, count);
}

/* The spec's words above are of its own settings, and perhaps not of these results. */
static int put_given(const struct paper *p, const char *result)
{
	scoped char *folder = xasprintf("%s/%s", p->of->folder, result), *words;
	scoped_json cJSON *set = NULL;
	const int ret = given_read(folder, &set);

	words = settings_words(set);
	put_line("The command line of these results gave settings: ", words, p->f);
	return ret;
}

/*
 * Where runs are kept, what they read is known, whatever the spec and its command line say: the
 * set's name, on the second page its options too.
 */
static int put_data(const struct paper *p, const char *result)
{
	int ret = 0;
	scoped_json cJSON *runs = kept_file(p->of->folder, result, "runs.json", &ret);
	scoped_json cJSON *set = cJSON_CreateObject();
	const cJSON *run;
	char *text;

	cJSON_ArrayForEach(run, runs) {
		const char *data = json_word(json_get(run, "settings"), "data");

		if (strcmp(data, "none") != 0)
			json_names_add(set, data);
	}
	text = json_names_text(set);
	if (p->rest)
		put_line("Data of these runs: ", text, p->f);
	else if (*text)
		fprintf(p->f, ", data %.*s", (int)strcspn(text, ":, "), text);
	free(text);
	return ret;
}

/* The scale; on the second page when and where, so that criteria can be seen to be older. */
static int put_made(const struct paper *p, const char *result)
{
	int ret = 0;
	scoped_by(kept_made_release) struct kept_made made = kept_made(p->of->folder, result, &ret);
	const char *scale = made.scale ? made.scale : "";

	if (made.there && p->rest) {
		scoped char *text =
			xasprintf("%s runs of scale %s, made %s by convoy %s (commit %s) "
				  "on %s",
				  made.runs, scale, made.made ? made.made : "", made.version,
				  made.commit, made.machine);

		put_line("", text, p->f);
	} else if (made.there) {
		fputs(", scale ", p->f);
		escape_markdown(scale, p->f);
	}
	return ret;
}

/*
 * On the first page what the scale is, where it is not the one that the words above are about; on
 * the second the command, where it is another, also by the seeds that looks have added.
 */
static int put_scale(const struct paper *p, const char *result, const struct spec *s,
		     const struct verdicts *claims)
{
	const int seeds = verdicts_most_seeds(claims);
	int ret = 0;
	scoped_by(kept_made_release) struct kept_made made = kept_made(p->of->folder, result, &ret);
	const bool other = made.scale && strcmp(made.scale, s->scale) != 0;

	if (p->rest && (other || seeds)) {
		fprintf(p->f, "\n```sh\nconvoy run %s", p->experiment);
		if (other)
			fprintf(p->f, " --scale %s", made.scale);
		if (seeds)
			fprintf(p->f, " --decide --max-seeds %d", seeds);
		fputs("\n```\n", p->f);
	} else if (other) {
		const cJSON *scale = json_get(json_get(s->json, "scales"), made.scale);

		put_line("This scale: ", json_word(scale, "about"), p->f);
	}
	return ret;
}

/* What the page has of FOLDER/RESULT, but the claims. 0, or -1 after error(). */
static int put_result(const struct paper *p, const char *result, const struct spec *s,
		      const struct verdicts *claims)
{
	int ret = 0;
	char *way = link_way(p, result);

	fprintf(p->f, "\nResults: [%s](%s)", result, way);
	free(way);
	if (p->rest)
		fputc('\n', p->f);
	if (put_made(p, result) < 0 || put_data(p, result) < 0)
		ret = -1;
	if (!p->rest) {
		fputc('\n', p->f);
		ret = put_given(p, result) < 0 ? -1 : ret;
	}
	if (put_scale(p, result, s, claims) < 0 || put_plots(p, result, s) < 0 ||
	    put_tables(p, result, s) < 0)
		ret = -1;
	return ret;
}

/* What the page has of an experiment's results. 0, or -1 after error(). */
static int put_results(const struct paper *p, char *const *results, const struct spec *s)
{
	scoped struct scale_verdicts *list = NULL;
	size_t n = 0;
	int ret = 0;

	for (; *results; results++) {
		list = xrealloc(list, n + 1, sizeof(*list));
		if (kept_verdicts(p->of->folder, s->json, p->experiment, *results, &list[n]) < 0)
			ret = -1;
		ret = put_result(p, *results, s, list[n++].all) < 0 ? -1 : ret;
	}
	put_claims(p, list, n, s);
	scale_verdicts_release(list, n);
	return ret;
}

/* ---- the page of a paper ---- */

static const char first_intro[] =
	"# Experiments: %s\n"
	"\n"
	"Results of each experiment: figures, tables, and a verdict on each claim. `convoy run %s` "
	"runs the first.\n"
	"If the paper has a number for a cell of a table, this number and our difference from it "
	"are in brackets.\n"
	"\n"
	"- [Settings](settings/%s.md): scales, settings, machines, and the intervals, reasons and "
	"criteria of the verdicts.\n"
	"- [Experiments](../experiments.md) explains the verdicts.\n";

static const char rest_intro[] =
	"# Settings of the experiments: %s\n"
	"\n"
	"This page has what the [results](../%s.md) leave out: scales and settings, when and where "
	"runs were made, further plots and tables, notes, and the intervals, reasons and criteria "
	"of the verdicts. `convoy run %s` runs the first experiment.\n";

/* Bytes of the folder in an experiment's name. */
static int paper_length(const char *name)
{
	return (int)strcspn(name, "/");
}

/* A link to FOLDER/PAPER/README.md, where there is one. */
static void put_notes(const struct paper *p, const char *paper)
{
	scoped char *path = xasprintf("%s/README.md", paper), *way = link_way(p, path);
	scoped char *full = xasprintf("%s/%s", p->of->folder, path);

	if (access(full, F_OK) == 0)
		fprintf(p->f, "- [Notes](%s) on these results.\n", way);
}

static bool same_paper(const char *a, const char *b)
{
	const int n = paper_length(a);

	return n == paper_length(b) && strncmp(a, b, (size_t)n) == 0;
}

void sheet_open(struct sheet *sheet)
{
	sheet->f = xmemstream(&sheet->text, &sheet->size);
}

int sheet_write(struct sheet *sheet, const char *path, int ret)
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
	scoped_grid struct text_grid *rows = grid_new();
	const cJSON *scale;

	grid_row(rows, "scale", "takes", "", NULL);
	json_each(scale, spec, "scales")
		grid_row(rows, scale->string, json_word(scale, "time"), json_word(scale, "about"),
			 NULL);
	if (rows->rows > 1) {
		fputc('\n', f);
		grid_print(rows, TABLE_MARKDOWN, f);
	}
}

/* Where the usual scale is not the paper's; `published`: there is a paper, not only that scale. */
static void put_differences(const struct spec *s, bool published, FILE *f)
{
	struct page_setting *settings = report_settings(s);
	scoped_grid struct text_grid *rows = grid_new();

	grid_row(rows, "setting", "paper", s->scale, NULL);
	for (const struct page_setting *one = settings; one && one->name; one++)
		grid_row(rows, one->name, one->paper, one->here, NULL);
	if (settings && settings->name) {
		fprintf(f, "\nThe spec's settings of scale `%s` that differ from %s. ", s->scale,
			published ? "the paper's" : "those of scale `paper`");
		fputs("The command of kept results can give others:\n\n", f);
		grid_print(rows, TABLE_MARKDOWN, f);
	}
	report_settings_free(settings);
}

/* ---- an experiment ---- */

/* Bytes of the first two sentences of a text; of more, where they are short. */
static int sentences_length(const char *text)
{
	enum { LEAST = 80 };
	int n = 0;

	for (const char *c = text; *c; c++)
		if (strchr(".?!", *c) && c[1] == ' ' && isupper((unsigned char)c[2]) && ++n >= 2 &&
		    c - text >= LEAST)
			return (int)(c - text) + 1;
	return (int)strlen(text);
}

/* The title, the paper's figure, and the question in two sentences. */
static void put_question(const struct paper *p, const struct spec *s, bool published)
{
	scoped char *start = xasprintf("%.*s", sentences_length(s->about), s->about);
	struct page_setting *settings = report_settings(s);

	fputs("\n**", p->f);
	escape_markdown(s->title, p->f);
	fputs(*s->figure ? "**, " : "**", p->f);
	escape_markdown(s->figure, p->f);
	fputc('\n', p->f);
	put_line("", start, p->f);
	fputs(*s->about ? "" : "\n", p->f);
	if (settings && settings->name && published)
		fprintf(p->f, "Its usual scale, `%s`, changes settings of the paper. ", s->scale);
	fputs("[Settings, intervals and notes](settings/", p->f);
	put_anchor(p->experiment, p->f);
	fputs(").\n", p->f);
	report_settings_free(settings);
}

static int put_experiment(const struct paper *p)
{
	scoped_paths char **results = kept_results(p->of->folder, p->of->names, p->experiment);
	scoped_by(spec_release) struct spec s;
	int ret = spec_load_settings(&s, p->experiment, NULL);

	if (ret == 0) {
		fprintf(p->f, "\n## %s\n", p->experiment);
		if (p->rest) {
			put_line("Source: ", s.paper, p->f);
			put_line("", s.about, p->f);
			fprintf(p->f, "\n```sh\nconvoy run %s\n```\n", p->experiment);
			put_scales(s.json, p->f);
			put_differences(&s, *s.paper, p->f);
		} else {
			put_question(p, &s, *s.paper);
		}
		if (!*results)
			fputs("\nNo results are kept yet.\n", p->f);
		ret = put_results(p, results, &s);
	}
	return ret;
}

/* ---- the pages of a paper ---- */

static int paper_write(struct paper *p, char *const *first, const char *paper)
{
	scoped char *path = xasprintf("%s/%s.md", p->dir, paper);
	struct sheet sheet;
	int ret = dir_make(p->dir);

	sheet_open(&sheet);
	p->f = sheet.f;
	if (p->rest) {
		fprintf(p->f, rest_intro, paper, paper, *first);
	} else {
		fprintf(p->f, first_intro, paper, *first, paper);
		put_notes(p, paper);
	}
	for (char *const *name = first; ret == 0 && *name && same_paper(*first, *name); name++) {
		p->experiment = *name;
		ret = put_experiment(p);
	}
	return sheet_write(&sheet, path, ret);
}

int report_md_paper(const struct pages *of, char *const *first, const char *dir)
{
	scoped char *paper = xasprintf("%.*s", paper_length(*first), *first);
	scoped char *settings = xasprintf("%s/settings", dir);
	struct paper front = { .of = of, .dir = dir };
	struct paper rest = { .of = of, .dir = settings, .rest = true };
	int ret = paper_write(&front, first, paper);

	if (ret == 0)
		ret = paper_write(&rest, first, paper);
	return ret;
}

/* ---- all pages ---- */

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
