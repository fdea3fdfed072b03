/* Fuzzes the parsers of CIFAR-10 and CIFAR-100 records. */
#include "data/cifar.h"
#include "data/read.h"
#include "data/store.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const struct dataset_type dataset_cifar10, dataset_cifar100;

static void parse(const struct dataset_type *type, size_t label_bytes, const struct bytes *b)
{
	const struct cifar_format format = { .type = type, .label_bytes = label_bytes };
	struct dataset *ds = store_new(type);
	uint8_t pixels[CIFAR_PIXELS];
	int32_t label;

	if (cifar_parse(&format, "input", b->at, b->n, ds, SPLIT_TRAIN, 0) == 0) {
		store_sample(ds, SPLIT_TRAIN, ds->n[SPLIT_TRAIN] - 1, pixels, &label);
		if (label < 0 || label >= type->classes)
			abort();
	}
	dataset_close(ds);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes b;

	if (data_unpack("input", data, size, 1 << 18, &b) < 0)
		return 0;
	parse(&dataset_cifar10, 1, &b);
	parse(&dataset_cifar100, 2, &b);
	free(b.at);
	return 0;
}
