/* An experiment of the simulator's, on real ranks. */
#ifndef PLAN_SPEC_SIMULATOR_ONLY_H
#define PLAN_SPEC_SIMULATOR_ONLY_H

#include "plan/spec/spec.h"

/*
 * Where the command line's settings, {setting: text}, have engine = mpi, takes out of the spec what
 * only the simulator has and the command line does not give; one warning() names it all. A baseline
 * that is timing-only for itself computes, too.
 */
void simulator_only_drop(struct spec *s, const cJSON *set);

#endif
