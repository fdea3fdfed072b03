/* Builds the tables of a spec from runs, and writes and reads them as JSON. */
#include "report/table/table.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/fields.h"
#include "core/file/json.h"
#include "core/file/members.h"
#include "core/file/paths.h"
#include "record/measure.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- built ---- */

struct building {                       /* one table of the spec */
	const cJSON *labels, *where, *notes;
	const cJSON *rows, *columns, *values;   /* keys; columns may be NULL */
	const cJSON *published;         /* cells, or NULL */
	const char *source;             /* of these; NULL */
	bool calculated;
	struct selection all;
	const char *mixed;              /* a setting in which a cell's runs differ, or NULL */
};

/* A copy of the member's text; "" where there is none. */
static char *text_of(const cJSON *object, const char *key)
{
	return xstrdup(json_word(object, key));
}

static struct published published_of(const cJSON *value)
{
	struct published p = { .number = (double)NAN, .text = value_text(value) };
	struct bound bound;

	if (cJSON_IsNumber(value)) {
		p.kind = PUBLISHED_NUMBER;
		p.number = value->valuedouble;
	} else if (cJSON_IsString(value)) {
		p.kind = PUBLISHED_BOUND;
		if (bound_parse(p.text, &bound))
			p.number = bound.limit;
	} else if (cJSON_IsBool(value)) {
		p.kind = PUBLISHED_BOOL;
	}
	return p;
}

/* A cell of the runs `s`. */
static struct table_cell build_cell(struct building *b, const struct selection *s,
				    const char *measure)
{
	const char *mixed = select_mixes(s, NULL);
	struct spread spread = mixed ? spread_of(NULL, 0) : select_spread(s, measure);
	const cJSON *published = s->n ? published_number(b->published, s->run[0], measure) : NULL;
	struct table_cell c = { spread.mean, spread.dev, spread.n, (int)s->n, select_diverged(s),
			  .reached = -1, .published = published_of(published),
			  .relative_error = (double)NAN, .holds = -1, .calculated = b->calculated,
			  .share = measure_range(measure) == RANGE_SHARE };
	struct target target;
	struct bound bound;

	if (mixed)
		b->mixed = mixed;
	if (target_parse(measure, &target))
		c.reached = spread.n - spread.infinite;
	if (c.published.kind == PUBLISHED_NUMBER && isfinite(c.mean) &&
	    fpclassify(c.published.number) != FP_ZERO)
		c.relative_error = (c.mean - c.published.number) / fabs(c.published.number);
	if (c.published.kind == PUBLISHED_BOUND && bound_parse(c.published.text, &bound) &&
	    !isnan(c.mean))
		c.holds = bound_holds(&bound, c.mean);
	return c;
}

static void build_row(struct building *b, struct table *t, char *const *texts, const char *values,
		      char *const *columns)
{
	scoped_by(selection_release) struct selection s = select_text(&b->all, texts, values);
	struct table_row *row = &t->row[t->nrows++];
	scoped_paths char **own = select_texts(&s, b->columns);
	const char *measure;
	size_t n = 0;

	*row = (struct table_row){ xstrdup(values), result_label(s.run[0], b->rows, b->labels),
			     xcalloc(t->nheads + 1, sizeof(struct table_cell)) };
	for (; *columns; columns++) {
		scoped_by(selection_release) struct selection cell = select_text(&s, own, *columns);

		selection_once(&cell);
		for (int i = 0; (measure = keys_at(b->values, i)); i++)
			row->cell[n++] = build_cell(b, &cell, measure);
	}
}

/* Whether cells that have runs have different numbers of them. */
static bool table_seeds_differ(const struct table *t)
{
	int least = 0, most = 0;

	for (size_t i = 0; i < t->nrows; i++)
		for (size_t k = 0; k < t->nheads; k++) {
			const int runs = t->row[i].cell[k].runs;

			least = runs && (!least || runs < least) ? runs : least;
			most = runs > most ? runs : most;
		}
	return least != most;
}

/*
 * Where cells are means over different numbers of seeds, one of each group of a row says of how
 * many: the first one with a number, for all measures are of the same runs.
 */
static void table_count_seeds(struct table *t)
{
	const bool differ = table_seeds_differ(t);

	for (size_t i = 0; i < t->nrows && differ; i++) {
		bool said = false;

		for (size_t k = 0; k < t->nheads; k++) {
			struct table_cell *c = &t->row[i].cell[k];

			said = said && k && !strcmp(t->head[k].value, t->head[k - 1].value);
			c->counted = !said && !isnan(c->mean);
			said = said || c->counted;
		}
	}
}

static void build_heads(const struct building *b, struct table *t, char *const *columns)
{
	scoped_paths char **texts = select_texts(&b->all, b->columns);
	const char *measure;

	for (; *columns; columns++) {
		const struct result *first = NULL;

		for (size_t i = 0; i < b->all.n && !first; i++)
			first = strcmp(texts[i], *columns) == 0 ? b->all.run[i] : NULL;
		for (int i = 0; (measure = keys_at(b->values, i)); i++)
			APPEND(t->head, t->nheads) = (struct table_head){
				xstrdup(*columns),
				b->columns ? result_label(first, b->columns, b->labels) :
					     xstrdup(""),
				xstrdup(measure), measure_label(measure, b->labels)
			};
	}
}

/* Names of keys with ", " between, for the corner of the table and the head of a CSV column. */
static char *keys_text(const cJSON *keys, const cJSON *labels, bool words,
		       const cJSON *measures)
{
	char *all = xstrdup("");
	const char *key;

	for (int i = 0; (key = keys_at(keys, i)); i++)
		/* a measure may have the name of a setting */
		xappend_own(&all, ", ", keys_have(measures, key) ? xasprintf("%s (setting)", key)
					: words ? measure_label(key, labels) : xstrdup(key));
	return all;
}

void table_note(struct table *t, const char *text)
{
	size_t n = 0;

	while (t->notes && t->notes[n])
		n++;
	t->notes = xrealloc(t->notes, n + 2, sizeof(*t->notes));
	t->notes[n] = xstrdup(text);
	t->notes[n + 1] = NULL;
}

static void table_note_own(struct table *t, char *text)
{
	if (text)
		table_note(t, text);
	free(text);
}

/*
 * "2 of 6 runs diverged (a loss was not finite): ASGD, 16 (2 of 3)", by rows and groups; NULL where
 * none did. The cells of a group, one a measure, are of the same runs: the first one counts.
 */
static char *diverged_note(const struct table *t)
{
	enum { NAMED = 6 };             /* cells, at most */
	long all = 0, diverged = 0;
	int cells = 0;
	char *names = NULL, *note;

	for (size_t i = 0; i < t->nrows; i++)
		for (size_t k = 0; k < t->nheads; k++) {
			const struct table_row *r = &t->row[i];
			const struct table_cell *c = &r->cell[k];
			const char *group = t->head[k].group;

			if (k && strcmp(t->head[k].value, t->head[k - 1].value) == 0)
				continue;
			all += c->runs;
			diverged += c->diverged;
			if (!c->diverged || cells++ >= NAMED)
				continue;
			xappendf(&names, "; ", "%s%s%s", r->label, *group ? ", " : "", group);
			if (c->runs > 1)
				xappendf(&names, "", " (%d of %d)", c->diverged, c->runs);
		}
	if (!diverged)
		return NULL;
	if (cells > NAMED)
		xappendf(&names, "", "; and %d more", cells - NAMED);
	note = xasprintf("%ld of %ld runs diverged (a loss was not finite): %s", diverged, all,
			 names);
	free(names);
	return note;
}

static char *mixed_note(const struct building *b, const char *name)
{
	if (!b->mixed)
		return NULL;
	warning("table '%s' mixes runs that differ in '%s', which is neither its rows nor its "
		"columns: name it there, or in \"where\"", name, b->mixed);
	return xasprintf("Cells whose runs differ in '%s' are left out.", b->mixed);
}

/* Amounts of whole runs that do not compare runs of different lengths: NULL, or which it shows. */
static const char *whole_amount(const struct building *b)
{
	const char *measure;

	for (int i = 0; (measure = keys_at(b->values, i)); i++)
		if (strcmp(measure, measure_table[MEASURE_COST].name) == 0 ||
		    strcmp(measure, measure_table[MEASURE_GPU_HOURS].name) == 0)
			return measure;
	return NULL;
}

/* Runs that were as long as each other may differ by a last round. */
static char *lengths_note(const struct building *b)
{
	const char *amount = whole_amount(b);
	double least = (double)INFINITY, most = 0.0;

	for (size_t i = 0; amount && i < b->all.n; i++) {
		const double epochs = b->all.run[i]->number[MEASURE_EPOCHS];

		least = fmin(least, epochs);
		most = fmax(most, epochs);
	}
	if (!(most > 1.05 * least))
		return NULL;
	return xasprintf("%s is that of whole runs, which have %.4g to %.4g epochs: --epochs makes "
			 "them alike.", amount, least, most);
}

/* Whether any cell has a published number: only then the source is worth naming. */
static bool any_published(const struct table *t)
{
	for (size_t i = 0; i < t->nrows; i++)
		for (size_t k = 0; k < t->nheads; k++)
			if (t->row[i].cell[k].published.kind != PUBLISHED_NONE)
				return true;
	return false;
}

static struct table build_table(const cJSON *spec, const cJSON *entry, const struct results *runs)
{
	static const struct field members[] = {
		FIELD(TREE, struct building, labels, "labels"),
		FIELD(TREE, struct building, where, "where"),
		FIELD(TREE, struct building, notes, "notes"),
		FIELD(TREE, struct building, rows, "rows"),
		FIELD(TREE, struct building, columns, "columns"),
		FIELD(TREE, struct building, values, "values"), { 0 }
	};
	static const struct field of_published[] = {
		FIELD(TREE, struct building, published, "cells"),
		FIELD(LENT, struct building, source, "source"),
		FIELD(BOOL, struct building, calculated, "calculated"), { 0 }
	};
	static char no_column[] = "", *no_columns[] = { no_column, NULL };
	struct building b = { 0 };
	char **texts, **rows, **columns;
	const cJSON *note;
	struct table t;

	fields_read(entry, members, &b);
	fields_read(json_get(spec, "published"), of_published, &b);
	b.all = select_where(runs, b.where);
	texts = select_texts(&b.all, b.rows);
	rows = select_distinct(&b.all, b.rows);
	columns = b.columns ? select_distinct(&b.all, b.columns) : NULL;
	t = (struct table){
		.name = text_of(entry, "name"),
		.title = text_of(entry, "title"),
		.corner = keys_text(b.rows, b.labels, true, b.values),
		.rows_by = keys_text(b.rows, NULL, false, NULL),
		.columns_by = keys_text(b.columns, NULL, false, NULL),
		.row = xcalloc(b.all.n + 1, sizeof(struct table_row)),
		.calculated = b.calculated,
	};
	build_heads(&b, &t, columns ? columns : no_columns);
	for (char **row = rows; *row; row++)
		build_row(&b, &t, texts, *row, columns ? columns : no_columns);
	cJSON_ArrayForEach(note, b.notes)
		table_note(&t, note->valuestring);
	table_note_own(&t, mixed_note(&b, t.name));
	table_note_own(&t, lengths_note(&b));
	table_note_own(&t, diverged_note(&t));
	table_count_seeds(&t);
	t.source = b.source && any_published(&t) ? xstrdup(b.source) : NULL;
	path_list_free(texts);
	path_list_free(rows);
	path_list_free(columns);
	selection_release(&b.all);
	return t;
}

struct tables tables_build(const cJSON *spec, const struct results *runs)
{
	const cJSON *entries = json_get(spec, "tables"), *entry;
	struct tables tables = {
		.v = xcalloc((size_t)cJSON_GetArraySize(entries) + 1, sizeof(struct table))
	};

	cJSON_ArrayForEach(entry, entries)
		tables.v[tables.n++] = build_table(spec, entry, runs);
	return tables;
}

static const struct field name_fields[] = {
	FIELD(WORD, struct table, name, "name"), FIELD(WORD, struct table, title, "title"),
	FIELD(WORD, struct table, corner, "corner"), FIELD(WORD, struct table, rows_by, "rows_by"),
	FIELD(WORD, struct table, columns_by, "columns_by"), { 0 }
};

static const struct field head_fields[] = {
	FIELD(WORD, struct table_head, value, "value"),
	FIELD(WORD, struct table_head, group, "group"),
	FIELD(WORD, struct table_head, measure, "measure"),
	FIELD(WORD, struct table_head, label, "label"), { 0 }
};

static const struct field heads_fields[] = {
	FIELD_ARRAY(LIST, struct table, head, nheads, "heads", head_fields), { 0 }
};

void table_release(struct table *t)
{
	for (size_t i = 0; i < t->nrows; i++) {
		for (size_t k = 0; k < t->nheads; k++)
			free(t->row[i].cell[k].published.text);
		free_all(t->row[i].cell, t->row[i].value, t->row[i].label);
	}
	fields_release(name_fields, t);
	fields_release(heads_fields, t);
	free_all(t->row, t->source);
	path_list_free(t->notes);
	*t = (struct table){ 0 };
}

void tables_release(struct tables *tables)
{
	for (size_t i = 0; i < tables->n; i++)
		table_release(&tables->v[i]);
	free(tables->v);
	*tables = (struct tables){ 0 };
}

/* ---- JSON ---- */

static cJSON *cell_json(const struct table_cell *c)
{
	const struct published *p = &c->published;

	return OBJECT(j_wide("measured", c->mean),
		      j_wide("deviation", c->deviation), j_number("n", c->n),
		      j_number("runs", c->runs),
		      j_if(c->reached >= 0, j_number("reached", c->reached)),
		      p->kind == PUBLISHED_NUMBER ? j_number("published", p->number) :
		      p->kind == PUBLISHED_BOOL	  ? j_bool("published", !strcmp(p->text, "true")) :
						    j_text("published", p->text),
		      j_wide("relative_error", c->relative_error),
		      j_if(c->holds >= 0, j_bool("holds", c->holds > 0)),
		      j_if(c->calculated, j_bool("calculated", true)),
		      j_if(c->diverged, j_number("diverged", c->diverged)));
}

cJSON *table_json(const struct table *t)
{
	cJSON *rows = cJSON_CreateArray(), *json = fields_add(cJSON_CreateObject(), name_fields, t);
	scoped_by(texts_release) struct texts columns = { 0 };

	for (size_t i = 0; i < t->nheads; i++) {
		const struct table_head *h = &t->head[i];

		texts_putf(&columns, "%s%s%s", h->group, *h->group ? ": " : "", h->label);
	}
	for (size_t i = 0; i < t->nrows; i++) {
		const struct table_row *r = &t->row[i];
		cJSON *cells = cJSON_CreateArray();

		for (size_t k = 0; k < t->nheads; k++)
			list_add(cells, cell_json(&r->cell[k]));
		list_add(rows, OBJECT(j_text("label", r->label), j_text("value", r->value),
				      j_json("cells", cells)));
	}
	ADD(json, j_texts("columns", columns.v, columns.n));
	fields_add(json, heads_fields, t);
	ADD(json, j_json("rows", rows), j_texts("notes", t->notes, t->notes ? SIZE_MAX : 0),
	    j_text("source", t->source), j_if(t->calculated, j_bool("calculated", true)));
	return json;
}

cJSON *tables_json(const struct tables *tables)
{
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; i < tables->n; i++)
		list_add(list, table_json(&tables->v[i]));
	return list;
}

double table_number(const cJSON *object, const char *key)
{
	const double x = json_number(object, key);

	return x >= DBL_MAX ? HUGE_VAL : x;
}

/* A member of a kept file as a count, 0 when it is none. */
static int table_count(const cJSON *object, const char *key)
{
	enum { MOST = 1 << 20 };        /* a file may say anything, and counts are added */

	return (int)fmin(MOST, fmax(0, table_number(object, key)));
}

static struct table_cell cell_of_json(const cJSON *json, const char *measure)
{
	const cJSON *holds = json_get(json, "holds");

	return (struct table_cell){
		.mean = table_number(json, "measured"),
		.deviation = table_number(json, "deviation"),
		.n = table_count(json, "n"), .runs = table_count(json, "runs"),
		.diverged = table_count(json, "diverged"),
		.reached = json_get(json, "reached") ? table_count(json, "reached") : -1,
		.published = published_of(json_get(json, "published")),
		.relative_error = table_number(json, "relative_error"),
		.holds = cJSON_IsBool(holds) ? cJSON_IsTrue(holds) : -1,
		.calculated = json_is_true(json, "calculated"),
		.share = measure_range(measure) == RANGE_SHARE,
	};
}

static bool table_is_whole(const cJSON *heads, const cJSON *rows, const cJSON *notes)
{
	const int n = cJSON_GetArraySize(heads);
	const cJSON *item;

	if (!cJSON_IsArray(heads) || !cJSON_IsArray(rows) || (rows->child && n < 1))
		return false;
	cJSON_ArrayForEach(item, rows)
		if (cJSON_GetArraySize(json_get(item, "cells")) != n)
			return false;
	cJSON_ArrayForEach(item, notes)
		if (!cJSON_IsString(item))
			return false;
	return true;
}

bool table_of_json(struct table *t, const cJSON *json)
{
	const cJSON *rows = json_get(json, "rows"), *notes = json_get(json, "notes"), *item, *cell;

	if (!table_is_whole(json_get(json, "heads"), rows, notes))
		return false;
	*t = (struct table){
		.row = xcalloc((size_t)cJSON_GetArraySize(rows) + 1, sizeof(struct table_row)),
		.source = xstrdup(json_string(json, "source")),
		.calculated = json_is_true(json, "calculated"),
	};
	fields_read(json, name_fields, t);
	fields_read(json, heads_fields, t);
	cJSON_ArrayForEach(item, rows) {
		struct table_row *r = &t->row[t->nrows++];
		size_t k = 0;

		*r = (struct table_row){ text_of(item, "value"),
				   text_of(item, "label"),
				   xcalloc(t->nheads + 1, sizeof(struct table_cell)) };
		json_each(cell, item, "cells") {
			r->cell[k] = cell_of_json(cell, t->head[k].measure);
			k++;
		}
	}
	cJSON_ArrayForEach(item, notes)
		table_note(t, item->valuestring);
	table_count_seeds(t);
	return true;
}

int table_read(struct table *t, const cJSON *json, const char *path)
{
	return table_of_json(t, json) ? 0 :
	       error("%s: not a whole table: heads, rows of as many cells and notes are expected. "
		     "Write it again with 'convoy run'.", path);
}
