/* Tables: means over seeds, published numbers and bounds next to them, every format. */
#include "core/base/mem.h"
#include "core/file/json.h"
#include "core/file/paths.h"
#include "core/slow.h"
#include "record/measure.h"
#include "report/report.h"
#include "report/table/table.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/files.h"
#include "tests/support/quoted.h"
#include "tests/support/scene.h"
#include "tests/support/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char spec_text[] =
	"{ 'title': 't', 'base': { 'workers': 4 },"
	"  'grid': { 'slow': ['none', '0:9'], 'algo': ['a', 'b'], 'seed': [1, 2, 3] },"
	"  'published': { 'source': 'Table 9', 'cells': ["
	"    { 'slow': 'none', 'algo': 'a', 'time_per_epoch_s': 1.25, 'speedup': 3 },"
	"    { 'slow': '0:9', 'algo': 'a', 'time_per_epoch_s': '>9' },"
	"    { 'slow': '0:9', 'algo': 'b', 'time_per_epoch_s': '<0.5', 'speedup': '>=2' } ] },"
	"  'tables': [ { 'name': 'one', 'title': 'The title', 'rows': 'slow', 'columns': 'algo',"
	"    'values': ['time_per_epoch_s', 'test_accuracy'], 'notes': ['A note.'],"
	"    'labels': { '0:9': '9X', 'a': 'A', 'time_per_epoch_s': 's/epoch' } } ] }";

/* Three seeds of (none, a), with one accuracy lost; the others have one run. */
static const char runs_text[] =
	"[ { 'time_per_epoch_s': 1.2, 'test_accuracy': 0.5, 'seed': 1,"
	"    'point': { 'slow': 'none', 'algo': 'a', 'seed': 1 } },"
	"  { 'time_per_epoch_s': 1.3, 'test_accuracy': null, 'seed': 2,"
	"    'point': { 'slow': 'none', 'algo': 'a', 'seed': 2 } },"
	"  { 'time_per_epoch_s': 1.1, 'test_accuracy': 0.7, 'seed': 3,"
	"    'point': { 'slow': 'none', 'algo': 'a', 'seed': 3 } },"
	"  { 'time_per_epoch_s': 0.8, 'test_accuracy': null, 'seed': 1,"
	"    'point': { 'slow': 'none', 'algo': 'b', 'seed': 1 } },"
	"  { 'time_per_epoch_s': 9.5, 'test_accuracy': 0.25, 'seed': 1,"
	"    'point': { 'slow': '0:9', 'algo': 'a', 'seed': 1 } },"
	"  { 'time_per_epoch_s': 0.75, 'test_accuracy': 1, 'seed': 1,"
	"    'point': { 'slow': '0:9', 'algo': 'b', 'seed': 1 } } ]";

static void test_means_and_errors(void **state)
{
	cJSON *t = tables_of(spec_text, runs_text);

	assert_near(table_number(tables_cell(t, 0, 0), "measured"), 1.2, 1e-15);
	assert_near(table_number(tables_cell(t, 0, 0), "deviation"), 0.1, 1e-15);
	assert_near(table_number(tables_cell(t, 0, 0), "n"), 3, 0);
	assert_near(table_number(tables_cell(t, 0, 0), "relative_error"), -0.04, 1e-12);
	assert_near(table_number(tables_cell(t, 0, 1), "measured"), 0.6, 1e-15);
	assert_near(table_number(tables_cell(t, 0, 1), "deviation"), sqrt(0.02), 1e-15);
	assert_near(table_number(tables_cell(t, 0, 1), "n"), 2, 0);
	assert_near(table_number(tables_cell(t, 0, 1), "runs"), 3, 0);
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(tables_cell(t, 0, 3), "measured")));
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(tables_cell(t, 0, 2), "deviation")));
	assert_true(cJSON_IsTrue(cJSON_GetObjectItem(tables_cell(t, 1, 0), "holds")));
	assert_true(cJSON_IsFalse(cJSON_GetObjectItem(tables_cell(t, 1, 2), "holds")));
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(tables_cell(t, 1, 0), "relative_error")));
	cJSON_Delete(t);
}

static void check_print(enum table_format format, const char *expected)
{
	cJSON *t = tables_of(spec_text, runs_text);
	char *text = tables_printed(t, format);

	assert_string_equal(text, expected);
	free(text);
	cJSON_Delete(t);
}

/* Means over different numbers of seeds say over how many, once for each group of a row. */
static void test_text(void **state)
{
	check_print(TABLE_TEXT,
		    "The title\n"
		    "\n"
		    "s/epoch\n"
		    "slow worker   A                                           b\n"
		    "none          1.20 ± 0.10 (paper 1.25, -4.0 %; 3 seeds)   0.8000 (1 seed)\n"
		    "9X            9.50        (paper >9, holds; 1 seed)        0.750 "
		    "(paper <0.5, does not hold; 1 seed)\n"
		    "\n"
		    "test accuracy\n"
		    "slow worker   A                             b\n"
		    "none            0.60 ± 0.14 (2 of 3 runs)   -\n"
		    "9X            0.2500                        1\n"
		    "\n"
		    "paper: Table 9\n"
		    "note: A note.\n");
}

static void test_markdown(void **state)
{
	check_print(TABLE_MARKDOWN,
		    "### The title\n"
		    "\n"
		    "**s/epoch**\n"
		    "\n"
		    "| slow worker | A | b |\n"
		    "|---|---:|---:|\n"
		    "| none | 1.20 ± 0.10 (paper 1.25, -4.0 %; 3 seeds) | 0.8000 (1 seed) |\n"
		    "| 9X | 9.50 (paper >9, holds; 1 seed) | "
		    "0.750 (paper \\<0.5, does not hold; 1 seed) |\n"
		    "\n"
		    "**test accuracy**\n"
		    "\n"
		    "| slow worker | A | b |\n"
		    "|---|---:|---:|\n"
		    "| none | 0.60 ± 0.14 (2 of 3 runs) | - |\n"
		    "| 9X | 0.2500 | 1 |\n"
		    "\n"
		    "- paper: Table 9\n"
		    "- note: A note.\n");
}

/* An accuracy of 0.92 is 1.4 points above one of 0.906, not 1.5 %; kept tables say so as well. */
static void test_shares_in_points(void **state)
{
	static const char spec[] =
		"{ 'grid': { 'algo': ['a', 'b', 'c'] },"
		"  'published': { 'source': 's', 'cells': ["
		"    { 'algo': 'a', 'test_accuracy': 0.906, 'speedup': 2 },"
		"    { 'algo': 'b', 'test_accuracy': 0.01 },"
		"    { 'algo': 'c', 'test_accuracy': 1 } ] },"
		"  'tables': [ { 'name': 'x', 'rows': 'algo',"
		"    'values': ['test_accuracy', 'speedup'] } ] }";
	static const char runs[] =
		"[ { 'test_accuracy': 0.92, 'speedup': 2.02, 'point': { 'algo': 'a' } },"
		"  { 'test_accuracy': 0.005, 'point': { 'algo': 'b' } },"
		"  { 'test_accuracy': 0.9996, 'point': { 'algo': 'c' } } ]";
	cJSON *json = tables_of(spec, runs), *s = quoted_json(spec), *r = quoted_json(runs);
	struct results results = results_of_json(r);
	struct tables tables = tables_build(s, &results);
	char *kept = tables_printed(json, TABLE_MARKDOWN), *built = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&built, &n);

	table_print(&tables.v[0], TABLE_MARKDOWN, out);
	fclose(out);
	assert_string_equal(built, kept);
	assert_non_null(strstr(kept, "(paper 0.906, +1.4 points) | 2.02 (paper 2, +1.0 %) |"));
	assert_non_null(strstr(kept, "(paper 0.01, -0.5 points)"));
	assert_non_null(strstr(kept, "(paper 1, 0.0 points)"));
	free(built);
	free(kept);
	tables_release(&tables);
	results_release(&results);
	cJSON_Delete(r);
	cJSON_Delete(s);
	cJSON_Delete(json);
}

/* A small deviation shows that a mean is not the published number that it would round to. */
static void test_decimals(void **state)
{
	struct cell_text w;

	measured_text(1.9039, 0.00640, 1.88, &w);
	assert_string_equal(w.number, "1.9039");
	assert_string_equal(w.spread, "± 0.0064");
	measured_text(91.123, 3.2, 90.72, &w);
	assert_string_equal(w.number, "91.12");
	assert_string_equal(w.spread, "± 3.20");
}

static void test_csv(void **state)
{
	cJSON *t = tables_of(spec_text, runs_text);
	char *text = tables_printed(t, TABLE_CSV);

	assert_non_null(strstr(text, "slow,algo,measure,measured,deviation,n,published,"
				     "relative_error,holds,diverged\nnone,a,time_per_epoch_s,1.2"));
	assert_non_null(strstr(text, "\nnone,b,test_accuracy,,,0,,,,\n"));
	assert_non_null(strstr(text, "\n0:9,a,time_per_epoch_s,9.5,,1,>9,,true,\n"));
	free(text);
	cJSON_Delete(t);
}

/* Each setting has a column of its own; a value with commas in it stays one. */
static void test_csv_settings(void **state)
{
	static const char spec[] =
		"{ 'grid': { 'algo': [], 'lr': [], 'optim': [], 'slow': [] }, 'tables': ["
		"  { 'name': 'x', 'rows': ['algo', 'lr'], 'columns': ['slow', 'optim'],"
		"    'values': 'time_s' } ] }";
	cJSON *t = tables_of(spec, "[ { 'time_s': 0.1, 'point': { 'algo': 'a', 'lr': 0.05,"
			     "'slow': 'none', 'optim': 'sgd:momentum=0,nesterov=true' } } ]");
	char *text = tables_printed(t, TABLE_CSV);

	assert_non_null(strstr(text, "algo,lr,slow,optim,measure,measured,"));
	assert_non_null(strstr(text, "\na,0.05,none,\"sgd:momentum=0,nesterov=true\",time_s,0.1,"));
	free(text);
	cJSON_Delete(t);
}

static void test_json(void **state)
{
	cJSON *t = tables_of(spec_text, runs_text);
	char *text = tables_printed(t, TABLE_JSON);
	cJSON *back = json_parse(text, "back");

	assert_true(cJSON_Compare(back, cJSON_GetArrayItem(t, 0), true));
	assert_string_equal(json_word(back, "source"), "Table 9");
	cJSON_Delete(back);
	free(text);
	cJSON_Delete(t);
}

/* Averaging over anything but the seed is refused, and said. */
static void test_mixed_runs(void **state)
{
	static const char spec[] = "{ 'grid': { 'slow': [], 'algo': [] }, 'tables': [ { 'name': "
				   "'x', 'rows': 'algo', 'values': 'time_per_epoch_s' } ] }";
	cJSON *t;

	capture_start();
	t = tables_of(spec, runs_text);
	capture_stop();
	assert_said("mixes runs that differ in 'slow'");
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(tables_cell(t, 0, 0), "measured")));
	cJSON_Delete(t);
	t = tables_of("{ 'grid': { 'slow': [], 'algo': [] }, 'tables': [ { 'name': 'x', 'rows': "
		  "'algo', 'values': 'time_per_epoch_s', 'where': { 'slow': ['none'] } } ] }",
		  runs_text);
	assert_near(table_number(tables_cell(t, 0, 0), "measured"), 1.2, 1e-15);
	cJSON_Delete(t);
}

/* Of a setting that is not in the grid a choice may name some options; one of the grid is whole. */
static void test_where_names_options(void **state)
{
	static const struct {
		const char *where;
		size_t n;
	} cases[] = {
		{ "{ 'link': 'nic:latency_s=1e-5,GBps=2' }", 1 }, { "{ 'link': 'nic' }", 3 },
		{ "{ 'link': 'nic:GBps=2' }", 2 }, { "{ 'link': ['nic:GBps=20', 'ideal'] }", 1 },
		{ "{ 'link': 'ni' }", 0 }, { "{ 'link': 'nic:GBps' }", 0 },
		{ "{ 'algo': 'a' }", 1 }, { "{ 'algo': 'a:k=1' }", 2 },
	};
	struct results runs = scene_runs(
		"[ { 'point': { 'algo': 'a' },"
		"    'settings': { 'link': 'nic:latency_s=1e-5,GBps=2' } },"
		"  { 'point': { 'algo': 'a:k=1' },"
		"    'settings': { 'link': 'nic:latency_s=0,GBps=2' } },"
		"  { 'point': { 'algo': 'a:k=1' }, 'settings': { 'link': 'nic:GBps=20' } } ]");

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cJSON *where = quoted_json(cases[i].where);
		struct selection s = select_where(&runs, where);

		assert_near((double)s.n, (double)cases[i].n, 0);
		selection_release(&s);
		cJSON_Delete(where);
	}
	results_release(&runs);
}

/* One of three seeds of a diverged, and the only run of b. */
static const char diverged_spec[] =
	"{ 'title': 't', 'grid': { 'algo': ['a', 'b', 'c'], 'seed': [1, 2, 3] },"
	"  'published': { 'source': 'P', 'cells': [ { 'algo': 'b', 'train_loss': '<1' } ] },"
	"  'tables': [ { 'name': 'one', 'title': 'T', 'rows': 'algo', 'values':"
	"    ['time_s', 'train_loss', 'test_accuracy', 'time_to:train_loss<=1'] } ] }";

#define ENDED(algo, seed, status, time, loss, accuracy) \
	"{ 'status': '" status "', 'time_s': " time ", 'train_loss': " loss ", 'test_accuracy': " \
	accuracy ", 'point': { 'algo': '" algo "', 'seed': " seed " }, 'eval': { 'train_loss': [" \
	loss "], 'time_s': [" time "] } }"

static const char diverged_runs[] =
	"[" ENDED("a", "1", "done", "4", "0.5", "0.6") ","
	ENDED("a", "2", "diverged", "2", "null", "0") ","
	ENDED("a", "3", "done", "6", "1.5", "0.9") ","
	ENDED("b", "1", "diverged", "3", "0.25", "0") ","
	ENDED("c", "1", "done", "5", "0.25", "0.8") "]";

/*
 * A run that diverged is in no mean, whatever its last row says: its loss is infinite, its accuracy
 * none, and the time is that of the others. Every cell says so.
 */
static void test_diverged(void **state)
{
	static const struct {
		enum table_format format;
		const char *text;
	} cases[] = {
		{ TABLE_TEXT, "\na           5.0 ± 1.4 (1 of 3 diverged)        "
		  "∞ (1 of 3 diverged)   " },
		{ TABLE_TEXT, "   - (1 of 3 diverged)   "
		  "∞ (1 of 3 runs reached it, 1 of 3 diverged)\n" },
		{ TABLE_TEXT, "\nb             3       (diverged)               "
		  "∞ (paper <1, does not hold; diverged)        - (diverged)   " },
		{ TABLE_TEXT, "\nnote: 2 of 5 runs diverged (a loss was not finite): "
		  "a (1 of 3); b\n" },
		{ TABLE_MARKDOWN, "| a | 5.0 ± 1.4 (1 of 3 diverged) | ∞ (1 of 3 diverged) | " },
		{ TABLE_MARKDOWN, "- note: 2 of 5 runs diverged (a loss was not finite): a (1" },
		{ TABLE_LATEX, "a & 5.0 $\\pm$ 1.4 (1 of 3 diverged) & "
		  "$\\infty$ (1 of 3 diverged) & " },
		{ TABLE_LATEX, "Note: 2 of 5 runs diverged" },
		{ TABLE_CSV, "\na,time_s,5,1.4142135623730951,2,,,,1\na,train_loss,inf,,3,,,,1\n"
		  "a,test_accuracy,,,3,,,,1\n" },
		{ TABLE_CSV, "\nb,train_loss,inf,,1,<1,,false,1\n" },
		{ TABLE_CSV, "\nc,time_s,5,,1,,,,\nc,train_loss,0.25,,1,,,,\n" },
	};
	cJSON *t = tables_of(diverged_spec, diverged_runs);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = tables_printed(t, cases[i].format);

		if (!strstr(text, cases[i].text))
			fail_msg("'%s' is not in: %s", cases[i].text, text);
		free(text);
	}
	assert_null(cJSON_GetObjectItem(tables_cell(t, 2, 1), "diverged"));
	cJSON_Delete(t);
}

static void test_bounds(void **state)
{
	static const char *const bad[] = {
		"", "5", "=5", "<", "<=", "<>5", "=<5", "<==5", "<<5", "> 5", ">5 ", ">5s", ">x",
		">inf", "<nan", ">0x5", ">1e999", "n/a"
	};
	static const struct {
		const char *text;
		double x;
		bool holds;
	} cases[] = {
		{ "<5", 4.9, true }, { "<5", 5, false }, { "<=5", 5, true }, { "<=5", 5.1, false },
		{ ">5", 5.1, true }, { ">5", 5, false }, { ">=5", 5, true }, { ">=5", 4.9, false },
		{ ">-1e-3", 0, true },
	};
	struct bound b;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (bound_parse(bad[i], &b))
			fail_msg("'%s' was taken for a bound", bad[i]);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(bound_parse(cases[i].text, &b));
		assert_int_equal(bound_holds(&b, cases[i].x), cases[i].holds);
	}
}

static int check_cell(const char *cell)
{
	char *text = xasprintf("{ 'base': { 'epochs': 2 }, 'grid': { 'speedup': [] }, 'published': "
			       "{ 'source': 's', 'cells': [ { 'epochs': 1 }, { %s } ] } }", cell);
	cJSON *spec = quoted_json(text);
	int rc;

	capture_start();
	rc = report_check(spec, "x.json");
	capture_stop();
	cJSON_Delete(spec);
	free(text);
	return rc;
}

/* A measure is a number or a bound, unless the grid has a setting of its name. */
static void test_published_measures(void **state)
{
	static const char *const bad[] = { "'~3'", "'<>3'", "''", "true" };

	assert_int_equal(check_cell("'time_per_epoch_s': '>=3'"), 0);
	assert_int_equal(check_cell("'time_per_epoch_s': 3, 'speedup': 'none'"), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char *cell = xasprintf("'time_per_epoch_s': %s", bad[i]);

		assert_int_equal(check_cell(cell), -1);
		assert_said("x.json: published.cells[1]: 'time_per_epoch_s' must be a number, or "
			    "one after '<'");
		free(cell);
	}
	assert_int_equal(check_cell("'epochs': 'many'"), -1);
}

static void test_files(void **state)
{
	static const char *const suffix[] = { "txt", "md", "csv", "json" };
	cJSON *t = tables_of(spec_text, runs_text);
	char *folder = folder_new(), *dir = xasprintf("%s/deep/tables", folder);
	struct table table;

	assert_true(table_of_json(&table, t->child));
	assert_int_equal(tables_write(&(struct tables){ &table, 1 }, dir), 0);
	table_release(&table);
	for (int f = TABLE_TEXT; f <= TABLE_JSON; f++) {
		char *path = xasprintf("%s/one.%s", dir, suffix[f]), *own, *text;

		own = file_read(path, NULL);
		text = tables_printed(t, (enum table_format)f);
		assert_non_null(own);
		assert_string_equal(own, text);
		free(path);
		free(own);
		free(text);
	}
	free(dir);
	folder_remove(folder);
	cJSON_Delete(t);
}

static void test_numbers(void **state)
{
	static const struct {
		double x, like;
		const char *text;
	} cases[] = {
		{ 1.2213, 1.22, "1.22" },      { 2.6031, 2.6, "2.60" }, { 112.87, 100.4, "112.9" },
		{ 0.01601, 0.018, "0.0160" },  { 11275.3, 10000, "11275" },
		{ 16, (double)NAN, "16" },
		{ 0.87414, (double)NAN, "0.8741" }, { 3.5e9, (double)NAN, "3.500e+09" },
		{ 0, (double)NAN, "0" },       { -1.5, (double)NAN, "-1.500" },
		{ 2e-6, (double)NAN, "2.000e-06" },
	};
	char text[64];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		number_format(cases[i].x, cases[i].like, text);
		assert_string_equal(text, cases[i].text);
	}
}

static void test_slow_factor(void **state)
{
	assert_near(slow_factor("none"), 1, 0);
	assert_near(slow_factor("0:10"), 10, 0);
	assert_near(slow_factor("0:10+3:2.5+7:1e+3@5-6+2:4"), 1000, 0);
	assert_near(slow_factor("0:0.5"), 1, 0);
	assert_true(isnan(slow_factor("fast")));
}

RUN_ALL(test_means_and_errors, test_text, test_markdown, test_shares_in_points, test_decimals,
	test_csv, test_csv_settings, test_json, test_mixed_runs, test_where_names_options,
	test_diverged, test_bounds, test_published_measures, test_files, test_numbers,
	test_slow_factor)
