/* Verdicts with intervals, for the filters of claims. */
#ifndef REPORT_CLAIMS_DECIDE_H
#define REPORT_CLAIMS_DECIDE_H

/*
 * jq functions over run objects, in the order in which they are compiled. beats(a; b),
 * within(a; b; points) and no_later(a; b) take two streams or lists of runs that differ in the
 * seed alone (or a number), all_of(v) and any_of(v) a stream of their verdicts. Each gives
 * {"verdict": "holds"|"fails"|"undecided", "rule", "measure", "difference", "interval": [low,
 * high], "seeds", "of", "why"}, or null where a side has no runs. by_run(runs; f) gives figures by
 * the name of their run. docs/specs.md has the rules.
 */
extern const char decide_student_filters[], decide_sample_filters[], decide_rule_filters[];

#endif
