/* The grammar of a link's clauses, both ways. */
#include "sim/link/clauses.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/node.h"
#include "core/text/opt.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CLAUSES = 10000, MOST_DIGITS = 9 };

#define AT(field) OPT_AT(DOUBLE, struct link_values, field)

static const struct opt clause_opts[] = {
	{ "bandwidth_GBps", AT(bandwidth), NULL, "1e9 bytes a second, each way", "GB/S", 1e-12, 1e9,
	  NULL, 0 },
	{ "latency_s", AT(latency_s), NULL, "seconds from one end to the other", "SECONDS", 0, 1e6,
	  NULL, 0 },
	{ "message_s", AT(message_s), NULL, "seconds per message, without its bytes", "SECONDS", 0,
	  1e6, NULL, 0 },
	{ "node_GBps", AT(node_bandwidth), NULL, "1e9 bytes a second inside a node, each way",
	  "GB/S", 1e-12, 1e9, NULL, 0 },
	{ "node_latency_s", AT(node_latency_s), NULL, "seconds inside a node", "SECONDS", 0, 1e6,
	  NULL, 0 },
	{ "background_GBps", AT(background), NULL, "1e9 bytes a second of other traffic", "GB/S",
	  1e-12, 1e9, NULL, 0 },
	{ 0 }
};

static const char blanks[] = " \t\r\n";

struct clause_text {            /* what is being parsed */
	const char *all;        /* for messages */
	const char *at;
	int workers;
};

/* ---- nodes ---- */

static void clause_skip(struct clause_text *t)
{
	t->at += strspn(t->at, blanks);
}

static bool clause_take(struct clause_text *t, const char *word)
{
	const size_t n = strlen(word);

	if (strncmp(t->at, word, n) != 0)
		return false;
	t->at += n;
	clause_skip(t);
	return true;
}

static bool clause_take_rank(struct clause_text *t, int *rank)
{
	const size_t digits = strspn(t->at, "0123456789");

	if (digits == 0 || digits > MOST_DIGITS)
		return false;
	*rank = (int)strtol(t->at, NULL, 10);
	t->at += digits;
	clause_skip(t);
	return true;
}

static bool clause_take_span(struct clause_text *t, struct link_span *s)
{
	if (clause_take(t, "server")) {
		*s = (struct link_span){ SERVER, SERVER };
		return true;
	}
	if (!clause_take_rank(t, &s->first))
		return false;
	s->last = s->first;
	return !clause_take(t, "-") || clause_take_rank(t, &s->last);
}

static bool spans_meet(const struct link_span *a, const struct link_span *b)
{
	return a->first <= b->last && b->first <= a->last;
}

/* A rank that both lists have, or NO_PEER. */
static int who_common(const struct link_who *a, const struct link_who *b)
{
	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; k < b->n; k++)
			if (spans_meet(&a->span[i], &b->span[k]))
				return a->span[i].first > b->span[k].first ? a->span[i].first
									   : b->span[k].first;
	return NO_PEER;
}

static int clause_check_span(const struct clause_text *t, const struct link_span *s,
			     const struct link_who *who)
{
	const struct link_who one = { (struct link_span *)s, 1 };

	if (s->last < s->first)
		return error("link '%s': ranks %d-%d: the first is the larger; did you mean "
			     "%d-%d?", t->all, s->first, s->last, s->last, s->first);
	if (s->last >= t->workers && t->workers > 1)
		return error("link '%s': there is no rank %d among %d workers (ranks are 0 to %d)",
			     t->all, s->last, t->workers, t->workers - 1);
	if (who_common(&one, who) != NO_PEER)
		return error("link '%s': one list names rank %d twice", t->all,
			     who_common(&one, who));
	return 0;
}

/* Of a worker alone there are no other ranks: they are left out. */
static void clause_keep_span(const struct clause_text *t, struct link_span s, struct link_who *who)
{
	if (s.first >= t->workers)
		return;
	s.last = s.last < t->workers ? s.last : t->workers - 1;
	who->span = xrealloc(who->span, who->n + 1, sizeof(*who->span));
	who->span[who->n++] = s;
}

static int clause_take_who(struct clause_text *t, struct link_who *who)
{
	struct link_span s;

	do {
		if (!clause_take_span(t, &s))
			return error("link '%s': expected ranks or server before ':', as in '0-7: "
				     "bandwidth_GBps=1', 'server: latency_s=1e-5' or '0<>4-7: "
				     "bandwidth_GBps=1'", t->all);
		if (clause_check_span(t, &s, who) < 0)
			return -1;
		clause_keep_span(t, s, who);
	} while (clause_take(t, ","));
	return 0;
}

/* ---- clauses ---- */

static int clause_take_values(struct clause_text *t, struct link_values *v)
{
	const size_t n = strcspn(t->at, ";");
	char *text = xasprintf("%.*s", (int)n, t->at), *end = text + strlen(text);
	int ret;

	*v = (struct link_values){ -1, -1, -1, -1, -1, -1 };
	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	ret = *text ? opt_parse(clause_opts, v, text, "link clause")
		    : error("link '%s': a clause without settings", t->all);
	free(text);
	t->at += n;
	return ret;
}

/* What makes no sense of nodes, or of pairs. */
static int clause_check_values(const struct clause_text *t, const struct link_values *v, bool pair)
{
	if (pair && (v->node_bandwidth >= 0.0 || v->node_latency_s >= 0.0))
		return error("link '%s': node_GBps and node_latency_s belong to workers, not to "
			     "pairs (expected 'RANKS: ...'). Give bandwidth_GBps and latency_s of "
			     "the pair", t->all);
	if (!pair && v->background >= 0.0)
		return error("link '%s': background_GBps goes from one node to another (expected "
			     "'RANKS>RANKS: ...')", t->all);
	return 0;
}

static bool pairs_meet(const struct link_clause *a, const struct link_clause *b)
{
	return who_common(&a->from, &b->from) != NO_PEER && who_common(&a->to, &b->to) != NO_PEER;
}

static bool pairs_cross(const struct link_clause *a, const struct link_clause *b)
{
	return who_common(&a->from, &b->to) != NO_PEER && who_common(&a->to, &b->from) != NO_PEER;
}

static int clause_check_overlap(const struct clause_text *t, const struct link_clause *a,
				const struct link_clause *b)
{
	const bool pairs = a->to.n > 0;
	int rank;

	if (pairs != (b->to.n > 0))
		return 0;
	if (!pairs) {
		rank = who_common(&a->from, &b->from);
		if (rank == NO_PEER)
			return 0;
		return rank == SERVER ? error("link '%s': two clauses name the server. Put its "
					      "settings into one", t->all)
				      : error("link '%s': two clauses name rank %d. Put its "
					      "settings into one", t->all, rank);
	}
	if (pairs_meet(a, b) || ((a->back || b->back) && pairs_cross(a, b)))
		return error("link '%s': two clauses name the same pair. Put its settings into one",
			     t->all);
	return 0;
}

static int clause_check(const struct clause_text *t, const struct link_clauses *c)
{
	const struct link_clause *last = &c->clause[c->n - 1];

	if (c->n > MOST_CLAUSES)
		return error("link: more than %d clauses", MOST_CLAUSES);
	for (size_t i = 0; i + 1 < c->n; i++)
		if (clause_check_overlap(t, &c->clause[i], last) < 0)
			return -1;
	return 0;
}

static void clause_release(struct link_clause *c)
{
	free(c->from.span);
	free(c->to.span);
}

static int clause_take_one(struct clause_text *t, struct link_clauses *all)
{
	struct link_clause *c;
	bool pair;

	all->clause = xrealloc(all->clause, all->n + 1, sizeof(*all->clause));
	c = &all->clause[all->n++];
	*c = (struct link_clause){ 0 };
	if (clause_take_who(t, &c->from) < 0)
		return -1;
	c->back = clause_take(t, "<>");
	pair = c->back || clause_take(t, ">");
	if (pair && clause_take_who(t, &c->to) < 0)
		return -1;
	if (!clause_take(t, ":"))
		return error("link '%s': expected ':' before %s%s%s", t->all, *t->at ? "'" : "",
			     *t->at ? t->at : "the end", *t->at ? "'" : "");
	if (clause_take_values(t, &c->set) < 0 || clause_check_values(t, &c->set, pair) < 0)
		return -1;
	if (c->from.n == 0 || (pair && c->to.n == 0)) {
		clause_release(c);
		all->n--;
		return 0;
	}
	return clause_check(t, all);
}

size_t clauses_model(const char *text)
{
	size_t n = strcspn(text, ";");

	while (n && text[n] && isspace((unsigned char)text[n - 1]))
		n--;
	return n;
}

int clauses_parse(struct link_clauses *c, const char *text, int workers)
{
	struct clause_text t = { text, text + strcspn(text, ";"), workers };

	*c = (struct link_clauses){ 0 };
	while (*t.at == ';') {
		t.at++;
		clause_skip(&t);
		if (clause_take_one(&t, c) < 0)
			return -1;
	}
	return 0;
}

void clauses_release(struct link_clauses *c)
{
	for (size_t i = 0; i < c->n; i++)
		clause_release(&c->clause[i]);
	free(c->clause);
	*c = (struct link_clauses){ 0 };
}

/* ---- back to text ---- */

static void put_who(const struct link_who *who, FILE *out)
{
	for (size_t i = 0; i < who->n; i++) {
		const struct link_span *s = &who->span[i];

		if (i)
			putc(',', out);
		if (s->first == SERVER)
			fputs("server", out);
		else if (s->first == s->last)
			fprintf(out, "%d", s->first);
		else
			fprintf(out, "%d-%d", s->first, s->last);
	}
}

static void put_values(const struct link_values *v, FILE *out)
{
	const char *before = ": ";

	for (const struct opt *o = clause_opts; o->name; o++) {
		char *value;

		if (*(const double *)((const char *)v + o->offset) < 0.0)
			continue;
		value = opt_format(o, v);
		fprintf(out, "%s%s=%s", before, o->name, value);
		before = ",";
		free(value);
	}
}

char *clauses_format(const struct link_clauses *c)
{
	char *text = NULL;
	size_t size;
	FILE *out = xmemstream(&text, &size);

	for (size_t i = 0; i < c->n; i++) {
		const struct link_clause *l = &c->clause[i];

		fputs("; ", out);
		put_who(&l->from, out);
		if (l->to.n) {
			fputs(l->back ? "<>" : ">", out);
			put_who(&l->to, out);
		}
		put_values(&l->set, out);
	}
	xmemclose(out);
	return text;
}

/* ---- who is in which ---- */

bool clauses_has(const struct link_who *who, int rank)
{
	for (size_t i = 0; i < who->n; i++)
		if (who->span[i].first <= rank && rank <= who->span[i].last)
			return true;
	return false;
}

const struct link_clause *clauses_pair(const struct link_clauses *c, int from, int to)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct link_clause *l = &c->clause[i];

		if (l->to.n == 0)
			continue;
		if (clauses_has(&l->from, from) && clauses_has(&l->to, to))
			return l;
		if (l->back && clauses_has(&l->from, to) && clauses_has(&l->to, from))
			return l;
	}
	return NULL;
}
