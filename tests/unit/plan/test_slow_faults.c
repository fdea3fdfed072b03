/* The grammars of --slow and --faults: their one canonical text, and what they refuse. */
#include "core/base/mem.h"
#include "core/slow.h"
#include "plan/settings/faults.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"

#include <stdlib.h>

enum { WORKERS = 16 };

static const char plain[] = "plain decimal integer";

static void refuses_slow(const char *text)
{
	struct slow *slow;
	size_t n;

	capture_start();
	assert_int_equal(slow_parse(text, WORKERS, &slow, &n), -1);
	capture_stop();
	assert_null(slow);
	assert_said(text);
	assert_said(plain);
}

static void refuses_faults(const char *text)
{
	struct fault *fault;
	size_t n;

	capture_start();
	assert_int_equal(faults_parse(text, &fault, &n), -1);
	capture_stop();
	assert_null(fault);
	assert_said(text);
	assert_said(plain);
}

static void ranks_are_digits(void **state)
{
	static const char *const ranks[] = { "0x1", "1e0", "1.0", "1.5", "+1", " 1", "-1", "1 ",
					     "", "inf", "0000000001", "4294967296" };

	for (size_t i = 0; i < sizeof(ranks) / sizeof(*ranks); i++) {
		char *slow = xasprintf("%s:2", ranks[i]), *later = xasprintf("0:2+%s:2", ranks[i]);
		char *leave = xasprintf("%s:leave@1", ranks[i]);
		char *drop = xasprintf("server-%s:drop@1-2", ranks[i]);

		refuses_slow(slow);
		refuses_slow(later);
		refuses_faults(leave);
		refuses_faults(drop);
		free(slow);
		free(later);
		free(leave);
		free(drop);
	}
}

static void misspelt(const char *text, const char *nearest)
{
	struct fault *fault;
	struct slow *slow;
	size_t n;

	capture_start();
	assert_int_equal(faults_parse(text, &fault, &n), -1);
	assert_int_equal(slow_parse(text, WORKERS, &slow, &n), -1);
	capture_stop();
	assert_said(nearest);
}

static void misspelt_words_name_the_nearest(void **state)
{
	misspelt("0:leve@5", "unknown word 'leve'; did you mean 'leave'?");
	misspelt("servr:stall@3-4", "'server'?");
	misspelt("all:fail@mtbf=5", "'mtbf_s'?");
	misspelt("all:fail@mtbf_s=5,restrat_s=3", "'restart_s'?");
	misspelt("0:leave@5,detct_s=1", "'detect_s'?");
	misspelt("0:leave@5-6,copy=frsh", "'fresh'?");
	misspelt("0:leave@5sec", "'5sec' must be a number of seconds: unknown unit 'sec'; "
				 "did you mean 's'?");
	misspelt("0:2@5-8minu", "did you mean 'min'?");
}

static void numbers_are_decimal(void **state)
{
	refuses_slow("1:0x2");
	refuses_slow("1:2@0X1-5");
	refuses_faults("1:leave@0x1");
	refuses_faults("1:leave@1-0x5");
}

static void slow_is(const char *text, const char *canonical)
{
	struct slow *slow;
	size_t n;
	char *is;

	assert_int_equal(slow_parse(text, WORKERS, &slow, &n), 0);
	is = slow_format(slow, n);
	assert_string_equal(is, canonical);
	free(slow);
	free(is);
}

static void faults_are(const char *text, const char *canonical)
{
	struct fault *fault;
	size_t n;
	char *is;

	assert_int_equal(faults_parse(text, &fault, &n), 0);
	is = faults_format(fault, n);
	assert_string_equal(is, canonical);
	free(fault);
	free(is);
}

/* Each way of writing, and the canonical one itself. */
static void equal_slowness_has_one_text(void **state)
{
	static const struct {
		const char *text, *canonical;
	} is[] = {
		{ "none", "none" },
		{ "0:10", "0:10" },
		{ "0:10.0", "0:10" },
		{ "00:1e1", "0:10" },
		{ "0:0.93617+1:1.375", "0:0.93617+1:1.375" },
		{ "1:1.375+0:0.936170", "0:0.93617+1:1.375" },
		{ "0:1+1:1", "0:1+1:1" },
		{ "10:2+9:2", "9:2+10:2" },
		{ "14-15:2@1-2+8-10:3", "8:3+9:3+10:3+14:2@1-2+15:2@1-2" },
		{ "3:2@5.50-1e3+3:4@1-2+3:3", "3:3+3:4@1-2+3:2@5.5-1000" },
		{ "3:4@1-3+3:4@1-2+3:2@1-2", "3:2@1-2+3:4@1-2+3:4@1-3" },
		{ "2:0.1@0.30000000000000004-1e7", "2:0.1@0.30000000000000004-1e7" },
	};

	for (size_t i = 0; i < sizeof(is) / sizeof(*is); i++) {
		slow_is(is[i].text, is[i].canonical);
		slow_is(is[i].canonical, is[i].canonical);
	}
}

static void equal_faults_have_one_text(void **state)
{
	static const struct {
		const char *text, *canonical;
	} are[] = {
		{ "none", "none" },
		{ "0:leave@1", "0:leave@1" },
		{ "0:leave@1.0", "0:leave@1" },
		{ "03:leave@1e1-2e+01,copy=fresh", "3:leave@10-20" },
		{ "3:leave@10-20,copy=old", "3:leave@10-20,copy=old" },
		{ "server:stall@5-60e-1", "server:stall@5-6" },
		{ "server-3:drop@1-2", "3-server:drop@1-2" },
		{ "3-1:drop@1-2", "1-3:drop@1-2" },
		{ "server:stall@20.25-20.5+3:leave@10.5-12",
		  "3:leave@10.5-12+server:stall@20.25-20.5" },
		{ "0-server:drop@1-2+server:stall@1-2+10:leave@1+9:leave@1",
		  "9:leave@1+10:leave@1+server:stall@1-2+0-server:drop@1-2" },
		{ "2-server:drop@1-2+2-1:drop@1-2+0-2:drop@1-2",
		  "0-2:drop@1-2+1-2:drop@1-2+2-server:drop@1-2" },
		{ "all:fail@mtbf_s=1e3", "all:fail@mtbf_s=1000,detect_s=0,restart_s=0" },
		{ "3:fail@mtbf_s=9,restart_s=2,copy=old+00-2:fail@mtbf_s=8.0,detect_s=1,copy=fresh",
		  "0-2:fail@mtbf_s=8,detect_s=1,restart_s=0+"
		  "3:fail@mtbf_s=9,detect_s=0,restart_s=2,copy=old" },
		{ "all:fail@restart_s=300,copy=old,detect_s=60,mtbf_s=2e4",
		  "all:fail@mtbf_s=20000,detect_s=60,restart_s=300,copy=old" },
		{ "1:leave@1-2,fetch=2,copy=old,detect_s=3",
		  "1:leave@1-2,detect_s=3,copy=old,fetch=2" },
		{ "1:leave@1,detect_s=0.50", "1:leave@1,detect_s=0.5" },
		{ "1:leave@1-2,detect_s=1e1,copy=fresh", "1:leave@1-2,detect_s=10" },
		{ "1:leave@1-2,detect_s=3,copy=old+1:leave@1-2,detect_s=2,copy=old",
		  "1:leave@1-2,detect_s=2,copy=old+1:leave@1-2,detect_s=3,copy=old" },
		{ "1:leave@1e7+1:leave@0.1-0.30000000000000004",
		  "1:leave@0.1-0.30000000000000004+1:leave@1e7" },
	};

	for (size_t i = 0; i < sizeof(are) / sizeof(*are); i++) {
		faults_are(are[i].text, are[i].canonical);
		faults_are(are[i].canonical, are[i].canonical);
	}
}

static void spans_of_ranks_are_checked(void **state)
{
	static const struct {
		const char *text, *said;
	} bad[] = {
		{ "3-1:2", "ranks 3-1: the lower one stands first" },
		{ "8-16:2", "there is no rank 16 among 16 workers" },
		{ "1-:2", "expected none, or RANK:FACTOR" },
	};
	struct slow *slow;
	size_t n;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		capture_start();
		assert_int_equal(slow_parse(bad[i].text, WORKERS, &slow, &n), -1);
		capture_stop();
		assert_said(bad[i].said);
	}
	assert_near(slow_factor("0-3:2+8-15:4@1-2"), 4.0, 0.0);
	assert_near(slow_factor("0:3+1:2"), 3.0, 0.0);          /* the largest, not the last */
}

/* Whichever comes first: the text that stands for both must parse, too. */
static void order_decides_of_no_product(void **state)
{
	static const char *const texts[] = { "1:1e-6@5-6+1:1e9+1:1e9", "1:1e9+1:1e-6@5-6+1:1e9",
					     "1:1e9+1:1e9+1:1e-6@5-6" };
	struct slow *slow;
	size_t n;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		capture_start();
		assert_int_equal(slow_parse(texts[i], WORKERS, &slow, &n), -1);
		capture_stop();
		assert_said("multiply to more than 1e+12");
	}
	slow_is("1:1e9+1:1e9+1:1e-6", "1:1e-6+1:1e9+1:1e9");
}

RUN_ALL(ranks_are_digits, misspelt_words_name_the_nearest, numbers_are_decimal,
	equal_slowness_has_one_text, equal_faults_have_one_text, spans_of_ranks_are_checked,
	order_decides_of_no_product)
