/*
 * intervals.c - how far a model's parameters are known: the model fitted to runs of itself.
 *
 * Parametric bootstrap: FIT_REFITS runs of the fitted model, of the log's workers and steps, are
 * fitted again. The least and greatest of 39 are a 95 % interval.
 */
#include "study/fit/fit.h"

#include "core/base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Adds "model.key = value" of a text "model:key=value,... * model:..." to the list. */
static void parameters_add(struct fit_parameters *p, const char *model, const char *key,
			   double value)
{
	p->v = xrealloc(p->v, p->n + 1, sizeof(*p->v));
	p->v[p->n++] = (struct fit_parameter){ xasprintf("%s.%s", model, key), value, value,
					       value };
}

static void parameters_of_model(struct fit_parameters *p, char *model)
{
	char *key = strchr(model, ':'), *rest = NULL;

	if (!key)
		return;
	*key++ = '\0';
	for (key = strtok_r(key, ",", &rest); key; key = strtok_r(NULL, ",", &rest)) {
		char *value = strchr(key, '=');

		*value++ = '\0';
		parameters_add(p, model, key, strtod(value, NULL));
	}
}

static struct fit_parameters parameters_of(const struct fit_model *m)
{
	struct fit_parameters p = { 0 };
	char *copy = xstrdup(m->delay), *rest = NULL;

	p.v = xrealloc(p.v, 1, sizeof(*p.v));
	p.v[p.n++] = (struct fit_parameter){ xstrdup("compute_s"), m->compute_s, m->compute_s,
					     m->compute_s };
	for (char *model = strtok_r(copy, " *", &rest); model; model = strtok_r(NULL, " *", &rest))
		parameters_of_model(&p, model);
	free(copy);
	return p;
}

void fit_parameters_release(struct fit_parameters *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->v[i].name);
	free(p->v);
	*p = (struct fit_parameters){ 0 };
}

/* The value of a parameter; 0 where the model was left out for being 0. */
static double parameter_value(const struct fit_parameters *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->v[i].name, name) == 0)
			return p->v[i].value;
	return 0.0;
}

/* The model of that name fitted to a run; false where the run has no such model. */
static bool refit(const struct steplog *run, const char *name, struct fit_parameters *p)
{
	struct fit_model model[FIT_MODELS];
	const size_t n = fit_models(run, model);
	bool found = false;

	for (size_t i = 0; i < n && !found; i++) {
		found = strcmp(model[i].name, name) == 0;
		if (found)
			*p = parameters_of(&model[i]);
	}
	fit_models_release(model, n);
	return found;
}

static void intervals_widen(struct fit_parameters *p, const struct fit_parameters *again,
			    bool first)
{
	for (size_t i = 0; i < p->n; i++) {
		const double value = parameter_value(again, p->v[i].name);

		p->v[i].low = first ? value : fmin(p->v[i].low, value);
		p->v[i].high = first ? value : fmax(p->v[i].high, value);
	}
}

int fit_intervals(const struct steplog *l, const struct fit_model *m, uint64_t seed,
		  struct fit_parameters *p)
{
	int ret = 0;

	*p = parameters_of(m);
	for (uint64_t r = 0; r < FIT_REFITS && ret == 0; r++) {
		struct fit_parameters again = { 0 };
		struct steplog run;

		ret = fit_simulate(m, l->workers, l->steps, seed + r, &run);
		if (ret == 0 && refit(&run, m->name, &again)) {
			intervals_widen(p, &again, p->refits == 0);
			p->refits++;
		}
		fit_parameters_release(&again);
		steplog_release(&run);
	}
	return ret;
}
