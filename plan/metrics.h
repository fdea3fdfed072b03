/* metrics.h - whether the models of a plan's runs have the metrics that it asks for. */
#ifndef PLAN_METRICS_H
#define PLAN_METRICS_H

#include "plan/plan.h"

/*
 * 0, or error() if the measure is a metric, or a target of one, that no run's model has. Models
 * whose metrics are not known, because their code may not be started, may have any.
 */
int plan_check_metric(const struct plan *p, const char *measure);

/* plan_check_metric() of what the spec's tables, plots and claims name. */
int plan_check_metrics(const struct plan *p);

#endif
