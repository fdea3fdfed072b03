/* compute_s as a table or by device: what the run's clock takes of it. */
#ifndef PLAN_MACHINE_COMPUTE_H
#define PLAN_MACHINE_COMPUTE_H

#include "plan/resolve/setup.h"

/*
 * Reads compute_s of a setup whose workers and net are known: num.compute_s <- the seconds of
 * worker 0, sim.pace.own <- the others' factors on these. What is extrapolated is noted as the
 * value's source. "auto" leaves what is there. 0 or error().
 */
int compute_read(struct setup *su, const char *text);

/* The same factors and note for the samples that workers have of a round, once it is cut. */
void compute_share(struct setup *su);

#endif
