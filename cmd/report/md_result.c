/* The kept results of an experiment on the page of Markdown of its paper. */
#include "cmd/report/md_paper.h"

#include "cmd/report/parts.h"
#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "plan/plan.h"
#include "plan/settings/given.h"
#include "report/claims/claims.h"
#include "report/text/escape.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_ROWS = 120 };       /* of a table on a page; a longer one is named */

static void print_kept_table(const struct page *p, const cJSON *table, const char *name)
{
	const int rows = cJSON_GetArraySize(json_get(table, "rows"));

	if (rows <= PAGE_ROWS) {
		fputc('\n', p->f);
		table_print_kept(table, TABLE_MARKDOWN, p->f);
		return;
	}
	report_md_put_line("### ", json_word(table, "title"), p->f);
	fprintf(p->f, "\nThis table has %d rows: `tables/%s.json` of the results.\n", rows, name);
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
static int put_given(const struct page *p, const char *result)
{
	char *folder = xasprintf("%s/%s", p->of->folder, result);
	int ret = 0;
	cJSON *file = kept_file(p->of->folder, result, "settings.json", &ret);
	cJSON *set = file ? given_read(folder) : NULL;

	if (set) {
		char *text = plan_point_text(set);

		report_md_put_line("The command line of these results gave settings: ", text, p->f);
		free(text);
	}
	ret = file && !set ? -1 : ret;
	cJSON_Delete(file);
	cJSON_Delete(set);
	free(folder);
	return ret;
}

/* Where runs are kept, what they read is known, whatever the spec and its command line say. */
static int put_data(const struct page *p, const char *result)
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
	report_md_put_line("Data of these runs: ", text, p->f);
	free(text);
	cJSON_Delete(set);
	cJSON_Delete(runs);
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

		report_md_put_line("", text, p->f);
		free(text);
	}
	cJSON_Delete(made);
	return ret;
}

int report_md_result(const struct page *p, const char *result, const struct spec *s)
{
	int ret = 0;
	struct verdicts *claims =
		verdicts_read(kept_file(p->of->folder, result, "claims.json", &ret));
	char *way = report_md_way(p, result);

	fprintf(p->f, "\nResults: [%s](%s)\n", result, way);
	free(way);
	if (put_made(p, result) < 0 || put_given(p, result) < 0 || put_data(p, result) < 0)
		ret = -1;
	if (claims->n)
		fputc('\n', p->f);
	for (size_t i = 0; i < claims->n; i++)
		put_verdict(&claims->v[i], p->f);
	verdicts_free(claims);
	if (report_md_plots(p, result, s) < 0 || put_tables(p, result, s) < 0)
		ret = -1;
	return ret;
}
