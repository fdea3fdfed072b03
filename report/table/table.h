/*
 * table.h - tables of a spec: built from runs, written and read as JSON, and printed.
 *
 * A cell is the mean of the n of its runs that have a number. Of a target, "reached" says how many
 * of them met it; where not all did, the mean is infinite.
 */
#ifndef REPORT_TABLE_TABLE_H
#define REPORT_TABLE_TABLE_H

#include "record/select.h"
#include "report/report.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

struct published {              /* a number in a paper */
	enum { PUBLISHED_NONE, PUBLISHED_NUMBER, PUBLISHED_BOUND, PUBLISHED_BOOL } kind;
	double number;          /* or the limit of a bound; NaN: neither */
	char *text;             /* as in the spec; owned, NULL for none */
};

struct table_cell {
	double mean, deviation; /* NaN: none */
	int n, runs, diverged;
	int reached;            /* -1: the measure is no target */
	struct published published;
	double relative_error;  /* NaN: none */
	bool share;             /* from 0 to 1: shown as a difference in points */
	int holds;              /* the bound: 0 or 1; -1: none was published */
	bool calculated;        /* by the paper's definition, not printed there */
	bool counted;           /* says of how many seeds it is, for others are of more or fewer */
};

struct table_head {                   /* of a column: texts are owned */
	char *value, *group;    /* of the runs, as the grid has it and in words; may be "" */
	char *measure, *label;
};

struct table_row {
	char *value, *label;
	struct table_cell *cell;      /* [nheads] */
};

struct table {                  /* all owned */
	char *name, *title, *corner;
	char *rows_by, *columns_by;     /* keys, with ", " between */
	struct table_head *head;      /* [nheads] by group, then by measure */
	struct table_row *row;        /* [nrows] */
	size_t nheads, nrows;
	char **notes;           /* NULL-ended */
	char *source;           /* of the published numbers; NULL where there is none */
	bool calculated;
};

struct tables {
	struct table *v;        /* [n] */
	size_t n;
};

struct tables tables_build(const cJSON *spec, const struct results *runs);
void table_release(struct table *t);
void tables_release(struct tables *tables);

/* Appends the text, which is copied, to the table's notes. */
void table_note(struct table *t, const char *text);

/*
 * [{"name","title","corner","rows_by","columns_by","columns":[..],
 * "heads":[{"value","group","measure","label"}],
 * "rows":[{"label","value","cells":[{"measured","deviation","n","runs","reached","published",
 * "relative_error","holds","calculated","diverged"}]}],"notes":[..],"source"}].
 * "holds" is there when a bound such as ">1000" was published, "diverged" where some runs did.
 */
cJSON *table_json(const struct table *t);
cJSON *tables_json(const struct tables *tables);

/* False for what has not the heads, cells and notes of a table; nothing is to release then. */
bool table_of_json(struct table *t, const cJSON *json);

/* table_of_json() of a file. 0 or error(). */
int table_read(struct table *t, const cJSON *json, const char *path);

/*
 * A member of a kept file as a number, NaN when it is none, HUGE_VAL when it is the largest number.
 */
double table_number(const cJSON *object, const char *key);

/* ---- printed ---- */

void table_print(const struct table *t, enum table_format format, FILE *out);

/* Writes DIR/NAME.{txt,md,csv,json} for every table, aside and renamed; 0 or error(). */
int tables_write(const struct tables *tables, const char *dir);

/* Whether its other numbers are the "paper"'s, or "calculated". */
const char *table_printed_as(bool calculated);

/*
 * A table as it is shown: a block for each measure, a column for each group of runs. Without groups
 * one block shows all measures.
 */
struct block {
	const struct table *table;
	const char *measure;    /* whose columns are shown; NULL: of all measures */
	const char *label;      /* the measure in words; "" where all are shown */
};

/* The i-th block of a table; false past the last. Texts are borrowed. */
bool table_block(const struct table *t, size_t i, struct block *b);

/* Whether the block shows a column of the table, and what stands over it. */
bool block_shows(const struct block *b, size_t column);
const char *block_words(const struct block *b, size_t column);

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
 * the cell's n, runs, reached and diverged; where it stands for all, "8 seeds" of a cell that is
 * counted, else "". The caller frees.
 */
char *lost_text(const struct table_cell *cell);

struct cell_text cell_text_of(const struct table_cell *cell);
void cell_text_release(struct cell_text *w);

#endif
