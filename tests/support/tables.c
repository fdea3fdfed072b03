/* Builds tables from quoted JSON, and prints them or finds their cells. */
#include "tests/support/tables.h"

#include "tests/support/check.h"
#include "tests/support/quoted.h"

cJSON *tables_of(const char *spec, const char *runs)
{
	cJSON *s = quoted_json(spec), *r = quoted_json(runs), *json;
	struct results results = results_of_json(r);
	struct tables tables;

	assert_int_equal(report_check(s, "spec"), 0);
	tables = tables_build(s, &results);
	json = tables_json(&tables);
	tables_release(&tables);
	results_release(&results);
	cJSON_Delete(s);
	cJSON_Delete(r);
	return json;
}

const cJSON *tables_cell(const cJSON *tables, int row, int column)
{
	const cJSON *rows = cJSON_GetObjectItem(cJSON_GetArrayItem(tables, 0), "rows");

	return cJSON_GetArrayItem(cJSON_GetObjectItem(cJSON_GetArrayItem(rows, row), "cells"),
				  column);
}

char *tables_printed(const cJSON *tables, enum table_format format)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	struct table table;

	if (table_of_json(&table, cJSON_GetArrayItem(tables, 0))) {
		table_print(&table, format, out);
		table_release(&table);
	}
	fclose(out);
	return text;
}
