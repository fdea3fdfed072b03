/*
 * csv.c - a table of the user's own: a row for each sample, with numbers and one target.
 *
 * Targets that are words become classes in the order of the alphabet. Test rows are drawn at
 * random: row i is a test sample if its image under a permutation drawn at (seed, RNG_DATA, 0) is
 * below their number.
 */
#include "core/file/csv.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/textfile.h"
#include "core/math/rng.h"
#include "core/text/word.h"
#include "data/samples_file.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 1 << 16, MOST_BYTES = 1 << 30 };

struct conf {
	struct samples_file of;
	char *target, *without;
	double share;
	int64_t seed;
};

/* A table while it is read. */
struct table {
	struct csv csv;
	const struct conf *conf;
	size_t columns, target;
	bool *out;              /* [columns] columns that are left out; owned */
	float *x;               /* [rows][inputs], owned */
	struct texts targets;   /* [rows] */
	size_t rows, inputs;
};

static void table_release(struct table *t)
{
	csv_release(&t->csv);
	free_all(t->out, t->x);
	texts_release(&t->targets);
}

/* ---- columns ---- */

/* *at <- the column of that name, or, as a number, from 1. 0, or error() that lists the names. */
static int column_find(const struct table *t, const char *setting, const char *name, size_t *at)
{
	char *known = NULL, *end;
	const unsigned long long number = strtoull(name, &end, 10);
	size_t found = 0;

	for (size_t i = t->csv.columns; i-- > 0;)
		if (strcmp(t->csv.name[i], name) == 0) {
			*at = i;
			found++;
		}
	if (found > 1)
		return error("%s: %zu columns are called '%.64s', which %s names (expected one). "
			     "Give its number, from 1; the first is %zu", t->csv.path, found, name,
			     setting, *at + 1);
	if (found)
		return 0;
	if (isdigit((unsigned char)*name) && !*end && number >= 1 && number <= t->columns) {
		*at = (size_t)number - 1;
		return 0;
	}
	for (size_t i = 0; i < t->csv.columns && i < 12; i++)
		xappendf(&known, ", ", "%.40s", t->csv.name[i]);
	error("%s: has no column '%.64s', which %s names (expected %s%sa number from 1 to %zu)",
	      t->csv.path, name, setting, known ? known : "", known ? ", or " : "", t->columns);
	free(known);
	return -1;
}

/* Whether a column has no name, or the one that pandas gives such a column. */
static bool column_is_unnamed(const struct table *t, size_t k)
{
	return t->csv.columns && (!*t->csv.name[k] || strncmp(t->csv.name[k], "Unnamed: ", 9) == 0);
}

/* Finds the target's column, and those to leave out. 0 or error(). */
static int columns_choose(struct table *t)
{
	char *names = xstrdup(t->conf->without), *rest = NULL;
	int ret = 0;

	t->target = t->columns - 1;
	t->out = xcalloc(t->columns, sizeof(*t->out));
	if (t->conf->target)
		ret = column_find(t, "target", t->conf->target, &t->target);
	for (char *name = names ? strtok_r(names, "/", &rest) : NULL; name && !ret;
	     name = strtok_r(NULL, "/", &rest)) {
		size_t at = 0;

		ret = column_find(t, "without", name, &at);
		if (!ret)
			t->out[at] = true;
	}
	free(names);
	if (!ret && t->out[t->target])
		ret = error("%s: without leaves out the target's column, %zu. Choose another one",
			    t->csv.path, t->target + 1);
	for (size_t k = 0; k < t->columns && !ret; k++) {
		if (k != t->target && !t->out[k] && column_is_unnamed(t, k)) {
			samples_note_own(xasprintf("%s: column %zu has no name, as an index that "
						   "pandas writes, and is left out. Name it to "
						   "keep it", t->csv.path, k + 1));
			t->out[k] = true;
		}
		t->inputs += !t->out[k] && k != t->target;
	}
	if (!ret && !t->inputs)
		ret = error("%s: has no column of numbers but the target", t->csv.path);
	return ret;
}

/* Name of a column for messages: 'age', or its number from 1. The caller frees. */
static char *column_name(const struct table *t, size_t k)
{
	return t->csv.columns ? xasprintf("'%.64s'", t->csv.name[k]) : xasprintf("%zu", k + 1);
}

/* ---- rows ---- */

/* *value <- a finite number; false if the field is none. */
static bool field_number(const char *field, double *value)
{
	char *end;

	*value = strtod(field, &end);
	return *field && !*end && isfinite(*value) && !strpbrk(field, "xXpP");
}

static int row_bad(const struct table *t, size_t k)
{
	const char *field = t->csv.field[k];
	scoped char *name = column_name(t, k);

	if (*field)
		error("%s:%zu: column %s: '%.40s' is no number that float32 can hold (expected "
		      "numbers in all columns but the target's). Convert it, or leave the column "
		      "out: without=%.64s", t->csv.path, t->csv.line, name, field,
		      t->csv.columns ? t->csv.name[k] : name);
	else
		error("%s:%zu: column %s: the value is missing. Fill it in, or remove the row",
		      t->csv.path, t->csv.line, name);
	return -1;
}

/* Adds the present record. 0 or error(). */
static int row_add(struct table *t)
{
	size_t at = t->rows * t->inputs;

	if (t->csv.n != t->columns)
		return error("%s:%zu: %zu field%s, expected %zu, as in the first line",
			     t->csv.path, t->csv.line, t->csv.n, word_plural((double)t->csv.n),
			     t->columns);
	t->x = xgrown(t->x, t->rows, t->inputs * sizeof(*t->x));
	for (size_t k = 0; k < t->columns; k++) {
		double v;

		if (k == t->target && !*t->csv.field[k])
			return row_bad(t, k);
		if (k == t->target || t->out[k])
			continue;
		if (!field_number(t->csv.field[k], &v) || fabs(v) > (double)3.4e38F)
			return row_bad(t, k);
		t->x[at++] = (float)v;
	}
	texts_put(&t->targets, t->csv.field[t->target]);
	t->rows++;
	return 0;
}

/* Says which inputs count the rows: a net learns from them where in the file a sample was. */
static void rows_note_counts(const struct table *t)
{
	enum { FEW = 10 };      /* rows that may count by chance */
	size_t at = 0;

	for (size_t k = 0; k < t->columns; k++) {
		size_t row = 1;
		scoped char *name = NULL;

		if (t->out[k] || k == t->target)
			continue;
		while (row < t->rows &&
		       !islessgreater(t->x[row * t->inputs + at], t->x[at] + (float)row))
			row++;
		at++;
		if (row < t->rows || row < FEW)
			continue;
		name = column_name(t, k);
		samples_note_own(xasprintf(
			"%s: column %s counts the rows, so a net can learn where in the file a "
			"sample was. To leave it out: without=%.64s", t->csv.path, name,
			t->csv.columns ? t->csv.name[k] : name));
	}
}

static int table_read(struct table *t, char *text)
{
	const bool named = csv_has_header(text);
	int ret;

	if (named && csv_header(&t->csv, NULL, 0))
		return -1;
	while ((ret = csv_next(&t->csv)) > 0) {
		if (!t->columns) {
			t->columns = named ? t->csv.columns : t->csv.n;
			if (t->columns < 2 || t->columns > MOST_COLUMNS)
				return error("%s:%zu: %zu column%s (expected 2 to %d, separated "
					     "by commas, semicolons or tabs)", t->csv.path,
					     t->csv.line, t->columns,
					     word_plural((double)t->columns), MOST_COLUMNS);
			if (columns_choose(t))
				return -1;
		}
		if (row_add(t))
			return -1;
	}
	if (!ret && t->rows < 2)
		ret = error("%s: has %zu row%s of samples (expected 2 or more)", t->csv.path,
			    t->rows, word_plural((double)t->rows));
	if (!ret)
		rows_note_counts(t);
	return ret;
}

/* ---- targets ---- */

/* True of digits with a sign, as integers are written. */
static bool text_is_whole(const char *text)
{
	text += *text == '-' || *text == '+';
	return *text && strspn(text, "0123456789") == strlen(text);
}

/* y[rows] <- the number of each word in the order of the alphabet; says which is which. */
static void targets_number_words(const struct table *t, double *y)
{
	scoped char **sorted = xcalloc(t->rows, sizeof(*sorted)), *shown = NULL, *name = NULL;
	size_t n = 0;

	memcpy(sorted, t->targets.v, t->rows * sizeof(*sorted));
	qsort(sorted, t->rows, sizeof(*sorted), texts_order);
	for (size_t i = 0; i < t->rows; i++)
		if (!n || strcmp(sorted[n - 1], sorted[i]) != 0)
			sorted[n++] = sorted[i];
	for (size_t i = 0; i < t->rows; i++) {
		char **at = bsearch(&t->targets.v[i], sorted, n, sizeof(*sorted), texts_order);

		y[i] = (double)(at - sorted);
	}
	for (size_t k = 0; k < n && k < 8; k++)
		xappendf(&shown, ", ", "%zu %.40s", k, sorted[k]);
	name = column_name(t, t->target);
	samples_note_own(xasprintf("%s: column %s has words, which are classes: %s%s", t->csv.path,
				   name, shown, n > 8 ? ", ..." : ""));
}

/* y[rows] <- the targets; *whole: they are integers, or classes. */
static void targets_read(const struct table *t, double *y, bool *whole)
{
	bool numbers = true;

	*whole = true;
	for (size_t i = 0; i < t->rows; i++) {
		numbers &= field_number(t->targets.v[i], &y[i]);
		*whole &= text_is_whole(t->targets.v[i]);
	}
	if (!numbers) {
		targets_number_words(t, y);
		*whole = true;
	}
}

/* ---- splits ---- */

/* Copies each row to its split. */
static void table_split(const struct table *t, const double *y, struct samples_raw *raw)
{
	const uint64_t n = t->rows;
	uint64_t test = (uint64_t)(t->conf->share * (double)n + 0.5);
	int64_t at[2] = { 0, 0 };

	test = test < 1 ? 1 : test > n - 1 ? n - 1 : test;
	raw->n[SPLIT_TRAIN] = (int64_t)(n - test);
	raw->n[SPLIT_TEST] = (int64_t)test;
	for (int k = 0; k < 2; k++) {
		raw->numbers[k] = vec_new((size_t)raw->n[k] * t->inputs);
		raw->targets[k] = xcalloc((size_t)raw->n[k], sizeof(double));
	}
	for (uint64_t i = 0; i < n; i++) {
		const int k = rng_permute((uint64_t)t->conf->seed, RNG_DATA, 0, n, i) < test;

		memcpy(raw->numbers[k] + (size_t)at[k] * t->inputs, t->x + i * t->inputs,
		       t->inputs * sizeof(float));
		raw->targets[k][at[k]++] = y[i];
	}
}

static int csv_read(const char *path, const void *conf, struct samples_raw *raw)
{
	struct table t = { .conf = conf };
	char *text = textfile_read_most(path, MOST_BYTES);
	double *y;
	int ret;

	if (!text)
		return -1;
	csv_begin(&t.csv, path, text);
	ret = table_read(&t, text);
	if (!ret) {
		raw->height = raw->width = raw->outputs = 1;
		raw->channels = (int)t.inputs;
		raw->target_name[0] = raw->target_name[1] = "the target's column";
		y = xcalloc(t.rows, sizeof(*y));
		targets_read(&t, y, &raw->whole);
		table_split(&t, y, raw);
		free(y);
	}
	table_release(&t);
	free(text);
	return ret;
}

/* ---- the format ---- */

extern const struct dataset_type dataset_csv;

static const struct samples_format csv = {
	.numbers = &dataset_csv, .expected = "a table of numbers, with a row for each sample",
	.read = csv_read,
};

static struct dataset *csv_open(const void *conf)
{
	return samples_file_open(&csv, conf);
}

static int csv_shape(const void *conf, struct dataset_shape *shape)
{
	return samples_file_shape(&csv, conf, shape);
}

static int csv_count(const void *conf, int64_t n[2])
{
	return samples_file_count(&csv, conf, n);
}

static int csv_look(const void *conf)
{
	return samples_file_look(&csv, conf);
}

static int csv_complete(void *conf)
{
	return samples_file_complete(&csv, conf);
}

static const struct opt opts[] = {
	SAMPLES_FILE_OPT(struct conf, "a row for each sample, separated by commas, semicolons or "
			 "tabs; the first line may name the columns"),
	OPT_TEXT(struct conf, target,
		 "column of the target: its name, or its number from 1; else the last one",
		 "COLUMN"),
	OPT_TEXT(struct conf, without, "columns to leave out, as ID/NAME", "COLUMNS"),
	OPT_NUMBER(struct conf, share, "0.2", "share of the rows that are test samples", "SHARE", 0,
		   1),
	OPT_NUMBER(struct conf, seed, "0", "of the draw of test rows", "N", 0,
		   9007199254740992.0),
	SAMPLES_OPTS(struct conf),
	SAMPLES_CONTENTS_OPT(struct conf),
	{ 0 }
};

const struct dataset_type dataset_csv = {
	.plugin = {
		.name = "csv",
		.brief = "a table of your own, with a row for each sample",
		.also = "*.csv=csv:file=*, *.tsv=csv:file=*",
		.opts = opts,
		.conf_size = sizeof(struct conf),
	},
	.shape = csv_shape,
	.count = csv_count,
	.look = csv_look,
	.complete = csv_complete,
	.contents = samples_file_contents,
	.open = csv_open,
	.vector = samples_vector,
	.label = samples_label,
	.close = samples_close,
};
