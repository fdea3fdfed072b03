/* Numbers with units: exact values, what was understood, which unit is wrong and the nearest. */
#include "core/base/mem.h"
#include "core/text/opt.h"
#include "core/text/parse.h"
#include "core/text/units.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* True where the text is that very double. */
static bool unit_is(const char *text, enum quantity q, double expected)
{
	double x = (double)NAN;

	return unit_text("key", text, q, &x) && x >= expected && x <= expected;
}

static bool unit_none(const char *text, enum quantity q)
{
	double x;

	return !unit_text("key", text, q, &x);
}

static void values(void **state)
{
	(void)state;
	assert_true(unit_is("640ms", QUANTITY_TIME, 0.64));
	assert_true(unit_is("50 ms", QUANTITY_TIME, 0.05));
	assert_true(unit_is("2us", QUANTITY_TIME, 2e-6));
	assert_true(unit_is("2\u00b5s", QUANTITY_TIME, 2e-6));
	assert_true(unit_is("1e3ns", QUANTITY_TIME, 1e-6));
	assert_true(unit_is("1.1min", QUANTITY_TIME, 66));
	assert_true(unit_is("3h", QUANTITY_TIME, 10800));
	assert_true(unit_is("30d", QUANTITY_TIME, 2592000));
	assert_true(unit_is("0.3", QUANTITY_TIME, 0.3));
	assert_true(unit_is("100Gb/s", QUANTITY_RATE, 12.5));
	assert_true(unit_is("100Gbps", QUANTITY_RATE, 12.5));
	assert_true(unit_is("500Mbit/s", QUANTITY_RATE, 0.0625));
	assert_true(unit_is("12.5GB/s", QUANTITY_RATE, 12.5));
	assert_true(unit_is("900GBps", QUANTITY_RATE, 900));
	assert_true(unit_is("1GiB/s", QUANTITY_RATE, 1.073741824));
	assert_true(unit_is("5.2GB", QUANTITY_SIZE, 5.2e9));
	assert_true(unit_is("25MiB", QUANTITY_SIZE, 26214400));
	assert_true(unit_is("26214400 bytes", QUANTITY_SIZE, 26214400));
	assert_true(unit_is("350M", QUANTITY_SIZE, 350e6));
	assert_true(unit_is("7B", QUANTITY_SIZE, 7));
	assert_true(unit_is("2.6GiB", QUANTITY_SIZE, 2791728742.0));
	assert_true(unit_is("1.3B", QUANTITY_COUNT, 1.3e9));
	assert_true(unit_is("350M", QUANTITY_COUNT, 350e6));
	assert_true(unit_is("-2k", QUANTITY_COUNT, -2000));
}

static void refused(void **state)
{
	static const char *const texts[] = { "", "ms", "5 ", "5  ms", "5msx", "0x10ms", "nan",
					     "inf", "1e999h", "5.ms.", "--5ms", "5ms/", "1e",
					     "5\xff", "1e-99999999999999999999ms",
					     "1e99999999999999999999ms" };
	const char *halves[] = { "5e", "5e+", "5e-" };
	double x;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		for (enum quantity q = QUANTITY_TIME; q <= QUANTITY_COUNT; q++)
			if (!unit_none(texts[i], q))
				fail_msg("'%s' is taken", texts[i]);
	assert_true(unit_none("5Gb", QUANTITY_SIZE) && unit_none("5GB", QUANTITY_RATE));
	assert_true(unit_none("5G", QUANTITY_RATE) && unit_none("3m", QUANTITY_TIME));
	assert_true(unit_none("5ms", QUANTITY_COUNT) && unit_none("5B", QUANTITY_TIME));
	for (size_t i = 0; i < sizeof(halves) / sizeof(halves[0]); i++)
		assert_false(unit_parse(&halves[i], QUANTITY_NONE, &x));
}

static void assert_advice(enum quantity q, const char *text, const char *part)
{
	char *advice = unit_advice(q, text);

	if (*part ? !strstr(advice, part) : *advice)
		fail_msg("%s: '%s' instead of '%s'", text, advice, part);
	free(advice);
}

static void advice(void **state)
{
	(void)state;
	assert_advice(QUANTITY_TIME, "640msec", "unknown unit 'msec'; did you mean 'ms'?");
	assert_advice(QUANTITY_TIME, "3m", "did you mean 'min'?");
	assert_advice(QUANTITY_TIME, "100Gb/s", "'Gb/s' is a unit of a rate; expected a time");
	assert_advice(QUANTITY_TIME, "5x", "unknown unit 'x'; expected a time, such as");
	assert_advice(QUANTITY_TIME, "5", "");
	assert_advice(QUANTITY_TIME, "auto", "");
	assert_advice(QUANTITY_RATE, "100G", "expected 100Gb/s (bits) or 100GB/s (bytes)");
	assert_advice(QUANTITY_RATE, "100gb/s", "Gb/s (bits) or GB/s (bytes)");
	assert_advice(QUANTITY_RATE, "3ms", "'ms' is a unit of a time; expected a rate");
	assert_advice(QUANTITY_SIZE, "40Gb", "is bits, and a size is in bytes; expected GB");
	assert_advice(QUANTITY_SIZE, "1.3B", "B is a byte, and a billion bytes are 1.3GB");
	assert_advice(QUANTITY_SIZE, "40gb", "did you mean 'GB'?");
	assert_advice(QUANTITY_NONE, "40%", "as a share of 1, 40% is 0.4");
	assert_advice(QUANTITY_NONE, "0.4", "");
	assert_advice(QUANTITY_COUNT, "3billion", "did you mean 'B'?");
}

struct conf {
	double latency_s, bandwidth_GBps, share;
	int64_t layers, bucket_bytes;
	struct opt_doubles seconds, rate_GBps;
};

#define AT(type, field) OPT_AT(type, struct conf, field)
static const struct opt opts[] = {
	{ "latency_s", AT(DOUBLE, latency_s), "0", "", "SECONDS", 0, 1e6, NULL, 0 },
	{ "bandwidth_GBps", AT(DOUBLE, bandwidth_GBps), "1", "", "GB/S", 0, 1e9, NULL, 0 },
	{ "share", AT(DOUBLE, share), "1", "", "SHARE", 0, 1, NULL, 0 },
	{ "layers", AT(INT, layers), "1", "", "N", 1, 1e6, NULL, 0 },
	{ "bucket_bytes", AT(INT, bucket_bytes), "1", "", "BYTES", 1, 1e12, NULL, 0 },
	{ "seconds", AT(DOUBLES, seconds), NULL, "", "S/T/...", 0, 1e6, NULL, 0 },
	{ "rate_GBps", AT(DOUBLES, rate_GBps), NULL, "", "A/B/...", 0, 1e6, NULL, 0 },
	{ 0 }
};

/* Options take units of their own quantity; the canonical text is the plain number's. */
static void options(void **state)
{
	struct conf c = { 0 };
	char *line, *text;

	(void)state;
	free(units_understood());
	opt_init(opts, &c);
	assert_int_equal(opt_parse(opts, &c, "latency_s=2us,bandwidth_GBps=100Gb/s,layers=50k,"
				   "bucket_bytes=25MiB,seconds=40ms/0.05/1min", "x"), 0);
	assert_near(c.latency_s, 2e-6, 0);
	assert_near(c.bandwidth_GBps, 12.5, 0);
	assert_int_equal(c.layers, 50000);
	assert_int_equal(c.bucket_bytes, 26214400);
	text = opt_format(opt_find(opts, "seconds"), &c);
	assert_string_equal(text, "0.04/0.05/60");
	free(text);
	line = units_understood();
	assert_string_equal(line, "understood: latency_s 2us = 2e-6 s, bandwidth_GBps 100Gb/s = "
				  "12.5 GB/s, bucket_bytes 25MiB = 2.62144e7 bytes, "
				  "seconds 40ms = 0.04 s, seconds 1min = 60 s");
	free(line);
	assert_null(units_understood());
	assert_int_equal(opt_parse(opts, &c, "rate_GBps=8Gb/s/2/4GB/s/16Gbps", "x"), 0);
	text = opt_format(opt_find(opts, "rate_GBps"), &c);
	assert_string_equal(text, "1/2/4/2");
	free(text);
	free(units_understood());
	capture_start();
	assert_int_equal(opt_parse(opts, &c, "latency_s=12.5GB/s", "link nic"), -1);
	assert_said("link nic: latency_s must be a number of seconds, from 0 to 1e6, not "
		    "'12.5GB/s': 'GB/s' is a unit of a rate");
	assert_int_equal(opt_parse(opts, &c, "bucket_bytes=0.3B", "x"), -1);
	assert_int_equal(opt_parse(opts, &c, "latency_s=1ms,latency-s=2ms", "x"), -1);
	assert_int_equal(opt_parse(opts, &c, "share=1ms", "x"), -1);
	capture_stop();
	opt_release(opts, &c);
}

static void spans(void **state)
{
	const char *p = "1.5min-2h,rest";
	double from = 0, to = 0;

	(void)state;
	assert_true(parse_span(&p, &from, &to));
	assert_near(from, 90, 0);
	assert_near(to, 7200, 0);
	assert_string_equal(p, ",rest");
	p = "2h-1h";
	assert_false(parse_span(&p, &from, &to));
	free(units_understood());
}

static void prices(void **state)
{
	static const struct {
		const char *text, *canonical;
		double per_hour;
	} good[] = {
		{ "2.5/h", "2.5/h", 2.5 }, { "$2.5/h", "$2.5/h", 2.5 },
		{ "2.5EUR/h", "2.5EUR/h", 2.5 }, { "EUR 48/d", "2EUR/h", 2 },
		{ "\u20ac0.1/min", "\u20ac6/h", 6 }, { "$20/h/worker", "$20/h/worker", 20 },
		{ "none", "none", 0 }, { "5000JPY/s", "18000000JPY/h", 18e6 },
		{ "0.00001/h", "0.00001/h", 1e-5 },
	};
	static const char *const bad[] = {
		"2.5", "-5", "$-5", "$2.5", "", "h", "/h", "$/h", "2.5/", "2.5/x", "-1/h",
		"$1USD/h", "1/h/gpu", "1/h/worker/h", "1/ms", "1e3000/h", "LONGCURRENCY1/h",
		"100Gb/s", "12.5GB/s", "640ms/h",
		"1.2.3/h"
	};
	static const struct {
		const char *text, *advice;
	} meant[] = {
		{ "2/hour", "settings: price '2/hour': unknown unit '/hour'; did you mean '2/h'?" },
		{ "2/hr", "did you mean '2/h'?" }, { "$2/gpu-hour", "did you mean '$2/h'?" },
		{ "2/h/gpu", "unknown unit '/h/gpu'; did you mean '2/h'?" },
		{ "2EUR/days/workers", "did you mean '2EUR/d/worker'?" },
		{ "2/worker-h", "did you mean '2/h/worker'?" },
		{ "2/gpu", "price '2/gpu': expected an amount and a time" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct price price;
		char *text;

		assert_int_equal(price_parse(&price, good[i].text), 0);
		assert_near(price.per_hour, good[i].per_hour, 1e-12);
		text = price_text(&price);
		assert_string_equal(text, good[i].canonical);
		assert_int_equal(price_parse(&price, text), 0);
		free(text);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct price price;

		capture_start();
		if (price_parse(&price, bad[i]) == 0)
			fail_msg("'%s' is a price", bad[i]);
		capture_stop();
		assert_near(price.per_hour, 0, 0);
	}
	assert_said("settings: price '1.2.3/h': expected an amount and a time");
	for (size_t i = 0; i < sizeof(meant) / sizeof(meant[0]); i++) {
		struct price price;

		capture_start();
		assert_int_equal(price_parse(&price, meant[i].text), -1);
		capture_stop();
		assert_said(meant[i].advice);
	}
}

RUN_ALL(values, refused, advice, options, spans, prices)
