#include "report/keys.h"

#include <stddef.h>

const struct json_key report_published_keys[] = {
	{ "source", JSON_TEXT, true, "where the numbers stand", NULL },
	{ "cells", JSON_OWN, false, "settings, and the measures published for them", "cells" },
	{ NULL, JSON_OWN, false, NULL, NULL }
};

const struct json_key report_table_keys[] = {
	{ "name", JSON_TEXT, true, "of the table's files", "name" },
	{ "title", JSON_TEXT, false, "above the table", NULL },
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
	{ "from", JSON_TEXT, true, "a point a run, or a curve of it", "from" },
	{ "x", JSON_TEXT, true, "across: a setting or measure, or a column of the curve", "axis" },
	{ "y", JSON_TEXT, true, "up: a setting or measure, or a column of the curve", "axis" },
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

const struct json_key report_claim_keys[] = {
	{ "says", JSON_TEXT, true, "the claim in words", NULL },
	{ "where", JSON_TEXT, false, "where the paper says so", NULL },
	{ "jq", JSON_TEXT, true, "a jq filter over the runs that gives true where it holds", NULL },
	{ "shows", JSON_TEXT, false, "a jq filter that gives the figures it is judged on", NULL },
	{ NULL, JSON_OWN, false, NULL, NULL }
};

const char *const report_froms[] = { "runs", "train", "eval", "staleness", NULL };
