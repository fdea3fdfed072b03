/* Means of rounds, their intervals, and what they say of a prediction. */
#include "study/predict/predict.h"

#include "core/base/mem.h"
#include "core/math/statistics.h"

#include <math.h>

static const double two_sided = 0.975;

static struct spread spread_at(const double *x, const struct prediction *p)
{
	const struct spread nothing = { (double)NAN, (double)NAN, 0, 0 };

	return p->diverged ? nothing : spread_of(x, p->rounds);
}

static struct estimate_95 estimate_of(struct spread s)
{
	const double t = s.n > 1 ? student_quantile(two_sided, s.n - 1) : (double)NAN;

	return (struct estimate_95){ s.mean, s.n > 1 ? t * s.dev / sqrt(s.n) : (double)NAN };
}

struct estimate_95 prediction_predicted(const struct prediction *p)
{
	return estimate_of(spread_at(p->predicted, p));
}

struct estimate_95 prediction_measured(const struct prediction *p)
{
	return estimate_of(spread_at(p->measured, p));
}

/* The variance of the mean, as a part of the mean's square. */
static double relative_variance(struct spread s)
{
	return s.dev * s.dev / s.n / (s.mean * s.mean);
}

/* Of a quotient to first order; the degrees of freedom are those of Welch and Satterthwaite. */
struct estimate_95 prediction_off(const struct prediction *p)
{
	const struct spread a = spread_at(p->predicted, p), b = spread_at(p->measured, p);
	const double ratio = a.mean / b.mean, va = relative_variance(a), vb = relative_variance(b);
	struct estimate_95 off = { 100.0 * (ratio - 1.0), (double)NAN };
	double df;

	if (a.n < 2)
		return off;
	off.half = 0.0;
	if (!(va + vb > 0.0))
		return off;
	df = (va + vb) * (va + vb) / (va * va / (a.n - 1) + vb * vb / (b.n - 1));
	off.half = 100.0 * ratio * sqrt(va + vb) * student_quantile(two_sided, df);
	return off;
}

char *prediction_verdict(const struct prediction *p)
{
	const struct estimate_95 off = prediction_off(p);
	const char *side = off.mean < 0.0 ? "fast" : "slow";

	if (p->diverged)
		return prediction_failure(p);
	if (!isfinite(off.half))
		return xasprintf("too %s by %.1f %%; one round gives no interval", side,
				 fabs(off.mean));
	if (fabs(off.mean) <= off.half)
		return xasprintf("agrees: the difference of %+.1f %% is within the scatter of %zu "
				 "rounds (%+.1f to %+.1f)", off.mean, p->rounds,
				 off.mean - off.half, off.mean + off.half);
	return xasprintf("too %s by %.1f %% (%.1f to %.1f)", side, fabs(off.mean),
			 fabs(off.mean) - off.half, fabs(off.mean) + off.half);
}
