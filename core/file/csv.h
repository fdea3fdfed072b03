/*
 * csv.h - a text of records with named columns, as spreadsheets and logs have it (RFC 4180).
 *
 * The separator is a comma, a semicolon or a tab, as the first record has it. A field may be in
 * double quotes. Empty lines, and lines that begin with '#', are skipped. Columns are found by
 * their names, in any order; upper case is lower case, and '_' stands for '-' and a space.
 */
#ifndef CORE_FILE_CSV_H
#define CORE_FILE_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct csv {
	const char *path;       /* for messages; borrowed, as are the texts of fields */
	char *rest;             /* what has not been read yet */
	char separator;
	size_t line, next_line; /* of the record, and of what follows it */
	char **field;           /* [n] of the record, without spaces at either end; owned */
	size_t n, capacity;
	char **name;            /* [columns] of the header; owned */
	size_t columns;
};

static const size_t CSV_NONE = (size_t)-1;

/* A column that is looked for. */
struct csv_column {
	const char *name;       /* as documents call it */
	/* What it may be called, the preferred first; NULL-ended. NULL: as documents call it. */
	const char *const *names;
	/*
	 * It has seconds, and its name may say another unit: "step_time_ms", "duration (us)". A
	 * name "time_s" of these needs a unit.
	 */
	bool time;
	bool any_time;          /* without such a name, it is the only column that has a unit */
	size_t at;              /* <- its field, or CSV_NONE */
	double per_second;      /* <- of a time, its unit: 1, 1e3, 1e6 or 1e9 */
};

/* Whether a text begins with names of columns: with a record of more than one field, no number. */
bool csv_has_header(const char *text);

/* Begins with a text, as of textfile_read(), that is then cut to pieces. */
void csv_begin(struct csv *c, const char *path, char *text);
void csv_release(struct csv *c);

/* The next record: 1; 0 at the end; -1 after error(). */
int csv_next(struct csv *c);

/* Reads the header, which the text begins with, and finds n columns in it. 0 or error(). */
int csv_header(struct csv *c, struct csv_column *column, size_t n);

/* 0, or error() that lists the header's columns and those expected, unless each was found. */
int csv_need(const struct csv *c, const struct csv_column *column, size_t n);

/* Whether the column of the header is one of these. */
bool csv_is_known(const struct csv_column *column, size_t n, size_t field);

/* The next row, with as many fields as the header: 1; 0 at the end; -1 after error(). */
int csv_row(struct csv *c);

/* The row's number in a column; a time in seconds. 0, or error() naming line and column. */
int csv_double(const struct csv *c, const struct csv_column *column, double *value);
int csv_int(const struct csv *c, const struct csv_column *column, int64_t *value);

#endif
