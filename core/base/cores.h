/* Processor cores and memory: of the machine, of this process, and of its cgroup. */
#ifndef CORE_BASE_CORES_H
#define CORE_BASE_CORES_H

#include <stddef.h>

/*
 * Cores that this process may use, at least 1: those of its affinity mask, which taskset, SLURM and
 * an mpirun that binds ranks set, but no more than cores_quota(). So it is the default number of
 * threads, ranks and processes.
 */
int cores_allowed(void);

/*
 * CPU quota, in cores rounded up, of the process's cgroup and those above it: of a container
 * ("docker run --cpus 2"), a Kubernetes pod or a systemd unit. INT_MAX: no quota.
 */
int cores_quota(void);

/* Cores of the machine, at least 1, including those that this process may not use. */
int cores_online(void);

/* name[size] <- the system's name of the processor, or that of its kind, as x86_64. */
void processor_name(char *name, size_t size);

/* ---- memory ---- */

/* Bytes of this machine, or of the cgroup, which all processes on it share. */
double memory_of_machine(void);

/* Bytes that this process may have: of memory_of_machine(), what its limits leave. */
double memory_there_is(void);

/* Bytes of address space that the process has by now; 0: not known. */
double memory_in_use(void);

/* Bytes of address space that are left to the process; HUGE_VAL without a limit. */
double memory_address_space(void);

#endif
