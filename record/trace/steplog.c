/* Reads a log of step times; and measured numbers from a text, a log, a trace or a result. */
#include "record/trace/steplog.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/csv.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "core/file/textfile.h"
#include "core/text/opt_text.h"
#include "record/result.h"
#include "record/trace/trace.h"
#include "record/trace/trainlog.h"
#include "record/tree.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORKERS = 1 << 24 };

static const int64_t MOST_STEPS = (int64_t)1 << 53;

struct steplog_row {
	int64_t worker, step;
	double seconds;
	size_t line;
};

struct steplog_rows {
	const char *path;
	struct steplog_row *v;  /* [n], owned */
	size_t n;
	bool of_json;           /* the header's line is not in the file: json_lines_text() */
	int64_t worker;         /* of a file without that column; -1: it has one */
	char *by, *times;       /* names of the columns worker (NULL: none) and seconds; owned */
};

static void steplog_release_rows(struct steplog_rows *rows)
{
	free_all(rows->v, rows->by, rows->times);
}

/* ---- a line ---- */

enum { STEPLOG_WORKER, STEPLOG_STEP, STEPLOG_SECONDS, STEPLOG_COLUMNS };

/*
 * A step that begins again in each epoch is not preferred to that of the whole run, and the seconds
 * of a whole step not to those of computing. A column "time" or "elapsed" may as well be a clock,
 * and so may one with a unit: steplog_check_clock().
 */
static void steplog_columns(struct csv_column column[STEPLOG_COLUMNS])
{
	static const char *const workers[] = { "worker", "rank", "node", "worker_id", "rank_id",
					       "node_id", "global_rank", "process_rank", NULL };
	static const char *const steps[] = { "global_step", "step", "iter", "iteration", "step_id",
					     "batch_idx", "iter_num", "train_step", NULL };
	static const char *const times[] = { "seconds", "compute_time", "compute_s", "step_time",
					     "duration", "time_s", "iter_time", "iteration_time",
					     "batch_time", "train_step_time", "dt",
					     "elapsed_time_per_iteration", NULL };

	column[STEPLOG_WORKER] = (struct csv_column){ .name = "worker", .names = workers };
	column[STEPLOG_STEP] = (struct csv_column){ .name = "step", .names = steps };
	column[STEPLOG_SECONDS] = (struct csv_column){ .name = "seconds", .names = times,
						       .time = true, .any_time = true };
}

static int steplog_check_row(const char *path, const struct steplog_row *r)
{
	if (r->worker < 0 || r->worker >= MOST_WORKERS)
		return error("%s:%zu: there is no worker %" PRId64 " (0 to %d)", path, r->line,
			     r->worker, MOST_WORKERS - 1);
	if (r->step < 0 || r->step > MOST_STEPS)
		return error("%s:%zu: there is no step %" PRId64 " (0 to %" PRId64 ")", path,
			     r->line, r->step, MOST_STEPS);
	if (!(r->seconds >= STEPLOG_LEAST && r->seconds <= STEPLOG_MOST))
		return error("%s:%zu: a step cannot take %g s (from %g to %g). Seconds of the step "
			     "are expected, not the time of day", path, r->line, r->seconds,
			     STEPLOG_LEAST, STEPLOG_MOST);
	return 0;
}

static int steplog_add_row(struct steplog_rows *rows, const struct csv *c,
			   const struct csv_column column[STEPLOG_COLUMNS])
{
	struct steplog_row r = { .line = c->line, .worker = rows->worker };

	if ((column[STEPLOG_WORKER].at != CSV_NONE &&
	     csv_int(c, &column[STEPLOG_WORKER], &r.worker) < 0) ||
	    csv_int(c, &column[STEPLOG_STEP], &r.step) < 0 ||
	    csv_double(c, &column[STEPLOG_SECONDS], &r.seconds) < 0)
		return -1;
	rows->v = xgrown(rows->v, rows->n, sizeof(*rows->v));
	rows->v[rows->n++] = r;
	return 0;
}

/* ---- all lines ---- */

/* Divides times that cannot be seconds. */
static void steplog_take_ms(struct steplog_rows *rows, size_t from, const struct csv *c,
			    const struct csv_column *times)
{
	size_t longer = 0;
	double unit;

	for (size_t i = from; i < rows->n; i++)
		longer += rows->v[i].seconds > CSV_LONGEST_S && rows->v[i].seconds <= STEPLOG_MOST;
	unit = csv_bare_unit(c, times, longer, rows->n - from);
	for (size_t i = from; i < rows->n; i++)
		rows->v[i].seconds *= unit;
}

/* Adds the rows of a text. */
static int steplog_parse_rows(struct steplog_rows *rows, char *text)
{
	struct csv_column column[STEPLOG_COLUMNS];
	const size_t from = rows->n;
	struct csv c;
	int ret;

	steplog_columns(column);
	csv_begin(&c, rows->path, text);
	ret = csv_header(&c, column, STEPLOG_COLUMNS);
	c.next_line -= rows->of_json;
	if (ret == 0 && (rows->worker < 0 || column[STEPLOG_WORKER].at != CSV_NONE))
		ret = csv_need(&c, column, STEPLOG_COLUMNS);
	else if (ret == 0)
		ret = csv_need(&c, &column[STEPLOG_STEP], STEPLOG_COLUMNS - STEPLOG_STEP);
	while (ret == 0 && (ret = csv_row(&c)) > 0)
		ret = steplog_add_row(rows, &c, column);
	if (ret == 0) {
		steplog_take_ms(rows, from, &c, &column[STEPLOG_SECONDS]);
		free_all(rows->by, rows->times);
		rows->by = column[STEPLOG_WORKER].at == CSV_NONE ? NULL
			 : xstrdup(c.name[column[STEPLOG_WORKER].at]);
		rows->times = xstrdup(c.name[column[STEPLOG_SECONDS].at]);
	}
	for (size_t i = from; i < rows->n && ret == 0; i++)
		ret = steplog_check_row(rows->path, &rows->v[i]);
	csv_release(&c);
	if (ret < 0)
		return ret;
	return rows->n > from ? 0 : error("%s: the log has no steps", rows->path);
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
static int steplog_missing(const char *path, size_t line, int64_t worker, int64_t from, int64_t to)
{
	if (to == from + 1)
		return error("%s:%zu: worker %" PRId64 " has no step %" PRId64 " (every worker has "
			     "every step once)", path, line, worker, from);
	return error("%s:%zu: worker %" PRId64 " has no steps %" PRId64 " to %" PRId64 " (every "
		     "worker has every step once)", path, line, worker, from, to - 1);
}

/* b follows a in the order of workers and steps; the log's steps are first to last. */
static int steplog_check_pair(const char *path, const struct steplog_row *a,
			      const struct steplog_row *b, int64_t first, int64_t last)
{
	if (a->worker == b->worker && a->step == b->step)
		return error("%s:%zu: worker %" PRId64 ", step %" PRId64 " is on line %zu already",
			     path, b->line, b->worker, b->step, a->line);
	if (a->worker == b->worker)
		return b->step == a->step + 1 ? 0
			: steplog_missing(path, b->line, b->worker, a->step + 1, b->step);
	if (a->step != last)
		return steplog_missing(path, a->line, a->worker, a->step + 1, last + 1);
	if (b->worker != a->worker + 1)
		return error("%s:%zu: worker %" PRId64 ", but there is no worker %" PRId64
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
		return error("%s:%zu: worker %" PRId64 ", but there is no worker 0 (workers are "
			     "numbered from 0)", rows->path, v->line, v->worker);
	if (v->step != first)
		return steplog_missing(rows->path, v->line, 0, first, v->step);
	for (size_t i = 1; i < rows->n; i++)
		if (steplog_check_pair(rows->path, &v[i - 1], &v[i], first, last) < 0)
			return -1;
	return end->step == last ? 0
		: steplog_missing(rows->path, end->line, end->worker, end->step + 1, last + 1);
}

bool steplog_is_clock(const struct steplog *l)
{
	enum { FEWEST_STEPS = 9, FEWEST_GROWN = 5 };    /* fewer may be chance, or rounded times */

	for (size_t w = 0; w < l->workers; w++) {
		const double *v = &l->seconds[w * l->steps];
		size_t grown = 0;

		for (size_t k = 1; k < l->steps; k++) {
			if (v[k] < v[k - 1])
				return false;
			grown += v[k] > v[k - 1];
		}
		if (grown < FEWEST_GROWN)
			return false;
	}
	return l->steps >= FEWEST_STEPS;
}

static int steplog_check_clock(struct steplog *l, const struct steplog_rows *rows)
{
	char *by;

	if (!steplog_is_clock(l))
		return 0;
	by = rows->by ? xasprintf(".groupby('%s')", rows->by) : xstrdup("");
	error("%s: column '%s' is a clock: it never falls from a worker's step to the next "
	      "(expected the seconds of each step). Take the differences, in pandas "
	      "log['%s'] = log%s['%s'].diff() and then log.dropna(subset=['%s']), of rows in the "
	      "order of steps. They are whole steps, waiting included", rows->path, rows->times,
	      rows->times, by, rows->times, rows->times);
	free(by);
	steplog_release(l);
	return -1;
}

/* Fills *l from rows in any order. 0 or error(). */
static int steplog_fill(struct steplog *l, struct steplog_rows *rows)
{
	qsort(rows->v, rows->n, sizeof(*rows->v), steplog_order);
	if (steplog_check_all(rows) < 0)
		return -1;
	l->workers = (size_t)rows->v[rows->n - 1].worker + 1;
	l->steps = rows->n / l->workers;
	l->seconds = xcalloc(rows->n, sizeof(*l->seconds));
	for (size_t i = 0; i < rows->n; i++)
		l->seconds[i] = rows->v[i].seconds;
	return steplog_check_clock(l, rows);
}

static int steplog_parse_as(struct steplog *l, const char *path, char *text, bool of_json)
{
	struct steplog_rows rows = { .path = path, .of_json = of_json, .worker = -1 };
	int ret = steplog_parse_rows(&rows, text);

	*l = (struct steplog){ 0 };
	if (ret == 0)
		ret = steplog_fill(l, &rows);
	steplog_release_rows(&rows);
	return ret;
}

int steplog_parse(struct steplog *l, const char *path, char *text)
{
	return steplog_parse_as(l, path, text, false);
}

/* ---- lines of JSON ---- */

bool steplog_is_json_lines(const char *path)
{
	enum { LONGEST = 1 << 16 };
	FILE *in = file_open(path);
	char *begin = xcalloc(LONGEST, 1);
	const char *rest = begin;
	cJSON *first = NULL;
	bool is;

	/* a trace is one object, or longer than this */
	if (in && fread(begin, 1, LONGEST - 1, in))
		first = cJSON_ParseWithOpts(begin, &rest, false);
	is = cJSON_IsObject(first) && !cJSON_GetObjectItemCaseSensitive(first, "traceEvents") &&
	     rest[strspn(rest, " \t\r\n")] == '{';
	cJSON_Delete(first);
	free(begin);
	if (in)
		fclose(in);
	return is;
}

/* Writes a line as fields separated by tabs, in the order of the first object's members. */
static int json_line_put(const char *path, size_t number, const cJSON *first, const cJSON *object,
			 FILE *out)
{
	const cJSON *member;

	cJSON_ArrayForEach(member, first) {
		const cJSON *v = cJSON_GetObjectItemCaseSensitive(object, member->string);

		if (!v)
			return error("%s:%zu: no member '%.40s', which the first line has", path,
				     number, member->string);
		if (cJSON_IsNumber(v))
			fprintf(out, "%.17g", v->valuedouble);
		fputs(member->next ? "\t" : "\n", out);
	}
	return 0;
}

/* The lines as CSV, whose header is their member names; NULL after error(). The caller frees. */
static char *json_lines_text(const char *path, char *text)
{
	char *csv = NULL, *line;
	size_t size = 0, number = 0;
	FILE *out = xmemstream(&csv, &size);
	cJSON *first = NULL;
	int ret = 0;

	while (ret == 0 && (line = textfile_line(&text))) {
		scoped_json cJSON *object = cJSON_ParseWithOpts(line, NULL, true);

		number++;
		if (!line[strspn(line, " \t")]) {
			putc('\n', out);
		} else if (!cJSON_IsObject(object)) {
			ret = error("%s:%zu: not a JSON object alone (expected one on each line)",
				    path, number);
		} else if (!first) {
			const cJSON *member;

			first = cJSON_Duplicate(object, true);
			cJSON_ArrayForEach(member, first) {
				/* quotes and tabs are not part of any name that is looked for */
				for (const char *c = member->string; *c; c++)
					putc(strchr("\"\t\n\r", *c) ? '_' : *c, out);
				fputs(member->next ? "\t" : "\n", out);
			}
		}
		if (ret == 0 && cJSON_IsObject(object))
			ret = json_line_put(path, number, first, object, out);
	}
	cJSON_Delete(first);
	xmemclose(out);
	if (ret == 0)
		return csv;
	free(csv);
	return NULL;
}

static int json_lines_read(struct steplog *l, const char *path, char *text)
{
	scoped char *csv = json_lines_text(path, text);

	return csv ? steplog_parse_as(l, path, csv, true) : -1;
}

/* NCCL's log (NCCL_DEBUG=INFO): "node1:4711:4712 [0] NCCL INFO ..." in its first lines. */
static bool is_of_nccl(const char *text)
{
	enum { FIRST = 1 << 16 };
	const char *found = strstr(text, " NCCL INFO ");

	return found && found - text < FIRST;
}

static int refuse_nccl(const char *path)
{
	return error("%s: a log of NCCL has no step times, only when a collective is called, which "
		     "all ranks do at the same time. Log the columns rank, step, seconds (of "
		     "computing alone), or give traces of torch.profiler, one of each rank", path);
}

static int steplog_read_one(struct steplog *l, const char *path, char *text)
{
	if (is_of_nccl(text))
		return refuse_nccl(path);
	if (steplog_is_json_lines(path))
		return json_lines_read(l, path, text);
	if (trainlog_is(text))
		return trainlog_parse(l, &path, (const char *const *)&text, 1);
	return trainlog_refuse(path, text) < 0 ? -1 : steplog_parse(l, path, text);
}

/* Tables, whose ranks are in a column, or those of the files. 0 or error(). */
static int steplog_read_tables(struct steplog *l, const char *const *paths, char **texts, size_t n)
{
	struct steplog_rows rows = { 0 };
	scoped char *all = xasprintf("%s and %zu more", paths[0], n - 1);
	int64_t *rank = xcalloc(n, sizeof(*rank));
	int ret = 0;

	trainlog_file_ranks(paths, n, rank);
	for (size_t i = 0; i < n && ret == 0; i++) {
		rows.path = paths[i];
		rows.worker = rank[i];
		if (trainlog_refuse(paths[i], texts[i]) < 0)
			ret = -1;
		else if (*texts[i] == '{')
			ret = error("%s: several logs are of one kind (expected tables as %s, not "
				    "JSON). Put all steps in one file", paths[i], paths[0]);
		else
			ret = steplog_parse_rows(&rows, texts[i]);
	}
	rows.path = all;
	if (ret == 0)
		ret = steplog_fill(l, &rows);
	free(rank);
	steplog_release_rows(&rows);
	return ret;
}

int steplog_read(struct steplog *l, const char *const *paths, size_t n)
{
	char **texts = xcalloc(n, sizeof(*texts));
	size_t trainers = 0;
	int ret = 0;

	*l = (struct steplog){ 0 };
	for (size_t i = 0; i < n && ret == 0; i++) {
		texts[i] = textfile_read(paths[i]);
		if (!texts[i])
			ret = -1;
		else if (n > 1 && is_of_nccl(texts[i]))
			ret = refuse_nccl(paths[i]);
		else
			trainers += trainlog_is(texts[i]);
	}
	if (ret == 0 && n == 1)
		ret = steplog_read_one(l, paths[0], texts[0]);
	else if (ret == 0 && trainers == n)
		ret = trainlog_parse(l, paths, (const char *const *)texts, n);
	else if (ret == 0)
		ret = steplog_read_tables(l, paths, texts, n);
	for (size_t i = 0; i < n; i++)
		free(texts[i]);
	free(texts);
	return ret;
}

bool steplog_is_table(const char *path)
{
	scoped char *text = textfile_read(path);

	return text && text[strspn(text, " \t\n")] != '{' && !trainlog_is(text);
}

void steplog_release(struct steplog *l)
{
	free_all(l->seconds, l->least);
	*l = (struct steplog){ 0 };
}

static const char signature[] = "\211HDF\r\n\032\n", between[] = " \t,;";

static void samples_add(struct opt_doubles *to, double value)
{
	to->v = xgrown(to->v, to->n, sizeof(*to->v));
	to->v[to->n++] = value;
}

/* ---- a text ---- */

static int add_line(const char *path, int line, char *text, struct opt_doubles *to)
{
	char *word, *rest = NULL;

	text[strcspn(text, "#")] = '\0';
	for (word = strtok_r(text, between, &rest); word; word = strtok_r(NULL, between, &rest)) {
		double value;

		if (!text_double(word, &value))
			return error("%s:%d: '%.40s' is no number", path, line, word);
		samples_add(to, value);
	}
	return 0;
}

static int samples_read_text(const char *path, int rank, char *text, struct opt_doubles *to)
{
	int line = 0, ret = 0;

	if (rank >= 0)
		return error("'%s' does not say whose numbers it has: rank is for logs of step "
			     "times, traces and results", path);
	for (char *next; ret == 0 && (next = textfile_line(&text));)
		ret = add_line(path, ++line, next, to);
	return ret;
}

/* ---- a log of step times ---- */

static int samples_read_log(const char *path, int rank, char *text, struct opt_doubles *to)
{
	scoped_by(steplog_release) struct steplog l;
	const int ret = steplog_parse(&l, path, text);

	if (ret == 0 && rank == SAMPLES_STEPS)
		samples_add(to, (double)l.workers);
	for (size_t w = 0; w < l.workers; w++)
		for (size_t k = 0; k < l.steps && (rank < 0 || (size_t)rank == w); k++)
			samples_add(to, l.seconds[w * l.steps + k]);
	return ret;
}

/* ---- a trace, a result ---- */

static int read_trace(const char *path, int rank, struct opt_doubles *to)
{
	struct trace t;

	if (trace_read(&t, path) < 0)
		return -1;
	for (size_t i = 0; i < t.n; i++)
		if (t.row[i].kind == TRACE_COMPUTED && (rank < 0 || t.row[i].rank == rank))
			samples_add(to, t.row[i].seconds);
	trace_release(&t);
	return 0;
}

static int read_result(const char *path, int rank, struct opt_doubles *to)
{
	const double *own, *gradients, *seconds;
	size_t n, ngradients, nseconds;
	struct result r;

	if (result_load(&r, path, RESULT_WHOLE) < 0)
		return -1;
	own = result_column(&r, RESULT_NODES, "rank", &n);
	gradients = result_column(&r, RESULT_NODES, "gradients", &ngradients);
	seconds = result_column(&r, RESULT_NODES, "compute_s", &nseconds);
	for (size_t i = 0; i < n && i < ngradients && i < nseconds; i++)
		if (own[i] >= 0 && gradients[i] > 0 && (rank < 0 || fabs(own[i] - rank) < 0.5))
			samples_add(to, seconds[i] / gradients[i]);
	result_release(&r);
	return 0;
}

/* 1, 0, or error() for a file that cannot be trusted. */
static int is_trace(const char *path)
{
	const char *fault;
	struct tree *file = tree_open(path, &fault);
	const bool is = tree_text_is(file, "format", "convoy trace");

	if (!file)
		return error("'%s' %s", path, fault);
	tree_free(file);
	return is;
}

static int read_any(const char *path, int rank, struct opt_doubles *to)
{
	size_t size;
	char *text = file_read(path, &size);
	int ret;

	if (!text)
		return -1;
	if (rank != SAMPLES_STEPS && size >= sizeof(signature) - 1 &&
	    memcmp(text, signature, sizeof(signature) - 1) == 0) {
		ret = is_trace(path);
		if (ret >= 0)
			ret = ret ? read_trace(path, rank, to) : read_result(path, rank, to);
	} else {
		ret = textfile_clean(path, text, size);
		if (ret == 0 && (rank == SAMPLES_STEPS || csv_has_header(text)))
			ret = samples_read_log(path, rank, text, to);
		else if (ret == 0)
			ret = samples_read_text(path, rank, text, to);
	}
	free(text);
	return ret;
}

int samples_read(const char *path, int rank, struct opt_doubles *to)
{
	int ret;

	*to = (struct opt_doubles){ 0 };
	ret = read_any(path, rank, to);
	if (ret == 0 && to->n == 0)
		ret = rank < 0 ? error("'%s' has no numbers", path)
			       : error("'%s' has no numbers of rank %d", path, rank);
	if (ret == 0)
		return 0;
	free(to->v);
	*to = (struct opt_doubles){ 0 };
	return -1;
}
