/*
 * measured.c - measured task times: factors from a list, each with equal probability.
 *
 * `convoy calibrate` makes the list from the times of many gradients in ascending order: means of
 * equally many neighbouring times. Factors are scaled to mean 1.
 */
#include "core/base/mem.h"
#include "core/math/median.h"
#include "delays/delay.h"
#include "delays/law.h"

#include <stdlib.h>
#include <string.h>

struct measured_conf {
	struct opt_doubles factors;
};

static double measured_draw(const void *conf, struct rng *r)
{
	const struct opt_doubles *f = &((const struct measured_conf *)conf)->factors;
	const size_t i = (size_t)(rng_uniform(r) * (double)f->n);
	double sum = 0.0;

	if (f->n == 0)
		return 1.0;
	for (size_t k = 0; k < f->n; k++)
		sum += f->v[k];
	return f->v[i < f->n ? i : f->n - 1] * (double)f->n / sum;
}

static struct delay_moments measured_moments(const void *conf)
{
	const struct opt_doubles *f = &((const struct measured_conf *)conf)->factors;
	struct delay_moments m = law_list_moments(f->v, f->n);

	if (f->n == 0)
		return (struct delay_moments){ 1.0, 0.0 };
	return (struct delay_moments){ 1.0, m.deviation / m.mean };
}

static double measured_quantile(const void *conf, double p)
{
	const struct opt_doubles *f = &((const struct measured_conf *)conf)->factors;
	double *sorted, q;

	if (f->n == 0)
		return 1.0;
	sorted = xcalloc(f->n, sizeof(*sorted));
	memcpy(sorted, f->v, f->n * sizeof(*sorted));
	sort_doubles(sorted, f->n);
	q = law_list_quantile(sorted, f->n, p) / law_list_moments(f->v, f->n).mean;
	free(sorted);
	return q;
}

static const struct opt measured_opts[] = {
	{ "factors", OPT_AT(DOUBLES, struct measured_conf, factors), "1",
	  "times of gradients, relative to each other, each as likely", "A/B/...", 1e-6, 1e6, NULL,
	  0 },
	{ 0 }
};

const struct delay delay_measured = {
	.plugin = { .name = "measured",
		    .brief = "one of the factors that were measured, each as likely",
		    .opts = measured_opts, .conf_size = sizeof(struct measured_conf) },
	.draw = measured_draw,
	.moments = measured_moments,
	.quantile = measured_quantile,
};
