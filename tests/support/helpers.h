/*
 * helpers.h - a team without a pool: threads whose only job is to help.
 */
#ifndef TESTS_SUPPORT_HELPERS_H
#define TESTS_SUPPORT_HELPERS_H

#include "core/pool/crew.h"

struct helpers {
	struct crew crew;
	struct team team;
	pthread_t id[2];
	int n;
	bool closing;
};

/* n threads beside the caller's, at most two. */
void helpers_start(struct helpers *h, int n);
void helpers_stop(struct helpers *h);

#endif
