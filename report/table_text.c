/*
 * table_text.c - a built table as aligned text or as Markdown.
 *
 * A block per measure: a row per row of the table, a column per group of runs.
 */
#include "report/table.h"

#include "core/mem.h"

#include <stdlib.h>
#include <string.h>

struct block {
	const cJSON *table;
	const char *measure;    /* whose columns are shown; NULL: of all measures */
};

/* Columns of a UTF-8 text. */
static int width_of(const char *s)
{
	int n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xC0) != 0x80;
	return n;
}

static void put_padded(const char *s, int width, bool right, FILE *out)
{
	int space = width - width_of(s);

	if (right && space > 0)
		fprintf(out, "%*s", space, "");
	fputs(s, out);
	if (!right && space > 0)
		fprintf(out, "%*s", space, "");
}

static const cJSON *list_of(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* The head of the k-th column of the block; its place in the table in *index. NULL past the end. */
static const cJSON *block_head(const struct block *b, int k, int *index)
{
	const cJSON *head;

	*index = 0;
	cJSON_ArrayForEach(head, list_of(b->table, "heads")) {
		if (!b->measure || !strcmp(table_text(head, "measure"), b->measure))
			if (!k--)
				return head;
		++*index;
	}
	return NULL;
}

static const char *head_words(const struct block *b, const cJSON *head)
{
	return b->measure ? table_text(head, "group") : table_text(head, "label");
}

struct widths {                 /* of a column: its parts, and all with the spaces between */
	int number, spread, beside, all;
};

static void stretch(int *width, const char *s)
{
	if (width_of(s) > *width)
		*width = width_of(s);
}

static struct widths column_widths(const struct block *b, const cJSON *head, int index)
{
	struct widths w = { 0 };
	const cJSON *row;

	cJSON_ArrayForEach(row, list_of(b->table, "rows")) {
		struct words t = words_of(cJSON_GetArrayItem(list_of(row, "cells"), index));

		stretch(&w.number, t.number);
		stretch(&w.spread, t.spread);
		stretch(&w.beside, t.beside);
		words_release(&t);
	}
	w.all = w.number + (w.spread ? 1 + w.spread : 0) + (w.beside ? 1 + w.beside : 0);
	stretch(&w.all, head_words(b, head));
	return w;
}

static int label_width(const cJSON *table)
{
	int width = width_of(table_text(table, "corner"));
	const cJSON *row;

	cJSON_ArrayForEach(row, list_of(table, "rows"))
		if (width_of(table_text(row, "label")) > width)
			width = width_of(table_text(row, "label"));
	return width;
}

/* The parts of a cell under each other's; nothing behind the last one of a line. */
static void text_cell(const cJSON *cell, struct widths w, bool last, FILE *out)
{
	struct words t = words_of(cell);
	int column = w.number;

	put_padded(t.number, w.number, true, out);
	if (*t.spread || (w.spread && *t.beside)) {
		putc(' ', out);
		put_padded(t.spread, *t.beside || !last ? w.spread : 0, false, out);
		column += 1 + w.spread;
	}
	if (*t.beside) {
		fprintf(out, " %s", t.beside);
		column += 1 + width_of(t.beside);
	}
	if (!last)
		put_padded("", w.all - column, false, out);
	words_release(&t);
}

/* One line of a block: the heads (row NULL), or a row. */
static void text_line(const struct block *b, const cJSON *row, FILE *out)
{
	const cJSON *head, *after;
	int index, next;

	put_padded(table_text(row ? row : b->table, row ? "label" : "corner"),
		   label_width(b->table), false, out);
	for (int k = 0; (head = block_head(b, k, &index)); k++) {
		struct widths w = column_widths(b, head, index);

		fputs("   ", out);
		after = block_head(b, k + 1, &next);
		if (row)
			text_cell(cJSON_GetArrayItem(list_of(row, "cells"), index), w, !after, out);
		else
			put_padded(head_words(b, head), after ? w.all : 0, false, out);
	}
	putc('\n', out);
}

static void text_block(const struct block *b, FILE *out)
{
	const cJSON *row;

	text_line(b, NULL, out);
	cJSON_ArrayForEach(row, list_of(b->table, "rows"))
		text_line(b, row, out);
}

static void put_escaped(const char *s, FILE *out)
{
	for (; *s; s++) {
		if (*s == '|' || *s == '<' || *s == '\\')
			putc('\\', out);
		putc(*s == '\n' ? ' ' : *s, out);
	}
}

static void markdown_line(const struct block *b, const cJSON *row, FILE *out)
{
	const cJSON *head;
	int index;

	fputs("| ", out);
	put_escaped(table_text(row ? row : b->table, row ? "label" : "corner"), out);
	for (int k = 0; (head = block_head(b, k, &index)); k++) {
		struct words t;

		fputs(" | ", out);
		if (!row) {
			put_escaped(head_words(b, head), out);
			continue;
		}
		t = words_of(cJSON_GetArrayItem(list_of(row, "cells"), index));
		fprintf(out, "%s%s%s%s", t.number, *t.spread ? " " : "", t.spread,
			*t.beside ? " " : "");
		put_escaped(t.beside, out);
		words_release(&t);
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
	cJSON_ArrayForEach(row, list_of(b->table, "rows"))
		markdown_line(b, row, out);
}

/* A text broken into lines of about 96 columns, indented from the second on. */
static void put_wrapped(const char *s, FILE *out)
{
	int column = 0;

	while (*s) {
		size_t n = strcspn(s, " \n");

		if (column && column + 1 + (int)n > 96) {
			fputs("\n     ", out);
			column = 5;
		}
		column += fprintf(out, "%s%.*s", column ? " " : "", (int)n, s);
		s += n + (s[n] != 0);
	}
	putc('\n', out);
}

static void put_note(const char *what, const char *text, bool markdown, FILE *out)
{
	char *line = xasprintf("%s: %s", what, text);

	if (markdown)
		fprintf(out, "- %s\n", line);
	else
		put_wrapped(line, out);
	free(line);
}

static void put_notes(const cJSON *table, bool markdown, FILE *out)
{
	const char *source = table_text(table, "source");
	const cJSON *item;

	if (*source || cJSON_GetArraySize(list_of(table, "notes")))
		putc('\n', out);
	if (*source)
		put_note("paper", source, markdown, out);
	cJSON_ArrayForEach(item, list_of(table, "notes"))
		put_note("note", item->valuestring, markdown, out);
}

/* Without groups of runs one block shows all measures. */
static void put_blocks(const cJSON *table, bool markdown, FILE *out)
{
	void (*put)(const struct block *, FILE *) = markdown ? markdown_block : text_block;
	const cJSON *head, *first = list_of(table, "heads")->child;

	if (!*table_text(table, "columns_by")) {
		put(&(struct block){ .table = table }, out);
		return;
	}
	cJSON_ArrayForEach(head, list_of(table, "heads")) {
		struct block b = { table, table_text(head, "measure") };

		if (strcmp(table_text(head, "value"), table_text(first, "value")) != 0)
			break;
		fprintf(out, markdown ? "%s**%s**\n\n" : "%s%s\n", head == first ? "" : "\n",
			table_text(head, "label"));
		put(&b, out);
	}
}

void table_print_text(const cJSON *table, bool markdown, FILE *out)
{
	fprintf(out, "%s%s\n\n", markdown ? "### " : "", table_text(table, "title"));
	if (cJSON_GetArraySize(list_of(table, "rows")))
		put_blocks(table, markdown, out);
	else
		fputs("(no runs)\n", out);
	put_notes(table, markdown, out);
}
