/*
 * timeline.h - timelines of an experiment's algorithms, for its page.
 */
#ifndef CMD_REPORT_TIMELINE_H
#define CMD_REPORT_TIMELINE_H

#include "plan/plan.h"

/*
 * Simulates the first gradients of one run of each algorithm, clocks alone, and draws them into
 * the plan's folder: [{"title","caption","svg"}], "svg" left out after error() or a warning where
 * it could not be drawn. Of several runs, one with a slow worker is taken. The caller frees.
 */
cJSON *report_timelines(const struct plan *p);

#endif
