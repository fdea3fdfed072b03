#include "cmd/faults.h"

#include "cmd/take.h"
#include "core/error.h"
#include "core/mem.h"
#include "core/node.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FAULTS = 1000 };

/* A rank, or "server". */
static bool take_end(const char **p, int *end)
{
	double rank;

	if (take_word(p, "server")) {
		*end = SERVER;
		return true;
	}
	if (!take_number(p, &rank) || rank != floor(rank) || rank > 1 << 24)
		return false;
	*end = (int)rank;
	return true;
}

/* TIME or FROM-TO, and which model a worker is back with. */
static bool take_absence(const char **p, struct fault *f)
{
	const char *began = *p;

	if (!take_span(p, &f->from, &f->to)) {
		*p = began;
		f->to = HUGE_VAL;
		return take_number(p, &f->from) && **p != '-';
	}
	if (!take_word(p, ",copy="))
		return true;
	f->fresh = !take_word(p, "old");
	return !f->fresh || take_word(p, "fresh");
}

static bool take_fault(const char **p, struct fault *f)
{
	*f = (struct fault){ .fresh = true };
	if (!take_end(p, &f->who))
		return false;
	if (take_char(p, '-')) {
		f->kind = FAULT_DROP;
		return take_end(p, &f->peer) && take_word(p, ":drop@") &&
		       take_span(p, &f->from, &f->to);
	}
	if (f->who == SERVER) {
		f->kind = FAULT_STALL;
		return take_word(p, ":stall@") && take_span(p, &f->from, &f->to);
	}
	f->kind = FAULT_LEAVE;
	return take_word(p, ":leave@") && take_absence(p, f);
}

static int parse_list(const char *text, struct fault **fault, size_t *n)
{
	const char *p = text;

	do {
		if (*n == MOST_FAULTS)
			return error("faults: more than %d", MOST_FAULTS);
		*fault = xrealloc(*fault, *n + 1, sizeof(**fault));
		if (!take_fault(&p, &(*fault)[*n]))
			return error("faults '%s': expected none, or RANK:leave@TIME, "
				     "RANK:leave@FROM-TO[,copy=old|fresh], server:stall@FROM-TO or "
				     "RANK-RANK:drop@FROM-TO (a rank may be 'server'), joined by "
				     "'+'; times are seconds, FROM before TO", text);
		(*n)++;
	} while (take_char(&p, '+'));
	if (*p)
		return error("faults '%s': '%s' is left over", text, p);
	return 0;
}

int faults_parse(const char *text, struct fault **fault, size_t *n)
{
	*fault = NULL;
	*n = 0;
	if (!text || strcmp(text, "none") == 0 || parse_list(text, fault, n) == 0)
		return 0;
	free(*fault);
	*fault = NULL;
	*n = 0;
	return -1;
}
