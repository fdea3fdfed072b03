/* Real time, as it passes. */
#ifndef CORE_BASE_CLOCK_H
#define CORE_BASE_CLOCK_H

/* Seconds of a monotonic clock, which is the same for all processes of a machine. */
double clock_s(void);

/* Sleeps for `seconds`, or until a signal comes. */
void clock_sleep(double seconds);

#endif
