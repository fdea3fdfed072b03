/* How many processor cores there are. */
#ifndef CORE_BASE_CORES_H
#define CORE_BASE_CORES_H

/*
 * Cores that this process may use, at least 1: its affinity mask, which taskset, SLURM and an
 * mpirun that binds ranks set. So it is the default number of threads, ranks and processes.
 */
int cores_allowed(void);

/* Cores of the machine, at least 1, whether or not this process may use them. */
int cores_online(void);

#endif
