/* Measures of how far a run went until a curve met a bound; what never does is infinite. */
#include "record/measure.h"
#include "report/table/table.h"
#include "tests/support/check.h"
#include "tests/support/quoted.h"
#include "tests/support/scene.h"
#include "tests/support/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two seeds of which one gets there, one that diverged, and one without a curve. */
static const char target_runs[] =
	"[ { 'status': 'done', 'point': { 'algo': 'a', 'seed': 1 }, 'eval': {"
	"    'epoch': [1, 2, 3], 'time_s': [10, 20, 30], 'gradients': [5, 10, 15],"
	"    'test_accuracy': [0.5, 0.8, 0.7], 'train_loss': [3, null, 1] } },"
	"  { 'status': 'done', 'point': { 'algo': 'a', 'seed': 2 }, 'eval': {"
	"    'epoch': [1, 2], 'time_s': [11, 22], 'gradients': [5, 10],"
	"    'test_accuracy': [0.5, 0.79], 'train_loss': [3, 2] } },"
	"  { 'status': 'diverged', 'point': { 'algo': 'b', 'seed': 1 }, 'eval': {"
	"    'epoch': [1], 'time_s': [9], 'gradients': [4], 'test_accuracy': [null],"
	"    'train_loss': [null] } },"
	"  { 'status': 'done', 'point': { 'algo': 'c', 'seed': 1 }, 'eval': {"
	"    'epoch': [], 'time_s': [], 'gradients': [], 'test_accuracy': [],"
	"    'train_loss': [] } } ]";

static void test_targets(void **state)
{
	static const struct {
		const char *measure;
		int run;
		double value;
	} cases[] = {
		{ "time_to:test_accuracy>=0.8", 0, 20 }, { "epochs_to:test_accuracy>0.5", 0, 2 },
		{ "gradients_to:train_loss<=1", 0, 15 }, { "time_to:train_loss<1", 0, HUGE_VAL },
		{ "time_to:test_accuracy>=0.8", 1, HUGE_VAL },
		{ "time_to:test_accuracy>=0.1", 2, HUGE_VAL },
	};
	struct results runs = scene_runs(target_runs);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double x = result_number(&runs.v[cases[i].run], cases[i].measure);

		assert_true(x >= cases[i].value && x <= cases[i].value);
	}
	assert_true(isnan(result_number(&runs.v[3], "time_to:test_accuracy>=0")));
	results_release(&runs);
}

/* What did not get there is infinite, and its mean too, in every format. */
static void test_targets_in_tables(void **state)
{
	static const char spec[] =
		"{ 'title': 't', 'grid': { 'algo': ['a', 'b', 'c'], 'seed': [1, 2] },"
		"  'published': { 'source': 's', 'cells': ["
		"    { 'algo': 'a', 'time_to:test_accuracy>=0.8': '<15' } ] },"
		"  'tables': [ { 'name': 'one', 'rows': 'algo', 'values':"
		"    ['time_to:test_accuracy>=0.8', 'epochs_to:test_accuracy>=0.5'] } ] }";
	cJSON *t = tables_of(spec, target_runs);
	char *csv, *text;

	assert_true(isinf(table_number(tables_cell(t, 0, 0), "measured")));
	assert_near(table_number(tables_cell(t, 0, 0), "reached"), 1, 0);
	assert_true(cJSON_IsFalse(cJSON_GetObjectItem(tables_cell(t, 0, 0), "holds")));
	assert_near(table_number(tables_cell(t, 0, 1), "measured"), 1, 0);
	assert_true(isnan(table_number(tables_cell(t, 2, 0), "measured")));
	csv = tables_printed(t, TABLE_CSV);
	text = tables_printed(t, TABLE_TEXT);
	assert_non_null(strstr(csv, "a,time_to:test_accuracy>=0.8,inf,,2,<15,,false,\n"));
	assert_non_null(strstr(text, "∞ (paper <15, does not hold; 1 of 2 runs reached it)"));
	assert_non_null(strstr(text, "time [s] to test accuracy >= 0.8"));
	free(csv);
	free(text);
	cJSON_Delete(t);
}

/* Two measures have two labels: the loss of train is another than the training loss of eval. */
static void test_labels(void **state)
{
	static const struct {
		const char *measure, *label;
	} cases[] = {
		{ "time_to:train_loss<=1", "time [s] to training loss <= 1" },
		{ "time_to:loss<=1", "time [s] to minibatch loss <= 1" },
		{ "epochs_to:test_loss<0.5", "epochs to test loss < 0.5" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *label = measure_label(cases[i].measure, NULL);

		assert_string_equal(label, cases[i].label);
		free(label);
	}
}

RUN_ALL(test_targets, test_targets_in_tables, test_labels)
