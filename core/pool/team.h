/*
 * team.h - idle threads help with one gradient.
 *
 * A job whose work falls into tasks runs them through its thread's team. Tasks are begun in the
 * order of k, by the caller and by every idle thread of the pool. The result does not depend on
 * which thread runs which task: a task depends on k alone, and sums are added in the order of k,
 * through turns:
 *
 *	task 0   [compute part]  add | turn_pass
 *	task 1   [compute part] ......... turn_wait, add | turn_pass
 */
#ifndef CORE_POOL_TEAM_H
#define CORE_POOL_TEAM_H

#include <stdatomic.h>
#include <stdbool.h>

struct team;

/* Largest number of tasks in flight at once; 1 for NULL. Scratch memory is kept for each lane. */
int team_lanes(const struct team *team);

/*
 * Runs task(arg, k, lane) once for each k in [0, n), and returns when all are done. Tasks in flight
 * have different lanes in [0, team_lanes()); lane 0 is the caller. team NULL: the caller runs all
 * of them. Tasks must not call team_run().
 */
void team_run(struct team *team, int n, void (*task)(void *arg, int k, int lane), void *arg);

/* Task whose turn it is to add to a sum; 0 at first, and after turn_reset(). */
struct turn {
	atomic_int next;
};

static inline void turn_reset(struct turn *t)
{
	atomic_store_explicit(&t->next, 0, memory_order_relaxed);
}

/* True when turn_pass() has been called k times. */
static inline bool turn_is(struct turn *t, int k)
{
	return atomic_load_explicit(&t->next, memory_order_acquire) >= k;
}

/* Waits until it is so. */
void turn_wait(struct turn *t, int k);

static inline void turn_pass(struct turn *t)
{
	atomic_fetch_add_explicit(&t->next, 1, memory_order_release);
}

#endif
