/*
 * block.h - a built table as it is shown: a block per measure, a row per row of the table,
 * a column per group of runs. Without groups one block shows all measures.
 */
#ifndef REPORT_TABLE_BLOCK_H
#define REPORT_TABLE_BLOCK_H

#include <cjson/cJSON.h>
#include <stdbool.h>

struct block {
	const cJSON *table;
	const char *measure;    /* whose columns are shown; NULL: of all measures */
	const char *label;      /* the measure in words; "" where all are shown */
};

/* A table that was read from a file has the heads, cells and notes that printing it takes. */
bool table_is_whole(const cJSON *table);

/* The i-th block of a table; false past the last. Texts are borrowed. */
bool table_block(const cJSON *table, int i, struct block *b);

/* The head of the k-th column of the block; its index in the table in *index. NULL past the end. */
const cJSON *block_head(const struct block *b, int k, int *index);

/* What stands over that column. */
const char *block_words(const struct block *b, const cJSON *head);

/* A row's cell at an index of the table. */
const cJSON *block_cell(const cJSON *row, int index);

#endif
