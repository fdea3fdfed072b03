/* Rules that compare runs: verdicts with intervals, for claims as data and for filters in jq. */
#ifndef REPORT_CLAIMS_RULE_H
#define REPORT_CLAIMS_RULE_H

#include "core/math/look_plan.h"

#include <jv.h>
#include <stdbool.h>

#define RULE_LEVEL 0.05 /* of intervals, unless a plan of looks has another one: 95 % */

extern const struct look_levels rule_levels;    /* both RULE_LEVEL */

/*
 * Sets the levels of the intervals from now on, in this process and those that it forks: an
 * interval misses the true difference with this probability. `paired`: sides with the same seeds
 * are compared by the differences of the runs of each seed.
 */
void rule_set_way(struct look_levels level, bool paired);

/*
 * The answer of a rule to its arguments, a list; an invalid value with a message where there is
 * none. Takes the arguments over.
 *
 *	beats     [MEASURE, A, B]            A's mean is better than B's
 *	within    [MEASURE, A, B, DISTANCE]  the means differ by no more
 *	no_worse  [MEASURE, A, B, MARGIN]    A's mean is worse than B's by no more
 *	no_later  [MEASURE, A, B]            time_to:..., or null for the best accuracy of all runs
 *	all_of    [VERDICT...]               every one holds
 *	any_of    [VERDICT...]               some one holds
 *	target    [MEASURE, RUN]             how far the run went until it met time_to:... or so
 *	label     [RUN]                      the run's point in words, without its seed
 *
 * A and B are lists of runs that differ in the seed alone, or of one number or object {"published",
 * "same_images", "error"}. The first four give what contrast_json() writes, with the "verdict"
 * "holds", "fails", "undecided" or "not evaluated". docs/specs.md has the rules.
 */
jv rule_answer(const char *rule, jv arguments);

#endif
