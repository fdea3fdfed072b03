/* A team without a pool: threads that only help. */
#ifndef TESTS_SUPPORT_HELPERS_H
#define TESTS_SUPPORT_HELPERS_H

#include "core/pool/thread_group.h"

struct helpers {
	struct thread_group group;
	struct team team;
	pthread_t id[2];
	int n;
	bool closing;
};

/* Starts n threads in addition to the caller's, at most two. */
void helpers_start(struct helpers *h, int n);
void helpers_stop(struct helpers *h);

#endif
