/*
 * empirical.c - task times drawn from a file, each number with equal probability.
 *
 * The file is a text of numbers, a log of step times, a trace (the seconds of its gradients) or a
 * result (each worker's mean). Times are scaled to mean 1, whatever the unit of the file.
 */
#include "core/base/error.h"
#include "core/math/median.h"
#include "delays/delay.h"
#include "delays/law.h"

#include <math.h>

struct empirical_conf {
	char *file;
	int64_t rank;
	struct opt_doubles v;   /* ascending, of mean 1 */
};

static double empirical_draw(const void *conf, struct rng *r)
{
	const struct empirical_conf *c = conf;

	return c->v.v[rng_below(r, c->v.n)];
}

static struct delay_moments empirical_moments(const void *conf)
{
	const struct empirical_conf *c = conf;

	return law_list_moments(c->v.v, c->v.n);
}

static double empirical_quantile(const void *conf, double p)
{
	const struct empirical_conf *c = conf;

	return law_list_quantile(c->v.v, c->v.n, p);
}

static int empirical_open(void *conf, delay_reader *read, const char *where)
{
	struct empirical_conf *c = conf;
	double mean;

	if (!c->file)
		return error("%s: no file is named. Give empirical:file=PATH", where);
	if (read(c->file, (int)c->rank, &c->v) < 0)
		return -1;
	sort_doubles(c->v.v, c->v.n);
	mean = law_list_moments(c->v.v, c->v.n).mean;
	if (!(c->v.v[0] > 0.0) || !isfinite(mean))
		return error("%s: file '%s': %g is no time: all must be more than 0", where,
			     c->file, c->v.v[isfinite(mean) ? 0 : c->v.n - 1]);
	for (size_t i = 0; i < c->v.n; i++)
		c->v.v[i] /= mean;
	return 0;
}

static const struct opt empirical_opts[] = {
	{ "file", OPT_AT(STRING, struct empirical_conf, file), NULL,
	  "of numbers as text, a log of step times, a trace, or a result", "PATH", 0, 0, NULL,
	  OPT_NOHASH },
	OPT_NUMBER(struct empirical_conf, rank, "-1",
		   "of a log, trace or result, this worker's times; -1: those of all", "RANK", -1,
		   1 << 24),
	{ 0 }
};

const struct delay delay_empirical = {
	.plugin = { .name = "empirical", .brief = "times of a file, each as likely",
		    .opts = empirical_opts, .conf_size = sizeof(struct empirical_conf) },
	.draw = empirical_draw,
	.moments = empirical_moments,
	.quantile = empirical_quantile,
	.open = empirical_open,
	.read_at = offsetof(struct empirical_conf, v),
};
