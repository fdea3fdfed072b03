/*
 * sweep.h - processes that share the runs of a plan, on one or several machines.
 *
 * Each process of a sweep has a lock file in the folder of the results, .sweep.HOST.PID.lock, and
 * each run in progress has one, .HASH.h5.lock (results/lease.h). Nothing else is shared: a look at
 * the folder says which runs are finished, which are being made, and by how many processes.
 */
#ifndef RUNNER_SWEEP_H
#define RUNNER_SWEEP_H

#include "plan/plan.h"
#include "runner/results/lease.h"

struct sweep;                   /* this process as one of those that share a plan */

enum sweep_state {                /* of a run to do, when the folder was last looked at */
	RUN_FREE,               /* no process makes it, or its owner has ended */
	RUN_ELSEWHERE,          /* another process makes it */
	RUN_HAS_FILE            /* there is a file of its result, which may be damaged */
};

/*
 * Joins the processes that make the plan's runs, which is borrowed. `alone`: waits until there is
 * no other one, and others wait for this one; so do processes of one machine whose runs are
 * measured in real time. NULL after error(): other processes in the folder are of another version,
 * or have another spec; or no lock can be written; NULL without one, after a signal while waiting.
 */
struct sweep *sweep_join(const struct plan *p, bool alone);

/* Looks at the folder, unless it did so a moment ago. True when it has looked. */
bool sweep_look(struct sweep *s);

enum sweep_state sweep_state_of(const struct sweep *s, size_t run);

/* A child of this process has found that another process makes the run: so it is until a look. */
void sweep_set_elsewhere(struct sweep *s, size_t run);

/* True when this process had to wait in sweep_join(). */
bool sweep_waited(const struct sweep *s);

/* Processes of this plan, this one among them. */
size_t sweep_processes(const struct sweep *s);

/* True when no other process is at work in the folder, whatever its plan. */
bool sweep_is_alone(const struct sweep *s);

/*
 * In a child process: takes the lock of a run as lease_take() does, and removes temporary files of
 * an owner that has ended.
 */
enum lease_answer sweep_take(struct sweep *s, size_t run, struct lease **lease);

/* Removes the lock of a run that was made by a child of this process that has ended. */
void sweep_untake(struct sweep *s, size_t run);

/* Leaves, removes locks of processes that have ended, and frees. NULL: nothing. */
void sweep_leave(struct sweep *s);

#endif
