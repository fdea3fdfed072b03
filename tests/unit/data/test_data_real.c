/*
 * The published sets, where CONVOY_DATA names the folder that holds them: known
 * by their digests, which a warning would deny, and by their moments; texts by their tokens.
 */
#include "core/base/mem.h"
#include "data/data.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"

#include <stdio.h>
#include <stdlib.h>

static void check_moments(const struct dataset *ds)
{
	static uint8_t pixels[1 << 14];
	const int size = ds->height * ds->width * ds->channels;
	float mean[4], dev[4];
	double sum = 0, squares = 0, n = (double)ds->n[SPLIT_TRAIN] * size;
	int32_t label;

	ds->type->moments(ds, mean, dev);
	for (int64_t i = 0; i < ds->n[SPLIT_TRAIN]; i++) {
		ds->type->sample(ds, SPLIT_TRAIN, i, pixels, &label);
		for (int k = 0; k < size; k++) {
			int c = k % ds->channels;
			double v = (pixels[k] / 255.0 - (double)mean[c]) / (double)dev[c];
			sum += v;
			squares += v * v;
		}
	}
	assert_near(sum / n, 0.0, 0.001);
	assert_near(squares / n, 1.0, 0.001);
}

/* Runs on published files keep the hash that they had before it depended on contents. */
static void check_hashed(const char *name, const char *more)
{
	struct choice c = { 0 };
	char *text = xasprintf("%s%s", name, more);

	assert_int_equal(choice_parse(&c, dataset_table, "data set", text), 0);
	assert_int_equal(dataset_contents((const struct dataset_type *)c.plugin, c.conf), 0);
	choice_release(&c);
	free(text);
}

/* A set that is not there is passed over: a folder need not hold all three. */
static void check_set(const char *name, int64_t train)
{
	struct dataset *ds;

	capture_start();
	ds = dataset_open_text(name);
	capture_stop();
	if (!ds) {
		print_message("%s: %s", name, capture_text());
		assert_said("no such file");
		skip();
	}
	assert_string_equal(capture_text(), "");
	assert_int_equal(ds->n[SPLIT_TRAIN], train);
	assert_int_equal(ds->n[SPLIT_TEST], 10000);
	check_moments(ds);
	dataset_close(ds);
	check_hashed(name, "");
	check_hashed(name, ":train=30000,test=10");
	check_hashed(name, ":holdout=5000");
}

static void test_cifar10(void **state)
{
	check_set("cifar10", 50000);
}

static void test_cifar100(void **state)
{
	check_set("cifar100", 50000);
}

static void test_mnist(void **state)
{
	check_set("mnist", 60000);
}

/* tokens: of both splits together; published: known by its digest. */
static void check_text(const char *settings, int64_t tokens, int symbols, bool published)
{
	struct dataset *ds;

	capture_start();
	ds = dataset_open_text(settings);
	capture_stop();
	if (!ds) {
		print_message("%s: %s", settings, capture_text());
		assert_said("no such file");
		skip();
	}
	/* Of windows of one token, each split has one less than it has tokens. */
	assert_int_equal(ds->n[SPLIT_TRAIN] + ds->n[SPLIT_TEST] + 2, tokens);
	assert_int_equal(ds->classes, symbols);
	assert_int_equal(ds->standing == SET_PUBLISHED, published);
	dataset_close(ds);
}

static void test_tinyshakespeare(void **state)
{
	check_text("text:window=1", 1115394, 65, true);
}

/* The published counts of tokens, with an end at each line. */
static void test_wikitext_valid(void **state)
{
	check_text("text:unit=word,window=1,file=wikitext-2/wiki.valid.tokens", 217646, 13777,
		   false);
}

static void test_wikitext_test(void **state)
{
	check_text("text:unit=word,window=1,file=wikitext-2/wiki.test.tokens", 245569, 14143,
		   false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cifar10),
		cmocka_unit_test(test_cifar100),
		cmocka_unit_test(test_mnist),
		cmocka_unit_test(test_tinyshakespeare),
		cmocka_unit_test(test_wikitext_valid),
		cmocka_unit_test(test_wikitext_test),
	};

	if (!getenv("CONVOY_DATA")) {
		puts("skipped: CONVOY_DATA is not set");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
