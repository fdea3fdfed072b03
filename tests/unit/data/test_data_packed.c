/* Packing a folder and reading it back: the same batches. */
#include "core/base/mem.h"
#include "core/file/hdf5_library.h"
#include "data/pack/reader.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/files.h"
#include "tests/support/packs.h"
#include "tests/support/photo.h"
#include "tests/support/photos.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { TRAIN = PHOTOS_CLASSES * PHOTOS_TRAIN, VAL = PHOTOS_CLASSES * PHOTOS_VAL };

static void assert_like_folder(const char *augment)
{
	struct dataset *plain = photos_must("imagenet:dir=%s,resize=32,crop=25,augment=%s", folder,
					    augment);
	struct dataset *packed = photos_must("packed:file=%s,resize=32,crop=25,augment=%s",
					     pack_file, augment);

	if (packed->n[SPLIT_TRAIN] == 0 || packed->ahead != plain->ahead)
		fail();
	photos_assert_same(plain, packed);
	dataset_close(plain);
	dataset_close(packed);
}

static void jpegs_give_the_folder_s_batches(void **state)
{
	struct pack_result r = must_pack(AS_JPEG);

	assert_int_equal(r.n[SPLIT_TRAIN], TRAIN);
	assert_int_equal(r.n[SPLIT_TEST], VAL);
	assert_int_equal(r.skipped, 0);
	assert_like_folder("none");
	assert_like_folder("caffe");
	assert_like_folder("alexnet");
	assert_like_folder("resnet");
}

static void pixels_give_the_folder_s_batches(void **state)
{
	must_pack(AS_SQUEEZED);
	assert_like_folder("caffe");
	must_pack(AS_SHORT);
	assert_like_folder("none");
	assert_like_folder("alexnet");
}

/* For resnet pixels are a picture like any other: parts of it, and the centre. */
static void pixels_may_be_cut_anywhere(void **state)
{
	struct dataset *ds;
	float *images;
	int32_t label;
	int64_t sample = 3;
	uint64_t use = 9;

	must_pack(AS_SHORT);
	ds = photos_must("packed:file=%s,crop=24,augment=resnet", pack_file);
	images = vec_new(dataset_sample_bytes(ds));
	dataset_fetch(ds, SPLIT_TRAIN, &(struct batch){ 1, &sample, &use, 1 }, images, &label);
	assert_int_equal(label, 0);
	free(images);
	dataset_close(ds);
}

static void refused_settings(void **state)
{
	assert_null(photos_open("packed"));
	assert_said("no file given; set --data packed:file=FILE.h5");
	must_pack(AS_SQUEEZED);
	assert_refused("packed with --fit squeeze, which is for augment=caffe; augment=resnet "
		       "needs --fit short, or --as jpeg");
	assert_null(photos_open("packed:file=%s,augment=caffe,crop=40", pack_file));
	assert_said("packed with 32 pixels a side, fewer than crop=40");
	assert_null(photos_open("packed:file=%s,augment=caffe,crop=24,resize=64", pack_file));
	assert_said("packed with 32 pixels a side: resize=64 needs another packing");
	assert_null(photos_open("packed:file=%s,augment=caffe,crop=24,train=16", pack_file));
	assert_said("train=16 is more than the 15 photographs there are");
}

/* One thread or four: the same file, byte by byte. */
static void threads_make_the_same_file(void **state)
{
	struct pack_conf conf = conf_of(AS_JPEG);
	struct pack_result result;
	size_t n, m;
	char *one, *four;

	conf.threads = 1;
	assert_int_equal(try_pack(&conf, &result), 0);
	one = slurp(pack_file, &n);
	conf.threads = 4;
	assert_int_equal(try_pack(&conf, &result), 0);
	four = slurp(pack_file, &m);
	assert_int_equal(n, m);
	assert_int_equal(result.bytes, n);
	assert_memory_equal(one, four, n);
	free(one);
	free(four);
}

/* What cannot be decoded is named, counted and left out. */
static void the_bad_are_left_out(void **state)
{
	const char png[] = "\x89PNG\r\n\x1a\n";
	struct pack_result r;
	struct packed *p;
	uint8_t wnid[9];
	char *name;

	folder_write(folder, "train/n01440764/1.JPEG", PACK_PLAIN, png, strlen(png));
	folder_truncate(folder, "val/n02102040/5.JPEG", 500);
	for (enum form form = AS_JPEG; form <= AS_SHORT; form++) {
		r = must_pack(form);
		assert_said("train/n01440764/1.JPEG: a PNG, not a JPEG; skipped");
		assert_said("val/n02102040/5.JPEG: ");
		assert_int_equal(r.skipped, 2);
		assert_int_equal(r.n[SPLIT_TRAIN], TRAIN - 1);
		assert_int_equal(r.n[SPLIT_TEST], VAL - 1);
		p = packed_open(pack_file);
		name = packed_name(p, SPLIT_TRAIN, 1);
		assert_string_equal(name, "n01440764/2.JPEG");
		free(name);
		assert_int_equal(p->wnid_width, sizeof(wnid));
		assert_true(packed_read_at(p->fd, p->wnids + 2 * sizeof(wnid), wnid, sizeof(wnid)));
		assert_memory_equal(wnid, "n03000684", sizeof(wnid));
		packed_close(p);
	}
}

static bool stop_at_seven(void *ctx, int64_t done, int64_t all)
{
	*(int64_t *)ctx = all;
	return done < 7;
}

static void giving_up_leaves_nothing(void **state)
{
	struct pack_conf conf = conf_of(AS_JPEG);
	struct pack_result result;
	char *part = xasprintf("%s.part", pack_file);
	int64_t all = 0;

	conf.go_on = stop_at_seven;
	conf.ctx = &all;
	assert_int_equal(try_pack(&conf, &result), -1);
	assert_true(result.given_up);
	assert_int_equal(all, TRAIN + VAL);
	assert_int_equal(access(part, F_OK), -1);
	assert_int_equal(access(pack_file, F_OK), -1);
	conf.out = "/nowhere/file.h5";
	assert_int_equal(try_pack(&conf, &result), -1);
	assert_said("cannot write '/nowhere/file.h5.part': No such file or directory");
	free(part);
}

/* From the first image on, no file can be opened. */
static bool take_descriptors(void *ctx, int64_t done, int64_t all)
{
	struct rlimit none = *(const struct rlimit *)ctx;

	(void)done, (void)all;
	none.rlim_cur = 0;
	return setrlimit(RLIMIT_NOFILE, &none) == 0;
}

/* No more descriptors are no property of a photograph: nothing is left out, nor kept open. */
static void the_unreadable_ends_it(void **state)
{
	struct pack_conf conf = conf_of(AS_JPEG);
	struct pack_result result;
	char *part = xasprintf("%s.part", pack_file);
	struct rlimit usual;
	int r;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &usual), 0);
	conf.go_on = take_descriptors;
	conf.ctx = &usual;
	r = try_pack(&conf, &result);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &usual), 0);
	assert_int_equal(r, -1);
	assert_false(result.given_up);
	assert_int_equal(result.skipped, 0);
	assert_said(".JPEG: cannot read: Too many open files");
	assert_int_equal(access(part, F_OK), -1);
	assert_int_equal(access(pack_file, F_OK), -1);
	free(part);
}

static void read_all(hid_t parent, const char *name, hid_t mem, void *out)
{
	hid_t set_id = H5Dopen2(parent, name, H5P_DEFAULT);

	assert_true(set_id >= 0);
	assert_true(H5Dread(set_id, mem, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0);
	H5Dclose(set_id);
}

/* HDF5 reads what our own reader does. */
static void hdf5_reads_it(void **state)
{
	enum { IMAGE = SIDE * SIDE * 3 };
	uint8_t *all = xcalloc(TRAIN, IMAGE), *own = xcalloc(IMAGE, 1);
	int labels[VAL];
	struct packed *p;
	hid_t h5;

	must_pack(AS_SHORT);
	h5 = H5Fopen(pack_file, H5F_ACC_RDONLY, H5P_DEFAULT);
	assert_true(h5 >= 0);
	read_all(h5, "train/images", H5T_NATIVE_UCHAR, all);
	read_all(h5, "val/labels", H5T_NATIVE_INT, labels);
	H5Fclose(h5);
	p = packed_open(pack_file);
	for (int64_t i = 0; i < TRAIN; i++) {
		assert_int_equal(packed_read(p, SPLIT_TRAIN, i, own), 0);
		assert_memory_equal(own, all + i * IMAGE, IMAGE);
	}
	for (int64_t i = 0; i < VAL; i++)
		assert_int_equal(labels[i], p->split[SPLIT_TEST].label[i]);
	packed_close(p);
	free(all);
	free(own);
}

/* More bytes of JPEGs than a chunk holds: images lie across its ends. */
static void across_chunks(void **state)
{
	struct pack_result r;
	struct packed *p;

	for (int k = 0; k < 5; k++) {
		char name[64];
		size_t n = 0;
		uint8_t *noise = xcalloc(200 * 200, 3), *at;

		for (uint32_t i = 0, v = 1; i < 200 * 200 * 3; i++) {
			v = v * 1664525u + 1013904223u + (uint32_t)k;
			noise[i] = (uint8_t)(v >> 24);
		}
		at = photo_make(PHOTO_RGB, 200, 200, noise, &n);
		snprintf(name, sizeof name, "train/n02102040/noise%d.JPEG", k);
		folder_write(folder, name, PACK_PLAIN, at, n);
		free(at);
		free(noise);
	}
	r = must_pack(AS_JPEG);
	assert_int_equal(r.n[SPLIT_TRAIN], TRAIN + 5);
	p = packed_open(pack_file);
	assert_true(p->split[SPLIT_TRAIN].chunks > 1);
	packed_close(p);
	assert_like_folder("resnet");
}

RUN_WITH(packs_open, packs_close, jpegs_give_the_folder_s_batches, pixels_give_the_folder_s_batches,
	 pixels_may_be_cut_anywhere, refused_settings, threads_make_the_same_file,
	 the_bad_are_left_out, giving_up_leaves_nothing, the_unreadable_ends_it, hdf5_reads_it,
	 across_chunks)
