/* Sizes of data sets without reading them: what count() says is what open() gives. */
#include "core/base/mem.h"
#include "data/data.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECORD = 3073, DIGIT = 28 * 28 };

static const struct dataset_type *choose(struct choice *c, const char *name, const char *more)
{
	char *text = strcmp(name, "shapes") ? xasprintf("%s:dir=%s%s", name, folder, more)
					    : xasprintf("%s:%s", name, more);

	*c = (struct choice){ 0 };
	assert_int_equal(choice_parse(c, dataset_table, "data set", text), 0);
	free(text);
	return (const struct dataset_type *)c->plugin;
}

static int count(const char *name, const char *more, int64_t n[2])
{
	struct choice c;
	const struct dataset_type *type = choose(&c, name, more);
	int ret = dataset_count(type, c.conf, n);

	choice_release(&c);
	return ret;
}

/* As count() says, so open() does, and labels are those of the samples. */
static void check_open(const char *name, const char *more)
{
	int64_t n[2] = { -1, -1 };
	uint8_t pixels[RECORD];
	struct dataset *ds;
	struct choice c;

	assert_int_equal(count(name, more, n), 0);
	choose(&c, name, more);
	capture_start();
	ds = dataset_open(&c);
	capture_stop();
	assert_non_null(ds);
	for (int k = 0; k < 2; k++) {
		assert_int_equal(ds->n[k], n[k]);
		for (int64_t i = 0; i < n[k]; i += 7) {
			int32_t label = -1;

			ds->type->sample(ds, (enum split)k, i, pixels, &label);
			assert_int_equal(ds->type->label(ds, (enum split)k, i), label);
		}
	}
	dataset_close(ds);
	choice_release(&c);
}

static void write_cifar(const char *name, size_t records, enum packing packing)
{
	uint8_t *at = xcalloc(records, RECORD);

	for (size_t i = 0; i < records; i++)
		at[i * RECORD] = (uint8_t)(i % 10);
	folder_write(folder, name, packing, at, records * RECORD);
	free(at);
}

static void write_all_cifar(enum packing packing)
{
	char name[32];

	for (int i = 1; i <= 5; i++) {
		snprintf(name, sizeof name, "data_batch_%d.bin", i);
		write_cifar(name, 10 + (size_t)i, packing);
	}
	write_cifar("test_batch.bin", 6, packing);
}

static void cifar_of_any_length(void **state)
{
	int64_t n[2];

	write_all_cifar(PACK_PLAIN);
	assert_int_equal(count("cifar10", ",any=true", n), 0);
	assert_int_equal(n[SPLIT_TRAIN], 65);
	assert_int_equal(n[SPLIT_TEST], 6);
	check_open("cifar10", ",any=true");
	check_open("cifar10", ",any=true,train=13,test=2");
	check_open("cifar10", ",any=true,holdout=13");
	check_open("cifar10", ",any=true,train=13,test=2,holdout=9");
	/* More than there are: open() says so. */
	assert_int_equal(count("cifar10", ",any=true,train=66", n), 1);
}

static void packed_files(void **state)
{
	int64_t n[2];

	write_all_cifar(PACK_GZ);
	assert_int_equal(count("cifar10", ",any=true", n), 1);
}

/* The published sizes are known without the files. */
static void published(void **state)
{
	int64_t n[2];

	assert_int_equal(count("cifar10", "", n), 0);
	assert_int_equal(n[SPLIT_TRAIN], 50000);
	assert_int_equal(n[SPLIT_TEST], 10000);
	assert_int_equal(count("cifar100", ",train=500", n), 0);
	assert_int_equal(n[SPLIT_TRAIN], 500);
	assert_int_equal(n[SPLIT_TEST], 10000);
	assert_int_equal(count("cifar100", ",test=10001", n), 1);
	assert_int_equal(count("mnist", ",test=7", n), 0);
	assert_int_equal(n[SPLIT_TRAIN], 60000);
	assert_int_equal(n[SPLIT_TEST], 7);
	capture_start();
	assert_int_equal(count("cifar10", ",any=true", n), -1);
	capture_stop();
	assert_said("data_batch_1.bin: no such file");
}

/* magic, counts, bytes */
static void write_idx(const char *name, int n, size_t each, enum packing packing)
{
	uint8_t *at = xcalloc(16 + (size_t)n * each, 1);
	size_t head = each == 1 ? 8 : 16;

	memcpy(at, each == 1 ? "\0\0\x08\x01" : "\0\0\x08\x03", 4);
	at[6] = (uint8_t)(n >> 8);
	at[7] = (uint8_t)n;
	if (each > 1)
		at[11] = at[15] = 28;
	folder_write(folder, name, packing, at, head + (size_t)n * each);
	free(at);
}

static void mnist_headers(void **state)
{
	int64_t n[2];

	for (enum packing p = PACK_PLAIN; p <= PACK_GZ; p++) {
		folder_remove(folder);
		folder = folder_new();
		write_idx("train-images-idx3-ubyte", 300, DIGIT, p);
		write_idx("train-labels-idx1-ubyte", 300, 1, p);
		write_idx("t10k-images-idx3-ubyte", 20, DIGIT, p);
		write_idx("t10k-labels-idx1-ubyte", 20, 1, p);
		check_open("mnist", "");
		check_open("mnist", ",train=17");
		check_open("mnist", ",train=7,holdout=5,test=3");
		assert_int_equal(count("mnist", "", n), 0);
		assert_int_equal(n[SPLIT_TRAIN], 300);
	}
	folder_truncate(folder, "t10k-labels-idx1-ubyte.gz", 12);
	capture_start();
	assert_int_equal(count("mnist", "", n), -1);
	capture_stop();
	assert_said("t10k-labels-idx1-ubyte.gz: truncated");
	folder_unlink(folder, "train-labels-idx1-ubyte.gz");
	write_idx("train-labels-idx1-ubyte", 300, 1, PACK_XZ);
	assert_int_equal(count("mnist", "", n), 1);
}

static void shapes(void **state)
{
	check_open("shapes", "train=50,test=20,seed=3");
}

RUN_WITH(folder_open, folder_close, cifar_of_any_length, packed_files, published, mnist_headers,
	 shapes)
