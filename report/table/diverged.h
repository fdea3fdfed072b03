/* Which of a table's runs diverged, in words. */
#ifndef REPORT_TABLE_DIVERGED_H
#define REPORT_TABLE_DIVERGED_H

#include <cjson/cJSON.h>

/*
 * "2 of 6 runs diverged (a loss was not finite): ASGD, 16 (2 of 3)" of a built table, by its rows
 * and groups; NULL where none did. The caller frees.
 */
char *table_diverged(const cJSON *table);

#endif
