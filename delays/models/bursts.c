/*
 * bursts.c - workers with different distributions of times, and bursts in which they are slow.
 *
 *     m_j ~ log-normal, mean 1, cv mean_cv               once per worker j
 *     v_j ~ log-normal, mean cv^2, cv var_cv             once per worker j
 *     task ~ gamma of mean m_j and variance v_j          for each of its gradients
 *
 * In a burst, which begins and ends as in markov.c, the task takes `factor` times as long. The
 * logarithms of m_j and v_j are correlated: a slow worker may also vary more. DSAG uses this model
 * for computing and for communicating; here it is for computing.
 */
#include "delays/delay.h"
#include "delays/law.h"
#include "delays/sojourns.h"

#include <math.h>

struct bursts_conf {
	double mean_cv, cv, var_cv, correlation, factor, calm_s, burst_s;
};

/* Larger values would make times 0 now and then; the setting cv refuses smaller ones. */
static const double MOST_CV = 10.0, LEAST_CV = 1e-7;

extern const struct delay delay_bursts;

struct bursts_worker {
	double mean, cv;
};

static struct sojourns bursts_sojourns(const struct bursts_conf *c)
{
	return (struct sojourns){ c->calm_s, c->burst_s, SOJOURNS_EXPONENTIAL };
}

static struct bursts_worker bursts_worker(const struct bursts_conf *c, struct rng *r)
{
	const double a = rng_normal(r), b = rng_normal(r);
	const double z = c->correlation * a + sqrt(1.0 - c->correlation * c->correlation) * b;
	const double mean = law_lognormal(c->mean_cv, a);
	const double variance = c->cv * c->cv * law_lognormal(c->var_cv, z);

	return (struct bursts_worker){ mean, sqrt(variance) / mean };
}

static struct bursts_worker bursts_worker_at(const struct bursts_conf *c,
					     const struct delay_at *at)
{
	struct rng r;

	delay_rng(&r, at, DELAY_WORKER, at->rank, 0);
	return bursts_worker(c, &r);
}

static double bursts_task(const struct bursts_conf *c, const struct bursts_worker *w, bool burst,
			  struct rng *r)
{
	return w->mean * law_gamma(fmin(w->cv, MOST_CV), r) * (burst ? c->factor : 1.0);
}

static double bursts_draw(const void *conf, struct rng *r)
{
	const struct bursts_conf *c = conf;
	const struct sojourns s = bursts_sojourns(c);
	const struct bursts_worker w = bursts_worker(c, r);
	const bool burst = rng_uniform(r) < sojourns_share(&s);

	return bursts_task(c, &w, burst, r);
}

static double bursts_at(const void *conf, const struct delay_at *at)
{
	const struct bursts_conf *c = conf;
	const struct sojourns s = bursts_sojourns(c);
	const struct bursts_worker w = bursts_worker_at(c, at);
	struct rng r;

	delay_rng(&r, at, DELAY_GRADIENT, at->rank, at->index);
	return bursts_task(c, &w, sojourns_at(&s, at).slow, &r);
}

static double bursts_mean_over_time(const struct bursts_conf *c)
{
	const struct sojourns s = bursts_sojourns(c);

	return 1.0 + sojourns_share(&s) * (c->factor - 1.0);
}

static double bursts_mean(const void *conf, const struct delay_at *at)
{
	return bursts_worker_at(conf, at).mean * bursts_mean_over_time(conf);
}

/* Bursts for all workers, with the mean and variance that this worker has drawn. */
static char *bursts_alone(const void *conf, const struct delay_at *at, double *factor)
{
	struct bursts_conf own = *(const struct bursts_conf *)conf;
	const struct bursts_worker w = bursts_worker_at(&own, at);

	own.mean_cv = own.var_cv = 0.0;
	own.cv = w.cv < LEAST_CV ? 0.0 : fmin(w.cv, MOST_CV);
	*factor = w.mean;
	return choice_format(&(struct choice){ &delay_bursts.plugin, &own });
}

/* E task^2 = E (m^2 + v), E burst^2 = 1 + s (factor^2 - 1). */
static struct delay_moments bursts_moments(const void *conf)
{
	const struct bursts_conf *c = conf;
	const struct sojourns s = bursts_sojourns(c);
	const double mean = bursts_mean_over_time(c);
	const double square = (1.0 + c->mean_cv * c->mean_cv + c->cv * c->cv) *
			      (1.0 + sojourns_share(&s) * (c->factor * c->factor - 1.0));

	return (struct delay_moments){ mean, sqrt(fmax(square - mean * mean, 0.0)) };
}

static int bursts_check(const void *conf, const char *where)
{
	return law_check_gamma(((const struct bursts_conf *)conf)->cv, "cv", where);
}

static double bursts_cycle_s(const void *conf)
{
	const struct sojourns s = bursts_sojourns(conf);

	return sojourns_cycle_s(&s);
}

static const struct opt bursts_opts[] = {
	OPT_NUMBER(struct bursts_conf, mean_cv, "0.05",
		   "coefficient of variation of the workers' means", "V", 0, 10),
	OPT_NUMBER(struct bursts_conf, cv, "0.05",
		   "coefficient of variation of a worker's times; its square is the mean of the "
		   "variances", "V", 0, 10),
	OPT_NUMBER(struct bursts_conf, var_cv, "1",
		   "coefficient of variation of the workers' variances", "V", 0, 100),
	OPT_NUMBER(struct bursts_conf, correlation, "0",
		   "of the logarithms of a worker's mean and variance", "R", -1, 1),
	OPT_NUMBER(struct bursts_conf, factor, "1.5", "factor of the times in a burst", "F", 1e-6,
		   1e9),
	OPT_NUMBER(struct bursts_conf, calm_s, "600", "mean seconds between two bursts of a worker",
		   "SECONDS", 1e-3, 1e12),
	OPT_NUMBER(struct bursts_conf, burst_s, "60", "mean seconds of a burst", "SECONDS", 1e-3,
		   1e12),
	{ 0 }
};

const struct delay delay_bursts = {
	.plugin = { .name = "bursts",
		    .brief = "gamma times, mean and variance by worker, with bursts",
		    .cite = "the model of DSAG: severinson/DSAGAnalysis.jl, src/DSAGAnalysis.jl",
		    .opts = bursts_opts, .conf_size = sizeof(struct bursts_conf) },
	.draw = bursts_draw,
	.at = bursts_at,
	.caches = true,
	.moments = bursts_moments,
	.cycle_s = bursts_cycle_s,
	.check = bursts_check,
	.mean = bursts_mean,
	.alone = bursts_alone,
};
