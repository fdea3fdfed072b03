/* A built table in any format. CSV is long: a line per cell. */
#include "report/report.h"

#include "core/file/json.h"
#include "core/file/output.h"
#include "report/table/table.h"
#include "report/text/csv.h"

#include <stdlib.h>

const char *const table_format_name[] = { "text", "md", "csv", "json", "latex", "tex",
					  NULL };

static void csv_cell(const cJSON *table, const cJSON *row, const cJSON *head, const cJSON *cell,
		     FILE *out)
{
	static const char *const keys[] = { "measured",	      "deviation", "n",       "published",
					    "relative_error", "holds",     "diverged" };
	const char *rows_by = json_word(table, "rows_by");
	const char *columns_by = json_word(table, "columns_by");

	csv_joined(json_word(row, "value"), csv_count(rows_by), out);
	if (*columns_by) {
		putc(',', out);
		csv_joined(json_word(head, "value"), csv_count(columns_by), out);
	}
	csv_member(head, "measure", out);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		csv_member(cell, keys[i], out);
	putc('\n', out);
}

static void print_csv(const cJSON *table, FILE *out)
{
	const char *rows_by = json_word(table, "rows_by");
	const char *columns_by = json_word(table, "columns_by");
	const cJSON *row, *head;

	csv_joined(rows_by, csv_count(rows_by), out);
	if (*columns_by) {
		putc(',', out);
		csv_joined(columns_by, csv_count(columns_by), out);
	}
	fputs(",measure,measured,deviation,n,published,relative_error,holds,diverged\n", out);
	cJSON_ArrayForEach(row, cJSON_GetObjectItem(table, "rows")) {
		const cJSON *cell = cJSON_GetObjectItem(row, "cells")->child;

		cJSON_ArrayForEach(head, cJSON_GetObjectItem(table, "heads")) {
			csv_cell(table, row, head, cell, out);
			cell = cell->next;
		}
	}
}

void table_print(const cJSON *table, enum table_format format, FILE *out)
{
	switch (format) {
	case TABLE_TEXT:
	case TABLE_MARKDOWN:
		table_print_text(table, format == TABLE_MARKDOWN, out);
		break;
	case TABLE_LATEX:
	case TABLE_TEX:
		table_print_latex(table, out);
		break;
	case TABLE_CSV:
		print_csv(table, out);
		break;
	case TABLE_JSON:
		output_json(table, out);
		break;
	}
}
