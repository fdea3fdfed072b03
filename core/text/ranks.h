/* Lists of ranks in settings, "0,4-7": taken off a text, checked, compared and written back. */
#ifndef CORE_TEXT_RANKS_H
#define CORE_TEXT_RANKS_H

#include <stdbool.h>
#include <stdio.h>

struct rank_span {              /* both ends included; SERVER: the server's machines */
	int first, last;
};

struct rank_list {
	struct rank_span *span; /* [n], owned */
	size_t n;
};

struct ranks_rule {             /* of a setting */
	const char *setting, *text;     /* its name and all of its text, for messages */
	const char *expected;   /* "ranks before ':', as in '0: gamma'" */
	int workers;
	bool alone;             /* one worker has no others: their ranks are left out */
	bool server;            /* "server" may stand for a rank */
	char end;               /* what follows the list, taken with it; 0: anything */
};

/* A rank at *p: up to nine digits and nothing else; moves *p after it. False: none is there. */
bool rank_take(const char **p, int *rank);

/*
 * Adds the ranks at *p, such as "0, 4-7 :", to *r, and moves *p after them and spaces. 0 or
 * error(); release in either case.
 */
int ranks_take(const struct ranks_rule *rule, const char **p, struct rank_list *r);
void ranks_release(struct rank_list *r);

bool ranks_has(const struct rank_list *r, int rank);

/* A rank that both lists have, and one that a list names twice; NO_PEER: none. */
int ranks_common(const struct rank_list *a, const struct rank_list *b);
int ranks_twice(const struct rank_list *r);

/* "0,4-7", "server" or "": ranks_take() reads back the same. */
void ranks_put(const struct rank_list *r, FILE *out);

#endif
