/*
 * world.h - what a launcher says that it started, and what MPI knows of that.
 *
 * Launchers and libraries of different kinds do not know each other: each process is then a
 * world of one rank, and would make the whole run.
 */
#ifndef RUNNER_LAUNCH_WORLD_H
#define RUNNER_LAUNCH_WORLD_H

#include <stdbool.h>
#include <stdint.h>

/* True in a process that a launcher of MPI ranks has started, or srun as one of several. */
bool world_inside(void);

/* The same, and there are more of them than one, or a launcher that does not say. */
bool world_several(void);

/* The number of this process among those of its launcher; 0 outside of any. */
int world_rank(void);

/* True where `convoy` itself has started the launcher. */
bool world_is_ours(void);

/* True where the `convoy` that started the launcher has ended; false on another machine. */
bool world_starter_gone(void);

/* Before MPI begins: 0, or error() where srun started several tasks without MPI. */
int world_check_srun(void);

/* Before ranks are started: 0, or error() inside a task of srun, where they would wait. */
int world_check_step(int ranks);

/* Once MPI has begun: 0, or error() where it knows another number of ranks than were started. */
int world_check(void);

/* Once MPI has begun: 0, or error() where other than `asked` ranks were started; 0: any. */
int world_check_asked(int64_t asked);

/* Of a command that is no rank's: 0, or error() where a launcher has started it several times. */
int world_check_alone(const char *command);

#endif
