/*
 * facts.h - what a page says of how an experiment was made.
 */
#ifndef CMD_REPORT_FACTS_H
#define CMD_REPORT_FACTS_H

#include "runner/results/outcome.h"

/* {what: text}: runs and seeds, versions, machine, dates, wall time. The caller frees. */
cJSON *report_facts(const struct outcome *o);

/*
 * [{"setting","paper","here"}] of the settings that the scale "paper" of the spec has otherwise;
 * NULL when it has no such scale. The caller frees.
 */
cJSON *report_settings(const struct spec *s);

#endif
