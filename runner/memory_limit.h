/* How much memory this process may have. */
#ifndef RUNNER_MEMORY_LIMIT_H
#define RUNNER_MEMORY_LIMIT_H

/* Bytes: the machine's, or what the cgroup, a container's, or the limits of the process leave. */
double memory_there_is(void);

/* Bytes of address space that are left to the process; HUGE_VAL without a limit. */
double memory_address_space(void);

#endif
