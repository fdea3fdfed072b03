/* Makes a small folder of photographs in ImageNet's layout, and compares two data sets. */
#include "tests/support/photos.h"

#include "core/base/mem.h"
#include "data/data.h"
#include "tests/support/capture.h"
#include "tests/support/check.h"
#include "tests/support/files.h"
#include "tests/support/photo.h"

#include <stdio.h>
#include <stdlib.h>

const char *const photos_wnid[PHOTOS_CLASSES] = { "n01440764", "n02102040", "n03000684" };

char *photos_new(void)
{
	char *folder = folder_new();

	for (int c = 0; c < PHOTOS_CLASSES; c++)
		for (int k = 0; k < PHOTOS_TRAIN + PHOTOS_VAL; k++) {
			const int which = c * 4 + k % 4;
			char name[64];

			snprintf(name, sizeof name, "%s/%s/%d.JPEG",
				 k < PHOTOS_TRAIN ? "train" : "val", photos_wnid[c], k);
			folder_photo(folder, name, 30 + 17 * k, 90 - 11 * k + 5 * c, which);
		}
	return folder;
}

struct dataset *photos_open(const char *fmt, ...)
{
	struct dataset *ds;
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	capture_start();
	ds = dataset_open_text(text);
	capture_stop();
	return ds;
}

struct dataset *photos_must(const char *fmt, ...)
{
	struct dataset *ds;
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	ds = photos_open("%s", text);
	if (!ds)
		fail_msg("%s: refused: %s", text, capture_text());
	return ds;
}

static void assert_same_batch(const struct dataset *a, const struct dataset *b, enum split split,
			      const struct batch *batch)
{
	const size_t n = batch->n * dataset_sample_bytes(a);
	float *x = vec_new(n), *y = vec_new(n);
	int32_t *labels = xcalloc(2 * batch->n, sizeof *labels);

	dataset_fetch(a, split, batch, x, labels);
	dataset_fetch(b, split, batch, y, labels + batch->n);
	assert_memory_equal(x, y, n * sizeof *x);
	assert_memory_equal(labels, labels + batch->n, batch->n * sizeof *labels);
	free(x);
	free(y);
	free(labels);
}

void photos_assert_same(const struct dataset *a, const struct dataset *b)
{
	assert_int_equal(dataset_sample_bytes(a), dataset_sample_bytes(b));
	assert_int_equal(a->classes, b->classes);
	for (enum split k = SPLIT_TRAIN; k <= SPLIT_TEST; k++) {
		const size_t n = (size_t)a->n[k];
		int64_t *sample = xcalloc(n, sizeof *sample);
		uint64_t *use = xcalloc(n, sizeof *use);

		assert_int_equal(a->n[k], b->n[k]);
		for (size_t i = 0; i < n; i++) {
			sample[i] = (int64_t)(n - 1 - i);
			use[i] = 1000 + i;
		}
		assert_same_batch(a, b, k, &(struct batch){ n, sample, NULL, 5 });
		assert_same_batch(a, b, k, &(struct batch){ n, sample, use, 5 });
		free(sample);
		free(use);
	}
}
