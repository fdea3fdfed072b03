/*
 * profile.c - factors over time, from a list or a file.
 *
 * From at_s[i] seconds on the factor is factor[i]; before the first it is 1. The last factor lasts
 * for ever, or until the profile begins again, every period_s seconds. The moment at which a
 * gradient begins decides about all of it.
 */
#include "core/base/error.h"
#include "delays/delay.h"

#include <math.h>

struct profile_conf {
	struct opt_doubles at_s, factor;
	char *file;
	double period_s;
	bool normalise;
	struct opt_doubles read;        /* from the file: time, factor, time, factor, ... */
	double unit;                    /* divisor of all factors */
};

static size_t profile_steps(const struct profile_conf *c)
{
	return c->file ? c->read.n / 2 : c->at_s.n;
}

static double time_of(const struct profile_conf *c, size_t i)
{
	return c->file ? c->read.v[2 * i] : c->at_s.v[i];
}

static double profile_factor_of(const struct profile_conf *c, size_t i)
{
	return c->file ? c->read.v[2 * i + 1] : c->factor.v[i];
}

static double factor_at(const struct profile_conf *c, double time)
{
	size_t low = 0, high = profile_steps(c); /* the first later change is in [low, high] */

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (time_of(c, middle) <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return (low ? profile_factor_of(c, low - 1) : 1.0) / c->unit;
}

static double profile_at(const void *conf, const struct delay_at *at)
{
	const struct profile_conf *c = conf;

	return factor_at(c, c->period_s > 0.0 ? fmod(at->time, c->period_s) : at->time);
}

/* Seconds that the profile describes: a period, or all times before the last change. */
static double span_of(const struct profile_conf *c)
{
	return c->period_s > 0.0 ? c->period_s : time_of(c, profile_steps(c) - 1);
}

static double profile_draw(const void *conf, struct rng *r)
{
	return factor_at(conf, rng_uniform(r) * span_of(conf));
}

static struct delay_span profile_changes(const void *conf)
{
	const struct profile_conf *c = conf;
	const size_t n = profile_steps(c);

	if (c->period_s > 0.0)
		return (struct delay_span){ HUGE_VAL, -HUGE_VAL };
	return (struct delay_span){ n > 1 ? time_of(c, 0) : HUGE_VAL, time_of(c, n - 1) };
}

/* Share of the span between change i - 1 and change i. */
static double share_before(const struct profile_conf *c, size_t i)
{
	const double to = i < profile_steps(c) ? time_of(c, i) : span_of(c);

	return (to - (i ? time_of(c, i - 1) : 0.0)) / span_of(c);
}

static struct delay_moments profile_moments(const void *conf)
{
	const struct profile_conf *c = conf;
	double mean = 0.0, square = 0.0;

	if (!(span_of(c) > 0.0))
		return (struct delay_moments){ profile_factor_of(c, 0) / c->unit, 0.0 };
	for (size_t i = 0; i <= profile_steps(c); i++) {
		const double f = (i ? profile_factor_of(c, i - 1) : 1.0) / c->unit;

		mean += share_before(c, i) * f;
		square += share_before(c, i) * f * f;
	}
	return (struct delay_moments){ mean, sqrt(fmax(square - mean * mean, 0.0)) };
}

static int check_step(const struct profile_conf *c, size_t i, const char *where)
{
	const double time = time_of(c, i), factor = profile_factor_of(c, i);

	if (!(time >= 0.0) || !isfinite(time) || (i && time <= time_of(c, i - 1)))
		return error("%s: at_s: %g s follows %g s: times must ascend from 0",
			     where, time, i ? time_of(c, i - 1) : 0.0);
	if (!(factor >= 1e-6 && factor <= 1e9))
		return error("%s: factor %g from %g s on: a gradient would never end; "
			     "from 1e-6 to 1e9", where, factor, time);
	return 0;
}

static int check_steps(const struct profile_conf *c, const char *where)
{
	const size_t n = profile_steps(c);

	if (c->file ? c->read.n % 2 != 0 : c->at_s.n != c->factor.n)
		return error("%s: %zu times and %zu factors: as many of one as of the "
			     "other", where, c->file ? n + 1 : n, c->file ? n : c->factor.n);
	if (n == 0)
		return error("%s: no times: at_s=60/90,factor=10/1, or file=PATH", where);
	for (size_t i = 0; i < n; i++)
		if (check_step(c, i, where) < 0)
			return -1;
	if (c->period_s > 0.0 && c->period_s <= time_of(c, n - 1))
		return error("%s: period_s = %g: it never gets to its last change, at "
			     "%g s: take more than that, or 0", where, c->period_s,
			     time_of(c, n - 1));
	return 0;
}

static int profile_open(void *conf, delay_reader *read, const char *where)
{
	struct profile_conf *c = conf;

	c->unit = 1.0;
	if (c->file && read(c->file, -1, &c->read) < 0)
		return -1;
	if (check_steps(c, where) < 0)
		return -1;
	if (c->normalise && !(c->period_s > 0.0))
		return error("%s: normalise needs a period_s: without one the mean is "
			     "that of the last factor", where);
	c->unit = c->normalise ? profile_moments(c).mean : 1.0;
	return 0;
}

static const struct opt profile_opts[] = {
	{ "at_s", OPT_AT(DOUBLES, struct profile_conf, at_s), "60/90",
	  "when the factor changes, seconds", "A/B/...", 0, 0, NULL, 0 },
	{ "factor", OPT_AT(DOUBLES, struct profile_conf, factor), "10/1",
	  "what it is from then on; it begins as 1", "A/B/...", 0, 0, NULL, 0 },
	{ "file", OPT_AT(STRING, struct profile_conf, file), NULL,
	  "of these pairs instead: a time and a factor a line", "PATH", 0, 0, NULL, OPT_NOHASH },
	OPT_NUMBER(struct profile_conf, period_s, "0",
		   "period after which it repeats, in seconds; 0: never", "SECONDS", 0, 1e12),
	OPT_FLAG(struct profile_conf, normalise, "divides by the mean over a period"),
	{ 0 }
};

const struct delay delay_profile = {
	.plugin = { .name = "profile", .brief = "factors over time, once or again and again",
		    .opts = profile_opts, .conf_size = sizeof(struct profile_conf) },
	.draw = profile_draw,
	.at = profile_at,
	.moments = profile_moments, .span = profile_changes,
	.open = profile_open,
	.read_at = offsetof(struct profile_conf, read),
};
