/* A built table as aligned text or as Markdown. */
#include "report/table/table.h"

#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/text/wrap.h"
#include "report/table/block.h"
#include "report/text/escape.h"
#include "report/text/width.h"

#include <stdlib.h>
#include <string.h>

struct widths {                 /* of a column: its parts, and all with the spaces between */
	int number, spread, published, all;
};

static void table_text_stretch(int *width, const char *s)
{
	if (text_width(s) > *width)
		*width = text_width(s);
}

static struct widths column_widths(const struct block *b, const cJSON *head, int index)
{
	struct widths w = { 0 };
	const cJSON *row;

	cJSON_ArrayForEach(row, json_get(b->table, "rows")) {
		struct cell_text t = cell_text_of(block_cell(row, index));

		table_text_stretch(&w.number, t.number);
		table_text_stretch(&w.spread, t.spread);
		table_text_stretch(&w.published, t.published);
		cell_text_release(&t);
	}
	w.all = w.number + (w.spread ? 1 + w.spread : 0) + (w.published ? 1 + w.published : 0);
	table_text_stretch(&w.all, block_words(b, head));
	return w;
}

static int label_width(const cJSON *table)
{
	int width = text_width(json_word(table, "corner"));
	const cJSON *row;

	cJSON_ArrayForEach(row, json_get(table, "rows"))
		if (text_width(json_word(row, "label")) > width)
			width = text_width(json_word(row, "label"));
	return width;
}

/* The parts of a cell under each other's; nothing after the last one of a line. */
static void text_cell(const cJSON *cell, struct widths w, bool last, FILE *out)
{
	struct cell_text t = cell_text_of(cell);
	int column = w.number;

	text_pad(t.number, w.number, true, out);
	if (*t.spread || (w.spread && *t.published)) {
		putc(' ', out);
		text_pad(t.spread, *t.published || !last ? w.spread : 0, false, out);
		column += 1 + w.spread;
	}
	if (*t.published) {
		fprintf(out, " %s", t.published);
		column += 1 + text_width(t.published);
	}
	if (!last)
		text_pad("", w.all - column, false, out);
	cell_text_release(&t);
}

/* One line of a block: the heads (row NULL), or a row. w: of its columns. */
static void text_line(const struct block *b, const cJSON *row, int label, const struct widths *w,
		      FILE *out)
{
	const cJSON *head, *after;
	int index, next;

	text_pad(json_word(row ? row : b->table, row ? "label" : "corner"), label, false, out);
	for (int k = 0; (head = block_head(b, k, &index)); k++) {
		fputs("   ", out);
		after = block_head(b, k + 1, &next);
		if (row)
			text_cell(block_cell(row, index), w[k], !after, out);
		else
			text_pad(block_words(b, head), after ? w[k].all : 0, false, out);
	}
	putc('\n', out);
}

/* Of each column of a block; the caller frees. */
static struct widths *block_widths(const struct block *b)
{
	struct widths *w = NULL;
	const cJSON *head;
	int index;

	for (int k = 0; (head = block_head(b, k, &index)); k++) {
		w = xrealloc(w, (size_t)k + 1, sizeof(*w));
		w[k] = column_widths(b, head, index);
	}
	return w;
}

static void text_block(const struct block *b, FILE *out)
{
	const int label = label_width(b->table);
	struct widths *w = block_widths(b);
	const cJSON *row;

	text_line(b, NULL, label, w, out);
	cJSON_ArrayForEach(row, json_get(b->table, "rows"))
		text_line(b, row, label, w, out);
	free(w);
}

static void markdown_line(const struct block *b, const cJSON *row, FILE *out)
{
	const cJSON *head;
	int index;

	fputs("| ", out);
	escape_markdown(json_word(row ? row : b->table, row ? "label" : "corner"), out);
	for (int k = 0; (head = block_head(b, k, &index)); k++) {
		struct cell_text t;

		fputs(" | ", out);
		if (!row) {
			escape_markdown(block_words(b, head), out);
			continue;
		}
		t = cell_text_of(block_cell(row, index));
		fprintf(out, "%s%s%s%s", t.number, *t.spread ? " " : "", t.spread,
			*t.published ? " " : "");
		escape_markdown(t.published, out);
		cell_text_release(&t);
	}
	fputs(" |\n", out);
}

static void markdown_block(const struct block *b, FILE *out)
{
	const cJSON *row;
	int index;

	markdown_line(b, NULL, out);
	fputs("|---", out);
	for (int k = 0; block_head(b, k, &index); k++)
		fputs("|---:", out);
	fputs("|\n", out);
	cJSON_ArrayForEach(row, json_get(b->table, "rows"))
		markdown_line(b, row, out);
}

static void put_markdown(const char *before, const char *text, const char *after, FILE *out)
{
	fputs(before, out);
	escape_markdown(text, out);
	fputs(after, out);
}

static void put_note(const char *what, const char *text, bool markdown, FILE *out)
{
	char *line = xasprintf("%s: %s", what, text);

	if (markdown)
		put_markdown("- ", line, "\n", out);
	else
		wrap_print(line, 0, 6, 96, out);
	free(line);
}

static void table_text_put_notes(const cJSON *table, bool markdown, FILE *out)
{
	const char *source = json_word(table, "source");
	const cJSON *item;

	if (*source || cJSON_GetArraySize(json_get(table, "notes")))
		putc('\n', out);
	if (*source)
		put_note(table_printed_as(table), source, markdown, out);
	cJSON_ArrayForEach(item, json_get(table, "notes"))
		put_note("note", item->valuestring, markdown, out);
}

static void put_blocks(const cJSON *table, bool markdown, FILE *out)
{
	struct block b;

	for (int i = 0; table_block(table, i, &b); i++) {
		fputs(*b.label && i ? "\n" : "", out);
		if (*b.label && markdown)
			put_markdown("**", b.label, "**\n\n", out);
		else if (*b.label)
			fprintf(out, "%s\n", b.label);
		if (markdown)
			markdown_block(&b, out);
		else
			text_block(&b, out);
	}
}

void table_print_text(const cJSON *table, bool markdown, FILE *out)
{
	if (markdown)
		put_markdown("### ", json_word(table, "title"), "\n\n", out);
	else
		fprintf(out, "%s\n\n", json_word(table, "title"));
	if (cJSON_GetArraySize(json_get(table, "rows")))
		put_blocks(table, markdown, out);
	else
		fputs("(no runs)\n", out);
	table_text_put_notes(table, markdown, out);
}
