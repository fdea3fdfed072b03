/* Fuzzes the reader of .npz files: archive, headers, elements, and the sets that they make. */
#include "core/base/mem.h"
#include "data/data.h"
#include "data/npz/arrays.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct dataset_type bytes = { .plugin = { .name = "bytes" },
					   .sample = samples_sample, .moments = samples_moments,
					   .close = samples_close };
static const struct dataset_type numbers = { .plugin = { .name = "numbers" },
					     .vector = samples_vector, .close = samples_close };

/* Fetches the first and the last sample of each split. */
static void fetch(const struct dataset *ds)
{
	float *images = vec_new(2 * dataset_sample_bytes(ds));
	int32_t *labels = xcalloc(2 * dataset_labels(ds), sizeof(*labels));

	for (int k = 0; k < 2; k++) {
		const int64_t which[2] = { 0, ds->n[k] - 1 };
		const uint64_t use[2] = { 0, 1 };
		const struct batch b = { .n = 2, .sample = which, .use = use };

		if (ds->n[k] > 0)
			dataset_fetch(ds, (enum split)k, &b, images, labels);
	}
	free(images);
	free(labels);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct samples_conf ways[] = {
		{ 0 }, { .holdout = 1 }, { .loss = SAMPLES_BCE }, { .standardise = true },
		{ .loss = SAMPLES_MSE, .crop = true, .flip = true },
	};

	for (size_t k = 0; size && k < sizeof(ways) / sizeof(*ways); k++) {
		FILE *f = tmpfile();
		struct dataset *ds = NULL;
		struct samples_raw raw;

		if (!f || fwrite(data, 1, size, f) != size || fflush(f))
			abort();
		if (!arrays_read("input", fileno(f), !ways[k].holdout,
				 (enum npz_channels)(k % 2), &raw))
			ds = samples_open(raw.pixels[0] ? &bytes : &numbers, &raw, &ways[k],
					  "input");
		samples_release(&raw);
		if (ds)
			fetch(ds);
		dataset_close(ds);
		fclose(f);
	}
	return 0;
}
