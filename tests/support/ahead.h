/* Gain and stability of rules with outer steps, which a test drives without an engine. */
#ifndef TESTS_SUPPORT_AHEAD_H
#define TESTS_SUPPORT_AHEAD_H

#include <stdbool.h>

/* Distance by which an update of 1 moves the server's model over all time. */
double gain_of(const char *algo, int workers);

/*
 * Distance by which a local step of 1 of one worker moves the mean model over all time; of an
 * algorithm without a server, whose rounds end with an all-reduce.
 */
double gain_of_rounds(const char *algo, int workers);

/*
 * True if the error vanishes when the workers send in turn, each the part `a` of the error of the
 * model that it received last: local steps on a quadratic function that contract the error by a.
 */
bool is_stable(const char *algo, int workers, double a);

#endif
