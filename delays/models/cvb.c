/*
 * cvb.c - workers of different speed: two levels of gamma distributions.
 *
 *     m_j  ~ Gamma(1 / v_mach^2, v_mach^2)          once per worker j
 *     task ~ Gamma(1 / v_task^2, m_j v_task^2)      for each of its gradients
 *
 * Paper: Ali, Siegel, Maheswaran, Hensgen 2000; v_mach 0.6 and v_task 0.1 are the heterogeneous
 * cluster of Barkai, Hakimi, Schuster 2019. The mean is 1 over all workers that could have been
 * drawn, not over those of a run.
 */
#include "core/base/mem.h"
#include "core/text/opt_text.h"
#include "delays/delay.h"
#include "delays/law.h"

#include <math.h>
#include <stdlib.h>

struct cvb_conf {
	double v_mach, v_task;
};

static double cvb_draw_machine(const void *conf, struct rng *r)
{
	return law_gamma(((const struct cvb_conf *)conf)->v_mach, r);
}

static double cvb_draw(const void *conf, struct rng *r)
{
	const struct cvb_conf *c = conf;
	const double machine = cvb_draw_machine(c, r);

	return machine * law_gamma(c->v_task, r);
}

static double cvb_mean(const void *conf, const struct delay_at *at)
{
	return delay_machine(at, conf, cvb_draw_machine);
}

static char *cvb_alone(const void *conf, const struct delay_at *at, double *factor)
{
	scoped char *cv = double_text(((const struct cvb_conf *)conf)->v_task);
	char *text = xasprintf("gamma:cv=%s", cv);

	*factor = cvb_mean(conf, at);
	return text;
}

static double cvb_at(const void *conf, const struct delay_at *at)
{
	const struct cvb_conf *c = conf;
	struct rng r;

	delay_rng(&r, at, DELAY_GRADIENT, at->rank, at->index);
	return cvb_mean(c, at) * law_gamma(c->v_task, &r);
}

static struct delay_moments cvb_moments(const void *conf)
{
	const struct cvb_conf *c = conf;
	const double mach = c->v_mach * c->v_mach, task = c->v_task * c->v_task;

	return (struct delay_moments){ 1.0, sqrt((1.0 + mach) * (1.0 + task) - 1.0) };
}

static int cvb_check(const void *conf, const char *where)
{
	const struct cvb_conf *c = conf;

	return law_check_gamma(c->v_mach, "v_mach", where) < 0 ? -1
		: law_check_gamma(c->v_task, "v_task", where);
}

static const struct opt cvb_opts[] = {
	OPT_NUMBER(struct cvb_conf, v_mach, "0.6", "coefficient of variation of the workers' means",
		   "V", 0, 10),
	OPT_NUMBER(struct cvb_conf, v_task, "0.1", "coefficient of variation of one worker's times",
		   "V", 0, 10),
	{ 0 }
};

const struct delay delay_cvb = {
	.plugin = { .name = "cvb",
		    .brief = "workers whose means differ, by gamma distributions on two levels",
		    .cite = "Ali et al. 2000 (CVB); Barkai, Hakimi, Schuster 2019",
		    .opts = cvb_opts, .conf_size = sizeof(struct cvb_conf) },
	.draw = cvb_draw,
	.at = cvb_at,
	.caches = true,
	.moments = cvb_moments,
	.check = cvb_check,
	.mean = cvb_mean,
	.alone = cvb_alone,
};
