/*
 * How a plot looks: colours of algorithms, ticks, words, what is clipped, and its numbers again.
 */
#include "algos/algos.h"
#include "core/mem.h"
#include "report/plot.h"
#include "report/report.h"
#include "report/width.h"
#include "tests/support/check.h"
#include "tests/support/quoted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct scene {
	cJSON *spec, *runs;
	struct figure f;
};

/* A figure of the runs' speedups, or of what `entry` says; members of a plot. */
static void open_scene(struct scene *s, const char *entry, const char *runs)
{
	char *text = xasprintf("{ 'plots': [ { 'name': 'p', %s } ] }", entry);

	s->spec = quoted_json(text);
	s->runs = quoted_json(runs);
	assert_true(figure_build(&s->f, cJSON_GetObjectItem(s->spec, "plots")->child, s->spec,
				 s->runs));
	free(text);
}

static void close_scene(struct scene *s)
{
	figure_release(&s->f);
	cJSON_Delete(s->spec);
	cJSON_Delete(s->runs);
}

static char *written(const struct figure *f, void (*put)(const struct figure *, FILE *))
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	put(f, out);
	fclose(out);
	return text;
}

/* ---- colours ---- */

static struct look look_beside(const char *algo, const char *other)
{
	struct series s[2] = { { .title = "", .algo = (char *)algo },
			       { .title = "", .algo = (char *)other } };
	struct figure f = { .n = 2, .series = s };

	return figure_look(&f, 0);
}

/* Every algorithm has a colour and a mark that no other has, whatever it is compared with. */
static void test_algorithms_have_looks(void **state)
{
	(void)state;
	for (int i = 0; algo_table[i]; i++) {
		const struct look a = look_beside(algo_table[i]->name, "none of ours");

		assert_string_equal(a.color, look_beside(algo_table[i]->name, NULL).color);
		for (int k = 0; k < i; k++) {
			const struct look b = look_beside(algo_table[k]->name, "none of ours");

			assert_true(strcmp(a.color, b.color) || a.full != b.full);
		}
	}
}

/* Of one algorithm alone the series differ; of two, variants are shades. */
static void test_looks_in_turn(void **state)
{
	struct series s[3] = { { .algo = "asgd" }, { .algo = "asgd" }, { .algo = "asgd" } };
	struct figure f = { .n = 3, .series = s };

	(void)state;
	assert_string_equal(figure_look(&f, 0).color, "#0072B2");
	assert_string_equal(figure_look(&f, 1).color, "#D55E00");
	s[2].algo = "allreduce";
	assert_string_equal(figure_look(&f, 2).color, "#0072B2");
	assert_string_equal(figure_look(&f, 0).color, "#CC79A7");
	assert_true(strcmp(figure_look(&f, 1).color, "#CC79A7") != 0);
	assert_true(figure_look(&f, 1).full != figure_look(&f, 0).full);
}

/* ---- axes ---- */

#define SPEEDUPS "'from': 'runs', 'y': 'speedup'"

static void test_workers_at_powers_of_two(void **state)
{
	struct scene s;
	char *script;

	(void)state;
	open_scene(&s, SPEEDUPS ", 'x': 'workers', 'logx': true",
		   "[ { 'speedup': 1, 'point': { 'workers': 2 } },"
		   "  { 'speedup': 3, 'point': { 'workers': 16 } } ]");
	script = written(&s.f, figure_script);
	assert_non_null(strstr(script, "set xtics ('16' 16, '8' 8, '4' 4, '2' 2)\n"));
	free(script);
	close_scene(&s);
}

/* Settings that differ in one number are an axis; in a word, they are words. */
static void test_options_are_numbers(void **state)
{
	struct scene s;

	(void)state;
	open_scene(&s, SPEEDUPS ", 'x': 'link'",
		   "[ { 'speedup': 1, 'point': { 'link': 'nic:bandwidth_GBps=10,latency_s=0' } },"
		   "  { 'speedup': 2, 'point': { 'link': 'nic:bandwidth_GBps=1,latency_s=0' } },"
		   "  { 'speedup': 3,"
		   "    'point': { 'link': 'nic:bandwidth_GBps=.1,latency_s=0' } } ]");
	assert_null(s.f.categories);
	assert_true(s.f.logx);
	assert_string_equal(s.f.xlabel, "nic bandwidth [GB/s]");
	assert_near(s.f.series[0].p[0].x, 0.1, 1e-12);
	assert_near(s.f.series[0].p[2].x, 10, 1e-12);
	close_scene(&s);
	open_scene(&s, SPEEDUPS ", 'x': 'link'",
		   "[ { 'speedup': 1, 'point': { 'link': 'nic:bandwidth_GBps=1' } },"
		   "  { 'speedup': 2, 'point': { 'link': 'fabric:bandwidth_GBps=2' } } ]");
	assert_int_equal(cJSON_GetArraySize(s.f.categories), 2);
	close_scene(&s);
}

/* ---- words ---- */

static void check_labels(const char *entry, const char *runs, const char *first,
			 const char *second)
{
	struct scene s;

	open_scene(&s, entry, runs);
	assert_int_equal(s.f.n, 2);
	assert_string_equal(s.f.series[0].label, first);
	assert_string_equal(s.f.series[1].label, second);
	close_scene(&s);
}

static void test_legends_name_quantities(void **state)
{
	(void)state;
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

static void test_wrapping(void **state)
{
	static const char *const texts[] = { "one two three", "onetwothreefour",
					     "αβγδεζ ηθικλμ", "a  b   c    d", "" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char *wrapped = text_wrap(texts[i], 8);

		assert_true(text_longest_line(wrapped) <= 8);
		free(wrapped);
	}
	assert_int_equal(text_lines("a\nb"), 2);
}

/* A long title and a long name take more lines, and the picture grows by them. */
static void test_long_titles_wrap(void **state)
{
	struct scene s;
	char *script;

	(void)state;
	open_scene(&s, SPEEDUPS ", 'x': 'batch', 'title': 'a title that is far too long for one "
		   "line of a picture, so it has two of them', 'series': 'net', 'labels': {"
		   "'a': 'a name that is longer than a line of any legend can be' }",
		   "[ { 'speedup': 1, 'point': { 'batch': 1, 'net': 'a' } } ]");
	script = written(&s.f, figure_script);
	assert_non_null(strstr(script, "set title \"a title that is far too long for one line of a "
				       "picture, so\\nit has two of them\" noenhanced"));
	assert_non_null(strstr(script, "title 'a name that is longer than a line of any', \\\n"
				       "\tNaN with points pt ' ' title 'legend can be'"));
	assert_true(figure_height(&s.f) > PLOT_HEIGHT);
	free(script);
	close_scene(&s);
}

/* ---- values ---- */

static void check_ends(const char *entry, const char *runs, double low, double high)
{
	struct scene s;

	open_scene(&s, entry, runs);
	assert_near(s.f.series[0].p[0].lo, low, 1e-12);
	assert_near(s.f.series[0].p[0].hi, high, 1e-12);
	close_scene(&s);
}

/* No deviation below 0 or above 1 where the measure cannot be there; momentum can. */
static void test_bands_within_the_possible(void **state)
{
	(void)state;
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

	(void)state;
	open_scene(&s, "'from': 'eval', 'x': 'epoch', 'y': 'test_loss', 'series': 'algo'",
		   "[ { 'point': { 'algo': 'asgd' },"
		   "    'eval': { 'epoch': [1, 2, 3], 'test_loss': [2, 9, 3e15] } },"
		   "  { 'point': { 'algo': 'ssp' },"
		   "    'eval': { 'epoch': [1, 2, 3], 'test_loss': [4, 3, 2] } } ]");
	assert_true(figure_frame(&s.f).y1 < 10);
	assert_near(figure_frame(&s.f).x1, 3, 0.2);
	assert_string_equal(s.f.series[0].title, "asgd (rises to 3e+15)");
	assert_string_equal(s.f.series[1].title, "ssp");
	close_scene(&s);
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

	(void)state;
	open_scene(&s, round_entry, round_runs);
	csv = written(&s.f, figure_csv);
	assert_string_equal(csv, "series,algo,kind,x,y,low,high,seeds\n"
				 "asgd,asgd,measured,\"a,b\",2,0.5857864376,3.414213562,2\n"
				 "ssp,ssp,measured,c,4,,,1\n");
	json = written(&s.f, figure_save);
	parsed = cJSON_Parse(json);
	assert_int_equal(figure_load(&again, parsed, "p.json"), 0);
	first = written(&s.f, figure_script);
	second = written(&again, figure_script);
	assert_string_equal(first, second);
	figure_release(&again);
	cJSON_Delete(parsed);
	free(csv);
	free(json);
	free(first);
	free(second);
	close_scene(&s);
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

	(void)state;
	open_scene(&s, "'from': 'eval', 'x': 'epoch', 'y': 'gap', 'logy': true, 'published': true",
		   "[ { 'point': {}, 'eval': { 'epoch': [1, 2], 'gap': [1e-9, 1] } } ]");
	s.f.series[0].pub = xcalloc(1, sizeof(struct point));
	s.f.series[0].pub[0] = (struct point){ 1, 1, 1, 1 };
	s.f.series[0].npub = 1;
	script = written(&s.f, put_term);
	assert_non_null(strstr(script, "set terminal dumb 60 "));
	assert_null(strstr(script, "{"));
	assert_non_null(strstr(script, "pt 'A'"));
	assert_non_null(strstr(script, "title 'published'"));
	free(script);
	close_scene(&s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_algorithms_have_looks),
		cmocka_unit_test(test_looks_in_turn),
		cmocka_unit_test(test_workers_at_powers_of_two),
		cmocka_unit_test(test_options_are_numbers),
		cmocka_unit_test(test_legends_name_quantities),
		cmocka_unit_test(test_wrapping),
		cmocka_unit_test(test_long_titles_wrap),
		cmocka_unit_test(test_bands_within_the_possible),
		cmocka_unit_test(test_lost_curves_are_clipped),
		cmocka_unit_test(test_numbers_for_others),
		cmocka_unit_test(test_letters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
