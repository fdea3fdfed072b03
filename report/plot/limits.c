/* What a measure can be, and where a plot ends though losses go on. */
#include "report/plot/plot.h"

#include "core/text/opt.h"
#include "record/measure.h"

#include <math.h>

/* A curve of losses that rises so many times above its beginning is a run that was lost. */
#define LOST 1e3

static bool is_one_of(const char *name, const char *const *list)
{
	for (; name && *list; list++)
		if (opt_same_key(*list, name))
			return true;
	return false;
}

static bool is_loss(const struct figure *f)
{
	static const char *const losses[] = { "train_loss", "test_loss", "loss", NULL };

	return is_one_of(f->yname, losses);
}

bool plot_is_share(const char *name)
{
	static const char *const shares[] = { "wait_share", "communication_share",
					      "test_accuracy", "fairness", NULL };

	return is_one_of(name, shares);
}

void figure_bound(const struct figure *f, double *low, double *high)
{
	static const char *const signed_[] = { "momentum", "momentum_mean", NULL };
	static const char *const columns[] = { "loss", "gap", "gap_max", "norm", "norm_max",
					       "staleness", "count", NULL };

	if (plot_is_share(f->yname) && *high > 1)
		*high = 1;
	if (f->yname && *low < 0 && !is_one_of(f->yname, signed_) &&
	    (measure_known(f->yname) || is_one_of(f->yname, columns)))
		*low = 0;
}

static double plot_limits_highest(const struct series *s)
{
	double y = -HUGE_VAL;

	for (size_t i = 0; i < s->n; i++)
		y = fmax(y, s->p[i].y);
	return y;
}

static bool is_lost(const struct figure *f, const struct series *s)
{
	return f->curves && is_loss(f) && s->n > 1 && s->p[0].y > 0 &&
	       plot_limits_highest(s) > LOST * s->p[0].y;
}

/* What a series asks of the plot's height. */
static double plot_limits_needed(const struct figure *f, const struct series *s)
{
	double y = 0;

	if (is_lost(f, s))
		return s->p[0].y;
	for (size_t i = 0; i < s->n; i++)
		y = fmax(y, s->p[i].hi);
	return y;
}

double figure_ceiling(const struct figure *f)
{
	double top = 0;
	bool lost = false;

	for (size_t i = 0; i < f->n; i++) {
		lost = lost || is_lost(f, &f->series[i]);
		top = fmax(top, plot_limits_needed(f, &f->series[i]));
	}
	return lost ? top * (f->logy ? 10 : 1.5) : HUGE_VAL;
}

double figure_rise(const struct figure *f, const struct series *s)
{
	return is_lost(f, s) ? plot_limits_highest(s) : (double)NAN;
}

bool plot_is_wide(double low, double high)
{
	return low > 0.0 && high > 20.0 * low;
}
