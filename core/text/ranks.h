/* Lists of ranks in settings, "0,4-7": parsed, checked, compared and printed. */
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

struct ranks_rule {             /* how a setting writes its ranks */
	const char *setting, *text;     /* its name and all of its text, for messages */
	const char *expected;   /* "ranks before ':', as in '0: gamma'" */
	int workers;
	bool alone;             /* for one worker: other ranks are ignored */
	bool server;            /* "server" may stand for a rank */
	char end;               /* character that ends the list, consumed with it; 0: any */
};

/* Parses a rank of up to nine digits at *p, and moves *p after it; else false. */
bool rank_take(const char **p, int *rank);

/*
 * Parses ranks at *p, such as "0, 4-7 :", adds them to *r, and moves *p after them and spaces. 0 or
 * error(); call ranks_release() in either case.
 */
int ranks_take(const struct ranks_rule *rule, const char **p, struct rank_list *r);
void ranks_release(struct rank_list *r);

bool ranks_has(const struct rank_list *r, int rank);

/* A rank that is in both lists, and one that is twice in a list; NO_PEER: none. */
int ranks_common(const struct rank_list *a, const struct rank_list *b);
int ranks_twice(const struct rank_list *r);

/* Prints "0,4-7", "server" or "", which ranks_take() parses. */
void ranks_put(const struct rank_list *r, FILE *out);

#endif
