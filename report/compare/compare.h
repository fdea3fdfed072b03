/* Two results side by side. */
#ifndef REPORT_COMPARE_COMPARE_H
#define REPORT_COMPARE_COMPARE_H

#include "core/base/mem.h"
#include "core/math/statistics.h"
#include "report/table/table.h"

struct compared {               /* one of the two */
	const char *name;
	const struct results *runs;
};

struct measure_pair {
	const char *measure;
	struct table_cell a, b;       /* means, without published numbers */
	double difference, ratio;       /* b - a, b / a; NaN: none */
	struct interval interval;       /* Welch's of b - a, at 95 % */
};

struct run_pair {               /* runs of both that differ only in the seed */
	char *runs;             /* the settings that tell them from others; owned */
	struct measure_pair *measure;   /* [n] */
	size_t n;
};

struct setting_pair {           /* of one value in all runs of a, and another in all of b */
	char *setting, *a, *b;  /* owned */
};

struct comparison {                     /* all owned, but for the names */
	const char *a, *b;
	struct setting_pair *setting;   /* [nsettings] */
	struct run_pair *pair;          /* [npairs] */
	size_t nsettings, npairs;
	bool apart;                     /* other settings differ, in some runs */
	struct texts only_a, only_b;    /* runs without a partner */
};

/*
 * Runs that differ only in the seed are one. A setting that is one value in all runs of a and
 * another in all of b is listed, and does not keep runs from being paired; the others must agree,
 * unless one group of runs is left on either side. There is no interval where runs of either
 * diverged. `measures` is NULL-ended and must outlive it; NULL: the usual ones.
 */
struct comparison results_compare(const struct compared *a, const struct compared *b,
				  const char *const *measures);
void compare_release(struct comparison *c);

/*
 * {"a","b": names, "settings": [{"setting","a","b"}], "pairs": [{"runs": text, "measures":
 * [{"measure","label","a","b": {"mean","deviation","n","runs","reached","diverged"},"difference",
 * "ratio","interval": [low,high],"beyond_seeds": true|false|null}]}], "only_a","only_b": [text]}.
 * What "a" and "b" have is as in a table's cell; "beyond_seeds": the interval leaves out 0.
 */
cJSON *comparison_json(const struct comparison *c);

/* A grid a pair; JSON; or CSV, a line per measure of a pair: keys, and numbers with all digits. */
void compare_print(const struct comparison *c, enum table_format format, FILE *out);

#endif
