/*
 * trained.h - runs that need no training: one in the same order is finished.
 *
 * A folder of results has a hidden file for each training (setup_training(), and the program),
 * .TRAINING.trained, with a line for each finished run of it. So finding one reads no other file.
 * A line whose result is gone, or is another one by now, counts for nothing.
 */
#ifndef RUNNER_SINGLE_RUN_TRAINED_H
#define RUNNER_SINGLE_RUN_TRAINED_H

#include "core/learnt.h"
#include "runner/single_run/simrun.h"

/*
 * setup_training() of a run whose order is fixed by its rule, so that it is likely to take its
 * training from any other one of the same; 0: of others.
 */
uint64_t training_fixed(const struct setup *su);

/* The training of the run, by this program, as 16 digits; false: it shares none with others. */
bool training_key(const struct setup *su, char key[17]);

/*
 * What the run will learn, by a finished run next to t->path in the same order; NULL: it must be
 * trained. data: NULL where its net has its own. The caller frees with learnt_free().
 */
struct learnt *trained_find(const struct setup *su, const struct dataset *data,
			    const struct run_context *t);

/* The run is finished, and can be found by others from now on. */
void trained_add(const struct setup *su, const struct run_context *t, const struct run *run,
		 const struct run_result *result);

/* Marks of the simulated run measure the spread of models (sim_conf.spreads). */
bool trained_spreads(const struct setup *su);

#endif
