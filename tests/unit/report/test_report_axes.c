/* Axes and marks of a plot: ticks, options as numbers, and what stands where. */
#include "report/plot/plot.h"
#include "tests/support/check.h"
#include "tests/support/scene.h"

#include <stdlib.h>
#include <string.h>

/* ---- axes ---- */

#define SPEEDUPS "'from': 'runs', 'y': 'speedup'"

static void test_workers_at_powers_of_two(void **state)
{
	struct scene s;
	char *script;

	scene_open(&s, SPEEDUPS ", 'x': 'workers', 'logx': true",
		   "[ { 'speedup': 1, 'point': { 'workers': 2 } },"
		   "  { 'speedup': 3, 'point': { 'workers': 16 } } ]");
	script = scene_text(&s.f, scene_script);
	assert_non_null(strstr(script, "set xtics ('16' 16, '8' 8, '4' 4, '2' 2)\n"));
	free(script);
	scene_close(&s);
}

/* Settings that differ in one number are an axis; in a word, they are words. */
static void test_options_are_numbers(void **state)
{
	struct scene s;

	scene_open(&s, SPEEDUPS ", 'x': 'link'",
		   "[ { 'speedup': 1, 'point': { 'link': 'nic:bandwidth_GBps=10,latency_s=0' } },"
		   "  { 'speedup': 2, 'point': { 'link': 'nic:bandwidth_GBps=1,latency_s=0' } },"
		   "  { 'speedup': 3,"
		   "    'point': { 'link': 'nic:bandwidth_GBps=.1,latency_s=0' } } ]");
	assert_false(s.f.worded);
	assert_true(s.f.logx);
	assert_string_equal(s.f.xlabel, "nic bandwidth [GB/s]");
	assert_near(s.f.series[0].p[0].x, 0.1, 1e-12);
	assert_near(s.f.series[0].p[2].x, 10, 1e-12);
	scene_close(&s);
	scene_open(&s, SPEEDUPS ", 'x': 'link'",
		   "[ { 'speedup': 1, 'point': { 'link': 'nic:bandwidth_GBps=1' } },"
		   "  { 'speedup': 2, 'point': { 'link': 'fabric:bandwidth_GBps=2' } } ]");
	assert_int_equal((int)s.f.nwords, 2);
	scene_close(&s);
}

/* A run of an algorithm with its options. */
#define OF(algo, speedup) "{ 'speedup': " #speedup ", 'point': { 'algo': '" algo "' } }"

/* A plug-in without the option is a level line; another option tells series apart. */
static void test_options_among_others(void **state)
{
	struct scene s;

	scene_open(&s, SPEEDUPS ", 'x': 'algo'",
		   "[ " OF("allreduce", 7) ", " OF("local-sgd:period=1", 1) ", "
		   OF("local-sgd:period=4", 2) ", " OF("local-sgd:period=16", 3) " ]");
	assert_false(s.f.worded);
	assert_string_equal(s.f.xlabel, "period");
	assert_int_equal(s.f.n, 2);
	assert_string_equal(s.f.series[0].label, "allreduce");
	assert_int_equal(s.f.series[0].n, 3);
	assert_near(s.f.series[0].p[2].x, 16, 1e-12);
	assert_near(s.f.series[0].p[2].y, 7, 1e-12);
	assert_string_equal(s.f.series[1].label, "local-sgd");
	scene_close(&s);
	scene_open(&s, SPEEDUPS ", 'x': 'algo'",
		   "[ " OF("easgd:tau=1,wait_s=1", 1) ", " OF("easgd:tau=4,wait_s=1", 2) ", "
		   OF("easgd:tau=1,wait_s=2", 3) ", " OF("easgd:tau=4,wait_s=2", 4) " ]");
	assert_string_equal(s.f.xlabel, "easgd tau");
	assert_int_equal(s.f.n, 2);
	assert_string_equal(s.f.series[0].label, "wait 1 s");
	assert_near(s.f.series[1].p[1].x, 4, 1e-12);
	assert_near(s.f.series[1].p[1].y, 4, 1e-12);
	scene_close(&s);
}

/* Settings whose labels are numbers are an axis of these. */
static void test_labels_are_numbers(void **state)
{
	struct scene s;

	scene_open(&s, SPEEDUPS ", 'x': 'shares', 'labels': { 'speed': '0.1', '0:1': '0.5' }",
		   "[ { 'speedup': 1, 'point': { 'shares': '0:1' } },"
		   "  { 'speedup': 2, 'point': { 'shares': 'speed' } } ]");
	assert_false(s.f.worded);
	assert_near(s.f.series[0].p[0].x, 0.1, 1e-12);
	assert_near(s.f.series[0].p[1].x, 0.5, 1e-12);
	scene_close(&s);
}

#define GBITS SPEEDUPS ", 'x': 'link', 'xlabel': 'Gbit/s', 'labels': " \
	      "{ 'nic:bandwidth_GBps=0.05': '0.4', 'nic:bandwidth_GBps=1': '8' }"
#define SPEED(gbps, speedup) "{ 'speedup': " #speedup ", 'point': { 'link': " \
			     "'nic:bandwidth_GBps=" #gbps "' } }"

/* Labels give an option's number in another unit; the axis's words are of them only. */
static void test_labels_before_options(void **state)
{
	struct scene s;

	scene_open(&s, GBITS, "[ " SPEED(1, 2) ", " SPEED(0.05, 1) " ]");
	assert_false(s.f.worded);
	assert_true(s.f.logx);
	assert_string_equal(s.f.xlabel, "Gbit/s");
	assert_near(s.f.series[0].p[0].x, 0.4, 1e-12);
	assert_near(s.f.series[0].p[1].x, 8, 1e-12);
	scene_close(&s);
	scene_open(&s, GBITS, "[ " SPEED(1, 2) ", " SPEED(3, 3) " ]");
	assert_string_equal(s.f.xlabel, "nic bandwidth [GB/s]");
	assert_near(s.f.series[0].p[0].x, 1, 1e-12);
	scene_close(&s);
}

/* Two ticks are too few to read a log axis by. */
static void test_log_ticks(void **state)
{
	struct scene s;
	char *script;

	scene_open(&s, SPEEDUPS ", 'x': 'workers', 'logy': true",
		   "[ { 'speedup': 25, 'point': { 'workers': 2 } },"
		   "  { 'speedup': 120, 'point': { 'workers': 16 } } ]");
	script = scene_text(&s.f, scene_script);
	assert_non_null(strstr(script, "set ytics ('30' 30, '40' 40, '50' 50, '70' 70, "
				       "'100' 100)\n"));
	free(script);
	scene_close(&s);
}

static void check_axis(const char *runs, const char *entry, const char *ticks)
{
	struct scene s;
	char *script;

	scene_open(&s, entry, runs);
	script = scene_text(&s.f, scene_script);
	assert_non_null(strstr(script, ticks));
	free(script);
	scene_close(&s);
}

/* Where a log axis has no step of its own, and no power of two, ticks are at equal distances. */
static void test_ticks_of_short_axes(void **state)
{
	static const char runs[] = "[ { 'speedup': 16.1, 'point': { 'workers': 17 } },"
				   "  { 'speedup': 18.9, 'point': { 'workers': 20 } } ]";

	check_axis(runs, SPEEDUPS ", 'x': 'workers', 'logy': true",
		   "set ytics ('16' 16, '17' 17, '18' 18, '19' 19)\n");
	check_axis(runs, SPEEDUPS ", 'x': 'workers', 'logx': true",
		   "set xtics ('17' 17, '18' 18, '19' 19, '20' 20)\n");
	check_axis("[ { 'speedup': 1, 'point': { 'workers': 8 } } ]",
		   SPEEDUPS ", 'x': 'workers'", "set xtics 1\nset format y '%g'\n"
		   "set xrange [7:9]\n");
	check_axis("[ { 'speedup': 1234567.1, 'point': { 'workers': 1 } },"
		   "  { 'speedup': 1234567.4, 'point': { 'workers': 2 } } ]",
		   SPEEDUPS ", 'x': 'workers'", "set format y '%.9g'\n");
}

/* An accuracy is on no log axis, whatever the spec says. */
static void test_shares_are_linear(void **state)
{
	struct scene s;

	scene_open(&s, "'from': 'runs', 'y': 'test_accuracy', 'x': 'wait_share', 'logx': true,"
		   "'logy': true", "[ { 'test_accuracy': 0.1, 'wait_share': 0.2, 'point': {} } ]");
	assert_false(s.f.logx || s.f.logy);
	scene_close(&s);
}

/* ---- marks ---- */

#define ON_NETS "'point': { 'algo': 'asgd', 'net': "

/* What was published over a box has the series' colour, on white. */
static void test_published_on_boxes(void **state)
{
	struct scene s;
	char *script;

	scene_open(&s, SPEEDUPS ", 'x': 'net', 'series': 'algo', 'published': true } ],"
		   "'published': { 'cells': [ { 'net': 'a', 'algo': 'asgd', 'speedup': 2 } ] },"
		   "'more': [ {",
		   "[ { 'speedup': 1, " ON_NETS "'a' } }, { 'speedup': 3, " ON_NETS "'b' } } ]");
	script = scene_text(&s.f, scene_script);
	assert_non_null(strstr(script, " with boxes ls 1 "));
	assert_non_null(strstr(script, "index 1 using 1:2 with points ls 2 notitle"));
	assert_non_null(strstr(script, "set style line 2 lc rgb '#CC79A7'"));
	free(script);
	scene_close(&s);
}

/* Signs of what was not reached stand above all points. */
static void test_signs_above_points(void **state)
{
	struct scene s;

	scene_open(&s, "'from': 'runs', 'y': 'train_loss', 'x': 'workers', 'series': 'algo'",
		   "[ { 'train_loss': 3, 'point': { 'workers': 1, 'algo': 'asgd' } },"
		   "  { 'train_loss': 3, 'point': { 'workers': 1, 'algo': 'ssp' } },"
		   "  { 'status': 'diverged', 'point': { 'workers': 2, 'algo': 'ssp' } } ]");
	assert_true(figure_never_height(&s.f, 1) > 0.95);
	assert_true(figure_never_margin(&s.f) > 1 - figure_never_height(&s.f, 1));
	assert_true((3 - figure_frame(&s.f).y0) / (figure_frame(&s.f).y1 - figure_frame(&s.f).y0) <
		    1 - figure_never_margin(&s.f));
	scene_close(&s);
}

/* At the top the sign of a run without an accuracy would look like the best one. */
static void test_signs_below_accuracies(void **state)
{
	struct scene s;
	struct frame b;

	scene_open(&s, "'from': 'runs', 'y': 'test_accuracy', 'x': 'workers', 'series': 'algo'",
		   "[ { 'test_accuracy': 0.9, 'point': { 'workers': 1, 'algo': 'asgd' } },"
		   "  { 'test_accuracy': 0.8, 'point': { 'workers': 1, 'algo': 'ssp' } },"
		   "  { 'status': 'diverged', 'point': { 'workers': 2, 'algo': 'ssp' } } ]");
	b = figure_frame(&s.f);
	assert_true(figure_never_height(&s.f, 1) < 0.05);
	assert_true((0.8 - b.y0) / (b.y1 - b.y0) > figure_never_margin(&s.f));
	assert_true(b.y1 < 1);
	scene_close(&s);
}

RUN_ALL(test_workers_at_powers_of_two, test_options_are_numbers, test_options_among_others,
	test_labels_are_numbers, test_labels_before_options, test_log_ticks,
	test_ticks_of_short_axes, test_shares_are_linear, test_published_on_boxes,
	test_signs_above_points, test_signs_below_accuracies)
