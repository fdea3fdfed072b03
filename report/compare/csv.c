/* A comparison as CSV: a line per measure of a pair, keys and numbers as they are. */
#include "report/compare/compare.h"

#include "core/file/json.h"
#include "report/text/csv.h"
#include "report/text/escape.h"

static void put_side(const cJSON *side, FILE *out)
{
	csv_member(side, "mean", out);
	csv_member(side, "deviation", out);
	csv_member(side, "n", out);
}

static void csv_put_line(const char *runs, const cJSON *measure, FILE *out)
{
	const cJSON *a = json_get(measure, "a");
	const cJSON *b = json_get(measure, "b");
	const cJSON *interval = json_get(measure, "interval");

	escape_csv(runs, out);
	csv_member(measure, "measure", out);
	put_side(a, out);
	put_side(b, out);
	csv_member(measure, "difference", out);
	csv_member(measure, "ratio", out);
	for (int i = 0; i < 2; i++) {
		putc(',', out);
		csv_value(cJSON_GetArrayItem(interval, i), out);
	}
	csv_member(measure, "beyond_seeds", out);
	csv_member(a, "diverged", out);
	csv_member(b, "diverged", out);
	putc('\n', out);
}

void compare_print_csv(const cJSON *comparison, FILE *out)
{
	const cJSON *pair, *measure;

	fputs("runs,measure,a_measured,a_deviation,a_n,b_measured,b_deviation,b_n,difference,ratio,"
	      "interval_low,interval_high,beyond_seeds,a_diverged,b_diverged\n", out);
	cJSON_ArrayForEach(pair, json_get(comparison, "pairs"))
		cJSON_ArrayForEach(measure, json_get(pair, "measures"))
			csv_put_line(json_word(pair, "runs"), measure, out);
}
