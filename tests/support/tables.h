/* Tables made from JSON in a test. */
#ifndef TESTS_SUPPORT_TABLES_H
#define TESTS_SUPPORT_TABLES_H

#include "report/table/table.h"

/* Tables of a valid spec with these runs; the caller frees. */
cJSON *tables_of(const char *spec, const char *runs);

/* A cell of the first table. */
const cJSON *tables_cell(const cJSON *tables, int row, int column);

/* The first table printed in a format; the caller frees. */
char *tables_printed(const cJSON *tables, enum table_format format);

#endif
