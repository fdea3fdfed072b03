/* A built table in plain LaTeX, which needs no package. */
#include "core/base/mem.h"
#include "core/file/json.h"
#include "report/table/block.h"
#include "report/table/table.h"
#include "report/text/escape.h"
#include "report/text/grid.h"

#include <stdlib.h>

static void latex_put_cell(const cJSON *cell, FILE *out)
{
	struct cell_text w = cell_text_of(cell);
	const char *const parts[] = { w.number, w.spread, w.published };

	for (int i = 0; i < 3; i++) {
		if (i && *parts[i])
			putc(' ', out);
		escape_latex(parts[i], out);
	}
	cell_text_release(&w);
}

/* The line of the heads (row NULL), or a row. */
static void latex_put_line(const struct block *b, const cJSON *row, FILE *out)
{
	const cJSON *head;
	int index;

	escape_latex(json_word(row ? row : b->table, row ? "label" : "corner"), out);
	for (int k = 0; (head = block_head(b, k, &index)); k++) {
		fputs(" & ", out);
		if (row)
			latex_put_cell(block_cell(row, index), out);
		else
			escape_latex(block_words(b, head), out);
	}
	fputs(" \\\\\n", out);
}

static void put_block(const struct block *b, FILE *out)
{
	char *columns = xstrdup("l");
	const cJSON *row;
	int index;

	if (*b->label) {
		escape_latex(b->label, out);
		fputs("\\\\[0.5ex]\n", out);
	}
	for (int k = 0; block_head(b, k, &index); k++)
		xappend(&columns, "", "r");
	tabular_open(columns, out);
	free(columns);
	latex_put_line(b, NULL, out);
	fputs("\\hline\n", out);
	cJSON_ArrayForEach(row, json_get(b->table, "rows"))
		latex_put_line(b, row, out);
	tabular_close(out);
}

static void put_note(const char *what, const char *text, FILE *out)
{
	fprintf(out, "\n\\footnotesize %s: ", what);
	escape_latex(text, out);
	putc('\n', out);
}

void table_print_latex(const cJSON *table, FILE *out)
{
	const char *source = json_word(table, "source");
	const cJSON *note;
	struct block b;

	fputs("\\begin{table}[htbp]\n\\centering\n\\caption{", out);
	escape_latex(json_word(table, "title"), out);
	fputs("}\n\\label{", out);
	escape_latex_label("tab:", json_word(table, "name"), out);
	fputs("}\n", out);
	for (int i = 0; table_block(table, i, &b); i++) {
		if (i)
			fputs("\n\\medskip\n", out);
		put_block(&b, out);
	}
	if (*source)
		put_note(table_printed_as(table), source, out);
	cJSON_ArrayForEach(note, json_get(table, "notes"))
		put_note("Note", note->valuestring, out);
	fputs("\\end{table}\n", out);
}
