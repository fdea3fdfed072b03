/* Fuzzes decoding of JPEGs and every augmentation of what they hold. */
#include "core/math/rng.h"
#include "data/photo/photo.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The whole way from bytes to what a net sees, by every augmentation. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { CROP = 7, RESIZE = 9 };
	uint8_t pixels[RESIZE * RESIZE * 3];
	char why[JPEG_WHY] = "";

	for (enum augment_kind kind = AUGMENT_NONE; kind <= AUGMENT_RESNET; kind++) {
		const struct augment a = { kind, CROP, RESIZE };
		struct rng r;

		rng_at(&r, size, RNG_AUGMENT, 0, (uint64_t)kind);
		if (photo_view(&a, data, size, kind ? &r : NULL, pixels, why) < 0 && !*why)
			abort();
	}
	return 0;
}
