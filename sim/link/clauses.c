/* Parses and prints a link's clauses. */
#include "sim/link/clauses.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/node.h"
#include "core/text/opt.h"
#include "core/text/word.h"
#include "sim/allreduce/collective.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CLAUSES = 10000 };

#define SIM_AT(field) OPT_AT(DOUBLE, struct link_values, field)

static const struct opt clause_opts[] = {
	{ "bandwidth_GBps", SIM_AT(bandwidth), NULL, "1e9 bytes a second, each way", "GB/S", 1e-12,
	  1e9, NULL, 0 },
	{ "latency_s", SIM_AT(latency_s), NULL, "seconds from one end to the other", "SECONDS", 0,
	  1e6, NULL, 0 },
	{ "message_s", SIM_AT(message_s), NULL, "seconds per message, without its bytes", "SECONDS",
	  0, 1e6, NULL, 0 },
	{ "node_GBps", SIM_AT(node_bandwidth), NULL, "1e9 bytes a second inside a node, each way",
	  "GB/S", 1e-12, 1e9, NULL, 0 },
	{ "node_latency_s", SIM_AT(node_latency_s), NULL, "seconds inside a node", "SECONDS", 0,
	  1e6, NULL, 0 },
	{ "background_GBps", SIM_AT(background), NULL, "1e9 bytes a second of other traffic",
	  "GB/S", 1e-12, 1e9, NULL, 0 },
	{ 0 }
};

static const char blanks[] = " \t\r\n";

struct clause_text {            /* the text being parsed */
	const char *all;        /* for messages */
	const char *begin, *at; /* of the clause; of the parser */
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

static int clause_take_who(struct clause_text *t, struct rank_list *who)
{
	const struct ranks_rule rule = {
		.setting = "link", .text = t->all, .workers = t->workers, .alone = true,
		.server = true,
		.expected = "ranks or server before ':', as in '0-7: bandwidth_GBps=1', "
			    "'server: latency_s=1e-5' or '0<>4-7: bandwidth_GBps=1'",
	};
	int rank;

	if (ranks_take(&rule, &t->at, who) < 0)
		return -1;
	rank = ranks_twice(who);
	return rank == NO_PEER ? 0 : error("link '%s': one list names rank %d twice", t->all, rank);
}

/* ---- clauses ---- */

static int clause_take_values(struct clause_text *t, struct link_values *v)
{
	const size_t n = strcspn(t->at, ";");
	char *text = xasprintf("%.*s", (int)n, t->at), *where;
	int ret;

	*v = (struct link_values){ -1, -1, -1, -1, -1, -1 };
	where = xasprintf("link clause '%.*s'", (int)(t->at + n - t->begin), t->begin);
	ret = *word_trim(text) ? opt_parse(clause_opts, v, text, where)
		    : error("link '%s': a clause without settings", t->all);
	free(where);
	free(text);
	t->at += n;
	return ret;
}

/* Refuses values that make no sense for nodes, or for pairs. 0 or error(). */
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
	return ranks_common(&a->from, &b->from) != NO_PEER &&
	       ranks_common(&a->to, &b->to) != NO_PEER;
}

static bool pairs_cross(const struct link_clause *a, const struct link_clause *b)
{
	return ranks_common(&a->from, &b->to) != NO_PEER &&
	       ranks_common(&a->to, &b->from) != NO_PEER;
}

static int clause_check_overlap(const struct clause_text *t, const struct link_clause *a,
				const struct link_clause *b)
{
	const bool pairs = a->to.n > 0;
	int rank;

	if (pairs != (b->to.n > 0))
		return 0;
	if (!pairs) {
		rank = ranks_common(&a->from, &b->from);
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

static void clause_release(struct link_clause *c)
{
	ranks_release(&c->from);
	ranks_release(&c->to);
}

static int clause_take_one(struct clause_text *t, struct link_clauses *all)
{
	struct link_clause *c;
	bool pair;

	c = &APPEND(all->clause, all->n);
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
	if (all->n > MOST_CLAUSES)
		return error("link: more than %d clauses", MOST_CLAUSES);
	for (size_t i = 0; i + 1 < all->n; i++)
		if (clause_check_overlap(t, &all->clause[i], c) < 0)
			return -1;
	return 0;
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
	struct clause_text t = { text, NULL, text + strcspn(text, ";"), workers };

	*c = (struct link_clauses){ 0 };
	while (*t.at == ';') {
		t.at++;
		clause_skip(&t);
		t.begin = t.at;
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

/* ---- printing ---- */

char *clauses_format(const struct link_clauses *c)
{
	char *text = NULL;
	size_t size;
	FILE *out;

	if (!c->n)
		return xstrdup("");
	out = xmemstream(&text, &size);
	for (size_t i = 0; i < c->n; i++) {
		const struct link_clause *l = &c->clause[i];
		const char *before;

		fputs("; ", out);
		ranks_put(&l->from, out);
		if (l->to.n) {
			fputs(l->back ? "<>" : ">", out);
			ranks_put(&l->to, out);
		}
		before = ": ";
		for (const struct opt *o = clause_opts; o->name; o++) {
			scoped char *value = NULL;

			if (*(const double *)((const char *)&l->set + o->offset) < 0.0)
				continue;
			value = opt_format(o, &l->set);
			fprintf(out, "%s%s=%s", before, o->name, value);
			before = ",";
		}
	}
	xmemclose(out);
	return text;
}

void clauses_scale(struct link_clauses *c, double ratio)
{
	for (size_t i = 0; i < c->n; i++) {
		struct link_values *v = &c->clause[i].set;

		v->bandwidth = link_scaled(v->bandwidth, ratio);
		v->node_bandwidth = link_scaled(v->node_bandwidth, ratio);
		v->background = link_scaled(v->background, ratio);
	}
}

/* ---- look-up ---- */

const struct link_clause *clauses_pair(const struct link_clauses *c, int from, int to)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct link_clause *l = &c->clause[i];

		if (l->to.n == 0)
			continue;
		if (ranks_has(&l->from, from) && ranks_has(&l->to, to))
			return l;
		if (l->back && ranks_has(&l->from, to) && ranks_has(&l->to, from))
			return l;
	}
	return NULL;
}
