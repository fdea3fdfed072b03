/* One process at a time makes a result. */
#ifndef RUNNER_RESULTS_LOCK_H
#define RUNNER_RESULTS_LOCK_H

#include <stdbool.h>

struct result_lock {
	int fd;                 /* -1: none */
	bool waited;            /* another process had it before */
};

/*
 * Takes the lock of the result at that path, in the file ".lock" of its folder, for this process
 * and the children that it forks. While another process has it, waits, and says so. Without a lock:
 * where the file system has none, and after a signal (signal_caught).
 */
struct result_lock result_lock(const char *path);

/* The same without waiting. False: another process has it. */
bool result_lock_try(const char *path, struct result_lock *lock);

void result_unlock(const struct result_lock *lock);

#endif
