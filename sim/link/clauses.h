/*
 * clauses.h - link settings of single workers, the server and pairs, which follow the model's.
 *
 *     link   = MODEL { ";" clause }
 *     clause = who [ ( ">" | "<>" ) who ] ":" KEY "=" VALUE { "," KEY "=" VALUE }
 *     who    = end { "," end }
 *     end    = RANK | RANK "-" RANK | "server"
 *
 * With one `who`, the values are those of these nodes' own links. With two, they apply to messages
 * from each of the first to each of the second; "<>" means in both directions. No node and no pair
 * may be in two clauses.
 */
#ifndef SIM_LINK_CLAUSES_H
#define SIM_LINK_CLAUSES_H

#include "core/text/ranks.h"

/* Values of a clause; negative: not given. Rates are in 1e9 bytes a second. */
struct link_values {
	double bandwidth, latency_s, message_s;
	double node_bandwidth, node_latency_s;  /* between workers of one node */
	double background;                      /* of a pair: permanent traffic */
};

struct link_clause {
	struct rank_list from, to;      /* to.n = 0: a clause of nodes, not of pairs */
	bool back;                      /* pairs in both directions */
	struct link_values set;
};

struct link_clauses {
	struct link_clause *clause;     /* [n], owned */
	size_t n;
};

/* Length of the model at the beginning of a link's text, without spaces after it. */
size_t clauses_model(const char *text);

/*
 * Parses the clauses of a link's text for `workers`. If there is only one worker, clauses of
 * other ranks are ignored. 0 or error(); release it in either case.
 */
int clauses_parse(struct link_clauses *c, const char *text, int workers);

/* Canonical text, "; 0-7: bandwidth_GBps=1", or ""; the caller frees. */
char *clauses_format(const struct link_clauses *c);

/* Multiplies all rates by a ratio, as struct link's scale(). */
void clauses_scale(struct link_clauses *c, double ratio);

void clauses_release(struct link_clauses *c);

/* The clause of a pair, or NULL. Ranks, or SERVER. */
const struct link_clause *clauses_pair(const struct link_clauses *c, int from, int to);

#endif
