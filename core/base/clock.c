/* Seconds of the monotonic clock, and a sleep, which a signal may end early. */
#include "core/base/clock.h"

#include <time.h>

double clock_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void clock_sleep(double seconds)
{
	const struct timespec t = { (time_t)seconds,
				    (long)((seconds - (double)(time_t)seconds) * 1e9) };

	nanosleep(&t, NULL);
}
