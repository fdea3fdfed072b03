/*
 * CIFAR-10: 50,000 + 10,000 photographs of 32 x 32 pixels in ten classes.
 */
#include "data/cifar.h"
#include "data/store.h"

#include <string.h>

static const char *const train_files[] = {
	"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin",
	"data_batch_5.bin", NULL
};
static const char *const test_files[] = { "test_batch.bin", NULL };
static const char *const subdirs[] = { "cifar-10-batches-bin", NULL };

extern const struct dataset_type dataset_cifar10;

static const struct cifar_format format = {
	.type = &dataset_cifar10,
	.label_bytes = 1,
	.files = { train_files, test_files },
	.subdirs = subdirs,
	.records = { 10000, 10000 },
	.digest = 0x150d9942ab0fef93,
};

static struct dataset *open(const void *conf)
{
	return cifar_open(&format, conf);
}

static int count(const void *conf, int64_t n[2])
{
	return cifar_count(&format, conf, n);
}

static int look(const void *conf)
{
	return cifar_look(&format, conf);
}

static void moments(const struct dataset *ds, float *mean, float *dev)
{
	(void)ds;
	memcpy(mean, (const float[]){ 0.4914f, 0.4822f, 0.4465f }, 3 * sizeof *mean);
	memcpy(dev, (const float[]){ 0.2470f, 0.2435f, 0.2616f }, 3 * sizeof *dev);
}

const struct dataset_type dataset_cifar10 = {
	.plugin = {
		.name = "cifar10",
		.brief = "CIFAR-10 in its binary form: ten classes of small photographs",
		.cite = "Krizhevsky, Learning Multiple Layers of Features from Tiny Images, 2009",
		.opts = cifar_opts,
		.conf_size = sizeof(struct cifar_conf),
	},
	.height = CIFAR_SIDE, .width = CIFAR_SIDE, .channels = 3, .classes = 10,
	.count = count,
	.look = look,
	.open = open,
	.sample = store_sample,
	.label = store_label,
	.moments = moments,
	.close = store_close,
};
