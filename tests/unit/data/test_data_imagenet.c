/* A folder of photographs: classes, lists, what cannot be decoded, and sizes without opening. */
#include "core/base/mem.h"
#include "data/data.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/files.h"
#include "tests/support/photo.h"
#include "tests/support/photos.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRAIN = PHOTOS_CLASSES * PHOTOS_TRAIN, VAL = PHOTOS_CLASSES * PHOTOS_VAL };

static const char small[] = "resize=32,crop=24";

static char *folder;

static int setup(void **state)
{
	unsetenv("CONVOY_DATA");
	folder = photos_new();
	return 0;
}

static int teardown(void **state)
{
	folder_remove(folder);
	return 0;
}

static void assert_refused(const char *more, const char *message)
{
	assert_null(photos_open("imagenet:dir=%s,%s%s", folder, small, more));
	assert_said(message);
}

/* The view in evaluation; its label. */
static int32_t look(const struct dataset *ds, enum split split, int64_t i, uint8_t *pixels)
{
	int32_t label;

	dataset_view(ds, split, &(struct batch){ 1, &i, NULL, 1 }, 0, pixels, &label);
	return label;
}

static void classes_are_sorted_folders(void **state)
{
	struct dataset *ds = photos_must("imagenet:dir=%s,%s", folder, small);
	uint8_t pixels[24 * 24 * 3];

	assert_string_equal(capture_text(), "");
	assert_int_equal(ds->n[SPLIT_TRAIN], TRAIN);
	assert_int_equal(ds->n[SPLIT_TEST], VAL);
	assert_int_equal(ds->classes, 3);
	assert_int_equal(ds->height, 24);
	assert_int_equal(ds->channels, 3);
	for (int64_t i = 0; i < TRAIN; i++) {
		assert_int_equal(look(ds, SPLIT_TRAIN, i, pixels), i / PHOTOS_TRAIN);
		/* Blue says which picture it is. */
		assert_near(pixels[2], (i / PHOTOS_TRAIN * 4 + i % PHOTOS_TRAIN % 4) * 20, 3);
	}
	for (int64_t i = 0; i < VAL; i++)
		assert_int_equal(look(ds, SPLIT_TEST, i, pixels), i / PHOTOS_VAL);
	dataset_close(ds);
}

/*
 * By hand: 47 x 79 (train 1 of class 0) to a shorter side of 32 is 32 x 54; the middle 24 are
 * rows 4..27 and columns 11 + 4 .. 38; column 15 is centred at 15.5 * 79 / 54 = 22.7 of 79.
 */
static void the_centre_is_where_it_should_be(void **state)
{
	struct dataset *ds = photos_must("imagenet:dir=%s,%s,augment=none", folder, small);
	uint8_t pixels[24 * 24 * 3];

	look(ds, SPLIT_TRAIN, 1, pixels);
	assert_near(pixels[0], 20 + 200 * 15.5 * 79 / 54 / 79, 4);
	assert_near(pixels[1], 20 + 200 * 4.5 / 32, 4);
	assert_near(pixels[3 * 23], 20 + 200 * 38.5 / 54, 4);
	assert_near(pixels[3 * 24 * 23 + 1], 20 + 200 * 27.5 / 32, 4);
	dataset_close(ds);
	ds = photos_must("imagenet:dir=%s,%s,augment=caffe", folder, small);
	look(ds, SPLIT_TRAIN, 1, pixels);               /* 32 x 32, columns 4 .. 27 */
	assert_near(pixels[0], 20 + 200 * 4.5 / 32, 4);
	dataset_close(ds);
}

static void moments_are_those_of_the_papers(void **state)
{
	struct dataset *ds = photos_must("imagenet:dir=%s,%s", folder, small);
	float mean[3], dev[3];

	ds->type->moments(ds, mean, dev);
	assert_near((double)mean[0], 0.485, 1e-6);
	assert_near((double)dev[2], 0.225, 1e-6);
	dataset_close(ds);
	ds = photos_must("imagenet:dir=%s,%s,augment=caffe", folder, small);
	ds->type->moments(ds, mean, dev);
	assert_near((double)mean[2] * 255, 104, 1e-4);
	assert_near((double)dev[0] * 255, 1, 1e-6);
	dataset_close(ds);
}

static void synsets_fix_the_numbers(void **state)
{
	const char file[] = "n00000001 something\nn03000684\r\n\nn01440764 tench\nn02102040\n";
	char *path = xasprintf("%s/synsets.txt", folder);
	struct dataset *ds;
	uint8_t pixels[24 * 24 * 3];

	folder_write(folder, "synsets.txt", PACK_PLAIN, file, strlen(file));
	ds = photos_must("imagenet:dir=%s,%s,synsets=%s", folder, small, path);
	assert_int_equal(ds->classes, 4);
	assert_int_equal(look(ds, SPLIT_TRAIN, 0, pixels), 2);
	assert_int_equal(look(ds, SPLIT_TRAIN, TRAIN - 1, pixels), 1);
	dataset_close(ds);
	folder_write(folder, "synsets.txt", PACK_PLAIN, file, 30);
	assert_null(photos_open("imagenet:dir=%s,%s,synsets=%s", folder, small, path));
	assert_said("/train: 'n01440764' is none of the 2 classes");
	folder_write(folder, "synsets.txt", PACK_PLAIN, "a\nb\na\n", 6);
	assert_null(photos_open("imagenet:dir=%s,%s,synsets=%s", folder, small, path));
	assert_said("'a' stands in it twice");
	folder_write(folder, "synsets.txt", PACK_PLAIN, "\n \n", 3);
	assert_null(photos_open("imagenet:dir=%s,%s,synsets=%s", folder, small, path));
	assert_said("synsets.txt: empty");
	folder_write(folder, "synsets.txt", PACK_PLAIN, "\xef\xbb\xbfn01440764\rn02102040\r", 23);
	assert_null(photos_open("imagenet:dir=%s,%s,synsets=%s", folder, small, path));
	assert_said("/train: 'n03000684' is none of the 2 classes");
	folder_write(folder, "synsets.txt", PACK_PLAIN, "a\n\0b\nc\n", 7);
	assert_null(photos_open("imagenet:dir=%s,%s,synsets=%s", folder, small, path));
	assert_said("synsets.txt:2: a zero byte at offset 2 (");
	free(path);
}

static void val_may_be_flat(void **state)
{
	const char lines[] = "b.JPEG 2\na.JPEG n02102040\r\n", bad[] = "a.JPEG 3\n";
	char *command = xasprintf("rm -r '%s/val'", folder);
	struct dataset *ds;
	uint8_t pixels[24 * 24 * 3];

	assert_int_equal(system(command), 0);
	ds = photos_must("imagenet:dir=%s,%s", folder, small);
	assert_int_equal(ds->n[SPLIT_TEST], 0);
	dataset_close(ds);
	folder_photo(folder, "val/a.JPEG", 40, 40, 3);
	folder_photo(folder, "val/b.JPEG", 40, 40, 8);
	assert_refused("", "/val: no folders of classes in it, and no ");
	folder_write(folder, "val.txt", PACK_PLAIN, lines, strlen(lines));
	ds = photos_must("imagenet:dir=%s,%s", folder, small);
	assert_int_equal(ds->n[SPLIT_TEST], 2);
	assert_int_equal(look(ds, SPLIT_TEST, 0, pixels), 2);
	assert_near(pixels[2], 160, 3);
	assert_int_equal(look(ds, SPLIT_TEST, 1, pixels), 1);
	dataset_close(ds);
	folder_write(folder, "val.txt", PACK_PLAIN, bad, strlen(bad));
	assert_refused("", "val.txt:1: 'a.JPEG' has the label '3', expected 0 to 2");
	folder_write(folder, "val.txt", PACK_PLAIN, "a/../../x.JPEG 1\n", 17);
	assert_refused("", "val.txt:1: 'a/../../x.JPEG' leads out of the folder");
	folder_write(folder, "val.txt", PACK_PLAIN, "b.JPEG 2\n\0\na.JPEG 1\n", 20);
	assert_refused("", "val.txt:2: a zero byte at offset 9 (");
	free(command);
}

/* Opens with these labels, and fails the test unless the message comes. */
static void assert_labels_refused(const char *lines, const char *message)
{
	folder_write(folder, "val.txt", PACK_PLAIN, lines, strlen(lines));
	assert_refused("", message);
}

/* A flat val: each photograph is evaluated once, with its label, or the user learns why not. */
static void labels_and_photographs_agree(void **state)
{
	const char good[] = "a.JPEG 2\n./b.JPEG 1\n";
	char *command = xasprintf("rm -r '%s/val'", folder);
	struct dataset *ds;

	assert_int_equal(system(command), 0);
	for (char name[] = "val/a.JPEG"; name[4] <= 'd'; name[4]++)
		folder_photo(folder, name, 40, 40, 3);
	folder_write(folder, "val/notes.txt", PACK_PLAIN, "", 0);
	assert_labels_refused("a.JPEG 2\n\nb.JPEG 1\na.JPEG 2\n",
			      "val.txt:4: 'a.JPEG' is listed twice, first in line 1");
	assert_labels_refused("a.JPEG 2\nb.JPEG 1\n./a.JPEG 0\n",
			      "val.txt:3: 'a.JPEG' is listed twice, first in line 1");
	assert_labels_refused("a.JPEG 2\n\ne..1.JPEG 1\n",
			      "val.txt:3: 'e..1.JPEG': no such photograph in ");
	folder_write(folder, "val.txt", PACK_PLAIN, good, strlen(good));
	ds = photos_must("imagenet:dir=%s,%s", folder, small);
	assert_said("val/c.JPEG and others: 2 photographs passed over: no label in ");
	assert_int_equal(ds->n[SPLIT_TEST], 2);
	dataset_close(ds);
	free(command);
}

/* The same of a file that names the photographs of folders. */
static void labels_may_name_folders(void **state)
{
	const char lines[] = "n01440764/5.JPEG 1\nn02102040/6.JPEG 1\n";
	char *file = xasprintf("%s/labels", folder);
	struct dataset *ds;

	folder_write(folder, "labels", PACK_PLAIN, lines, strlen(lines));
	ds = photos_must("imagenet:dir=%s,%s,labels=%s", folder, small, file);
	assert_said("val/n01440764/6.JPEG and others: 4 photographs passed over: no label in ");
	assert_int_equal(ds->n[SPLIT_TEST], 2);
	dataset_close(ds);
	free(file);
}

/* A folder without photographs is no class that a net could learn. */
static void folders_hold_photographs(void **state)
{
	struct dataset *ds;

	folder_write(folder, "train/n04000000/notes.txt", PACK_PLAIN, "", 0);
	assert_refused("", "/train/n04000000: 1 folder has no .JPEG file in it");
	folder_photo(folder, "train/n04000000/1.jpg", 40, 40, 3);
	folder_photo(folder, "train/beside.JPEG", 40, 40, 3);
	folder_write(folder, "val/n04000000/.hidden", PACK_PLAIN, "", 0);
	ds = photos_must("imagenet:dir=%s,%s", folder, small);
	assert_said("train/beside.JPEG: 1 photograph passed over: not in the folder of a class");
	assert_said("val/n04000000: 1 class folder passed over: no .JPEG file in it");
	assert_int_equal(ds->classes, 4);
	assert_int_equal(ds->n[SPLIT_TRAIN], TRAIN + 1);
	dataset_close(ds);
}

static void refusals(void **state)
{
	assert_null(photos_open("imagenet:dir=%s,resize=32,crop=33", folder));
	assert_said("crop=33 is more than resize=32");
	assert_refused(",train=16", "train=16 is more than the 15 photographs there are");
	assert_null(photos_open("imagenet:dir=%s/train", folder));
	assert_said("/train: no train/ in it");
	assert_null(photos_open("imagenet"));
	assert_said("no folder given; set --data imagenet:dir=PATH or CONVOY_DATA");
	folder_photo(folder, "val/n99/1.JPEG", 20, 20, 1);
	assert_refused("", "/val: 'n99' is none of the 3 classes");
}

static void found_by_environment(void **state)
{
	char *below = xasprintf("%s/below", folder), *link = xasprintf("%s/imagenet", below);
	struct dataset *ds;

	folder_write(folder, "below/note", PACK_PLAIN, "", 0);
	assert_int_equal(symlink(folder, link), 0);
	setenv("CONVOY_DATA", below, 1);
	ds = photos_must("imagenet:%s", small);
	unsetenv("CONVOY_DATA");
	assert_int_equal(ds->n[SPLIT_TRAIN], TRAIN);
	dataset_close(ds);
	free(below);
	free(link);
}

/* Training batches are augmented, by their uses; those of val are not, nor without uses. */
static void only_training_is_augmented(void **state)
{
	struct dataset *ds = photos_must("imagenet:dir=%s,%s", folder, small);
	uint8_t plain[24 * 24 * 3], other[24 * 24 * 3];
	const int64_t sample[] = { 1 };
	const uint64_t use[] = { 4 };
	const struct batch b = { 1, sample, use, 1 };
	int32_t label;

	look(ds, SPLIT_TEST, 1, plain);
	dataset_view(ds, SPLIT_TEST, &b, 0, other, &label);
	assert_memory_equal(plain, other, sizeof plain);
	look(ds, SPLIT_TRAIN, 1, plain);
	dataset_view(ds, SPLIT_TRAIN, &b, 0, other, &label);
	assert_memory_not_equal(plain, other, sizeof plain);
	dataset_close(ds);
}

/* N of all are taken evenly: of each class, not the first N. */
static void a_part_is_spread(void **state)
{
	struct dataset *ds = photos_must("imagenet:dir=%s,%s,train=6,test=3", folder, small);
	uint8_t pixels[24 * 24 * 3];

	assert_int_equal(ds->n[SPLIT_TRAIN], 6);
	for (int64_t i = 0; i < 6; i++)
		assert_int_equal(look(ds, SPLIT_TRAIN, i, pixels), i / 2);
	for (int64_t i = 0; i < 3; i++)
		assert_int_equal(look(ds, SPLIT_TEST, i, pixels), i);
	dataset_close(ds);
}

static void other_files_are_passed_over(void **state)
{
	struct dataset *ds;

	folder_write(folder, "train/n01440764/.hidden", PACK_PLAIN, "x", 1);
	folder_write(folder, "train/README", PACK_PLAIN, "x", 1);
	folder_write(folder, "train/n01440764/list.txt", PACK_PLAIN, "x", 1);
	folder_write(folder, "train/n02102040/list.txt", PACK_PLAIN, "x", 1);
	folder_photo(folder, "train/n02102040/9.jpg", 40, 40, 3);
	ds = photos_must("imagenet:dir=%s,%s", folder, small);
	assert_said("train/n01440764/list.txt and others: 2 files passed over");
	assert_null(strstr(capture_text(), "hidden"));
	assert_int_equal(ds->n[SPLIT_TRAIN], TRAIN + 1);
	dataset_close(ds);
}

/* A bad file is named once; the next good one stands in, for the last one the first. */
static void the_next_stands_in(void **state)
{
	const char png[] = "\x89PNG\r\n\x1a\n";
	uint8_t bad[24 * 24 * 3], next[24 * 24 * 3];
	struct dataset *ds;

	folder_write(folder, "train/n01440764/4.JPEG", PACK_PLAIN, png, strlen(png));
	folder_truncate(folder, "train/n02102040/0.JPEG", 400);
	folder_write(folder, "train/n03000684/4.JPEG", PACK_PLAIN, "", 0);
	ds = photos_must("imagenet:dir=%s,%s", folder, small);
	assert_int_equal(ds->n[SPLIT_TRAIN], TRAIN);
	capture_start();
	assert_int_equal(look(ds, SPLIT_TRAIN, 4, bad), 1);
	assert_int_equal(look(ds, SPLIT_TRAIN, 4, bad), 1);
	assert_int_equal(look(ds, SPLIT_TRAIN, 6, next), 1);
	assert_memory_equal(bad, next, sizeof bad);
	assert_int_equal(look(ds, SPLIT_TRAIN, TRAIN - 1, bad), 0);
	assert_int_equal(look(ds, SPLIT_TRAIN, 0, next), 0);
	assert_memory_equal(bad, next, sizeof bad);
	dataset_close(ds);
	capture_stop();
	assert_said("n01440764/4.JPEG: a PNG, not a JPEG; the next image stands in for it (1 ");
	assert_said("n02102040/0.JPEG: ");
	assert_said("n03000684/4.JPEG: an empty file; the next image stands in for it (3 so far)");
	assert_said("imagenet: 3 of 21 images could not be decoded; the next ones stood in");
}

struct asker {
	const struct dataset *ds;
	float *images;
	int32_t labels[64];
	int order;
};

static void make_batch(int64_t *sample, uint64_t *use)
{
	for (int i = 0; i < 64; i++) {
		sample[i] = i * 7 % TRAIN;
		use[i] = (uint64_t)i;
	}
}

static void *ask(void *arg)
{
	struct asker *a = arg;
	int64_t sample[64];
	uint64_t use[64];

	make_batch(sample, use);
	dataset_fetch(a->ds, SPLIT_TRAIN, &(struct batch){ 64, sample, use, 3 }, a->images,
		      a->labels);
	return NULL;
}

/* Four threads at once get what one alone does, bad files among them. */
static void threads_get_the_same(void **state)
{
	enum { ASKERS = 4, SIZE = 64 * 24 * 24 * 3 };
	struct dataset *ds;
	struct asker asker[ASKERS];
	pthread_t thread[ASKERS];

	folder_truncate(folder, "train/n02102040/1.JPEG", 300);
	ds = photos_must("imagenet:dir=%s,%s", folder, small);
	capture_start();
	for (int k = 0; k < ASKERS; k++) {
		asker[k] = (struct asker){ .ds = ds, .images = vec_new(SIZE) };
		if (k)
			assert_int_equal(pthread_create(&thread[k], NULL, ask, &asker[k]), 0);
	}
	ask(&asker[0]);
	for (int k = 1; k < ASKERS; k++)
		pthread_join(thread[k], NULL);
	for (int k = 1; k < ASKERS; k++) {
		assert_memory_equal(asker[k].images, asker[0].images, SIZE * sizeof(float));
		assert_memory_equal(asker[k].labels, asker[0].labels, sizeof asker[0].labels);
	}
	dataset_close(ds);
	capture_stop();
	for (int k = 0; k < ASKERS; k++)
		free(asker[k].images);
}

static int shape_of(const char *text, struct dataset_shape *shape)
{
	struct choice c = { 0 };
	int r;

	assert_int_equal(choice_parse(&c, dataset_table, "data set", text), 0);
	capture_start();
	r = dataset_shape((const struct dataset_type *)c.plugin, c.conf, shape);
	capture_stop();
	choice_release(&c);
	return r;
}

static void sizes_without_opening(void **state)
{
	char *text = xasprintf("imagenet:dir=%s,%s", folder, small);
	struct dataset_shape s;

	assert_int_equal(shape_of(text, &s), 0);
	assert_int_equal(s.height, 24);
	assert_int_equal(s.classes, 3);
	assert_int_equal(shape_of("imagenet", &s), 0);
	assert_int_equal(s.width, 224);
	assert_int_equal(s.classes, 1000);
	assert_int_equal(shape_of("imagenet:augment=caffe", &s), 0);
	assert_int_equal(s.width, 227);
	assert_int_equal(shape_of("imagenet:dir=/nowhere", &s), -1);
	assert_int_equal(shape_of("cifar100", &s), 0);
	assert_int_equal(s.classes, 100);
	free(text);
}

RUN_WITH(setup, teardown, classes_are_sorted_folders, the_centre_is_where_it_should_be,
	 moments_are_those_of_the_papers, synsets_fix_the_numbers, val_may_be_flat,
	 labels_and_photographs_agree, labels_may_name_folders, folders_hold_photographs, refusals,
	 found_by_environment, only_training_is_augmented, a_part_is_spread,
	 other_files_are_passed_over, the_next_stands_in, threads_get_the_same,
	 sizes_without_opening)
