/* Metrics that a plan's tables, plots and claims name, and that no model of its runs has. */
#include "plan/plan.h"

#include "core/base/error.h"
#include "core/base/mem.h"
#include "core/metric.h"
#include "core/text/word.h"
#include "record/measure.h"

#include <stdlib.h>
#include <string.h>

/* The metric's key in "metric:NAME" or "time_to:metric:NAME<=1", in `t` if need be; or NULL. */
static const char *metric_in(const char *measure, struct target *t)
{
	if (metric_is_key(measure))
		return measure;
	return target_parse(measure, t) && metric_is_key(t->column) ? t->column : NULL;
}

int plan_check_metric(const struct plan *p, const char *measure)
{
	struct target target;
	const char *key = metric_in(measure, &target), *names[METRICS_MOST + 1] = { NULL };
	scoped char *advice = NULL;

	if (!key)
		return 0;
	for (size_t i = 0; i < plan_own_runs(p); i++) {
		const struct model *m = &p->runs[i].su.model;

		if (m->metrics < 0 || p->runs[i].open)
			return 0;
		for (int k = 0; k < m->metrics; k++) {
			if (strcmp(m->metric[k], key) == 0)
				return 0;
			names[k] = metric_name(m->metric[k]);
		}
	}
	advice = names[0] ? word_advice(metric_name(key), names) :
			    xstrdup(": the net has no metrics");
	error("no metric '%s'%s", metric_name(key), advice);
	return -1;
}

static int check_texts(const struct plan *p, const cJSON *of)
{
	const cJSON *item;
	int ret = 0;

	if (cJSON_IsString(of))
		return plan_check_metric(p, of->valuestring);
	cJSON_ArrayForEach(item, of)
		if (ret == 0)
			ret = check_texts(p, item);
	return ret;
}

int plan_check_metrics(const struct plan *p)
{
	static const char *const of[] = { "tables", "plots", "claims" };
	int ret = 0;

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]) && ret == 0; i++)
		ret = check_texts(p, cJSON_GetObjectItem(p->spec.json, of[i]));
	return ret;
}
