/* CIFAR and MNIST files: plain and packed, refused when damaged, found by environment. */
#include "core/base/mem.h"
#include "data/data.h"
#include "data/read.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RECORD = 3073, COARSE_RECORD = 3074, SIDE = 28, DIGIT = SIDE * SIDE };

static struct dataset *open_in_folder(const char *name, const char *more)
{
	char *text = xasprintf("%s:dir=%s%s", name, folder, more);
	struct dataset *ds = dataset_open_text(text);

	free(text);
	return ds;
}

/* What a run's hash has of the files. */
static uint64_t contents(const char *name, const char *more)
{
	char *text = xasprintf("%s:dir=%s%s", name, folder, more);
	struct choice c = { 0 };
	uint64_t digest;

	assert_int_equal(choice_parse(&c, dataset_table, "data set", text), 0);
	digest = dataset_contents((const struct dataset_type *)c.plugin, c.conf);
	choice_release(&c);
	free(text);
	return digest;
}

static void assert_refused(const char *name, const char *more, const char *message)
{
	capture_start();
	struct dataset *ds = open_in_folder(name, more);
	capture_stop();
	assert_null(ds);
	assert_said(message);
	assert_ptr_equal(strchr(capture_text(), '\n'), strrchr(capture_text(), '\n'));
}

/* Opens what is not the published set, which is worth one warning. */
static struct dataset *open_small(const char *name, const char *more)
{
	capture_start();
	struct dataset *ds = open_in_folder(name, more);
	capture_stop();
	if (!ds)
		fail_msg("refused: %s", capture_text());
	return ds;
}

/* Pixel k of a plane in the files below: another in every file, record and plane. */
static uint8_t pixel(size_t first, size_t record, size_t plane, size_t k)
{
	return (uint8_t)((first + 7 * record + 50 * plane + k) % 251);
}

/* n records of those, with labels 0, 1, 2, ... as the last byte before the pixels. */
static uint8_t *cifar_records(size_t n, size_t size, size_t first)
{
	uint8_t *all = xcalloc(n, size), *at = all;

	for (size_t r = 0; r < n; r++) {
		at[size - RECORD] = (uint8_t)r;
		at += size - RECORD + 1;
		for (size_t k = 0; k < RECORD - 1; k++)
			*at++ = pixel(first, r, k / 1024, k % 1024);
	}
	return all;
}

static void write_cifar10(enum packing packing)
{
	for (unsigned i = 1; i <= 6; i++) {
		uint8_t *records = cifar_records(2, RECORD, i);
		char name[64] = "cifar-10-batches-bin/test_batch.bin";
		if (i < 6)
			snprintf(name, sizeof name, "cifar-10-batches-bin/data_batch_%u.bin", i);
		folder_write(folder, name, packing, records, 2 * RECORD);
		free(records);
	}
}

static void assert_cifar10(struct dataset *ds)
{
	uint8_t pixels[RECORD - 1];
	int32_t label;

	assert_int_equal(ds->n[SPLIT_TRAIN], 10);
	assert_int_equal(ds->n[SPLIT_TEST], 2);
	assert_int_equal(ds->pad, 4);
	assert_true(ds->flip);
	ds->type->sample(ds, SPLIT_TRAIN, 5, pixels, &label);   /* record 1 of batch 3 */
	assert_int_equal(label, 1);
	for (size_t k = 0; k < 1024; k++)
		for (size_t c = 0; c < 3; c++)
			assert_int_equal(pixels[3 * k + c], pixel(3, 1, c, k));
	ds->type->sample(ds, SPLIT_TEST, 0, pixels, &label);
	assert_int_equal(label, 0);
	assert_int_equal(pixels[0], 6);
}

static void test_cifar10_plain_gz_xz(void **state)
{
	uint64_t digest[3], hashed[3];

	for (enum packing p = PACK_PLAIN; p <= PACK_XZ; p++) {
		char *old = folder;
		folder = folder_new();
		write_cifar10(p);
		struct dataset *ds = open_small("cifar10", ",any=true");
		assert_cifar10(ds);
		assert_said("warning: cifar10: 10 + 2 images");
		digest[p] = ds->digest;
		hashed[p] = contents("cifar10", ",any=true");
		dataset_close(ds);
		folder_remove(folder);
		folder = old;
	}
	assert_true(digest[0] == digest[1] && digest[1] == digest[2]);
	assert_true(hashed[0] && hashed[0] == hashed[1] && hashed[1] == hashed[2]);
}

static void test_cifar10_by_environment(void **state)
{
	write_cifar10(PACK_PLAIN);
	setenv("CONVOY_DATA", folder, 1);
	struct dataset *ds = dataset_open_text("cifar10:train=3,test=1,crop=off,flip=off,any=true");
	unsetenv("CONVOY_DATA");
	assert_non_null(ds);
	assert_int_equal(ds->n[SPLIT_TRAIN], 3);
	assert_int_equal(ds->n[SPLIT_TEST], 1);
	assert_int_equal(ds->pad, 0);
	assert_false(ds->flip);
	dataset_close(ds);
}

/* The last training images are the test images, whatever there is of the set's own. */
static void test_holdout(void **state)
{
	char *path = xasprintf("%s/cifar-10-batches-bin/test_batch.bin", folder);
	uint8_t pixels[RECORD - 1];
	struct dataset *ds;
	int32_t label;

	write_cifar10(PACK_PLAIN);
	assert_int_equal(unlink(path), 0);
	ds = open_small("cifar10", ",any=true,holdout=3");
	assert_int_equal(ds->n[SPLIT_TRAIN], 7);
	assert_int_equal(ds->n[SPLIT_TEST], 3);
	for (int i = 0; i < 3; i++) {   /* record 1 of batch 4; records 0 and 1 of batch 5 */
		ds->type->sample(ds, SPLIT_TEST, i, pixels, &label);
		assert_int_equal(label, i != 1);
		assert_int_equal(pixels[0], pixel(i ? 5 : 4, i != 1, 0, 0));
	}
	ds->type->sample(ds, SPLIT_TRAIN, 6, pixels, &label);   /* record 0 of batch 4 */
	assert_int_equal(label, 0);
	assert_int_equal(pixels[0], pixel(4, 0, 0, 0));
	dataset_close(ds);
	ds = open_small("cifar10", ",any=true,holdout=3,train=2,test=1");
	assert_int_equal(ds->n[SPLIT_TRAIN], 2);
	assert_int_equal(ds->n[SPLIT_TEST], 1);
	ds->type->sample(ds, SPLIT_TEST, 0, pixels, &label);
	assert_int_equal(pixels[0], pixel(4, 1, 0, 0));
	dataset_close(ds);
	assert_refused("cifar10", ",any=true,holdout=10",
		       "holdout=10 leaves 0 of 10 training images, fewer than 1");
	assert_refused("cifar10", ",any=true,holdout=3,train=8",
		       "holdout=3 leaves 7 of 10 training images, fewer than 8");
	assert_refused("cifar10", ",any=true,holdout=3,test=4",
		       "test=4 is more than the 3 images of holdout");
	free(path);
}

static void test_cifar10_refusals(void **state)
{
	uint8_t *bad = cifar_records(2, RECORD, 0);

	write_cifar10(PACK_PLAIN);
	assert_refused("cifar10", ",any=true,train=11", "train=11 is more than the 10 images");
	assert_refused("cifar10", ",any=true,test=3", "test=3 is more than the 2 images there are");
	bad[RECORD] = 10;
	folder_write(folder, "data_batch_2.bin", PACK_PLAIN, bad, 2 * RECORD);
	assert_refused("cifar10", ",any=true",
		       "/data_batch_2.bin: record 1 (from 0) has the label 10, expected 0 to 9");
	folder_write(folder, "data_batch_2.bin", PACK_PLAIN, bad, 2 * RECORD - 1);
	assert_refused("cifar10", ",any=true", "/data_batch_2.bin: 6145 bytes, expected records");
	folder_write(folder, "data_batch_2.bin", PACK_PLAIN, bad, 0);
	assert_refused("cifar10", ",any=true", "/data_batch_2.bin: 0 bytes, expected records");
	free(bad);
}

/* Without any=true every file that is opened has as many records as the published one. */
static void test_cifar_of_other_length(void **state)
{
	const size_t whole = 10000 * RECORD;
	uint8_t *records = xcalloc(10001, COARSE_RECORD);

	for (int i = 1; i <= 5; i++) {
		char name[32];
		snprintf(name, sizeof name, "data_batch_%d.bin", i);
		folder_write(folder, name, PACK_PLAIN, records, whole - (i == 2 ? RECORD : 0));
	}
	folder_write(folder, "test_batch.bin", PACK_PLAIN, records, whole + RECORD);
	assert_refused("cifar10", "", "/data_batch_2.bin: 30726927 bytes, expected 10000 records "
		       "of 3073 bytes each: truncated; any=true takes files of any length");
	assert_refused("cifar10", ",train=10001,test=1", "/data_batch_2.bin: 30726927 bytes");
	assert_refused("cifar10", ",train=10000,test=1", "/test_batch.bin: 30733073 bytes, "
		       "expected 10000 records of 3073 bytes each: too long");
	folder_write(folder, "train.bin", PACK_PLAIN, records, 10000 * COARSE_RECORD);
	assert_refused("cifar100", ",train=1", "/train.bin: 30740000 bytes, expected 50000 ");
	free(records);
}

static void test_missing(void **state)
{
	assert_refused("cifar10", "", "/data_batch_1.bin: no such file, nor .gz or .xz, nor in "
		       "cifar-10-batches-bin/; set --data cifar10:dir=PATH or CONVOY_DATA");
	assert_refused("cifar100", "", "/train.bin: no such file");
	assert_refused("mnist", "", "/train-images-idx3-ubyte: no such file");
	capture_start();
	assert_null(dataset_open_text("mnist"));
	capture_stop();
	assert_said("set --data mnist:dir=PATH or CONVOY_DATA");
}

static void test_truncated_and_corrupt_packing(void **state)
{
	static const struct {
		enum packing packing;
		const char *name, *head, *truncated, *corrupt;
	} as[] = {
		{ PACK_GZ, "data_batch_1.bin.gz", "\x1f\x8b??????????????",
		  "/data_batch_1.bin.gz: truncated gzip file",
		  "/data_batch_1.bin.gz: corrupt gzip file" },
		{ PACK_XZ, "data_batch_1.bin.xz", "\xfd" "7zXZ\0??????????",
		  "/data_batch_1.bin.xz: truncated xz file",
		  "/data_batch_1.bin.xz: corrupt xz file" },
	};
	uint8_t *records = cifar_records(2, RECORD, 1);

	for (size_t i = 0; i < 2; i++) {
		folder_write(folder, "data_batch_1.bin", as[i].packing, records, 2 * RECORD);
		folder_truncate(folder, as[i].name, 200);
		assert_refused("cifar10", "", as[i].truncated);
		folder_write(folder, as[i].name, PACK_PLAIN, as[i].head, 16);
		assert_refused("cifar10", "", as[i].corrupt);
		folder_unlink(folder, as[i].name);
	}
	free(records);
}

/* A small file that unpacks to more than was expected. */
static void test_swelling_file(void **state)
{
	static const uint8_t zeros[3 << 20];
	static const char *const suffix[] = { "", ".gz", ".xz" };
	struct bytes b;

	for (enum packing p = PACK_PLAIN; p <= PACK_XZ; p++) {
		char *path = xasprintf("%s/zeros%s", folder, suffix[p]);
		folder_write(folder, "zeros", p, zeros, sizeof zeros);
		capture_start();
		assert_int_equal(data_read(path, sizeof zeros - 1, &b), -1);
		capture_stop();
		assert_said(": more than 3145727 bytes, the most that convoy reads of such a file");
		assert_int_equal(data_read(path, sizeof zeros, &b), 0);
		assert_int_equal(b.n, sizeof zeros);
		assert_memory_equal(b.at, zeros, b.n);
		free(b.at);
		free(path);
	}
}

/* gzip reads members one after the other, and ignores the zero bytes of the last block. */
static void test_two_gzip_members(void **state)
{
	uint8_t packed[50] = {
		0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0x4b, 4, 0,
		0x43, 0xbe, 0xb7, 0xe8, 1, 0, 0, 0
	};
	struct bytes b;

	memcpy(packed + 21, packed, 21);
	for (size_t n = 42; n <= sizeof(packed); n++) {
		assert_int_equal(data_unpack("two.gz", packed, n, 100, &b), 0);
		assert_int_equal(b.n, 2);
		assert_memory_equal(b.at, "aa", 2);
		free(b.at);
	}
	packed[49] = 1;
	capture_start();
	assert_int_equal(data_unpack("two.gz", packed, sizeof(packed), 100, &b), -1);
	capture_stop();
	assert_said("two.gz: corrupt gzip file");
}

static void test_cifar100_takes_the_fine_label(void **state)
{
	uint8_t *records = cifar_records(3, COARSE_RECORD, 0), pixels[RECORD - 1];
	int32_t label;

	records[0] = 19;
	records[1] = 99;
	folder_write(folder, "train.bin", PACK_XZ, records, 3 * COARSE_RECORD);
	folder_write(folder, "test.bin", PACK_PLAIN, records, COARSE_RECORD);
	struct dataset *ds = open_small("cifar100", ",any=true");
	assert_int_equal(ds->n[SPLIT_TRAIN], 3);
	assert_int_equal(ds->classes, 100);
	ds->type->sample(ds, SPLIT_TRAIN, 0, pixels, &label);
	assert_int_equal(label, 99);
	assert_int_equal(pixels[1], 50);
	dataset_close(ds);
	records[1] = 100;
	folder_write(folder, "test.bin", PACK_PLAIN, records, COARSE_RECORD);
	assert_refused("cifar100", ",any=true", "/test.bin: record 0 (from 0) has the label 100");
	free(records);
}

/* The header of an IDX file, and bytes that count from 0. */
static void write_idx(const char *name, enum packing packing, uint32_t magic, uint32_t count,
		      uint32_t side, size_t n)
{
	const uint32_t word[] = { magic, count, side, side };
	const size_t words = magic & 2 ? 4 : 2;         /* three dimensions, or one */
	uint8_t *all = xcalloc(16 + n, 1);

	for (size_t i = 0; i < 4 * words; i++)
		all[i] = (uint8_t)(word[i / 4] >> (24 - 8 * (i % 4)));
	for (size_t i = 0; i < n; i++)
		all[4 * words + i] = (uint8_t)i;
	folder_write(folder, name, packing, all, 4 * words + n);
	free(all);
}

static void write_mnist(enum packing packing)
{
	write_idx("mnist/train-images-idx3-ubyte", packing, 0x803, 4, SIDE, 4 * DIGIT);
	write_idx("mnist/train-labels-idx1-ubyte", packing, 0x801, 4, 0, 4);
	write_idx("mnist/t10k-images-idx3-ubyte", packing, 0x803, 2, SIDE, 2 * DIGIT);
	write_idx("mnist/t10k-labels-idx1-ubyte", packing, 0x801, 2, 0, 2);
}

static void test_mnist(void **state)
{
	uint8_t pixels[DIGIT];
	int32_t label;

	for (enum packing p = PACK_PLAIN; p <= PACK_GZ; p++) {
		write_mnist(p);
		struct dataset *ds = open_small("mnist", ",train=3");
		assert_int_equal(ds->n[SPLIT_TRAIN], 3);
		assert_int_equal(ds->n[SPLIT_TEST], 2);
		assert_int_equal(ds->pad, 0);
		assert_false(ds->flip);
		ds->type->sample(ds, SPLIT_TRAIN, 2, pixels, &label);
		assert_int_equal(label, 2);
		assert_int_equal(pixels[5], (uint8_t)(2 * DIGIT + 5));
		dataset_close(ds);
	}
}

/* Images of any size, and files in folders of their own names. */
static void test_mnist_of_another_size(void **state)
{
	uint8_t pixels[20 * 20];
	int32_t label;

	for (enum packing p = PACK_PLAIN; p <= PACK_XZ; p++) {
		char *old = folder;
		folder = folder_new();
		write_idx("train-images-idx3-ubyte/train-images-idx3-ubyte", p, 0x803, 4, 20,
			  4 * 20 * 20);
		write_idx("train-labels-idx1-ubyte/train-labels-idx1-ubyte", p, 0x801, 4, 0, 4);
		write_idx("t10k-images-idx3-ubyte", p, 0x803, 2, 20, 2 * 20 * 20);
		write_idx("t10k-labels-idx1-ubyte", p, 0x801, 2, 0, 2);
		struct dataset *ds = open_small("mnist", "");
		assert_int_equal(ds->n[SPLIT_TRAIN], 4);
		assert_int_equal(ds->height, 20);
		assert_int_equal(ds->width, 20);
		ds->type->sample(ds, SPLIT_TRAIN, 3, pixels, &label);
		assert_int_equal(label, 3);
		assert_int_equal(pixels[399], (uint8_t)(4 * 400 - 1));
		dataset_close(ds);
		folder_remove(folder);
		folder = old;
	}
	folder_write(folder, "train-images-idx3-ubyte/other", PACK_PLAIN, "", 0);
	assert_refused("mnist", "", "/train-images-idx3-ubyte: is a directory, without a file "
		       "'train-images-idx3-ubyte' in it");
}

static void test_mnist_refusals(void **state)
{
	const char *images = "train-images-idx3-ubyte", *labels = "train-labels-idx1-ubyte";

	write_mnist(PACK_PLAIN);
	assert_refused("mnist", ",train=5", "4 images, fewer than the 5 asked for");
	write_idx(images, PACK_PLAIN, 0x802, 4, SIDE, 4 * DIGIT);
	assert_refused("mnist", "", "begins with 00000802, expected 00000803");
	write_idx(images, PACK_PLAIN, 0x803, 4, SIDE, 4 * DIGIT - 1);
	assert_refused("mnist", "", "3135 bytes after the header, which says 3136: truncated");
	write_idx(images, PACK_PLAIN, 0x803, 4, SIDE, 4 * DIGIT + 1);
	assert_refused("mnist", "", "3137 bytes after the header, which says 3136");
	write_idx(images, PACK_PLAIN, 0x803, 4, 14, 4 * 14 * 14);
	assert_refused("mnist", "", "t10k-images-idx3-ubyte: images of 28 x 28, expected 14 x 14, "
		       "as the training images are");
	write_idx(images, PACK_PLAIN, 0x803, 0xffffffff, 0xffffffff, 9);
	assert_refused("mnist", "",
		       "images of 4294967295 x 4294967295 (expected 1 to 4096 a side)");
	write_idx(images, PACK_PLAIN, 0x803, 4, 0, 0);
	assert_refused("mnist", "", "images of 0 x 0 (expected 1 to 4096 a side)");
	write_idx(images, PACK_PLAIN, 0x803, 5, SIDE, 5 * DIGIT);
	assert_refused("mnist", "", "5 images, but 4 labels in ");
	write_idx(images, PACK_PLAIN, 0x803, 11, SIDE, 11 * DIGIT);
	write_idx(labels, PACK_PLAIN, 0x801, 11, 0, 11);
	assert_refused("mnist", "", "record 10 (from 0) has the label 10, expected 0 to 9");
}

static void test_unknown_name(void **state)
{
	capture_start();
	assert_null(dataset_open_text("cifar11"));
	capture_stop();
	assert_said("cifar10");
}

RUN_WITH(folder_open, folder_close, test_cifar10_plain_gz_xz, test_cifar10_by_environment,
	 test_holdout, test_cifar10_refusals, test_cifar_of_other_length, test_missing,
	 test_truncated_and_corrupt_packing, test_swelling_file, test_two_gzip_members,
	 test_cifar100_takes_the_fine_label, test_mnist, test_mnist_of_another_size,
	 test_mnist_refusals, test_unknown_name)
