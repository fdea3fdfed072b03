/* Built tables on a page. */
#include "report/page/parts.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "report/page/html.h"
#include "report/table/block.h"
#include "report/table/table.h"

#include <stdlib.h>
#include <string.h>

/* "(paper 1.22, +0.1 %)" without its brackets. The caller frees. */
static char *tables_bare(const char *published)
{
	const size_t n = strlen(published);

	return xasprintf("%.*s", n > 2 ? (int)n - 2 : 0, n > 2 ? published + 1 : "");
}

static void tables_put_cell(const cJSON *cell, FILE *out)
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
	const cJSON *head;
	int index;

	html_open(out, "thead", NULL);
	html_open(out, "tr", NULL);
	html_leaf(out, "th", NULL, json_word(b->table, "corner"));
	for (int k = 0; (head = block_head(b, k, &index)); k++)
		html_leaf(out, "th", "number", block_words(b, head));
	html_close(out, "tr");
	html_close(out, "thead");
}

static void tables_put_row(const struct block *b, const cJSON *row, FILE *out)
{
	int index;

	html_open(out, "tr", NULL);
	html_leaf(out, "th", NULL, json_word(row, "label"));
	for (int k = 0; block_head(b, k, &index); k++)
		tables_put_cell(block_cell(row, index), out);
	html_close(out, "tr");
}

static void put_block(const struct block *b, FILE *out)
{
	const cJSON *row;

	if (*b->label)
		html_leaf(out, "h4", NULL, b->label);
	html_open(out, "div", "class", "wide", NULL);
	html_open(out, "table", NULL);
	put_heads(b, out);
	html_open(out, "tbody", NULL);
	cJSON_ArrayForEach(row, json_get(b->table, "rows"))
		tables_put_row(b, row, out);
	html_close(out, "tbody");
	html_close(out, "table");
	html_close(out, "div");
}

static void tables_put_notes(const cJSON *table, FILE *out)
{
	const char *source = json_word(table, "source");
	const cJSON *notes = json_get(table, "notes"), *note;
	char *line = xasprintf("%s: %s", table_printed_as(table), source);

	if (!*source && !cJSON_GetArraySize(notes)) {
		free(line);
		return;
	}
	html_open(out, "ul", "class", "notes", NULL);
	if (*source)
		html_leaf(out, "li", NULL, line);
	cJSON_ArrayForEach(note, notes)
		html_leaf(out, "li", NULL, note->valuestring);
	html_close(out, "ul");
	free(line);
}

static void put_table(const cJSON *table, FILE *out)
{
	const char *title = json_word(table, "title");
	struct block b;

	html_leaf(out, "h3", NULL, *title ? title : json_word(table, "name"));
	for (int i = 0; table_block(table, i, &b); i++)
		put_block(&b, out);
	tables_put_notes(table, out);
}

void page_tables(const cJSON *tables, FILE *out)
{
	const cJSON *table;

	cJSON_ArrayForEach(table, tables)
		if (cJSON_GetArraySize(json_get(table, "rows")))
			put_table(table, out);
}
