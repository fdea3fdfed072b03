/* Tables of a spec, built from run objects: measured and published. */
#include "report/report.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/output.h"
#include "core/file/paths.h"
#include "record/measure.h"
#include "report/table/table.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

struct plan {                           /* one table of the spec, being built */
	const cJSON *table, *labels;
	const cJSON *rows, *columns;    /* keys; columns may be NULL */
	const cJSON *published;         /* cells, or NULL */
	bool calculated;                /* by the paper's definition, not printed there */
	struct group all;
	char **row_texts;               /* [all.n] the values of rows; owned */
	cJSON *row_values, *column_values;
	const char *mixed;              /* a setting in which a cell's runs differ, or NULL */
};

const char *table_printed_as(const cJSON *object)
{
	return cJSON_IsTrue(json_get(object, "calculated")) ? "calculated" : "paper";
}

double table_number(const cJSON *cell, const char *key)
{
	const cJSON *item = json_get(cell, key);

	if (!cJSON_IsNumber(item))
		return (double)NAN;
	return item->valuedouble >= DBL_MAX ? HUGE_VAL : item->valuedouble;
}

int table_count(const cJSON *cell, const char *key)
{
	enum { MOST = 1 << 20 };        /* a file may say anything, and counts are added */

	return (int)fmin(MOST, fmax(0, table_number(cell, key)));
}

/* "published", "relative_error", and for a bound "holds". */
static void add_published(cJSON *cell, const cJSON *published, double measured)
{
	double error_ = (double)NAN;
	struct bound bound;
	bool bounded = cJSON_IsString(published) && bound_parse(published->valuestring, &bound);

	cJSON_AddItemToObject(cell, "published",
			      published ? cJSON_Duplicate(published, true) : cJSON_CreateNull());
	if (cJSON_IsNumber(published) && isfinite(measured) &&
	    fpclassify(published->valuedouble) != FP_ZERO)
		error_ = (measured - published->valuedouble) / fabs(published->valuedouble);
	cJSON_AddItemToObject(cell, "relative_error", json_of_number(error_));
	if (bounded && !isnan(measured))
		cJSON_AddBoolToObject(cell, "holds", bound_holds(&bound, measured));
}

static cJSON *build_cell(struct plan *p, const struct group *row, const char *column,
			 const char *measure)
{
	struct group g = group_pick(row, p->columns, column);
	const char *mixed = group_mixes(&g, NULL);
	struct spread s = mixed ? spread_of(NULL, 0) : group_spread(&g, measure);
	struct target target;
	cJSON *cell = cJSON_CreateObject();

	if (mixed)
		p->mixed = mixed;
	cJSON_AddItemToObject(cell, "measured", json_of_number(s.mean));
	cJSON_AddItemToObject(cell, "deviation", json_of_number(s.dev));
	cJSON_AddNumberToObject(cell, "n", s.n);
	cJSON_AddNumberToObject(cell, "runs", (double)g.n);
	if (target_parse(measure, &target))
		cJSON_AddNumberToObject(cell, "reached", s.n - s.infinite);
	add_published(cell, g.n ? published_find(p->published, g.run[0], measure) : NULL, s.mean);
	if (p->calculated)
		cJSON_AddTrueToObject(cell, "calculated");
	if (group_diverged(&g))
		cJSON_AddNumberToObject(cell, "diverged", group_diverged(&g));
	group_release(&g);
	return cell;
}

static cJSON *build_row(struct plan *p, const char *values)
{
	const cJSON *measures = json_get(p->table, "values");
	struct group g = group_pick_text(&p->all, p->row_texts, values);
	char *label = run_label(g.run[0], p->rows, p->labels);
	cJSON *row = cJSON_CreateObject(), *cells;
	const cJSON *column;
	const char *measure;

	cJSON_AddStringToObject(row, "label", label);
	cJSON_AddStringToObject(row, "value", values);
	cells = cJSON_AddArrayToObject(row, "cells");
	cJSON_ArrayForEach(column, p->column_values)
		for (int i = 0; (measure = keys_at(measures, i)); i++)
			cJSON_AddItemToArray(cells,
					     build_cell(p, &g, column->valuestring, measure));
	free(label);
	group_release(&g);
	return row;
}

/* One column of the table: which group of runs, which measure, and the words for both. */
static void add_head(const struct plan *p, cJSON *table, const char *values, const char *measure)
{
	cJSON *head = cJSON_CreateObject();
	char *group = p->columns ? run_label(group_first(&p->all, p->columns, values), p->columns,
					     p->labels) :
				   xstrdup("");
	char *label = measure_label(measure, p->labels);
	char *flat = xasprintf("%s%s%s", group, *group ? ": " : "", label);

	cJSON_AddStringToObject(head, "value", values);
	cJSON_AddStringToObject(head, "group", group);
	cJSON_AddStringToObject(head, "measure", measure);
	cJSON_AddStringToObject(head, "label", label);
	cJSON_AddItemToArray(cJSON_GetObjectItem(table, "heads"), head);
	cJSON_AddItemToArray(cJSON_GetObjectItem(table, "columns"), cJSON_CreateString(flat));
	free(group);
	free(label);
	free(flat);
}

static void add_heads(const struct plan *p, cJSON *table)
{
	const cJSON *measures = json_get(p->table, "values"), *column;
	const char *measure;

	cJSON_AddArrayToObject(table, "columns");
	cJSON_AddArrayToObject(table, "heads");
	cJSON_ArrayForEach(column, p->column_values)
		for (int i = 0; (measure = keys_at(measures, i)); i++)
			add_head(p, table, column->valuestring, measure);
}

/* Names of the keys, for the corner of the table and the head of a CSV column. */
static void add_keys(cJSON *table, const char *name, const cJSON *keys, const cJSON *labels)
{
	char *all = xstrdup("");
	const char *key;

	for (int i = 0; (key = keys_at(keys, i)); i++)
		xappend_own(&all, ", ", labels ? measure_label(key, labels) : xstrdup(key));
	cJSON_AddStringToObject(table, name, all);
	free(all);
}

/* Of a text, which is freed; NULL: none. */
static void add_note(cJSON *notes, char *text)
{
	if (text)
		cJSON_AddItemToArray(notes, cJSON_CreateString(text));
	free(text);
}

static char *mixed_note(const struct plan *p)
{
	if (!p->mixed)
		return NULL;
	warning("table '%s' mixes runs that differ in '%s', which is neither its rows nor its "
		"columns: name it there, or in \"where\"",
		json_word(p->table, "name"), p->mixed);
	return xasprintf("Cells whose runs differ in '%s' are left out.", p->mixed);
}

static void add_notes(const struct plan *p, cJSON *table)
{
	const cJSON *notes = json_get(p->table, "notes");
	cJSON *own = notes ? cJSON_Duplicate(notes, true) : cJSON_CreateArray();

	cJSON_AddItemToObject(table, "notes", own);
	add_note(own, mixed_note(p));
	add_note(own, table_diverged(table));
}

/* Whether any cell has a published number: only then the source is worth naming. */
static bool any_published(const cJSON *rows)
{
	const cJSON *row, *cell;

	cJSON_ArrayForEach(row, rows)
		cJSON_ArrayForEach(cell, json_get(row, "cells")) {
			const cJSON *there = json_get(cell, "published");

			if (there && !cJSON_IsNull(there))
				return true;
		}
	return false;
}

static cJSON *table_build(struct plan *p, const char *source)
{
	static const cJSON no_labels;
	cJSON *table = cJSON_CreateObject(), *rows;
	const cJSON *row;

	cJSON_AddStringToObject(table, "name", json_word(p->table, "name"));
	cJSON_AddStringToObject(table, "title", json_word(p->table, "title"));
	add_keys(table, "corner", p->rows, p->labels ? p->labels : &no_labels);
	add_keys(table, "rows_by", p->rows, NULL);
	add_keys(table, "columns_by", p->columns, NULL);
	add_heads(p, table);
	rows = cJSON_AddArrayToObject(table, "rows");
	cJSON_ArrayForEach(row, p->row_values)
		cJSON_AddItemToArray(rows, build_row(p, row->valuestring));
	add_notes(p, table);
	json_add_text(table, "source", any_published(rows) ? source : NULL);
	if (p->calculated)
		cJSON_AddTrueToObject(table, "calculated");
	return table;
}

static cJSON *build_table(const cJSON *spec, const cJSON *entry, const cJSON *runs)
{
	const cJSON *published = json_get(spec, "published");
	struct plan p = {
		.table = entry,
		.labels = json_get(entry, "labels"),
		.rows = json_get(entry, "rows"),
		.columns = json_get(entry, "columns"),
		.published = json_get(published, "cells"),
		.calculated = cJSON_IsTrue(json_get(published, "calculated")),
		.all = group_where(runs, json_get(entry, "where")),
	};
	cJSON *table;

	p.row_texts = group_texts(&p.all, p.rows);
	p.row_values = group_values(&p.all, p.rows);
	if (p.columns) {
		p.column_values = group_values(&p.all, p.columns);
	} else {
		p.column_values = cJSON_CreateArray();
		cJSON_AddItemToArray(p.column_values, cJSON_CreateString(""));
	}
	table = table_build(&p, json_string(published, "source"));
	path_list_free(p.row_texts);
	cJSON_Delete(p.row_values);
	cJSON_Delete(p.column_values);
	group_release(&p.all);
	return table;
}

cJSON *tables_build(const cJSON *spec, const cJSON *runs)
{
	cJSON *tables = cJSON_CreateArray();
	const cJSON *entry;

	cJSON_ArrayForEach(entry, json_get(spec, "tables"))
		cJSON_AddItemToArray(tables, build_table(spec, entry, runs));
	return tables;
}

static int write_table(const cJSON *table, const char *dir, enum table_format format)
{
	static const char *const suffix[] = { "txt", "md", "csv", "json" };
	char *path = xasprintf("%s/%s.%s", dir, json_word(table, "name"), suffix[format]);
	char *text = NULL;
	size_t n = 0;
	FILE *out = xmemstream(&text, &n);
	int rc = -1;

	table_print(table, format, out);
	if (!fclose(out))
		rc = output_write(path, text, n);
	free(text);
	free(path);
	return rc;
}

int tables_write(const cJSON *tables, const char *dir)
{
	const cJSON *table;

	if (dir_make(dir) < 0)
		return -1;
	cJSON_ArrayForEach(table, tables)
		for (int f = TABLE_TEXT; f <= TABLE_JSON; f++)
			if (write_table(table, dir, (enum table_format)f) < 0)
				return -1;
	return 0;
}
