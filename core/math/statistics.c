/* Means and deviations, Student's t distribution, and Welch's interval of a difference of means. */
#include "core/math/statistics.h"

#include <math.h>

static const double ROUNDING = 1e-12;   /* relative */

bool is_equal_rounded(double a, double b)
{
	return fabs(a - b) <= ROUNDING * fmin(fabs(a), fabs(b));
}

struct spread spread_of(const double *x, size_t n)
{
	struct spread s = { .mean = 0, .dev = 0 };

	for (size_t i = 0; i < n; i++)
		if (!isnan(x[i])) {
			s.mean += x[i];
			s.infinite += !isfinite(x[i]);
			s.n++;
		}
	if (s.infinite) {
		s.mean = s.mean > 0 ? HUGE_VAL : (double)NAN;
		s.dev = (double)NAN;
		return s;
	}
	s.mean = s.n ? s.mean / s.n : (double)NAN;
	for (size_t i = 0; i < n; i++)
		if (!isnan(x[i]))
			s.dev += (x[i] - s.mean) * (x[i] - s.mean);
	s.dev = s.n > 1 ? sqrt(s.dev / (s.n - 1)) : (double)NAN;
	if (s.dev < ROUNDING * fabs(s.mean))
		s.dev = 0;
	return s;
}

/*
 * The continued fraction of the incomplete beta function (Lentz's method), which converges fast
 * for x < (a + 1) / (a + b + 2).
 */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), h;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	h = d;
	for (int m = 1; m < 300; m++) {
		const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		const double last = h;

		d = 1 / (1 + even * d);
		c = 1 + even / c;
		h *= c * d;
		d = 1 / (1 + odd * d);
		c = 1 + odd / c;
		h *= c * d;
		if (fabs(h - last) < 1e-15 * fabs(h))
			break;
	}
	return h;
}

/* The regularised incomplete beta function I_x(a, b). */
static double beta_share(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x > 0;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_cdf(double t, double df)
{
	const double tail = 0.5 * beta_share(0.5 * df, 0.5, df / (df + t * t));

	return t > 0 ? 1 - tail : tail;
}

double student_quantile(double p, double df)
{
	double low = -1, high = 1;

	while (student_cdf(low, df) > p)
		low *= 2;
	while (student_cdf(high, df) < p)
		high *= 2;
	for (int i = 0; i < 200 && low < high; i++) {
		const double middle = 0.5 * (low + high);

		if (student_cdf(middle, df) < p)
			low = middle;
		else
			high = middle;
	}
	return 0.5 * (low + high);
}

double normal_quantile(double p)
{
	double low = -40, high = 40;

	for (int i = 0; i < 200 && low < high; i++) {
		const double middle = 0.5 * (low + high);

		if (0.5 * erfc(-middle / sqrt(2.0)) < p)
			low = middle;
		else
			high = middle;
	}
	return 0.5 * (low + high);
}

double student_975(double df)
{
	double low = 0, high = 16;

	for (int i = 0; i < 40; i++) {
		const double t = (low + high) / 2;

		if (0.5 * beta_share(df / 2, 0.5, df / (df + t * t)) > 0.025)
			low = t;
		else
			high = t;
	}
	return low;
}

struct welch welch_of(const struct spread *a, const struct spread *b)
{
	const double va = a->dev * a->dev / a->n, vb = b->dev * b->dev / b->n;

	return (struct welch){
		.error = sqrt(va + vb),
		.df = (va + vb) * (va + vb) / (va * va / (a->n - 1) + vb * vb / (b->n - 1))
	};
}

struct welch welch_add(struct welch w, double variance, double df)
{
	const double own = w.error * w.error, sum = own + variance;
	const double spread = (own > 0 ? own * own / w.df : 0) + variance * variance / df;

	return variance > 0 ? (struct welch){ .error = sqrt(sum), .df = sum * sum / spread } : w;
}

struct interval welch_interval(const struct spread *a, const struct spread *b, double level)
{
	const double difference = b->mean - a->mean;
	struct welch w;
	double half;

	if (a->n < 2 || b->n < 2 || a->infinite || b->infinite)
		return (struct interval){ (double)NAN, (double)NAN };
	w = welch_of(a, b);
	if (!(w.error > 0))
		return (struct interval){ difference, difference };
	half = student_quantile(1 - level / 2, w.df) * w.error;
	return (struct interval){ difference - half, difference + half };
}
