/*
 * CIFAR-100: 50,000 + 10,000 photographs of 32 x 32 pixels in a hundred classes;
 * each record has its coarse label (of twenty) before its fine one, which is ours.
 */
#include "data/cifar.h"
#include "data/store.h"

#include <string.h>

static const char *const train_files[] = { "train.bin", NULL };
static const char *const test_files[] = { "test.bin", NULL };
static const char *const subdirs[] = { "cifar-100-binary", NULL };

extern const struct dataset_type dataset_cifar100;

static const struct cifar_format format = {
	.type = &dataset_cifar100,
	.label_bytes = 2,
	.files = { train_files, test_files },
	.subdirs = subdirs,
	.records = { 50000, 10000 },
	.digest = 0xa12e2e714c151afe,
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
	memcpy(mean, (const float[]){ 0.5071f, 0.4865f, 0.4409f }, 3 * sizeof *mean);
	memcpy(dev, (const float[]){ 0.2673f, 0.2564f, 0.2762f }, 3 * sizeof *dev);
}

const struct dataset_type dataset_cifar100 = {
	.plugin = {
		.name = "cifar100",
		.brief = "CIFAR-100 in its binary form: a hundred classes of small photographs",
		.cite = "Krizhevsky, Learning Multiple Layers of Features from Tiny Images, 2009",
		.opts = cifar_opts,
		.conf_size = sizeof(struct cifar_conf),
	},
	.height = CIFAR_SIDE, .width = CIFAR_SIDE, .channels = 3, .classes = 100,
	.count = count,
	.look = look,
	.open = open,
	.sample = store_sample,
	.label = store_label,
	.moments = moments,
	.close = store_close,
};
