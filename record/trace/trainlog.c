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
#include "core/text/word.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A rank may be the number of a process, which Linux keeps below 1 << 22. */
enum { MOST_RANKS = 1 << 22, FEWEST_LINES = 2, LINE = 4096 };

/* A trainer, by a mark in the first line that has one, and what its times are of. */
struct printer {
	const char *mark;
	enum { ONE_STEP, SINCE_LAST, WINDOW } of;
	const char *remedy;     /* what prints each step's own time */
};

static const struct printer printers[] = {
	{ "last_time: ", ONE_STEP, "" },        /* Detectron2 */
	{ "train_step_timing", ONE_STEP, "" },  /* NeMo */
	{ ", mfu ", ONE_STEP, "" },             /* nanoGPT */
	{ "/s  (", ONE_STEP, "" },              /* timm */
	{ "elapsed time per iteration", SINCE_LAST, " (Megatron-LM: --log-interval 1)" },
	{ "iter time (s): ", SINCE_LAST, " (DeepSpeed: steps_per_print 1)" },
	{ ", data_time: ", SINCE_LAST, " (MMCV: log_config = dict(interval=1))" },
	{ "d2.utils.events", WINDOW, "Newer releases of Detectron2 print last_time" },
	{ " mmengine ", WINDOW, "MMEngine prints each step's own with log_processor = "
				"dict(window_size=1)" },
	{ "max mem: ", WINDOW, "torchvision's MetricLogger prints each step's own with "
			       "iter_time = SmoothedValue(fmt='{value:.4f}')" },
};

static const struct printer one_step = { "", ONE_STEP, "" },
			    since_last = { "", SINCE_LAST, "" };

struct trainlog_row {
	int64_t rank;           /* -1: the line has none */
	bool unnamed;           /* "[2]" or "2: ", which may be of an epoch as well */
	int64_t step;
	size_t nth;             /* line of its rank with this step: they begin again in an epoch */
	size_t file, line;
	double value, per_second;       /* per_second 0: no unit */
	bool has_mean;          /* "0.31 (0.35)": a mean follows, so this is of one step */
};

struct trainlog_rows {
	struct trainlog_row *v; /* [n], owned */
	size_t n;
	int64_t stride;         /* between the numbers of two lines of a rank; 0: not known */
	const char *word;       /* before the first time; "": a number with a unit */
	const struct printer *by;       /* of the first time; NULL: not known */
	bool ranks_of_files;    /* no line has a rank that tells it from others */
	char *taken;            /* what numbers without a word are taken for; NULL: none; owned */
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

	if ((at > line && is_word_char(at[-1])) || strncasecmp(at, word, n) != 0)
		return NULL;
	return at + n;
}

static const char *skip(const char *at, const char *set)
{
	return at + strspn(at, set);
}

/* A whole number at `at`, or 7.00; -1: none, or another kind of number: 7.5, 2e+3, 7.0s. */
static int64_t whole_at(const char *at, const char **end)
{
	char *last;
	const long long value = isdigit((unsigned char)*at) ? strtoll(at, &last, 10) : -1;
	const char *after;

	if (value < 0)
		return -1;
	after = last[0] == '.' && last[1] == '0' ? skip(last + 1, "0") : last;
	*end = after;
	if ((after > last && is_word_char(*after)) || strncasecmp(after, "e+", 2) == 0 ||
	    (*after == '.' && isdigit((unsigned char)after[1])))
		return -1;
	return (int64_t)value;
}

/* "[0][10/100]", "0 [ 10/100", "[0/90]  [10/100]": the second number, which is the step's. */
static int64_t step_of_epoch(const char *at)
{
	const char *end;

	if (whole_at(at, &end) < 0)
		return -1;
	if (*end == '/')
		end = skip(end + 1, "0123456789");
	end = skip(end, "] \t");
	return *end == '[' ? whole_at(skip(end, " ["), &end) : -1;
}

/* The number of the line's step, *begin <- its word; -1: it has none. */
static int64_t line_step(const char *line, const char **begin)
{
	static const char *const words[] = { "global_step", "global step", "train_step",
					     "iteration", "steps", "step", "iter", "batch_idx",
					     "batch", "epoch", "train" };
	const char *end;

	for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++)
		for (const char *at = line; *at; at++) {
			const char *after = word_end(line, at, words[k]);
			int64_t step;

			/* "Iter(train) [ 50/400]" */
			if (after && strncmp(after, "(train)", 7) == 0)
				after += 7;
			if (!after || is_word_char(*after))
				continue;
			after = skip(after, " \t:=#\"'([");
			step = words[k][0] == 'e' || strcmp(words[k], "train") == 0
				       ? step_of_epoch(after) : whole_at(after, &end);
			if (step < 0)
				continue;
			*begin = at;
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
	at = skip(end, " ");
	while (own > 0.0 && isalpha((unsigned char)*at))
		at++;
	at = skip(at, " ");
	r->has_mean = *at == '(' && isdigit((unsigned char)*skip(at + 1, " "));
	return isfinite(r->value);
}

/* The word of *n letters before `at`, but for characters of `between`. */
static const char *word_before(const char *line, const char *at, const char *between, size_t *n)
{
	const char *begin;

	while (at > line && strchr(between, at[-1]))
		at--;
	begin = at;
	while (begin > line && isalpha((unsigned char)begin[-1]))
		begin--;
	*n = (size_t)(at - begin);
	return begin;
}

/* True when the words before `at` say that what follows is not the time of a step. */
static bool is_other_time(const char *line, const char *at)
{
	size_t n;
	const char *word = word_before(line, at, " _-", &n);

	return csv_is_other_time(word, n);
}

/* The time after a known word. */
static bool line_named_time(const char *line, struct trainlog_row *r, const char **word)
{
	static const char *const words[] = {
		"compute_time", "compute time", "last_time", "train_step_timing",
		"elapsed time per iteration", "iteration time",
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
			/* "time_ms", "time (ms)", "timing in s" */
			unit = skip(after, " _([");
			if (strncmp(unit, "in ", 3) == 0)
				unit += 3;
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

/* The rank after a word, in brackets or at the line's beginning unless `anywhere`; -1: none. */
static int64_t word_rank(const char *line, const char *word, bool anywhere)
{
	for (const char *at = line; *at; at++) {
		const char *after = word_end(line, at, word), *end;
		const bool inside = at > line && strchr("[(<", at[-1]);
		const int64_t rank = after ? whole_at(skip(after, " :=_-#[\"'"), &end) : -1;

		if (rank < 0 || is_word_char(*end) || *end == '%' ||
		    (!anywhere && (inside ? !strchr("])> ,", *end) : at > line)))
			continue;
		return rank;
	}
	return -1;
}

/* True when the word before `at` says that a number is of an epoch or a step: "Epoch [2]". */
static bool is_counted(const char *line, const char *at)
{
	static const char *const words[] = { "epoch", "train", "step", "iter", "iteration",
					     "batch", NULL };
	size_t n;
	const char *word = word_before(line, at, " :=", &n);

	return word_part_is_among(word, n, words);
}

/* The number in brackets, alone or after a machine's name, before `end`: "[2]", "[node3:2]". */
static int64_t bracket_rank(const char *line, const char *end)
{
	for (const char *at = strchr(line, '['); at && at < end; at = strchr(at + 1, '[')) {
		const char *number = skip(at + 1, " "), *name = number, *last;
		int64_t rank;

		while (is_word_char(*name) || *name == '-')
			name++;
		/* a machine's name has a number: "[Epoch:2]" and "[main:120]" have none */
		if (*name == ':' && isalpha((unsigned char)*number) &&
		    isdigit((unsigned char)name[-1]))
			number = name + 1;
		rank = whole_at(number, &last);
		/* "python[4711]" is a process; a large number is a time */
		if (rank >= 0 && rank < MOST_RANKS && *last == ']' && !is_counted(line, at) &&
		    (at == line || !is_word_char(at[-1])))
			return rank;
	}
	return -1;
}

/* The rank of a line whose step is at `step`; -1: it has none. *unnamed: no word says so. */
static int64_t line_rank(const char *line, const char *step, bool *unnamed)
{
	static const struct {
		const char *word;
		bool anywhere;
	} words[] = { { "global_rank", true }, { "rank", true }, { "local_rank", true },
		      { "pid", true }, { "default", false }, { "trainer", false },
		      { "worker", false }, { "process", false }, { "proc", false },
		      { "gpu", false }, { "cuda", false }, { "device", false },
		      { "node", false } };
	const char *end = strstr(line, "]<std"), *begin = skip(line, " ");
	int64_t rank = -1;

	/* Open MPI: "[1,3]<stdout>:" */
	if (end) {
		while (end > line && isdigit((unsigned char)end[-1]))
			end--;
		rank = whole_at(end, &end);
	}
	for (size_t k = 0; k < sizeof(words) / sizeof(words[0]) && rank < 0; k++)
		rank = word_rank(line, words[k].word, words[k].anywhere);
	*unnamed = rank < 0;
	if (rank >= 0)
		return rank;
	/* srun -l: "3: step 10" */
	rank = whole_at(begin, &end);
	return rank >= 0 && *end == ':' && end[1] == ' ' ? rank : bracket_rank(line, step);
}

/* ---- texts ---- */

/* Copies the next line, as much as fits, without codes of colours; false: there is none. */
static bool line_next(const char **text, char line[LINE])
{
	const char *at = *text, *end = at + strcspn(at, "\n");
	size_t n = 0;

	if (!*at)
		return false;
	while (at < end && n < LINE - 1)
		if (at[0] == '\033' && at[1] == '[')
			for (at += 2; at < end && !isalpha((unsigned char)*at++);)
				;
		else
			line[n++] = *at++;
	line[n] = '\0';
	*text = end + (*end == '\n');
	return true;
}

bool trainlog_is(const char *text)
{
	enum { LOOKED_AT = 20000 };
	char line[LINE];
	const char *begin;
	size_t n = 0;

	for (int i = 0; i < LOOKED_AT && n < FEWEST_LINES && line_next(&text, line); i++)
		n += line_step(line, &begin) >= 0;
	return n >= FEWEST_LINES;
}

static void rows_add(struct trainlog_rows *rows, const struct trainlog_row *r)
{
	rows->v = xgrown(rows->v, rows->n, sizeof(*rows->v));
	rows->v[rows->n++] = *r;
}

/* Printer of a time after that word, in that line; NULL: not known. */
static const struct printer *printer_find(const char *line, const char *word, bool has_mean)
{
	for (size_t i = 0; i < sizeof(printers) / sizeof(printers[0]); i++)
		if (strstr(line, printers[i].mark))
			return &printers[i];
	if (strstr(word, "per ") || strchr(word, '/'))
		return &since_last;
	return has_mean ? &one_step : NULL;
}

static void rows_read(struct trainlog_rows *rows, const char *text, size_t file)
{
	char line[LINE];

	for (size_t number = 1; line_next(&text, line); number++) {
		struct trainlog_row r = { .file = file, .line = number };
		const char *word = "", *begin;

		r.step = line_step(line, &begin);
		if (r.step < 0)
			continue;
		if (!line_named_time(line, &r, &word) && !line_bare_time(line, &r, &word))
			continue;
		r.rank = line_rank(line, begin, &r.unnamed);
		if (!rows->word) {
			rows->word = word;
			rows->by = printer_find(line, word, r.has_mean);
		}
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

static int by_line(const void *a, const void *b)
{
	const struct trainlog_row *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

static int by_file_step(const void *a, const void *b)
{
	const struct trainlog_row *x = a, *y = b;

	if (x->file != y->file || x->step == y->step)
		return by_line(a, b);
	return x->step < y->step ? -1 : 1;
}

/*
 * True when the numbers of a file's lines grow with the steps, and no step has two of them: an
 * epoch or a counter does so, ranks have the same steps. Sorts the rows.
 */
static bool rows_count_steps(struct trainlog_rows *rows)
{
	struct trainlog_row *v = rows->v;
	bool grow = false;

	qsort(v, rows->n, sizeof(*v), by_file_step);
	for (size_t i = 1; i < rows->n; i++) {
		if (v[i].file != v[i - 1].file)
			continue;
		if (v[i].rank < v[i - 1].rank ||
		    (v[i].rank > v[i - 1].rank && v[i].step == v[i - 1].step))
			return false;
		grow |= v[i].rank > v[i - 1].rank;
	}
	return grow;
}

/*
 * Gives rows without a rank, or all with the same, that of their file. 0, or error() for some with
 * and some without.
 */
static int rows_set_ranks(struct trainlog_rows *rows, const char *const *path, size_t n)
{
	const struct trainlog_row *first = rows->v;
	const int64_t number = first->rank;
	bool differ = false, unnamed = true;
	int64_t *rank;

	for (size_t i = 0; i < rows->n; i++) {
		const struct trainlog_row *r = &rows->v[i];

		if ((r->rank < 0) != (first->rank < 0))
			return error("%s:%zu: a step %s a rank, unlike those before it (expected "
				     "[rank3]: in each line)", path[r->file], r->line,
				     r->rank < 0 ? "without" : "with");
		differ |= r->rank != first->rank;
		unnamed &= r->unnamed;
	}
	if (differ && (!unnamed || !rows_count_steps(rows))) {
		if (unnamed)
			rows->taken = xasprintf("%s: the number before the step, such as %" PRId64
						", is taken for the rank. If it is an epoch, print "
						"'epoch %" PRId64 "'", path[0], number, number);
		return 0;
	}
	if (differ)
		rows->taken = xasprintf("%s: the number before the step, such as %" PRId64
					", grows with the steps: it is taken for an epoch or a "
					"counter. If it is the rank, print 'rank %" PRId64 "'",
					path[0], number, number);
	rows->ranks_of_files = true;
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

static int by_rank_line(const void *a, const void *b)
{
	const struct trainlog_row *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return by_line(a, b);
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

/* error() for a rank's step that is there again, as if several ranks were one. */
static int rows_refuse_again(const struct trainlog_rows *rows, const char *const *path,
			     const struct trainlog_row *first, const struct trainlog_row *again)
{
	scoped char *rank = rows->ranks_of_files ? xstrdup("")
						 : xasprintf("rank %" PRId64 ", ", again->rank);

	error("%s:%zu: %sstep %" PRId64 " is on line %zu of %s already. If that is another rank, "
	      "print the global rank in each line ([rank3]: step 10), or give a file of each rank",
	      path[again->file], again->line, rank, again->step, first->line, path[first->file]);
	return -1;
}

/*
 * Leaves out lines that repeat the one before, as progress bars do. error() for a rank's step that
 * comes again at once in another time; a warning where steps begin again at another than the least.
 */
static int rows_check_order(struct trainlog_rows *rows, const char *const *path)
{
	struct trainlog_row *v = rows->v, *last = NULL;
	int64_t least = 0;
	size_t kept = 0;
	bool warned = false;

	qsort(v, rows->n, sizeof(*v), by_rank_line);
	for (size_t i = 0; i < rows->n; i++) {
		const struct trainlog_row *r = &v[i];
		const bool goes_on = last && r->rank == last->rank && r->file == last->file;

		if (goes_on && r->step == last->step) {
			if (fabs(r->value - last->value) > 0.0)
				return rows_refuse_again(rows, path, last, r);
			continue;
		}
		if (goes_on && r->step < last->step && r->step > least && !warned) {
			warning("%s:%zu: step %" PRId64 " comes after step %" PRId64 ". If they "
				"are of two ranks, print the global rank in each line ([rank3]: "
				"step 10), or give a file of each rank", path[r->file], r->line,
				r->step, last->step);
			warned = true;
		}
		least = goes_on && least < r->step ? least : r->step;
		last = &v[kept++];
		*last = *r;
	}
	if (kept < rows->n)
		note("%s: %zu lines repeat the one before, with its step and time: they are left "
		     "out", path[0], rows->n - kept);
	rows->n = kept;
	return 0;
}

/* The difference of two steps of the first rank in the middle of its lines, sorted; 0: none. */
static int64_t rows_stride(const struct trainlog_row *v, size_t n)
{
	for (size_t i = n / 2 ? n / 2 : 1; i < n; i++)
		if (v[i].step > v[i - 1].step)
			return v[i].step - v[i - 1].step;
	return 0;
}

/*
 * Sorts rows by rank, numbers those of one step, and counts the ranks; finds the stride. 0 or
 * error().
 */
static int rows_count_ranks(struct trainlog_rows *rows, const char *const *path, size_t *ranks)
{
	struct trainlog_row *v = rows->v;
	const struct trainlog_row *end = &v[rows->n - 1];

	qsort(v, rows->n, sizeof(*v), by_rank);
	*ranks = 1;
	for (size_t i = 1; i < rows->n; i++) {
		if (v[i].rank != v[i - 1].rank) {
			rows->stride = *ranks == 1 ? rows_stride(v, i) : rows->stride;
			++*ranks;
		} else if (v[i].step == v[i - 1].step) {
			if (v[i].file != v[i - 1].file)
				return rows_refuse_again(rows, path, &v[i - 1], &v[i]);
			v[i].nth = v[i - 1].nth + 1;
		}
	}
	if (*ranks == 1)
		rows->stride = rows_stride(v, rows->n);
	if (end->rank >= MOST_RANKS)
		return error("%s: there is no rank %" PRId64, path[end->file], end->rank);
	if (end->rank != (int64_t)*ranks - 1)
		note("%s: ranks %" PRId64 " to %" PRId64 " are not all there: workers 0 to %zu of "
		     "the log are those that are, in their order", path[0], v->rank, end->rank,
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
static int rows_fill(struct trainlog_rows *rows, const char *const *path, struct steplog *l)
{
	size_t ranks;

	if (rows_check_order(rows, path) < 0 || rows_count_ranks(rows, path, &ranks) < 0 ||
	    rows_keep_common(rows, path[0], ranks) < 0)
		return -1;
	*l = (struct steplog){ ranks, rows->n / ranks, xcalloc(rows->n, sizeof(*l->seconds)),
			       NULL };
	qsort(rows->v, l->steps, ranks * sizeof(*rows->v), by_line);
	for (size_t i = 0; i < rows->n; i++)
		l->seconds[i % ranks * l->steps + i / ranks] = rows->v[i].value;
	return 0;
}

/* Reason why a text has no time of each step; "": it is none that a trainer prints. */
static const char *lacks(const char *text)
{
	static const char bar[] = "a progress bar's rate is a running mean, not the time of a "
				  "step",
			  rate[] = "a rate is there, but not the seconds that it is of";
	static const struct {
		const char *mark, *why;
	} all[] = {
		{ "it/s", bar }, { "s/it", bar }, { "ms/step", bar }, { "ms/batch", bar },
		{ "{'loss'", "Hugging Face's Trainer prints losses, without the time of a step" },
		{ "wall_clock/", "Composer prints the time since the start, not that of a step" },
		{ "time (ms) | ", "DeepSpeed prints the parts of a step, without its number" },
		{ "tps:", rate }, { "wps", rate }, { "tokens/s", rate }, { "/sec", rate },
		{ "SamplesPerSec=", rate }, { "_per_sec", rate },
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

/* True when lines have a time. */
static bool has_times(const char *text)
{
	char line[LINE];
	const char *word;
	size_t n = 0;

	while (n < FEWEST_LINES && line_next(&text, line)) {
		struct trainlog_row r;

		n += line_named_time(line, &r, &word);
	}
	return n >= FEWEST_LINES;
}

int trainlog_refuse(const char *path, const char *text)
{
	/* the first line may be a table's header, with such a column */
	const char *rest = strchr(text, '\n'), *why = rest ? lacks(rest + 1) : "";

	if (rest && !*why && has_times(rest + 1))
		why = "lines with a time have no number of a step by a name that is known, such "
		      "as step";
	return *why ? refuse(path, why) : 0;
}

/* Says which numbers are the rank and the time of a step, and that communication is in it. */
static void rows_note_word(const struct trainlog_rows *rows, const char *path, const char *what)
{
	if (rows->taken)
		note("%s", rows->taken);
	if (strncmp(rows->word, "compute", 7) == 0)
		note("%s: the %s is the computing of a step", path, what);
	else
		note("%s: the %s is a whole step, communication included: in synchronous training "
		     "all ranks then look alike. Log the seconds of computing to tell which rank "
		     "is slow", path, what);
}

/* Says what the times may be of other than one step, or each step. 0, or error() for means. */
static int rows_check_means(const struct trainlog_rows *rows, const char *path, const char *what)
{
	const struct printer *by = rows->by;

	if (by && by->of == WINDOW)
		warning("%s: the %s is a mean of several steps, unless its default was changed: it "
			"varies less than a step. %s", path, what, by->remedy);
	if (rows->stride <= 1)
		return 0;
	if (by && by->of == SINCE_LAST)
		return error("%s: the %s is the mean of the %" PRId64 " steps since the line "
			     "before it, which varies less than a step. Print each step%s", path,
			     what, rows->stride, by->remedy);
	note("%s: only one step in %" PRId64 " is there: steps are numbered in the order of the "
	     "lines, and periods of slow steps count those", path, rows->stride);
	if (!by)
		warning("%s: the %s may be a mean of %" PRId64 " steps, which varies less than a "
			"step. If it is, print each step", path, what, rows->stride);
	return 0;
}

int trainlog_parse(struct steplog *l, const char *const *path, const char *const *text, size_t n)
{
	struct trainlog_rows rows = { 0 };
	char *what = NULL;
	int ret = 0;

	*l = (struct steplog){ 0 };
	for (size_t i = 0; i < n && ret == 0; i++) {
		const size_t before = rows.n;

		rows_read(&rows, text[i], i);
		if (rows.n == before)
			ret = refuse(path[i], *lacks(text[i]) ? lacks(text[i])
							      : "lines with a step have no time "
								"by a name that is known, such as "
								"step_time");
	}
	if (ret == 0)
		what = *rows.word ? xasprintf("time after '%s'", rows.word)
				  : xstrdup("number with a unit");
	if (ret == 0)
		ret = rows_set_ranks(&rows, path, n);
	if (ret == 0)
		ret = rows_to_seconds(&rows, path);
	if (ret == 0)
		ret = rows_fill(&rows, path, l);
	if (ret == 0 && steplog_is_clock(l))
		ret = error("%s: the %s grows from line to line: it is since the start (expected "
			    "the seconds of each step)", path[0], what);
	if (ret == 0)
		ret = rows_check_means(&rows, path[0], what);
	if (ret == 0)
		rows_note_word(&rows, path[0], what);
	else
		steplog_release(l);
	free_all(rows.v, rows.taken, what);
	return ret;
}
