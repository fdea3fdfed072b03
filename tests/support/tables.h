/* Built tables, from JSON in quotes. */
#ifndef TESTS_SUPPORT_TABLES_H
#define TESTS_SUPPORT_TABLES_H

#include "report/table/table.h"

/* The tables of a spec, which must be a good one, over these runs; the caller frees. */
cJSON *tables_of(const char *spec, const char *runs);

/* A cell of the first table. */
const cJSON *tables_cell(const cJSON *tables, int row, int column);

/* The first table in a format; the caller frees. */
char *tables_printed(const cJSON *tables, enum table_format format);

#endif
