/* Idle threads of a pool join regions of parallel tasks within one gradient. */
#include "core/pool/thread_group.h"

#include "core/base/clock.h"

#include <sched.h>
#include <stddef.h>

enum { TEAM_SPINS = 2000 };     /* polls before a thread yields its core */

/*
 * Falling asleep and being woken takes tens of microseconds, and a region of a gradient soon
 * follows the one before: a thread polls for so long first, and yields its core meanwhile.
 */
static const double PATIENCE_S = 300e-6;

struct patience {
	int polls;
	double end;
};

void thread_group_init(struct thread_group *c, int threads)
{
	*c = (struct thread_group){ .threads = threads };
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->wake, NULL);
}

void thread_group_release(struct thread_group *c)
{
	pthread_mutex_destroy(&c->lock);
	pthread_cond_destroy(&c->wake);
}

void team_init(struct team *t, struct thread_group *c)
{
	*t = (struct team){ .group = c };
	pthread_cond_init(&t->left, NULL);
}

void team_release(struct team *t)
{
	pthread_cond_destroy(&t->left);
}

int team_lanes(const struct team *team)
{
	if (!team)
		return 1;
	return team->group->threads < TEAM_LANES ? team->group->threads : TEAM_LANES;
}

/* False when it is time to sleep. */
static bool is_patient(struct patience *p)
{
	if (p->polls++ < TEAM_SPINS)
		return true;
	if (p->polls == TEAM_SPINS + 1)
		p->end = clock_s() + PATIENCE_S;
	sched_yield();
	return clock_s() < p->end;
}

void turn_wait(struct turn *t, int k)
{
	for (int i = 0; !turn_is(t, k); i++)
		if (i >= TEAM_SPINS)
			sched_yield();
}

/* ---- regions; functions are called with the lock held, unless they say otherwise ---- */

static void region_open(struct team *t)
{
	struct thread_group *c = t->group;

	atomic_fetch_add_explicit(&c->regions, 1, memory_order_release);
	t->before = NULL;
	t->after = c->open;
	if (c->open)
		c->open->before = t;
	c->open = t;
	if (c->idle)
		pthread_cond_broadcast(&c->wake);
}

static void region_close(struct team *t)
{
	if (t->before)
		t->before->after = t->after;
	else
		t->group->open = t->after;
	if (t->after)
		t->after->before = t->before;
}

static bool has_tasks(struct team *t)
{
	return atomic_load_explicit(&t->next, memory_order_relaxed) < t->n;
}

/* Takes a lane of the team that no thread uses; -1: none. */
static int take_lane(struct team *t)
{
	for (int k = 1; k < team_lanes(t); k++)
		if (!(t->lanes >> k & 1)) {
			t->lanes |= (uint64_t)1 << k;
			return k;
		}
	return -1;
}

/* Runs tasks on a lane. Called without the lock. */
static void run_tasks(struct team *t, int lane)
{
	for (;;) {
		int k = atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed);

		if (k >= t->n)
			return;
		t->task(t->arg, k, lane);
		if (lane && atomic_load_explicit(&t->group->jobs, memory_order_relaxed))
			return;
	}
}

/* Waits a little for a region, or a job; releases the lock meanwhile. */
static void group_poll(struct thread_group *c)
{
	const int seen = atomic_load(&c->regions);
	struct patience p = { 0 };

	pthread_mutex_unlock(&c->lock);
	while (atomic_load_explicit(&c->regions, memory_order_acquire) == seen &&
	       !atomic_load_explicit(&c->jobs, memory_order_relaxed) && is_patient(&p))
		;
	pthread_mutex_lock(&c->lock);
}

bool thread_group_help(struct thread_group *c)
{
	struct team *t = c->open;
	int lane = -1;

	while (t && (!has_tasks(t) || (lane = take_lane(t)) < 0))
		t = t->after;
	if (!t)
		return false;
	atomic_fetch_add(&t->helpers, 1);
	pthread_mutex_unlock(&c->lock);
	run_tasks(t, lane);
	pthread_mutex_lock(&c->lock);
	t->lanes &= ~((uint64_t)1 << lane);
	if (atomic_fetch_sub(&t->helpers, 1) == 1)
		pthread_cond_signal(&t->left);
	for (t = c->open; t && !has_tasks(t); t = t->after)
		;
	if (!t)
		group_poll(c);
	return true;
}

void team_run(struct team *t, int n, void (*task)(void *arg, int k, int lane), void *arg)
{
	struct patience p = { 0 };

	if (n < 2 || team_lanes(t) < 2) {
		for (int k = 0; k < n; k++)
			task(arg, k, 0);
		return;
	}
	t->task = task;
	t->arg = arg;
	t->n = n;
	atomic_store(&t->next, 0);
	t->lanes = 0;
	pthread_mutex_lock(&t->group->lock);
	region_open(t);
	pthread_mutex_unlock(&t->group->lock);
	run_tasks(t, 0);
	pthread_mutex_lock(&t->group->lock);
	region_close(t);
	pthread_mutex_unlock(&t->group->lock);
	while (atomic_load_explicit(&t->helpers, memory_order_acquire) && is_patient(&p))
		;
	pthread_mutex_lock(&t->group->lock);
	while (atomic_load(&t->helpers))
		pthread_cond_wait(&t->left, &t->group->lock);
	pthread_mutex_unlock(&t->group->lock);
}
