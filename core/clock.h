/*
 * clock.h - real time, as it passes.
 */
#ifndef CORE_CLOCK_H
#define CORE_CLOCK_H

/* Seconds of a clock that nobody sets, the same for all processes of a machine. */
double clock_s(void);

#endif
