/* The tables of keys of a spec's tables, plots and claims that reports read. */
#include "report/keys.h"

#include <stddef.h>

const struct json_key report_published_keys[] = {
	{ "source", JSON_TEXT, true, "where the numbers stand", NULL },
	{ "cells", JSON_OWN, false, "settings, and the measures published for them", "cells" },
	{ "calculated", JSON_BOOL, false, "the paper defines the numbers, but does not print them",
	  NULL },
	{ NULL, JSON_OWN, false, NULL, NULL }
};

const struct json_key report_table_keys[] = {
	{ "name", JSON_TEXT, true, "of the table's files", "name" },
	{ "title", JSON_TEXT, false, "above the table", NULL },
	{ "title_says", JSON_TEXTS, false, "settings whose values the title says in words",
	  "words" },
	{ "rows", JSON_TEXTS, true, "settings whose values are the rows", "words" },
	{ "columns", JSON_TEXTS, false, "settings whose values are the columns", "words" },
	{ "values", JSON_TEXTS, true, "measures in the cells", "words" },
	{ "labels", JSON_OWN, false, "values and measures in other words", "labels" },
	{ "notes", JSON_LINES, false, "lines below the table", NULL },
	{ "where", JSON_OWN, false, "only runs of these settings", "where" },
	{ NULL, JSON_OWN, false, NULL, NULL }
};

const struct json_key report_plot_keys[] = {
	{ "name", JSON_TEXT, true, "of the plot's files", "name" },
	{ "title", JSON_TEXT, false, "above the plot", NULL },
	{ "title_says", JSON_TEXTS, false, "settings whose values the title says in words",
	  "words" },
	{ "from", JSON_TEXT, true, "a point a run, or a curve of it", "from" },
	{ "x", JSON_TEXT, true, "across: a setting or measure, or a column of the curve", "axis" },
	{ "y", JSON_TEXTS, true, "up: a setting or measure, or a column of the curve; several: a "
	  "plot for each", "axes" },
	{ "series", JSON_TEXTS, false, "settings whose values are lines of their own", "words" },
	{ "xlabel", JSON_TEXT, false, "along the x axis", NULL },
	{ "ylabel", JSON_TEXT, false, "along the y axis", NULL },
	{ "logx", JSON_BOOL, false, "a logarithmic x axis", NULL },
	{ "logy", JSON_BOOL, false, "a logarithmic y axis", NULL },
	{ "labels", JSON_OWN, false, "values and measures in other words", "labels" },
	{ "where", JSON_OWN, false, "only runs of these settings", "where" },
	{ "published", JSON_BOOL, false, "draws what was published too", NULL },
	{ NULL, JSON_OWN, false, NULL, NULL }
};

#define RULE_KEYS \
	{ "beats", JSON_OWN, false, "instead of jq: the mean of a is better than that of b", \
	  "beats" }, \
	{ "within", JSON_OWN, false, "instead of jq: the means differ by no more than a distance", \
	  "within" }, \
	{ "no_later", JSON_OWN, false, "instead of jq: a needs no more time to a target than b", \
	  "no_later" }, \
	{ "order", JSON_OWN, false, "instead of jq: each side is better than the next", "order" }, \
	{ "all_of", JSON_OWN, false, "instead of jq: every one of these rules holds", "rules" }, \
	{ "any_of", JSON_OWN, false, "instead of jq: one of these rules holds", "rules" }

const struct json_key report_rule_keys[] = {
	RULE_KEYS,
	{ NULL, JSON_OWN, false, NULL, NULL }
};

#define SIDE_KEYS \
	{ "a", JSON_OWN, true, "the settings of its runs, or a number", "side" }, \
	{ "b", JSON_OWN, true, "the same of the other side", "side" }
#define MEASURE_KEY \
	{ "measure", JSON_TEXT, false, "what is compared; test_accuracy by default", "word" }

const struct json_key report_beats_keys[] = {
	SIDE_KEYS, MEASURE_KEY, { NULL, JSON_OWN, false, NULL, NULL }
};

const struct json_key report_within_keys[] = {
	SIDE_KEYS, MEASURE_KEY,
	{ "distance", JSON_AMOUNT, true, "of the means; of accuracies in percentage points", NULL },
	{ NULL, JSON_OWN, false, NULL, NULL }
};

const struct json_key report_no_later_keys[] = {
	SIDE_KEYS,
	{ "target", JSON_TEXT, false, "such as test_accuracy>=0.8; by default the best accuracy "
	  "that all runs reach", NULL },
	{ NULL, JSON_OWN, false, NULL, NULL }
};

const struct json_key report_order_keys[] = {
	{ "of", JSON_OWN, true, "sides, the best first", "sides" }, MEASURE_KEY,
	{ NULL, JSON_OWN, false, NULL, NULL }
};

const struct json_key report_claim_keys[] = {
	{ "says", JSON_TEXT, true, "the claim in words", NULL },
	{ "kind", JSON_TEXT, true, "source: the paper, in which way, or this experiment",
	  "kind" },
	{ "where", JSON_TEXT, false, "the section, table or figure of the paper", NULL },
	{ "quote", JSON_TEXT, false, "the paper's own words", NULL },
	{ "criterion", JSON_OWN, false, "when the criterion was set, and what it was before",
	  "criterion" },
	{ "jq", JSON_TEXT, false, "a jq filter over the runs that gives a verdict, true or false",
	  NULL },
	RULE_KEYS,
	{ "only_at", JSON_TEXTS, false, "scales at which the claim is judged", NULL },
	{ "not_at", JSON_TEXTS, false, "scales at which the claim is not judged", NULL },
	{ "learnt", JSON_BOOL, false, "whether it is about what training makes", NULL },
	{ "timed", JSON_BOOL, false, "whether it is about real times", NULL },
	{ "shows", JSON_TEXT, false, "a jq filter of the numbers that the verdict rests on", NULL },
	{ "quantity", JSON_TEXT, false, "what these numbers are, with their unit", NULL },
	{ NULL, JSON_OWN, false, NULL, NULL }
};

const struct json_key report_criterion_keys[] = {
	{ "since", JSON_TEXT, true, "the day on which it was set, such as 2024-01-31", "date" },
	{ "was", JSON_OWN, false, "former criteria, the oldest first", "formers" },
	{ NULL, JSON_OWN, false, NULL, NULL }
};

const struct json_key report_former_keys[] = {
	{ "says", JSON_TEXT, true, "the former criterion in words", NULL },
	{ "since", JSON_TEXT, true, "the day on which it was set", "date" },
	{ "verdict", JSON_TEXT, true, "what it gave", "former_verdict" },
	{ NULL, JSON_OWN, false, NULL, NULL }
};

const struct json_key report_paper_accuracy_keys[] = {
	{ "value", JSON_AMOUNT, true, "test accuracy of the paper's baseline, 0 to 1", NULL },
	{ "source", JSON_TEXT, true, "where it stands", NULL },
	{ NULL, JSON_OWN, false, NULL, NULL }
};

const char *const report_froms[] = { "runs", "train", "eval", "staleness", NULL };
