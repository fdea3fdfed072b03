/*
 * guard.h - a process that outlives rank 0, and marks a result that was cut short.
 *
 * Some launchers kill all ranks at once when one of them dies: no rank is left to do so.
 */
#ifndef RUNNER_LAUNCH_GUARD_H
#define RUNNER_LAUNCH_GUARD_H

/*
 * Starts it, before MPI begins, in rank 0. If convoy has started the launcher, the guard acts only
 * when the starter has ended, which does the same itself.
 */
void guard_start(void);

/* In rank 0: the result that is being written. Nothing happens where there is no guard. */
void guard_result(const char *path);

#endif
