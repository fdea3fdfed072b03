/* models.c - the models that a log is compared with, as texts of --delay, the simplest first. */
#include "study/fit/fit.h"

#include "core/base/mem.h"

#include <math.h>
#include <stdlib.h>

/* Fewer whole phases say nothing of how phases differ. */
enum { FEWEST_PHASES = 5 };

/* Less than what the models take is 0; a time of less than they take is the least. */
static double fit_small(double cv)
{
	return cv < 1e-6 ? 0.0 : cv;
}

static double fit_time(double seconds)
{
	return fmax(seconds, 1e-3);
}

/* Four digits: more cannot be known. */
static char *fit_number(const char *key, double value)
{
	return xasprintf("%s=%.4g", key, fit_small(value));
}

/* Takes the delay. */
static void fit_add(struct fit_model *m, size_t *n, const char *name, double compute_s,
		    char *delay)
{
	m[(*n)++] = (struct fit_model){ name, delay, compute_s };
}

/* "gamma:cv=V", and where workers differ " * static:cv=W". */
static char *fit_noise(double cv, double static_cv)
{
	char *noise = fit_number("cv", cv), *spread = fit_number("cv", static_cv);
	char *text = fit_small(static_cv) > 0.0 ? xasprintf("gamma:%s * static:%s", noise, spread)
						: xasprintf("gamma:%s", noise);

	free(noise);
	free(spread);
	return text;
}

/* Takes the text of the model. */
static char *fit_slow(const struct estimates *e, char *model)
{
	char *noise = fit_noise(e->noise_cv, e->base_static_cv);
	char *text = xasprintf("%s * %s", noise, model);

	free(noise);
	free(model);
	return text;
}

static char *fit_markov(const struct estimates *e)
{
	return xasprintf("markov:factor=%.4g,fast_s=%.4g,slow_s=%.4g", e->factor,
			 fit_time(e->fast_s), fit_time(e->slow_s));
}

char *fit_markov_text(const struct estimates *e)
{
	return fit_slow(e, fit_markov(e));
}

static char *fit_phases(const struct estimates *e)
{
	return xasprintf("phases:fast_s=%.4g,slow_s=%.4g,slow_cv=%.3g,depth=%.4g,depth_cv=%.3g",
			 fit_time(e->fast_s), fit_time(e->slow_s), fit_small(e->slow_cv), e->depth,
			 fit_small(e->depth_cv));
}

static char *fit_bursts(const struct estimates *e)
{
	return xasprintf("bursts:mean_cv=%.4g,cv=%.4g,var_cv=%.3g,correlation=%.3g,factor=%.4g,"
			 "calm_s=%.4g,burst_s=%.4g", fit_small(e->base_static_cv),
			 fit_small(sqrt(e->var)), fit_small(e->var_cv), e->correlation, e->factor,
			 fit_time(e->fast_s), fit_time(e->slow_s));
}

static bool fit_is_constant(const struct steplog *l)
{
	for (size_t i = 1; i < l->workers * l->steps; i++)
		if (l->seconds[i] != l->seconds[0])
			return false;
	return true;
}

size_t fit_models(const struct steplog *l, struct fit_model m[FIT_MODELS])
{
	const struct estimates e = estimate(l);
	char *cv;
	size_t n = 0;

	if (fit_is_constant(l)) {
		fit_add(m, &n, "constant", l->seconds[0], xstrdup("constant"));
		return n;
	}
	cv = fit_number("cv", e.cv);
	fit_add(m, &n, "gamma", e.mean, xasprintf("gamma:%s", cv));
	fit_add(m, &n, "lognormal", e.mean, xasprintf("lognormal:%s", cv));
	free(cv);
	if (fit_small(e.static_cv) > 0.0)
		fit_add(m, &n, "static", e.mean, fit_noise(e.within_cv, e.static_cv));
	if (e.slow)
		fit_add(m, &n, "markov", e.base, fit_markov_text(&e));
	if (e.slow && e.phases >= FEWEST_PHASES)
		fit_add(m, &n, "phases", e.base, fit_slow(&e, fit_phases(&e)));
	if (e.slow && l->workers > 1)
		fit_add(m, &n, "bursts", e.base, fit_bursts(&e));
	return n;
}

void fit_models_release(struct fit_model *m, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(m[i].delay);
}
