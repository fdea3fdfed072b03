/* Threads that handle no signals. */
#ifndef CORE_BASE_THREAD_H
#define CORE_BASE_THREAD_H

#include <pthread.h>

/*
 * pthread_create() of a thread in which all signals are blocked but those of its own faults. They
 * are for the first thread: kernels that oneDNN generates keep data further below the stack's end
 * than the red zone, where a handler would overwrite it.
 */
int thread_start(pthread_t *thread, void *(*run)(void *), void *arg);

#endif
