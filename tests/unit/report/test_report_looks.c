/* How a plot looks: colours of algorithms, words, what is clipped, and its numbers again. */
#include "algos/algos.h"
#include "cmd/report/parts.h"
#include "core/base/mem.h"
#include "core/file/json.h"
#include "report/plot/plot.h"
#include "report/text/width.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/scene.h"

#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- colours ---- */

static struct look look_among(const char *algo, const char *other)
{
	struct series s[2] = { { .title = "", .algo = (char *)algo },
			       { .title = "", .algo = (char *)other } };
	struct figure f = { .n = 2, .series = s };

	return figure_look(&f, 0);
}

/* Every algorithm has a colour and a mark that no other has, whatever it is compared with. */
static void test_algorithms_have_looks(void **state)
{
	for (int i = 0; algo_table[i]; i++) {
		const struct look a = look_among(algo_table[i]->name, "none of ours");

		assert_string_equal(a.color, look_among(algo_table[i]->name, NULL).color);
		for (int k = 0; k < i; k++) {
			const struct look b = look_among(algo_table[k]->name, "none of ours");

			assert_true(strcmp(a.color, b.color) || a.full != b.full);
		}
	}
}

/* One that is not ours looks the same in every plot, and like none of ours. */
static void test_own_algorithms_have_looks(void **state)
{
	static const char *const own[] = { "my-algo", "sketch-sgd", "x" };

	for (size_t k = 0; k < 3; k++) {
		const struct look look = look_among(own[k], "asgd");
		const struct look alone = look_among(own[k], "another");

		assert_string_equal(look.color, alone.color);
		assert_string_equal(look.dash, alone.dash);
		assert_int_equal(look.full, alone.full);
		for (int i = 0; algo_table[i]; i++) {
			const struct look ours = look_among(algo_table[i]->name, "another");

			assert_true(strcmp(look.color, ours.color) || look.full != ours.full);
		}
	}
}

/* No two algorithms of a kept plot have one colour. */
static void check_colors(const struct figure *f, const char *path)
{
	for (size_t i = 0; i < f->n; i++)
		for (size_t k = 0; k < i; k++) {
			const struct series *a = &f->series[i], *b = &f->series[k];

			if (!a->algo || !b->algo || !strcmp(a->algo, b->algo))
				continue;
			if (!strcmp(figure_look(f, i).color, figure_look(f, k).color))
				fail_msg("%s: %s: %s and %s", path, f->name, a->algo, b->algo);
		}
}

/* The plots of kept runs; how many are drawn. */
static int check_runs(const char *path)
{
	int ret = 0, drawn = 0;
	cJSON *json = kept_load(xasprintf("%.*s", (int)strlen(path) - 3, path), &ret);
	struct results runs = results_of_json(json);
	const cJSON *entry;
	struct figure f;
	struct spec s;

	assert_true(runs.n > 0);
	assert_int_equal(spec_load_settings(&s, runs.v[0].text[RESULT_EXPERIMENT],
					    runs.v[0].text[RESULT_SCALE]), 0);
	cJSON_ArrayForEach(entry, json_get(s.json, "plots")) {
		if (figure_build(&f, entry, s.json, &runs)) {
			check_colors(&f, path);
			drawn++;
		}
		figure_release(&f);
	}
	spec_release(&s);
	results_release(&runs);
	cJSON_Delete(json);
	return drawn;
}

static void test_compared_algorithms_have_colors(void **state)
{
	glob_t found;
	int drawn = 0;

	assert_int_equal(chdir(getenv("CONVOY_SOURCE")), 0);
	setenv("CONVOY_HOME", getenv("CONVOY_SOURCE"), 1);
	assert_int_equal(glob("results/reference/*/*/plots/*.json", 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		cJSON *json = json_load(found.gl_pathv[i]);
		struct figure f;

		assert_int_equal(figure_load(&f, json, found.gl_pathv[i]), 0);
		check_colors(&f, found.gl_pathv[i]);
		drawn++;
		figure_release(&f);
		cJSON_Delete(json);
	}
	globfree(&found);
	capture_start();
	assert_int_equal(glob("results/reference/*/*/runs.json.gz", 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++)
		drawn += check_runs(found.gl_pathv[i]);
	capture_stop();
	globfree(&found);
	assert_true(drawn > 150);
}

/* Of one algorithm alone the series differ; of two, variants are shades. */
static void test_looks_in_turn(void **state)
{
	struct series s[3] = { { .algo = "asgd" }, { .algo = "asgd" }, { .algo = "asgd" } };
	struct figure f = { .n = 3, .series = s };

	assert_string_equal(figure_look(&f, 0).color, "#0072B2");
	assert_string_equal(figure_look(&f, 1).color, "#D55E00");
	s[2].algo = "allreduce";
	assert_string_equal(figure_look(&f, 2).color, "#0072B2");
	assert_string_equal(figure_look(&f, 0).color, "#CC79A7");
	assert_true(strcmp(figure_look(&f, 1).color, "#CC79A7") != 0);
	assert_true(figure_look(&f, 1).full != figure_look(&f, 0).full);
}

#define SPEEDUPS "'from': 'runs', 'y': 'speedup'"

/* ---- words ---- */

static void check_labels(const char *entry, const char *runs, const char *first,
			 const char *second)
{
	struct scene s;

	scene_open(&s, entry, runs);
	assert_int_equal(s.f.n, 2);
	assert_string_equal(s.f.series[0].label, first);
	assert_string_equal(s.f.series[1].label, second);
	scene_close(&s);
}

static void test_legends_name_quantities(void **state)
{
	check_labels(SPEEDUPS ", 'x': 'batch', 'series': 'optim'",
		     "[ { 'speedup': 1,"
		     "    'point': { 'batch': 1, 'optim': 'sgd:momentum=-0.6,a=1' } },"
		     "  { 'speedup': 1, 'point': { 'batch': 1, 'optim': 'sgd:momentum=0,a=1' } } ]",
		     "momentum -0.6", "momentum 0");
	check_labels(SPEEDUPS ", 'x': 'batch', 'series': ['algo', 'workers']",
		     "[ { 'speedup': 1, 'point': { 'batch': 1, 'algo': 'eamsgd:tau=10',"
		     "    'workers': 1 } }, { 'speedup': 1, 'point': { 'batch': 1,"
		     "    'algo': 'asgd', 'workers': 4 } } ]", "eamsgd, 1 worker",
		     "asgd, 4 workers");
	check_labels(SPEEDUPS ", 'x': 'batch', 'series': 'lr'",
		     "[ { 'speedup': 1, 'point': { 'batch': 1, 'lr': '0.1' } },"
		     "  { 'speedup': 1, 'point': { 'batch': 1, 'lr': '0.2' } } ]",
		     "learning rate 0.1", "learning rate 0.2");
}

static void check_wrapped(const char *text, int width, const char *wanted)
{
	char *wrapped = text_wrap(text, width);

	assert_string_equal(wrapped, wanted);
	free(wrapped);
}

/* At spaces; a word that is longer than a line after a comma. */
static void test_wrapping(void **state)
{
	static const char *const texts[] = { "one two three", "onetwothreefour",
					     "αβγδεζ ηθικλμ", "a  b   c    d", "" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char *wrapped = text_wrap(texts[i], 8);

		assert_true(text_longest_line(wrapped) <= 8);
		free(wrapped);
	}
	assert_int_equal(text_lines("a\nb"), 2);
	check_wrapped("link=nic:bandwidth=12.5,latency_s=0 lr=1", 24,
		      "link=nic:bandwidth=12.5,\nlatency_s=0 lr=1");
	check_wrapped("one link=nic:bandwidth=12.5,latency_s=0,duplex=full", 24,
		      "one\nlink=nic:bandwidth=12.5,\nlatency_s=0,duplex=full");
	check_wrapped("a bb ccc", 4, "a bb\nccc");
}

/* A long title and a long name take more lines, and the picture grows by them. */
static void test_long_titles_wrap(void **state)
{
	struct scene s;
	char *script;

	scene_open(&s, SPEEDUPS ", 'x': 'batch', 'title': 'a title that is far too long for one "
		   "line of a picture, so it has two of them', 'series': 'net', 'labels': {"
		   "'a': 'a name that is longer than a line of any legend can be' }",
		   "[ { 'speedup': 1, 'point': { 'batch': 1, 'net': 'a' } } ]");
	script = scene_text(&s.f, scene_script);
	assert_non_null(strstr(script, "set title \"a title that is far too long for one line of a "
				       "picture,\\nso it has two of them\" noenhanced"));
	assert_non_null(strstr(script, "title 'a name that is longer than a line of any', \\\n"
				       "\tNaN with points pt ' ' title 'legend can be'"));
	assert_true(figure_height(&s.f) > PLOT_HEIGHT);
	free(script);
	scene_close(&s);
}

/* ---- values ---- */

static void check_ends(const char *entry, const char *runs, double low, double high)
{
	struct scene s;

	scene_open(&s, entry, runs);
	assert_near(s.f.series[0].p[0].lo, low, 1e-12);
	assert_near(s.f.series[0].p[0].hi, high, 1e-12);
	scene_close(&s);
}

/* No deviation below 0 or above 1 where the measure cannot be there; momentum can. */
static void test_bands_within_the_possible(void **state)
{
	check_ends("'from': 'runs', 'x': 'batch', 'y': 'test_accuracy'",
		   "[ { 'test_accuracy': 1, 'point': { 'batch': 1, 'seed': 1 } },"
		   "  { 'test_accuracy': 0, 'point': { 'batch': 1, 'seed': 2 } } ]", 0, 1);
	check_ends("'from': 'eval', 'x': 'epoch', 'y': 'test_loss'",
		   "[ { 'eval': { 'epoch': [1], 'test_loss': [0] }, 'point': { 'seed': 1 } },"
		   "  { 'eval': { 'epoch': [1], 'test_loss': [2] }, 'point': { 'seed': 2 } } ]", 0,
		   1 + sqrt(2));
	check_ends("'from': 'runs', 'x': 'batch', 'y': 'momentum_mean'",
		   "[ { 'momentum_mean': 0, 'point': { 'batch': 1, 'seed': 1 } },"
		   "  { 'momentum_mean': 2, 'point': { 'batch': 1, 'seed': 2 } } ]", 1 - sqrt(2),
		   1 + sqrt(2));
}

/* A loss that is lost leaves the plot, and the legend says how far it rises. */
static void test_lost_curves_are_clipped(void **state)
{
	struct scene s;
	char *script;

	scene_open(&s, "'from': 'eval', 'x': 'epoch', 'y': 'test_loss', 'series': 'algo'",
		   "[ { 'point': { 'algo': 'asgd' },"
		   "    'eval': { 'epoch': [1, 2, 3], 'test_loss': [2, 9, 3e15] } },"
		   "  { 'point': { 'algo': 'ssp' },"
		   "    'eval': { 'epoch': [1, 2, 3], 'test_loss': [4, 3, 2] } } ]");
	assert_true(figure_frame(&s.f).y1 < 10);
	assert_near(figure_frame(&s.f).x1, 3, 0.2);
	assert_string_equal(s.f.series[0].title, "asgd (rises to 3e+15)");
	assert_string_equal(s.f.series[1].title, "ssp");
	script = scene_text(&s.f, scene_script);
	assert_non_null(strstr(script, "top(y) = y > "));
	assert_non_null(strstr(script, "index 0 using 1:(top($2)) with linespoints"));
	free(script);
	scene_close(&s);
}

/*
 * A seed that diverged is no 0: its point is a sign, and the legend has the count. Bars enclose
 * their means, also where a log axis cuts them.
 */
static void test_diverged(void **state)
{
	struct scene s;
	struct figure again;
	char *script, *csv, *json;
	cJSON *parsed;

	scene_open(&s, "'from': 'runs', 'x': 'workers', 'y': 'test_accuracy', 'series': 'algo',"
		   " 'logy': true",
		   "[ { 'test_accuracy': 0, 'status': 'diverged', 'workers': 2,"
		   "    'point': { 'workers': 2, 'algo': 'asgd', 'seed': 1 } },"
		   "  { 'test_accuracy': 0.0936, 'status': 'done', 'workers': 2,"
		   "    'point': { 'workers': 2, 'algo': 'asgd', 'seed': 2 } },"
		   "  { 'test_accuracy': 0, 'status': 'done', 'workers': 4,"
		   "    'point': { 'workers': 4, 'algo': 'asgd', 'seed': 1 } },"
		   "  { 'test_accuracy': 0.0936, 'status': 'done', 'workers': 4,"
		   "    'point': { 'workers': 4, 'algo': 'asgd', 'seed': 2 } } ]");
	assert_int_equal(s.f.series[0].n, 1);
	assert_near(s.f.series[0].p[0].x, 4, 0);
	assert_near(s.f.series[0].p[0].y, 0.0468, 1e-12);
	assert_true(s.f.series[0].p[0].lo <= s.f.series[0].p[0].y);
	assert_true(s.f.series[0].p[0].hi >= s.f.series[0].p[0].y);
	assert_int_equal(s.f.series[0].nnever, 1);
	assert_near(s.f.series[0].never[0], 2, 0);
	assert_string_equal(s.f.series[0].title, "asgd (1 of 4 diverged)");
	assert_string_equal(figure_nevers(&s.f), "diverged");
	script = scene_text(&s.f, scene_script);
	assert_non_null(strstr(script, "set label '×' at first 2,"));
	csv = scene_text(&s.f, figure_csv);
	assert_non_null(strstr(csv, "\nasgd,asgd,measured,2,,,,,1\n"));
	json = scene_text(&s.f, figure_save);
	parsed = cJSON_Parse(json);
	assert_int_equal(figure_load(&again, parsed, "p.json"), 0);
	assert_string_equal(again.series[0].title, "asgd (1 of 4 diverged)");
	figure_release(&again);
	cJSON_Delete(parsed);
	free(script);
	free(csv);
	free(json);
	scene_close(&s);
}

/* ---- the same again, and letters ---- */

static const char round_entry[] = SPEEDUPS ", 'x': 'net', 'series': 'algo', 'title': 'It\\u0027s'";
static const char round_runs[] =
	"[ { 'speedup': 1, 'point': { 'net': 'a,b', 'algo': 'asgd', 'seed': 1 } },"
	"  { 'speedup': 3, 'point': { 'net': 'a,b', 'algo': 'asgd', 'seed': 2 } },"
	"  { 'speedup': 4, 'point': { 'net': 'c', 'algo': 'ssp', 'seed': 1 } } ]";

static void test_numbers_for_others(void **state)
{
	struct scene s;
	struct figure again;
	char *csv, *json, *first, *second;
	cJSON *parsed;

	scene_open(&s, round_entry, round_runs);
	csv = scene_text(&s.f, figure_csv);
	assert_string_equal(csv, "series,algo,kind,x,y,low,high,seeds,diverged\n"
				 "asgd,asgd,measured,\"a,b\",2,0.5857864376,3.414213562,2,0\n"
				 "ssp,ssp,measured,c,4,,,1,0\n");
	json = scene_text(&s.f, figure_save);
	parsed = cJSON_Parse(json);
	assert_int_equal(figure_load(&again, parsed, "p.json"), 0);
	first = scene_text(&s.f, scene_script);
	second = scene_text(&again, scene_script);
	assert_string_equal(first, second);
	figure_release(&again);
	cJSON_Delete(parsed);
	free(csv);
	free(json);
	free(first);
	free(second);
	scene_close(&s);
}

static void put_term(const struct figure *f, FILE *out)
{
	const struct plot_screen screen = { .width = 60, .height = 20 };

	figure_script_term(f, &screen, out);
}

/* Marks are letters, each in the legend; exponents are not markup. */
static void test_letters(void **state)
{
	struct scene s;
	char *script;

	scene_open(&s, "'from': 'eval', 'x': 'epoch', 'y': 'gap', 'logy': true, 'published': true",
		   "[ { 'point': {}, 'eval': { 'epoch': [1, 2], 'gap': [1e-9, 1] } } ]");
	s.f.series[0].pub = xcalloc(1, sizeof(struct point));
	s.f.series[0].pub[0] = (struct point){ 1, 1, 1, 1 };
	s.f.series[0].npub = 1;
	script = scene_text(&s.f, put_term);
	assert_non_null(strstr(script, "set terminal dumb 60 "));
	assert_null(strstr(script, "{"));
	assert_non_null(strstr(script, "pt 'A'"));
	assert_non_null(strstr(script, "title 'published'"));
	free(script);
	scene_close(&s);
}

RUN_ALL(test_algorithms_have_looks, test_own_algorithms_have_looks,
	test_compared_algorithms_have_colors, test_looks_in_turn, test_legends_name_quantities,
	test_wrapping, test_long_titles_wrap, test_bands_within_the_possible,
	test_lost_curves_are_clipped, test_diverged, test_numbers_for_others, test_letters)
