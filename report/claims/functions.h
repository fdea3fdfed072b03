/* Functions in jq that the filters of claims may call; decide.h has those that give verdicts. */
#ifndef REPORT_CLAIMS_FUNCTIONS_H
#define REPORT_CLAIMS_FUNCTIONS_H

/*
 * What filters of claims may call: `[runs] | mean_of(f)` and `mean_of(runs; f)`, the mean of f
 * over runs, as a table's cell has it: what is null is left out, one infinite value makes it
 * infinite, and so does the loss of a run that diverged; its accuracy makes it -infinite. Null
 * where no run has a number.
 */
extern const char means_filters[];

/*
 * What filters of claims may call on their whole input: tuned(METHOD; SETTING), the value that was
 * chosen, and at_edge(METHOD; SETTING), whether it is the least or the greatest of its grid. Where
 * tuning has chosen the first of equal points and $_judging is true, the verdict is "undecided":
 * they raise an error() with it.
 */
extern const char tuned_filters[];

/*
 * jq's own <, >, <=, >=, min, max, min_by, max_by, sort_by, unique_by, add, all and any, and
 * mean_of(), for the filters themselves, compiled after all other functions. In jq null is less
 * than any number, and all of nothing holds; here a side that is null, or nothing to look at, is an
 * error where $_judging is true. Of equal values, be they infinite, those with _by take the last
 * instead of the first, or the first instead of the last, where $_turn is true. The program must
 * bind both.
 */
extern const char strict_filters[];

/* ---- verdicts with intervals ---- */

/*
 * jq functions over run objects, in the order in which they are compiled. beats(a; b),
 * within(a; b; points) and no_later(a; b) take two streams or lists of runs that differ in the
 * seed alone (or a number), all_of(v) and any_of(v) a stream of their verdicts. Each gives
 * {"verdict": "holds"|"fails"|"undecided", "rule", "measure", "difference", "interval": [low,
 * high], "seeds", "of", "why"}; no_later(a; b) of runs without an accuracy {"verdict":
 * "not evaluated", "rule", "why"}. A side without runs is an error. by_run(runs; f)
 * gives figures by the name of their run.
 * docs/specs.md has the rules.
 */
extern const char decide_student_filters[], decide_sample_filters[], decide_rule_filters[];

#endif
