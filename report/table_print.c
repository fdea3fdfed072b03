/*
 * table_print.c - a built table in any format. CSV is long: a line per cell.
 */
#include "report/report.h"

#include "report/escape.h"
#include "report/measure.h"
#include "report/output.h"
#include "report/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const table_format_name[] = { "text", "md", "csv", "json", "latex", NULL };

static void csv_value(const cJSON *cell, const char *key, FILE *out)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(cell, key);
	const bool infinite = isinf(table_number(cell, key));
	char *text = cJSON_IsNumber(item) ? cJSON_PrintUnformatted(item) : value_text(item);

	putc(',', out);
	escape_csv(infinite ? "inf" : text ? text : "", out);
	free(text);
}

static void csv_cell(const cJSON *row, const cJSON *head, const cJSON *cell, bool grouped,
		     FILE *out)
{
	static const char *const keys[] = { "measured",	      "deviation", "n",       "published",
					    "relative_error", "holds",     "diverged" };

	escape_csv(table_text(row, "value"), out);
	if (grouped) {
		putc(',', out);
		escape_csv(table_text(head, "value"), out);
	}
	putc(',', out);
	escape_csv(table_text(head, "measure"), out);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		csv_value(cell, keys[i], out);
	putc('\n', out);
}

static void print_csv(const cJSON *table, FILE *out)
{
	bool grouped = *table_text(table, "columns_by");
	const cJSON *row, *head;

	escape_csv(table_text(table, "rows_by"), out);
	if (grouped) {
		putc(',', out);
		escape_csv(table_text(table, "columns_by"), out);
	}
	fputs(",measure,measured,deviation,n,published,relative_error,holds,diverged\n", out);
	cJSON_ArrayForEach(row, cJSON_GetObjectItem(table, "rows")) {
		const cJSON *cell = cJSON_GetObjectItem(row, "cells")->child;

		cJSON_ArrayForEach(head, cJSON_GetObjectItem(table, "heads")) {
			csv_cell(row, head, cell, grouped, out);
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
