/*
 * thread_group.h - the threads of a pool, as teams see them. Private to core/pool/.
 *
 * A region is one team_run() under way. Threads without a job join open regions
 * and leave them when a job waits.
 */
#ifndef CORE_POOL_THREAD_GROUP_H
#define CORE_POOL_THREAD_GROUP_H

#include "core/pool/team.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { TEAM_LANES = 64 };       /* most threads in one region */

struct team {
	struct thread_group *group;
	/*
	 * The region under way (team_run()'s arguments), and its neighbours in the list of open
	 * ones.
	 */
	void (*task)(void *arg, int k, int lane);
	void *arg;
	int n;
	atomic_int next, helpers;
	uint64_t lanes;                 /* taken lanes, a bit each */
	struct team *before, *after;
	pthread_cond_t left;            /* signalled when a helper has left */
};

struct thread_group {
	pthread_mutex_t lock;
	pthread_cond_t wake;            /* a job or a region came, or the pool ends */
	int threads;
	int idle;                       /* threads that wait for `wake` */
	atomic_int jobs;                /* jobs that wait for a thread */
	atomic_int regions;             /* opened so far */
	struct team *open;              /* regions that may still have tasks to begin */
};

void thread_group_init(struct thread_group *c, int threads);
void thread_group_release(struct thread_group *c);

/* Initialises a thread's team; the group is borrowed. */
void team_init(struct team *t, struct thread_group *c);
void team_release(struct team *t);

/*
 * Helps in an open region until it has no task left to begin, or a job waits. Called with the lock
 * held, which it releases meanwhile. False when no region was open.
 */
bool thread_group_help(struct thread_group *c);

#endif
