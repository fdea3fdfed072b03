/* The grammar of compute_s, both ways, and the seconds of a worker. */
#include "plan/compute/times.h"

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/mem.h"
#include "core/node.h"
#include "core/samples/slice.h"
#include "core/text/opt_text.h"
#include "core/text/parse.h"
#include "core/text/word.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CLAUSES = 10000 };

#define LONGEST 1e15            /* seconds, as of the setting */

static const char blanks[] = " \t\r\n";

struct times_source {           /* what is being parsed, and for which workers */
	const char *all;        /* for messages */
	int workers;
	const char *net;
};

bool compute_times_has_clauses(const char *text)
{
	double x;

	return text && *text && strcmp(text, "auto") != 0 && !text_double(text, &x) &&
	       (strpbrk(text, ":;") || isalpha((unsigned char)*text));
}

/* ---- ranks ---- */

/* True of ranks before a colon. */
static bool times_has_ranks(const char *p)
{
	const size_t n = strspn(p, "0123456789-, \t\r\n");

	return n && p[n] == ':';
}

/* "0,4-7:" at *p, which moves after it. */
static int times_take_ranks(const struct times_source *src, struct compute_times *t, const char **p)
{
	const struct ranks_rule rule = {
		.setting = "compute_s", .text = src->all, .workers = src->workers, .alone = true,
		.expected = "ranks before ':', as in '0-7: v100' or '0,4-7: 0.05'", .end = ':',
	};
	const struct rank_list *last;
	int rank;

	if (ranks_take(&rule, p, &t->clause[t->n - 1].who) < 0)
		return -1;
	last = &t->clause[t->n - 1].who;
	rank = ranks_twice(last);
	for (size_t i = 0; i + 1 < t->n && rank == NO_PEER; i++)
		rank = ranks_common(&t->clause[i].who, last);
	return rank == NO_PEER ? 0 : error("compute_s '%s': rank %d is named twice. Give it one "
					   "time", src->all, rank);
}

static int times_take_time(const struct times_source *src, struct times_clause *c,
			   const char *text)
{
	if (!*text)
		return error("compute_s '%s': a clause without a time (expected seconds, table:... "
			     "or a device of 'convoy list devices')", src->all);
	if (!isdigit((unsigned char)*text) && *text != '.' && *text != '-') {
		char *where;
		int ret;

		if (choice_parse(&c->kind, compute_table, "compute time", text) < 0)
			return -1;
		where = xasprintf("compute_s: %s", c->kind.plugin->name);
		ret = compute_points((const struct compute_kind *)c->kind.plugin, c->kind.conf,
				     src->net, &c->points, where);
		free(where);
		return ret;
	}
	if (!text_double(text, &c->seconds))
		return error("compute_s '%s': '%s' is no number of seconds", src->all, text);
	if (!(c->seconds > 0.0 && c->seconds <= LONGEST))
		return error("compute_s '%s': %g s; must be more than 0, at most %g", src->all,
			     c->seconds, LONGEST);
	return 0;
}

/* ---- clauses ---- */

static void times_clause_release(struct times_clause *c)
{
	ranks_release(&c->who);
	choice_release(&c->kind);
	timetable_release(&c->points);
}

/* The piece of a clause, which has no spaces at either end. */
static int times_add_clause(const struct times_source *src, struct compute_times *t,
			    const char *text)
{
	const bool ranks = times_has_ranks(text);
	struct times_clause *c;

	if (t->n == MOST_CLAUSES)
		return error("compute_s: more than %d clauses", MOST_CLAUSES);
	if (!ranks && t->n)
		return error("compute_s '%s': a time for all workers stands first (expected "
			     "'RANKS: TIME' here)", src->all);
	t->clause = xrealloc(t->clause, t->n + 1, sizeof(*t->clause));
	c = &t->clause[t->n++];
	*c = (struct times_clause){ 0 };
	if (ranks && times_take_ranks(src, t, &text) < 0)
		return -1;
	text += strspn(text, blanks);
	if (times_take_time(src, c, text) < 0)
		return -1;
	if (ranks && c->who.n == 0) {
		times_clause_release(c);
		t->n--;
	}
	return 0;
}

static const struct times_clause *times_of(const struct compute_times *t, int rank)
{
	const struct times_clause *found = NULL;

	for (size_t i = 0; i < t->n; i++)
		if (t->clause[i].who.n == 0 || ranks_has(&t->clause[i].who, rank))
			found = &t->clause[i];
	return found;
}

static int times_check_all(const struct times_source *src, const struct compute_times *t)
{
	for (int w = 0; w < src->workers; w++)
		if (!times_of(t, w))
			return error("compute_s '%s': rank %d has no time. Add one for all workers "
				     "in front, or a clause '%d: TIME'", src->all, w, w);
	return 0;
}

int compute_times_parse(struct compute_times *t, const char *text, int workers, int64_t batch,
			const char *net)
{
	const struct times_source src = { text, workers, net };
	char *copy = xstrdup(text), *next;
	int ret = 0;

	*t = (struct compute_times){ .batch = (double)batch };
	for (char *piece = copy; piece && ret == 0; piece = next) {
		next = strchr(piece, ';');
		if (next)
			*next++ = '\0';
		ret = times_add_clause(&src, t, word_trim(piece));
	}
	free(copy);
	return ret < 0 ? ret : times_check_all(&src, t);
}

void compute_times_release(struct compute_times *t)
{
	for (size_t i = 0; i < t->n; i++)
		times_clause_release(&t->clause[i]);
	free(t->clause);
	*t = (struct compute_times){ 0 };
}

double compute_times_seconds(const struct compute_times *t, int rank, double samples)
{
	const struct times_clause *c = times_of(t, rank);

	if (c->seconds > 0.0)
		return c->seconds * samples / t->batch;
	return timetable_seconds(&c->points, samples);
}

/* ---- back to text ---- */

static void times_put_ranks(const struct times_clause *c, FILE *out)
{
	ranks_put(&c->who, out);
	if (c->who.n)
		fputs(": ", out);
}

static void times_put_time(const struct times_clause *c, FILE *out)
{
	if (c->seconds > 0.0)
		put_number(c->seconds, out);
	else if (((const struct compute_kind *)c->kind.plugin)->rate)
		fputs(c->kind.plugin->name, out);
	else {
		char *batch = doubles_text(&c->points.batch);
		char *seconds = doubles_text(&c->points.seconds);

		fprintf(out, "table:batch=%s,seconds=%s", batch, seconds);
		free(batch);
		free(seconds);
	}
}

char *compute_times_format(const struct compute_times *t)
{
	char *text = NULL;
	size_t size;
	FILE *out = xmemstream(&text, &size);

	for (size_t i = 0; i < t->n; i++) {
		fputs(i ? "; " : "", out);
		times_put_ranks(&t->clause[i], out);
		times_put_time(&t->clause[i], out);
	}
	xmemclose(out);
	return text;
}

char *compute_times_format_worker(const struct compute_times *t, int rank)
{
	char *text = NULL;
	size_t size;
	FILE *out = xmemstream(&text, &size);

	times_put_time(times_of(t, rank), out);
	xmemclose(out);
	return text;
}

uint64_t compute_times_hash(uint64_t h, const struct compute_times *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct timetable *p = &t->clause[i].points;

		if (p->batch.n == 0)
			continue;
		h = fnv(h, p->batch.v, p->batch.n * sizeof(*p->batch.v));
		h = fnv(h, p->seconds.v, p->seconds.n * sizeof(*p->seconds.v));
	}
	return h;
}

/* The setting batch, or the clause's smallest or largest slice, that is not measured; 0: none. */
static double times_beyond(const struct compute_times *t, const struct times_clause *c,
			   int workers, const int64_t *slice)
{
	double least = t->batch, most = t->batch;

	for (int w = 0; slice && w < workers; w++) {
		const double samples = (double)slice_size(slice, 0, w);

		if (times_of(t, w) != c)
			continue;
		least = fmin(least, samples);
		most = fmax(most, samples);
	}
	if (!timetable_cover(&c->points, least))
		return least;
	return timetable_cover(&c->points, most) ? 0.0 : most;
}

/* "0-7: batch 16 is outside the measured 32 to 1024", or without ranks. */
static void times_put_beyond(const struct times_clause *c, double samples, FILE *out)
{
	const struct opt_doubles *batch = &c->points.batch;

	times_put_ranks(c, out);
	if (batch->n > 1)
		fprintf(out, "batch %g is outside the measured %g to %g", samples, batch->v[0],
			batch->v[batch->n - 1]);
	else if (((const struct compute_kind *)c->kind.plugin)->rate && batch->v[0] <= 1.0)
		fprintf(out, "proportional to the batch, as the rate's is not published");
	else
		fprintf(out, "proportional to the batch, as only batch %g is measured",
			batch->v[0]);
}

char *compute_times_beyond(const struct compute_times *t, int workers, const int64_t *slice)
{
	char *text = NULL;
	size_t size, said = 0;
	FILE *out = xmemstream(&text, &size);

	for (size_t i = 0; i < t->n; i++) {
		const struct times_clause *c = &t->clause[i];
		const double samples = c->seconds > 0.0 ? 0.0 : times_beyond(t, c, workers, slice);

		if (samples <= 0.0)
			continue;
		fputs(said++ ? "; " : "", out);
		times_put_beyond(c, samples, out);
	}
	xmemclose(out);
	if (said)
		return text;
	free(text);
	return NULL;
}
