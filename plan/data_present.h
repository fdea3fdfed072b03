/* Whether the data are there that runs would read: for those who only plan them. */
#ifndef PLAN_DATA_PRESENT_H
#define PLAN_DATA_PRESENT_H

#include "plan/plan.h"

/*
 * Looks for the files of a run's data, after what stands on stdout. 0, also where it reads none;
 * -1 after error() naming a file that is missing, and how to get it.
 */
int setup_look_data(const struct setup *su);

/* The same of all runs to do, each data set once. */
int plan_look_data(const struct plan *p);

#endif
