/* What stands next to and below a plot's axes does not overlap: the legend, words and numbers. */
#include "report/plot/plot.h"

#include "tests/support/check.h"
#include "tests/support/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void test_legend_keeps_clear(void **state)
{
	struct point up[2] = { { 0, 0, 0, 0, 0 }, { 1, 1, 1, 1, 0 } };
	struct point down[2] = { { 0, 1, 1, 1, 0 }, { 1, 0, 0, 0, 0 } };
	struct series s = { .title = "x", .p = up, .n = 2 };
	struct series both[2] = { s, { .title = "y", .p = down, .n = 2 } };
	struct figure f = { .n = 1, .series = &s };

	assert_string_equal(figure_corner(&f), "top left");
	s.p = down;
	assert_string_equal(figure_corner(&f), "top right");
	f = (struct figure){ .n = 2, .series = both };
	assert_null(figure_corner(&f));
}

/* Below the axes the legend has as many columns as fit, and the picture grows by its rows. */
static void test_legend_fits(void **state)
{
	enum { SERIES = 6 };
	struct point up[2] = { { 0, 0, 0, 0, 0 }, { 1, 1, 1, 1, 0 } };
	struct point down[2] = { { 0, 1, 1, 1, 0 }, { 1, 0, 0, 0, 0 } };
	struct series s[SERIES];
	struct figure f = { .n = SERIES, .series = s };

	for (int i = 0; i < SERIES; i++)
		s[i] = (struct series){ .title = "lr ±0.1", .p = i % 2 ? up : down, .n = 2 };
	assert_null(figure_corner(&f));
	assert_int_equal(figure_columns(&f), 3);        /* 7 letters and 6, of 11.9 in 500 */
	assert_int_equal(figure_height(&f), PLOT_HEIGHT + 87);     /* 3 lines of 29.325 */
	s[5].title = "DANA with gap-aware, momentum 0.9";
	f.seeds = 2;
	assert_int_equal(figure_columns(&f), 1);
	assert_int_equal(figure_height(&f), PLOT_HEIGHT + 234);    /* 8 lines */
	f.n = 1;
	f.seeds = 1;
	assert_int_equal(figure_height(&f), PLOT_HEIGHT);
}

/* Words that would meet under the axis are slanted: 6 of 9 letters of 10.2 in 500. */
static void test_words_fit(void **state)
{
	struct point p = { 0, 1, 1, 1, 0 };
	struct series s = { .title = "x", .p = &p, .n = 1 };
	struct figure f = { .n = 1, .series = &s, .worded = true };

	for (int i = 0; i < 5; i++)
		figure_add_word(&f, "16 groups");
	assert_false(figure_slanted(&f));
	figure_add_word(&f, "1");
	assert_true(figure_slanted(&f));
	assert_int_equal(figure_height(&f), PLOT_HEIGHT + 38);
	for (size_t i = 0; i < f.nwords; i++)
		free(f.words[i]);
	free(f.words);
}

/* Numbers of 7 letters overlap at 7 tics, and not at 3; short ones need no step. */
static void test_numbers_fit(void **state)
{
	assert_near(plot_step(0, 0.000147, PLOT_AREA), 5e-5, 1e-12);
	assert_near(plot_step(0.0001, 0.00012, PLOT_AREA), 5e-6, 1e-12);
	assert_true(plot_step(0, 8.3, PLOT_AREA) <= 0);
	assert_true(plot_step(-5, 160, PLOT_AREA) <= 0);
	assert_true(plot_step(0, 0, PLOT_AREA) <= 0 && plot_step(1, 1 + 1e-12, PLOT_AREA) <= 0);
	assert_true(plot_step(0, HUGE_VAL, PLOT_AREA) <= 0);
	assert_true(plot_step((double)NAN, 1, PLOT_AREA) <= 0);
	assert_true(plot_step(1e300, 2e300, PLOT_AREA) >= 0);
	assert_true(plot_step(0, 1e-300, PLOT_AREA) >= 0);
}

/* ---- more series than a legend can be read for ---- */

enum { MANY = 12 };

/* The labels of a script, each once; the least distance between two, in pixels of the axes. */
static int labels_of(const struct figure *f, double *least)
{
	char *script = scene_text(f, scene_script);
	double x[MANY], y[MANY];
	int n = 0;

	*least = HUGE_VAL;
	for (const char *at = script; (at = strstr(at, "set label ")) && n < MANY; at++, n++) {
		const char *where = strstr(at, " at graph ");

		assert_non_null(where);
		assert_int_equal(sscanf(where, " at graph %lf, graph %lf", &x[n], &y[n]), 2);
		for (int k = 0; k < n; k++)
			*least = fmin(*least, hypot((x[n] - x[k]) * figure_area_width(f),
						    (y[n] - y[k]) * figure_area_height(f)));
	}
	free(script);
	return n;
}

/* Lines have their names next to them, long names numbers; labels do not overlap. */
static void test_many_series_are_named_at_their_lines(void **state)
{
	struct point p[MANY][2];
	struct series s[MANY];
	struct figure f = { .name = "p", .xlabel = (char *)"x", .ylabel = (char *)"y", .n = MANY,
			    .series = s };
	double least;

	for (int i = 0; i < MANY; i++) {
		p[i][0] = (struct point){ 0, i, i, i, 0 };
		p[i][1] = (struct point){ 1, i / 4, i / 4, i / 4, 0 };
		s[i] = (struct series){ .label = "a name", .title = "a name", .p = p[i], .n = 2 };
	}
	assert_int_equal(figure_naming(&f), PLOT_NAMES);
	assert_int_equal(figure_legend_lines(&f), 0);
	assert_true(figure_area_width(&f) < PLOT_AREA - 20);
	assert_int_equal(labels_of(&f, &least), MANY);
	assert_true(least > 19.5);
	s[3].title = "a name that is far too long to stand next to the axes";
	assert_int_equal(figure_naming(&f), PLOT_NUMBERS);
	assert_int_equal(figure_legend_lines(&f), MANY);
	assert_int_equal(labels_of(&f, &least), MANY);
	assert_true(least > 19.5);
	f.n = 6;
	assert_int_equal(figure_naming(&f), PLOT_LEGEND);
	assert_int_equal(labels_of(&f, &least), 0);
}

/* Points have them next to them, on none of the others, even where they lie close together. */
static void test_many_series_are_named_at_their_points(void **state)
{
	struct point p[MANY];
	struct series s[MANY];
	struct figure f = { .name = "p", .xlabel = (char *)"x", .ylabel = (char *)"y", .n = MANY,
			    .series = s };
	double least;

	for (int i = 0; i < MANY; i++) {
		p[i] = (struct point){ i == 0 ? 10 : 1 + i % 3 * 0.1, i, i, i, 0 };
		s[i] = (struct series){ .label = "name", .title = "name", .p = &p[i], .n = 1 };
	}
	assert_int_equal(figure_naming(&f), PLOT_NAMES);
	assert_near(figure_side(&f), 0, 0);
	assert_int_equal(labels_of(&f, &least), MANY);
	assert_true(least > 19.5);
}

RUN_ALL(test_legend_keeps_clear, test_legend_fits, test_words_fit, test_numbers_fit,
	test_many_series_are_named_at_their_lines, test_many_series_are_named_at_their_points)
