/*
 * trainlog.c - reads step times from what trainers print. A line has a step,
 *
 *     step 10, iteration 10/ 100, iter: 10, Epoch: [0][10/100]
 *
 * and the seconds of it after a known word, or as the only number with a unit:
 *
 *     elapsed time per iteration (ms): 123.4    step_time=0.12s    time 135.32ms    | 2853.1 ms |
 */
#include "record/trace/trainlog.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/file/csv.h"
#include "core/file/paths.h"
#include "core/math/median.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_RANKS = 1 << 20, FEWEST_LINES = 2, LINE = 4096 };

struct trainlog_row {
	int64_t rank;           /* -1: the line has none */
	int64_t step;
	size_t nth;             /* line of its rank with this step: they begin again in an epoch */
	size_t file, line;
	double value, per_second;       /* per_second 0: no unit */
};

struct trainlog_rows {
	struct trainlog_row *v; /* [n], owned */
	size_t n;
	size_t steps;           /* lines with a step, with a time or without */
	int64_t stride;         /* between the numbers of two lines of a rank; 0: not known */
	const char *word;       /* before the first time; "": a number with a unit */
};

/* ---- words of a line ---- */

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The end of `word`, in any case, that begins at a boundary of words; NULL: it is not there. */
static const char *word_end(const char *line, const char *at, const char *word)
{
	const size_t n = strlen(word);

	if (strncasecmp(at, word, n) != 0 || (at > line && is_word_char(at[-1])))
		return NULL;
	return at + n;
}

static const char *skip(const char *at, const char *set)
{
	return at + strspn(at, set);
}

/* A whole number at `at`; -1: none, or it goes on as another kind of number. */
static int64_t whole_at(const char *at, const char **end)
{
	char *last;
	const long long value = isdigit((unsigned char)*at) ? strtoll(at, &last, 10) : -1;

	if (value < 0)
		return -1;
	*end = last;
	return *last == '.' && isdigit((unsigned char)last[1]) ? -1 : (int64_t)value;
}

/* The number of the line's step; -1: it has none. */
static int64_t line_step(const char *line)
{
	static const char *const words[] = { "global_step", "global step", "train_step",
					     "iteration", "steps", "step", "iter", "batch_idx",
					     "batch", "epoch" };
	const char *end;

	for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++)
		for (const char *at = line; *at; at++) {
			const char *after = word_end(line, at, words[k]);
			int64_t step;

			if (!after || is_word_char(*after))
				continue;
			after = skip(after, " \t:=#\"'([");
			step = whole_at(after, &end);
			/* "Epoch: [0][10/100]": the second number is the step */
			if (step >= 0 && strcmp(words[k], "epoch") == 0) {
				end = skip(end, "]");
				step = *end == '[' ? whole_at(skip(end, " ["), &end) : -1;
			}
			if (step >= 0)
				return step;
		}
	return -1;
}

/* Units of a second at `at`; 0: it is none. */
static double unit_at(const char *at)
{
	static const struct {
		const char *name;
		double per_second;
	} units[] = { { "milliseconds", 1e3 }, { "msec", 1e3 }, { "ms", 1e3 }, { "us", 1e6 },
		      { "seconds", 1.0 }, { "secs", 1.0 }, { "sec", 1.0 }, { "s", 1.0 } };

	for (size_t k = 0; k < sizeof(units) / sizeof(units[0]); k++) {
		const size_t n = strlen(units[k].name);

		if (strncmp(at, units[k].name, n) == 0 && !is_word_char(at[n]) && at[n] != '/')
			return units[k].per_second;
	}
	return 0.0;
}

/* A time at `at`, with the unit after it or `per_second`; false: it is none. */
static bool time_at(const char *at, double per_second, struct trainlog_row *r)
{
	char *end;
	double own;

	if (!isdigit((unsigned char)*at) && *at != '.')
		return false;
	r->value = strtod(at, &end);
	/* a time of day, a fraction, a word */
	if (end == at || *end == ':' || *end == '/' || *end == '%')
		return false;
	own = unit_at(skip(end, " "));
	if (own <= 0.0 && is_word_char(*end))
		return false;
	r->per_second = own > 0.0 ? own : per_second;
	return isfinite(r->value);
}

/* True when the words before `at` say that what follows is not the time of a step. */
static bool is_other_time(const char *line, const char *at)
{
	const char *end = at, *begin;

	while (end > line && strchr(" _-", end[-1]))
		end--;
	begin = end;
	while (begin > line && isalpha((unsigned char)begin[-1]))
		begin--;
	return csv_is_other_time(begin, (size_t)(end - begin));
}

/* The time after a known word. */
static bool line_named_time(const char *line, struct trainlog_row *r, const char **word)
{
	static const char *const words[] = {
		"compute_time", "compute time", "elapsed time per iteration", "iteration time",
		"iteration_time", "iter time", "iter_time", "step time", "step_time",
		"time per step", "time per iteration", "time/step", "time/iter",
		"train_step_time", "batch time", "batch_time", "dt", "duration", "took", "time",
		"seconds",
	};
	/* "seconds: 0.1" names a time, "0.1 seconds 512 tokens" does not */
	const char *const unit_alone = words[sizeof(words) / sizeof(words[0]) - 1];

	for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++)
		for (const char *at = line; *at; at++) {
			const char *after = word_end(line, at, words[k]), *unit;
			double per_second = words[k] == unit_alone ? 1.0 : 0.0;

			if (!after || is_other_time(line, at) ||
			    (words[k] == unit_alone && !strchr(":=", *skip(after, " \"'"))))
				continue;
			/* "time_ms", "time (ms)" */
			unit = skip(after, " _([");
			if (unit > after && unit_at(unit) > 0.0) {
				per_second = unit_at(unit);
				while (is_word_char(*unit))
					unit++;
				after = skip(unit, ")]");
			}
			if (is_word_char(*after))
				continue;
			after = skip(after, " \t:=\"'");
			if (time_at(after, per_second, r)) {
				*word = words[k];
				return true;
			}
		}
	return false;
}

/* The only number with a unit of a line: "| 2853.1 ms |". */
static bool line_bare_time(const char *line, struct trainlog_row *r, const char **word)
{
	size_t found = 0;

	for (const char *at = line; *at; at++) {
		struct trainlog_row own = { 0 };

		if (!isdigit((unsigned char)*at) ||
		    (at > line && (is_word_char(at[-1]) || strchr(".:-", at[-1]))))
			continue;
		if (time_at(at, 0.0, &own) && own.per_second > 0.0 && !found++) {
			r->value = own.value;
			r->per_second = own.per_second;
		}
	}
	*word = "";
	return found == 1;
}

/* Rank that a line names at its beginning or in brackets; -1: none. */
static int64_t line_rank(const char *line)
{
	static const char *const words[] = { "rank", "default", "trainer", "worker", "proc" };
	const char *end;
	int64_t rank = whole_at(line, &end);

	/* srun -l: "3: step 10" */
	if (rank >= 0 && *end == ':' && end[1] == ' ')
		return rank;
	for (const char *at = strchr(line, '['); at; at = strchr(at + 1, '['))
		for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++) {
			const char *after = word_end(at + 1, at + 1, words[k]);

			rank = after ? whole_at(skip(after, " :=_-"), &end) : -1;
			if (rank >= 0 && *end == ']')
				return rank;
		}
	return -1;
}

/* ---- texts ---- */

/* Copies the next line, as much as fits; false: there is none. */
static bool line_next(const char **text, char line[LINE])
{
	const size_t n = strcspn(*text, "\n"), own = n < LINE - 1 ? n : LINE - 1;

	if (!**text)
		return false;
	memcpy(line, *text, own);
	line[own] = '\0';
	*text += n + ((*text)[n] == '\n');
	return true;
}

bool trainlog_is(const char *text)
{
	enum { LOOKED_AT = 20000 };
	char line[LINE];
	size_t n = 0;

	for (int i = 0; i < LOOKED_AT && n < FEWEST_LINES && line_next(&text, line); i++)
		n += line_step(line) >= 0;
	return n >= FEWEST_LINES;
}

static void rows_add(struct trainlog_rows *rows, const struct trainlog_row *r)
{
	rows->v = xgrown(rows->v, rows->n, sizeof(*rows->v));
	rows->v[rows->n++] = *r;
}

static void rows_read(struct trainlog_rows *rows, const char *text, size_t file)
{
	char line[LINE];
	int64_t last = -1, last_rank = -1;

	for (size_t number = 1; line_next(&text, line); number++) {
		struct trainlog_row r = { .file = file, .line = number };
		const int64_t step = line_step(line);
		const char *word = "";

		if (step < 0)
			continue;
		rows->steps++;
		if (!line_named_time(line, &r, &word) && !line_bare_time(line, &r, &word))
			continue;
		r.rank = line_rank(line);
		r.step = step;
		if (last >= 0 && step > last && r.rank == last_rank && !rows->stride)
			rows->stride = step - last;
		last = step;
		last_rank = r.rank;
		if (!rows->word)
			rows->word = word;
		/* the first line decides which word names the time */
		if (strcmp(rows->word, word) == 0)
			rows_add(rows, &r);
	}
}

/* ---- ranks ---- */

/* The number after "rank" in a file's name; -1: it has none. */
static int64_t path_rank(const char *path)
{
	const char *end;

	for (const char *name = path_base(path); *name; name++)
		if (strncasecmp(name, "rank", 4) == 0) {
			const int64_t rank = whole_at(skip(name + 4, "_-.="), &end);

			if (rank >= 0)
				return rank;
		}
	return -1;
}

void trainlog_file_ranks(const char *const *path, size_t n, int64_t *rank)
{
	bool named = n > 1;

	for (size_t i = 0; i < n; i++) {
		rank[i] = path_rank(path[i]);
		named = named && rank[i] >= 0;
		for (size_t other = 0; other < i && named; other++)
			named = rank[other] != rank[i];
	}
	for (size_t i = 0; i < n && !named; i++)
		rank[i] = (int64_t)i;
}

/* Gives rows without a rank that of their file. 0, or error() for some with and some without. */
static int rows_set_ranks(struct trainlog_rows *rows, const char *const *path, size_t n)
{
	bool all = true, none = true;
	int64_t *rank;

	for (size_t i = 0; i < rows->n; i++) {
		all &= rows->v[i].rank >= 0;
		none &= rows->v[i].rank < 0;
	}
	if (all)
		return 0;
	for (size_t i = 0; i < rows->n && !none; i++)
		if (rows->v[i].rank < 0)
			return error("%s:%zu: a step without a rank, which other lines have "
				     "([rank3]:)", path[rows->v[i].file], rows->v[i].line);
	rank = xcalloc(n + 1, sizeof(*rank));
	trainlog_file_ranks(path, n, rank);
	for (size_t i = 0; i < rows->n; i++)
		rows->v[i].rank = rank[rows->v[i].file];
	free(rank);
	return 0;
}

/* Seconds of all rows, whose unit is theirs or guessed. 0 or error(). */
static int rows_to_seconds(struct trainlog_rows *rows, const char *const *path)
{
	double *value = xcalloc(rows->n, sizeof(*value)), median;
	size_t bare = 0;

	for (size_t i = 0; i < rows->n; i++)
		if (rows->v[i].per_second <= 0.0)
			value[bare++] = rows->v[i].value;
	median = bare ? median_of(value, bare) : 0.0;
	free(value);
	if (bare && median > CSV_LONGEST_S)
		note("%s: times after '%s' have no unit; their median is %.4g, so milliseconds are "
		     "assumed", path[0], rows->word, median);
	for (size_t i = 0; i < rows->n; i++) {
		struct trainlog_row *r = &rows->v[i];

		r->value /= r->per_second > 0.0 ? r->per_second
			    : median > CSV_LONGEST_S ? 1e3 : 1.0;
		if (!(r->value >= STEPLOG_LEAST && r->value <= STEPLOG_MOST))
			return error("%s:%zu: a step cannot take %g s (from %g to %g)",
				     path[r->file], r->line, r->value, STEPLOG_LEAST, STEPLOG_MOST);
	}
	return 0;
}

static int by_line(const void *a, const void *b)
{
	const struct trainlog_row *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

static int by_rank(const void *a, const void *b)
{
	const struct trainlog_row *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->step != y->step)
		return x->step < y->step ? -1 : 1;
	return by_line(a, b);
}

static int by_step(const void *a, const void *b)
{
	const struct trainlog_row *x = a, *y = b;

	if (x->step != y->step)
		return x->step < y->step ? -1 : 1;
	if (x->nth != y->nth)
		return x->nth < y->nth ? -1 : 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Sorts rows by rank, numbers those of one step, and counts the ranks. 0 or error(). */
static int rows_count_ranks(struct trainlog_rows *rows, const char *path, size_t *ranks)
{
	struct trainlog_row *v = rows->v;
	const struct trainlog_row *end = &v[rows->n - 1];

	qsort(v, rows->n, sizeof(*v), by_rank);
	*ranks = 1;
	for (size_t i = 1; i < rows->n; i++) {
		if (v[i].rank != v[i - 1].rank)
			++*ranks;
		else if (v[i].step == v[i - 1].step)
			v[i].nth = v[i - 1].nth + 1;
	}
	if (end->rank >= MOST_RANKS)
		return error("%s: there is no rank %" PRId64, path, end->rank);
	if (end->rank != (int64_t)*ranks - 1)
		note("%s: ranks %" PRId64 " to %" PRId64 " are not all there: workers 0 to %zu of "
		     "the log are those that are, in their order", path, v->rank, end->rank,
		     *ranks - 1);
	return 0;
}

/* Sorts rows by step, and keeps those of steps that all ranks have. 0 or error(). */
static int rows_keep_common(struct trainlog_rows *rows, const char *path, size_t ranks)
{
	struct trainlog_row *v = rows->v;
	size_t kept = 0, steps = 0;

	qsort(v, rows->n, sizeof(*v), by_step);
	for (size_t i = 0, next; i < rows->n; i = next, steps++) {
		next = i + 1;
		while (next < rows->n && v[next].step == v[i].step && v[next].nth == v[i].nth)
			next++;
		if (next - i == ranks) {
			memmove(&v[kept], &v[i], ranks * sizeof(*v));
			kept += ranks;
		}
	}
	if (kept == 0)
		return error("%s: no step is in the lines of every rank (expected the same steps "
			     "of each)", path);
	if (kept / ranks != steps)
		note("%s: %zu of %zu steps, which not every rank has, are left out", path,
		     steps - kept / ranks, steps);
	rows->n = kept;
	return 0;
}

/* Fills *l with the steps that all ranks have, in the order of the first one's lines. */
static int rows_fill(struct trainlog_rows *rows, const char *path, struct steplog *l)
{
	size_t ranks;

	if (rows_count_ranks(rows, path, &ranks) < 0 || rows_keep_common(rows, path, ranks) < 0)
		return -1;
	*l = (struct steplog){ ranks, rows->n / ranks, xcalloc(rows->n, sizeof(*l->seconds)),
			       NULL };
	qsort(rows->v, l->steps, ranks * sizeof(*rows->v), by_line);
	for (size_t i = 0; i < rows->n; i++)
		l->seconds[i % ranks * l->steps + i / ranks] = rows->v[i].value;
	return 0;
}

/* What a text without a time of each step lacks; "": it is none that a trainer prints. */
static const char *lacks(const char *text)
{
	static const struct {
		const char *mark, *why;
	} all[] = {
		{ "it/s", "a progress bar's rate is a running mean, not the time of a step" },
		{ "s/it", "a progress bar's rate is a running mean, not the time of a step" },
		{ "{'loss'", "Hugging Face's Trainer prints losses, without the time of a step" },
		{ "tps", "a rate is there, but not the seconds that it is of" },
		{ "tokens/s", "a rate is there, but not the seconds that it is of" },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strstr(text, all[i].mark))
			return all[i].why;
	return "";
}

static int refuse(const char *path, const char *why)
{
	return error("%s: %s. Let each rank print 'step N time SECONDS', or log the columns rank, "
		     "step, seconds (of computing alone), or give traces of torch.profiler, one of "
		     "each rank", path, why);
}

int trainlog_refuse(const char *path, const char *text)
{
	/* the first line may be a table's header, with such a column */
	const char *rest = strchr(text, '\n'), *why = rest ? lacks(rest) : "";

	return *why ? refuse(path, why) : 0;
}

/* Says which number is the time of a step, and that communication is in it. */
static void rows_note_word(const struct trainlog_rows *rows, const char *path)
{
	char *what = *rows->word ? xasprintf("time after '%s'", rows->word)
				 : xstrdup("number with a unit");

	if (strncmp(rows->word, "compute", 7) == 0)
		note("%s: the %s is the computing of a step", path, what);
	else
		note("%s: the %s is a whole step, communication included: in synchronous training "
		     "all ranks then look alike. Log the seconds of computing to tell which rank "
		     "is slow", path, what);
	free(what);
}

int trainlog_parse(struct steplog *l, const char *const *path, const char *const *text, size_t n)
{
	struct trainlog_rows rows = { 0 };
	int ret = 0;

	*l = (struct steplog){ 0 };
	for (size_t i = 0; i < n && ret == 0; i++) {
		const size_t before = rows.n;

		rows_read(&rows, text[i], i);
		if (rows.n == before)
			ret = refuse(path[i], *lacks(text[i]) ? lacks(text[i])
							      : "lines with a step have no time "
								"of it");
	}
	if (ret == 0)
		ret = rows_set_ranks(&rows, path, n);
	if (ret == 0)
		ret = rows_to_seconds(&rows, path);
	if (ret == 0)
		ret = rows_fill(&rows, path[0], l);
	if (ret == 0 && steplog_is_clock(l)) {
		steplog_release(l);
		ret = error("%s: the times after '%s' grow from line to line: they are since the "
			    "start (expected the seconds of each step)", path[0], rows.word);
	}
	/* "elapsed time per iteration", "time/step" */
	if (ret == 0 && rows.stride > 1 && (strstr(rows.word, "per ") || strchr(rows.word, '/'))) {
		steplog_release(l);
		ret = error("%s: a time after '%s' is the mean of the %" PRId64 " steps since the "
			    "line before it, which varies less than a step. Print each step "
			    "(Megatron-LM: --log-interval 1)", path[0], rows.word, rows.stride);
	}
	if (ret == 0 && rows.stride > 1)
		note("%s: only one step in %" PRId64 " is there: steps are numbered in the order "
		     "of the lines, and periods of slow steps count those", path[0], rows.stride);
	if (ret == 0)
		rows_note_word(&rows, path[0]);
	free(rows.v);
	return ret;
}
