/*
 * plots.h - an experiment's plots, for its page.
 */
#ifndef CMD_REPORT_PLOTS_H
#define CMD_REPORT_PLOTS_H

#include "runner/results/outcome.h"

/*
 * Draws the plots that have something to draw into the plan's folder: [{"title","caption","svg"}],
 * "svg" left out after error() or a warning where one could not be drawn; so are all where their
 * folder cannot be written. The caller frees.
 */
cJSON *report_plots(const struct plan *p, const struct outcome *o);

#endif
