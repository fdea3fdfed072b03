/* Members of JSON objects as fields of a line of CSV: numbers with all their digits. */
#ifndef REPORT_TEXT_CSV_H
#define REPORT_TEXT_CSV_H

#include <cjson/cJSON.h>
#include <stdio.h>

/* A value, or nothing where it is null or NULL; the largest number as inf. */
void csv_value(const cJSON *value, FILE *out);

/* A comma and that member of the object. */
void csv_member(const cJSON *object, const char *key, FILE *out);

/* A comma and a text, or a number: nothing where it is NULL, or NaN. */
void csv_text(const char *text, FILE *out);
void csv_number(double x, FILE *out);

/*
 * A text that joins n values by ", " as n fields, with a comma between them. A comma and a blank
 * within a value can only be told in the last one.
 */
void csv_joined(const char *text, int n, FILE *out);

/* How many a text joins: 1 + its ", ". */
int csv_count(const char *text);

#endif
