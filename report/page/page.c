/* An experiment as one page of HTML: claims, tables, pictures, settings, facts; and the index. */
#include "report/page/page.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/output.h"
#include "core/text/word.h"
#include "report/page/html.h"
#include "report/table/table.h"

#include <stdlib.h>
#include <string.h>

/* ---- claims ---- */

/* An element with the text, which it frees; none for "". */
static void put_text(const char *name, const char *class, char *text, FILE *out)
{
	if (*text)
		html_leaf(out, name, class, text);
	free(text);
}

/* ", 1 error", or ""; the caller frees. */
static char *errors_text(const struct claim_total *s)
{
	return s->errors ? xasprintf(", %d error%s", s->errors, word_plural(s->errors)) :
			   xstrdup("");
}

/* "3 hold, 1 fails, 2 undecided, 2 not evaluated" */
static void put_score(const struct claim_total *s, FILE *out)
{
	scoped char *errors = errors_text(s);

	put_text("p", "score", xasprintf("%d hold%s, %d fail%s, %d undecided, %d not evaluated%s",
					 s->holds, s->holds == 1 ? "s" : "", s->fails,
					 s->fails == 1 ? "s" : "", s->undecided, s->open, errors),
		 out);
}

/* The same by kind, a line each. */
static void put_totals(const struct verdicts *all, FILE *out)
{
	for (int i = 0; claim_kinds[i]; i++) {
		const struct claim_total t = verdicts_total(all, claim_kinds[i]);

		char *errors = errors_text(&t);

		if (claim_total_sum(&t))
			put_text("p", "dim", xasprintf("%s: %d hold, %d fail, %d undecided, %d not "
						       "evaluated%s", claim_kinds[i], t.holds,
						       t.fails, t.undecided, t.open, errors), out);
		free(errors);
	}
}

static void put_code(char *text, FILE *out)
{
	if (*text) {
		html_open(out, "p", NULL);
		html_leaf(out, "code", NULL, text);
		html_close(out, "p");
	}
	free(text);
}

static void put_verdict(const struct verdict *v, FILE *out)
{
	const char *shown = verdict_shown(v);
	const char *where = v->of.where ? v->of.where : "", *kind = v->of.kind ? v->of.kind : "";

	html_open(out, "li", "class", !strcmp(shown, "FAILS") ? "fails" :
		  !strcmp(shown, "holds") ? shown : "open", NULL);
	html_leaf(out, "b", NULL, shown);
	html_leaf(out, "span", NULL, v->of.says ? v->of.says : "");
	put_text("cite", NULL, xasprintf("%s%s%s", kind, *kind && *where ? "; " : "", where), out);
	if (v->of.quote && *v->of.quote)
		html_leaf(out, "q", NULL, v->of.quote);
	put_code(verdict_figures(v), out);
	put_code(verdict_interval(v), out);
	put_text("p", "dim", xstrdup(v->yours ? "your settings" : ""), out);
	put_text("p", "dim", xstrdup(verdict_why(v)), out);
	put_text("p", "dim", xstrdup(v->warning ? v->warning : ""), out);
	put_text("p", "dim", verdict_looks(v), out);
	put_text("p", "dim", verdict_criterion(v), out);
	html_close(out, "li");
}

/* Every claim with its verdict in words, its figures, and why there is none. */
static void page_claims(const struct verdicts *all, FILE *out)
{
	const struct claim_total s = verdicts_total(all, NULL);

	put_score(&s, out);
	put_totals(all, out);
	html_open(out, "ul", "class", "verdicts", NULL);
	for (size_t i = 0; i < all->n; i++)
		put_verdict(&all->v[i], out);
	html_close(out, "ul");
}

/* ---- tables ---- */

/* "(paper 1.22, +0.1 %)" without its brackets. The caller frees. */
static char *tables_bare(const char *published)
{
	const size_t n = strlen(published);

	return xasprintf("%.*s", n > 2 ? (int)n - 2 : 0, n > 2 ? published + 1 : "");
}

static void tables_put_cell(const struct table_cell *cell, FILE *out)
{
	scoped_by(cell_text_release) struct cell_text w = cell_text_of(cell);
	char *number = xasprintf("%s%s%s", w.number, *w.spread ? " " : "", w.spread);
	char *published = tables_bare(w.published);

	html_open(out, "td", "class", "number", NULL);
	html_leaf(out, "span", NULL, number);
	if (*published)
		html_leaf(out, "small", NULL, published);
	html_close(out, "td");
	free_all(number, published);
}

static void put_heads(const struct block *b, FILE *out)
{
	html_open(out, "thead", NULL);
	html_open(out, "tr", NULL);
	html_leaf(out, "th", NULL, b->table->corner);
	for (size_t k = 0; k < b->table->nheads; k++)
		if (block_shows(b, k))
			html_leaf(out, "th", "number", block_words(b, k));
	html_close(out, "tr");
	html_close(out, "thead");
}

static void tables_put_row(const struct block *b, const struct table_row *row, FILE *out)
{
	html_open(out, "tr", NULL);
	html_leaf(out, "th", NULL, row->label);
	for (size_t k = 0; k < b->table->nheads; k++)
		if (block_shows(b, k))
			tables_put_cell(&row->cell[k], out);
	html_close(out, "tr");
}

static void put_block(const struct block *b, FILE *out)
{
	if (*b->label)
		html_leaf(out, "h4", NULL, b->label);
	html_open(out, "div", "class", "wide", NULL);
	html_open(out, "table", NULL);
	put_heads(b, out);
	html_open(out, "tbody", NULL);
	for (size_t i = 0; i < b->table->nrows; i++)
		tables_put_row(b, &b->table->row[i], out);
	html_close(out, "tbody");
	html_close(out, "table");
	html_close(out, "div");
}

static void tables_put_notes(const struct table *t, FILE *out)
{
	const char *source = t->source ? t->source : "";
	char *line = xasprintf("%s: %s", table_printed_as(t->calculated), source);

	if (!*source && !t->notes) {
		free(line);
		return;
	}
	html_open(out, "ul", "class", "notes", NULL);
	if (*source)
		html_leaf(out, "li", NULL, line);
	for (char **note = t->notes; note && *note; note++)
		html_leaf(out, "li", NULL, *note);
	html_close(out, "ul");
	free(line);
}

/* Built tables: ours, below each number the published one and the difference. */
static void page_tables(const struct tables *tables, FILE *out)
{
	struct block b;

	for (size_t i = 0; i < tables->n; i++) {
		const struct table *t = &tables->v[i];

		if (!t->nrows)
			continue;
		html_leaf(out, "h3", NULL, *t->title ? t->title : t->name);
		for (size_t k = 0; table_block(t, k, &b); k++)
			put_block(&b, out);
		tables_put_notes(t, out);
	}
}

/* ---- the page ---- */

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
	scoped char *line = xasprintf("%s%s", before, text);

	if (*text)
		html_leaf(out, "p", NULL, line);
}

/* Puts the spec's words, which are about the spec's own settings alone. */
static void put_words(const struct page *p, FILE *out)
{
	const cJSON *scale = json_get(json_get(p->spec, "scales"), p->scale);
	scoped char *before = xasprintf("Scale %s: ", p->scale);

	if (p->changes) {
		html_leaf(out, "p", "dim", "The spec describes runs with its own settings:");
		html_open(out, "blockquote", NULL);
		put_about("", json_word(p->spec, "title"), out);
	}
	put_about("", json_word(p->spec, "about"), out);
	put_about(before, json_word(scale, "about"), out);
	if (p->changes)
		html_close(out, "blockquote");
}

/* In what the runs are not the spec's; "" or NULL: in nothing. */
static void put_changes(const char *changes, const char *class, FILE *out)
{
	if (changes && *changes) {
		put_text("p", class, xasprintf("Settings differ from the spec: %s", changes), out);
	}
}

static void put_title(const struct page *p, const char *title, FILE *out)
{
	scoped char *where = xasprintf("%s, scale %s", p->name, p->scale);
	const char *paper = json_word(p->spec, "paper");

	html_open(out, "header", NULL);
	html_leaf(out, "p", "dim", where);
	html_leaf(out, "h1", NULL, title);
	if (*paper)
		html_leaf(out, "p", "dim", paper);
	put_changes(p->changes, "warn", out);
	if (p->warning)
		html_leaf(out, "p", "warn", p->warning);
	put_words(p, out);
	html_close(out, "header");
}

/* ---- pictures ---- */

void pictures_add(struct pictures *all, char *title, char *caption, char *svg)
{
	APPEND(all->v, all->n) = (struct picture){ title, caption, svg };
}

void pictures_release(struct pictures *all)
{
	for (size_t i = 0; i < all->n; i++)
		free_all(all->v[i].title, all->v[i].caption, all->v[i].svg);
	free(all->v);
}

/* 0, or 1 for a picture that is missing. */
static int put_picture(const struct picture *p, const char *prefix, FILE *out)
{
	int missing;

	html_open(out, "figure", NULL);
	html_open(out, "div", "class", "picture", NULL);
	missing = !p->svg || html_svg(out, p->svg, prefix, p->title) < 0;
	if (missing)
		put_text("p", "warn", xasprintf("%s: this picture could not be %s.", p->title,
						p->svg ? "read" : "drawn"), out);
	html_close(out, "div");
	html_leaf(out, "figcaption", NULL, p->caption);
	html_close(out, "figure");
	return missing;
}

/* How many of them are missing. */
static int put_pictures(const char *head, const char *about, const struct pictures *all,
			char letter, FILE *out)
{
	int missing = 0;

	if (!all->n)
		return 0;
	html_leaf(out, "h2", NULL, head);
	if (*about)
		html_leaf(out, "p", "dim", about);
	for (size_t i = 0; i < all->n; i++) {
		char prefix[32];

		snprintf(prefix, sizeof(prefix), "%c%zu-", letter, i + 1);
		missing += put_picture(&all->v[i], prefix, out);
	}
	return missing;
}

/* ---- set-up and provenance ---- */

static void put_settings(const struct page_setting *all, FILE *out)
{
	html_leaf(out, "h2", NULL, "Settings that differ from the paper's");
	if (!all || !all->name) {
		html_leaf(out, "p", NULL, all ? "None: this is the scale of the paper." :
						"The experiment has no scale of the paper.");
		return;
	}
	html_open(out, "div", "class", "wide", NULL);
	html_open(out, "table", NULL);
	fputs("<thead><tr><th>setting</th><th>paper</th><th>here</th></tr></thead>\n<tbody>\n",
	      out);
	for (; all->name; all++) {
		html_open(out, "tr", NULL);
		html_leaf(out, "th", NULL, all->name);
		html_leaf(out, "td", NULL, all->paper);
		html_leaf(out, "td", NULL, all->here);
		html_close(out, "tr");
	}
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

/* The experiment may follow a paper, but its claims are its own. */
static bool is_for_teaching(const struct page *p)
{
	const char *paper = json_word(p->spec, "paper");

	return strstr(paper, "For teaching") == paper || strstr(paper, "for teaching");
}

static bool is_of_paper(const struct page *p)
{
	return *json_word(p->spec, "paper") && !is_for_teaching(p);
}

static const char *claims_head(const struct page *p)
{
	if (is_for_teaching(p))
		return "What it teaches, and whether it held here";
	if (p->changes)
		return "Claims, at your settings";
	return is_of_paper(p) ? "Claims of the paper and of ours, and whether they held here" :
				"Claims";
}

/* Whether some plot has published points. */
static bool shows_published(const cJSON *spec)
{
	const cJSON *plot;

	json_each(plot, spec, "plots")
		if (json_is_true(plot, "published"))
			return cJSON_GetArraySize(json_get(json_get(spec, "published"), "cells"));
	return false;
}

/* Meaning of the plots' signs; "" where they have none. */
static const char *plots_words(const struct page *p)
{
	static const char *const words[][2] = {
		{ "", "Means over seeds, with one deviation." },
		{ "Hollow points are published.",
		  "Means over seeds, with one deviation; hollow points are published." },
		{ "Hollow points are calculated.",
		  "Means over seeds, with one deviation; hollow points are calculated." },
	};
	const bool calculated = json_is_true(json_get(p->spec, "published"), "calculated");

	return words[shows_published(p->spec) ? 1 + calculated : 0][p->means];
}

/* How many pictures are missing. */
static int put_page(const struct page *p, FILE *out)
{
	char *title = page_title(p->spec, p->name, p->changes);
	int missing = 0;

	page_begin(out, title);
	put_title(p, title, out);
	free(title);
	if (p->claims->n) {
		html_leaf(out, "h2", NULL, claims_head(p));
		page_claims(p->claims, out);
		for (size_t i = 0; i < p->forest->n; i++)
			missing += put_picture(&p->forest->v[i], "f-", out);
	}
	if (p->tables->n) {
		html_leaf(out, "h2", NULL, "Tables");
		page_tables(p->tables, out);
	}
	missing += put_pictures("Plots", plots_words(p), p->plots, 'p', out);
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

/* Closes the page, writes it and frees its text. 0 or error(). */
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
	FILE *out = xmemstream(&text, &n);
	const int missing = put_page(p, out);

	return page_close(out, &text, &n, path) < 0 ? -1 : missing;
}

/* ---- the index ---- */

void page_index_add(struct page_index *all, const struct page_entry *e)
{
	APPEND(all->v, all->n) = *e;
}

void page_index_release(struct page_index *all)
{
	for (size_t i = 0; i < all->n; i++) {
		struct page_entry *e = &all->v[i];

		free_all(e->title, e->paper, e->name, e->scale, e->page, e->changes);
	}
	free(all->v);
}

static void put_entry(const struct page_entry *e, FILE *out)
{
	html_open(out, "li", "class", e->score.fails ? "fails" : e->score.holds ? "holds" : "open",
		  NULL);
	html_open(out, "a", "href", e->page, NULL);
	html_leaf(out, "span", NULL, e->title);
	html_close(out, "a");
	put_text("p", "dim", xasprintf("%s, scale %s", e->name, e->scale), out);
	html_leaf(out, "p", "dim", e->paper);
	put_changes(e->changes, "changed", out);
	put_score(&e->score, out);
	html_close(out, "li");
}

int page_write_index(const struct page_index *all, const char *path)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = xmemstream(&text, &n);

	page_begin(out, "Experiments");
	html_leaf(out, "h1", NULL, "Experiments");
	html_open(out, "ul", "class", "verdicts", NULL);
	for (size_t i = 0; i < all->n; i++)
		put_entry(&all->v[i], out);
	html_close(out, "ul");
	page_end(out);
	return page_close(out, &text, &n, path);
}
