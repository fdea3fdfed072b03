/*
 * presets.c - names for products of models, with the numbers of published studies.
 *
 * A preset is not a model: where its name is read, its models replace it.
 */
#include "delays/delay.h"

extern const struct delay delay_quiet, delay_shared, delay_bad_node;

const struct delay delay_quiet = {
	.plugin = { .name = "quiet", .brief = "preset: a dedicated cluster, noise alone",
		    .cite = "Step times of two public traces of ByteDance-Seed/StragglerAnalysis "
			    "have coefficients of variation of 0.45 % and 2.3 %; cv is their "
			    "geometric mean." },
	.stands_for = "gamma:cv=0.01",
};

/*
 * The least share s with 1 - (1 - s)^4 = 42/107 is 0.1172, and fast_s = slow_s (1 - s) / s. At any
 * moment 39 % of 4-node jobs are then in a slow phase, which costs 15.5 %.
 */
const struct delay delay_shared = {
	.plugin = { .name = "shared",
		    .brief = "preset: a shared cluster, whose machines have slow phases",
		    .cite = "Greyhound (ATC 2025; FALCON, arXiv 2410.12588): of 107 probes on 4 "
			    "shared nodes 42 met a slow network, for 24 min on average, and took "
			    "15.5 % longer; fast_s is such that 42 of 107 groups of 4 workers "
			    "have a slow one. Slow phases of 64 probes last from tens of seconds "
			    "to about 10 h: of 64 log-normal times of mean 35 min and cv 3, the "
			    "least and greatest are about 20 s and 7 h. A fifth of the slow jobs "
			    "on 512 GPUs or more lose over 50 %, with a mean of 34.6 %: depth_cv "
			    "1. static: equal GPUs of a cluster differ by 8 % on average and 22 "
			    "% at most (arXiv 2208.11035v3), a deviation of 3 to 8 %. gamma: the "
			    "larger cv of the preset quiet's source." },
	.stands_for = "gamma:cv=0.023 * static:cv=0.05 * phases:fast_s=10851,slow_s=1440,"
		      "slow_cv=3,depth=0.155,depth_cv=1",
};

const struct delay delay_bad_node = {
	.plugin = { .name = "bad-node",
		    .brief = "preset: a dedicated cluster with a few slow machines",
		    .cite = "MegaScale (NSDI 2024): 0.5 % of the machines are about 10 % slower. "
			    "gamma: as the preset quiet." },
	.stands_for = "gamma:cv=0.01 * static:cv=0,bad=0.005,bad_factor=1.1",
};
