/* How many processor cores there are. */
#ifndef CORE_BASE_CORES_H
#define CORE_BASE_CORES_H

/*
 * Cores that this process may use, at least 1: those of its affinity mask, which taskset, SLURM and
 * an mpirun that binds ranks set, but no more than cores_quota(). So it is the default number of
 * threads, ranks and processes.
 */
int cores_allowed(void);

/*
 * Cores whose time the CPU quota of the process's cgroup and those above it is worth, rounded up:
 * of a container ("docker run --cpus 2"), a Kubernetes pod or a systemd unit. INT_MAX: no quota.
 */
int cores_quota(void);

/* Cores of the machine, at least 1, whether or not this process may use them. */
int cores_online(void);

#endif
