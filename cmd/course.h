/*
 * course.h - where a run's training loss begins and where it ends, and what is said of it.
 */
#ifndef CMD_COURSE_H
#define CMD_COURSE_H

#include "cmd/setup.h"
#include "core/run.h"

struct course;

/* Of a training run, from where it begins or is taken up again. The caller frees with free(). */
struct course *course_new(void);

/* To be added to the run, borrowed. */
struct hook *course_hook(struct course *c);

/*
 * Warns, in one line that names what to lower, of a run that diverged and of one whose loss
 * ends more than ten times above where it began; not of one that has seen no gradient.
 */
void course_judge(const struct course *c, const struct setup *su, const struct run_result *result);

#endif
