/* The page of an answer: made for A4 paper, without scripts or other files. */
#include "report/page/answer.h"

#include "core/file/output.h"
#include "report/page/html.h"

#include <stdlib.h>

static void put_heading(FILE *out, const char *text)
{
	html_leaf(out, "h2", NULL, text);
}

static void put_table(const struct text_grid *g, FILE *out)
{
	html_open(out, "div", "class", "wide", NULL);
	html_open(out, "table", NULL);
	for (size_t r = 0; r < g->rows; r++) {
		if (r < 2)
			html_open(out, r ? "tbody" : "thead", NULL);
		html_open(out, "tr", NULL);
		for (size_t c = 0; c < g->columns; c++)
			html_leaf(out, r ? "td" : "th", c ? "number" : NULL,
				  g->cell[r * g->columns + c]);
		html_close(out, "tr");
		if (r == 0)
			html_close(out, "thead");
	}
	if (g->rows > 1)
		html_close(out, "tbody");
	html_close(out, "table");
	html_close(out, "div");
}

static void put_list(const struct texts *list, const char *class, FILE *out)
{
	if (!list->n)
		return;
	if (class)
		html_open(out, "ul", "class", class, NULL);
	else
		html_open(out, "ul", NULL);
	for (size_t i = 0; i < list->n; i++)
		html_leaf(out, "li", NULL, list->v[i]);
	html_close(out, "ul");
}

static void put_pictures(const struct answer_page *p, FILE *out)
{
	if (!p->ncharts && !p->ngantts)
		return;
	html_open(out, "div", "class", "pair", NULL);
	for (size_t i = 0; i < p->ncharts; i++) {
		html_open(out, "figure", NULL);
		chart_put(&p->chart[i], out);
		html_leaf(out, "figcaption", NULL, p->chart[i].title);
		html_close(out, "figure");
	}
	for (size_t i = 0; i < p->ngantts; i++) {
		html_open(out, "figure", NULL);
		gantt_put(&p->gantt[i], out);
		html_leaf(out, "figcaption", NULL, p->gantt[i].title);
		html_close(out, "figure");
	}
	html_close(out, "div");
}

static void put_facts(const struct answer_page *p, FILE *out)
{
	html_open(out, "dl", "class", "facts", NULL);
	for (size_t i = 0; i < p->nfacts; i++) {
		const struct answer_fact *f = &p->fact[i];

		html_open(out, "div", NULL);
		html_leaf(out, "dt", NULL, f->name);
		html_open(out, "dd", NULL);
		html_leaf(out, "code", NULL, f->value);
		if (f->source)
			html_leaf(out, "small", NULL, f->source);
		html_close(out, "dd");
		html_close(out, "div");
	}
	html_close(out, "dl");
}

static void page_put(const struct answer_page *p, FILE *out)
{
	fputs("<!DOCTYPE html>\n", out);
	html_open(out, "html", "lang", "en", "xmlns", "http://www.w3.org/1999/xhtml", NULL);
	html_open(out, "head", NULL);
	html_void(out, "meta", "charset", "utf-8", NULL);
	html_void(out, "meta", "name", "viewport", "content", "width=device-width,initial-scale=1",
		  NULL);
	html_leaf(out, "title", NULL, p->title);
	html_open(out, "style", NULL);
	fprintf(out, "%s%s", html_style, html_answer_style);
	html_close(out, "style");
	html_close(out, "head");
	html_open(out, "body", NULL);
	html_open(out, "main", NULL);
	html_leaf(out, "h1", NULL, p->title);
	html_leaf(out, "p", NULL, p->question);
	html_open(out, "div", "class", "answer", NULL);
	html_leaf(out, "p", "first", p->answer);
	if (p->doubt)
		html_leaf(out, "p", NULL, p->doubt);
	html_close(out, "div");
	if (p->table) {
		put_heading(out, p->table_title);
		put_table(p->table, out);
		put_list(&p->table_notes, "notes", out);
	}
	put_pictures(p, out);
	put_heading(out, p->facts_title ? p->facts_title : "What this rests on");
	put_facts(p, out);
	put_list(&p->sources, "columns", out);
	if (p->limits.n)
		put_heading(out, "Where this answer ends");
	put_list(&p->limits, NULL, out);
	if (p->next.n)
		put_heading(out, "Measure next");
	put_list(&p->next, NULL, out);
	put_heading(out, p->command_title ? p->command_title : "Ask again");
	html_leaf(out, "pre", NULL, p->command);
	html_leaf(out, "footer", NULL, p->made);
	html_close(out, "main");
	html_close(out, "body");
	html_close(out, "html");
}

int answer_page_write(const struct answer_page *p, const char *path)
{
	scoped char *text = NULL;
	size_t n = 0;
	FILE *out = xmemstream(&text, &n);

	page_put(p, out);
	xmemclose(out);
	return output_write(path, text, n);
}

void answer_fact_add(struct answer_page *p, const char *name, const char *value,
		     const char *source)
{
	APPEND(p->fact, p->nfacts) = (struct answer_fact){ xstrdup(name), xstrdup(value),
							     xstrdup(source) };
}

void answer_page_release(struct answer_page *p)
{
	for (size_t i = 0; i < p->ncharts; i++)
		chart_release(&p->chart[i]);
	for (size_t i = 0; i < p->ngantts; i++)
		gantt_release(&p->gantt[i]);
	for (size_t i = 0; i < p->nfacts; i++)
		free_all(p->fact[i].name, p->fact[i].value, p->fact[i].source);
	free_all(p->chart, p->gantt, p->fact);
	if (p->table)
		grid_free(p->table);
	texts_release(&p->table_notes);
	texts_release(&p->sources);
	texts_release(&p->limits);
	texts_release(&p->next);
	free_all(p->title, p->table_title, p->facts_title, p->command_title, p->question, p->answer,
		 p->doubt, p->command, p->made);
	*p = (struct answer_page){ 0 };
}
