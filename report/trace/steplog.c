/* Reads a log of step times, and refuses one with a step missing. */
#include "report/trace/steplog.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "core/text/opt_text.h"
#include "core/text/word.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Eleven days: a larger number is the time of day. */
static const double LONGEST = 1e6;

enum { MOST_WORKERS = 1 << 24 };

static const int64_t MOST_STEPS = (int64_t)1 << 53;

struct steplog_row {
	int64_t worker, step;
	double seconds;
	int line;
};

struct steplog_rows {
	const char *path;
	struct steplog_row *v;  /* [n], owned */
	size_t n;
};

/* ---- a line ---- */

/* Cuts a line at its commas; the number of fields, at most one more than there should be. */
static size_t steplog_fields(char *line, char *field[4])
{
	size_t n = 0;

	for (char *next = line; next && n < 4; line = next) {
		next = strchr(line, ',');
		if (next)
			*next++ = '\0';
		field[n++] = word_trim(line);
	}
	return n;
}

static int steplog_check_header(const char *path, char *line)
{
	static const char *const names[] = { "worker", "step", "seconds" };
	char *field[4];
	bool good = steplog_fields(line, field) == 3;

	for (size_t i = 0; good && i < 3; i++)
		good = strcmp(field[i], names[i]) == 0;
	return good ? 0 : error("%s:1: the header is not worker,step,seconds", path);
}

static int steplog_check_row(const char *path, const struct steplog_row *r)
{
	if (r->worker < 0 || r->worker >= MOST_WORKERS)
		return error("%s:%d: there is no worker %" PRId64 " (0 to %d)", path, r->line,
			     r->worker, MOST_WORKERS - 1);
	if (r->step < 0 || r->step > MOST_STEPS)
		return error("%s:%d: there is no step %" PRId64 " (0 to %" PRId64 ")", path,
			     r->line, r->step, MOST_STEPS);
	if (!(r->seconds > 0.0 && r->seconds <= LONGEST))
		return error("%s:%d: a step cannot take %g s (more than 0, at most %g). Seconds of "
			     "the step are expected, not the time of day", path, r->line,
			     r->seconds, LONGEST);
	return 0;
}

static int steplog_add_row(struct steplog_rows *rows, char *line, int number)
{
	struct steplog_row r = { .line = number };
	char *field[4];

	if (steplog_fields(line, field) != 3 || !text_int(field[0], &r.worker) ||
	    !text_int(field[1], &r.step) || !text_double(field[2], &r.seconds))
		return error("%s:%d: expected worker,step,seconds, such as 0,17,0.25", rows->path,
			     number);
	if (steplog_check_row(rows->path, &r) < 0)
		return -1;
	if ((rows->n & (rows->n - 1)) == 0)
		rows->v = xrealloc(rows->v, rows->n ? 2 * rows->n : 1, sizeof(*rows->v));
	rows->v[rows->n++] = r;
	return 0;
}

/* ---- all lines ---- */

static int steplog_parse_rows(struct steplog_rows *rows, char *text)
{
	int line = 0;

	for (char *next; text; text = next) {
		next = strchr(text, '\n');
		if (next)
			*next++ = '\0';
		line++;
		if (line == 1 && steplog_check_header(rows->path, text) < 0)
			return -1;
		if (line > 1 && *word_trim(text) && steplog_add_row(rows, text, line) < 0)
			return -1;
	}
	return rows->n ? 0 : error("%s: the log has no steps", rows->path);
}

static int steplog_order(const void *a, const void *b)
{
	const struct steplog_row *x = a, *y = b;

	if (x->worker != y->worker)
		return x->worker < y->worker ? -1 : 1;
	if (x->step != y->step)
		return x->step < y->step ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

/* Names the steps from `from` to before `to`. */
static int steplog_missing(const char *path, int line, int64_t worker, int64_t from, int64_t to)
{
	if (to == from + 1)
		return error("%s:%d: worker %" PRId64 " has no step %" PRId64 " (every worker has "
			     "every step once)", path, line, worker, from);
	return error("%s:%d: worker %" PRId64 " has no steps %" PRId64 " to %" PRId64 " (every "
		     "worker has every step once)", path, line, worker, from, to - 1);
}

/* b follows a in the order of workers and steps; the log's steps are first to last. */
static int steplog_check_pair(const char *path, const struct steplog_row *a,
			      const struct steplog_row *b, int64_t first, int64_t last)
{
	if (a->worker == b->worker && a->step == b->step)
		return error("%s:%d: worker %" PRId64 ", step %" PRId64 " is on line %d already",
			     path, b->line, b->worker, b->step, a->line);
	if (a->worker == b->worker)
		return b->step == a->step + 1 ? 0
			: steplog_missing(path, b->line, b->worker, a->step + 1, b->step);
	if (a->step != last)
		return steplog_missing(path, a->line, a->worker, a->step + 1, last + 1);
	if (b->worker != a->worker + 1)
		return error("%s:%d: worker %" PRId64 ", but there is no worker %" PRId64
			     " (workers are numbered from 0)", path, b->line, b->worker,
			     a->worker + 1);
	return b->step == first ? 0
		: steplog_missing(path, b->line, b->worker, first, b->step);
}

/* Rows in their order. */
static int steplog_check_all(const struct steplog_rows *rows)
{
	const struct steplog_row *v = rows->v, *end = &v[rows->n - 1];
	int64_t first = v->step, last = v->step;

	for (size_t i = 1; i < rows->n; i++) {
		first = v[i].step < first ? v[i].step : first;
		last = v[i].step > last ? v[i].step : last;
	}
	if (v->worker != 0)
		return error("%s:%d: worker %" PRId64 ", but there is no worker 0 (workers are "
			     "numbered from 0)", rows->path, v->line, v->worker);
	if (v->step != first)
		return steplog_missing(rows->path, v->line, 0, first, v->step);
	for (size_t i = 1; i < rows->n; i++)
		if (steplog_check_pair(rows->path, &v[i - 1], &v[i], first, last) < 0)
			return -1;
	return end->step == last ? 0
		: steplog_missing(rows->path, end->line, end->worker, end->step + 1, last + 1);
}

bool steplog_is(const char *text)
{
	static const char word[] = "worker";

	return strncmp(text + strspn(text, " \t"), word, sizeof(word) - 1) == 0;
}

int steplog_parse(struct steplog *l, const char *path, char *text)
{
	struct steplog_rows rows = { .path = path };
	int ret = steplog_parse_rows(&rows, text);

	*l = (struct steplog){ 0 };
	if (ret == 0) {
		qsort(rows.v, rows.n, sizeof(*rows.v), steplog_order);
		ret = steplog_check_all(&rows);
	}
	if (ret == 0) {
		l->workers = (size_t)rows.v[rows.n - 1].worker + 1;
		l->steps = rows.n / l->workers;
		l->seconds = xcalloc(rows.n, sizeof(*l->seconds));
		for (size_t i = 0; i < rows.n; i++)
			l->seconds[i] = rows.v[i].seconds;
	}
	free(rows.v);
	return ret;
}

int steplog_read(struct steplog *l, const char *path)
{
	char *text = file_read(path, NULL);
	int ret;

	*l = (struct steplog){ 0 };
	if (!text)
		return -1;
	ret = steplog_parse(l, path, text);
	free(text);
	return ret;
}

void steplog_release(struct steplog *l)
{
	free(l->seconds);
	*l = (struct steplog){ 0 };
}
