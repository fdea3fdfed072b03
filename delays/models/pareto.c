/*
 * pareto.c - task times with a heavy tail: P(X > x) = (m / x)^alpha for x >= m.
 *
 * The mean is m alpha / (alpha - 1), so m = (alpha - 1) / alpha; there is none for alpha <= 1,
 * and no variance for alpha <= 2.
 */
#include "core/base/error.h"
#include "delays/delay.h"

#include <math.h>

struct pareto_conf {
	double alpha;
};

static double pareto_quantile(const void *conf, double p)
{
	const double alpha = ((const struct pareto_conf *)conf)->alpha;

	return (alpha - 1.0) / alpha * exp(-log1p(-p) / alpha);
}

static struct delay_moments pareto_moments(const void *conf)
{
	const double alpha = ((const struct pareto_conf *)conf)->alpha;

	return (struct delay_moments){
		1.0, alpha > 2.0 ? 1.0 / sqrt(alpha * (alpha - 2.0)) : HUGE_VAL
	};
}

static int pareto_check(const void *conf, const char *where)
{
	const double alpha = ((const struct pareto_conf *)conf)->alpha;

	if (alpha > 1.0)
		return 0;
	return error("%s: alpha = %g: the distribution has a mean only for alpha > 1, "
		     "as in alpha=1.1", where, alpha);
}

static const struct opt pareto_opts[] = {
	OPT_NUMBER(struct pareto_conf, alpha, "2.5",
		   "exponent of the tail, more than 1; the variance is finite above 2", "A", 0,
		   1e6),
	{ 0 }
};

const struct delay delay_pareto = {
	.plugin = { .name = "pareto",
		    .brief = "task times from a Pareto distribution of mean 1: a heavy tail",
		    .opts = pareto_opts, .conf_size = sizeof(struct pareto_conf) },
	.moments = pareto_moments,
	.quantile = pareto_quantile,
	.check = pareto_check,
};
