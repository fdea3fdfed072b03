/*
 * csv.h - tables of records with named columns, as spreadsheets and logs write them (RFC 4180).
 *
 * The separator is a comma, a semicolon or a tab, as found in the first record; between semicolons
 * a number may have a decimal comma. A field may be in double quotes. Empty lines, and lines that
 * begin with '#', are skipped. Columns are found by name, in any order; case does not count, and
 * '_', '-' and a space are the same.
 */
#ifndef CORE_FILE_CSV_H
#define CORE_FILE_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct csv {
	const char *path;       /* for messages; borrowed, as are the texts of fields */
	char *rest;             /* text that has not been read yet */
	char separator;
	size_t line, next_line; /* of the record, and of the text after it */
	char **field;           /* [n] of the record, without leading and trailing spaces; owned */
	size_t n, capacity;
	char **name;            /* [columns] of the header; owned */
	size_t columns;
};

static const size_t CSV_NONE = (size_t)-1;

/* A column to look for. */
struct csv_column {
	const char *name;       /* name in the documentation */
	/* Accepted names, the preferred one first; NULL-ended. NULL: only `name`. */
	const char *const *names;
	/*
	 * The column has times; its name may give another unit than seconds: "step_time_ms",
	 * "duration (us)". A column "time_s" of such a file needs a unit.
	 */
	bool time;
	bool any_time;          /* if no name fits, take the only column that has a unit, unless
				 * csv_is_other_time(), or it is a rate such as "tokens/s" */
	size_t at;              /* <- index of its field, or CSV_NONE */
	double per_second;      /* <- unit of a time: 1, 1e3, 1e6 or 1e9 of it are a second */
	bool has_unit;          /* <- the column's name says it; else seconds are assumed */
};

/*
 * True when a text begins with column names: its first record has two fields or more, and the first
 * is no number.
 */
bool csv_has_header(const char *text);

/*
 * True for a word, of n characters in any case, that says of a time that it is no step's or batch's
 * computing: "comm", "data", "total", "start".
 */
bool csv_is_other_time(const char *word, size_t n);

/* Begins to read a text, as of textfile_read(), which is modified while it is read. */
void csv_begin(struct csv *c, const char *path, char *text);
void csv_release(struct csv *c);

/* The next record: 1; 0 at the end; -1 after error(). */
int csv_next(struct csv *c);

/* Reads the header, the first record, and finds n columns in it. 0 or error(). */
int csv_header(struct csv *c, struct csv_column *column, size_t n);

/* 0 if each column was found, else error() that lists the header's columns and those expected. */
int csv_need(const struct csv *c, const struct csv_column *column, size_t n);

/* True when field number `field` of the header is one of these columns. */
bool csv_is_known(const struct csv_column *column, size_t n, size_t field);

/* The next row, with as many fields as the header: 1; 0 at the end; -1 after error(). */
int csv_row(struct csv *c);

/* Times without a unit of which more than half are longer, in seconds, are taken for ms. */
#define CSV_LONGEST_S 100.0

/*
 * Seconds in the unit of a column of times without one: 1e-3, which a note says, where `longer`
 * of n are longer than CSV_LONGEST_S and these are more than half; else 1. Such a column that names
 * seconds gets a warning.
 */
double csv_bare_unit(const struct csv *c, const struct csv_column *times, size_t longer, size_t n);

/* Value of a column in the present row; a time in seconds. 0, or error() naming line and column. */
int csv_double(const struct csv *c, const struct csv_column *column, double *value);
int csv_int(const struct csv *c, const struct csv_column *column, int64_t *value);

#endif
