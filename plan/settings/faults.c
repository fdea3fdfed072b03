/* Parses, sorts and formats the setting `faults`: leaving workers, stalls, dropped messages. */
#include "plan/settings/faults.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/node.h"
#include "plan/settings/parse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FAULTS = 1000 };

/* A rank, or "server". */
static bool parse_end(const char **p, int *end)
{
	if (!parse_word(p, "server"))
		return parse_rank(p, end);
	*end = SERVER;
	return true;
}

/* TIME or FROM-TO, and which model a worker is back with. */
static bool parse_absence(const char **p, struct fault *f)
{
	const char *began = *p;

	if (!parse_span(p, &f->from, &f->to)) {
		*p = began;
		f->to = HUGE_VAL;
		return parse_number(p, &f->from) && **p != '-';
	}
	if (!parse_word(p, ",copy="))
		return true;
	f->fresh = !parse_word(p, "old");
	return !f->fresh || parse_word(p, "fresh");
}

static bool parse_fault(const char **p, struct fault *f)
{
	*f = (struct fault){ .fresh = true };
	if (!parse_end(p, &f->rank))
		return false;
	if (parse_char(p, '-')) {
		f->kind = FAULT_DROP;
		return parse_end(p, &f->peer) && parse_word(p, ":drop@") &&
		       parse_span(p, &f->from, &f->to);
	}
	if (f->rank == SERVER) {
		f->kind = FAULT_STALL;
		return parse_word(p, ":stall@") && parse_span(p, &f->from, &f->to);
	}
	f->kind = FAULT_LEAVE;
	return parse_word(p, ":leave@") && parse_absence(p, f);
}

static int parse_list(const char *text, struct fault **fault, size_t *n)
{
	const char *p = text;

	do {
		if (*n == MOST_FAULTS)
			return error("faults: more than %d", MOST_FAULTS);
		*fault = xrealloc(*fault, *n + 1, sizeof(**fault));
		if (!parse_fault(&p, &(*fault)[*n]))
			return error("faults '%s': expected none, or RANK:leave@TIME, "
				     "RANK:leave@FROM-TO[,copy=old|fresh], server:stall@FROM-TO or "
				     "RANK-RANK:drop@FROM-TO (a rank may be 'server'), joined by "
				     "'+'; ranks are plain decimal integers, times are seconds, "
				     "FROM before TO", text);
		(*n)++;
	} while (parse_char(&p, '+'));
	if (*p)
		return error("faults '%s': '%s' is left over", text, p);
	return 0;
}

/* ---- one order, one text ---- */

/* The server is behind all ranks. */
static int end_order(int a, int b)
{
	if ((a == SERVER) != (b == SERVER))
		return a == SERVER ? 1 : -1;
	return (a > b) - (a < b);
}

static void sort_ends(struct fault *f)
{
	const int rank = f->rank;

	if (f->kind != FAULT_DROP || end_order(rank, f->peer) <= 0)
		return;
	f->rank = f->peer;
	f->peer = rank;
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
	return x->fresh - y->fresh;
}

static void faults_sort(struct fault *fault, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sort_ends(&fault[i]);
	qsort(fault, n, sizeof(*fault), by_time);
}

int faults_parse(const char *text, struct fault **fault, size_t *n)
{
	*fault = NULL;
	*n = 0;
	if (!text || strcmp(text, "none") == 0)
		return 0;
	if (parse_list(text, fault, n) == 0) {
		faults_sort(*fault, *n);
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

static void put_fault(const void *faults, size_t i, FILE *out)
{
	static const char *const what[] = { ":leave@", ":stall@", ":drop@" };   /* by kind */
	const struct fault *f = (const struct fault *)faults + i;

	put_end(f->rank, out);
	if (f->kind == FAULT_DROP) {
		putc('-', out);
		put_end(f->peer, out);
	}
	fputs(what[f->kind], out);
	put_span(f->from, f->to, out);
	if (!f->fresh)
		fputs(",copy=old", out);
}

char *faults_format(const struct fault *fault, size_t n)
{
	return list_text(n, put_fault, fault);
}
