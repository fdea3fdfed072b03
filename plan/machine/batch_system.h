/* Ranks, hosts and cores of a rank that SLURM, PBS, LSF or the user gave this job. */
#ifndef PLAN_MACHINE_BATCH_SYSTEM_H
#define PLAN_MACHINE_BATCH_SYSTEM_H

#include <stdint.h>

/*
 * Ranks of the hosts that the user has listed; without a list, of the batch system's job; without
 * a job, the cores that this process may use. -1 after error() when a variable of the job makes no
 * sense.
 */
int batch_ranks(void);

/* The hosts that the user has listed have so many ranks; 0: none are listed. */
void batch_ranks_listed(int ranks);

/*
 * Compute threads of a rank: `asked`, or if 0 SLURM_CPUS_PER_TASK, or without a SLURM job
 * `otherwise`. -1 after error().
 */
int batch_threads(int64_t asked, int otherwise);

/*
 * Sets *hosts to the hosts of a PBS or LSF job in the form "a:2,b:2", which mpirun takes; the
 * caller frees. NULL: there is no such job. mpirun itself reads the hosts of a SLURM job.
 * 0 or error().
 */
int batch_hosts(char **hosts);

/*
 * In a batch system's job, has Open MPI's mpirun, when it is told to end, wait 5 s before SIGTERM
 * and 5 s more before SIGKILL to its ranks, not 1 s: at a time limit all processes are told at
 * once, and ranks save a checkpoint. What the user has set stands.
 */
void batch_patience(void);

#endif
