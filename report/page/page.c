/* Writes an experiment's HTML page: pictures, settings, facts, claims and plots. */
#include "report/page/page.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/output.h"
#include "report/page/html.h"
#include "report/page/parts.h"
#include "report/table/table.h"

#include <stdlib.h>
#include <string.h>

static void page_begin(FILE *out, const char *title)
{
	fputs("<!DOCTYPE html>\n", out);
	html_open(out, "html", "lang", "en", NULL);
	html_open(out, "head", NULL);
	html_void(out, "meta", "charset", "utf-8", NULL);
	html_void(out, "meta", "name", "viewport", "content",
		  "width=device-width, initial-scale=1", NULL);
	html_void(out, "meta", "http-equiv", "Content-Security-Policy", "content",
		  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
		  "form-action 'none'", NULL);
	html_void(out, "link", "rel", "icon", "href", "data:,", NULL);
	html_leaf(out, "title", NULL, title);
	fprintf(out, "<style>\n%s</style>\n", html_style);
	html_close(out, "head");
	html_open(out, "body", NULL);
	html_open(out, "main", NULL);
}

static void page_end(FILE *out)
{
	html_close(out, "main");
	html_close(out, "body");
	html_close(out, "html");
}

char *page_title(const cJSON *spec, const char *name, const char *changes)
{
	return changes ? xasprintf("%s with %s", name, changes) :
			 xstrdup(json_word(spec, "title"));
}

static void put_about(const char *before, const char *text, FILE *out)
{
	char *line = xasprintf("%s%s", before, text);

	if (*text)
		html_leaf(out, "p", NULL, line);
	free(line);
}

/* What the spec says in words, of the spec's own settings alone. */
static void put_words(const struct page *p, FILE *out)
{
	const cJSON *scale = json_get(json_get(p->spec, "scales"), p->scale);
	char *before = xasprintf("Scale %s: ", p->scale);

	if (p->changes) {
		html_leaf(out, "p", "dim", "The spec describes runs with its own settings:");
		html_open(out, "blockquote", NULL);
		put_about("", json_word(p->spec, "title"), out);
	}
	put_about("", json_word(p->spec, "about"), out);
	put_about(before, json_word(scale, "about"), out);
	if (p->changes)
		html_close(out, "blockquote");
	free(before);
}

/* In what the runs are not the spec's; "" or NULL: in nothing. */
static void put_changes(const char *changes, const char *class, FILE *out)
{
	if (changes && *changes) {
		char *text = xasprintf("Settings differ from the spec: %s", changes);

		html_leaf(out, "p", class, text);
		free(text);
	}
}

static void put_title(const struct page *p, const char *title, FILE *out)
{
	char *where = xasprintf("%s, scale %s", p->name, p->scale);

	html_open(out, "header", NULL);
	html_leaf(out, "p", "dim", where);
	html_leaf(out, "h1", NULL, title);
	if (*json_word(p->spec, "paper"))
		html_leaf(out, "p", "dim", json_word(p->spec, "paper"));
	put_changes(p->changes, "warn", out);
	if (p->warning)
		html_leaf(out, "p", "warn", p->warning);
	put_words(p, out);
	html_close(out, "header");
	free(where);
}

/* ---- pictures ---- */

/* 0, or 1 for a picture that is missing. */
static int put_picture(const cJSON *picture, const char *prefix, FILE *out)
{
	const char *svg = json_word(picture, "svg");
	int missing;

	html_open(out, "figure", NULL);
	html_open(out, "div", "class", "picture", NULL);
	missing = !*svg || html_svg(out, svg, prefix, json_word(picture, "title")) < 0;
	if (missing) {
		char *note = xasprintf("%s: this picture could not be %s.",
				       json_word(picture, "title"), *svg ? "read" : "drawn");

		html_leaf(out, "p", "warn", note);
		free(note);
	}
	html_close(out, "div");
	html_leaf(out, "figcaption", NULL, json_word(picture, "caption"));
	html_close(out, "figure");
	return missing;
}

/* How many of them are missing. */
static int put_pictures(const char *head, const char *about, const cJSON *pictures, char letter,
			FILE *out)
{
	const cJSON *picture;
	int i = 0, missing = 0;

	if (!cJSON_GetArraySize(pictures))
		return 0;
	html_leaf(out, "h2", NULL, head);
	if (*about)
		html_leaf(out, "p", "dim", about);
	cJSON_ArrayForEach(picture, pictures) {
		char prefix[32];

		snprintf(prefix, sizeof(prefix), "%c%d-", letter, ++i);
		missing += put_picture(picture, prefix, out);
	}
	return missing;
}

/* ---- set-up and provenance ---- */

static void put_setting(const cJSON *entry, FILE *out)
{
	html_open(out, "tr", NULL);
	html_leaf(out, "th", NULL, json_word(entry, "setting"));
	html_leaf(out, "td", NULL, json_word(entry, "paper"));
	html_leaf(out, "td", NULL, json_word(entry, "here"));
	html_close(out, "tr");
}

static void put_settings(const cJSON *settings, FILE *out)
{
	const cJSON *entry;

	html_leaf(out, "h2", NULL, "Settings that differ from the paper's");
	if (!settings || !settings->child) {
		html_leaf(out, "p", NULL, settings ? "None: this is the scale of the paper." :
						     "The experiment has no scale of the paper.");
		return;
	}
	html_open(out, "div", "class", "wide", NULL);
	html_open(out, "table", NULL);
	fputs("<thead><tr><th>setting</th><th>paper</th><th>here</th></tr></thead>\n<tbody>\n",
	      out);
	cJSON_ArrayForEach(entry, settings)
		put_setting(entry, out);
	fputs("</tbody></table></div>\n", out);
}

static void put_facts(const cJSON *facts, FILE *out)
{
	const cJSON *fact;

	html_leaf(out, "h2", NULL, "Provenance");
	html_open(out, "dl", NULL);
	cJSON_ArrayForEach(fact, facts) {
		html_leaf(out, "dt", NULL, fact->string);
		html_leaf(out, "dd", NULL, fact->valuestring);
	}
	html_close(out, "dl");
}

/* It may follow a paper, but what it claims is its own. */
static bool is_for_teaching(const struct page *p)
{
	static const char teaching[] = "For teaching";

	return !strncmp(json_word(p->spec, "paper"), teaching, strlen(teaching));
}

static bool is_of_paper(const struct page *p)
{
	return *json_word(p->spec, "paper") && !is_for_teaching(p);
}

static const char *claims_head(const struct page *p)
{
	if (is_for_teaching(p))
		return "What it teaches, and whether it held here";
	return is_of_paper(p) ? "What the paper says, and whether it held here" : "Claims";
}

/* Whether some plot has published points. */
static bool shows_published(const cJSON *spec)
{
	const cJSON *plot;

	cJSON_ArrayForEach(plot, json_get(spec, "plots"))
		if (cJSON_IsTrue(json_get(plot, "published")))
			return cJSON_GetArraySize(json_get(json_get(spec, "published"), "cells"));
	return false;
}

/* What the plots' signs mean; "" where they have none. */
static const char *plots_words(const struct page *p)
{
	if (p->means && shows_published(p->spec))
		return "Means over seeds, with one deviation; hollow points are published.";
	if (p->means)
		return "Means over seeds, with one deviation.";
	return shows_published(p->spec) ? "Hollow points are published." : "";
}

static int put_plots(const struct page *p, FILE *out)
{
	return put_pictures("Plots", plots_words(p), p->plots, 'p', out);
}

/* How many pictures are missing. */
static int put_page(const struct page *p, FILE *out)
{
	char *title = page_title(p->spec, p->name, p->changes);
	int missing;

	page_begin(out, title);
	put_title(p, title, out);
	free(title);
	if (p->claims->n) {
		html_leaf(out, "h2", NULL, claims_head(p));
		page_claims(p->claims, out);
	}
	if (p->tables->n) {
		html_leaf(out, "h2", NULL, "Tables");
		page_tables(p->tables, out);
	}
	missing = put_plots(p, out);
	missing += put_pictures("Timelines", "What each node does with its time, over the first "
				"gradients, simulated again with the same clocks.", p->timelines,
				't', out);
	if (is_of_paper(p))
		put_settings(p->settings, out);
	put_facts(p->facts, out);
	html_leaf(out, "h2", NULL, "Run it again");
	html_leaf(out, "pre", NULL, p->command);
	page_end(out);
	return missing;
}

static FILE *page_open(char **text, size_t *n)
{
	FILE *out = xmemstream(text, n);

	return out;
}

static int page_close(FILE *out, char **text, const size_t *n, const char *path)
{
	const int ret = fclose(out) ? error("out of memory") : output_write(path, *text, *n);

	free(*text);
	return ret;
}

int page_write(const struct page *p, const char *path)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = page_open(&text, &n);
	const int missing = put_page(p, out);

	return page_close(out, &text, &n, path) < 0 ? -1 : missing;
}

/* ---- the index ---- */

static void put_entry(const cJSON *entry, FILE *out)
{
	const struct claim_total score = { table_count(entry, "holds"),
					   table_count(entry, "fails"),
					   table_count(entry, "undecided"),
					   table_count(entry, "open") };
	char *where = xasprintf("%s, scale %s", json_word(entry, "name"),
				json_word(entry, "scale"));

	html_open(out, "li", "class", score.fails ? "fails" : score.holds ? "holds" : "open", NULL);
	html_open(out, "a", "href", json_word(entry, "page"), NULL);
	html_leaf(out, "span", NULL, json_word(entry, "title"));
	html_close(out, "a");
	html_leaf(out, "p", "dim", where);
	html_leaf(out, "p", "dim", json_word(entry, "paper"));
	put_changes(json_word(entry, "changes"), "changed", out);
	page_put_score(&score, out);
	html_close(out, "li");
	free(where);
}

int page_write_index(const cJSON *entries, const char *path)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = page_open(&text, &n);
	const cJSON *entry;

	page_begin(out, "Experiments");
	html_leaf(out, "h1", NULL, "Experiments");
	html_open(out, "ul", "class", "verdicts", NULL);
	cJSON_ArrayForEach(entry, entries)
		put_entry(entry, out);
	html_close(out, "ul");
	page_end(out);
	return page_close(out, &text, &n, path);
}
