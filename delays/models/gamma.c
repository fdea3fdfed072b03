/*
 * gamma.c - task times Gamma(shape 1/cv^2, scale cv^2): mean 1, coefficient of variation cv.
 *
 * Paper: Ali, Siegel, Maheswaran, Hensgen 2000 (the CVB method), as used by Barkai et al. 2019.
 */
#include "delays/delay.h"
#include "delays/law.h"

struct gamma_conf {
	double cv;
};

static double gamma_draw(const void *conf, struct rng *r)
{
	return law_gamma(((const struct gamma_conf *)conf)->cv, r);
}

static struct delay_moments gamma_moments(const void *conf)
{
	return (struct delay_moments){ 1.0, ((const struct gamma_conf *)conf)->cv };
}

static int gamma_check(const void *conf, const char *where)
{
	return law_check_gamma(((const struct gamma_conf *)conf)->cv, "cv", where);
}

static const struct opt gamma_opts[] = {
	OPT_NUMBER(struct gamma_conf, cv, "0.1", "coefficient of variation: deviation / mean", "V",
		   0, 10),
	{ 0 }
};

const struct delay delay_gamma = {
	.plugin = { .name = "gamma", .brief = "task times from a gamma distribution of mean 1",
		    .cite = "Ali et al. 2000 (CVB); Barkai, Hakimi, Schuster 2019",
		    .opts = gamma_opts, .conf_size = sizeof(struct gamma_conf) },
	.draw = gamma_draw,
	.moments = gamma_moments,
	.check = gamma_check,
};
