/*
 * shared_plan.h - processes that share the runs of a plan, on one or several machines.
 *
 * Each process that shares a plan has a lock file in the folder of the results,
 * .sweep.HOST.PID.lock, and each run in progress has one, .HASH.h5.lock (results/lease.h). Nothing
 * else is shared: a look at the folder says which runs are finished, which are being made, and by
 * how many processes.
 */
#ifndef RUNNER_SHARED_PLAN_H
#define RUNNER_SHARED_PLAN_H

#include "plan/plan.h"
#include "runner/results/lease.h"

struct shared_plan;             /* this process as one of those that share a plan */

enum shared_state {             /* of a run to do, when the folder was last looked at */
	SHARED_FREE,            /* no process makes it, or its owner has ended */
	SHARED_ELSEWHERE,       /* another process makes it */
	SHARED_HAS_FILE         /* there is a file of its result, which may be damaged */
};

/*
 * Joins the processes that make the plan's runs, which is borrowed. `alone`: waits until there is
 * no other one, and others wait for this one; so do processes of one machine whose runs are
 * measured in real time. NULL after error(): other processes in the folder are of another version,
 * or have another spec; or no lock can be written; NULL without one, after a signal while waiting.
 */
struct shared_plan *shared_plan_join(const struct plan *p, bool alone);

/* Looks at the folder, unless it did so a moment ago. True when it has looked. */
bool shared_plan_look(struct shared_plan *s);

/*
 * While this process cannot look for long, a thread tells the others that it lives; from
 * shared_plan_wake() on, looks do so. No process may be begun in between that keeps a lock.
 */
void shared_plan_rest(struct shared_plan *s);
void shared_plan_wake(struct shared_plan *s);

enum shared_state shared_plan_state_of(const struct shared_plan *s, size_t run);

/* A child of this process has found that another process makes the run: so it is until a look. */
void shared_plan_set_elsewhere(struct shared_plan *s, size_t run);

/* True when this process had to wait in shared_plan_join(). */
bool shared_plan_waited(const struct shared_plan *s);

/* Processes of this plan, this one among them. */
size_t shared_plan_processes(const struct shared_plan *s);

/* True when no other process is at work in the folder, whatever its plan. */
bool shared_plan_is_alone(const struct shared_plan *s);

/*
 * In a child process: takes the lock of a run as lease_take() does, and removes temporary files of
 * an owner that has ended. *lease is NULL, or the lock of another run, which is moved or released.
 */
enum lease_answer shared_plan_take(struct shared_plan *s, size_t run, struct lease **lease);

/* Removes the lock of a run that was made by a child of this process that has ended. */
void shared_plan_clear_dead(struct shared_plan *s, size_t run);

/* Leaves, removes locks of processes that have ended, and frees. NULL: nothing. */
void shared_plan_leave(struct shared_plan *s);

#endif
