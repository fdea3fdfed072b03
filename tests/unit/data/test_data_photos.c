/*
 * Real photographs, where CONVOY_DATA names a folder that holds imagenette/ (ten
 * classes of ImageNet): all decode, and look as ImageNet's do on the whole.
 */
#include "core/base/mem.h"
#include "core/file/paths.h"
#include "core/math/rng.h"
#include "data/pack/pack.h"
#include "data/photo/list.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/files.h"
#include "tests/support/photos.h"

#include <stdio.h>
#include <stdlib.h>

static char *folder;            /* imagenette/ */

/* Mean and mean square over all values of n training images spread over all, augmented. */
static void measure(const struct dataset *ds, double *mean, double *square)
{
	const size_t size = dataset_sample_bytes(ds);
	float *images = vec_new(size);

	*mean = *square = 0;
	for (int64_t i = 0; i < ds->n[SPLIT_TRAIN]; i++) {
		int32_t label;
		uint64_t use = (uint64_t)i;

		dataset_fetch(ds, SPLIT_TRAIN, &(struct batch){ 1, &i, &use, 1 }, images, &label);
		assert_int_equal(label, i * 10 / ds->n[SPLIT_TRAIN]);
		for (size_t k = 0; k < size; k++) {
			*mean += (double)images[k];
			*square += (double)images[k] * (double)images[k];
		}
	}
	*mean /= (double)size * (double)ds->n[SPLIT_TRAIN];
	*square /= (double)size * (double)ds->n[SPLIT_TRAIN];
	free(images);
}

/*
 * Normalised as usual, ImageNet's photographs have mean 0. Their mean square is above 1: the
 * deviations in use, 0.229 0.224 0.225, are those within photographs; over all pixels they
 * are about 0.28.
 */
static void moments(void **state)
{
	struct dataset *ds = photos_must("imagenet:dir=%s,train=300", folder);
	double mean, square;

	assert_int_equal(ds->classes, 10);
	capture_start();
	measure(ds, &mean, &square);
	dataset_close(ds);
	capture_stop();
	assert_string_equal(capture_text(), "");
	print_message("mean %.3f, mean square %.3f\n", mean, square);
	assert_near(mean, 0, 0.15);
	assert_near(square, 1.5, 0.3);
}

static void packed_gives_the_same(void **state)
{
	char *work = folder_new(), *file = xasprintf("%s/packed.h5", work);
	const struct pack_conf conf = { .dir = folder, .out = file, .squeeze = true,
					.resize = 256, .train = 60, .test = 20, .threads = 2 };
	struct pack_result result;
	struct dataset *plain, *packed;

	assert_int_equal(pack(&conf, &result), 0);
	assert_int_equal(result.skipped, 0);
	plain = photos_must("imagenet:dir=%s,augment=caffe,train=60,test=20", folder);
	packed = photos_must("packed:file=%s,augment=caffe", file);
	photos_assert_same(plain, packed);
	dataset_close(plain);
	dataset_close(packed);
	folder_remove(work);
	free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(moments),
		cmocka_unit_test(packed_gives_the_same),
	};
	const char *data = getenv("CONVOY_DATA");
	int failed = 77;

	folder = xasprintf("%s/imagenette", data ? data : "");
	if (data && dir_exists(folder))
		failed = cmocka_run_group_tests(tests, NULL, NULL);
	else
		puts("skipped: CONVOY_DATA is not set, or holds no imagenette/");
	free(folder);
	return failed;
}
