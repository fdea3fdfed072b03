/* Typed options: every type parsed and printed, refusals, advice, help. */
#include "core/base/mem.h"
#include "core/text/opt.h"
#include "core/text/opt_text.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct conf {
	bool fast;
	int64_t bound;
	double rate;
	char *dir;
	int mode;
	struct opt_doubles steps;
};

static const char *const modes[] = { "ring", "full-mesh", NULL };

static const struct opt opts[] = {
	{ .name = "fast", OPT_AT(BOOL, struct conf, fast),
	  .help = "no brakes" },
	{ .name = "max-bound", OPT_AT(INT, struct conf, bound),
	  .def = "4", .help = "steps ahead", .arg = "N", .min = 1, .max = 1e6 },
	{ .name = "rate", OPT_AT(DOUBLE, struct conf, rate), .def = "0.1",
	  .help = "learning rate", .arg = "X", .min = 0, .max = HUGE_VAL },
	{ .name = "dir", OPT_AT(STRING, struct conf, dir), .def = "here",
	  .help = "a folder that is made when it is not there yet, with all above it",
	  .arg = "PATH" },
	{ .name = "mode", OPT_AT(ENUM, struct conf, mode), .def = "ring",
	  .help = "who speaks", .choices = modes },
	{ .name = "steps", OPT_AT(DOUBLES, struct conf, steps),
	  .def = "1/2.5", .help = "when", .flags = OPT_HIDDEN, .min = 0, .max = 9 },
	{ 0 },
};

static const struct plugin ssp = { .name = "ssp", .opts = opts, .conf_size = sizeof(struct conf) };
static const struct plugin asgd = { .name = "asgd" };
static const struct plugin *const table[] = { &ssp, &asgd, NULL };

/* A number in an int: its default, its bounds, its text. */
static void a_small_number_may_be_an_int(void **state)
{
	struct small { int before, n, after; } conf = { 1, 2, 3 };
	static const struct opt small[] = {
		{ .name = "n", OPT_AT(INT32, struct small, n), .def = "7", .arg = "N",
		  .min = 0, .max = 1 << 20 }, { 0 }
	};
	char *text;

	opt_init(small, &conf);
	assert_int_equal(conf.n, 7);
	assert_int_equal(opt_parse(small, &conf, "n=1e6", "net"), 0);
	assert_int_equal(conf.n, 1000000);
	assert_int_equal(conf.before + conf.after, 4);
	text = opt_format(small, &conf);
	assert_string_equal(text, "1000000");
	free(text);
	capture_start();
	assert_int_equal(opt_parse(small, &conf, "n=4e6", "net"), -1);
	capture_stop();
	assert_said("net: n must be a whole number, from 0 to 1048576, not '4e6'");
}

/* A choice whose first word is false takes what a bool takes: true is the second word. */
static void a_choice_may_be_a_switch(void **state)
{
	static const char *const words[] = { "false", "pairs", "eager", NULL };
	static const struct opt by_word[] = {
		{ .name = "steps", .type = OPT_ENUM, .def = "false", .choices = words }, { 0 }
	};
	int steps;

	opt_init(by_word, &steps);
	assert_int_equal(steps, 0);
	assert_int_equal(opt_parse(by_word, &steps, "steps", "ring"), 0);
	assert_int_equal(steps, 1);
	assert_int_equal(opt_parse(by_word, &steps, "steps=eager", "ring"), 0);
	assert_int_equal(steps, 2);
	assert_int_equal(opt_parse(by_word, &steps, "steps=no", "ring"), 0);
	assert_int_equal(steps, 0);
	assert_int_equal(opt_parse(by_word, &steps, "steps=yes", "ring"), 0);
	assert_int_equal(steps, 1);
}

/* What opt_set() says when it refuses. */
static const char *refusal(const char *key, const char *value)
{
	struct conf c;

	opt_init(opts, &c);
	capture_start();
	assert_int_equal(opt_set(opts, &c, key, value, "--algo ssp"), -1);
	capture_stop();
	opt_release(opts, &c);
	return capture_text();
}

static void test_defaults(void **state)
{
	struct conf c;

	memset(&c, 0xff, sizeof c);
	opt_init(opts, &c);
	assert_false(c.fast);
	assert_int_equal(c.bound, 4);
	assert_true(c.rate == 0.1);
	assert_string_equal(c.dir, "here");
	assert_int_equal(c.mode, 0);
	assert_int_equal(c.steps.n, 2);
	assert_true(c.steps.v[1] == 2.5);
	opt_release(opts, &c);
	assert_null(c.dir);
	opt_init(NULL, &c);
}

static void test_parse_sets_every_type(void **state)
{
	struct conf c;

	opt_init(opts, &c);
	assert_int_equal(opt_parse(opts, &c, "fast,max_bound=50k,rate=inf,dir=a:b\\,c\\\\,"
					     "mode=full_mesh,steps=3", "x"), 0);
	assert_true(c.fast);
	assert_int_equal(c.bound, 50000);
	assert_true(isinf(c.rate));
	assert_string_equal(c.dir, "a:b,c\\");
	assert_int_equal(c.mode, 1);
	assert_int_equal(c.steps.n, 1);
	assert_int_equal(opt_parse(opts, &c, "dir=,steps=,fast=off", "x"), 0);
	assert_null(c.dir);
	assert_int_equal(c.steps.n, 0);
	assert_false(c.fast);
	opt_release(opts, &c);
}

static void test_whole_numbers(void **state)
{
	static const struct {
		const char *text;
		int64_t value;
	} good[] = { { "12", 12 }, { "1e6", 1000000 }, { "2.5k", 2500 }, { "1.001M", 1001000 },
		     { "-3", -3 }, { "2G", 2000000000 }, { "+7", 7 },
		     { "9223372036854775807", INT64_MAX } };
	static const char *const bad[] = { "", " 1", "1 ", "1.5", "k", "1kk", "0x10", "inf",
					   "nan", "1e99", "9223372036854775808", "--1", "1e-3" };
	static const struct opt any[] = { { .name = "n", .type = OPT_INT }, { 0 } };
	int64_t n;

	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		assert_int_equal(opt_set(any, &n, "n", good[i].text, "x"), 0);
		assert_int_equal(n, good[i].value);
	}
	capture_start();
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(opt_set(any, &n, "n", bad[i], "x"), -1);
	capture_stop();
	assert_int_equal(n, INT64_MAX);
}

static void test_refusals_name_the_unit(void **state)
{
	static const struct opt units[] = {
		{ .name = "pause", .type = OPT_DOUBLE, .arg = "SECONDS", .max = 9 },
		{ .name = "size", .type = OPT_INT, .arg = "BYTES" },
		{ .name = "tag", .type = OPT_BOOL, .arg = "SECONDS" },
		{ 0 },
	};
	int64_t field = 0;

	capture_start();
	assert_int_equal(opt_set(units, &field, "pause", "10Hz", "x"), -1);
	assert_int_equal(opt_set(units, &field, "size", "1kb", "x"), -1);
	assert_int_equal(opt_set(units, &field, "tag", "2", "x"), -1);
	capture_stop();
	assert_string_equal(capture_text(),
			    "error: x: pause must be a number of seconds, from 0 to 9, not '10Hz': "
			    "unknown unit 'Hz'; expected a time, such as 0.64, 640ms or 3h\n"
			    "error: x: size must be a whole number of bytes, not '1kb': 'kb' is "
			    "bits, and a size is in bytes; expected kB or, if bits are meant, an "
			    "eighth of it\n"
			    "error: x: tag must be true or false, not '2'\n");
}

static void test_refusals_name_option_value_and_choice(void **state)
{
	static const struct {
		const char *key, *value, *said;
	} bad[] = {
		{ "max-bound", "0", "max-bound must be a whole number, from 1 to 1e6, not '0'" },
		{ "rate", "-1", "rate must be a number, at least 0, not '-1'" },
		{ "rate", "nan", "rate must be a number, at least 0, not 'nan'" },
		{ "rate", "1e999", "rate must be a number, at least 0, not '1e999'" },
		{ "rate", NULL, "rate needs a value: rate=X" },
		{ "steps", "1/10",
		  "steps must be numbers separated by '/', from 0 to 9, not '1/10'" },
		{ "steps", "1//2",
		  "steps must be numbers separated by '/', from 0 to 9, not '1//2'" },
		{ "fast", "maybe", "fast must be true or false, not 'maybe'" },
		{ "mode", "rnig",
		  "mode cannot be 'rnig'; did you mean 'ring'? Known: ring, full-mesh" },
		{ "maxbuond", "1", "unknown option 'maxbuond'; did you mean 'max-bound'? "
				   "Known: fast, max-bound, rate, dir, mode" },
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		char *expected = xasprintf("error: --algo ssp: %s\n", bad[i].said);

		assert_string_equal(refusal(bad[i].key, bad[i].value), expected);
		free(expected);
	}
}

static void test_a_refused_value_changes_nothing(void **state)
{
	struct conf c;

	opt_init(opts, &c);
	capture_start();
	assert_int_equal(opt_set(opts, &c, "steps", "1/99", "x"), -1);
	assert_int_equal(opt_set(opts, &c, "fast", "x", "x"), -1);
	capture_stop();
	assert_int_equal(c.steps.n, 2);
	opt_release(opts, &c);
}

static void test_doubles_are_short_and_exact(void **state)
{
	static const struct {
		double value;
		const char *text;
	} known[] = { { 0.1, "0.1" }, { 100, "100" }, { 1e6, "1e6" }, { 1.25e10, "1.25e10" },
		      { 1e-5, "1e-5" }, { 1.0 / 3, "0.3333333333333333" }, { HUGE_VAL, "inf" },
		      { -HUGE_VAL, "-inf" }, { 1e300, "1e300" }, { 1e-10, "1e-10" },
		      { 1234567, "1234567" }, { 0, "0" } };
	static const struct opt any = { .name = "d", .type = OPT_DOUBLE };
	uint64_t bits = 12345;

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		char *text = opt_format(&any, &known[i].value);

		assert_string_equal(text, known[i].text);
		free(text);
	}
	for (int i = 0; i < 20000; i++) {
		const struct opt list[] = { any, { 0 } };
		double d, back;
		char *text;

		bits = bits * 6364136223846793005u + 1442695040888963407u;
		memcpy(&d, &bits, sizeof d);
		if (isnan(d))
			continue;
		text = opt_format(&any, &d);
		assert_int_equal(opt_set(list, &back, "d", text, "x"), 0);
		assert_memory_equal(&d, &back, sizeof d);
		free(text);
	}
}

static void test_choice_round_trip(void **state)
{
	struct choice c = { 0 }, again = { 0 };
	char *text, *twice;

	assert_int_equal(choice_parse(&c, table, "algorithm", "ssp:dir=a\\,b\\\\,steps=0.1/3"), 0);
	text = choice_format(&c);
	assert_string_equal(text, "ssp:fast=false,max-bound=4,rate=0.1,dir=a\\,b\\\\,mode=ring,"
				  "steps=0.1/3");
	assert_int_equal(choice_parse(&again, table, "algorithm", text), 0);
	twice = choice_format(&again);
	assert_string_equal(text, twice);
	assert_string_equal(((struct conf *)again.conf)->dir, "a,b\\");
	free(text);
	free(twice);
	choice_release(&c);
	choice_release(&again);
	assert_null(c.plugin);
}

static void test_choice_replaces_or_keeps(void **state)
{
	struct choice c = { 0 };
	char *text;

	assert_int_equal(choice_parse(&c, table, "algorithm", "ssp"), 0);
	capture_start();
	assert_int_equal(choice_parse(&c, table, "algorithm", "sps"), -1);
	assert_string_equal(capture_text(), "error: unknown algorithm 'sps'; did you mean 'ssp'? "
					    "Known: ssp, asgd\n");
	capture_start();
	assert_int_equal(choice_parse(&c, table, "algorithm", "asgd:lr=1"), -1);
	assert_string_equal(capture_text(), "error: algorithm asgd: unknown option 'lr'; "
					    "it takes no options\n");
	capture_stop();
	assert_ptr_equal(c.plugin, &ssp);
	assert_int_equal(choice_parse(&c, table, "algorithm", "asgd"), 0);
	text = choice_format(&c);
	assert_string_equal(text, "asgd");
	free(text);
	choice_release(&c);
}

static void test_nearest_word(void **state)
{
	static const char *const words[] = { "allreduce", "asgd", "d-psgd", "ad-psgd",
					     "convergence", NULL };
	static const char *const none[] = { NULL };
	char huge[5000];

	memset(huge, 'a', sizeof huge - 1);
	huge[sizeof huge - 1] = '\0';
	assert_string_equal(nearest_word("asdg", words), "asgd");
	assert_string_equal(nearest_word("all_reduce", words), "allreduce");
	assert_string_equal(nearest_word("AD_PSGD", words), "ad-psgd");
	assert_string_equal(nearest_word("dpsgd", words), "d-psgd");
	assert_string_equal(nearest_word("conv", words), "convergence");
	assert_string_equal(nearest_word("allreduce-ring", words), "allreduce");
	assert_null(nearest_word("banana", words));
	assert_null(nearest_word("ssp", words));
	assert_null(nearest_word("a-s-p-g-d", words));
	assert_string_equal(nearest_word("fare", (const char *const[]){ "fair", NULL }), "fair");
	assert_null(nearest_word("model", (const char *const[]){ "codec", NULL }));
	assert_null(nearest_word("lerning", (const char *const[]){ "lowering", NULL }));
	assert_string_equal(nearest_word("accuracy", (const char *const[]){ "test_accuracy",
			    NULL }), "test_accuracy");
	assert_null(nearest_word("racy", (const char *const[]){ "test_accuracy", NULL }));
	assert_null(nearest_word("text", (const char *const[]){ "net", NULL }));
	assert_null(nearest_word("", words));
	assert_null(nearest_word(huge, words));
	assert_null(nearest_word("x", none));
}

static void a_run_has_what_is_named_of_a_setting(void **state)
{
	static const char file[] = "./p.c@0123456789abcdef:power=0.5,at=2";
	static const char *const agree[][2] = {
		{ "0.10", "0.1" }, { "asgd", "asgd" }, { "ssp", "ssp:bound=4" },
		{ "ssp:bound=4.0", "ssp:dir=a\\,b,bound=4" },
		{ "ssp:dir=a\\,b", "ssp:dir=a\\,b,bound=4" }, { "./p.c", file },
		{ "./p.c:power=.5", file }, { "./p.c@0123456789abcdef:at=2", file },
	}, *const differ[][2] = {
		{ "0.1", "0.2" }, { "ssp:bound=3", "ssp:bound=4" }, { "ss", "ssp:bound=4" },
		{ "ssp:bound=4", "ssp" }, { "ssp:b", "ssp:dir=a\\,b,bound=4" }, { "./p", file },
		{ "./p.c:power=1", file }, { "./p.c@1123456789abcdef", file },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(agree) / sizeof(agree[0]); i++)
		assert_true(setting_agrees(agree[i][0], agree[i][1]));
	for (size_t i = 0; i < sizeof(differ) / sizeof(differ[0]); i++)
		assert_false(setting_agrees(differ[i][0], differ[i][1]));
}

static void test_help(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	opt_help(opts, "  ", f);
	fclose(f);
	assert_non_null(strstr(text, "  max-bound N           steps ahead; from 1 to 1e6 [4]"));
	assert_non_null(strstr(text, "  dir PATH              a folder that is made when it "
				     "is not there yet, with all\n"
				     "                        above it [here]\n"));
	assert_non_null(strstr(text, "who speaks: ring, full-mesh [ring]\n"));
	assert_null(strstr(text, "steps when"));
	free(text);
}

RUN_ALL(a_choice_may_be_a_switch, a_small_number_may_be_an_int, test_defaults,
	test_parse_sets_every_type, test_whole_numbers,
	test_refusals_name_the_unit, test_refusals_name_option_value_and_choice,
	test_a_refused_value_changes_nothing, test_doubles_are_short_and_exact,
	test_choice_round_trip, test_choice_replaces_or_keeps, test_nearest_word,
	a_run_has_what_is_named_of_a_setting, test_help)
