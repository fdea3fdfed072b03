/* Growing columns of numbers: what a dataset of a result file is made of. */
#ifndef RECORD_COLUMN_H
#define RECORD_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct column {
	const char *name;       /* of the dataset */
	bool integer;           /* int64_t, else double */
	size_t n, capacity;
	union {
		double *real;           /* [n] */
		int64_t *whole;         /* [n] */
	} v;                            /* owned */
};

/* Append one value to a column of that type. */
void column_real(struct column *c, double x);
void column_whole(struct column *c, int64_t x);

/* The last value of a column of doubles; NaN when there is none. */
double column_last(const struct column *c);

void column_release(struct column *c);

/* How often each value occurred, for values of any range. {0} is empty. */
struct tally {
	int64_t *few;           /* [few_capacity] of 0, 1, 2, ...: most values are small */
	size_t few_capacity;
	int64_t *value, *count; /* [capacity] of others, open addressing; count 0: free */
	size_t n, capacity;
	int64_t total;          /* occurrences */
	double sum;             /* of all values */
};

/* The value occurred so many times more. */
void tally_add(struct tally *t, int64_t value, int64_t times);

/* Appends the values in ascending order, and their counts. */
void tally_columns(const struct tally *t, struct column *value, struct column *count);

void tally_release(struct tally *t);

#endif
