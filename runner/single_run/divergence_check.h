/* A run's first and last training loss, and a warning where it diverged. */
#ifndef RUNNER_SINGLE_RUN_DIVERGENCE_CHECK_H
#define RUNNER_SINGLE_RUN_DIVERGENCE_CHECK_H

#include "core/run.h"
#include "plan/resolve/setup.h"

struct divergence_check;

/* Of a training run, from where it begins or is taken up again. The caller frees with free(). */
struct divergence_check *divergence_check_new(void);

/* To be added to the run, borrowed. */
struct hook *divergence_check_hook(struct divergence_check *c);

/*
 * Warns, in one line that names what to lower, of a run that diverged and of one whose loss
 * ends more than ten times above where it began; not of one that has seen no gradient.
 */
void divergence_check_judge(const struct divergence_check *c, const struct setup *su,
			    const struct run_result *result);

#endif
