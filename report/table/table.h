/* Members of built tables and their cells, and how a number is written. */
#ifndef REPORT_TABLE_TABLE_H
#define REPORT_TABLE_TABLE_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

/* Of a table or a cell: whether its other numbers are the "paper"'s, or "calculated". */
const char *table_printed_as(const cJSON *object);

/*
 * A member as a number, NaN when it is none, HUGE_VAL when it is the largest number; as a count, 0
 * when it is none.
 */
double table_number(const cJSON *cell, const char *key);
int table_count(const cJSON *cell, const char *key);

/*
 * Writes x with the decimals of `like`, but never fewer than three significant
 * digits; like NaN: four significant digits.
 */
void number_format(double x, double like, char out[64]);

/* A cell in words: "1.22", "± 0.03" and "(paper 1.22, +0.1 %)". */
struct cell_text {
	char number[64], spread[64];
	char *published;        /* owned; like spread, may be "" */
};

/*
 * Writes a mean and its deviation, NaN where there is none, as number and spread: both with the
 * decimals that show two significant digits of the deviation, and no fewer than `like` has where
 * that is a number.
 */
void measured_text(double x, double dev, double like, struct cell_text *w);

/*
 * "2 of 3 runs", "5 of 6 runs reached it", "2 of 6 diverged": what a mean does not stand for, by
 * the cell's n, runs, reached and diverged; "" where it stands for all. The caller frees.
 */
char *lost_text(const cJSON *cell);

struct cell_text cell_text_of(const cJSON *cell);
void cell_text_release(struct cell_text *w);

void table_print_text(const cJSON *table, bool markdown, FILE *out);
void table_print_latex(const cJSON *table, FILE *out);

/*
 * "2 of 6 runs diverged (a loss was not finite): ASGD, 16 (2 of 3)" of a built table, by its rows
 * and groups; NULL where none did. The caller frees.
 */
char *table_diverged(const cJSON *table);

#endif
