/* Reads records with named columns: separators, quotes, names with units. */
#include "core/file/csv.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/text/opt_text.h"
#include "core/text/word.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- records ---- */

/* Skips lines that are empty or begin with '#'; adds their number to *lines. */
static const char *skip_lines(const char *text, size_t *lines)
{
	for (;;) {
		const char *end = text + strspn(text, " \t");

		if (*end == '#')
			end += strcspn(end, "\n");
		if (*end != '\n')
			return *end ? text : end;
		text = end + 1;
		++*lines;
	}
}

/* The most frequent of comma, semicolon and tab in the first record; a comma if there is none. */
static char find_separator(const char *text)
{
	static const char separators[] = ",;\t";
	size_t count[3] = { 0 }, most = 0, lines = 0;
	bool quoted = false;

	for (text = skip_lines(text, &lines); *text && (quoted || *text != '\n'); text++) {
		const char *separator = strchr(separators, *text);

		quoted ^= *text == '"';
		if (separator && !quoted)
			count[separator - separators]++;
	}
	for (size_t i = 1; i < 3; i++)
		most = count[i] > count[most] ? i : most;
	return separators[most];
}

bool csv_has_header(const char *text)
{
	size_t lines = 0;
	const char *begin = skip_lines(text, &lines);
	const size_t n = strcspn(begin, ",;\t\n");
	scoped char *first = xasprintf("%.*s", n < 64 ? (int)n : 64, begin);
	double number;

	return begin[n] && begin[n] != '\n' && !text_double(word_trim(first), &number);
}

void csv_begin(struct csv *c, const char *path, char *text)
{
	*c = (struct csv){ .path = path, .rest = text, .separator = find_separator(text),
			   .next_line = 1 };
}

void csv_release(struct csv *c)
{
	for (size_t i = 0; i < c->columns; i++)
		free(c->name[i]);
	free_all(c->name, c->field);
	*c = (struct csv){ 0 };
}

/* Length of the spaces at `text`, and of tabs unless they separate fields. */
static size_t csv_blanks(const struct csv *c, const char *text)
{
	return strspn(text, c->separator == '\t' ? " " : " \t");
}

/* Reads the quoted field at c->rest, and moves c->rest after it. */
static int csv_take_quoted(struct csv *c)
{
	char *from = c->rest + 1, *to = from;

	for (; *from && (*from != '"' || from[1] == '"'); from++) {
		c->next_line += *from == '\n';
		from += *from == '"';
		*to++ = *from;
	}
	if (!*from)
		return error("%s:%zu: this quoted field has no end (expected '\"')", c->path,
			     c->line);
	c->rest = from + 1 + csv_blanks(c, from + 1);
	*to = '\0';
	if (*c->rest && *c->rest != '\n' && *c->rest != c->separator)
		return error("%s:%zu: text after a quoted field (expected '%s')", c->path,
			     c->next_line,
			     c->separator == '\t' ? "a tab" : (char[]){ c->separator, '\0' });
	return 0;
}

/* "0,5" is "0.5" where fields are separated by semicolons, as in much of Europe. */
static void field_set_point(char *field)
{
	char *comma = strchr(field, ',');
	double number;

	if (!comma || strchr(field, '.'))
		return;
	*comma = '.';
	if (!text_double(field, &number))
		*comma = ',';
}

int csv_next(struct csv *c)
{
	char end;

	c->n = 0;
	c->rest += skip_lines(c->rest, &c->next_line) - c->rest;
	if (!*c->rest)
		return 0;
	c->line = c->next_line;
	do {
		c->rest += csv_blanks(c, c->rest);
		if (c->n == c->capacity) {
			c->capacity = c->capacity ? 2 * c->capacity : 8;
			c->field = xrealloc(c->field, c->capacity, sizeof(*c->field));
		}
		c->field[c->n++] = c->rest + (*c->rest == '"');
		if (*c->rest != '"')
			while (*c->rest && *c->rest != '\n' && *c->rest != c->separator)
				c->rest++;
		else if (csv_take_quoted(c) < 0)
			return -1;
		end = *c->rest;
		if (end)
			*c->rest++ = '\0';
	} while (end == c->separator);
	c->next_line += end == '\n';
	for (size_t i = 0; i < c->n; i++) {
		c->field[i] = word_trim(c->field[i]);
		if (c->separator == ';')
			field_set_point(c->field[i]);
	}
	return 1;
}

/* ---- names of columns ---- */

static const struct unit {
	double per_second;
	const char *names[7];
} units[] = {
	{ 1.0, { "s", "sec", "secs", "second", "seconds" } },
	{ 1e3, { "ms", "msec", "msecs", "millisecond", "milliseconds" } },
	{ 1e6, { "us", "\xc2\xb5s", "\xce\xbcs", "usec", "usecs", "microsecond",
		 "microseconds" } },
	{ 1e9, { "ns", "nsec", "nsecs", "nanosecond", "nanoseconds" } },
};

static double find_unit(const char *name)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		for (size_t k = 0; k < 7 && units[i].names[k]; k++)
			if (strcmp(units[i].names[k], name) == 0)
				return units[i].per_second;
	return 0.0;
}

/* A column name and its unit: "Step time (ms)" is "step_time" with 1e3. */
struct csv_name {
	char *base;             /* owned; "" if the name is only a unit: then seconds */
	char *whole;            /* with the unit; owned */
	double per_second;      /* 0: it has no unit */
};

static struct csv_name name_parse(const char *text)
{
	struct csv_name name = { .base = xstrdup(text), .whole = xstrdup(text) };
	char *unit = NULL;

	for (char *c = name.whole; *c; c++)
		*c = *c == ' ' || *c == '-' ? '_' : (char)tolower((unsigned char)*c);
	strcpy(name.base, name.whole);
	name.per_second = find_unit(name.base);
	if (name.per_second > 0.0) {
		name.base[0] = '\0';
		return name;
	}
	for (char *c = name.base; *c; c++)
		if (strchr("_([/", *c))
			unit = c;
	if (!unit)
		return name;
	unit[0] = '\0';
	unit[1 + strcspn(unit + 1, ")]")] = '\0';
	name.per_second = find_unit(unit + 1);
	if (name.per_second > 0.0)
		while (unit > name.base && unit[-1] == '_')
			*--unit = '\0';
	else
		strcpy(name.base, name.whole);
	return name;
}

/*
 * True when a column that is looked for may have this name; `usual` is one of the names it may
 * have.
 */
static bool name_fits(const struct csv_name *name, const struct csv_column *column,
		      const char *usual)
{
	const size_t n = strlen(name->base);

	if (strcmp(name->whole, usual) == 0)
		return true;
	if (!column->time || name->per_second <= 0.0)
		return false;
	return strcmp(n ? name->base : "seconds", usual) == 0 ||
	       (strncmp(name->base, usual, n) == 0 && strcmp(usual + n, "_s") == 0);
}

/* The first column of the header with that name, other than `but`. */
static size_t csv_find_name(const struct csv_name *name, size_t columns,
			    const struct csv_column *column, const char *usual, size_t but)
{
	for (size_t i = 0; i < columns; i++)
		if (i != but && name_fits(&name[i], column, usual))
			return i;
	return CSV_NONE;
}

bool csv_is_known(const struct csv_column *column, size_t n, size_t field)
{
	for (size_t i = 0; i < n; i++)
		if (column[i].at == field)
			return true;
	return false;
}

/* Words that say of a time that it is no step's or batch's computing. */
static const char *const other_times[] = {
	"data", "load", "loading", "loader", "dataloader", "io", "comm", "communication",
	"reduce", "allreduce", "gather", "allgather", "nccl", "sync", "wait", "waiting", "idle",
	"total", "cumulative", "remaining", "eta", "since", "start", "end", "timestamp",
	"wall", "real", "eval", "validation", "save", "checkpoint", "compile", NULL
};

/* Words that before seconds count what is done in one: "img_s", "throughput_s". */
static const char *const counts[] = {
	"throughput", "bandwidth", "rate", "speed", "it", "its", "steps", "tok", "tokens",
	"samples", "img", "imgs", "images", "examples", "frames", "bytes", "mb", "gb", "mib",
	"gib", "flops", "gflops", "tflops", NULL
};

bool csv_is_other_time(const char *word, size_t n)
{
	return word_part_is_among(word, n, other_times);
}

/* True when one of the words of a column's name is among these. */
static bool has_word(const char *name, const char *const *words)
{
	static const char between[] = " _-/([.";

	for (size_t n; *name; name += n + (name[n] != '\0')) {
		n = strcspn(name, between);
		if (word_part_is_among(name, n, words))
			return true;
	}
	return false;
}

/* True of "x/s", "samples_per_s", "rate [1/s]" and "img_s", but not of "forward_time/s". */
static bool is_rate(const struct csv_name *name)
{
	const bool slash = name->whole[strlen(name->base)] == '/';

	return word_ends(name->base, "_per") ||
	       (name->per_second <= 1.0 && ((slash && !word_ends(name->base, "time")) ||
					    has_word(name->base, counts)));
}

/* The only column with a unit that may be the time and is not one of the n others, or CSV_NONE. */
static size_t csv_find_unit(const struct csv *c, const struct csv_name *name,
			    const struct csv_column *column, size_t n)
{
	size_t found = CSV_NONE;

	for (size_t i = 0; i < c->columns; i++) {
		if (name[i].per_second <= 0.0 || has_word(name[i].base, other_times) ||
		    is_rate(&name[i]) || csv_is_known(column, n, i))
			continue;
		if (found != CSV_NONE)
			return CSV_NONE;
		found = i;
	}
	return found;
}

/* Finds the column with the most preferred of the accepted names. */
static int csv_find(const struct csv *c, const struct csv_name *name, struct csv_column *column)
{
	const char *const own[] = { column->name, NULL };
	const char *const *usual = column->names ? column->names : own;

	for (column->at = CSV_NONE; *usual && column->at == CSV_NONE; usual++)
		column->at = csv_find_name(name, c->columns, column, *usual, CSV_NONE);
	if (column->at == CSV_NONE ||
	    csv_find_name(name, c->columns, column, usual[-1], column->at) == CSV_NONE)
		return 0;
	return error("%s:%zu: two columns are called '%s'", c->path, c->line, c->name[column->at]);
}

static int csv_find_all(const struct csv *c, const struct csv_name *name,
			struct csv_column *column, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (csv_find(c, name, &column[i]) < 0)
			return -1;
	for (size_t i = 0; i < n; i++) {
		struct csv_column *own = &column[i];

		if (own->at == CSV_NONE && own->any_time)
			own->at = csv_find_unit(c, name, column, n);
		own->per_second = 1.0;
		own->has_unit = own->time && own->at != CSV_NONE && name[own->at].per_second > 0.0;
		if (own->has_unit)
			own->per_second = name[own->at].per_second;
	}
	return 0;
}

int csv_header(struct csv *c, struct csv_column *column, size_t n)
{
	struct csv_name *name;
	int ret = csv_next(c);

	if (ret < 0)
		return -1;
	if (ret == 0)
		c->line = c->next_line;
	c->columns = c->n;
	c->name = xcalloc(c->n + 1, sizeof(*c->name));
	name = xcalloc(c->n + 1, sizeof(*name));
	for (size_t i = 0; i < c->n; i++) {
		c->name[i] = xstrdup(c->field[i]);
		name[i] = name_parse(c->field[i]);
	}
	ret = csv_find_all(c, name, column, n);
	for (size_t i = 0; i < c->n; i++)
		free_all(name[i].base, name[i].whole);
	free(name);
	return ret;
}

/* ---- missing columns ---- */

/* Advice for a missing column; owned by the caller. */
static char *csv_advice(const struct csv *c, const struct csv_column *column, size_t n)
{
	const struct csv_column *missing = NULL;
	const char *other = NULL;
	size_t lacking = 0, others = 0;
	double number;

	for (size_t i = 0; i < n; i++) {
		if (column[i].at != CSV_NONE)
			continue;
		missing = &column[i];
		lacking++;
	}
	for (size_t i = 0; i < c->columns; i++)
		if (!csv_is_known(column, n, i)) {
			other = c->name[i];
			others++;
		}
	if (c->columns == 0 || text_double(c->name[0], &number))
		return xstrdup("Put a line with these names in front");
	if (lacking != 1)
		return xstrdup("Rename the columns");
	if (missing->time)
		return xasprintf("Call the column '%s' that has the time of computing alone, not "
				 "of a clock; of a clock, take the differences", missing->name);
	return others == 1 ? xasprintf("Rename '%s' to '%s'", other, missing->name)
			   : xasprintf("Rename the column that has it to '%s'", missing->name);
}

int csv_need(const struct csv *c, const struct csv_column *column, size_t n)
{
	enum { SHOWN = 200 };   /* characters of the names there are */
	char *has = NULL, *expected = NULL, *advice;
	bool found = true;

	for (size_t i = 0; i < n; i++) {
		found = found && column[i].at != CSV_NONE;
		xappend(&expected, ", ", column[i].name);
	}
	if (found) {
		free(expected);
		return 0;
	}
	for (size_t i = 0; i < c->columns && (!has || strlen(has) < SHOWN); i++)
		xappend(&has, ", ", c->name[i]);
	advice = csv_advice(c, column, n);
	error("%s:%zu: columns: %.*s; expected %s. %s", c->path, c->line, (int)SHOWN,
	      has ? has : "none", expected, advice);
	free_all(has, expected, advice);
	return -1;
}

/* ---- rows ---- */

double csv_bare_unit(const struct csv *c, const struct csv_column *times, size_t longer, size_t n)
{
	const char *name = c->name[times->at];

	if (2 * longer <= n)
		return 1.0;
	if (times->has_unit) {
		if (times->per_second <= 1.0)
			warning("%s: column '%s': the median is above %g s. Call it step_time_ms "
				"if these are milliseconds", c->path, name, CSV_LONGEST_S);
		return 1.0;
	}
	note("%s: column '%s' has no unit; its median is above %g, so milliseconds are assumed. "
	     "Call it %s_s if they are seconds", c->path, name, CSV_LONGEST_S, name);
	return 1e-3;
}

int csv_row(struct csv *c)
{
	const int ret = csv_next(c);

	if (ret <= 0 || c->n == c->columns)
		return ret;
	return error("%s:%zu: %zu field%s, but the header names %zu column%s", c->path, c->line,
		     c->n, word_plural((double)c->n), c->columns, word_plural((double)c->columns));
}

static int csv_refuse(const struct csv *c, const struct csv_column *column, const char *what)
{
	const char *text = c->field[column->at];

	return error("%s:%zu: column '%s': '%.40s' is no %snumber%s", c->path, c->line,
		     c->name[column->at], text, what,
		     strchr(text, ',') ? ". Write a decimal point, and no separators of thousands"
				       : "");
}

int csv_double(const struct csv *c, const struct csv_column *column, double *value)
{
	if (!text_double(c->field[column->at], value))
		return csv_refuse(c, column, "");
	*value /= column->per_second;
	return 0;
}

int csv_int(const struct csv *c, const struct csv_column *column, int64_t *value)
{
	return text_int(c->field[column->at], value) ? 0 : csv_refuse(c, column, "whole ");
}
