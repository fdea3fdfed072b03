/* Plots: the points by hand, the script, and, where gnuplot is, the pictures. */
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "report/report.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/files.h"
#include "tests/support/quoted.h"
#include "tests/support/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Two seeds of algorithm a, the second one's curve a row shorter; a again with an lr; one of b. */
static const char runs_text[] =
	"[ { 'speedup': 3, 'point': { 'algo': 'a', 'slow': '0:2', 'seed': 1 },"
	"    'eval': { 'epoch': [1, 2, 3], 'test_loss': [8, 4, 2] } },"
	"  { 'speedup': 5, 'point': { 'algo': 'a', 'slow': '0:2', 'seed': 2 },"
	"    'eval': { 'epoch': [1, 2], 'test_loss': [6, null] } },"
	"  { 'speedup': 7, 'point': { 'algo': 'a', 'slow': 'none', 'seed': 1, 'lr': 2 },"
	"    'eval': { 'epoch': [], 'test_loss': [] } },"
	"  { 'speedup': 9, 'point': { 'algo': 'b', 'slow': '0:2', 'seed': 1 },"
	"    'eval': { 'epoch': [1, 2, 3], 'test_loss': [5, 5, 5] } } ]";

static const char spec_text[] =
	"{ 'grid': { 'algo': [], 'slow': [], 'seed': [] },"
	"  'published': { 'source': 's', 'cells': ["
	"    { 'algo': 'a', 'slow': 'none', 'speedup': 6.5 },"
	"    { 'algo': 'b', 'slow': '0:2', 'speedup': '>9' },"
	"    { 'algo': 'b', 'epoch': 3, 'test_loss': 4.5 } ] },"
	"  'plots': ["
	"    { 'name': 'bars', 'title': 'It\\u0027s', 'from': 'runs', 'x': 'slow', 'y': 'speedup',"
	"      'series': 'algo', 'published': true, 'labels': { 'a': 'A', '0:2': '2 %' } },"
	"    { 'name': 'lines', 'from': 'runs', 'x': 'slow_factor', 'y': 'speedup',"
	"      'series': 'algo', 'published': true, 'logx': true, 'logy': true },"
	"    { 'name': 'curve', 'from': 'eval', 'x': 'epoch', 'y': 'test_loss',"
	"      'series': 'algo', 'where': { 'slow': '0:2' }, 'published': true } ] }";

static const cJSON *plot_entry(const cJSON *spec, int i)
{
	return cJSON_GetArrayItem(cJSON_GetObjectItem(spec, "plots"), i);
}

static void open_scene(struct scene *s, int plot)
{
	s->spec = quoted_json(spec_text);
	s->runs = scene_runs(runs_text);
	assert_int_equal(report_check(s->spec, "spec"), 0);
	assert_true(figure_build(&s->f, plot_entry(s->spec, plot), s->spec, &s->runs));
}

static void check_point(const struct point *p, double x, double y, double dev)
{
	assert_near(p->x, x, 1e-12);
	assert_near(p->y, y, 1e-12);
	assert_near(p->hi - p->y, dev, 1e-12);
	assert_near(p->y - p->lo, dev, 1e-12);
}

static void test_curves(void **state)
{
	struct scene s;

	open_scene(&s, 2);
	assert_int_equal(s.f.n, 2);
	assert_int_equal(s.f.series[0].n, 1);           /* there the second seed ends */
	check_point(&s.f.series[0].p[0], 1, 7, sqrt(2));
	assert_int_equal(s.f.series[1].n, 3);
	assert_int_equal(s.f.seeds, 2);
	assert_int_equal(s.f.series[0].npub, 0);
	assert_int_equal(s.f.series[1].npub, 1);
	check_point(&s.f.series[1].pub[0], 3, 4.5, 0);
	scene_close(&s);
}

/* Gives a run's point an lr. */
static void point_set_lr(struct result *r, double lr)
{
	struct result_values *point = &r->values[RESULT_POINT];

	point->v = xrealloc(point->v, point->n + 1, sizeof(*point->v));
	point->v[point->n++] = (struct result_value){ xstrdup("lr"), xasprintf("%g", lr),
						      VALUE_NUMBER, lr };
}

static void test_points(void **state)
{
	struct results others;
	struct scene s;

	open_scene(&s, 1);
	assert_int_equal(s.f.series[0].n, 2);
	check_point(&s.f.series[0].p[0], 1, 7, 0);      /* in order of x, not of runs */
	check_point(&s.f.series[0].p[1], 2, 4, sqrt(2));
	assert_int_equal(s.f.series[0].npub, 1);
	check_point(&s.f.series[0].pub[0], 1, 6.5, 0);
	assert_int_equal(s.f.series[1].npub, 0);        /* a bound is no point */
	assert_false(s.f.worded);
	figure_release(&s.f);
	point_set_lr(&s.runs.v[1], 3);
	capture_start();
	figure_build(&s.f, plot_entry(s.spec, 1), s.spec, &s.runs);
	capture_stop();
	assert_said("mixes runs that differ in 'lr'");
	assert_int_equal(s.f.n, 1);
	figure_release(&s.f);
	others = scene_runs(runs_text);         /* another run of algorithm b, with an lr */
	point_set_lr(&others.v[3], 7);
	results_add(&s.runs, &others.v[3]);
	others.n = 3;
	results_release(&others);
	capture_start();
	figure_build(&s.f, plot_entry(s.spec, 1), s.spec, &s.runs);
	capture_stop();
	assert_int_equal(s.f.n, 0);
	assert_null(strstr(strstr(capture_text(), "mixes runs") + 1, "mixes runs"));
	scene_close(&s);
}

/* A figure of these runs' curves, one line for each algorithm. */
static void open_curves(struct scene *s, const char *runs)
{
	s->spec = quoted_json("{ 'grid': { 'algo': [], 'seed': [] }, 'plots': [ { 'name': 'p', "
			      "'from': 'eval', 'x': 'epoch', 'y': 'test_loss', "
			      "'series': 'algo', 'logx': true, 'logy': true } ] }");
	s->runs = scene_runs(runs);
	assert_int_equal(report_check(s->spec, "spec"), 0);
	figure_build(&s->f, plot_entry(s->spec, 0), s->spec, &s->runs);
}

/* Rows without a number in any seed are passed over, seeds without any are not counted. */
static void test_rows_without_numbers(void **state)
{
	struct scene s;

	open_curves(&s, "[ { 'point': { 'algo': 'a', 'seed': 1 },"
			"    'eval': { 'epoch': [1, 2, 3], 'test_loss': [null, 4, 2] } },"
			"  { 'point': { 'algo': 'a', 'seed': 2 },"
			"    'eval': { 'epoch': [1, 2, 3], 'test_loss': [null, 4, 2] } },"
			"  { 'point': { 'algo': 'a', 'seed': 3 },"
			"    'eval': { 'epoch': [1, 2, 3], 'test_loss': [null, null, null] } } ]");
	assert_int_equal(s.f.series[0].n, 2);
	check_point(&s.f.series[0].p[0], 2, 4, 0);
	check_point(&s.f.series[0].p[1], 3, 2, 0);
	assert_int_equal(s.f.series[0].most, 2);
	assert_string_equal(s.f.series[0].title, "a");
	scene_close(&s);
}

/* What a log axis cannot show: epoch 0, a loss of 0, a deviation below 0. */
static void test_log_axes(void **state)
{
	struct scene s;

	open_curves(&s, "[ { 'point': { 'algo': 'a', 'seed': 1 },"
			"    'eval': { 'epoch': [0, 1, 2], 'test_loss': [8, 9, 0] } },"
			"  { 'point': { 'algo': 'a', 'seed': 2 },"
			"    'eval': { 'epoch': [0, 1, 2], 'test_loss': [8, 1, 0] } } ]");
	assert_int_equal(s.f.series[0].n, 1);
	assert_near(s.f.series[0].p[0].x, 1, 0);
	assert_near(s.f.series[0].p[0].y, 5, 0);
	assert_near(s.f.series[0].p[0].lo, 1, 0);       /* not 5 - 5.66 */
	assert_near(s.f.series[0].p[0].hi, 5 + sqrt(32), 1e-12);
	scene_close(&s);
}

/* No line crosses a point without a value, and the legend names it; both also when read again. */
static void test_missing_values(void **state)
{
	cJSON *spec = quoted_json("{ 'grid': { 'workers': [], 'algo': [] }, 'plots': ["
		"  { 'name': 'p', 'from': 'runs', 'x': 'workers', 'series': 'algo',"
		"    'y': 'momentum_mean' } ] }"), *json;
	struct results runs = scene_runs("["
		"  { 'point': { 'workers': 1, 'algo': 'a' }, 'momentum_mean': 0.1 },"
		"  { 'point': { 'workers': 8, 'algo': 'a' }, 'momentum_mean': null },"
		"  { 'point': { 'workers': 4, 'algo': 'a' }, 'momentum_mean': null },"
		"  { 'point': { 'workers': 16, 'algo': 'a' }, 'momentum_mean': 0.9 },"
		"  { 'point': { 'workers': 32, 'algo': 'a' }, 'momentum_mean': 0.8 },"
		"  { 'point': { 'workers': 1, 'algo': 'b' }, 'momentum_mean': null } ]");
	struct figure f, again;
	char *data, *text;

	assert_int_equal(report_check(spec, "spec"), 0);
	assert_true(figure_build(&f, plot_entry(spec, 0), spec, &runs));
	assert_int_equal(f.n, 1);
	text = scene_text(&f, figure_save);
	json = cJSON_Parse(text);
	assert_int_equal(figure_load(&again, json, "p.json"), 0);
	for (int i = 0; i < 2; i++) {
		const struct figure *one = i ? &again : &f;

		assert_string_equal(one->series[0].title, "a (no value at 4, 8)");
		data = scene_text(one, figure_data);
		assert_non_null(strstr(data, "\n1 0.1 0.1 0.1\n\n16 0.9 0.9 0.9\n32 0.8 "));
		free(data);
	}
	free(text);
	figure_release(&again);
	figure_release(&f);
	cJSON_Delete(json);
	results_release(&runs);
	cJSON_Delete(spec);
}

/* A mean that is infinite is no point: a sign at the upper edge, over its position. */
static void test_what_is_never_reached(void **state)
{
	cJSON *spec = quoted_json("{ 'grid': { 'workers': [], 'algo': [] }, 'plots': ["
		"  { 'name': 'p', 'from': 'runs', 'x': 'workers', 'series': 'algo',"
		"    'y': 'epochs_to:test_loss<=4' } ] }");
	struct results runs = scene_runs("[ { 'point': { 'workers': 4, 'algo': 'a' },"
		"    'eval': { 'epoch': [1, 2], 'test_loss': [8, 4] } },"
		"  { 'point': { 'workers': 8, 'algo': 'a' },"
		"    'eval': { 'epoch': [1, 2], 'test_loss': [8, 5] } },"
		"  { 'point': { 'workers': 8, 'algo': 'b' },"
		"    'eval': { 'epoch': [1, 2], 'test_loss': [8, 6] } } ]");
	struct figure f;
	char *script;

	assert_int_equal(report_check(spec, "spec"), 0);
	assert_true(figure_build(&f, plot_entry(spec, 0), spec, &runs));
	assert_int_equal(f.n, 2);
	assert_int_equal(f.series[0].n, 1);
	assert_near(f.series[0].p[0].y, 2, 0);
	assert_near(f.series[0].never[0], 8, 0);
	assert_int_equal(f.series[1].n, 0);
	assert_true(figure_frame(&f).x1 >= 8);
	script = scene_text(&f, scene_script);
	assert_non_null(strstr(script, "set label '∞' at first 8, graph 0.97 center"));
	assert_non_null(strstr(script, "set label '∞' at first 8, graph 0.92 center"));
	free(script);
	figure_release(&f);
	results_release(&runs);
	cJSON_Delete(spec);
}

/*
 * Runs that diverged before their first row are in the legend; a first row of 1e20 is no scale, nor
 * is one of 1e4 of a run that rises further and does not diverge.
 */
static void test_diverged_curves(void **state)
{
	struct scene s;

	open_curves(&s, "[ { 'point': { 'algo': 'a', 'seed': 1 }, 'status': 'done',"
			"    'eval': { 'epoch': [1, 2], 'test_loss': [8, 4] } },"
			"  { 'point': { 'algo': 'b', 'seed': 1 }, 'status': 'diverged',"
			"    'eval': { 'epoch': [], 'test_loss': [] } },"
			"  { 'point': { 'algo': 'c', 'seed': 1 }, 'status': 'diverged',"
			"    'eval': { 'epoch': [1], 'test_loss': [1e20] } },"
			"  { 'point': { 'algo': 'd', 'seed': 1 }, 'status': 'done',"
			"    'eval': { 'epoch': [], 'test_loss': [] } },"
			"  { 'point': { 'algo': 'e', 'seed': 1 }, 'status': 'done',"
			"    'eval': { 'epoch': [1, 2], 'test_loss': [1e4, 1e19] } } ]");
	assert_int_equal(s.f.n, 4);
	assert_string_equal(s.f.series[1].title, "b (diverged)");
	assert_string_equal(s.f.series[2].title, "c (rises to 1e+20, diverged)");
	assert_string_equal(s.f.series[3].title, "e (rises to 1e+19)");
	assert_true(figure_frame(&s.f).y1 < 1000);
	scene_close(&s);
}

/* A setting that grows by factors has a log axis; each point counts its own runs that diverged. */
static void test_numbers_on_the_axis(void **state)
{
	static const struct {
		const char *lr[3];
		bool log_axis;
	} cases[] = { { { "0.1", "0.3", "1" }, true }, { { "1", "2", "4" }, true },
		      { { "1", "2", "3" }, false }, { { "0", "1", "10" }, false },
		      { { "1", "1", "10" }, true }, { { "1", "1", "9" }, false } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *runs = xasprintf("[ { 'point': { 'lr': %s, 'seed': 1 }, 'status': 'done',"
				       "    'train_loss': 2 },"
				       "  { 'point': { 'lr': %s, 'seed': 1 }, 'status': 'done',"
				       "    'train_loss': 1 },"
				       "  { 'point': { 'lr': %s, 'seed': 1 }, 'status': 'diverged',"
				       "    'train_loss': null } ]", cases[i].lr[0],
				       cases[i].lr[1], cases[i].lr[2]);
		struct scene s;
		char *csv;

		scene_open(&s, "'from': 'runs', 'x': 'lr', 'y': 'train_loss'", runs);
		assert_int_equal(s.f.logx, cases[i].log_axis);
		csv = scene_text(&s.f, figure_csv);
		if (!i && !(strstr(csv, ",measured,0.1,2,,,1,0\n") &&
			    strstr(csv, ",measured,1,inf,,,,1\n")))
			fail_msg("%s", csv);
		free(csv);
		free(runs);
		scene_close(&s);
	}
}

static void test_words_on_the_axis(void **state)
{
	struct scene s;
	char *script;

	open_scene(&s, 0);
	assert_int_equal((int)s.f.nwords, 2);
	script = scene_text(&s.f, scene_script);
	assert_non_null(strstr(script, "('2 %%' 0, 'none' 1)"));
	assert_non_null(strstr(script, "set title \"It's\" noenhanced\n"));
	assert_non_null(strstr(script, "title 'A (1 to 2 seeds)'"));
	assert_non_null(strstr(script, "title 'b (1 seed)'"));
	assert_non_null(strstr(script, "mean of seeds, ± 1 s.d.\" noenhanced"));
	assert_non_null(strstr(script, "'bars.dat' index 0"));
	assert_null(strchr(script, '/'));
	free(script);
	scene_close(&s);
}

static void test_data(void **state)
{
	struct scene s;
	char *data;

	open_scene(&s, 2);
	data = scene_text(&s.f, figure_data);
	assert_non_null(strstr(data, "# a\n1 7 5.585786438 8.414213562\n"
				     "\n\n# b (1 seed)\n1 5 5 5\n2 5 5 5\n3 5 5 5\n"
				     "\n\n# published: b\n3 4.5 4.5 4.5\n"));
	free(data);
	scene_close(&s);
}

/* Numbers that we calculated are called so, in the picture, its data, its CSV and its JSON. */
static void test_calculated(void **state)
{
	void (*const put[])(const struct figure *, FILE *) = { figure_data, scene_script,
							       figure_csv };
	struct scene s;
	struct figure again;
	cJSON *json;
	char *saved;

	(void)state;
	s.spec = quoted_json(spec_text);
	s.runs = scene_runs(runs_text);
	cJSON_AddTrueToObject(cJSON_GetObjectItem(s.spec, "published"), "calculated");
	assert_true(figure_build(&s.f, plot_entry(s.spec, 2), s.spec, &s.runs));
	for (size_t i = 0; i < sizeof(put) / sizeof(put[0]); i++) {
		char *text = scene_text(&s.f, put[i]);

		assert_non_null(strstr(text, "calculated"));
		assert_null(strstr(text, "published"));
		free(text);
	}
	saved = scene_text(&s.f, figure_save);
	json = cJSON_Parse(saved);
	assert_int_equal(figure_load(&again, json, "plot"), 0);
	assert_true(again.calculated);
	figure_release(&again);
	cJSON_Delete(json);
	free(saved);
	scene_close(&s);
}

/* One value, none, huge ones: a frame is always a range. */
static void test_frames(void **state)
{
	static const double ys[] = { 0, 5, -3, 1e300, 1e-300 };

	for (size_t i = 0; i < sizeof(ys) / sizeof(ys[0]); i++)
		for (int log_y = 0; log_y < 2; log_y++) {
			struct point p = { 1, ys[i], ys[i], ys[i], 0 };
			struct series s = { .title = "x", .p = &p, .n = 1 };
			struct figure f = { .n = 1, .series = &s, .logy = log_y };
			struct frame b = figure_frame(&f);

			assert_true(b.x0 < b.x1 && b.y0 < b.y1 && isfinite(b.y1));
			figure_corner(&f);
		}
}

static bool have_gnuplot(void)
{
	return system("gnuplot --version >/dev/null 2>&1") == 0;
}

/* A picture that is whole, without marks in the colour of the background. */
static bool is_svg(const char *dir, const char *name)
{
	char *path = xasprintf("%s/%s.svg", dir, name), *text = file_read(path, NULL);
	bool good = text && strstr(text, "</svg>") && !strstr(text, "color='#FFFFFF'/>");

	free(text);
	free(path);
	return good;
}

static void test_pictures(void **state)
{
	struct scene s;
	char *folder = folder_new(), *dir = xasprintf("%s/it's here", folder);
	struct texts paths = { 0 };

	if (!have_gnuplot())
		skip();
	open_scene(&s, 0);
	capture_start();
	assert_int_equal(plots_write(s.spec, &s.runs, NULL, dir, "svg", NULL, &paths), 0);
	capture_stop();
	assert_string_equal(capture_text(), "");
	assert_true(paths.n >= 9);
	for (size_t i = 0; i < paths.n; i++)
		assert_int_equal(access(paths.v[i], R_OK), 0);
	assert_true(is_svg(dir, "bars") && is_svg(dir, "lines"));
	texts_release(&paths);
	scene_close(&s);
	free(dir);
	folder_remove(folder);
}

/* The rows of a text, and its longest. */
static size_t longest_line(const char *text)
{
	size_t longest = 0;

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
		if (strcspn(text, "\n") > longest)
			longest = strcspn(text, "\n");
	return longest;
}

static void test_terminal(void **state)
{
	struct scene s;
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	if (!have_gnuplot())
		skip();
	open_scene(&s, 2);
	setenv("COLUMNS", "60", 1);
	assert_int_equal(plots_term(s.spec, &s.runs, "curve", out), 1);
	assert_int_equal(plots_term(s.spec, &s.runs, "curv", out), 0);
	fclose(out);
	assert_non_null(strstr(text, "epoch"));
	assert_within(longest_line(text), 50, 64);
	free(text);
	scene_close(&s);
}

/* Without gnuplot script and data are left, and a warning. */
static void test_without_gnuplot(void **state)
{
	struct scene s;
	char *folder = folder_new(), *path = xstrdup(getenv("PATH"));
	struct texts paths = { 0 };

	open_scene(&s, 0);
	setenv("PATH", folder, 1);
	capture_start();
	assert_int_equal(plots_write(s.spec, &s.runs, NULL, folder, "svg", NULL, &paths), 0);
	capture_stop();
	setenv("PATH", path, 1);
	assert_said("warning: gnuplot is not installed");
	assert_int_equal(paths.n, 12);
	texts_release(&paths);
	scene_close(&s);
	free(path);
	folder_remove(folder);
}

RUN_ALL(test_curves, test_points, test_rows_without_numbers, test_log_axes, test_words_on_the_axis,
	test_missing_values, test_what_is_never_reached, test_diverged_curves,
	test_numbers_on_the_axis, test_data, test_calculated,
	test_frames, test_pictures, test_terminal, test_without_gnuplot)
