/* check.c: the keys of a spec's sections that reports read; docs/specs.md says what they mean. */
#ifndef REPORT_KEYS_H
#define REPORT_KEYS_H

#include "core/file/json_keys.h"

extern const struct json_key report_published_keys[];
extern const struct json_key report_table_keys[];
extern const struct json_key report_plot_keys[];
extern const struct json_key report_claim_keys[], report_rule_keys[];
extern const struct json_key report_beats_keys[], report_within_keys[], report_no_later_keys[];
extern const struct json_key report_no_worse_keys[];
extern const struct json_key report_order_keys[], report_published_side_keys[];
extern const struct json_key report_criterion_keys[];
extern const struct json_key report_former_keys[];
extern const struct json_key report_paper_accuracy_keys[];

/* Sources of a plot's numbers; NULL-ended. */
extern const char *const report_froms[];

#endif
