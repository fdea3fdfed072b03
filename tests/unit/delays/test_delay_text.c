/* The grammar of --delay: who has which models, back to text, and what is refused. */
#include "delays/delay.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

/* Constant factors are profiles of one step. */
#define TIMES(n) "profile:at_s=0,factor=" #n

static void has_factors(const char *text, int workers, const double *factor)
{
	struct delays *d = delays_new(delay_table, text, workers, NULL);

	assert_non_null(d);
	for (int i = 0; i < workers; i++)
		assert_near(delays_factor(d, 1, i, 0, 1.0), factor[i], 1e-12);
	delays_free(d);
}

static void the_last_clause_decides(void **state)
{
	has_factors(TIMES(2), 3, (double[]){ 2, 2, 2 });
	has_factors("all: " TIMES(2), 3, (double[]){ 2, 2, 2 });
	has_factors("1: " TIMES(2), 3, (double[]){ 1, 2, 1 });
	has_factors(TIMES(2) "; 1: " TIMES(5), 3, (double[]){ 2, 5, 2 });
	has_factors(TIMES(2) ";0-2:" TIMES(3) ";1:" TIMES(5), 4, (double[]){ 3, 5, 3, 2 });
	has_factors("0, 2 - 3 : " TIMES(7), 4, (double[]){ 7, 1, 7, 7 });
}

static void stars_multiply(void **state)
{
	has_factors(TIMES(2) " * " TIMES(3), 2, (double[]){ 6, 6 });
	has_factors(TIMES(2) "; 0: * " TIMES(3), 2, (double[]){ 6, 2 });
	has_factors("0: * " TIMES(3), 2, (double[]){ 3, 1 });
	has_factors(TIMES(2) "; 0: " TIMES(5) "; * " TIMES(3), 2, (double[]){ 15, 6 });
	has_factors(TIMES(2) "; 0-1: * " TIMES(3) "*" TIMES(7) "; 1: " TIMES(5), 3,
		    (double[]){ 42, 5, 2 });
}

static void is_formatted(const char *text, const char *want)
{
	struct delays *d = delays_new(delay_table, text, 8, NULL), *again;
	char *got = delays_format(d), *twice;

	assert_string_equal(got, want);
	again = delays_new(delay_table, got, 8, NULL);
	twice = delays_format(again);
	assert_string_equal(twice, want);
	free(got);
	free(twice);
	delays_free(d);
	delays_free(again);
}

static void texts_come_back(void **state)
{
	is_formatted("gamma", "gamma:cv=0.1");
	is_formatted(" all : gamma ", "gamma:cv=0.1");
	is_formatted("gamma;0,4-7 :uniform*constant", "gamma:cv=0.1; 0,4-7: uniform:spread=0.5 * "
		     "constant");
	is_formatted("gamma; 3 - 3:*constant", "gamma:cv=0.1; 3: * constant");
}

static void is_refused(const char *text, const char *says)
{
	capture_start();
	assert_null(delays_new(delay_table, text, 8, NULL));
	if (!strstr(capture_text(), says))
		fail_msg("'%s': '%s' does not say '%s'", text, capture_text(), says);
	capture_stop();
}

static void mistakes_are_named(void **state)
{
	is_refused("", "a clause without a model");
	is_refused("gamma;", "a clause without a model");
	is_refused("0:", "a clause without a model");
	is_refused("gamma *", "a model is missing next to '*'");
	is_refused("gamma ** gamma", "a model is missing next to '*'");
	is_refused("8: gamma", "there is no rank 8 among 8 workers (ranks are 0 to 7)");
	is_refused("5-3: gamma", "did you mean 3-5?");
	is_refused("0 gamma", "expected ranks before ':'");
	is_refused("0,: gamma", "expected ranks before ':'");
	is_refused("0-: gamma", "expected ranks before ':'");
	is_refused("99999999999: gamma", "expected ranks before ':'");
	is_refused("gama", "unknown delay model 'gama'; did you mean 'gamma'?");
	is_refused("4-7: gamma:vc=1", "delay model of 4-7: gamma: unknown option 'vc'; did you "
		   "mean 'cv'?");
	is_refused("gamma; constant", "what is for all workers stands first");
	is_refused("3: pareto:alpha=1", "delay model of 3: pareto: alpha = 1: the "
		   "distribution has a mean only for alpha > 1");
	is_refused("markov:slow_s=-1", "slow_s must be a number");
	is_refused("periodic:period_s=1,slow_s=2", "slow_s = 2 is more than a period");
	is_refused("profile:at_s=1/1,factor=2/3", "times must ascend");
	is_refused("profile:at_s=-1,factor=2", "times must ascend from 0");
	is_refused("profile:at_s=1/2,factor=2", "2 times and 1 factors");
	is_refused("profile:at_s=1,factor=inf", "a gradient would never end");
	is_refused("profile:at_s=1,factor=0", "a gradient would never end");
	is_refused("profile:at_s=1/9,factor=2/1,period_s=9", "never gets to its last change");
	is_refused("profile:at_s=,factor=", "no times");
	is_refused("normal:from=2,to=1", "from = 2 must be less than to = 1");
	is_refused("normal:cv=0.1,from=3", "less than 0.01 of the distribution");
	is_refused("empirical", "no file is named. Give empirical:file=PATH");
	is_refused("empirical:file=x", "no files are read here");
}

RUN_ALL(the_last_clause_decides, stars_multiply, texts_come_back, mistakes_are_named)
