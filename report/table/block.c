/* Selects a table's blocks: one for each measure, with heads and cells. */
#include "report/table/block.h"

#include "core/file/json.h"

#include <string.h>

static const cJSON *heads_of(const cJSON *table)
{
	return json_get(table, "heads");
}

bool table_is_whole(const cJSON *table)
{
	const int n = cJSON_GetArraySize(heads_of(table));
	const cJSON *rows = json_get(table, "rows"), *item;

	if (!cJSON_IsArray(heads_of(table)) || !cJSON_IsArray(rows) || (rows->child && n < 1))
		return false;
	cJSON_ArrayForEach(item, rows)
		if (cJSON_GetArraySize(json_get(item, "cells")) != n)
			return false;
	cJSON_ArrayForEach(item, json_get(table, "notes"))
		if (!cJSON_IsString(item))
			return false;
	return true;
}

bool table_block(const cJSON *table, int i, struct block *b)
{
	const cJSON *head = cJSON_GetArrayItem(heads_of(table), i), *first = heads_of(table)->child;

	*b = (struct block){ .table = table, .label = "" };
	if (!*json_word(table, "columns_by"))
		return i == 0;
	if (!head || strcmp(json_word(head, "value"), json_word(first, "value")) != 0)
		return false;
	b->measure = json_word(head, "measure");
	b->label = json_word(head, "label");
	return true;
}

const cJSON *block_head(const struct block *b, int k, int *index)
{
	const cJSON *head;

	*index = 0;
	cJSON_ArrayForEach(head, heads_of(b->table)) {
		if (!b->measure || !strcmp(json_word(head, "measure"), b->measure))
			if (!k--)
				return head;
		++*index;
	}
	return NULL;
}

const char *block_words(const struct block *b, const cJSON *head)
{
	return b->measure ? json_word(head, "group") : json_word(head, "label");
}

const cJSON *block_cell(const cJSON *row, int index)
{
	return cJSON_GetArrayItem(json_get(row, "cells"), index);
}
