/* Parses and formats the settings `faults` and `recovery`. */
#include "plan/settings/faults.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/node.h"
#include "core/text/parse.h"
#include "core/text/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FAULTS = 1000 };

/* A rank, or "server". */
static bool parse_end(const char **p, int *end)
{
	if (!parse_word(p, "server"))
		return rank_take(p, end);
	*end = SERVER;
	return true;
}

enum fault_key { MTBF = 1 << 0, DETECT = 1 << 1, RESTART = 1 << 2, COPY = 1 << 3, FETCH = 1 << 4 };

/* Reads the value of a key. */
static bool parse_value(const char **p, enum fault_key key, struct fault *f)
{
	switch (key) {
	case MTBF:
		return parse_time(p, &f->mtbf);
	case DETECT:
		return parse_time(p, &f->detect);
	case RESTART:
		return parse_time(p, &f->restart);
	case COPY:
		f->fresh = !parse_word(p, "old");
		return !f->fresh || parse_word(p, "fresh");
	case FETCH:
		return parse_number(p, &f->fetch) && f->fetch > 0.0;
	}
	return false;
}

/* The next key, of those in `may`; 0: none of them comes. */
static unsigned parse_key_of(const char **p, unsigned may)
{
	static const char *const names[] = { "mtbf_s=", "detect_s=", "restart_s=", "copy=",
					     "fetch=" };

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (may & 1u << i && parse_word(p, names[i]))
			return 1u << i;
	return 0;
}

/*
 * Reads ",KEY=VALUE" of the keys in `may`, each at most once, in any order, up to another text;
 * false: a value is none.
 */
static bool parse_values(const char **p, unsigned may, struct fault *f)
{
	for (;;) {
		const char *before = *p;
		const unsigned key = parse_char(p, ',') ? parse_key_of(p, may) : 0;

		if (!key) {
			*p = before;
			return true;
		}
		if (!parse_value(p, (enum fault_key)key, f))
			return false;
		may &= ~key;
	}
}

/* Mean seconds between failures, until they are detected, and until the worker is back. */
static bool parse_failing(const char **p, struct fault *f)
{
	const unsigned all = MTBF | DETECT | RESTART | COPY | FETCH;
	unsigned first;

	f->kind = FAULT_FAIL;
	f->to = HUGE_VAL;
	f->detect = 0.0;
	f->mtbf = -1.0;
	first = parse_key_of(p, all);
	return first && parse_value(p, (enum fault_key)first, f) &&
	       parse_values(p, all & ~first, f) && f->mtbf >= 0.0;
}

static bool parse_fault(const char **p, struct fault *f)
{
	const char *began;

	*f = (struct fault){ .fresh = true, .detect = HUGE_VAL };
	if (parse_word(p, "all:fail@")) {
		f->peer = FAULT_LAST_RANK;
		return parse_failing(p, f);
	}
	if (!parse_end(p, &f->rank))
		return false;
	f->peer = f->rank;
	if (parse_char(p, '-')) {       /* a link that drops, or ranks of which each fails */
		if (!parse_end(p, &f->peer))
			return false;
		if (f->rank != SERVER && f->rank <= f->peer && parse_word(p, ":fail@"))
			return parse_failing(p, f);
		f->kind = FAULT_DROP;
		return parse_word(p, ":drop@") && parse_span(p, &f->from, &f->to);
	}
	if (f->rank == SERVER) {
		f->peer = 0;
		f->kind = FAULT_STALL;
		return parse_word(p, ":stall@") && parse_span(p, &f->from, &f->to);
	}
	if (parse_word(p, ":fail@"))
		return parse_failing(p, f);
	f->kind = FAULT_LEAVE;
	if (!parse_word(p, ":leave@"))
		return false;
	/* TIME or FROM-TO, when others detect it, and which model the worker is back with. */
	began = *p;
	if (!parse_span(p, &f->from, &f->to)) {
		*p = began;
		f->to = HUGE_VAL;
		if (!parse_time(p, &f->from) || **p == '-')
			return false;
	}
	return parse_values(p, isfinite(f->to) ? DETECT | COPY | FETCH : DETECT, f);
}

/* error() if a word or a value of the text is wrong by itself. */
static int refuse_part(const char *text)
{
	static const struct parse_key keys[] = { { "mtbf_s", true }, { "detect_s", false },
						 { "restart_s", false }, { NULL, false } };
	static const char *const words[] = {
		"all", "server", "leave", "stall", "drop", "fail", "mtbf_s", "detect_s",
		"restart_s", "copy", "old", "fresh", "fetch", NULL
	};

	return parse_refuse("faults", text, keys, words);
}

static int parse_list(const char *text, struct fault **fault, size_t *n)
{
	const char *p = text;

	do {
		if (*n == MOST_FAULTS)
			return error("faults: more than %d", MOST_FAULTS);
		*fault = xrealloc(*fault, *n + 1, sizeof(**fault));
		if (parse_fault(&p, &(*fault)[*n])) {
			(*n)++;
			continue;
		}
		if (refuse_part(text) < 0)
			return -1;
		return error("faults '%s': expected none, or RANK:leave@TIME[,detect_s=S], "
			     "RANK:leave@FROM-TO[,detect_s=S][,copy=old|fresh][,fetch=TIMES], "
			     "server:stall@FROM-TO, RANK-RANK:drop@FROM-TO (a rank may be "
			     "'server') or RANKS:fail@mtbf_s=S[,detect_s=S][,restart_s=S]"
			     "[,copy=old|fresh][,fetch=TIMES] (RANKS: all, RANK or "
			     "RANK-RANK), joined by '+'; ranks are plain decimal "
			     "integers, times are seconds, or have a unit, FROM before TO",
			     text);
	} while (parse_char(&p, '+'));
	if (*p)
		return refuse_part(text) < 0
			       ? -1 : error("faults '%s': '%s' is left over", text, p);
	return 0;
}

/* ---- one order, one text ---- */

/* The server is after all ranks. */
static int end_order(int a, int b)
{
	if ((a == SERVER) != (b == SERVER))
		return a == SERVER ? 1 : -1;
	return (a > b) - (a < b);
}

static int by_time(const void *a, const void *b)
{
	const struct fault *x = a, *y = b;

	if (x->from < y->from || x->from > y->from)
		return x->from < y->from ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->rank != y->rank)
		return end_order(x->rank, y->rank);
	if (x->peer != y->peer)
		return end_order(x->peer, y->peer);
	if (x->to < y->to || x->to > y->to)
		return x->to < y->to ? -1 : 1;
	if (x->fresh != y->fresh)
		return x->fresh - y->fresh;
	if (x->fetch < y->fetch || x->fetch > y->fetch)
		return x->fetch < y->fetch ? -1 : 1;
	if (x->detect < y->detect || x->detect > y->detect)
		return x->detect < y->detect ? -1 : 1;
	if (x->mtbf < y->mtbf || x->mtbf > y->mtbf)
		return x->mtbf < y->mtbf ? -1 : 1;
	return (x->restart > y->restart) - (x->restart < y->restart);
}

int faults_parse(const char *text, struct fault **fault, size_t *n)
{
	*fault = NULL;
	*n = 0;
	if (!text || strcmp(text, "none") == 0)
		return 0;
	if (parse_list(text, fault, n) == 0) {
		for (size_t i = 0; i < *n; i++) {
			struct fault *f = &(*fault)[i];
			const int rank = f->rank;

			if (f->kind != FAULT_DROP || end_order(rank, f->peer) <= 0)
				continue;
			f->rank = f->peer;
			f->peer = rank;
		}
		qsort(*fault, *n, sizeof(**fault), by_time);
		return 0;
	}
	free(*fault);
	*fault = NULL;
	*n = 0;
	return -1;
}

static void put_end(int end, FILE *out)
{
	if (end == SERVER)
		fputs("server", out);
	else
		fprintf(out, "%d", end);
}

static void put_value(const char *key, double value, FILE *out)
{
	fputs(key, out);
	put_number(value, out);
}

static void put_fault(const void *faults, size_t i, FILE *out)
{
	const struct fault *f = (const struct fault *)faults + i;

	if (f->kind == FAULT_FAIL) {
		if (f->peer == FAULT_LAST_RANK)
			fputs("all", out);
		else if (f->peer == f->rank)
			fprintf(out, "%d", f->rank);
		else
			fprintf(out, "%d-%d", f->rank, f->peer);
		put_value(":fail@mtbf_s=", f->mtbf, out);
		put_value(",detect_s=", f->detect, out);
		put_value(",restart_s=", f->restart, out);
	} else {
		static const char *const what[] = { ":leave@", ":stall@", ":drop@" };

		put_end(f->rank, out);
		if (f->kind == FAULT_DROP) {
			putc('-', out);
			put_end(f->peer, out);
		}
		fputs(what[f->kind], out);
		put_span(f->from, f->to, out);
		if (isfinite(f->detect))
			put_value(",detect_s=", f->detect, out);
	}
	if (!f->fresh)
		fputs(",copy=old", out);
	if (f->fetch > 0.0)
		put_value(",fetch=", f->fetch, out);
}

char *faults_format(const struct fault *fault, size_t n)
{
	return list_text(n, put_fault, fault);
}

/* ---- the setting `recovery`: checkpoints to which a job goes back ---- */

int restart_parse(const char *text, struct restart *r)
{
	static const struct parse_key keys[] = { { "interval_s", true }, { "cost_s", false },
						 { NULL, false } };
	static const char *const words[] = { "continue", "restart", "interval_s", "cost_s", NULL };
	const char *p = text;

	*r = (struct restart){ 0 };
	if (!text || strcmp(text, "continue") == 0)
		return 0;
	if (parse_word(&p, "restart:")) {
		const bool cost = parse_word(&p, "cost_s=");

		if ((!cost || (parse_time(&p, &r->cost_s) && parse_char(&p, ','))) &&
		    parse_word(&p, "interval_s=") && parse_time(&p, &r->interval_s) &&
		    (cost || !parse_word(&p, ",cost_s=") || parse_time(&p, &r->cost_s)) &&
		    *p == '\0' && r->interval_s > 0.0)
			return 0;
	}
	if (parse_refuse("recovery", text, keys, words) < 0)
		return -1;
	return error("recovery '%s': expected continue, or restart:interval_s=S[,cost_s=S]: "
		     "seconds of work between two checkpoints, more than 0, and for which each "
		     "stops the job", text);
}

static void restart_put(const void *of, size_t i, FILE *out)
{
	const struct restart *r = of;

	(void)i;
	fputs("restart:interval_s=", out);
	put_number(r->interval_s, out);
	fputs(",cost_s=", out);
	put_number(r->cost_s, out);
}

char *restart_format(const struct restart *r)
{
	return r->interval_s > 0.0 ? list_text(1, restart_put, r) : xstrdup("continue");
}
