/* Real time, as it passes. */
#ifndef CORE_BASE_CLOCK_H
#define CORE_BASE_CLOCK_H

#include <stdbool.h>
#include <time.h>

/* Seconds of a monotonic clock, which is the same for all processes of a machine. */
double clock_s(void);

/* Sleeps for `seconds`, or until a signal comes. */
void clock_sleep(double seconds);

/* True when a comes after b, as times of files. */
bool time_is_later(struct timespec a, struct timespec b);

#endif
