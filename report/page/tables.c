/* Built tables on a page. */
#include "report/page/parts.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "report/page/html.h"
#include "report/table/table.h"

#include <stdlib.h>
#include <string.h>

/* "(paper 1.22, +0.1 %)" without its brackets. The caller frees. */
static char *tables_bare(const char *published)
{
	const size_t n = strlen(published);

	return xasprintf("%.*s", n > 2 ? (int)n - 2 : 0, n > 2 ? published + 1 : "");
}

static void tables_put_cell(const struct table_cell *cell, FILE *out)
{
	struct cell_text w = cell_text_of(cell);
	char *number = xasprintf("%s%s%s", w.number, *w.spread ? " " : "", w.spread);
	char *published = tables_bare(w.published);

	html_open(out, "td", "class", "number", NULL);
	html_leaf(out, "span", NULL, number);
	if (*published)
		html_leaf(out, "small", NULL, published);
	html_close(out, "td");
	free(number);
	free(published);
	cell_text_release(&w);
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

void page_tables(const struct tables *tables, FILE *out)
{
	struct block b;

	for (const struct table *t = tables->v; t < tables->v + tables->n; t++) {
		if (!t->nrows)
			continue;
		html_leaf(out, "h3", NULL, *t->title ? t->title : t->name);
		for (size_t i = 0; table_block(t, i, &b); i++)
			put_block(&b, out);
		tables_put_notes(t, out);
	}
}
