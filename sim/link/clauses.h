/*
 * clauses.h - what single workers, the server and pairs have of a link: the text after the model.
 *
 *     link   = MODEL { ";" clause }
 *     clause = who [ ( ">" | "<>" ) who ] ":" KEY "=" VALUE { "," KEY "=" VALUE }
 *     who    = end { "," end }
 *     end    = RANK | RANK "-" RANK | "server"
 *
 * With one `who` the values are of these nodes' own links. With two they are of messages from each
 * of the first to each of the second; "<>": and back. No node and no pair may be in two clauses.
 */
#ifndef SIM_LINK_CLAUSES_H
#define SIM_LINK_CLAUSES_H

#include "core/text/ranks.h"

/* What a clause sets; negative: not given. Rates are 1e9 bytes a second. */
struct link_values {
	double bandwidth, latency_s, message_s;
	double node_bandwidth, node_latency_s;  /* between workers of one node */
	double background;                      /* of a pair: a flow that is always there */
};

struct link_clause {
	struct rank_list from, to;      /* to.n = 0: nodes, not pairs */
	bool back;                      /* pairs both ways */
	struct link_values set;
};

struct link_clauses {
	struct link_clause *clause;     /* [n], owned */
	size_t n;
};

/* How many bytes of a link's text are the model's, without spaces after it. */
size_t clauses_model(const char *text);

/*
 * Reads the clauses of a link's text for so many workers. A run of one worker has no others: then
 * clauses that name other ranks are left out. 0 or error(); release in either case.
 */
int clauses_parse(struct link_clauses *c, const char *text, int workers);

/* "; 0-7: bandwidth_GBps=1", or "": reads back to the same. The caller frees. */
char *clauses_format(const struct link_clauses *c);

/* Multiplies all rates, as struct link's scale(). */
void clauses_scale(struct link_clauses *c, double ratio);

void clauses_release(struct link_clauses *c);

/* The pair's clause, or NULL. Ranks; SERVER is one. */
const struct link_clause *clauses_pair(const struct link_clauses *c, int from, int to);

#endif
