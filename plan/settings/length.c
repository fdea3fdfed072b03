/* The epochs that a timing-only run needs, a warning of shorter runs, and no endless ones. */
#include "plan/settings/length.h"

#include "core/base/error.h"
#include "core/text/word.h"

#include <math.h>
#include <stdlib.h>

enum {
	MANY = 16,      /* workers that are given an epoch, however short it is for them */
	ENOUGH = 64,    /* gradients of each of more workers */
	FEW = 20        /* of each, which is warned of */
};

/* Epochs in which every worker computes so many gradients. */
static double epochs_of(const struct setup *su, double each)
{
	return ceil(each * (double)su->num.workers * (double)su->in.batch / (double)su->samples);
}

/* Gradients of a worker in a round of the algorithm. */
static double length_round(const struct setup *su)
{
	const char *name = setup_algo(su)->round;
	const struct opt *o = name ? opt_find(su->algo.plugin->opts, name) : NULL;
	char *text = o ? opt_format(o, su->algo.conf) : NULL;
	const double round = text ? strtod(text, NULL) : 1;

	free(text);
	return round;
}

double length_enough(const struct setup *su)
{
	const double epochs = su->num.workers > MANY ? fmax(1, epochs_of(su, ENOUGH)) : 1;
	const double epoch = (double)su->samples / (double)su->in.batch;
	const double round = length_round(su) * (double)su->num.workers;
	const double given = ceil(epochs * epoch - 1e-9);
	/* Of a server's workers the last round is not timed, for its exchange is cut off. */
	const double least = setup_algo(su)->server ? 2 : 1;
	const double gradients = fmax(ceil(given / round), least) * round;

	return gradients > given ? gradients * (double)su->in.batch / (double)su->samples : epochs;
}

double length_each(const struct setup *su)
{
	double gradients = (double)INFINITY;

	if (!su->in.timing || su->in.time_from > 0 || su->num.workers == 1)
		return gradients;
	if (su->num.epochs > 0)
		gradients = su->num.epochs * (double)su->samples / (double)su->in.batch;
	if (su->in.gradients > 0)
		gradients = fmin(gradients, (double)su->in.gradients);
	return gradients / (double)su->num.workers;
}

int length_check(const struct setup *su, int64_t samples)
{
	double gradients = (double)INFINITY;

	if (su->in.engine != ENGINE_SIM || su->in.seconds > 0)
		return 0;
	if (su->num.epochs > 0 && samples > 0)
		gradients = su->num.epochs * (double)samples / (double)su->in.batch;
	if (su->in.gradients > 0)
		gradients = fmin(gradients, (double)su->in.gradients);
	if (isinf(gradients) || gradients <= RUN_GRADIENTS_MOST)
		return 0;
	return error("the run has %.3g gradients, and the simulator accepts %g; give fewer epochs "
		     "or gradients", gradients, RUN_GRADIENTS_MOST);
}

void length_warn(const struct setup *su)
{
	const double each = length_each(su);

	if (each < FEW)
		warning("%.1f gradients for each of %d worker%s: too few for a mean of times that "
			"vary; %d each are %lld gradients, %g epoch%s", each,
			(int)su->num.workers, word_plural((double)su->num.workers), ENOUGH,
			ENOUGH * (long long)su->num.workers, epochs_of(su, ENOUGH),
			word_plural(epochs_of(su, ENOUGH)));
}
