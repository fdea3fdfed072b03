/* Builds tables from quoted JSON, and prints them or finds their cells. */
#include "tests/support/tables.h"

#include "tests/support/check.h"
#include "tests/support/quoted.h"

cJSON *tables_of(const char *spec, const char *runs)
{
	cJSON *s = quoted_json(spec), *r = quoted_json(runs), *tables;

	assert_int_equal(report_check(s, "spec"), 0);
	tables = tables_build(s, r);
	cJSON_Delete(s);
	cJSON_Delete(r);
	return tables;
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

	table_print(cJSON_GetArrayItem(tables, 0), format, out);
	fclose(out);
	return text;
}
